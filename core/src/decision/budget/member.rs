//! What one process knows of a budget that many processes share (SPEC 15.7).

use crate::decision::budget::Budget;
use crate::decision::budget::counts::{
    BEGAN, ByOutcome, Events, FAILED, MANY_EVENTS, MOST, RETRIED, SUCCEEDED, SUCCEEDED_HOLDING,
    add, at, keep_some, of, place, set, sum,
};
use crate::decision::budget::exchange::{ExchangeAnswers, ExchangeStep, SteppedState};
use crate::decision::budget::fallback::Fallback;
use crate::decision::budget::shared_state::{MOST_PROCESSES, Processes, SharedState};
use crate::decision::budget::state::{BudgetEvent, BudgetState};
use crate::decision::outcome::Outcome;
use crate::number::arithmetic::NS_PER_SECOND;
use crate::number::ratio::Ratio;
use crate::random::stream::RandomStream;
use crate::schedule::plain;

/// After this time an event begins an exchange, too, so that the account counts this process.
const OLD_NS: u64 = 30 * NS_PER_SECOND;

/// How long the store stays away.
const AWAY_NS: u64 = NS_PER_SECOND;

/// The shortest timeout of the first exchange, for which the store needs a connection.
const FIRST_TIMEOUT_NS: u64 = NS_PER_SECOND;

/// The pause between exchanges grows from this, and at most to this part of the timeout.
const PAUSE_NS: u64 = 1_000_000;
const LONGEST_PAUSE_PART: u64 = 3;
/// What is left of a pause after an exchange that lost no swap.
const PAUSE_LEFT: Ratio = Ratio::new(7, 8);
/// The draw of a pause: no exchange loses that many swaps.
const PAUSE_DRAW: u32 = u32::MAX;

/// A request takes one more retry along for each of this part of the pause, because processes that
/// contend exchange less often.
const PAUSE_OF_RETRY_NS: u64 = 1_000_000;
/// It takes at most this many, and this part of what the account would grant.
const MOST_TAKEN: u64 = 15;
const PART_TAKEN: u64 = 16;

/// The policy of the waits after lost swaps: `full:base=1ms,cap=16ms`.
const LOST_BASE_NS: u64 = 1_000_000;
const LOST_CAP_NS: u64 = 16_000_000;

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
    full: BudgetState,
    local: BudgetState,
    /// How many retries of an outcome a request takes along: the lease, less one.
    most_leased: u64,
    /// The number of the [`Fallback`].
    fallback: u64,
    /// The number of processes that the account last told of.
    seen: u64,
    /// The slice in which the account counts this process, plus one, as the store knows it, and as the
    /// exchange under way would have it.
    counted: u64,
    counting: u64,
    /// The retries that the local state has granted, to any process.
    local_grants: u64,
    timeout_ns: u64,
    seed: u64,
    away_until_ns: u64,
    /// Whether an exchange is under way, as 0 or 1: plain numbers, as for `Parameters`.
    is_exchanging: u64,
    began_ns: u64,
    exchanges: u64,
    /// The swaps that this exchange has lost.
    lost: u64,
    /// What [`Self::stats`] counts, besides.
    failed_exchanges: u64,
    lost_swaps: u64,
    local_decisions: u64,
    /// The pause between exchanges, which grows with lost swaps, and when it ends.
    pause_ns: u64,
    rest_until_ns: u64,
    /// Since when there is something unsent.
    unsent_since_ns: u64,
    /// What the store does not know.
    unsent: Events,
    /// What the exchange under way has told the store.
    sent: Events,
    waiting: ByOutcome,
    /// The requests that wait and that the exchange under way has stepped.
    asked: ByOutcome,
    granted: ByOutcome,
    /// The requests beyond those that the exchange under way has stepped, and how many of them were
    /// granted.
    asked_more: ByOutcome,
    granted_more: ByOutcome,
    leased: ByOutcome,
}

/// The answer of a [`BudgetMember`] to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberAnswer {
    /// The retry is granted.
    Granted {
        /// What the operation holds until it succeeds.
        held: u64,
        /// Whether the local budget decided.
        is_local: bool,
    },
    /// The local budget has refused the retry.
    Refused,
    /// The next exchange answers it.
    Waits,
}

/// What a process has exchanged with the store of a shared budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedBudgetStats {
    /// The exchanges that began.
    pub exchanges: u64,
    /// Those that failed.
    pub failed_exchanges: u64,
    /// The swaps that another process made first.
    pub lost_swaps: u64,
    /// The requests that the local budget answered, because the store was away.
    pub local_decisions: u64,
    /// How many processes the account has told of, with this one.
    pub processes: u64,
}

impl BudgetMember {
    /// The longest lease.
    pub const MAX_LEASE: u64 = 1000;

    /// The most processes.
    pub const MAX_PROCESSES: u64 = MOST_PROCESSES;

    /// The length of [`Self::to_words`].
    pub(crate) const WORDS: usize = 2 * BudgetState::WORDS + 19 + 2 * 6 + 6 * RETRIED.len();

    /// The number of steps that an exchange can have.
    const STEPS: usize = 6 + 2 * RETRIED.len();

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
            most_leased: lease.clamp(1, Self::MAX_LEASE).wrapping_sub(1),
            fallback: fallback.number(),
            seen: 1,
            timeout_ns,
            seed,
            ..Self::empty(BudgetState::full(budget), BudgetState::full(local))
        }
    }

    fn empty(full: BudgetState, local: BudgetState) -> Self {
        Self {
            full,
            local,
            most_leased: 0,
            fallback: 0,
            seen: 0,
            counted: 0,
            counting: 0,
            local_grants: 0,
            timeout_ns: 0,
            seed: 0,
            away_until_ns: 0,
            is_exchanging: 0,
            began_ns: 0,
            exchanges: 0,
            lost: 0,
            failed_exchanges: 0,
            lost_swaps: 0,
            local_decisions: 0,
            pause_ns: 0,
            rest_until_ns: 0,
            unsent_since_ns: 0,
            unsent: Events::default(),
            sent: Events::default(),
            waiting: ByOutcome::default(),
            asked: ByOutcome::default(),
            granted: ByOutcome::default(),
            asked_more: ByOutcome::default(),
            granted_more: ByOutcome::default(),
            leased: ByOutcome::default(),
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
            *count = count.saturating_add(1).min(MOST);
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
            Some(waiting) if *waiting < MOST => {
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
            0 => self.seen.min(MOST_PROCESSES),
            Fallback::REFUSE => 0,
            processes => processes.min(MOST_PROCESSES),
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
    const fn is_late(&self, now_ns: u64) -> bool {
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

    /// Whether there is something that the store does not know: what a flush is for.
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

    /// Begins an exchange.
    pub const fn begin(&mut self, now_ns: u64) {
        self.is_exchanging = 1;
        self.counting = self.counted;
        self.began_ns = now_ns;
        self.exchanges = self.exchanges.wrapping_add(1);
        self.lost = 0;
    }

    /// Steps what the store holds, at the time of its clock, by everything that is known by now.
    /// `None` if the text is not that of a state of the budget: the exchange has then
    /// [failed](Self::failed).
    pub fn step(&mut self, text: Option<&[u8]>, store_ns: u64) -> Option<SteppedState> {
        let loaded = match text {
            Some(text) => SharedState::read(&self.full, text)?,
            None => SharedState { state: self.full, processes: Processes::default() },
        };
        let before = loaded.state;
        let mut processes = loaded.processes.at(store_ns);
        processes.count(&mut self.counting, self.counted);
        self.seen = processes.seen();
        let unsent = core::mem::take(&mut self.unsent);
        add(&mut self.sent, unsent);
        self.asked = self.waiting.map(|waiting| waiting.min(MOST));
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
                self.most_leased.min(MOST).max(self.most_taken(&state, outcome, store_ns))
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
    fn most_taken(&self, state: &BudgetState, outcome: Outcome, store_ns: u64) -> u64 {
        let most = self.pause_ns.checked_div(PAUSE_OF_RETRY_NS).unwrap_or_default();
        let more = most.min(MOST_TAKEN).saturating_mul(PART_TAKEN);
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
            let unused = unused.saturating_sub(granted).min(self.most_leased.max(MOST_TAKEN));
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
        let window_ns = plain::window(LOST_BASE_NS, LOST_CAP_NS, index);
        let wait_ns = plain::delay(window_ns, stream.draw(index));
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

    /// A request has waited for the timeout. The exchange under way goes on.
    pub fn late(&mut self, now_ns: u64) {
        self.go_away(now_ns);
    }

    /// The member as plain numbers.
    #[expect(clippy::wrong_self_convention, reason = "it is too large to be passed by value")]
    pub(crate) fn to_words(&self) -> [u64; Self::WORDS] {
        let states = self.full.to_words().into_iter().chain(self.local.to_words());
        let mut words = [0; Self::WORDS];
        let mut rest = words.iter_mut();
        rest.by_ref().zip(states).for_each(|(word, number)| *word = number);
        let mut member = *self;
        member.each_number(&mut |number| {
            if let Some(word) = rest.next() {
                *word = *number;
            }
        });
        words
    }

    /// The member of such numbers.
    pub(crate) fn from_words(words: &[u64; Self::WORDS]) -> Self {
        let mut words = words.iter().copied();
        let mut next = || words.next().unwrap_or_default();
        let full = BudgetState::from_words(&core::array::from_fn(|_| next()));
        let local = BudgetState::from_words(&core::array::from_fn(|_| next()));
        let mut member = Self::empty(full, local);
        member.each_number(&mut |number| *number = next());
        member
    }

    /// The numbers beside those of the budgets.
    fn each_number(&mut self, apply: &mut dyn FnMut(&mut u64)) {
        let scalars = [
            &mut self.most_leased,
            &mut self.fallback,
            &mut self.seen,
            &mut self.counted,
            &mut self.counting,
            &mut self.local_grants,
            &mut self.timeout_ns,
            &mut self.seed,
            &mut self.away_until_ns,
            &mut self.is_exchanging,
            &mut self.began_ns,
            &mut self.exchanges,
            &mut self.lost,
            &mut self.failed_exchanges,
            &mut self.lost_swaps,
            &mut self.local_decisions,
            &mut self.pause_ns,
            &mut self.rest_until_ns,
            &mut self.unsent_since_ns,
        ];
        scalars.into_iter().for_each(&mut *apply);
        let rows: [&mut [u64]; 8] = [
            &mut self.unsent,
            &mut self.sent,
            &mut self.waiting,
            &mut self.asked,
            &mut self.granted,
            &mut self.asked_more,
            &mut self.granted_more,
            &mut self.leased,
        ];
        rows.into_iter().flatten().for_each(apply);
    }

    /// Ends an exchange. Processes that contend pause between exchanges: the more swaps they lose, the
    /// longer.
    fn end(&mut self, now_ns: u64) {
        self.is_exchanging = 0;
        let longest = self.timeout_ns.checked_div(LONGEST_PAUSE_PART).unwrap_or_default();
        self.pause_ns = if self.lost == 0 {
            PAUSE_LEFT.scale(self.pause_ns)
        } else {
            let doublings = u32::try_from(self.lost).unwrap_or(u32::MAX);
            plain::window(self.pause_ns.max(PAUSE_NS), longest, doublings)
        };
        let draw = RandomStream::nth(self.seed, self.exchanges).draw(PAUSE_DRAW);
        let half = self.pause_ns >> 1;
        let pause = self.pause_ns.wrapping_sub(half).saturating_add(plain::delay(half, draw));
        self.rest_until_ns = now_ns.saturating_add(pause);
        for numbers in
            [&mut self.asked, &mut self.granted, &mut self.asked_more, &mut self.granted_more]
        {
            *numbers = ByOutcome::default();
        }
    }

    /// Lets the local budget decide for a while. Requests that wait are repeated.
    fn go_away(&mut self, now_ns: u64) {
        self.away_until_ns = now_ns.saturating_add(AWAY_NS);
        keep_some(&mut self.unsent);
        self.waiting = ByOutcome::default();
        self.asked = ByOutcome::default();
    }
}
