//! `backoff_error`: why a policy, a budget or a string is invalid, and its message.

use core::ffi::c_char;

use backoff_core::ffi::{self, TextKind};
use backoff_core::{ErrorCode, ParseError, PolicyError, TextBuf};

use crate::code::{
    BACKOFF_ERROR_BUFFER_TOO_SMALL, BACKOFF_ERROR_CAP_BELOW_BASE, BACKOFF_ERROR_DAMAGED,
    BACKOFF_ERROR_DOES_NOT_FIT, BACKOFF_ERROR_DURATION_TOO_FINE, BACKOFF_ERROR_END,
    BACKOFF_ERROR_FLOOR_ABOVE_CAP, BACKOFF_ERROR_GIVEN_TWICE, BACKOFF_ERROR_GROWTH_STALLS,
    BACKOFF_ERROR_MISSING, BACKOFF_ERROR_MISSING_UNIT, BACKOFF_ERROR_MISSING_VALUE,
    BACKOFF_ERROR_NO_ENTROPY, BACKOFF_ERROR_NOT_A_COUNT, BACKOFF_ERROR_NOT_A_DURATION,
    BACKOFF_ERROR_NOT_A_LABEL, BACKOFF_ERROR_NOT_A_PREFIX, BACKOFF_ERROR_NOT_A_RATIO,
    BACKOFF_ERROR_NOT_A_RETRY_AFTER, BACKOFF_ERROR_NOT_A_STATE, BACKOFF_ERROR_NOT_EXPONENTIAL,
    BACKOFF_ERROR_NULL_POINTER, BACKOFF_ERROR_OFFSET_ABOVE_CAP, BACKOFF_ERROR_RATIO_TOO_FINE,
    BACKOFF_ERROR_REPEATED_KEY, BACKOFF_ERROR_TEXT_TOO_LONG, BACKOFF_ERROR_TOO_LARGE,
    BACKOFF_ERROR_TOO_LONG, BACKOFF_ERROR_TOO_MANY, BACKOFF_ERROR_TOO_SMALL,
    BACKOFF_ERROR_UNINITIALIZED, BACKOFF_ERROR_UNKNOWN_EVENT, BACKOFF_ERROR_UNKNOWN_FIELD,
    BACKOFF_ERROR_UNKNOWN_HEAD, BACKOFF_ERROR_UNKNOWN_KEY, BACKOFF_ERROR_UNKNOWN_KIND,
    BACKOFF_ERROR_UNKNOWN_NAME, BACKOFF_ERROR_UNKNOWN_OUTCOME, BACKOFF_ERROR_UNKNOWN_REASON,
    BACKOFF_ERROR_UNKNOWN_UNIT, BACKOFF_ERROR_UNSUPPORTED, BACKOFF_ERROR_UNUSED,
    BACKOFF_ERROR_WRONG_BUDGET, BACKOFF_ERROR_WRONG_UNIT, BACKOFF_ERROR_ZERO_DENOMINATOR,
    BACKOFF_OK, backoff_code,
};
use crate::exported::exported;
use crate::field::position;
use crate::field_number::{BACKOFF_FIELD_NONE, backoff_field};
use crate::text::{Output, name_of, write_text};

/// Runs the body of an exported function that takes an error, and fills the error unless it is
/// NULL. The body ends in `Ok(())`, and `?` leaves it with an error of the core or a code.
macro_rules! explained {
    ($error:expr, $body:block) => {{
        let body = || -> Result<(), $crate::error::backoff_error> {
            // SAFETY: as in `exported`.
            unsafe { $body }
        };
        let explained = body().err().unwrap_or_else(|| $crate::code::BACKOFF_OK.into());
        // SAFETY: the function obliges the caller to make the error NULL or valid for a write.
        unsafe { $crate::exported::write_optional($error, explained) };
        explained.code
    }};
}

pub(crate) use explained;

/// A buffer of this size holds every message, policy string and budget string with its terminating
/// zero.
pub const BACKOFF_TEXT_SIZE: u32 = 769;

const _: () = assert!(BACKOFF_TEXT_SIZE as usize == ffi::TEXT_CAPACITY + 1);

/// Which string an error is about.
pub type backoff_text_kind = u32;

/// The error is not about a string.
pub const BACKOFF_TEXT_KIND_NONE: u32 = 0;
/// The error is about a policy string.
pub const BACKOFF_TEXT_KIND_POLICY: u32 = 1;
/// The error is about a budget string.
pub const BACKOFF_TEXT_KIND_BUDGET: u32 = 2;

/// The reason why params, a policy string or a budget string were rejected: the broken rule, the
/// field, its value (0 if it is not set) and the limit that the value breaks. Durations are
/// nanoseconds, kinds are their numbers, and a ratio n/d is n * 2^32 + d. An error of a string also
/// has the place in the string and the text found there (SPEC 11.5, 11.6).
///
/// Every function that takes an error fills it on every return, unless it is NULL. After a success,
/// and for codes from 100 on, all members except `code` are 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_error {
    /// The code that the function returned; BACKOFF_OK after a success.
    pub code: backoff_code,
    /// The field; BACKOFF_FIELD_NONE if the error concerns none.
    pub field: backoff_field,
    /// The value of the field.
    pub value: u64,
    /// The limit that the value breaks.
    pub limit: u64,
    /// The place in the string: an offset in bytes from 0.
    pub at: u64,
    /// The length of the text found there, in bytes.
    pub found_length: u64,
    /// BACKOFF_TEXT_KIND_POLICY or BACKOFF_TEXT_KIND_BUDGET for an error of a string. Otherwise
    /// BACKOFF_TEXT_KIND_NONE, and `at`, `found_length` and `found` are 0.
    pub text_kind: backoff_text_kind,
    /// The text found there: its first 32 bytes, followed by zeros. These are the raw bytes, so do
    /// not log them; the message shows them escaped.
    pub found: [c_char; 36],
    /// Written as 0.
    pub reserved: [u64; 4],
}

const _: () = assert!(ParseError::FOUND_CAPACITY == 32);

/// The error of a code that needs no details.
impl From<u32> for backoff_error {
    fn from(code: u32) -> Self {
        Self {
            code,
            field: BACKOFF_FIELD_NONE,
            value: 0,
            limit: 0,
            at: 0,
            found_length: 0,
            text_kind: BACKOFF_TEXT_KIND_NONE,
            found: [0; 36],
            reserved: [0; 4],
        }
    }
}

impl From<PolicyError> for backoff_error {
    fn from(error: PolicyError) -> Self {
        Self {
            field: error.field() as u32,
            value: error.value(),
            limit: error.limit(),
            ..Self::from(error.code() as u32)
        }
    }
}

impl From<ParseError> for backoff_error {
    fn from(error: ParseError) -> Self {
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
            text_kind: match ffi::text_kind(&error) {
                TextKind::Policy => BACKOFF_TEXT_KIND_POLICY,
                TextKind::Budget => BACKOFF_TEXT_KIND_BUDGET,
            },
            found,
            reserved: [0; 4],
        }
    }
}

impl backoff_error {
    /// The message of a code that comes without a field and a string.
    fn sentence(&self) -> Option<&'static str> {
        if self.field != 0 || self.text_kind != BACKOFF_TEXT_KIND_NONE {
            return None;
        }
        Some(match self.code {
            BACKOFF_OK => "no error",
            BACKOFF_ERROR_NULL_POINTER => "a required pointer is NULL",
            BACKOFF_ERROR_UNINITIALIZED => "a struct is not initialised",
            BACKOFF_ERROR_UNKNOWN_FIELD => "the number is not a field of a policy or of a budget",
            BACKOFF_ERROR_WRONG_UNIT => {
                "the value is a plain number, a ratio or a list of waits, \
                 and the field another of these"
            }
            BACKOFF_ERROR_END => "there is nothing more",
            BACKOFF_ERROR_NO_ENTROPY => "the operating system cannot provide randomness",
            BACKOFF_ERROR_BUFFER_TOO_SMALL => {
                "the buffer cannot hold the text and its terminating zero"
            }
            BACKOFF_ERROR_NOT_A_RETRY_AFTER => {
                "the value of Retry-After is neither a number of seconds nor a date, \
                 or is longer than 1024 bytes"
            }
            BACKOFF_ERROR_TOO_LONG => "the length is longer than any memory",
            BACKOFF_ERROR_UNKNOWN_OUTCOME => "the number is not an outcome",
            BACKOFF_ERROR_UNKNOWN_REASON => "the number is not a reason",
            BACKOFF_ERROR_DAMAGED => {
                "the memory of the budget was damaged, or the budget was copied or the process \
                 forked while a thread used it"
            }
            BACKOFF_ERROR_NOT_A_STATE => "the text is not the state of a budget of this kind",
            BACKOFF_ERROR_UNKNOWN_EVENT => "the number is not an event of a budget",
            BACKOFF_ERROR_WRONG_BUDGET => {
                "the operation began with a budget and the call has none, or the reverse"
            }
            BACKOFF_ERROR_UNSUPPORTED => {
                "a reserved word is not 0: the program needs a newer library"
            }
            BACKOFF_ERROR_UNKNOWN_NAME => "the header has no constant or struct of this name",
            BACKOFF_ERROR_NOT_A_PREFIX => "the prefix cannot begin the name of a metric",
            BACKOFF_ERROR_NOT_A_LABEL => {
                "a label has a name that it cannot have, or a value that is not UTF-8"
            }
            // The rest are of broken rules, without the field: of a caller who has only the code, or
            // of a text that belongs to no field yet.
            BACKOFF_ERROR_UNKNOWN_KIND => "the kind is unknown",
            BACKOFF_ERROR_MISSING => "a required field is not set",
            BACKOFF_ERROR_UNUSED => {
                "the growth, the jitter or the kind of budget does not use the field"
            }
            BACKOFF_ERROR_NOT_EXPONENTIAL => "decorrelated jitter requires exponential growth",
            BACKOFF_ERROR_CAP_BELOW_BASE => "the cap is below the base",
            BACKOFF_ERROR_OFFSET_ABOVE_CAP => "the offset is above the cap",
            BACKOFF_ERROR_FLOOR_ABOVE_CAP => "the floor is above the cap",
            BACKOFF_ERROR_GROWTH_STALLS => {
                "the base is so small that the multiplier does not increase it"
            }
            BACKOFF_ERROR_GIVEN_TWICE => "both max_retries and max_attempts are set",
            BACKOFF_ERROR_UNKNOWN_HEAD => "the string begins with an unknown name",
            BACKOFF_ERROR_UNKNOWN_KEY => "a key is unknown",
            BACKOFF_ERROR_REPEATED_KEY => "a key is repeated",
            BACKOFF_ERROR_MISSING_VALUE => "a key has no value",
            BACKOFF_ERROR_NOT_A_COUNT => "the value is not a whole number",
            BACKOFF_ERROR_TEXT_TOO_LONG => "the string is longer than 1024 bytes",
            BACKOFF_ERROR_DOES_NOT_FIT => "not even the shortest base or cap fits into the time",
            BACKOFF_ERROR_TOO_MANY => "the list has more entries than the limit",
            BACKOFF_ERROR_TOO_LARGE => "the value is above the limit",
            BACKOFF_ERROR_TOO_SMALL => "the value is below the limit",
            BACKOFF_ERROR_NOT_A_DURATION => "the text is not a duration such as 100ms or 1.5s",
            BACKOFF_ERROR_MISSING_UNIT => {
                "the duration has no unit; the units are d, h, m, s, ms, us, ns"
            }
            BACKOFF_ERROR_UNKNOWN_UNIT => {
                "the duration has an unknown unit; the units are d, h, m, s, ms, us, ns"
            }
            BACKOFF_ERROR_DURATION_TOO_FINE => "the duration is not a whole number of nanoseconds",
            BACKOFF_ERROR_ZERO_DENOMINATOR => "the ratio has a zero denominator",
            BACKOFF_ERROR_RATIO_TOO_FINE => "the ratio has a term above 4294967295",
            BACKOFF_ERROR_NOT_A_RATIO => "the text is not a ratio such as 2, 1.6, 8/5 or 20%",
            _ => return None,
        })
    }

    /// The message, or `None` if no error of the core has these members. `shown` replaces the
    /// value in the message of an error that is not about a string.
    fn message(&self, shown: Option<&[u8]>) -> Option<Message> {
        if let Some(sentence) = self.sentence() {
            return Some(Message::Sentence(sentence));
        }
        self.text(shown).map(Message::Text)
    }

    fn text(&self, shown: Option<&[u8]>) -> Option<TextBuf> {
        let code = ffi::error_code_from_number(self.code)?;
        let field = ffi::field_from_number(self.field);
        let kind = match self.text_kind {
            BACKOFF_TEXT_KIND_NONE => {
                let error = ffi::policy_error(code, field?, self.value, self.limit);
                return Some(match shown {
                    Some(shown) => error.message_with(shown),
                    None => error.message(),
                });
            }
            BACKOFF_TEXT_KIND_POLICY => TextKind::Policy,
            BACKOFF_TEXT_KIND_BUDGET => TextKind::Budget,
            _ => return None,
        };
        if field.is_none() && self.field != 0 {
            return None;
        }
        let length = |length| usize::try_from(length).unwrap_or(usize::MAX);
        let found = self.found.map(|char| u8::from_ne_bytes(char.to_ne_bytes()));
        let found = (&found[..], length(self.found_length));
        let values = (self.value, self.limit);
        Some(ffi::parse_error(kind, code, field, values, length(self.at), found).message())
    }
}

/// A message of the core or of this crate.
#[expect(clippy::large_enum_variant, reason = "it is on the stack during one call")]
enum Message {
    Text(TextBuf),
    Sentence(&'static str),
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Sentence(text) => text.as_bytes(),
        }
    }
}

/// Writes the message of an error, such as "cap 5ns is below base 10ns", for which
/// BACKOFF_TEXT_SIZE is always enough. The message of a rule of the SPEC is the same in every
/// language. Other codes have messages such as "a required pointer is NULL", and BACKOFF_OK has "no
/// error". An error of zero bytes with only a code in it has a message, too, without field and values.
///
/// Fails with BACKOFF_ERROR_UNINITIALIZED if no error has this code, field or kind of text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_error_message(
    error: *const backoff_error,
    buffer: *mut c_char,
    size: u64,
    length: *mut u64,
) -> backoff_code {
    exported!({ write_message(error, Ok(None), Output { buffer, size, length }) })
}

/// Writes a message, or an empty string if there is none.
///
/// # Safety
/// `error` is null or readable, `output` is as `write_text` requires, and nothing overlaps.
pub(crate) unsafe fn write_message(
    error: *const backoff_error,
    shown: Result<Option<&[u8]>, u32>,
    output: Output,
) -> Result<(), u32> {
    // SAFETY: the caller promises all pointers.
    unsafe {
        let message = error.as_ref().ok_or(BACKOFF_ERROR_NULL_POINTER).and_then(|error| {
            let shown = shown?;
            error.message(shown).ok_or(BACKOFF_ERROR_UNINITIALIZED)
        });
        write_text(&message, output)
    }
}

/// Returns the name of a code, such as "cap_below_base": the same name in every language. The
/// string is static and never NULL; an unknown number returns "unknown_code".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_code_name(code: backoff_code) -> *const c_char {
    let name = match code {
        BACKOFF_OK => c"ok",
        BACKOFF_ERROR_NULL_POINTER => c"null_pointer",
        BACKOFF_ERROR_UNINITIALIZED => c"uninitialized",
        BACKOFF_ERROR_UNKNOWN_FIELD => c"unknown_field",
        BACKOFF_ERROR_WRONG_UNIT => c"wrong_unit",
        BACKOFF_ERROR_END => c"end",
        BACKOFF_ERROR_NO_ENTROPY => c"no_entropy",
        BACKOFF_ERROR_BUFFER_TOO_SMALL => c"buffer_too_small",
        BACKOFF_ERROR_NOT_A_RETRY_AFTER => c"not_a_retry_after",
        BACKOFF_ERROR_TOO_LONG => c"too_long",
        BACKOFF_ERROR_UNKNOWN_OUTCOME => c"unknown_outcome",
        BACKOFF_ERROR_UNKNOWN_REASON => c"unknown_reason",
        BACKOFF_ERROR_DAMAGED => c"damaged",
        BACKOFF_ERROR_NOT_A_STATE => c"not_a_state",
        BACKOFF_ERROR_UNKNOWN_EVENT => c"unknown_event",
        BACKOFF_ERROR_WRONG_BUDGET => c"wrong_budget",
        BACKOFF_ERROR_UNSUPPORTED => c"unsupported",
        BACKOFF_ERROR_UNKNOWN_NAME => c"unknown_name",
        BACKOFF_ERROR_NOT_A_PREFIX => c"not_a_prefix",
        BACKOFF_ERROR_NOT_A_LABEL => c"not_a_label",
        _ => {
            let name = name_of!(ErrorCode::ALL, code => code.name(), position(code, BACKOFF_ERROR_UNKNOWN_KIND));
            return name.unwrap_or(c"unknown_code".as_ptr());
        }
    };
    name.as_ptr()
}
