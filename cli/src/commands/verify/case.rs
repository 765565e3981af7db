//! A request and its answer.

use serde::Serialize;

/// A request and its answer.
pub(crate) struct Case {
    pub(crate) clause: &'static str,
    /// File, case, and which part of the case, as in `jitters/full[3]`.
    pub(crate) id: String,
    pub(crate) why: String,
    /// A line, without its line feed. Some requests are not UTF-8.
    pub(crate) request: Vec<u8>,
    /// The line that must be answered, without its line feed.
    pub(crate) expected: String,
}

impl Case {
    /// The request as text, or in hexadecimal if it is not UTF-8.
    pub(crate) fn request_text(&self) -> RequestText<'_> {
        let request = std::str::from_utf8(&self.request).ok();
        let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default();
        let hex = self.request.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
        let request_hex = request.is_none().then(|| hex.collect());
        RequestText { request, request_hex }
    }
}

/// One of the two.
#[derive(Serialize)]
pub(crate) struct RequestText<'a> {
    request: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_hex: Option<String>,
}
