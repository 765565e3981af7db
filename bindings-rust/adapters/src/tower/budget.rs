//! A budget for policies of tower that are not of this crate.

use std::fmt;
use std::sync::LazyLock;

use ::tower::retry::budget;
use backoff_retry::{
    Budget, Clock, Decision, Monotonic, Operation, Outcome, Policy, RandomStream, RefOrArc,
};

/// The delays of this policy are not used.
static POLICY: LazyLock<Policy> = LazyLock::new(|| Policy::parse("none").expect("a preset"));

/// A [`Budget`] with the interface of tower's budgets, for a policy of your own. It uses the clock
/// [`Monotonic`]. A [`RetryPolicy`](super::RetryPolicy) takes the budget of its `Retry` instead.
///
/// A deposit is a request that succeeded without a retry. A withdrawal is a request that failed and
/// asks for a retry. So call `deposit` once for each request that succeeds, and `withdraw` once for
/// each failure.
///
/// ```
/// use backoff_adapters::tower::RetryBudget;
/// use backoff_retry::Budget;
/// use std::sync::Arc;
/// use tower::retry::budget::Budget as _;
/// let budget = Budget::parse("ratio:ratio=50%,max_tokens=1")?;
/// let budget = RetryBudget::new(Arc::new(budget)).unwrap();
/// assert!(budget.withdraw()); // it begins full
/// assert!(!budget.withdraw());
/// budget.deposit();
/// budget.deposit();
/// assert!(budget.withdraw());
/// # Ok::<(), backoff_retry::ParseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RetryBudget(RefOrArc<'static, Budget>);

impl RetryBudget {
    /// A budget of tower over an `Arc` of a budget, or a borrow of one in a `static`.
    ///
    /// # Errors
    /// A budget of the kind `concurrent` is refused: it must know when a retry ends, which tower's
    /// interface does not say.
    pub fn new(budget: impl Into<RefOrArc<'static, Budget>>) -> Result<Self, ConcurrentBudget> {
        let budget = budget.into();
        if budget.kind() == "concurrent" {
            return Err(ConcurrentBudget);
        }
        Ok(Self(budget))
    }
}

impl budget::Budget for RetryBudget {
    fn deposit(&self) {
        let (now_ns, budget) = (Monotonic.now_ns(), Some(&*self.0));
        let mut operation =
            Operation::begin(*POLICY, RandomStream::from_seed(0), now_ns, None, budget);
        operation.decide(Outcome::Success, None, now_ns, budget);
    }

    fn withdraw(&self) -> bool {
        // It begins without the budget: its deposit comes when it succeeds.
        let now_ns = Monotonic.now_ns();
        let mut operation =
            Operation::begin(*POLICY, RandomStream::from_seed(0), now_ns, None, None);
        let decision = operation.decide(Outcome::Transient, None, now_ns, Some(&*self.0));
        matches!(decision, Decision::Wait { .. })
    }
}

/// The error of a budget of the kind `concurrent`, which [`RetryBudget`] cannot use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConcurrentBudget;

impl fmt::Display for ConcurrentBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a budget of the kind concurrent must know when a retry ends, which tower's interface does \
             not say: choose another kind, or a RetryPolicy with this budget",
        )
    }
}

impl std::error::Error for ConcurrentBudget {}
