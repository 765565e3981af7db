//! Nanoseconds as Python waits them.

/// The float nearest to a number of nanoseconds in seconds.
pub(crate) fn seconds(ns: u64) -> f64 {
    // Up to here a float holds every nanosecond (104 days), and one division rounds once.
    const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
    #[expect(clippy::cast_precision_loss, reason = "exact, or replaced below")]
    let rounded = ns as f64 / 1e9;
    if ns <= EXACT { rounded } else { nearest(ns).unwrap_or(rounded) }
}

/// Reading a decimal rounds once, too.
#[cold]
fn nearest(ns: u64) -> Option<f64> {
    format!("{ns}e-9").parse().ok()
}
