use core::ffi::c_char;

use backoff_core::{ErrorCode, Field, LineKind, ParseError, PolicyError, Text};

use crate::line::{BACKOFF_LINE_BUDGET, BACKOFF_LINE_NONE, BACKOFF_LINE_POLICY};
use crate::name::name_of;
use crate::text::put_text;

/// Success. Every other code is a failure that left all outputs as they were.
pub const BACKOFF_OK: u32 = 0;
/// A kind that is not on the list.
pub const BACKOFF_UNKNOWN_KIND: u32 = 1;
/// A field that the policy needs was not given.
pub const BACKOFF_MISSING: u32 = 2;
/// A field was given that the growth, the jitter or the kind of budget does not use.
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
/// Both names of one limit were given: max_retries and max_attempts.
pub const BACKOFF_GIVEN_TWICE: u32 = 13;
/// A line that begins with no growth, pair, kind of budget or preset.
pub const BACKOFF_UNKNOWN_HEAD: u32 = 14;
/// A key that is no field.
pub const BACKOFF_UNKNOWN_KEY: u32 = 15;
/// A key whose field an earlier pair gave.
pub const BACKOFF_REPEATED_KEY: u32 = 16;
/// A key without a value.
pub const BACKOFF_MISSING_VALUE: u32 = 17;
/// A value that does not begin with a number, where a duration is needed.
pub const BACKOFF_NOT_A_DURATION: u32 = 18;
/// A duration without a unit.
pub const BACKOFF_MISSING_UNIT: u32 = 19;
/// A duration in a unit that is none of d, h, m, s, ms, us, ns.
pub const BACKOFF_UNKNOWN_UNIT: u32 = 20;
/// A duration that is no whole number of nanoseconds.
pub const BACKOFF_DURATION_TOO_FINE: u32 = 21;
/// A text or value that is none of digits, digits.digits, one of these with %, digits/digits.
pub const BACKOFF_NOT_A_RATIO: u32 = 22;
/// A value that is not digits alone, where a count is needed.
pub const BACKOFF_NOT_A_COUNT: u32 = 23;
/// A line of more than 1024 bytes.
pub const BACKOFF_TEXT_TOO_LONG: u32 = 24;
/// So many attempts do not fit into the time, however short the base or cap.
pub const BACKOFF_DOES_NOT_FIT: u32 = 25;
/// A pointer that may not be NULL was.
pub const BACKOFF_NULL_POINTER: u32 = 100;
/// A struct that was never filled: a policy, budget, operation, ... that no function has made,
/// params that BACKOFF_PARAMS_INIT has not, an error that nothing refused has.
pub const BACKOFF_UNINITIALIZED: u32 = 101;
/// A number that is no BACKOFF_FIELD of a policy.
pub const BACKOFF_UNKNOWN_FIELD: u32 = 102;
/// A ratio given for a field that is a plain number, or the other way round.
pub const BACKOFF_WRONG_UNIT: u32 = 103;
/// The indices have ended (there are 2^32 delays), or a preview has.
pub const BACKOFF_END: u32 = 104;
/// The operating system has no randomness to give.
pub const BACKOFF_NO_ENTROPY: u32 = 105;
/// The buffer cannot hold the text and its terminating zero.
pub const BACKOFF_BUFFER_TOO_SMALL: u32 = 106;
/// The value of a Retry-After header that is neither seconds nor a date.
pub const BACKOFF_NOT_A_HINT: u32 = 107;
/// A length that no memory has, such as a negative number that was cast.
pub const BACKOFF_TOO_LONG: u32 = 108;
/// A number that is no BACKOFF_OUTCOME.
pub const BACKOFF_UNKNOWN_OUTCOME: u32 = 109;
/// A number that is no BACKOFF_REASON.
pub const BACKOFF_UNKNOWN_REASON: u32 = 110;

/// A buffer of this size holds every message and every line of this library with its
/// terminating zero.
pub const BACKOFF_TEXT_SIZE: u32 = 769;

const _: () = assert!(BACKOFF_TEXT_SIZE as usize == Text::CAPACITY + 1);

/// Why a policy, a budget or a line was refused: the rule that was broken, the field that broke
/// it, its value as it was given (0 if it was not) and the limit that it was measured against.
/// Durations are nanoseconds, kinds their numbers, a ratio n/d is n * 2^32 + d. An error of a line
/// tells besides where in the line it is and what was found there (SPEC 11.5, 11.6).
///
/// A plain value: copy it freely.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_error {
    /// One of BACKOFF_UNKNOWN_KIND to BACKOFF_DOES_NOT_FIT; BACKOFF_OK in a zeroed struct.
    pub code: u32,
    /// One of the BACKOFF_FIELD constants; 0 in an error of a line that is of no field.
    pub field: u32,
    /// The value of the field.
    pub value: u64,
    /// The limit.
    pub limit: u64,
    /// Where in the line, in bytes from 0.
    pub at: u64,
    /// How long it is that was found, in bytes.
    pub found_length: u64,
    /// BACKOFF_LINE_POLICY or BACKOFF_LINE_BUDGET; else BACKOFF_LINE_NONE, and what concerns
    /// the line is 0.
    pub line: u32,
    /// What was found, as it stands there: its first 32 bytes; the rest is 0. They may be any
    /// bytes, line feeds too: do not log them as they are; the message shows them escaped.
    pub found: [c_char; 36],
}

const _: () = assert!(ParseError::SHOWN == 32);

impl backoff_error {
    pub(crate) fn new(error: PolicyError) -> Self {
        Self {
            code: error.code() as u32,
            field: error.field() as u32,
            value: error.value(),
            limit: error.limit(),
            at: 0,
            found_length: 0,
            line: BACKOFF_LINE_NONE,
            found: [0; 36],
        }
    }

    pub(crate) fn of_line(error: &ParseError) -> Self {
        let mut found = [0; 36];
        for (slot, byte) in found.iter_mut().zip(error.found()) {
            *slot = c_char::from_ne_bytes([*byte]);
        }
        Self {
            code: error.code() as u32,
            field: error.field().map_or(0, |field| field as u32),
            value: error.value(),
            limit: error.limit(),
            at: error.at() as u64,
            found_length: error.found_length() as u64,
            line: match error.kind() {
                LineKind::Policy => BACKOFF_LINE_POLICY,
                LineKind::Budget => BACKOFF_LINE_BUDGET,
            },
            found,
        }
    }

    /// Fills an error of C, if there is one to fill, and returns the code.
    ///
    /// # Safety
    /// `at` is null or points to an error.
    pub(crate) unsafe fn put(self, at: *mut Self) -> u32 {
        if !at.is_null() {
            // SAFETY: not null, and the caller promises an error there.
            unsafe { at.write(self) };
        }
        self.code
    }

    /// The message, if any error has these parts.
    fn text(&self) -> Option<Text> {
        let code = ErrorCode::from_number(self.code)?;
        let field = Field::from_number(self.field);
        let kind = match self.line {
            BACKOFF_LINE_NONE => {
                return Some(PolicyError::from_parts(code, field?, self.value, self.limit).text());
            }
            BACKOFF_LINE_POLICY => LineKind::Policy,
            BACKOFF_LINE_BUDGET => LineKind::Budget,
            _ => return None,
        };
        if field.is_none() && self.field != 0 {
            return None;
        }
        let length = |length| usize::try_from(length).unwrap_or(usize::MAX);
        let found = self.found.map(|char| u8::from_ne_bytes(char.to_ne_bytes()));
        let found = (&found[..], length(self.found_length));
        let words = (self.value, self.limit);
        Some(ParseError::from_parts(kind, code, field, words, length(self.at), found).text())
    }
}

/// Writes the message of an error, such as "cap 5ns is below base 10ns", with a terminating
/// zero into a buffer of `size` bytes; BACKOFF_TEXT_SIZE is always enough.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNINITIALIZED if nothing that was refused has the
/// code, field or line of the error, or with BACKOFF_BUFFER_TOO_SMALL.
///
/// # Safety
/// `error` points to an error, `buffer` to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_error_message(
    error: *const backoff_error,
    buffer: *mut c_char,
    size: u64,
) -> u32 {
    // SAFETY: null or, by the caller's promise, an error; every bit pattern is one.
    let Some(error) = (unsafe { error.as_ref() }) else { return BACKOFF_NULL_POINTER };
    match error.text() {
        // SAFETY: the caller's promise is the same.
        Some(text) => unsafe { put_text(text.as_bytes(), buffer, size) },
        None => BACKOFF_UNINITIALIZED,
    }
}

/// The name of a code, such as "cap_below_base": the same in every language. It lives as
/// long as the program, never NULL; a number that is no code gives "unknown_code".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_code_name(code: u32) -> *const c_char {
    let name = match code {
        BACKOFF_OK => c"ok",
        BACKOFF_NULL_POINTER => c"null_pointer",
        BACKOFF_UNINITIALIZED => c"uninitialized",
        BACKOFF_UNKNOWN_FIELD => c"unknown_field",
        BACKOFF_WRONG_UNIT => c"wrong_unit",
        BACKOFF_END => c"end",
        BACKOFF_NO_ENTROPY => c"no_entropy",
        BACKOFF_BUFFER_TOO_SMALL => c"buffer_too_small",
        BACKOFF_NOT_A_HINT => c"not_a_hint",
        BACKOFF_TOO_LONG => c"too_long",
        BACKOFF_UNKNOWN_OUTCOME => c"unknown_outcome",
        BACKOFF_UNKNOWN_REASON => c"unknown_reason",
        _ => return name_of!(ErrorCode::ALL, code).unwrap_or(c"unknown_code".as_ptr()),
    };
    name.as_ptr()
}

/// The name of a field, such as "jitter_max": the same in every language. It lives as long
/// as the program, never NULL; a number that is no field gives "unknown_field".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_field_name(field: u32) -> *const c_char {
    name_of!(Field::ALL, field)
        .or_else(|| name_of!(Field::BUDGET, field))
        .unwrap_or(c"unknown_field".as_ptr())
}
