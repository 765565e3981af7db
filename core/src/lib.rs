#![doc = include_str!("../README.md")]
#![no_std]
// docs.rs sets `docsrs`: its pages name the feature that an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
// The core is total: nothing in it may panic, and no float may touch a result.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::todo,
    clippy::unreachable,
    clippy::unwrap_used
)]

#[cfg(feature = "yield")]
extern crate std;

mod analysis;
mod decision;
mod error;
#[doc(hidden)]
pub mod ffi;
mod field;
mod iter;
mod number;
mod parse;
mod policy;
mod random;
mod schedule;
#[cfg(feature = "serde")]
mod serde;
mod text;
mod validate;

pub use analysis::preview::{Preview, PreviewRow};
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use decision::budget::Budget;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use decision::budget::event::BudgetEvent;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use decision::budget::exchange::{
    ExchangeAnswers, ExchangeStep, MemberAnswer, SharedBudgetStats, SteppedState,
};
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use decision::budget::fallback::Fallback;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use decision::budget::level::BudgetLevel;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use decision::budget::member::BudgetMember;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use decision::budget::shared_state::SharedState;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use decision::budget::state::BudgetState;
pub use decision::http::{http_retry_after_ns, is_idempotent_method};
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use decision::operation::Operation;
pub use decision::outcome::{Decision, Outcome, StopReason};
pub use decision::retry_after::parse_retry_after_ns;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use decision::stats::RetryStats;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use decision::stats_text::{LabelError, PrometheusText};
pub use error::code::ErrorCode;
pub use error::parse_error::ParseError;
pub use error::policy_error::PolicyError;
pub use field::Field;
pub use field::kind::{CapOn, ElapsedFrom, Growth, Jitter, RetryAfterMode};
pub use field::value::FieldValue;
pub use field::waits::Waits;
pub use iter::backoff::Backoff;
#[cfg(feature = "rand")]
pub use iter::rng::RngBackoff;
pub use number::arithmetic::MAX_NS;
pub use number::ratio::{Ratio, RatioError};
pub use parse::duration::{DurationError, parse_duration_ns};
pub use policy::Policy;
pub use policy::builder::PolicyBuilder;
pub use random::stream::RandomStream;
pub use text::buffer::TextBuf;
