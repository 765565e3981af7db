//! Names at the ends of lines, which must not cover each other.

/// The heights nearest to those wanted that are in the same order, at least `gap` apart, and from
/// `top` to `bottom` if there is room.
pub(crate) fn spread(wanted: &[f64], gap: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<_> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // Runs of labels that touch each other are centred on what they want.
    let mut runs: Vec<(f64, usize)> = Vec::new();
    for &index in &order {
        runs.push((wanted[index].clamp(top, bottom), 1));
        while let [.., (above, above_count), (below, below_count)] = runs[..] {
            let [above_half, below_half] = [above_count, below_count].map(|n| length(n, gap) / 2.0);
            if above + above_half + gap <= below - below_half {
                break;
            }
            let count = above_count + below_count;
            let [above_weight, below_weight] = [above_count, below_count].map(float);
            let centre = (above * above_weight + below * below_weight) / float(count);
            let half = length(count, gap) / 2.0;
            let centre = centre.min(bottom - half).max(top + half);
            runs.truncate(runs.len() - 2);
            runs.push((centre, count));
        }
    }
    let mut heights = vec![0.0; wanted.len()];
    let mut order = order.into_iter();
    for (centre, count) in runs {
        for place in 0..count {
            if let Some(index) = order.next() {
                heights[index] = centre - length(count, gap) / 2.0 + float(place) * gap;
            }
        }
    }
    heights
}

/// The distance from the first to the last of this many labels.
fn length(count: usize, gap: f64) -> f64 {
    float(count.saturating_sub(1)) * gap
}

#[expect(clippy::cast_precision_loss, reason = "a number of labels")]
fn float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn labels_keep_their_distance() {
        let spread = |wanted: &[f64]| spread(wanted, 10.0, 0.0, 100.0);
        assert!(spread(&[]).is_empty());
        assert_eq!(spread(&[30.0, 70.0]), [30.0, 70.0], "far apart");
        assert_eq!(spread(&[50.0, 50.0]), [45.0, 55.0], "both move by as much");
        assert_eq!(spread(&[52.0, 48.0]), [55.0, 45.0], "the order stays");
        assert_eq!(spread(&[100.0, 100.0, 100.0]), [80.0, 90.0, 100.0], "not below the bottom");
        assert_eq!(spread(&[0.0, 1.0]), [0.0, 10.0], "not above the top");
        assert_eq!(
            spread(&[40.0, 41.0, 55.0]),
            [35.333333333333336, 45.333333333333336, 55.333333333333336]
        );
    }
}
