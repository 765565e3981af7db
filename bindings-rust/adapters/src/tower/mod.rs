//! Retries of services of [tower](https://docs.rs/tower): a policy and a budget for its retry
//! middleware.

mod budget;
mod judge;
mod policy;
mod session;

pub use crate::http::{MayRepeat, PROXY_STATUSES, SentOnce};
pub use budget::{ConcurrentBudget, RetryBudget};
pub use judge::{About, Http, HttpAttempt, Judge, Kind, Results};
pub use policy::{RequestEvent, RetryPolicy};
