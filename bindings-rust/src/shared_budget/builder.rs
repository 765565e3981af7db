//! Making a shared budget, and why there may be none.

use std::error::Error;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use backoff_core::{Budget, BudgetMember, Fallback, ParseError};

use crate::shared_budget::exchange::BudgetExchange;
use crate::shared_budget::pending::Pending;
use crate::shared_budget::store::BudgetStore;
use crate::shared_budget::worker::{Hook, Inner};
use crate::shared_budget::{Handle, SharedBudget};

/// The longest name in bytes. Stores limit the length of a key, such as `PostgreSQL` to 2704 bytes.
const MAX_NAME_LENGTH: usize = 255;

/// A longer timeout would be no limit, and no time may be out of range.
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes a [`SharedBudget`].
#[must_use = "a builder makes nothing until it is built"]
pub struct SharedBudgetBuilder {
    pub(super) store: Box<dyn BudgetStore>,
    pub(super) name: String,
    pub(super) budget: String,
    pub(super) local_budget: Option<String>,
    pub(super) fallback: Fallback,
    pub(super) lease: u32,
    pub(super) timeout: Duration,
    pub(super) hook: Hook,
}

impl SharedBudgetBuilder {
    /// What this process grants while the store is away. The default is [`Fallback::Share`]: its part of
    /// the local budget, as if each process did what this one does, so that all together grant about one
    /// budget. The account counts the processes that have exchanged something lately. A process that has
    /// not exchanged anything yet assumes that it is alone.
    pub fn fallback(mut self, fallback: Fallback) -> Self {
        self.fallback = fallback;
        self
    }

    /// The budget string of the local budget, which decides while the store is away. The default is
    /// that of the shared budget.
    pub fn local_budget(mut self, budget: impl Into<String>) -> Self {
        self.local_budget = Some(budget.into());
        self
    }

    /// The number of retries, from 1 to 1000, that one request asks for: those beyond the first are
    /// for later requests with the same outcome, which then need no round trip. The default is 1. While
    /// processes lose swaps to each other, a request takes up to 15 more along, whatever the lease, but
    /// at most a sixteenth of what the account would grant.
    ///
    /// It costs exactness. For each outcome up to `lease - 1` granted retries of each process may lie
    /// unused while other processes are refused, and are lost if the process ends. A budget of the
    /// kind `throttle` is asked less often, so it may grant that many retries before it counts the
    /// failures of others. Unused retries do not expire: a process may make them in addition to what the
    /// account grants when it has filled again.
    pub fn lease(mut self, lease: u32) -> Self {
        self.lease = lease;
        self
    }

    /// How long a loop waits for the store at most. The default is 100 ms, the longest a day. Until the
    /// first exchange has ended, it is at least a second, because the store needs a connection. A store may
    /// give up earlier.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets a hook that receives every exchange with the store, also one that failed. It runs in the
    /// thread that talks to the store, after the loops got their answers and before
    /// [`flush`](SharedBudget::flush) returns: the next exchange waits for it. A panic of it is
    /// [`last_error`](SharedBudget::last_error), and ends nothing else. A hook that owns a handle of its own
    /// budget keeps it, and its thread, for ever.
    pub fn on_exchange(mut self, hook: impl Fn(&BudgetExchange) + Send + Sync + 'static) -> Self {
        self.hook = Arc::new(hook);
        self
    }

    /// Makes the budget. It does not ask the store yet.
    ///
    /// # Errors
    /// A name that is empty, longer than 255 bytes or has a control character, because not every store
    /// can keep it; an invalid budget string, one of the kind `concurrent`, a lease below 1 or above
    /// 1000, a share of no process or of more than 1,000,000, or a timeout of zero.
    pub fn build(self) -> Result<SharedBudget, SharedBudgetError> {
        let Self { store, name, budget, local_budget, fallback, lease, timeout, hook } = self;
        if !(1..=MAX_NAME_LENGTH).contains(&name.len()) {
            return Err(SharedBudgetError::NameLength(name.len()));
        }
        if let Some(control) = name.chars().find(|character| character.is_control()) {
            return Err(SharedBudgetError::NameCharacter(control));
        }
        let shared = parse(&budget)?;
        let of_local = |error| match error {
            SharedBudgetError::Budget(error) => SharedBudgetError::LocalBudget(error),
            _ => SharedBudgetError::LocalConcurrent,
        };
        let local = parse(local_budget.as_deref().unwrap_or(&budget)).map_err(of_local)?;
        if !(1..=BudgetMember::MAX_LEASE).contains(&lease.into()) {
            return Err(SharedBudgetError::Lease(lease));
        }
        if let Fallback::ShareOf(processes) = fallback
            && !(1..=BudgetMember::MAX_PROCESSES).contains(&processes)
        {
            return Err(SharedBudgetError::Processes(processes));
        }
        if timeout.is_zero() {
            return Err(SharedBudgetError::Timeout);
        }
        let timeout = timeout.min(MAX_TIMEOUT);
        let timeout_ns = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        // A random number of the standard library: the seed of each process is its own.
        let seed = RandomState::new().hash_one(());
        let member = BudgetMember::new(&shared, &local, lease.into(), fallback, timeout_ns, seed);
        let key = format!("backoff:{name}:{shared}");
        let inner = Inner::new(store, key, Pending::new(&member), hook);
        Ok(SharedBudget(Arc::new(Handle(Arc::new(inner)))))
    }
}

impl fmt::Debug for SharedBudgetBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, budget, local_budget, fallback, lease, timeout, .. } = self;
        f.debug_struct("SharedBudgetBuilder")
            .field("name", name)
            .field("budget", budget)
            .field("local_budget", local_budget)
            .field("fallback", fallback)
            .field("lease", lease)
            .field("timeout", timeout)
            .finish_non_exhaustive()
    }
}

fn parse(text: &str) -> Result<Budget, SharedBudgetError> {
    let budget = Budget::parse(text).map_err(SharedBudgetError::Budget)?;
    match budget.kind() {
        "concurrent" => Err(SharedBudgetError::Concurrent),
        _ => Ok(budget),
    }
}

/// Why there is no [`SharedBudget`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SharedBudgetError {
    /// The budget string is invalid.
    Budget(ParseError),
    /// The budget string of the local budget is invalid.
    LocalBudget(ParseError),
    /// The budget is of the kind `concurrent`.
    Concurrent,
    /// The local budget is of the kind `concurrent`.
    LocalConcurrent,
    /// This lease is below 1 or above 1000.
    Lease(u32),
    /// This number of processes of [`Fallback::ShareOf`] is below 1 or above 1,000,000.
    Processes(u64),
    /// The timeout is zero.
    Timeout,
    /// The name has this number of bytes, and not from 1 to 255.
    NameLength(usize),
    /// The name has this control character.
    NameCharacter(char),
}

impl fmt::Display for SharedBudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Budget(error) => error.fmt(f),
            Self::LocalBudget(error) => write!(f, "local budget: {error}"),
            Self::Concurrent => f.write_str(
                "a budget of the kind concurrent cannot be shared, because a process that dies would hold \
                 its slots for ever: choose another kind",
            ),
            Self::LocalConcurrent => write!(f, "local budget: {}", Self::Concurrent),
            Self::Lease(lease) => {
                write!(f, "the lease is {lease}, and must be from 1 to {}", BudgetMember::MAX_LEASE)
            }
            Self::Processes(processes) => {
                let most = BudgetMember::MAX_PROCESSES;
                write!(f, "the number of processes is {processes}, and must be from 1 to {most}")
            }
            Self::Timeout => f.write_str("the timeout is zero, and must be longer"),
            Self::NameLength(0) => f.write_str("the name is empty"),
            Self::NameLength(length) => {
                write!(f, "the name has {length} bytes, and may have at most {MAX_NAME_LENGTH}")
            }
            Self::NameCharacter(control) => {
                write!(f, "the name has the control character {control:?}, and must have none")
            }
        }
    }
}

impl Error for SharedBudgetError {}
