//! Printing a policy or a budget as the string that describes it (SPEC 11.8).

use crate::field::values::FieldValues;
use crate::field::{Field, Unit};
use crate::number::arithmetic::MAX_NS;
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
        } else {
            text.push_value(unit, value);
        }
        separator = ",";
    }
    text
}
