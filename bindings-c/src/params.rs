use core::ffi::c_char;

use backoff_core::{Field, Params, Ratio, RatioError, Unit};

use crate::code::{
    BACKOFF_NOT_A_RATIO, BACKOFF_NULL_POINTER, BACKOFF_OK, BACKOFF_RATIO_TOO_FINE,
    BACKOFF_UNINITIALIZED, BACKOFF_UNKNOWN_FIELD, BACKOFF_WRONG_UNIT, BACKOFF_ZERO_DENOMINATOR,
};
use crate::text::text_at;

/// One nanosecond, microsecond, ... in the unit of every duration here.
pub const BACKOFF_NANOSECOND: u64 = 1u64;
/// See BACKOFF_NANOSECOND.
pub const BACKOFF_MICROSECOND: u64 = 1000u64;
/// See BACKOFF_NANOSECOND.
pub const BACKOFF_MILLISECOND: u64 = 1000000u64;
/// See BACKOFF_NANOSECOND.
pub const BACKOFF_SECOND: u64 = 1000000000u64;
/// The longest duration: 2^63 - 1 nanoseconds, about 292 years.
pub const BACKOFF_MAX_NS: u64 = 9223372036854775807u64;

/// How the window grows; a BACKOFF_GROWTH kind. Always needed.
pub const BACKOFF_FIELD_GROWTH: u32 = 1;
/// The window of index 0 for most growths, in ns. Always needed.
pub const BACKOFF_FIELD_BASE: u32 = 2;
/// Linear growth: what each retry adds, in ns. The base unless given.
pub const BACKOFF_FIELD_INCREMENT: u32 = 3;
/// Exponential growth: a ratio, 1 or 1.01 to 1000000. 2 unless given, or 3 with
/// BACKOFF_JITTER_DECORRELATED.
pub const BACKOFF_FIELD_MULTIPLIER: u32 = 4;
/// Polynomial growth: the exponent, 1 to 16. 2 unless given.
pub const BACKOFF_FIELD_POWER: u32 = 5;
/// Polynomial growth: what index 0 counts as, 0 to 2^32 - 1. 1 unless given.
pub const BACKOFF_FIELD_ORIGIN: u32 = 6;
/// Added to every window before the cap, in ns. 0 unless given; not with
/// BACKOFF_JITTER_DECORRELATED.
pub const BACKOFF_FIELD_OFFSET: u32 = 7;
/// The cap, in ns, at least the base. BACKOFF_MAX_NS unless given.
pub const BACKOFF_FIELD_CAP: u32 = 8;
/// Where the cap applies; a BACKOFF_CAP_ON kind. BACKOFF_CAP_ON_WINDOW unless given.
pub const BACKOFF_FIELD_CAP_ON: u32 = 9;
/// The shortest delay, in ns, at most the cap. 0 unless given.
pub const BACKOFF_FIELD_FLOOR: u32 = 10;
/// How delays are spread; a BACKOFF_JITTER kind. BACKOFF_JITTER_NONE unless given.
pub const BACKOFF_FIELD_JITTER: u32 = 11;
/// Proportional jitter: the part that a delay may fall short of its window, a ratio, 0 to 1.
/// Needed unless BACKOFF_FIELD_JITTER_ABOVE is given; then 0.
pub const BACKOFF_FIELD_JITTER_BELOW: u32 = 12;
/// Proportional jitter: the part that a delay may exceed its window, a ratio, 0 to 1.
/// 0 unless given.
pub const BACKOFF_FIELD_JITTER_ABOVE: u32 = 13;
/// Additive jitter: the width of the range at index 0, in ns. Needed by it.
pub const BACKOFF_FIELD_JITTER_MAX: u32 = 14;
/// Additive jitter: what each retry adds to the width, in ns. 0 unless given.
pub const BACKOFF_FIELD_JITTER_INCREMENT: u32 = 15;
/// Slotted jitter: the length of a slot, in ns, at least 1. Needed by it.
pub const BACKOFF_FIELD_JITTER_SLOT: u32 = 16;
/// The most retries, 0 to 2^32. 2^32 unless given. This field and those after it change no
/// delay; backoff_operation_decide uses them.
pub const BACKOFF_FIELD_MAX_RETRIES: u32 = 17;
/// The most attempts, 1 to 2^32 + 1: one more than the retries, in whose place it is given.
pub const BACKOFF_FIELD_MAX_ATTEMPTS: u32 = 18;
/// How long after the beginning of an operation a wait may end, in ns. BACKOFF_MAX_NS unless
/// given.
pub const BACKOFF_FIELD_MAX_ELAPSED: u32 = 19;
/// What stands for the base after BACKOFF_OUTCOME_THROTTLED, in ns, at most the cap. The base
/// unless given.
pub const BACKOFF_FIELD_THROTTLED_BASE: u32 = 20;
/// What a hint of the server does to a delay; a BACKOFF_HINT kind. BACKOFF_HINT_AT_LEAST unless
/// given.
pub const BACKOFF_FIELD_HINT: u32 = 21;
/// The longest hint that counts, in ns; BACKOFF_HINT_SPREAD waits up to half more. BACKOFF_MAX_NS
/// unless given, which is 292 years.
pub const BACKOFF_FIELD_HINT_MAX: u32 = 22;
/// How much longer than the delay a hint may be, in ns. BACKOFF_MAX_NS unless given.
pub const BACKOFF_FIELD_HINT_MAX_EXTRA: u32 = 23;
/// The fields from here on are those of a budget, which is made of a line
/// (backoff_budget_parse): they stand in errors. This one is its kind.
pub const BACKOFF_FIELD_BUDGET: u32 = 33;
/// Quota, throttle, ratio, rate: the tokens of a full budget.
pub const BACKOFF_FIELD_MAX_TOKENS: u32 = 34;
/// Quota: the tokens of a retry.
pub const BACKOFF_FIELD_COST: u32 = 35;
/// Quota: the tokens of a retry after throttling.
pub const BACKOFF_FIELD_COST_THROTTLED: u32 = 36;
/// Quota: the tokens of a retry after a timeout.
pub const BACKOFF_FIELD_COST_TIMEOUT: u32 = 37;
/// Throttle, ratio, ttl, concurrent: the part of a retry that an operation earns.
pub const BACKOFF_FIELD_RATIO: u32 = 38;
/// Rate: the time in which an empty budget fills.
pub const BACKOFF_FIELD_PER: u32 = 39;
/// Ttl: how long what was earned lasts.
pub const BACKOFF_FIELD_TTL: u32 = 40;
/// Ttl: the retries a second that are granted in any case.
pub const BACKOFF_FIELD_MIN_PER_SECOND: u32 = 41;
/// Concurrent: the retries at a time that are granted in any case.
pub const BACKOFF_FIELD_MIN_CONCURRENT: u32 = 42;

/// The window is always the base.
pub const BACKOFF_GROWTH_CONSTANT: u32 = 1;
/// base + index * increment.
pub const BACKOFF_GROWTH_LINEAR: u32 = 2;
/// base * multiplier^index, floored to a nanosecond at each step.
pub const BACKOFF_GROWTH_EXPONENTIAL: u32 = 3;
/// base * (index + origin)^power.
pub const BACKOFF_GROWTH_POLYNOMIAL: u32 = 4;
/// base times 1, 1, 2, 3, 5, 8, ...
pub const BACKOFF_GROWTH_FIBONACCI: u32 = 5;

/// The delay is the window.
pub const BACKOFF_JITTER_NONE: u32 = 1;
/// 0 to the window.
pub const BACKOFF_JITTER_FULL: u32 = 2;
/// Half of the window, rounded up, to the window.
pub const BACKOFF_JITTER_EQUAL: u32 = 3;
/// window * (1 - jitter_below) to window * (1 + jitter_above).
pub const BACKOFF_JITTER_PROPORTIONAL: u32 = 4;
/// The window to window + jitter_max + index * jitter_increment.
pub const BACKOFF_JITTER_ADDITIVE: u32 = 5;
/// The base to multiplier times the previous delay; with BACKOFF_GROWTH_EXPONENTIAL only.
pub const BACKOFF_JITTER_DECORRELATED: u32 = 6;
/// A whole number of slots, fewer than fit into the window (Ethernet).
pub const BACKOFF_JITTER_SLOTTED: u32 = 7;

/// The cap is on the window, before jitter; proportional and additive jitter may exceed it.
pub const BACKOFF_CAP_ON_WINDOW: u32 = 1;
/// The cap is on the delay, after jitter: a hard maximum, on which delays gather.
pub const BACKOFF_CAP_ON_RESULT: u32 = 2;

/// The longer of delay and hint.
pub const BACKOFF_HINT_AT_LEAST: u32 = 1;
/// The hint.
pub const BACKOFF_HINT_EXACT: u32 = 2;
/// Anything from the hint to one and a half times the hint, against a herd that got the same.
pub const BACKOFF_HINT_SPREAD: u32 = 3;

/// The fields of a policy before they are checked, each given or not. Zeroed memory
/// (BACKOFF_PARAMS_INIT) has no field given. Set fields with backoff_params_set and
/// backoff_params_set_ratio, then make the policy with backoff_policy_init.
///
/// Caller-owned, nothing to free. Not for use from two threads at once.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_params {
    opaque: [u64; 32],
}

/// `given` has the bit of a field's number set if that field was given.
#[repr(C)]
struct Given {
    given: u64,
    words: [u64; Field::ALL.len()],
}

/// The bits that `given` can have, from 1 to the number of fields: params with any other
/// were never initialised.
const FIELD_BITS: u64 = (2 << Field::ALL.len()) - 2;

const _: () = assert!(size_of::<Given>() <= size_of::<backoff_params>());

/// Gives a field its value: nanoseconds, a count, or a kind. The last value given counts; it
/// is checked when the policy is made.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNKNOWN_FIELD, BACKOFF_WRONG_UNIT if the field is
/// a ratio, or with BACKOFF_UNINITIALIZED.
///
/// # Safety
/// `params` points to initialised params.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_params_set(
    params: *mut backoff_params,
    field: u32,
    value: u64,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    unsafe { set(params, field, value, false) }
}

/// Gives a field that is a ratio its value: BACKOFF_FIELD_MULTIPLIER,
/// BACKOFF_FIELD_JITTER_BELOW or BACKOFF_FIELD_JITTER_ABOVE. 1.6 is 8 and 5, or 16 and 10.
/// The last value given counts; it is checked when the policy is made.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNKNOWN_FIELD, BACKOFF_WRONG_UNIT if the field is
/// no ratio, or with BACKOFF_UNINITIALIZED.
///
/// # Safety
/// `params` points to initialised params.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_params_set_ratio(
    params: *mut backoff_params,
    field: u32,
    numerator: u32,
    denominator: u32,
) -> u32 {
    let word = Ratio::word(numerator, denominator);
    // SAFETY: the caller's promise is the same.
    unsafe { set(params, field, word, true) }
}

/// Writes the ratio that the `length` bytes of a text name, exactly and in lowest terms: "1.6"
/// and "16/10" are 8 and 5.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_NOT_A_RATIO, BACKOFF_ZERO_DENOMINATOR, or with
/// BACKOFF_RATIO_TOO_FINE if a term is above 4294967295 in lowest terms. (A policy refuses
/// terms above 1000000.)
///
/// # Safety
/// `text` points to `length` bytes, `numerator` and `denominator` to words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_ratio_parse(
    text: *const c_char,
    length: u64,
    numerator: *mut u32,
    denominator: *mut u32,
) -> u32 {
    if numerator.is_null() || denominator.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    let text = match unsafe { text_at(text, length) } {
        Ok(text) => text,
        Err(code) => return code,
    };
    let parsed = core::str::from_utf8(text).map_err(|_| RatioError::Syntax).and_then(Ratio::parse);
    match parsed {
        Ok(ratio) => {
            // SAFETY: not null, and the caller promises words there.
            unsafe {
                numerator.write(ratio.numerator());
                denominator.write(ratio.denominator());
            }
            BACKOFF_OK
        }
        Err(RatioError::ZeroDenominator) => BACKOFF_ZERO_DENOMINATOR,
        Err(RatioError::TooFine) => BACKOFF_RATIO_TOO_FINE,
        Err(_) => BACKOFF_NOT_A_RATIO,
    }
}

/// # Safety
/// `params` is null or points to initialised params.
unsafe fn set(params: *mut backoff_params, field: u32, word: u64, is_ratio: bool) -> u32 {
    if params.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    let of_policy = |field: &Field| Field::ALL.contains(field);
    let Some(field) = Field::from_number(field).filter(of_policy) else {
        return BACKOFF_UNKNOWN_FIELD;
    };
    if matches!(field.unit(), Unit::Ratio) != is_ratio {
        return BACKOFF_WRONG_UNIT;
    }
    // SAFETY: not null; `Given` is plain words within the params, of the same alignment.
    let params = unsafe { &mut *params.cast::<Given>() };
    if params.given & !FIELD_BITS != 0 {
        return BACKOFF_UNINITIALIZED;
    }
    if let Some(slot) = params.words.get_mut(field as usize - 1) {
        *slot = word;
        params.given |= 1 << field as u32;
    }
    BACKOFF_OK
}

/// The params of the core, or why there are none.
///
/// # Safety
/// `params` points to initialised params.
pub(crate) unsafe fn read(params: *const backoff_params) -> Result<Params, u32> {
    // SAFETY: `Given` is plain words within the params, of the same alignment.
    let given = unsafe { params.cast::<Given>().read() };
    if given.given & !FIELD_BITS != 0 {
        return Err(BACKOFF_UNINITIALIZED);
    }
    let mut params = Params::default();
    for (field, word) in Field::ALL.into_iter().zip(given.words) {
        if given.given & (1 << field as u32) != 0 {
            params.set(field, word);
        }
    }
    Ok(params)
}
