//! Medians, spreads, and whether two samples differ.

/// The middle value.
pub(super) fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The range of the middle 80 percent.
pub(super) fn spread(values: &[f64]) -> (f64, f64) {
    (quantile(values, 0.1), quantile(values, 0.9))
}

/// The value below which a part of the values is, between two values in proportion.
fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    #[expect(clippy::cast_precision_loss, reason = "few rounds")]
    let place = part * last as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to last")]
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
    at(below) + (at(above) - at(below)) * place.fract()
}

/// The probability of samples at least as far apart as these if they come from one distribution:
/// the exact two-sided Mann-Whitney test. It assumes nothing about the distribution. A tie counts
/// half.
pub(super) fn p_value(old: &[f64], new: &[f64]) -> f64 {
    let wins = |one: &f64, other: &f64| match one.total_cmp(other) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 1.0,
    };
    let u: f64 = new.iter().flat_map(|one| old.iter().map(move |other| wins(one, other))).sum();
    let ways = ways(old.len(), new.len());
    let total: f64 = ways.iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "few rounds")]
    let extreme = u.min((old.len() * new.len()) as f64 - u);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "few rounds")]
    let tail: f64 = ways.iter().take(extreme.floor() as usize + 1).sum();
    (2.0 * tail / total).min(1.0)
}

/// For each U, in how many orders of `old` and `new` values that many pairs have the larger value
/// in the new sample.
fn ways(old: usize, new: usize) -> Vec<f64> {
    // ways[n] of the orders of o old and n new values; the largest value is old or new.
    let mut ways: Vec<Vec<f64>> = vec![vec![1.0]; new + 1];
    for olds in 1..=old {
        for news in 1..=new {
            // If the largest value is new, it is larger than all old values.
            let without_new = &ways[news - 1];
            let without_old = &ways[news];
            let mut next = vec![0.0; olds * news + 1];
            for (u, count) in without_old.iter().enumerate() {
                next[u] += count;
            }
            for (u, count) in without_new.iter().enumerate() {
                next[u + olds] += count;
            }
            ways[news] = next;
        }
    }
    ways.swap_remove(new)
}

#[cfg(test)]
mod tests {
    use super::{median, p_value, spread, ways};

    #[test]
    fn quantiles_are_between_the_values() {
        assert_eq!(median(&[3.0, 1.0, 2.0]).to_bits(), 2_f64.to_bits());
        assert_eq!(median(&[4.0, 1.0]).to_bits(), 2.5_f64.to_bits());
        let values: Vec<f64> = (0..=10).map(f64::from).collect();
        assert_eq!(spread(&values), (1.0, 9.0));
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn the_test_has_the_published_values() {
        // Mann and Whitney 1947: of 3 and 3 values, U is 0 in 1 of 20 orders, 1 in 1, 2 in 2, 3 in 3.
        assert_eq!(ways(3, 3), [1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 2.0, 1.0, 1.0]);
        // scipy.stats.mannwhitneyu(range(5), range(5, 10)).pvalue
        let (low, high) = ([0.0, 1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0, 9.0]);
        assert!((p_value(&low, &high) - 0.007_936_507_936_507_936).abs() < 1e-15);
        assert!((p_value(&high, &low) - 0.007_936_507_936_507_936).abs() < 1e-15);
        // scipy.stats.mannwhitneyu([1, 3, 5], [2, 4, 6]).pvalue
        assert!((p_value(&[1.0, 3.0, 5.0], &[2.0, 4.0, 6.0]) - 0.7).abs() < 1e-15);
        assert!((p_value(&[1.0, 2.0], &[1.0, 2.0]) - 1.0).abs() < 1e-15);
    }
}
