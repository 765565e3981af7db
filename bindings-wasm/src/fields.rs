//! The names and sizes that the core knows, so that JavaScript needs no list of its own.

use backoff_core::{Budget, Field, History, Operation, Outcome, StopReason, Unit};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::{Buffers, with_buffers};

/// Leaves one line for each field of a policy, in the order of their numbers, and one for the
/// outcomes and one for the reasons in the bytes, and returns its length: the name, the unit,
/// and the names of the kinds, such as `cap duration` and `cap_on kind window result`.
#[wasm_bindgen]
#[must_use]
pub fn fields() -> usize {
    with_buffers(|buffers| {
        let mut end = 0;
        for field in &Field::ALL {
            let (unit, kinds): (_, &[_]) = match field.unit() {
                Unit::Kind(names) => (" kind", names),
                Unit::Duration => (" duration", &[]),
                Unit::Ratio => (" ratio", &[]),
                _ => (" count", &[]),
            };
            end = buffers.write_text(end, field.name());
            end = buffers.write_text(end, unit);
            for kind in kinds {
                end = write_kind(buffers, end, kind);
            }
            end = buffers.write_text(end, "\n");
        }
        end = buffers.write_text(end, "outcome kind");
        for outcome in &Outcome::ALL {
            end = write_kind(buffers, end, outcome.name());
        }
        end = buffers.write_text(end, "\nreason kind");
        for reason in &StopReason::ALL {
            end = write_kind(buffers, end, reason.name());
        }
        end
    })
}

/// Leaves in the words how many of them are an operation, a budget and a history, and how many
/// buckets a history has.
#[wasm_bindgen]
pub fn sizes() {
    let sizes = [Operation::WORDS, Budget::WORDS, History::WORDS, History::BUCKETS];
    with_buffers(|buffers| buffers.write_words(0, &sizes.map(|size| size as u64)));
}

fn write_kind(buffers: &mut Buffers, start: usize, kind: &str) -> usize {
    let end = buffers.write_text(start, " ");
    buffers.write_text(end, kind)
}
