//! What bounds the retries of many operations together (SPEC 15).

use core::fmt;
use core::str::FromStr;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::arithmetic::divide;
use crate::field::Field;
use crate::kind::{CONCURRENT, QUOTA, RATE, RATIO, THROTTLE, TTL};
use crate::line::{Line, LineKind, print};
use crate::outcome::Outcome;
use crate::params::Params;
use crate::parse_error::ParseError;
use crate::ratio::Ratio;
use crate::rules::{Checked, Words};
use crate::text::Text;

/// Bounds the retries of many operations together, so that retries do not make an overload
/// worse: one budget for each server, shared by all operations that call it.
///
/// The [`Operation`](crate::Operation)s that are given the budget keep its account. It is shared
/// by reference, between threads too (each event happens as a whole), and can be a `static`'s
/// content or in an `Arc`. It reads no clock: operations are told the time. In the child of a
/// fork make a new one: another thread may have been at work in it.
///
/// ```
/// use backoff_core::Budget;
/// let budget = Budget::parse("aws-sdk-2026")?;
/// assert_eq!(budget.to_string(), "quota:cost=14,cost_throttled=5");
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
// A word for each field, as for `Policy`: the C ABI keeps a budget in its caller's memory.
#[repr(C)]
pub struct Budget {
    terms: Terms,
    /// 1 while a thread changes the state. A lock of the operating system would need one, and
    /// what this one guards takes some nanoseconds.
    lock: AtomicU64,
    state: [AtomicU64; STATE],
}

const _: () = assert!(Budget::WORDS == TERMS + STATE);

const TERMS: usize = Field::BUDGET.len();
const SLICES: u64 = 10;
/// The slices of a `ttl` and the number of the latest; fewer words for other kinds.
const STATE: usize = 11;
const SECOND: u64 = 1_000_000_000;

/// What a budget was made with: the words of its fields, 0 where its kind has no use for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
struct Terms([u64; TERMS]);

impl Budget {
    /// The number of words that [`Budget::to_words`] gives.
    pub const WORDS: usize = 21;

    /// The budget that a line describes, full: `quota:max_tokens=100`, `concurrent`, or a
    /// preset.
    ///
    /// # Errors
    /// The first rule of SPEC 11 or 15 that the line breaks, where, and what was found there.
    pub fn parse(line: impl AsRef<[u8]>) -> Result<Self, ParseError> {
        let line = Line::read(LineKind::Budget, line.as_ref())?;
        let terms = Terms::build(&line.params()).map_err(|error| line.refused(error))?;
        Ok(Self::full(terms))
    }

    /// The line that describes this budget when it is full. Equal budgets have equal lines.
    #[must_use]
    pub fn line(&self) -> Text {
        let mut words = Words::default();
        for (field, word) in Field::BUDGET.into_iter().zip(self.terms.0) {
            words.set(field, word);
        }
        print(LineKind::Budget, &words)
    }

    fn full(terms: Terms) -> Self {
        let mut state = [0; STATE];
        if let Some(level) = state.first_mut() {
            *level = terms.capacity();
        }
        Self { terms, lock: AtomicU64::new(0), state: state.map(AtomicU64::new) }
    }

    /// The budget as words, for a binding that keeps it outside of Rust.
    #[must_use]
    pub fn to_words(&self) -> [u64; Self::WORDS] {
        let state = self.change(|_, state| *state);
        let mut words = self.terms.0.into_iter().chain(state);
        core::array::from_fn(|_| words.next().unwrap_or_default())
    }

    /// The budget of such words.
    #[must_use]
    pub fn from_words(words: &[u64; Self::WORDS]) -> Self {
        let mut words = words.iter().copied();
        let terms = Terms(core::array::from_fn(|_| words.next().unwrap_or_default()));
        let state = core::array::from_fn(|_| AtomicU64::new(words.next().unwrap_or_default()));
        Self { terms, lock: AtomicU64::new(0), state }
    }

    /// What an operation that is granted a retry holds from now on; `None` for a refusal, and
    /// for any other event.
    pub(crate) fn tell(&self, event: Event) -> Option<u64> {
        self.change(|terms, state| terms.tell(event, state))
    }

    /// Whether what an operation holds is its place among those that retry, until its attempt
    /// is over.
    pub(crate) const fn holds_a_place(&self) -> bool {
        self.terms.kind() == CONCURRENT
    }

    /// One event, as a whole.
    fn change<T>(&self, event: impl FnOnce(&Terms, &mut [u64; STATE]) -> T) -> T {
        let take = || self.lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed);
        let mut tries = 0_u32;
        while take().is_err() {
            tries = tries.saturating_add(1);
            wait(tries);
        }
        let mut state = self.state.each_ref().map(|word| word.load(Ordering::Relaxed));
        let answer = event(&self.terms, &mut state);
        for (word, value) in self.state.iter().zip(state) {
            word.store(value, Ordering::Relaxed);
        }
        self.lock.store(0, Ordering::Release);
        answer
    }
}

/// What a budget is told (the columns of SPEC 15.3).
#[derive(Clone, Copy)]
pub(crate) enum Event {
    /// An operation begins.
    Begins { now: u64 },
    /// An attempt is over that held 1 of a `concurrent`.
    Over,
    /// An attempt has failed.
    Failed,
    /// A retry after an outcome, if it is granted.
    Retry { outcome: Outcome, now: u64 },
    /// An operation has succeeded that holds so much.
    Succeeded { held: u64 },
    /// An operation has ended.
    Ended,
}

impl Terms {
    fn tell(&self, event: Event, state: &mut [u64; STATE]) -> Option<u64> {
        let (n, d) = (u64::from(self.ratio().numerator), u64::from(self.ratio().denominator));
        let [level, ..] = state;
        let earn = |level: &mut u64, more: u64| {
            *level = level.saturating_add(more).min(self.capacity());
        };
        match (self.kind(), event) {
            (QUOTA, Event::Retry { outcome, .. }) => {
                let cost = match outcome {
                    Outcome::Throttled => self.get(Field::CostThrottled),
                    Outcome::Timeout => self.get(Field::CostTimeout),
                    _ => self.get(Field::Cost),
                };
                return spend(level, cost).then_some(cost);
            }
            (QUOTA, Event::Succeeded { held }) => earn(level, held.max(1)),

            (THROTTLE, Event::Failed) => *level = level.saturating_sub(THOUSAND),
            (THROTTLE, Event::Retry { .. }) => {
                return (level.saturating_mul(2) > self.capacity()).then_some(0);
            }
            (THROTTLE, Event::Succeeded { .. }) => earn(level, self.ratio().scale(THOUSAND)),

            (RATIO, Event::Begins { .. }) => earn(level, n),
            (RATIO, Event::Retry { .. }) => return spend(level, d).then_some(0),

            (RATE, Event::Retry { now, .. }) => {
                let [level, last, ..] = state;
                earn(level, now.saturating_sub(*last).saturating_mul(self.get(Field::MaxTokens)));
                *last = now.max(*last);
                return spend(level, self.get(Field::Per)).then_some(0);
            }

            (TTL, Event::Begins { now }) => {
                self.forget_old(state, now);
                add_to_latest(state, i64::from(self.ratio().numerator));
            }
            (TTL, Event::Retry { now, .. }) => {
                let cost = i64::from(self.ratio().denominator);
                self.forget_old(state, now);
                let [levels @ .., _] = state;
                let sum = |sum: i64, level: &u64| sum.saturating_add(level.cast_signed());
                let granted = levels.iter().fold(self.reserve(), sum) >= cost;
                if granted {
                    add_to_latest(state, cost.wrapping_neg());
                }
                return granted.then_some(0);
            }

            (CONCURRENT, event) => {
                let [active, retrying, ..] = state;
                match event {
                    Event::Begins { .. } => *active = active.saturating_add(1),
                    Event::Over => *retrying = retrying.saturating_sub(1),
                    Event::Retry { .. } => {
                        let most = self.ratio().scale(*active).max(self.get(Field::MinConcurrent));
                        let granted = *retrying < most;
                        *retrying = retrying.saturating_add(granted.into());
                        return granted.then_some(1);
                    }
                    Event::Ended => *active = active.saturating_sub(1),
                    Event::Failed | Event::Succeeded { .. } => {}
                }
            }
            _ => {}
        }
        None
    }

    #[expect(clippy::cast_possible_truncation, reason = "a kind, or the words of C that are none")]
    const fn kind(&self) -> u32 {
        let [kind, ..] = self.0;
        kind as u32
    }

    /// Empties the slices that a time leaves behind. The levels of `ttl` are signed numbers;
    /// the last word of its state is the number of the latest slice.
    fn forget_old(&self, state: &mut [u64; STATE], now: u64) {
        let [levels @ .., latest] = state;
        let length = self.get(Field::Ttl).wrapping_div(SLICES);
        let number = now.checked_div(length).unwrap_or_default().max(*latest);
        for passed in 0..number.wrapping_sub(*latest).min(SLICES) {
            if let Some(level) = levels.get_mut(slot(number.wrapping_sub(passed))) {
                *level = 0;
            }
        }
        *latest = number;
    }
}

/// Spends from a level, if it holds so much.
fn spend(level: &mut u64, cost: u64) -> bool {
    let left = level.checked_sub(cost);
    *level = left.unwrap_or(*level);
    left.is_some()
}

/// Waits a moment for another thread, which is soon done, unless it was interrupted.
fn wait(tries: u32) {
    #[cfg(all(feature = "yield", unix))]
    if tries > 100 {
        return rustix::thread::sched_yield();
    }
    let _ = tries;
    core::hint::spin_loop();
}

/// Tokens of `throttle` are counted in thousandths.
const THOUSAND: u64 = 1000;

fn add_to_latest(state: &mut [u64; STATE], amount: i64) {
    let [levels @ .., latest] = state;
    if let Some(level) = levels.get_mut(slot(*latest)) {
        *level = level.cast_signed().saturating_add(amount).cast_unsigned();
    }
}

/// Where the level of a slice is kept.
fn slot(number: u64) -> usize {
    usize::try_from(number.wrapping_rem(SLICES)).unwrap_or_default()
}

impl Terms {
    /// The terms of the fields that were given, or the rule of SPEC 15 that they break.
    fn build(params: &Params) -> Checked<Self> {
        let mut words = params.kinds(&Field::BUDGET)?;
        params.others(&Field::BUDGET, &mut words)?;
        Ok(Self(Field::BUDGET.map(|field| words.get(field))))
    }

    /// The level of a full budget.
    fn capacity(&self) -> u64 {
        let token = match self.kind() {
            QUOTA => 1,
            THROTTLE => THOUSAND,
            RATIO => self.ratio().denominator.into(),
            RATE => self.get(Field::Per),
            _ => 0,
        };
        self.get(Field::MaxTokens).saturating_mul(token)
    }

    /// What a `ttl` grants in any case while it lasts.
    fn reserve(&self) -> i64 {
        let tokens = self.get(Field::MinPerSecond).saturating_mul(self.ratio().denominator.into());
        let reserve = divide(u128::from(tokens).wrapping_mul(self.get(Field::Ttl).into()), SECOND);
        i64::try_from(reserve).unwrap_or(i64::MAX)
    }

    fn get(&self, field: Field) -> u64 {
        self.0.get(field.position()).copied().unwrap_or_default()
    }

    /// The ratio, which is in lowest terms.
    const fn ratio(&self) -> Ratio {
        let [_, _, _, _, _, word, ..] = self.0;
        Ratio::of_terms(word)
    }
}

impl FromStr for Budget {
    type Err = ParseError;

    fn from_str(line: &str) -> Result<Self, ParseError> {
        Self::parse(line)
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.line().as_str())
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Budget").field(&self.line().as_str()).finish()
    }
}
