//! Retries of services of [tower](https://docs.rs/tower): a policy and a budget for its retry
//! middleware.

mod budget;
mod classifier;
mod policy;
mod session;

pub use crate::http::{MayRepeat, PROXY_STATUSES, SentOnce};
pub use budget::{ConcurrentBudget, RetryBudget};
pub use classifier::{About, ByResult, Classifier, Http, HttpAttempt, Kind};
pub use policy::{RequestEvent, RetryPolicy};
