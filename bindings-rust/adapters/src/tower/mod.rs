//! Retries of services of [tower](https://docs.rs/tower): a policy and a budget for its retry
//! middleware.

mod budget;
mod judge;
mod policy;
mod session;

pub use budget::{ConcurrentBudget, RetryBudget};
pub use judge::{Http, Judge, Results};
pub use policy::RetryPolicy;
