use core::ffi::{CStr, c_char};

use backoff_core::{ErrorCode, Field, PolicyError, Text};

/// Success. Every other code is a failure that left all outputs as they were.
pub const BACKOFF_OK: u32 = 0;
/// A growth, jitter or place of the cap that is not on the list.
pub const BACKOFF_UNKNOWN_KIND: u32 = 1;
/// A field that the policy needs was not given.
pub const BACKOFF_MISSING: u32 = 2;
/// A field was given that the growth or jitter does not use.
pub const BACKOFF_UNUSED: u32 = 3;
/// The value is above the limit.
pub const BACKOFF_TOO_LARGE: u32 = 4;
/// The value is below the limit.
pub const BACKOFF_TOO_SMALL: u32 = 5;
/// A ratio with a zero denominator.
pub const BACKOFF_ZERO_DENOMINATOR: u32 = 6;
/// A ratio with a term above 1000000 in lowest terms.
pub const BACKOFF_RATIO_TOO_FINE: u32 = 7;
/// Decorrelated jitter on a growth that is not exponential.
pub const BACKOFF_NOT_EXPONENTIAL: u32 = 8;
/// The cap is below the base.
pub const BACKOFF_CAP_BELOW_BASE: u32 = 9;
/// The offset is above the cap.
pub const BACKOFF_OFFSET_ABOVE_CAP: u32 = 10;
/// The floor is above the cap.
pub const BACKOFF_FLOOR_ABOVE_CAP: u32 = 11;
/// The base is so small that the multiplier, floored, would leave it as it is.
pub const BACKOFF_GROWTH_STALLS: u32 = 12;
/// A pointer that may not be NULL was.
pub const BACKOFF_NULL_POINTER: u32 = 100;
/// A struct that was never filled: a policy or iterator that no init function has, params
/// that BACKOFF_PARAMS_INIT has not, an error that no refused policy has.
pub const BACKOFF_UNINITIALIZED: u32 = 101;
/// A number that is no BACKOFF_FIELD.
pub const BACKOFF_UNKNOWN_FIELD: u32 = 102;
/// A ratio given for a field that is a plain number, or the other way round.
pub const BACKOFF_WRONG_UNIT: u32 = 103;
/// The indices have ended: there are 2^32 delays.
pub const BACKOFF_END: u32 = 104;
/// The operating system has no randomness to give.
pub const BACKOFF_NO_ENTROPY: u32 = 105;
/// The buffer cannot hold the text and its terminating zero.
pub const BACKOFF_BUFFER_TOO_SMALL: u32 = 106;

/// A text that is neither digits, digits.digits nor digits/digits.
pub const BACKOFF_NOT_A_RATIO: u32 = 107;
/// A length that no memory has, such as a negative number that was cast.
pub const BACKOFF_TOO_LONG: u32 = 108;

/// A buffer of this size holds every text of this library with its terminating zero.
pub const BACKOFF_TEXT_SIZE: u32 = 161;

const _: () = assert!(BACKOFF_TEXT_SIZE as usize == Text::CAPACITY + 1);

/// Why a policy was refused: the rule that was broken, the field that broke it, its value as
/// it was given (0 if it was not) and the limit that it was measured against. Durations are
/// nanoseconds, kinds their numbers, a ratio n/d is n * 2^32 + d.
///
/// A plain value: copy it freely.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_error {
    /// One of BACKOFF_UNKNOWN_KIND to BACKOFF_GROWTH_STALLS; BACKOFF_OK in a zeroed struct.
    pub code: u32,
    /// One of the BACKOFF_FIELD constants.
    pub field: u32,
    /// The value of the field.
    pub value: u64,
    /// The limit.
    pub limit: u64,
}

impl backoff_error {
    pub(crate) fn new(error: PolicyError) -> Self {
        Self {
            code: error.code() as u32,
            field: error.field() as u32,
            value: error.value(),
            limit: error.limit(),
        }
    }
}

/// Writes the message of an error, such as "cap 5ns is below base 10ns", with a terminating
/// zero into a buffer of `size` bytes; BACKOFF_TEXT_SIZE is always enough.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNINITIALIZED if no refused policy has the code or
/// field of the error, or with BACKOFF_BUFFER_TOO_SMALL.
///
/// # Safety
/// `error` points to an error, `buffer` to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_error_message(
    error: *const backoff_error,
    buffer: *mut c_char,
    size: u64,
) -> u32 {
    if error.is_null() || buffer.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: not null, and the caller promises an error there.
    let error = unsafe { error.read() };
    let (Some(code), Some(field)) =
        (ErrorCode::from_number(error.code), Field::from_number(error.field))
    else {
        return BACKOFF_UNINITIALIZED;
    };
    let text = PolicyError::from_parts(code, field, error.value, error.limit).text();
    let bytes = text.as_str().as_bytes();
    if bytes.len() as u64 >= size {
        return BACKOFF_BUFFER_TOO_SMALL;
    }
    // SAFETY: the buffer holds more bytes than the text has.
    unsafe {
        buffer.copy_from_nonoverlapping(bytes.as_ptr().cast(), bytes.len());
        buffer.add(bytes.len()).write(0);
    }
    BACKOFF_OK
}

/// The name of a code, such as "cap_below_base": the same in every language. It lives as
/// long as the program, never NULL; a number that is no code gives "unknown_code".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_code_name(code: u32) -> *const c_char {
    match code {
        BACKOFF_OK => c"ok",
        BACKOFF_UNKNOWN_KIND => c"unknown_kind",
        BACKOFF_MISSING => c"missing",
        BACKOFF_UNUSED => c"unused",
        BACKOFF_TOO_LARGE => c"too_large",
        BACKOFF_TOO_SMALL => c"too_small",
        BACKOFF_ZERO_DENOMINATOR => c"zero_denominator",
        BACKOFF_RATIO_TOO_FINE => c"ratio_too_fine",
        BACKOFF_NOT_EXPONENTIAL => c"not_exponential",
        BACKOFF_CAP_BELOW_BASE => c"cap_below_base",
        BACKOFF_OFFSET_ABOVE_CAP => c"offset_above_cap",
        BACKOFF_FLOOR_ABOVE_CAP => c"floor_above_cap",
        BACKOFF_GROWTH_STALLS => c"growth_stalls",
        BACKOFF_NULL_POINTER => c"null_pointer",
        BACKOFF_UNINITIALIZED => c"uninitialized",
        BACKOFF_UNKNOWN_FIELD => c"unknown_field",
        BACKOFF_WRONG_UNIT => c"wrong_unit",
        BACKOFF_END => c"end",
        BACKOFF_NO_ENTROPY => c"no_entropy",
        BACKOFF_BUFFER_TOO_SMALL => c"buffer_too_small",
        BACKOFF_NOT_A_RATIO => c"not_a_ratio",
        BACKOFF_TOO_LONG => c"too_long",
        _ => c"unknown_code",
    }
    .as_ptr()
}

/// The name of a field, such as "jitter_max": the same in every language. It lives as long
/// as the program, never NULL; a number that is no field gives "unknown_field".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_field_name(field: u32) -> *const c_char {
    let name: &CStr = match Field::from_number(field) {
        Some(Field::Growth) => c"growth",
        Some(Field::Base) => c"base",
        Some(Field::Increment) => c"increment",
        Some(Field::Multiplier) => c"multiplier",
        Some(Field::Power) => c"power",
        Some(Field::Origin) => c"origin",
        Some(Field::Offset) => c"offset",
        Some(Field::Cap) => c"cap",
        Some(Field::CapOn) => c"cap_on",
        Some(Field::Floor) => c"floor",
        Some(Field::Jitter) => c"jitter",
        Some(Field::JitterBelow) => c"jitter_below",
        Some(Field::JitterAbove) => c"jitter_above",
        Some(Field::JitterMax) => c"jitter_max",
        Some(Field::JitterIncrement) => c"jitter_increment",
        Some(Field::JitterSlot) => c"jitter_slot",
        _ => c"unknown_field",
    };
    name.as_ptr()
}
