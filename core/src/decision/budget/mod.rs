//! Bounding the retries of many operations together (SPEC 15).

mod counts;
pub(crate) mod event;
pub(crate) mod exchange;
pub(crate) mod fallback;
mod kinds;
pub(crate) mod level;
pub(crate) mod member;
mod member_exchange;
mod member_words;
mod rule;
pub(crate) mod shared_state;
pub(crate) mod state;
#[cfg(test)]
mod tests;
mod ttl;

use core::fmt;
use core::str::FromStr;

use crate::decision::atomic::{AtomicU64, Ordering};
use crate::decision::budget::event::BudgetEvent;
use crate::decision::budget::level::BudgetLevel;
use crate::decision::budget::rule::{BudgetConfig, STATE, State};
use crate::decision::outcome::Outcome;
use crate::error::parse_error::ParseError;
use crate::error::policy_error::PolicyError;
use crate::field::kind::CONCURRENT;
use crate::field::set::FieldSet;
use crate::field::value::FieldValue;
use crate::field::waits::Waits;
use crate::field::{BUDGET_FIELDS, Field};
use crate::parse::string::Parsed;
use crate::text::buffer::TextBuf;
use crate::text::kind::TextKind;
use crate::text::print::print;
use crate::validate::rules::{resolve_kinds, resolve_values};

/// Bounds the retries of many operations together, so that retries do not make an overload
/// worse. Use one budget per server, shared by all operations that call it.
///
/// | kind | rule | fields and defaults |
/// |---|---|---|
/// | `quota` | every retry costs tokens, and a success refunds them (AWS SDKs) | `max_tokens=500,cost=5`; `cost_throttled` and `cost_timeout` default to the cost |
/// | `throttle` | failures take tokens, successes earn `ratio`, and retries stop at half of the tokens (gRPC) | `max_tokens=10,ratio=0.1` |
/// | `ratio` | every operation earns `ratio` of a retry (SRE book) | `max_tokens=10,ratio=0.1` |
/// | `rate` | a token bucket that fills within `per` (SRE book) | `max_tokens=60,per=1m` |
/// | `ttl` | every operation earns `ratio` of a retry for `ttl`, on top of a reserve (Finagle) | `ttl=10s,min_per_second=10,ratio=0.2` |
/// | `concurrent` | only `ratio` of the active operations may retry at the same time (Envoy) | `ratio=0.2,min_concurrent=3` |
///
/// The [`Operation`](crate::Operation)s that take the budget keep its account. Share it by
/// reference, between threads as well: every event is atomic. It can live in a `static` or in an
/// `Arc`. It reads no clock; operations pass the time. After a fork, make a new budget in the
/// child: if another thread of the parent held its lock, the first use waits some seconds, and the
/// budget grants nothing.
///
/// ```
/// use backoff_core::Budget;
/// let budget = Budget::parse("aws-sdk-2026")?;
/// assert_eq!(budget.to_string(), "quota:cost=14,cost_throttled=5");
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
// Plain numbers and total readers, as for `ScheduleParams`: the C ABI keeps a budget in its caller's
// memory.
#[repr(C)]
pub struct Budget {
    config: BudgetConfig,
    /// 1 while a thread changes the state. A lock of the operating system would need an operating
    /// system, and this one is held for nanoseconds.
    lock: AtomicU64,
    state: [AtomicU64; STATE],
}

impl Budget {
    /// The length of [`Budget::to_words`].
    pub(crate) const WORDS: usize = BUDGET_FIELDS.len() + STATE;

    /// The full budget that a budget string describes: `quota:max_tokens=100`, `concurrent`, or a
    /// preset.
    ///
    /// # Errors
    /// The first rule of SPEC 11 or 15 that the string breaks, where, and the text found there.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self, ParseError> {
        let parsed = Parsed::read(TextKind::Budget, text.as_ref())?;
        Self::from_params(&parsed.params()).map_err(|error| parsed.locate(error))
    }

    fn from_params(params: &FieldSet) -> Result<Self, PolicyError> {
        let mut values = resolve_kinds(params, &BUDGET_FIELDS)?;
        resolve_values(params, &BUDGET_FIELDS, &mut values)?;
        let config = BudgetConfig::from_values(&values);
        let state = kinds::full(&config).map(AtomicU64::new);
        Ok(Self { config, lock: AtomicU64::new(0), state })
    }

    /// The budget string of this budget when it is full. Equal budgets have equal strings.
    #[must_use]
    pub fn text(&self) -> TextBuf {
        print(TextKind::Budget, &self.config.values())
    }

    /// The name of the kind: `quota`, `throttle`, `ratio`, `rate`, `ttl` or `concurrent`.
    ///
    /// ```
    /// use backoff_core::Budget;
    /// assert_eq!(Budget::parse("envoy")?.kind(), "concurrent");
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.get(Field::Budget).and_then(FieldValue::as_kind).unwrap_or_default()
    }

    /// The value of a field (SPEC 5.4), with the default filled in; it does not depend on the state.
    /// There is none for a field that its kind does not use, and for a field of policies.
    ///
    /// ```
    /// use backoff_core::{Budget, Field, FieldValue, Ratio};
    /// let budget = Budget::parse("throttle:max_tokens=20")?;
    /// assert_eq!(budget.get(Field::MaxTokens), Some(FieldValue::Count(20)));
    /// assert_eq!(budget.get(Field::Ratio), Some(FieldValue::Ratio(Ratio::new(1, 10))));
    /// assert_eq!(budget.get(Field::Per), None);
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    #[must_use]
    pub fn get(&self, field: Field) -> Option<FieldValue> {
        FieldValue::of(field, self.number(field)?, &Waits::EMPTY)
    }

    /// The number of the value of a field, if the kind uses the field.
    pub(crate) fn number(&self, field: Field) -> Option<u64> {
        let values = self.config.values();
        let is_of_budgets = BUDGET_FIELDS.contains(&field);
        (is_of_budgets && values.uses(field)).then(|| values.get(field))
    }

    /// What the budget has left at a time of the clock of its operations, for a gauge (SPEC 15.9). It
    /// changes nothing; a damaged budget has nothing left.
    ///
    /// ```
    /// use backoff_core::{Budget, BudgetLevel};
    /// let budget = Budget::parse("ratio:max_tokens=20")?;
    /// assert_eq!(budget.level(0), BudgetLevel { level: 200, max: 200, unit: 10 });
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    #[must_use]
    pub fn level(&self, now_ns: u64) -> BudgetLevel {
        let state = self.lock().inspect(|state| self.unlock(state));
        match state {
            Some(mut state) => kinds::level(&self.config, &mut state, now_ns),
            None => {
                BudgetLevel { level: 0, ..kinds::level(&self.config, &mut State::default(), 0) }
            }
        }
    }

    /// The budget as plain numbers: its configuration, then its state.
    pub(crate) fn to_words(&self) -> [u64; Self::WORDS] {
        let state = self.lock().inspect(|state| self.unlock(state)).unwrap_or_default();
        let mut words = self.config.0.into_iter().chain(state);
        core::array::from_fn(|_| words.next().unwrap_or_default())
    }

    /// The budget of such numbers.
    pub(crate) fn from_words(words: &[u64; Self::WORDS]) -> Self {
        let mut words = words.iter().copied();
        let config = BudgetConfig(core::array::from_fn(|_| words.next().unwrap_or_default()));
        let state = core::array::from_fn(|_| AtomicU64::new(words.next().unwrap_or_default()));
        Self { config, lock: AtomicU64::new(0), state }
    }

    /// Makes one change to the account, atomically. Returns whether a requested retry is granted, as 0 or 1.
    #[expect(clippy::inline_always, reason = "as in `kinds`")]
    #[inline(always)]
    pub(crate) fn report(&self, event: BudgetEvent, now_ns: u64) -> u64 {
        let Some(mut state) = self.lock() else { return 0 };
        let granted = kinds::change(&self.config, &mut state, event, 1, now_ns);
        self.unlock(&state);
        granted
    }

    /// Grants or refuses a retry. Returns the tokens or slots that the operation then holds.
    pub(crate) fn try_retry(&self, outcome: Outcome, now_ns: u64) -> Option<u64> {
        let granted = self.report(BudgetEvent::RetryRequested { outcome }, now_ns);
        (granted > 0).then(|| kinds::cost(&self.config, outcome))
    }

    /// An attempt is over. A slot that it held becomes free; tokens stay held, for the refund.
    pub(crate) fn attempt_ended(&self, held: u64) {
        if held > 0 && self.config.kind() == CONCURRENT {
            self.report(BudgetEvent::AttemptOver { held }, 0);
        }
    }

    /// The state, which no other thread changes until [`Self::unlock`]. `None` if the budget is damaged: it changes
    /// nothing and grants nothing.
    #[inline]
    fn lock(&self) -> Option<State> {
        let take = || self.lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed);
        while take().is_err() {
            if !self.wait_until_free(yield_now, sleep) {
                return None;
            }
        }
        Some(self.state.each_ref().map(|word| word.load(Ordering::Relaxed)))
    }

    /// Keeps a state and frees the lock.
    #[inline]
    fn unlock(&self, state: &State) {
        for (word, value) in self.state.iter().zip(state) {
            word.store(*value, Ordering::Relaxed);
        }
        // A lock that counts as damaged stays so: other threads have given up changes.
        if self.lock.load(Ordering::Relaxed) != DAMAGED {
            self.lock.store(0, Ordering::Release);
        }
    }

    /// Waits until no thread holds the lock, which takes nanoseconds unless its holder was
    /// preempted. The wait then yields the processor, and later sleeps for milliseconds, so that
    /// its length hardly depends on how busy the machine is. Returns false if the lock is damaged:
    /// it has no value of a lock, or nobody frees it, because the memory was copied or the process
    /// was forked under it. Only the first call waits for a lock that nobody frees; from then on it
    /// is damaged.
    pub(crate) fn wait_until_free(&self, yield_now: impl Fn(), sleep: impl Fn()) -> bool {
        for tries in 0..SPINS + YIELDS + SLEEPS {
            match self.lock.load(Ordering::Relaxed) {
                0 => return true,
                1 if tries < SPINS => core::hint::spin_loop(),
                1 if tries < SPINS + YIELDS => yield_now(),
                1 => sleep(),
                _ => return false,
            }
        }
        let _ = self.lock.compare_exchange(1, DAMAGED, Ordering::Relaxed, Ordering::Relaxed);
        false
    }
}

/// The value of a lock that nobody frees.
const DAMAGED: u64 = 2;

/// How often a thread spins, yields and sleeps before the lock counts as damaged.
const SPINS: u32 = 100;
const YIELDS: u32 = 1000;
const SLEEPS: u32 = 5000;

fn yield_now() {
    #[cfg(feature = "yield")]
    std::thread::yield_now();
    #[cfg(not(feature = "yield"))]
    spin(1 << 5);
}

fn sleep() {
    #[cfg(all(feature = "yield", not(target_family = "wasm")))]
    std::thread::sleep(core::time::Duration::from_millis(1));
    // WebAssembly may be unable to sleep.
    #[cfg(all(feature = "yield", target_family = "wasm"))]
    yield_now();
    #[cfg(not(feature = "yield"))]
    spin(1 << 15);
}

/// Spins about as long as the call of the operating system that is missing.
#[cfg(not(feature = "yield"))]
fn spin(count: u32) {
    for _ in 0..count {
        core::hint::spin_loop();
    }
}

impl FromStr for Budget {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Budget").field(&self.text().as_str()).finish()
    }
}
