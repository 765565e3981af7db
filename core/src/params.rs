//! The one door through which every language hands over a policy.

use crate::field::Field;
use crate::rules::Words;

/// The fields of a policy before they are checked: each given or not, as a plain number.
///
/// Rust callers use [`PolicyBuilder`](crate::PolicyBuilder); this is the form in which the
/// bindings hand over what their callers gave, so that one check serves all languages.
///
/// ```
/// use backoff_core::{Field, Params};
/// let mut params = Params::default();
/// params.set(Field::Growth, Field::Growth.kind_number("constant"));
/// params.set(Field::Base, 1_000_000_000);
/// params.set(Field::Cap, 5);
/// assert_eq!(params.build().unwrap_err().to_string(), "cap 5ns is below base 1s");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Params {
    /// The bit of a field's position says whether it is given; the word of one that is not is 0.
    given: u32,
    words: Words,
}

impl Params {
    /// Gives a field its number: nanoseconds, a kind, a count, or a ratio as
    /// [`Ratio::to_word`](crate::Ratio::to_word) packs it.
    pub fn set(&mut self, field: Field, word: u64) {
        self.words.set(field, word);
        self.given |= bit(field);
    }

    /// The words of these fields of a policy.
    pub(crate) fn of(words: &Words, takes: impl Fn(Field) -> bool) -> Self {
        let mut params = Self::default();
        for field in Field::ALL {
            if field != Field::MaxAttempts && takes(field) {
                params.set(field, words.get(field));
            }
        }
        params
    }

    /// Takes a field back, as if it had not been given.
    pub fn clear(&mut self, field: Field) {
        self.words.set(field, 0);
        self.given &= !bit(field);
    }

    /// The number that a field was given, if it was.
    #[must_use]
    pub fn word(&self, field: Field) -> Option<u64> {
        (self.given & bit(field) != 0).then(|| self.words.get(field))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a small number")]
const fn bit(field: Field) -> u32 {
    1_u32.wrapping_shl(field.position() as u32)
}
