//! Bounding the retries of many operations together (SPEC 15).

mod counts;
pub(crate) mod event;
pub(crate) mod exchange;
pub(crate) mod fallback;
mod kinds;
pub(crate) mod level;
mod lock;
pub(crate) mod member;
mod member_exchange;
mod member_words;
mod patience;
mod rule;
pub(crate) mod shared_state;
pub(crate) mod state;
#[cfg(test)]
mod tests;
mod ttl;

use core::fmt;
use core::str::FromStr;

use crate::decision::budget::event::BudgetEvent;
use crate::decision::budget::level::BudgetLevel;
use crate::decision::budget::lock::Locked;
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
    state: Locked<STATE>,
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
        Ok(Self { config, state: Locked::new(kinds::full(&config)) })
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
        let state = self.state.lock().inspect(|state| self.state.unlock(state));
        match state {
            Some(mut state) => kinds::level(&self.config, &mut state, now_ns),
            None => {
                BudgetLevel { level: 0, ..kinds::level(&self.config, &mut State::default(), 0) }
            }
        }
    }

    /// The budget as plain numbers: its configuration, then its state.
    pub(crate) fn to_words(&self) -> [u64; Self::WORDS] {
        let state = self.state.lock().inspect(|state| self.state.unlock(state)).unwrap_or_default();
        let mut words = self.config.0.into_iter().chain(state);
        core::array::from_fn(|_| words.next().unwrap_or_default())
    }

    /// The budget of such numbers.
    pub(crate) fn from_words(words: &[u64; Self::WORDS]) -> Self {
        let mut words = words.iter().copied();
        let config = BudgetConfig(core::array::from_fn(|_| words.next().unwrap_or_default()));
        let state = core::array::from_fn(|_| words.next().unwrap_or_default());
        Self { config, state: Locked::new(state) }
    }

    /// Makes one change to the account, atomically. Returns whether a requested retry is granted, as 0 or 1.
    #[expect(clippy::inline_always, reason = "as in `kinds`")]
    #[inline(always)]
    pub(crate) fn report(&self, event: BudgetEvent, now_ns: u64) -> u64 {
        let Some(mut state) = self.state.lock() else { return 0 };
        let granted = kinds::change(&self.config, &mut state, event, 1, now_ns);
        self.state.unlock(&state);
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

    /// Whether no thread holds the lock, perhaps after a wait. False if the budget is damaged.
    pub(crate) fn wait_until_free(&self, yield_now: impl Fn(), sleep: impl Fn()) -> bool {
        self.state.wait_until_free(yield_now, sleep)
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
