//! Ratios in percent.

use backoff_core::Ratio;

/// The value of a ratio as `20%` or `12.5%`, if few digits are enough.
pub(crate) fn percent(ratio: Ratio) -> Option<String> {
    // Ten-thousandths of a percent.
    let numerator = u64::from(ratio.numerator()) * 1_000_000;
    let denominator = u64::from(ratio.denominator());
    if numerator.checked_rem(denominator)? != 0 {
        return None;
    }
    let parts = numerator / denominator;
    let text = format!("{}.{:04}", parts / 10_000, parts % 10_000);
    Some(format!("{}%", text.trim_end_matches('0').trim_end_matches('.')))
}

#[cfg(test)]
mod tests {
    use backoff_core::Ratio;

    use super::percent;

    #[test]
    fn a_ratio_is_percent_if_few_digits_are_enough() {
        for (ratio, expected) in [
            ("0", "0%"),
            ("0.2", "20%"),
            ("1", "100%"),
            ("0.125", "12.5%"),
            ("0.000001", "0.0001%"),
        ] {
            assert_eq!(percent(Ratio::parse(ratio).unwrap()).as_deref(), Some(expected));
        }
        assert_eq!(percent(Ratio::new(1, 3)), None);
    }
}
