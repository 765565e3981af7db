//! Reading decimal digits from bytes.

/// Whether the text is one or more ASCII digits.
pub(crate) fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// The number that the digits spell, or `None` if it needs more than 64 bits.
pub(crate) fn number<'a>(digits: impl IntoIterator<Item = &'a u8>) -> Option<u64> {
    digits.into_iter().try_fold(0_u64, |number, digit| {
        number.checked_mul(10)?.checked_add(u64::from(digit.wrapping_sub(b'0')))
    })
}

/// The number that the digits spell, saturating at 64 bits; `None` if the text is not digits.
pub(crate) fn count(digits: &[u8]) -> Option<u64> {
    is_digits(digits).then(|| number(digits).unwrap_or(u64::MAX))
}

/// The text before the first `byte`, and the text after it if the byte occurs.
pub(crate) fn split(text: &[u8], byte: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|&b| b == byte) {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at.saturating_add(1)..)),
        None => (text, None),
    }
}
