//! Sizes in a chart.

pub(super) const WIDTH: f64 = 720.0;
pub(super) const MARGIN: f64 = 24.0;
pub(super) const SIZE: f64 = 13.0;
pub(super) const LINE_HEIGHT: f64 = 19.0;
/// The mean width of a character, in heights, in fonts that are rather wide.
const CHARACTER: f64 = 0.58;

/// An upper bound for the width of a number of characters.
pub(super) fn text_width(characters: usize) -> f64 {
    float(characters) * SIZE * CHARACTER
}

#[expect(clippy::cast_precision_loss, reason = "a number of characters or of lines")]
pub(super) fn float(number: usize) -> f64 {
    number as f64
}
