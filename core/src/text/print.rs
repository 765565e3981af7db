//! Printing a policy, a budget or a value of a field as the string that describes it (SPEC 11.8).

use core::fmt;

use crate::field::value::FieldValue;
use crate::field::values::FieldValues;
use crate::field::waits::Waits;
use crate::field::{Field, Unit};
use crate::number::arithmetic::MAX_NS;
use crate::number::ratio::Ratio;
use crate::text::buffer::TextBuf;
use crate::text::kind::TextKind;

/// The policy string or budget string of these values, without presets.
pub(crate) fn print(kind: TextKind, values: &FieldValues) -> TextBuf {
    let mut text = TextBuf::new();
    let head = kind.head_field();
    text.push_value(head.unit(), values.get(head));
    let fraction = values.get(Field::JitterBelow);
    let is_symmetric =
        values.uses(Field::JitterBelow) && fraction == values.get(Field::JitterAbove);
    let mut separator = ":";
    for &field in kind.keys() {
        if !values.is_explicit(field) {
            continue;
        }
        let (unit, value) = match field {
            Field::JitterBelow | Field::JitterAbove if is_symmetric => continue,
            Field::Jitter if is_symmetric => (Unit::Ratio, fraction),
            _ => (field.unit(), values.get(field)),
        };
        text.push(separator).push(field.name()).push("=");
        if field == Field::RetryAfterMax && value == MAX_NS {
            text.push("none");
        } else if matches!(unit, Unit::Waits) {
            text.push_waits(values.waits());
        } else {
            text.push_value(unit, value);
        }
        separator = ",";
    }
    text
}

impl FieldValue {
    /// The value as policy strings write it: `full`, `100ms`, `1.6`, `5` or `none`.
    #[must_use]
    pub fn text(self) -> TextBuf {
        let mut text = TextBuf::new();
        match self {
            Self::Kind(name) => text.push(name),
            Self::Duration(_) => text.push_duration(self.as_ns().unwrap_or_default()),
            Self::Ratio(ratio) => text.push_ratio(ratio),
            Self::Count(count) => text.push_number(count),
            Self::NoLimit => text.push("none"),
            Self::Waits(waits) => text.push_waits(&waits),
        };
        text
    }
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

/// The ratio as policy strings write it: `1.6`, or `1/3` if it needs more than six decimals.
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(FieldValue::Ratio(*self).text().as_str())
    }
}

/// The waits as policy strings write them: `5s/5m/30m`.
impl fmt::Display for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(FieldValue::Waits(*self).text().as_str())
    }
}
