//! The state of a budget as a value that another program can store (SPEC 15.5, 15.6).

use core::fmt;

use crate::decision::budget::Budget;
use crate::decision::budget::event::BudgetEvent;
use crate::decision::budget::kinds;
use crate::decision::budget::level::BudgetLevel;
use crate::decision::budget::rule::{BudgetConfig, STATE, State};
use crate::decision::outcome::Outcome;
use crate::field::BUDGET_FIELDS;
use crate::field::kind::{CONCURRENT, QUOTA, RATE, RATIO, THROTTLE, TTL};
use crate::number::digits::{is_digits, number};
use crate::text::buffer::TextBuf;

/// The state of a budget as a value. Each step is a pure function of the state, an event and the
/// time, so a store with compare-and-swap can keep the state, and the processes that share the
/// store then share one budget.
///
/// Its text is the version, which counts the changes, and the numbers of SPEC 15.5.
///
/// ```
/// use backoff_core::{Budget, BudgetEvent, BudgetState, Outcome};
/// let budget = Budget::parse("ratio:max_tokens=1")?;
/// let full = BudgetState::full(&budget);
/// assert_eq!(full.to_string(), "0 10");
///
/// let retry = BudgetEvent::RetryRequested { outcome: Outcome::Transient };
/// let (spent, granted) = full.step(retry, 0);
/// assert_eq!((spent.to_string().as_str(), granted), ("1 0", Some(0)));
/// let (same, refused) = spent.step(retry, 0);
/// assert_eq!((same, refused), (spent, None));
///
/// assert_eq!(BudgetState::parse(&budget, "1 0"), Some(spent));
/// assert_eq!(BudgetState::parse(&budget, "1  0"), None);
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
// Plain numbers and total readers, as for `ScheduleParams`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct BudgetState {
    config: BudgetConfig,
    version: u64,
    state: State,
}

/// A number of the state: its position, and whether it is signed.
#[derive(Clone, Copy)]
struct Word(usize, bool);

const LEVEL: [Word; 1] = [Word(0, false)];
const PAIR: [Word; 2] = [Word(0, false), Word(1, false)];
#[rustfmt::skip]
const SLICES: [Word; 11] = [
    Word(10, false),
    Word(0, true), Word(1, true), Word(2, true), Word(3, true), Word(4, true),
    Word(5, true), Word(6, true), Word(7, true), Word(8, true), Word(9, true),
];

impl BudgetState {
    /// The state of a full budget with the configuration of this one, at version 0.
    #[must_use]
    pub fn full(budget: &Budget) -> Self {
        let config = budget.config;
        Self { config, version: 0, state: kinds::full(&config) }
    }

    /// The state that a text describes. The text is the one that the state of such a budget prints;
    /// any other gives `None`.
    #[must_use]
    pub fn parse(budget: &Budget, text: impl AsRef<[u8]>) -> Option<Self> {
        Self::read(budget.config, text.as_ref())
    }

    fn read(config: BudgetConfig, text: &[u8]) -> Option<Self> {
        let mut parsed = Self { config, version: 0, state: State::default() };
        let mut numbers = text.split(|&byte| byte == b' ');
        parsed.version = unsigned(numbers.next()?)?;
        for &Word(at, is_signed) in parsed.words() {
            let number = numbers.next()?;
            *parsed.state.get_mut(at)? = if is_signed { signed(number) } else { unsigned(number) }?;
        }
        let [level, ..] = parsed.state;
        if kinds::capacity(&parsed.config).is_some_and(|capacity| level > capacity) {
            return None;
        }
        // Numbers can be written in several ways, and only one way is compared and swapped.
        (parsed.text().as_bytes() == text).then_some(parsed)
    }

    /// The state after an event at `now_ns`, and, if a retry was requested and granted, the tokens
    /// or slots that the operation then holds. An event that changes nothing returns an equal
    /// state.
    ///
    /// All times are readings of one clock in nanoseconds, such as that of the store. A time before
    /// an earlier one counts as the earlier one.
    #[must_use]
    pub fn step(&self, event: BudgetEvent, now_ns: u64) -> (Self, Option<u64>) {
        let (after, granted) = self.step_at_once(event, 1, now_ns);
        let held = match event {
            BudgetEvent::RetryRequested { outcome } if granted > 0 => Some(self.cost(outcome)),
            _ => None,
        };
        (after, held)
    }

    /// What is left at a time of the clock of the steps, for a gauge (SPEC 15.9).
    ///
    /// ```
    /// use backoff_core::{Budget, BudgetLevel, BudgetState};
    /// let state = BudgetState::parse(&Budget::parse("ratio:max_tokens=20")?, "7 30").unwrap();
    /// assert_eq!(state.level(0), BudgetLevel { level: 30, max: 200, unit: 10 });
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    #[must_use]
    pub fn level(&self, now_ns: u64) -> BudgetLevel {
        kinds::level(&self.config, &mut { self.state }, now_ns)
    }

    /// The state after an event that happens several times at once, as one change, and how many of the
    /// requested retries are granted. Only what takes or gives tokens happens several times.
    pub(super) fn step_at_once(&self, event: BudgetEvent, times: u64, now_ns: u64) -> (Self, u64) {
        let mut after = *self;
        let granted = kinds::change(&self.config, &mut after.state, event, times, now_ns);
        after.version = self.version.wrapping_add((after.state != self.state).into());
        (after, granted)
    }

    /// The length of [`Self::to_words`].
    pub(super) const WORDS: usize = BUDGET_FIELDS.len() + 1 + STATE;

    pub(super) fn to_words(self) -> [u64; Self::WORDS] {
        let mut words = self.config.0.into_iter().chain([self.version]).chain(self.state);
        core::array::from_fn(|_| words.next().unwrap_or_default())
    }

    pub(super) fn from_words(words: &[u64; Self::WORDS]) -> Self {
        let mut words = words.iter().copied();
        let mut next = || words.next().unwrap_or_default();
        Self {
            config: BudgetConfig(core::array::from_fn(|_| next())),
            version: next(),
            state: core::array::from_fn(|_| next()),
        }
    }

    /// The state after `count` equal events at one time.
    pub(super) fn repeat(&self, event: BudgetEvent, count: u64, now_ns: u64) -> Self {
        let mut state = *self;
        for _ in 0..count {
            let (after, _) = state.step(event, now_ns);
            // So would all that follow.
            if after == state {
                break;
            }
            state = after;
        }
        state
    }

    /// The state after `count` requests at one time, and how many of them are granted: the first.
    pub(super) fn request(&self, outcome: Outcome, count: u64, now_ns: u64) -> (Self, u64) {
        let mut state = *self;
        for granted in 0..count {
            let held;
            (state, held) = state.step(BudgetEvent::RetryRequested { outcome }, now_ns);
            if held.is_none() {
                return (state, granted);
            }
        }
        (state, count)
    }

    /// What a granted retry after an outcome gives.
    pub(super) fn cost(&self, outcome: Outcome) -> u64 {
        kinds::cost(&self.config, outcome)
    }

    /// The state of the same budget that a text describes.
    pub(super) fn parse_same(&self, text: &[u8]) -> Option<Self> {
        Self::read(self.config, text)
    }

    /// The state without a time far ahead of the clock, which a clock that was wrong has left: it
    /// would keep its budget from earning or expiring until the clock arrives there.
    pub(super) fn settled(&self, now_ns: u64) -> Self {
        let mut after = *self;
        kinds::settle(&self.config, &mut after.state, now_ns);
        after.version = self.version.wrapping_add((after.state != self.state).into());
        after
    }

    /// The number of changes since the budget was full, modulo 2^64.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// The text of the state: decimal numbers, separated by spaces (SPEC 15.5).
    #[must_use]
    pub fn text(&self) -> TextBuf {
        let mut text = TextBuf::new();
        text.push_number(self.version);
        for &Word(at, is_signed) in self.words() {
            let word = self.state.get(at).copied().unwrap_or_default();
            let is_negative = is_signed && word.cast_signed() < 0;
            text.push(if is_negative { " -" } else { " " });
            text.push_number(if is_negative { word.wrapping_neg() } else { word });
        }
        text
    }

    /// The numbers that the kind uses, in the order of the text.
    fn words(&self) -> &'static [Word] {
        match self.config.kind() {
            QUOTA | THROTTLE | RATIO => &LEVEL,
            RATE | CONCURRENT => &PAIR,
            TTL => &SLICES,
            _ => &[],
        }
    }
}

pub(super) fn unsigned(text: &[u8]) -> Option<u64> {
    is_digits(text).then(|| number(text)).flatten()
}

/// A signed number, stored as `u64`.
fn signed(text: &[u8]) -> Option<u64> {
    // `strip_prefix` would link a panic into WebAssembly.
    match text.split_first() {
        Some((b'-', digits)) => {
            let number = unsigned(digits)?;
            (number <= 1 << 63).then(|| number.wrapping_neg())
        }
        _ => unsigned(text).filter(|&number| number < 1 << 63),
    }
}

impl fmt::Display for BudgetState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

impl fmt::Debug for BudgetState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BudgetState").field(&self.text().as_str()).finish()
    }
}
