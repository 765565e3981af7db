//! What a process grants while the store of a shared budget is away (SPEC 15.7).

use crate::decision::budget::shared_state::MAX_PROCESSES;

/// How many processes the local budget is for while the store is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fallback {
    /// All processes of the account, which are taken to do what this one does, so that together they
    /// grant about one budget. The account counts them. A process that has not exchanged anything yet
    /// assumes that it is alone.
    Share,
    /// This number of processes, which counts as one from 1 to
    /// [`BudgetMember::MAX_PROCESSES`](crate::BudgetMember::MAX_PROCESSES).
    ShareOf(u64),
    /// This process alone, so that `n` processes grant up to `n` budgets.
    Whole,
    /// For none: nothing is granted.
    Refuse,
}

impl Fallback {
    pub(super) const REFUSE: u64 = u64::MAX;

    /// The fallback of a number: 0 is [`Share`](Self::Share), 1 [`Whole`](Self::Whole), `u64::MAX`
    /// [`Refuse`](Self::Refuse), and any other up to
    /// [`BudgetMember::MAX_PROCESSES`](crate::BudgetMember::MAX_PROCESSES) the number of processes. `None`
    /// for any other.
    #[must_use]
    pub const fn from_number(number: u64) -> Option<Self> {
        match number {
            0 => Some(Self::Share),
            1 => Some(Self::Whole),
            2..=MAX_PROCESSES => Some(Self::ShareOf(number)),
            Self::REFUSE => Some(Self::Refuse),
            _ => None,
        }
    }

    pub(super) fn number(self) -> u64 {
        match self {
            Self::Share => 0,
            Self::ShareOf(processes) => processes.clamp(1, MAX_PROCESSES),
            Self::Whole => 1,
            Self::Refuse => Self::REFUSE,
        }
    }
}
