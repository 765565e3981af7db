//! What one process knows of a budget that many processes share (SPEC 15.7).

use crate::decision::budget::Budget;
use crate::decision::budget::counts::{
    BEGAN, ByOutcome, Events, FAILED, MANY_EVENTS, MAX_COUNT, RETRIED, SUCCEEDED,
    SUCCEEDED_HOLDING, at, keep_some, of, place, sum,
};
use crate::decision::budget::event::BudgetEvent;
use crate::decision::budget::exchange::{MemberAnswer, SharedBudgetStats};
use crate::decision::budget::fallback::Fallback;
use crate::decision::budget::shared_state::MAX_PROCESSES;
use crate::decision::budget::state::BudgetState;
use crate::decision::outcome::Outcome;
use crate::number::arithmetic::NS_PER_SECOND;

/// After this time an event begins an exchange, too, so that the account counts this process.
const OLD_NS: u64 = 30 * NS_PER_SECOND;
/// How long the store stays away.
const AWAY_NS: u64 = NS_PER_SECOND;
/// The shortest timeout of the first exchange, for which the store needs a connection.
const FIRST_TIMEOUT_NS: u64 = NS_PER_SECOND;

/// What one process knows of a budget that many processes share through a store: a state machine
/// without I/O and without a clock. It decides what an exchange with the store is about, who decides
/// while the store is away, and what becomes of events and requests if an answer is lost.
///
/// A caller keeps one behind a lock, makes at most one exchange at a time, and calls:
///
/// 1. [`note`](Self::note) for what the operations of the process report, and
///    [`request`](Self::request) for each retry.
/// 2. If an exchange is due ([`due_in`](Self::due_in)), [`begin`](Self::begin) it: load the text from
///    the store, [`step`](Self::step) it, and swap it for the result.
/// 3. What became of that: [`stored`](Self::stored), [`lost`](Self::lost) (the store held another
///    text: wait, and load again) or [`failed`](Self::failed). If a request has waited for the
///    timeout, [`late`](Self::late).
///
/// A request that [waits](MemberAnswer::Waits) is one of the requests of its outcome, which are
/// answered in the order in which they came. When the store is away, the caller repeats every request
/// that waits.
///
/// ```
/// use backoff_core::{Budget, BudgetMember, Fallback, MemberAnswer, Outcome, SteppedState};
/// let budget = Budget::parse("quota:max_tokens=10,cost=5")?;
/// let mut member = BudgetMember::new(&budget, &budget, 1, Fallback::Share, 100_000_000, 42);
/// assert_eq!(member.request(Outcome::Transient, 0), MemberAnswer::Waits);
/// assert_eq!(member.due_in(0), Some(0));
/// member.begin(0);
/// // The store has nothing yet, which is a full budget of no processes.
/// let Some(SteppedState::Changed(after)) = member.step(None, 1_700_000_000_000_000_000) else { panic!() };
/// assert_eq!(after.to_string(), "1 5 | 28333333 1 0");
/// // The store has swapped it.
/// let answers = member.stored(2_000_000);
/// assert_eq!((answers.granted(Outcome::Transient), answers.refused(Outcome::Transient)), (1, 0));
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct BudgetMember {
    /// The account when it is full, which also has its configuration.
    pub(super) full: BudgetState,
    pub(super) local: BudgetState,
    /// How many retries of an outcome a request takes along: the lease, less one.
    pub(super) max_leased: u64,
    /// The number of the [`Fallback`].
    pub(super) fallback: u64,
    /// The number of processes that the account last told of.
    pub(super) seen: u64,
    /// The slice in which the account counts this process, plus one, as the store knows it, and as the
    /// exchange under way would have it.
    pub(super) counted: u64,
    pub(super) counting: u64,
    /// The retries that the local state has granted, to any process.
    pub(super) local_grants: u64,
    pub(super) timeout_ns: u64,
    pub(super) seed: u64,
    pub(super) away_until_ns: u64,
    /// Whether an exchange is under way, as 0 or 1: plain numbers, as for `ScheduleParams`.
    pub(super) is_exchanging: u64,
    pub(super) began_ns: u64,
    pub(super) exchanges: u64,
    /// The swaps that this exchange has lost.
    pub(super) lost: u64,
    /// What [`Self::stats`] counts, besides.
    pub(super) failed_exchanges: u64,
    pub(super) lost_swaps: u64,
    pub(super) local_decisions: u64,
    /// The pause between exchanges, which grows with lost swaps, and when it ends.
    pub(super) pause_ns: u64,
    pub(super) rest_until_ns: u64,
    /// Since when there is something unsent.
    pub(super) unsent_since_ns: u64,
    /// What the store does not know.
    pub(super) unsent: Events,
    /// What the exchange under way has told the store.
    pub(super) sent: Events,
    pub(super) waiting: ByOutcome,
    /// The requests that wait and that the exchange under way has stepped.
    pub(super) asked: ByOutcome,
    pub(super) granted: ByOutcome,
    /// The requests beyond those that the exchange under way has stepped, and how many of them were
    /// granted.
    pub(super) asked_more: ByOutcome,
    pub(super) granted_more: ByOutcome,
    pub(super) leased: ByOutcome,
}

impl BudgetMember {
    /// The longest lease.
    pub const MAX_LEASE: u64 = 1000;

    /// The largest number of processes.
    pub const MAX_PROCESSES: u64 = MAX_PROCESSES;

    /// A member that knows nothing yet. `budget` is the shared one, and `local` decides while the
    /// store is away, as far as the fallback lets it. A `lease` counts as one from 1 to
    /// [`Self::MAX_LEASE`]. The timeout is in nanoseconds. The seed spreads the waits after lost
    /// swaps: each process needs its own.
    #[must_use]
    pub fn new(
        budget: &Budget,
        local: &Budget,
        lease: u64,
        fallback: Fallback,
        timeout_ns: u64,
        seed: u64,
    ) -> Self {
        Self {
            max_leased: lease.clamp(1, Self::MAX_LEASE).wrapping_sub(1),
            fallback: fallback.number(),
            seen: 1,
            timeout_ns,
            seed,
            full: BudgetState::full(budget),
            local: BudgetState::full(local),
            ..Self::from_words(&[0; Self::WORDS])
        }
    }

    /// Notes what an operation reports. The shared and the local budget learn of it, and of what the
    /// operation holds the one that gave it. A request is no report, and changes nothing here.
    pub fn note(&mut self, event: BudgetEvent, is_local: bool, now_ns: u64) {
        let (place, local) = match event {
            BudgetEvent::OperationBegan => (BEGAN, event),
            BudgetEvent::AttemptFailed => (FAILED, event),
            BudgetEvent::OperationSucceeded { held } => {
                let (held, local) = if is_local { (0, held) } else { (held, 0) };
                let holds = |&outcome: &Outcome| held > 0 && self.full.cost(outcome) == held;
                let place = RETRIED.iter().position(holds);
                let place = place.map_or(SUCCEEDED, |place| place.wrapping_add(SUCCEEDED_HOLDING));
                (place, BudgetEvent::OperationSucceeded { held: local })
            }
            BudgetEvent::RetryRequested { .. }
            | BudgetEvent::AttemptOver { .. }
            | BudgetEvent::OperationEnded => return,
        };
        if sum(&self.unsent) == 0 {
            self.unsent_since_ns = now_ns;
        }
        if let Some(count) = self.unsent.get_mut(place) {
            *count = count.saturating_add(1).min(MAX_COUNT);
        }
        (self.local, _) = self.local.step_at_once(local, self.fleet(), now_ns);
        if self.is_away(now_ns) {
            keep_some(&mut self.unsent);
        }
    }

    /// Requests a retry after an outcome. One that is never retried is refused.
    pub fn request(&mut self, outcome: Outcome, now_ns: u64) -> MemberAnswer {
        if place(outcome).is_none() {
            return MemberAnswer::Refused;
        }
        if let Some(leased) = at(&mut self.leased, outcome)
            && *leased > 0
        {
            *leased = leased.wrapping_sub(1);
            return MemberAnswer::Granted { held: self.full.cost(outcome), is_local: false };
        }
        if self.is_away(now_ns) {
            self.local_decisions = self.local_decisions.saturating_add(1);
            return if self.request_locally(outcome, now_ns) {
                MemberAnswer::Granted { held: self.local.cost(outcome), is_local: true }
            } else {
                MemberAnswer::Refused
            };
        }
        match at(&mut self.waiting, outcome) {
            Some(waiting) if *waiting < MAX_COUNT => {
                *waiting = waiting.saturating_add(1);
                MemberAnswer::Waits
            }
            _ => MemberAnswer::Refused,
        }
    }

    /// Each process of the fleet requests a retry of the local budget. Whether one that is granted falls
    /// to this process: they are dealt out in turn, and the seed says where this process sits.
    fn request_locally(&mut self, outcome: Outcome, now_ns: u64) -> bool {
        let fleet = self.fleet();
        let granted;
        let event = BudgetEvent::RetryRequested { outcome };
        (self.local, granted) = self.local.step_at_once(event, fleet, now_ns);
        let turn = |number: u64| number.checked_rem(fleet).unwrap_or_default();
        let before = turn(turn(self.seed).wrapping_add(turn(self.local_grants)));
        self.local_grants = self.local_grants.wrapping_add(granted);
        turn(fleet.wrapping_sub(before)) < granted
    }

    /// The number of processes that the local budget is for: it takes all of them to do what this one
    /// does. 0 if it is for none.
    fn fleet(&self) -> u64 {
        match self.fallback {
            0 => self.seen.min(MAX_PROCESSES),
            Fallback::REFUSE => 0,
            processes => processes.min(MAX_PROCESSES),
        }
    }

    /// One of the requests after this outcome that wait is not wanted any more.
    pub fn cancel(&mut self, outcome: Outcome) {
        let granted = of(&self.granted, outcome);
        if let Some(waiting) = at(&mut self.waiting, outcome) {
            *waiting = waiting.saturating_sub(1);
        }
        if let Some(asked) = at(&mut self.asked, outcome) {
            // If all were granted, a granted one is left over.
            *asked = asked.saturating_sub(1).max(granted.min(*asked));
        }
    }

    /// Whether the store is away, so that the local budget decides.
    #[must_use]
    pub const fn is_away(&self, now_ns: u64) -> bool {
        now_ns < self.away_until_ns || (self.is_exchanging != 0 && self.is_late(now_ns))
    }

    /// Whether the exchange under way has taken longer than the timeout.
    pub(super) const fn is_late(&self, now_ns: u64) -> bool {
        match self.began_ns.checked_add(self.timeout_ns()) {
            Some(end_ns) => now_ns >= end_ns,
            None => false,
        }
    }

    /// How long a request may wait now, and an exchange take: the timeout, but at least a second until
    /// the first exchange has ended.
    #[must_use]
    pub const fn timeout_ns(&self) -> u64 {
        let is_first = self.exchanges == 0 || (self.exchanges == 1 && self.is_exchanging != 0);
        if is_first && self.timeout_ns < FIRST_TIMEOUT_NS {
            FIRST_TIMEOUT_NS
        } else {
            self.timeout_ns
        }
    }

    /// In how many nanoseconds an exchange is to begin, if none is under way: when the pause after the
    /// last one is over, and a request waits, or many or old events do while the store is not away. Ask
    /// after each note and request. A flush may begin one at any time.
    #[must_use]
    pub fn due_in(&self, now_ns: u64) -> Option<u64> {
        let is_due = self.is_exchanging == 0
            && (self.waiting.iter().any(|&waiting| waiting > 0)
                || (self.has_many_or_old(now_ns) && !self.is_away(now_ns)));
        is_due.then_some(self.rest_until_ns.saturating_sub(now_ns))
    }

    fn has_many_or_old(&self, now_ns: u64) -> bool {
        let (count, age_ns) = (sum(&self.unsent), now_ns.saturating_sub(self.unsent_since_ns));
        count >= MANY_EVENTS || (count > 0 && age_ns >= OLD_NS)
    }

    /// Whether there is something to flush.
    #[must_use]
    pub fn has_unsent(&self) -> bool {
        sum(&self.unsent) > 0 || self.is_exchanging != 0
    }

    /// What has happened so far, for metrics.
    #[must_use]
    pub const fn stats(&self) -> SharedBudgetStats {
        SharedBudgetStats {
            exchanges: self.exchanges,
            failed_exchanges: self.failed_exchanges,
            lost_swaps: self.lost_swaps,
            local_decisions: self.local_decisions,
            processes: self.seen,
        }
    }

    /// A request has waited for the timeout. The exchange under way goes on.
    pub fn late(&mut self, now_ns: u64) {
        self.go_away(now_ns);
    }

    /// Lets the local budget decide for a while. Requests that wait are repeated.
    pub(super) fn go_away(&mut self, now_ns: u64) {
        self.away_until_ns = now_ns.saturating_add(AWAY_NS);
        keep_some(&mut self.unsent);
        self.waiting = ByOutcome::default();
        self.asked = ByOutcome::default();
    }
}
