//! Rendering the message of an error from its template (SPEC 8.8, 11.7).

use core::fmt;

use crate::error::code::ErrorCode;
use crate::field::rules::COST;
use crate::field::{Field, Unit};
use crate::number::digits::split;
use crate::text::buffer::{DURATION_UNITS, TextBuf};
use crate::text::kind::TextKind;
use crate::text::peer::push_names;

/// The longest value of a caller that a message shows, in bytes.
const MAX_SHOWN: usize = 128;

/// The beginning of the text that an error found, and the length of all of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Excerpt {
    bytes: [u8; Self::CAPACITY],
    pub(crate) length: usize,
}

impl Excerpt {
    pub(crate) const CAPACITY: usize = 32;

    pub(crate) fn new(found: &[u8]) -> Self {
        let mut bytes = [0; Self::CAPACITY];
        for (slot, byte) in bytes.iter_mut().zip(found) {
            *slot = *byte;
        }
        Self { bytes, length: found.len() }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&self.bytes)
    }

    /// Writes the excerpt in quotes, escaped.
    fn write(&self, text: &mut TextBuf) {
        text.push("\"");
        for &byte in self.bytes() {
            text.push_escaped(byte);
        }
        text.push(if self.length > Self::CAPACITY { "...\"" } else { "\"" });
    }
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = TextBuf::new();
        self.write(&mut text);
        f.write_str(text.as_str())
    }
}

/// The parts of a message.
pub(crate) struct MessageArgs<'a> {
    pub(crate) code: ErrorCode,
    pub(crate) field: Option<Field>,
    pub(crate) value: u64,
    pub(crate) limit: u64,
    /// The kind of text that holds the error, and the text found there.
    pub(crate) found: Option<(TextKind, &'a Excerpt)>,
    /// The value as the caller wrote it, if no number can represent it.
    pub(crate) shown: Option<&'a [u8]>,
}

impl MessageArgs<'_> {
    /// Appends the message. An error that C rebuilds may lack a part, which is left out.
    pub(crate) fn write(&self, text: &mut TextBuf) {
        let template = match (self.code, self.field) {
            // The number of its entries would say nothing.
            (ErrorCode::Unused, Some(Field::Waits)) => {
                "{field} is not used by {selector} (growth=steps uses it)"
            }
            _ => self.code.template(),
        };
        let mut rest = Some(template.as_bytes());
        while let Some(template) = rest {
            let (before, part) = split(template, b'{');
            text.push(before);
            let Some(part) = part else { break };
            let (part, after) = split(part, b'}');
            self.write_part(part, text);
            rest = after;
        }
    }

    fn write_part(&self, part: &[u8], text: &mut TextBuf) {
        let unit = match self.field.map_or(Unit::Count, Field::unit) {
            // Only a wait can be too long. The other errors are about the list.
            Unit::Waits if self.code != ErrorCode::TooLarge => Unit::Count,
            unit => unit,
        };
        match (part, self.field, self.found) {
            (b"field", Some(field), _) => {
                text.push(field.name());
            }
            (b"value", ..) => self.write_value(unit, text),
            (b"limit", ..) => {
                text.push_value(unit, self.limit);
            }
            // A field of budgets, which no kind of a policy uses.
            (b"selector", ..) if self.limit == 0 => {
                text.push("a policy");
            }
            (b"selector", Some(field), _) => {
                let (selector, _) = field.used_by();
                text.push(selector.name()).push(" ").push_value(selector.unit(), self.limit);
            }
            (b"kinds", ..) => {
                if let Unit::Kind(names) = unit {
                    text.push_list(names.iter().copied());
                }
            }
            (b"units", ..) => {
                text.push_list(DURATION_UNITS.into_iter().map(|(name, _)| name));
            }
            (b"found", _, Some((_, found))) => self.write_found(found, text),
            (b"name", _, Some((kind, found))) => self.write_name(kind, found, text),
            _ => {}
        }
    }

    fn write_value(&self, unit: Unit, text: &mut TextBuf) {
        match (self.shown, self.found) {
            (Some(shown), _) => {
                // A cut through a character of UTF-8, of at most 4 bytes, would make the message
                // invalid.
                let is_boundary = |end: &usize| shown.get(*end).is_none_or(|b| b & 0xC0 != 0x80);
                let ends = MAX_SHOWN.saturating_sub(3)..=MAX_SHOWN;
                let end = ends.rev().find(is_boundary).unwrap_or(MAX_SHOWN);
                match shown.get(..end) {
                    Some(start) if end < shown.len() => text.push(start).push("..."),
                    _ => text.push(shown),
                };
            }
            (None, Some((_, found))) if self.is_of_syntax() => self.write_found(found, text),
            _ => {
                text.push_value(unit, self.value);
                if (self.code, self.field, self.value)
                    == (ErrorCode::TooLarge, Some(Field::Cost), COST)
                {
                    text.push(" (its default)");
                }
            }
        }
    }

    /// Writes the text that was found, and the reason why it is refused if users often overlook it.
    fn write_found(&self, found: &Excerpt, text: &mut TextBuf) {
        found.write(text);
        self.write_reason(found, text);
    }

    fn write_reason(&self, found: &Excerpt, text: &mut TextBuf) {
        if let Some(reason) = reason(self.code, found.bytes()) {
            text.push(" (").push(reason).push(")");
        }
    }

    /// Writes an unknown name, and the one that it stands for or those that there are.
    fn write_name(&self, kind: TextKind, found: &Excerpt, text: &mut TextBuf) {
        let is_head = self.code == ErrorCode::UnknownHead;
        let names = (kind, is_head);
        found.write(text);
        let unknown = Some(found.bytes()).filter(|_| !has_space(found.bytes()));
        if unknown.is_some() && push_names(names, unknown, [" (did you mean ", " or "], text) {
            text.push("?)");
            return;
        }
        self.write_reason(found, text);
        let lead = if is_head { "; the names are " } else { "; the keys are " };
        push_names(names, None, [lead, ", "], text);
    }

    /// Whether the code, which a rule of SPEC 8 and a rule of syntax share, is of the latter: only
    /// a rule of SPEC 8 has a limit.
    fn is_of_syntax(&self) -> bool {
        let shared = [ErrorCode::UnknownKind, ErrorCode::ZeroDenominator, ErrorCode::RatioTooFine];
        self.limit == 0 && shared.contains(&self.code)
    }
}

fn has_space(found: &[u8]) -> bool {
    found.iter().any(|byte| matches!(byte, b'\t'..=b'\r' | b' '))
}

/// The first reason of SPEC 11.7, but that of a name that is meant, that applies to the text that was found.
fn reason(code: ErrorCode, found: &[u8]) -> Option<&'static str> {
    if has_space(found) {
        Some("spaces are not allowed")
    } else if found.iter().any(u8::is_ascii_uppercase) {
        Some("capital letters are not allowed")
    } else if code == ErrorCode::UnknownUnit && starts_with_unit_and_digit(found) {
        Some("a duration has one unit")
    } else if code == ErrorCode::UnknownKey && found.is_empty() {
        Some(r#"a pair must follow every ":" and ",""#)
    } else {
        None
    }
}

/// Whether the text is the rest of a duration such as `1m30s` after its first number.
fn starts_with_unit_and_digit(text: &[u8]) -> bool {
    let unit = text.split(u8::is_ascii_digit).next();
    DURATION_UNITS.iter().any(|(name, _)| Some(name.as_bytes()) == unit)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::string::String;

    use crate::error::code::ErrorCode;
    use crate::error::policy_error::PolicyError;
    use crate::field::Field;

    #[test]
    fn a_long_value_is_cut_between_characters() {
        let error = PolicyError::new(ErrorCode::UnknownKind, Field::CapOn, 0, 2);
        // 1 byte and characters of 2 bytes: byte 128 is inside of a character.
        let long = String::from("x") + &"\u{e9}".repeat(100);
        let cut = String::from("x") + &"\u{e9}".repeat(63);
        let table = [
            (cut.clone(), cut.clone()),
            (cut.clone() + "\u{e9}", cut.clone() + "..."),
            (long, cut + "..."),
            ("y".repeat(128), "y".repeat(128)),
            ("\u{1f600}".repeat(33), "\u{1f600}".repeat(32) + "..."),
            (
                String::from("x") + &"\u{1f600}".repeat(33),
                String::from("x") + &"\u{1f600}".repeat(31) + "...",
            ),
        ];
        for (shown, expected) in table {
            let message = error.message_with(&shown);
            let end = " is unknown; the kinds are window, delay";
            assert_eq!(message.as_str(), String::from("cap_on ") + &expected + end);
        }
    }

    #[test]
    fn a_value_that_is_not_text_is_cut_as_well() {
        let error = PolicyError::new(ErrorCode::UnknownKind, Field::CapOn, 0, 2);
        for length in [1, 127, 128, 129, 200, 2000] {
            let message = error.message_with(std::vec![0x80; length]);
            let shown = std::vec![0x80; length.min(128)];
            let start = [b"cap_on ", &shown[..]].concat();
            assert!(message.as_bytes().starts_with(&start), "length {length}");
            assert!(message.as_bytes().ends_with(b" is unknown; the kinds are window, delay"));
        }
    }
}
