//! The names that the core knows, so that JavaScript needs no list of its own.

use backoff_core::{Field, Unit};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::write_text;

/// Leaves one line for each field, in the order of their numbers, in the bytes, and returns
/// its length: the name, the unit, and the names of the kinds, such as `cap duration` and
/// `cap_on kind window result`.
#[wasm_bindgen]
#[must_use]
pub fn fields() -> usize {
    let mut end = 0;
    for field in &Field::ALL {
        let (unit, kinds): (_, &[_]) = match field.unit() {
            Unit::Kind(names) => (" kind", names),
            Unit::Duration => (" duration", &[]),
            Unit::Ratio => (" ratio", &[]),
            _ => (" count", &[]),
        };
        end = write_text(end, field.name());
        end = write_text(end, unit);
        for kind in kinds {
            end = write_text(end, " ");
            end = write_text(end, kind);
        }
        end = write_text(end, "\n");
    }
    end
}
