//! Bars made of characters, and the width of the terminal.

use std::io::{IsTerminal, stdout};

use terminal_size::{Width, terminal_size};

/// The width that is assumed where there is no terminal.
const DEFAULT_WIDTH: usize = 80;

/// The width of the lines to print: that of the terminal, or 80, at least 20 and at most 200.
pub(crate) fn terminal_width() -> usize {
    let terminal = || stdout().is_terminal().then(terminal_size).flatten();
    let given = || std::env::var("COLUMNS").ok()?.parse().ok();
    let width = terminal().map(|(Width(width), _)| width.into()).or_else(given);
    width.unwrap_or(DEFAULT_WIDTH).clamp(20, 200)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// From 0 to this value.
    Linear(u64),
    /// From a value, or below, to another one, with equal lengths for equal factors.
    Logarithmic(u64, u64),
}

impl Scale {
    /// The scale for longest values from the shortest to the longest of these: one on which all of
    /// them can be seen.
    pub(crate) fn of(longest: impl Iterator<Item = u64> + Clone) -> Self {
        const MAX_FACTOR: u64 = 1000;
        let max = longest.clone().max().unwrap_or(0);
        let min = longest.filter(|&value| value > 0).min().unwrap_or(max);
        if max / min.max(1) < MAX_FACTOR {
            return Self::Linear(max);
        }
        // A range that begins at 0 begins at the left end; that of the shortest has some length.
        Self::Logarithmic(min / 10, max)
    }

    /// The nearest place, from 0 to `width`.
    fn place(self, value: u64, width: usize) -> usize {
        match self {
            Self::Linear(max) => scale(value, max, width),
            Self::Logarithmic(min, max) => {
                let [value, min, max] = [value, min, max].map(logarithm);
                scale(value.saturating_sub(min), max.saturating_sub(min), width)
            }
        }
    }
}

/// The logarithm to the base of 2, in 65536ths, with straight lines between whole numbers.
fn logarithm(value: u64) -> u64 {
    let value = value.max(1);
    let whole = value.ilog2();
    // The bits after the first, 16 of them.
    let fraction = ((u128::from(value) << 16) >> whole) & 0xffff;
    u64::from(whole) << 16 | u64::try_from(fraction).unwrap_or(0)
}

/// A range on a line of `width` characters: `├──●──┤`, where the mean is the dot.
pub(crate) fn range((min, mean, max): (u64, u64, u64), on: Scale, width: usize) -> String {
    let last = width.saturating_sub(1);
    let [from, dot, to] = [min, mean, max].map(|value| on.place(value, last));
    let mark = |at: usize| match at {
        at if at == dot => '●',
        at if at < from || at > to => ' ',
        at if at == from => '├',
        at if at == to => '┤',
        _ => '─',
    };
    (0..=to.max(dot)).map(mark).collect()
}

/// The nearest whole number to `value / max * width`, from 0 to `width`.
fn scale(value: u64, max: u64, width: usize) -> usize {
    let max = max.max(1);
    let (value, max) = (u128::from(value.min(max)), u128::from(max));
    let nearest = (value * width as u128 + max / 2) / max;
    usize::try_from(nearest).unwrap_or(width).min(width)
}

#[cfg(test)]
mod tests {
    use super::{Scale, range};

    #[test]
    fn ranges_have_ends_and_a_mean() {
        let range = |values, max, width| range(values, Scale::Linear(max), width);
        assert_eq!(range((0, 50, 100), 100, 11), "├────●────┤");
        assert_eq!(range((50, 75, 100), 100, 9), "    ├─●─┤");
        assert_eq!(range((50, 50, 50), 100, 9), "    ●", "no jitter");
        assert_eq!(range((0, 0, 0), 0, 9), "●");
        assert_eq!(range((0, u64::MAX / 2, u64::MAX), u64::MAX, 3), "├●┤");
        assert_eq!(range((0, 1, 2), 2, 0), "●");
    }

    #[test]
    fn equal_factors_have_equal_lengths_on_a_logarithmic_scale() {
        let on = |longest: &[u64]| Scale::of(longest.iter().copied());
        assert_eq!(on(&[10, 9_000]), Scale::Linear(9_000));
        assert_eq!(on(&[0, 0]), Scale::Linear(0));
        let scale = on(&[0, 10, 10_000]);
        assert_eq!(scale, Scale::Logarithmic(1, 10_000));
        let ends = [1, 10, 100, 1_000, 10_000].map(|value| scale.place(value, 40));
        assert_eq!(ends, [0, 10, 20, 30, 40]);
        assert_eq!(range((0, 5, 10), scale, 41), "├──────●──┤");
        assert_eq!(Scale::Logarithmic(0, u64::MAX).place(u64::MAX, 64), 64);
    }
}
