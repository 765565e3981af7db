//! nginx: `proxy_next_upstream`, which passes a request to the next server at once.

mod blocks;
mod names;
mod read;
mod write;

pub(crate) use read::find;
pub(crate) use write::write;
