// Its programs use these features.
#![cfg_attr(all(feature = "getrandom", feature = "tokio"), doc = include_str!("../README.md"))]
#![cfg_attr(
    not(all(feature = "getrandom", feature = "tokio")),
    doc = "Retry with exponential backoff and jitter, blocking and async."
)]
#![forbid(unsafe_code)]

mod calls;
mod classify;
mod event;
#[cfg(feature = "getrandom")]
mod fresh;
mod loops;
mod retry;
mod run;
mod shared;
mod time;
mod verdict;

#[doc(no_inline)]
pub use backoff_core::*;
pub use classify::{Classify, WhenEither, WhenError, Whole};
pub use event::{Event, Report};
pub use loops::Loop;
pub use retry::Retry;
pub use shared::Shared;
pub use time::{BlockingSleep, Clock, DefaultSleep, Monotonic, Sleep, Slept};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use verdict::retry_after;
pub use verdict::{IntoVerdict, Verdict};
