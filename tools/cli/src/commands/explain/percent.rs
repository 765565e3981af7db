//! Ratios in percent.

use backoff_core::ffi::ratio_from_value;

/// The value of a ratio as `20%` or `12.5%`, if few digits are enough.
pub(crate) fn percent(value: u64) -> Option<String> {
    let ratio = ratio_from_value(value);
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
    use backoff_core::{Budget, Field};

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
            let budget = Budget::parse(format!("ratio:ratio={ratio}")).unwrap();
            let value = backoff_core::ffi::budget_value(&budget, Field::Ratio).unwrap();
            assert_eq!(percent(value).as_deref(), Some(expected));
        }
        // A third, as a numerator and a denominator of 32 bits.
        assert_eq!(percent(1 << 32 | 3), None);
    }
}
