//! What is left in the buffers of a policy or a line that was refused.

use backoff_core::{ErrorCode, Field, ParseError, PolicyError, Text};

use crate::buffer::with_buffers;

/// Leaves an error that is not of a line: the value, the limit and the length of the text in
/// the words, and in the bytes that text: code, field and message, a line each.
pub(crate) fn refuse(error: &PolicyError) {
    let field = Some(error.field());
    leave(error.code(), field, &error.text(), [error.value(), error.limit(), 0, 0]);
}

/// Leaves an error of a line: besides, where it is and how long what was found, in the words.
pub(crate) fn refuse_line(error: &ParseError) {
    let (at, found) = (error.at() as u64, error.found_length() as u64);
    leave(error.code(), error.field(), &error.text(), [error.value(), error.limit(), at, found]);
}

fn leave(code: ErrorCode, field: Option<Field>, message: &Text, numbers: [u64; 4]) {
    let field = field.map(Field::name).unwrap_or_default();
    with_buffers(|buffers| {
        let mut end = 0;
        let parts = [code.name(), "\n", field, "\n"].map(str::as_bytes);
        for text in parts.into_iter().chain([message.as_bytes()]) {
            end = buffers.write_text(end, text);
        }
        let [value, limit, at, found] = numbers;
        buffers.write_words(0, &[value, limit, end as u64, at, found]);
    });
}
