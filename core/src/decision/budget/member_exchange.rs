//! An exchange of a member with the store of its budget (SPEC 15.7).

use crate::decision::budget::counts::{
    BEGAN, ByOutcome, Events, FAILED, MAX_COUNT, RETRIED, SUCCEEDED_HOLDING, add, of, set,
};
use crate::decision::budget::event::BudgetEvent;
use crate::decision::budget::exchange::{ExchangeAnswers, ExchangeStep, SteppedState};
use crate::decision::budget::level::BudgetLevel;
use crate::decision::budget::member::BudgetMember;
use crate::decision::budget::shared_state::{Processes, SharedState};
use crate::decision::budget::state::BudgetState;
use crate::decision::outcome::Outcome;
use crate::number::ratio::Ratio;
use crate::random::stream::RandomStream;
use crate::schedule::doubling;

/// The pause between exchanges grows from this, and at most to this part of the timeout.
const PAUSE_NS: u64 = 1_000_000;
const MAX_PAUSE_PART: u64 = 3;
/// What is left of a pause after an exchange that lost no swap.
const PAUSE_LEFT: Ratio = Ratio::new(7, 8);
/// The draw of a pause: no exchange loses that many swaps.
const PAUSE_DRAW: u32 = u32::MAX;

/// A request takes one more retry along for each of this part of the pause, because processes that
/// contend exchange less often.
const PAUSE_OF_RETRY_NS: u64 = 1_000_000;
/// It takes at most this many, and this part of what the account would grant.
const MAX_TAKEN: u64 = 15;
const PART_TAKEN: u64 = 16;

/// The policy of the waits after lost swaps: `full:base=1ms,cap=16ms`.
const LOST_BASE_NS: u64 = 1_000_000;
const LOST_CAP_NS: u64 = 16_000_000;

impl BudgetMember {
    /// The number of steps that an exchange can have.
    const STEPS: usize = 6 + 2 * RETRIED.len();

    /// Begins an exchange.
    pub const fn begin(&mut self, now_ns: u64) {
        self.is_exchanging = 1;
        self.counting = self.counted;
        self.began_ns = now_ns;
        self.exchanges = self.exchanges.wrapping_add(1);
        self.lost = 0;
    }

    /// What is left of what the store holds, at a time of its clock (SPEC 15.9): of a full budget if it
    /// holds nothing. `None` if the text is not that of a state of the budget.
    ///
    /// ```
    /// use backoff_core::{Budget, BudgetLevel, BudgetMember, Fallback};
    /// let budget = Budget::parse("quota:max_tokens=10,cost=5")?;
    /// let member = BudgetMember::new(&budget, &budget, 1, Fallback::Refuse, 1_000_000_000, 1);
    /// let level = member.level(Some(b"3 5 | 28333333 2 1"), 0);
    /// assert_eq!(level, Some(BudgetLevel { level: 5, max: 10, unit: 1 }));
    /// assert_eq!(member.level(Some(b"5"), 0), None);
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    #[must_use]
    pub fn level(&self, text: Option<&[u8]>, store_ns: u64) -> Option<BudgetLevel> {
        Some(self.loaded(text)?.state.level(store_ns))
    }

    fn loaded(&self, text: Option<&[u8]>) -> Option<SharedState> {
        match text {
            Some(text) => SharedState::read(&self.full, text),
            None => Some(SharedState { state: self.full, processes: Processes::default() }),
        }
    }

    /// Steps what the store holds, at the time of its clock, by everything that is known by now.
    /// `None` if the text is not that of a state of the budget: the exchange has then
    /// [failed](Self::failed).
    pub fn step(&mut self, text: Option<&[u8]>, store_ns: u64) -> Option<SteppedState> {
        let loaded = self.loaded(text)?;
        let before = loaded.state;
        let mut processes = loaded.processes.at(store_ns);
        processes.count(&mut self.counting, self.counted);
        self.seen = processes.seen();
        let unsent = core::mem::take(&mut self.unsent);
        add(&mut self.sent, unsent);
        self.asked = self.waiting.map(|waiting| waiting.min(MAX_COUNT));
        let mut state = before.settled(store_ns);
        for (place, &count) in self.sent.iter().enumerate() {
            state = state.repeat(self.event_at(place), count, store_ns);
        }
        for outcome in RETRIED {
            let asked = of(&self.asked, outcome);
            let granted;
            (state, granted) = state.request(outcome, asked, store_ns);
            set(&mut self.granted, outcome, granted);
        }
        for outcome in RETRIED {
            let (asked, granted) = (of(&self.asked, outcome), of(&self.granted, outcome));
            // Nothing is unused then: the request would have taken it.
            let wanted = if granted > 0 && granted == asked {
                self.max_leased.min(MAX_COUNT).max(self.max_taken(&state, outcome, store_ns))
            } else {
                0
            };
            let granted;
            (state, granted) = state.request(outcome, wanted, store_ns);
            // It ends with the first that is refused.
            set(&mut self.asked_more, outcome, wanted.min(granted.saturating_add(1)));
            set(&mut self.granted_more, outcome, granted);
        }
        let after = SharedState { state, processes };
        Some(if after == loaded {
            SteppedState::Unchanged(after)
        } else {
            SteppedState::Changed(after)
        })
    }

    /// How many retries a request takes along while processes contend, so that most are left to
    /// others.
    fn max_taken(&self, state: &BudgetState, outcome: Outcome, store_ns: u64) -> u64 {
        let most = self.pause_ns.checked_div(PAUSE_OF_RETRY_NS).unwrap_or_default();
        let more = most.min(MAX_TAKEN).saturating_mul(PART_TAKEN);
        let (_, granted) = state.request(outcome, more, store_ns);
        granted.checked_div(PART_TAKEN).unwrap_or_default()
    }

    /// The steps of the exchange under way, in their order.
    pub fn steps(&self) -> impl Iterator<Item = ExchangeStep> + '_ {
        (0..Self::STEPS).filter_map(|place| self.step_at(place)).filter(|step| step.count > 0)
    }

    fn step_at(&self, place: usize) -> Option<ExchangeStep> {
        if let Some(&count) = self.sent.get(place) {
            return Some(ExchangeStep { event: self.event_at(place), count, granted: 0 });
        }
        let place = place.wrapping_sub(self.sent.len());
        let (asked, granted, place) = if place < RETRIED.len() {
            (&self.asked, &self.granted, place)
        } else {
            (&self.asked_more, &self.granted_more, place.wrapping_sub(RETRIED.len()))
        };
        let &outcome = RETRIED.get(place)?;
        let event = BudgetEvent::RetryRequested { outcome };
        Some(ExchangeStep { event, count: of(asked, outcome), granted: of(granted, outcome) })
    }

    /// The event that is counted at a place.
    fn event_at(&self, place: usize) -> BudgetEvent {
        let holding = place.checked_sub(SUCCEEDED_HOLDING).and_then(|place| RETRIED.get(place));
        match (place, holding) {
            (BEGAN, _) => BudgetEvent::OperationBegan,
            (FAILED, _) => BudgetEvent::AttemptFailed,
            (_, Some(&outcome)) => {
                BudgetEvent::OperationSucceeded { held: self.full.cost(outcome) }
            }
            _ => BudgetEvent::OperationSucceeded { held: 0 },
        }
    }

    /// Ends an exchange whose steps the store has, or that changed nothing.
    pub fn stored(&mut self, now_ns: u64) -> ExchangeAnswers {
        self.sent = Events::default();
        self.counted = self.counting;
        let mut answers = ExchangeAnswers::default();
        for outcome in RETRIED {
            let granted = of(&self.granted, outcome);
            let refused = of(&self.asked, outcome).saturating_sub(granted);
            let unused = of(&self.leased, outcome)
                .saturating_add(granted)
                .saturating_add(of(&self.granted_more, outcome));
            let waiting = of(&self.waiting, outcome);
            let granted = waiting.min(unused);
            let refused = refused.min(waiting.saturating_sub(granted));
            set(&mut answers.granted, outcome, granted);
            set(&mut answers.refused, outcome, refused);
            set(&mut answers.held, outcome, self.full.cost(outcome));
            set(
                &mut self.waiting,
                outcome,
                waiting.saturating_sub(granted).saturating_sub(refused),
            );
            // What nobody waits for any more is lost beyond the most that a request takes along.
            let unused = unused.saturating_sub(granted).min(self.max_leased.max(MAX_TAKEN));
            set(&mut self.leased, outcome, unused);
        }
        let is_late = self.is_late(now_ns);
        self.end(now_ns);
        if is_late {
            self.go_away(now_ns);
        }
        answers
    }

    /// The store held another text. Returns how long to wait before it is loaded again; `None` if the
    /// time for that is over: the exchange has then [failed](Self::failed).
    #[must_use]
    pub fn lost(&mut self, now_ns: u64) -> Option<u64> {
        let stream = RandomStream::nth(self.seed, self.exchanges);
        let index = u32::try_from(self.lost).unwrap_or(u32::MAX);
        let window_ns = doubling::window(LOST_BASE_NS, LOST_CAP_NS, index);
        let wait_ns = doubling::delay(window_ns, stream.draw(index));
        self.lost = self.lost.saturating_add(1);
        self.lost_swaps = self.lost_swaps.saturating_add(1);
        (!self.is_late(now_ns.saturating_add(wait_ns))).then_some(wait_ns)
    }

    /// Ends an exchange that failed. If its steps may be stored, its events are not sent again, and the
    /// account counts this process.
    pub fn failed(&mut self, may_be_stored: bool, now_ns: u64) {
        self.failed_exchanges = self.failed_exchanges.saturating_add(1);
        let sent = core::mem::take(&mut self.sent);
        if may_be_stored {
            self.counted = self.counting;
        } else {
            add(&mut self.unsent, sent);
        }
        self.end(now_ns);
        self.go_away(now_ns);
    }

    /// Ends an exchange. Processes that contend pause between exchanges: the more swaps they lose, the
    /// longer.
    fn end(&mut self, now_ns: u64) {
        self.is_exchanging = 0;
        let longest = self.timeout_ns.checked_div(MAX_PAUSE_PART).unwrap_or_default();
        self.pause_ns = if self.lost == 0 {
            PAUSE_LEFT.scale(self.pause_ns)
        } else {
            let doublings = u32::try_from(self.lost).unwrap_or(u32::MAX);
            doubling::window(self.pause_ns.max(PAUSE_NS), longest, doublings)
        };
        let draw = RandomStream::nth(self.seed, self.exchanges).draw(PAUSE_DRAW);
        let half = self.pause_ns >> 1;
        let pause = self.pause_ns.wrapping_sub(half).saturating_add(doubling::delay(half, draw));
        self.rest_until_ns = now_ns.saturating_add(pause);
        for numbers in
            [&mut self.asked, &mut self.granted, &mut self.asked_more, &mut self.granted_more]
        {
            *numbers = ByOutcome::default();
        }
    }
}
