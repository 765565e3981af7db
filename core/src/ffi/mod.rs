//! What bindings and tools need beside the public interface: fields as numbers, and values as plain
//! numbers that other languages keep in their own memory. It may change in any release.

mod doubling;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
mod state;

use crate::error::message::Excerpt;
use crate::field::kind::{
    AT_LEAST, EXPONENTIAL, FROM_BEGIN, FULL, NONE, ON_WINDOW, SPREAD, number_of,
};

use crate::decision::outcome::{Outcome, StopReason};
use crate::error::code::ErrorCode;
use crate::error::parse_error::ParseError;
use crate::error::policy_error::PolicyError;
pub use crate::ffi::doubling::*;
pub use crate::field::set::FieldSet;
use crate::field::waits::Waits;
pub use crate::field::{BUDGET_FIELDS, Field, POLICY_FIELDS, Unit};
use crate::number::arithmetic::MAX_NS;
use crate::number::ratio::Ratio;
use crate::parse::string::{Parsed, replaced_by};
use crate::policy::Policy;
use crate::policy::builder::PolicyBuilder;
pub use crate::random::stream::KeyHasher;
pub use crate::schedule::{NO_WAITS, PolicyNumbers, Schedule, ScheduleParams};
use crate::text::buffer::TextBuf;
pub use crate::text::kind::TextKind;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub use state::*;

/// The longest message, policy string or budget string in bytes.
pub const TEXT_CAPACITY: usize = TextBuf::CAPACITY;

/// The field of a number, if there is one.
#[must_use]
pub fn field_from_number(number: u32) -> Option<Field> {
    POLICY_FIELDS.into_iter().chain(BUDGET_FIELDS).find(|&field| field as u32 == number)
}

/// The field of a policy of a name, if there is one.
#[must_use]
pub fn field_from_name(name: &str) -> Option<Field> {
    POLICY_FIELDS.into_iter().find(|field| field.name() == name)
}

/// The meaning of a field's numeric value.
#[must_use]
pub const fn field_unit(field: Field) -> Unit {
    field.unit()
}

/// What a field is, its range and its default, with names of fields and kinds in backticks.
#[must_use]
pub const fn field_description(field: Field) -> &'static str {
    field.description()
}

/// Whether only some growths, jitters or kinds of budgets use the field.
#[must_use]
pub const fn is_conditional(field: Field) -> bool {
    field.used_by().1 != u32::MAX
}

/// The number of a kind of a field, or 0, which is never a kind.
#[must_use]
pub fn kind_number(field: Field, name: &str) -> u64 {
    match field.unit() {
        Unit::Kind(names) => number_of(names, name.as_bytes()),
        _ => 0,
    }
}

/// The value of a ratio as its terms were written, reduced or not.
#[must_use]
pub const fn ratio_value(numerator: u32, denominator: u32) -> u64 {
    (numerator as u64).wrapping_shl(32) | denominator as u64
}

/// The ratio of such a value, in lowest terms.
#[must_use]
pub const fn ratio_from_value(value: u64) -> Ratio {
    Ratio::from_value(value)
}

/// The fields of a policy with the defaults filled in; unused fields are not set.
#[must_use]
pub fn policy_params(policy: &Policy) -> FieldSet {
    policy.params()
}

/// The number of the value of a field with the defaults filled in, if the policy uses the field.
///
/// ```
/// use backoff_core::ffi::policy_value;
/// use backoff_core::{Field, Policy};
/// let policy = Policy::parse("full:base=1s,max_retries=3")?;
/// assert_eq!(policy_value(&policy, Field::Jitter), Some(2));
/// assert_eq!(policy_value(&policy, Field::MaxAttempts), Some(4));
/// assert_eq!(policy_value(&policy, Field::JitterMax), None);
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
#[must_use]
pub fn policy_value(policy: &Policy, field: Field) -> Option<u64> {
    policy.number(field)
}

/// The waits of growth in steps; none under another growth.
#[must_use]
pub const fn policy_waits(policy: &Policy) -> &Waits {
    &policy.0.waits
}

/// A policy as the formulas read it.
#[must_use]
pub const fn schedule(policy: &Policy) -> &ScheduleParams {
    &policy.0
}

/// The policy of these parts.
#[must_use]
pub fn policy_of_parts(numbers: &PolicyNumbers, waits: Option<&Waits>) -> Policy {
    let waits = waits.copied().unwrap_or_default();
    Policy(ScheduleParams { numbers: *numbers, waits })
}

/// Whether the caller of a builder set a limit of retries.
#[must_use]
pub fn sets_retries(builder: &PolicyBuilder) -> bool {
    builder.sets_retries()
}

/// The number that means no limit as the value of a field, if the field is such a limit.
#[must_use]
pub const fn no_limit(field: Field) -> Option<u64> {
    field.no_limit()
}

impl PolicyNumbers {
    /// The numbers of a policy.
    #[must_use]
    pub const fn of(policy: &Policy) -> &Self {
        &policy.0.numbers
    }

    /// Whether a decision of the policy depends on the time, or the limit of an attempt does.
    #[must_use]
    pub const fn need_time(&self) -> bool {
        self.max_elapsed != MAX_NS || self.attempt_timeout != MAX_NS || self.reset_after != MAX_NS
    }

    /// Whether the policy limits the time of an attempt.
    #[must_use]
    pub const fn limit_attempts(&self) -> bool {
        self.attempt_timeout != MAX_NS
    }

    /// Whether a delay of the policy depends on a draw, also one after a `Retry-After`.
    #[must_use]
    pub const fn draw(&self) -> bool {
        self.jitter != NONE || self.retry_after == SPREAD
    }
}

/// The policy that the fields describe.
///
/// # Errors
/// The first rule of SPEC 8 that they break.
pub fn build_policy(params: &FieldSet) -> Result<Policy, PolicyError> {
    Policy::from_params(params)
}

/// The preset `default`, for callers who give no policy. A constant, because C asks for it at each call.
pub static DEFAULT_POLICY: Policy = Policy(ScheduleParams {
    waits: Waits::EMPTY,
    numbers: PolicyNumbers {
        growth: EXPONENTIAL,
        base: 100_000_000,
        increment: 0,
        multiplier: Ratio::DOUBLE,
        power: 0,
        origin: 0,
        offset: 0,
        cap: 20_000_000_000,
        cap_on: ON_WINDOW,
        floor: 0,
        jitter: FULL,
        jitter_below: Ratio::from_value(0),
        jitter_above: Ratio::from_value(0),
        jitter_max: 0,
        jitter_increment: 0,
        jitter_slot: 0,
        max_retries: 3,
        max_attempts: (),
        max_elapsed: MAX_NS,
        throttled_base: 100_000_000,
        retry_after: AT_LEAST,
        retry_after_max: 3_600_000_000_000,
        retry_after_max_extra: MAX_NS,
        waits: (),
        attempt_timeout: MAX_NS,
        reset_after: MAX_NS,
        elapsed_from: FROM_BEGIN,
        doubling: 1,
    },
});

#[cfg(test)]
#[test]
fn the_default_policy_is_the_preset() {
    assert_eq!(Ok(DEFAULT_POLICY), Policy::parse("default"));
}

/// The policy that the string of `policy` describes if the pair of this field follows it.
///
/// ```
/// use backoff_core::ffi::change_policy;
/// use backoff_core::{Field, Policy};
/// let policy = Policy::parse("azure-core")?;
/// let attempts = change_policy(&policy, Field::MaxAttempts, 6)?;
/// assert_eq!(attempts, Policy::parse("azure-core:max_attempts=6").expect("a policy"));
/// let full = change_policy(&policy, Field::Jitter, 2)?;
/// assert_eq!(full, Policy::parse("azure-core:jitter=full").expect("a policy"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first rule of SPEC 8 that the policy then breaks.
pub fn change_policy(policy: &Policy, field: Field, value: u64) -> Result<Policy, PolicyError> {
    let values = policy.0.values();
    let stays = |of| values.is_explicit(of) && !replaced_by(field).contains(&of);
    let mut params = FieldSet::from_values(&values, stays);
    params.set(field, value);
    Policy::from_params(&params)
}

/// The policy that the string of `policy` describes if pairs of all these fields follow it. A new growth
/// also unsets what it does not use.
///
/// ```
/// use backoff_core::ffi::{FieldSet, change_policy_fields};
/// use backoff_core::{Field, Policy};
/// let mut fields = FieldSet::default();
/// fields.set(Field::MaxAttempts, 6);
/// fields.set(Field::Jitter, 2);
/// let changed = change_policy_fields(&Policy::parse("azure-core")?, &fields)?;
/// assert_eq!(changed, Policy::parse("azure-core:max_attempts=6,jitter=full").expect("a policy"));
/// let mut steps = FieldSet::default();
/// steps.set(Field::Growth, 6);
/// steps.set_waits(backoff_core::Waits::from_ns([5, 7]));
/// let changed = change_policy_fields(&Policy::parse("default")?, &steps)?;
/// assert_eq!(changed.to_string(), "steps:cap=20s,jitter=full,max_retries=3,waits=5ns/7ns");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first rule of SPEC 8 that the policy then breaks.
pub fn change_policy_fields(policy: &Policy, fields: &FieldSet) -> Result<Policy, PolicyError> {
    let values = policy.0.values();
    let mut kinds = values;
    if let Some(growth) = fields.get(Field::Growth) {
        kinds.set(Field::Growth, growth);
    }
    let is_given = |field: Field| fields.get(field).is_some();
    let is_replaced = |field| {
        POLICY_FIELDS.into_iter().any(|by| is_given(by) && replaced_by(by).contains(&field))
    };
    // What a new growth does not use goes: the policy had it for its own.
    let stays = |field| values.is_explicit(field) && kinds.uses(field) && !is_replaced(field);
    let mut params = FieldSet::from_values(&values, stays);
    for field in POLICY_FIELDS.into_iter().filter(|&field| is_given(field)) {
        params.set_from(fields, field);
    }
    Policy::from_params(&params)
}

/// The policy that the string of `policy` describes if these pairs follow it: `jitter=0.5,cap=1m`. Positions in
/// an error are those of the pairs.
///
/// ```
/// use backoff_core::Policy;
/// use backoff_core::ffi::change_policy_by;
/// let policy = Policy::parse("default")?;
/// assert_eq!(change_policy_by(&policy, b"jitter=0.5,cap=1m")?, Policy::parse("default:jitter=0.5,cap=1m")?);
/// assert_eq!(change_policy_by(&policy, b"")?, policy);
/// assert_eq!(change_policy_by(&policy, b"cap=1m,base=2m").unwrap_err().at(), 4);
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
///
/// # Errors
/// The rule that the pairs break first, as after the head of a string.
pub fn change_policy_by(policy: &Policy, pairs: &[u8]) -> Result<Policy, ParseError> {
    let text = policy.text();
    let parsed = Parsed::read(TextKind::Policy, text.as_bytes())?;
    let changed = parsed.changed(pairs)?;
    Policy::from_params(&changed.params()).map_err(|error| changed.locate(error))
}

/// The outcome of a number, if there is one.
#[must_use]
pub const fn outcome_from_number(number: u32) -> Option<Outcome> {
    Outcome::from_number(number)
}

/// The reason of a number, if there is one.
#[must_use]
pub const fn reason_from_number(number: u32) -> Option<StopReason> {
    StopReason::from_number(number)
}

/// The error code of a number, if there is one.
#[must_use]
pub fn error_code_from_number(number: u32) -> Option<ErrorCode> {
    ErrorCode::ALL.iter().copied().find(|&code| code as u32 == number)
}

/// The error of these parts.
#[must_use]
pub const fn policy_error(code: ErrorCode, field: Field, value: u64, limit: u64) -> PolicyError {
    PolicyError::new(code, field, value, limit)
}

/// The error of these parts; `found` is the beginning of the text found, of `length` bytes in all.
#[must_use]
pub fn parse_error(
    kind: TextKind,
    code: ErrorCode,
    field: Option<Field>,
    (value, limit): (u64, u64),
    at: usize,
    (found, length): (&[u8], usize),
) -> ParseError {
    let mut found = Excerpt::new(found);
    found.length = length;
    ParseError { kind, code, field, value, limit, at, found }
}

/// Whether the error is that of a policy string or of a budget string.
#[must_use]
pub const fn text_kind(error: &ParseError) -> TextKind {
    error.kind()
}
