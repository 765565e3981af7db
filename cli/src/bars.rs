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

/// A range on a line from 0 to `most`, which is `width` characters long: `├──●──┤`, where the mean
/// is the dot.
pub(crate) fn range((min, mean, max): (u64, u64, u64), most: u64, width: usize) -> String {
    let last = width.saturating_sub(1);
    let [from, dot, to] = [min, mean, max].map(|value| scale(value, most, last));
    let mark = |at: usize| match at {
        at if at == dot => '●',
        at if at < from || at > to => ' ',
        at if at == from => '├',
        at if at == to => '┤',
        _ => '─',
    };
    (0..=to.max(dot)).map(mark).collect()
}

/// The nearest whole number to `value / most * width`, from 0 to `width`.
fn scale(value: u64, most: u64, width: usize) -> usize {
    let most = most.max(1);
    let (value, most) = (u128::from(value.min(most)), u128::from(most));
    let nearest = (value * width as u128 + most / 2) / most;
    usize::try_from(nearest).unwrap_or(width).min(width)
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn ranges_have_ends_and_a_mean() {
        assert_eq!(range((0, 50, 100), 100, 11), "├────●────┤");
        assert_eq!(range((50, 75, 100), 100, 9), "    ├─●─┤");
        assert_eq!(range((50, 50, 50), 100, 9), "    ●", "no jitter");
        assert_eq!(range((0, 0, 0), 0, 9), "●");
        assert_eq!(range((0, u64::MAX / 2, u64::MAX), u64::MAX, 3), "├●┤");
        assert_eq!(range((0, 1, 2), 2, 0), "●");
    }
}
