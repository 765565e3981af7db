//! Bars, where each line of a chart has one point.

use super::Chart;
use super::axis::Axis;
use super::picture::{Anchor, Paint, Shape};
use super::sizes::{LINE_HEIGHT, MARGIN, SIZE, WIDTH, text_width};

const HEIGHT: f64 = 14.0;

/// Draws a bar for each line: its name, and below it the bar with its value. Returns where they end.
pub(super) fn draw(chart: &Chart, from: f64, shapes: &mut Vec<Shape>) -> f64 {
    let text = |x, y, paint, text: &str| Shape::Text {
        at: (x, y),
        anchor: Anchor::Start,
        size: SIZE,
        paint,
        text: text.to_owned(),
    };
    let texts = chart.points().map(|point| point.text.chars().count());
    let room = WIDTH - 2.0 * MARGIN - 8.0 - text_width(texts.max().unwrap_or(0));
    let axis = Axis::ending_at(chart.max_y(), 1);
    let length = |value: f64| room * axis.part(value);
    let mut bottom = from + 8.0;
    for (series, line) in chart.lines.iter().enumerate() {
        bottom += LINE_HEIGHT;
        shapes.push(text(MARGIN, bottom, Paint::Ink, &line.name));
        let (top, middle) = (bottom + 5.0, bottom + 5.0 + HEIGHT / 2.0);
        bottom = top + HEIGHT + 4.0;
        let Some(point) = line.points.first() else {
            let paint = Paint::Series(series);
            shapes.push(text(MARGIN, middle + SIZE * 0.35, paint, line.without_value()));
            continue;
        };
        let end = MARGIN + length(point.y);
        let (from, to) = ((MARGIN, top), (end.max(MARGIN + 1.0), top + HEIGHT));
        shapes.push(Shape::Box { from, to, paint: Paint::Series(series) });
        let (low, high) = (point.y - point.whisker, point.y + point.whisker);
        if point.whisker > 0.0 {
            let [from, to] = [low.max(0.0), high].map(|value| (MARGIN + length(value), middle));
            shapes.push(Shape::Rule { from, to, paint: Paint::Muted });
        }
        let x = (MARGIN + length(high)).max(end) + 8.0;
        shapes.push(text(x, middle + SIZE * 0.35, Paint::Ink, &point.text));
    }
    bottom + MARGIN * 0.75
}
