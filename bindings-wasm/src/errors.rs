//! The error of the last refused policy or string, which JavaScript reads from the buffers.

use backoff_core::{ErrorCode, Field, ParseError, PolicyError, TextBuf};

use crate::buffer::Buffers;

/// Writes the error of a policy into the buffers: value, limit and the length of the text into
/// the words; the text, which is code, field and message on a line each, into the bytes.
pub(crate) fn write_policy_error(buffers: &mut Buffers, error: &PolicyError) {
    let numbers = [error.value(), error.limit(), 0, 0];
    write(buffers, error.code(), Some(error.field()), &error.message(), numbers);
}

/// Writes the error of a string into the buffers: as the error of a policy, and after the length
/// of the text the place of the error and the length of the text found there.
pub(crate) fn write_parse_error(buffers: &mut Buffers, error: &ParseError) {
    let (at, found_length) = (error.at() as u64, error.found_length() as u64);
    let numbers = [error.value(), error.limit(), at, found_length];
    write(buffers, error.code(), error.field(), &error.message(), numbers);
}

fn write(
    buffers: &mut Buffers,
    code: ErrorCode,
    field: Option<Field>,
    message: &TextBuf,
    numbers: [u64; 4],
) {
    let field = field.map(Field::name).unwrap_or_default();
    let mut end = 0;
    for text in [code.name(), "\n", field, "\n"] {
        end = buffers.write_text(end, text);
    }
    end = buffers.write_text(end, message.as_bytes());
    let [value, limit, at, found_length] = numbers;
    buffers.write_words(0, &[value, limit, end as u64, at, found_length]);
}

impl Buffers {
    /// Writes text into the bytes from `start` on; returns its end.
    pub(crate) fn write_text(&mut self, start: usize, text: impl AsRef<[u8]>) -> usize {
        let mut end = start;
        for (slot, &byte) in self.bytes.iter_mut().skip(start).zip(text.as_ref()) {
            *slot = byte;
            end = end.saturating_add(1);
        }
        end
    }
}
