//! The codes that functions return.

/// What a function returns: BACKOFF_OK, or why it failed.
pub type backoff_code = u32;

/// Success.
pub const BACKOFF_OK: u32 = 0;
/// The number or name of a kind is unknown.
pub const BACKOFF_ERROR_UNKNOWN_KIND: u32 = 1;
/// A required field is not set.
pub const BACKOFF_ERROR_MISSING: u32 = 2;
/// A field is set or read that the growth, the jitter or the kind of budget does not use.
pub const BACKOFF_ERROR_UNUSED: u32 = 3;
/// The value is above the limit.
pub const BACKOFF_ERROR_TOO_LARGE: u32 = 4;
/// The value is below the limit.
pub const BACKOFF_ERROR_TOO_SMALL: u32 = 5;
/// The denominator of a ratio is zero.
pub const BACKOFF_ERROR_ZERO_DENOMINATOR: u32 = 6;
/// The numerator or denominator of a ratio is too large in lowest terms: above 1000000 in a policy
/// or budget, above 4294967295 in backoff_ratio_parse.
pub const BACKOFF_ERROR_RATIO_TOO_FINE: u32 = 7;
/// Decorrelated jitter requires exponential growth.
pub const BACKOFF_ERROR_NOT_EXPONENTIAL: u32 = 8;
/// The cap is below the base.
pub const BACKOFF_ERROR_CAP_BELOW_BASE: u32 = 9;
/// The offset is above the cap.
pub const BACKOFF_ERROR_OFFSET_ABOVE_CAP: u32 = 10;
/// The floor is above the cap.
pub const BACKOFF_ERROR_FLOOR_ABOVE_CAP: u32 = 11;
/// The base is so small that the multiplier, rounded down to a nanosecond, does not increase it.
pub const BACKOFF_ERROR_GROWTH_STALLS: u32 = 12;
/// Both max_retries and max_attempts are set. They are two names of one limit.
pub const BACKOFF_ERROR_GIVEN_TWICE: u32 = 13;
/// The string begins with a name that is not a growth, shorthand, kind of budget or preset.
pub const BACKOFF_ERROR_UNKNOWN_HEAD: u32 = 14;
/// The key is not the name of a field.
pub const BACKOFF_ERROR_UNKNOWN_KEY: u32 = 15;
/// The field of this key is already set by an earlier pair.
pub const BACKOFF_ERROR_REPEATED_KEY: u32 = 16;
/// The key has no value.
pub const BACKOFF_ERROR_MISSING_VALUE: u32 = 17;
/// The value of a duration does not begin with a number.
pub const BACKOFF_ERROR_NOT_A_DURATION: u32 = 18;
/// The duration has no unit.
pub const BACKOFF_ERROR_MISSING_UNIT: u32 = 19;
/// The unit of the duration is not one of d, h, m, s, ms, us, ns.
pub const BACKOFF_ERROR_UNKNOWN_UNIT: u32 = 20;
/// The duration is not a whole number of nanoseconds.
pub const BACKOFF_ERROR_DURATION_TOO_FINE: u32 = 21;
/// The text is not a ratio such as 2, 1.5, 150% or 3/2.
pub const BACKOFF_ERROR_NOT_A_RATIO: u32 = 22;
/// The value of a count contains characters other than digits.
pub const BACKOFF_ERROR_NOT_A_COUNT: u32 = 23;
/// The string is longer than 1024 bytes.
pub const BACKOFF_ERROR_TEXT_TOO_LONG: u32 = 24;
/// Even the shortest base or cap does not fit this many attempts into the time.
pub const BACKOFF_ERROR_DOES_NOT_FIT: u32 = 25;
/// A list is longer than the limit, which is BACKOFF_MAX_WAITS.
pub const BACKOFF_ERROR_TOO_MANY: u32 = 26;
/// A required pointer is NULL.
pub const BACKOFF_ERROR_NULL_POINTER: u32 = 100;
/// The struct was never initialised: no function made this policy, budget, operation, ..., the
/// params did not start as BACKOFF_PARAMS_INIT, or no function filled this error.
pub const BACKOFF_ERROR_UNINITIALIZED: u32 = 101;
/// The number is not a BACKOFF_FIELD of a policy, or not one of a budget where a budget is read.
pub const BACKOFF_ERROR_UNKNOWN_FIELD: u32 = 102;
/// The value is a plain number, a ratio or a list of waits, and the field another of these.
pub const BACKOFF_ERROR_WRONG_UNIT: u32 = 103;
/// There is nothing more: no delay, because an iterator has returned max_retries of them (without
/// that limit 2^32), no row of a preview, no bucket, constant or step, or no time for an exchange.
pub const BACKOFF_ERROR_END: u32 = 104;
/// The operating system cannot provide randomness.
pub const BACKOFF_ERROR_NO_ENTROPY: u32 = 105;
/// The buffer cannot hold the text and its terminating zero.
pub const BACKOFF_ERROR_BUFFER_TOO_SMALL: u32 = 106;
/// The value of the Retry-After header is neither a number of seconds nor a date, or is longer than
/// 1024 bytes.
pub const BACKOFF_ERROR_NOT_A_RETRY_AFTER: u32 = 107;
/// The length is longer than any memory, such as a negative number that was cast.
pub const BACKOFF_ERROR_TOO_LONG: u32 = 108;
/// The number is not a BACKOFF_OUTCOME.
pub const BACKOFF_ERROR_UNKNOWN_OUTCOME: u32 = 109;
/// The number is not a BACKOFF_REASON.
pub const BACKOFF_ERROR_UNKNOWN_REASON: u32 = 110;
/// The memory of the budget was damaged, or the budget was copied or the process forked while a
/// thread used it. Make a new budget.
pub const BACKOFF_ERROR_DAMAGED: u32 = 111;
/// The text is not the state of a budget of this kind (SPEC 15.5).
pub const BACKOFF_ERROR_NOT_A_STATE: u32 = 112;
/// The number is not a BACKOFF_BUDGET_EVENT.
pub const BACKOFF_ERROR_UNKNOWN_EVENT: u32 = 113;
/// The operation began with a budget and the call has none, or the reverse.
pub const BACKOFF_ERROR_WRONG_BUDGET: u32 = 114;
/// A reserved word of a struct is not 0: the program needs a newer library.
pub const BACKOFF_ERROR_UNSUPPORTED: u32 = 115;
/// The header has no constant or struct of this name.
pub const BACKOFF_ERROR_UNKNOWN_NAME: u32 = 116;
/// The prefix cannot begin the name of a metric (SPEC 17.3).
pub const BACKOFF_ERROR_NOT_A_PREFIX: u32 = 117;
/// The name of a label is not one, is taken or is there twice (SPEC 17.3), or its value is not UTF-8.
pub const BACKOFF_ERROR_NOT_A_LABEL: u32 = 118;
