//! What a store keeps of a shared budget: the state of the budget, and how many processes share it
//! (SPEC 15.7).

use core::fmt;

use crate::decision::budget::state::{BudgetState, unsigned};
use crate::number::arithmetic::NS_PER_SECOND;
use crate::number::digits::split;
use crate::text::buffer::TextBuf;

/// Processes are counted in slices of the store's clock.
const SLICE_NS: u64 = 60 * NS_PER_SECOND;

/// So many are counted.
pub(super) const MAX_PROCESSES: u64 = 1_000_000;

/// What a store keeps of a shared budget. Its text is that of the [`BudgetState`], a vertical line, and
/// three numbers that count processes, such as `1 5 | 28333333 2 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedState {
    pub(super) state: BudgetState,
    pub(super) processes: Processes,
}

/// How many processes have exchanged something with the store lately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Processes {
    slice: u64,
    /// In this slice, and in the one before it.
    now: u64,
    before: u64,
}

impl SharedState {
    /// The state of the budget.
    #[must_use]
    pub const fn state(&self) -> &BudgetState {
        &self.state
    }

    /// The text of the state.
    #[must_use]
    pub fn text(&self) -> TextBuf {
        let Processes { slice, now, before } = self.processes;
        let mut text = self.state.text();
        text.push(" | ").push_number(slice);
        text.push(" ").push_number(now);
        text.push(" ").push_number(before);
        text
    }

    /// What a text describes. The text of a budget's state alone tells of no processes.
    pub(super) fn read(full: &BudgetState, text: &[u8]) -> Option<Self> {
        let (state, processes) = split(text, b'|');
        let Some(processes) = processes else {
            let state = full.parse_same(state)?;
            return Some(Self { state, processes: Processes::default() });
        };
        let (&space, state) = state.split_last()?;
        let mut numbers = processes.split(|&byte| byte == b' ').skip(1).map(unsigned);
        let mut next = || numbers.next().flatten();
        let processes = Processes { slice: next()?, now: next()?, before: next()? };
        let read = Self { state: full.parse_same(state)?, processes };
        let is_in_range = processes.now.max(processes.before) <= MAX_PROCESSES;
        (space == b' ' && is_in_range && read.text().as_bytes() == text).then_some(read)
    }
}

impl fmt::Display for SharedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

impl Processes {
    /// The count at a time of the store's clock. A clock may be a slice behind another one.
    pub(super) fn at(self, store_ns: u64) -> Self {
        let slice = store_ns.checked_div(SLICE_NS).unwrap_or_default();
        if self.slice == slice || self.slice == slice.saturating_add(1) {
            return self;
        }
        let is_next = self.slice.checked_add(1) == Some(slice);
        Self { slice, now: 0, before: if is_next { self.now } else { 0 } }
    }

    /// Counts a process that was last counted in a slice, as that slice plus one, or 0 for none.
    pub(super) fn count(&mut self, counting: &mut u64, counted: u64) {
        *counting = self.slice.wrapping_add(1);
        if *counting != counted || self.now == 0 {
            self.now = self.now.saturating_add(1).min(MAX_PROCESSES);
        }
    }

    /// The number of processes.
    pub(super) fn seen(self) -> u64 {
        self.now.max(self.before).max(1)
    }
}
