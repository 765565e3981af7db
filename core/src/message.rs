//! The messages of errors: templates whose capital letters stand for the parts (SPEC 8.8, 11.7).

use crate::error::ErrorCode;
use crate::field::{Field, Unit};
use crate::parse_error::ParseError;
use crate::rules::users;
use crate::text::{Text, UNITS};

/// `F` the field, `V` its value or what was found in its place, `L` the limit, `K` the field
/// whose kind decides and the kind, `N` the names of kinds, `U` those of units; and of a line `X`
/// what was found, `H` the heads, `Y` the keys.
const fn template(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::UnknownKind => "F V is unknown; the kinds are N",
        ErrorCode::Missing => "F is missing",
        ErrorCode::Unused => "F V is not used by K",
        ErrorCode::TooLarge => "F V is above L",
        ErrorCode::TooSmall => "F V is below L",
        ErrorCode::ZeroDenominator => "F V has a zero denominator",
        ErrorCode::RatioTooFine => "F V has a term above 1000000",
        ErrorCode::NotExponential => {
            "F V does not go with jitter decorrelated, which needs exponential"
        }
        ErrorCode::CapBelowBase => "F V is below base L",
        ErrorCode::OffsetAboveCap | ErrorCode::FloorAboveCap => "F V is above cap L",
        ErrorCode::GrowthStalls => {
            "F V is too short for its multiplier to grow; it needs at least L"
        }
        ErrorCode::GivenTwice => "F V is given beside max_retries L",
        ErrorCode::UnknownHead => "unknown name X; the names are H",
        ErrorCode::UnknownKey => "unknown key X; the keys are Y",
        ErrorCode::RepeatedKey => "key X is given twice",
        ErrorCode::MissingValue => "F has no value",
        ErrorCode::NotADuration => "F X is not a duration such as 100ms or 1.5s",
        ErrorCode::MissingUnit => "F has no unit; the units are U",
        ErrorCode::UnknownUnit => "F has the unknown unit X; the units are U",
        ErrorCode::DurationTooFine => "F X is not a whole number of nanoseconds",
        ErrorCode::NotARatio => "F X is not a ratio such as 2, 1.6, 8/5 or 20%",
        ErrorCode::NotACount => "F X is not a whole number",
        ErrorCode::TextTooLong => "the text is longer than 1024 bytes",
        ErrorCode::DoesNotFit => {
            "F cannot be short enough: the waits take at least V, which is above L"
        }
    }
}

/// What a message is about.
pub(crate) struct Parts<'a> {
    pub(crate) code: ErrorCode,
    pub(crate) field: Option<Field>,
    pub(crate) value: u64,
    pub(crate) limit: u64,
    pub(crate) line: Option<&'a ParseError>,
}

impl Parts<'_> {
    /// Writes the message. Memory that C filled may lack a part; nothing is written for it.
    pub(crate) fn write(&self, text: &mut Text) {
        let template = template(self.code);
        let mut rest = template;
        while let Some(at) = rest.find(|letter: char| letter.is_ascii_uppercase()) {
            let (before, after) = rest.split_at_checked(at).unwrap_or_default();
            text.push(before);
            let (letter, after) = after.split_at_checked(1).unwrap_or_default();
            self.part(letter, text);
            rest = after;
        }
        text.push(rest);
    }

    /// Whether no rule of SPEC 8 was broken, which has a limit where it shares a code with the
    /// rules of a line.
    fn is_of_text(&self) -> bool {
        let shared = [ErrorCode::UnknownKind, ErrorCode::ZeroDenominator, ErrorCode::RatioTooFine];
        self.limit == 0 && shared.contains(&self.code)
    }

    fn part(&self, letter: &str, text: &mut Text) {
        let unit = self.field.map_or(Unit::Count, Field::unit);
        match (letter, self.line, self.field) {
            ("F", _, Some(field)) => {
                text.push(field.name());
            }
            ("V", Some(line), _) if self.is_of_text() => line.push_found(text),
            ("X", Some(line), _) => line.push_found(text),
            ("V", ..) => {
                text.push_word(unit, self.value);
            }
            ("L", ..) => {
                text.push_word(unit, self.limit);
            }
            ("K", _, Some(field)) => {
                let (governor, _) = users(field);
                text.push(governor.name()).push(" ").push_word(governor.unit(), self.limit);
            }
            ("N", ..) => {
                if let Unit::Kind(names) = unit {
                    text.push_list(names.iter().copied());
                }
            }
            ("U", ..) => {
                text.push_list(UNITS.into_iter().map(|(name, _)| name));
            }
            ("H", Some(line), _) => {
                text.push_list(line.kind().heads());
            }
            ("Y", Some(line), _) => {
                text.push_list(line.kind().keys().iter().map(|key| key.name()));
            }
            _ => {}
        }
    }
}
