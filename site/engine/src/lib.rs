//! What the playground computes: texts in, JSON out.
//!
//! Every answer is JSON, and an answer to a wrong text is `{"error": {...}}` with the message of the core and its
//! place. Nanoseconds are decimal texts, as in the JSON of the command: JavaScript's numbers would round them.

#![forbid(unsafe_code)]

pub mod decide;
mod error;
pub mod export;
mod options;
pub mod policy;
pub mod simulate;

use serde::Serialize;

/// An answer, or what is wrong.
fn answer<T: Serialize>(result: Result<T, error::Refused>) -> String {
    let text = match result {
        Ok(value) => serde_json::to_string(&value),
        Err(error) => serde_json::to_string(&error::Answer { error }),
    };
    text.unwrap_or_default()
}
