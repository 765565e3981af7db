//! The fields, names and limits that the core knows, so that JavaScript has no list of its own.

use backoff_core::ffi::{self, BUDGET_FIELDS, POLICY_FIELDS, Unit};
use backoff_core::{Field, Outcome, StopReason};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::{Buffers, with_buffers};

/// The fields of policies, then those of budgets.
fn fields() -> impl Iterator<Item = Field> {
    POLICY_FIELDS.into_iter().chain(BUDGET_FIELDS)
}

/// Writes a line for each field of a policy and of a budget, and one each for the outcomes, the stop reasons and
/// the events of a budget into the bytes; returns the length. A line is the name, the unit, and the names of the kinds:
/// `cap duration`, `cap_on kind window delay`. Writes the number that means no limit, or 0, for each field into the words.
#[wasm_bindgen]
pub fn catalog() -> usize {
    with_buffers(|buffers| {
        let (mut end, mut place) = (0, 0);
        for field in fields() {
            let (unit, kinds): (_, &[_]) = match ffi::field_unit(field) {
                Unit::Kind(names) => ("kind", names),
                Unit::Duration => ("duration", &[]),
                Unit::Ratio => ("ratio", &[]),
                Unit::Waits => ("waits", &[]),
                _ => ("count", &[]),
            };
            end = write_words(buffers, end, &[field.name(), unit]);
            end = write_words(buffers, end, kinds);
            end = buffers.write_text(end, "\n");
            place = buffers.write_words(place, &[ffi::no_limit(field).unwrap_or_default()]);
        }
        end = write_words(buffers, end, &["outcome", "kind"]);
        for outcome in Outcome::ALL {
            end = write_words(buffers, end, &[outcome.name()]);
        }
        end = buffers.write_text(end, "\n");
        end = write_words(buffers, end, &["reason", "kind"]);
        for reason in StopReason::ALL {
            end = write_words(buffers, end, &[reason.name()]);
        }
        end = buffers.write_text(end, "\n");
        end = write_words(buffers, end, &["event", "kind"]);
        write_words(buffers, end, &ffi::BUDGET_EVENTS)
    })
}

/// Writes texts, each with a space after it.
fn write_words(buffers: &mut Buffers, start: usize, texts: &[&str]) -> usize {
    texts.iter().fold(start, |end, text| {
        let end = buffers.write_text(end, text);
        buffers.write_text(end, " ")
    })
}
