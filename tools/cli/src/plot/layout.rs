//! Where the parts of a chart are.

use super::axis::Axis;
use super::labels::spread;
use super::picture::{Anchor, Paint, Part, Picture, Place, Shape};
use super::sizes::{LINE_HEIGHT, MARGIN, SIZE, WIDTH, float, text_width};
use super::{Chart, Line, bars, mark_step};

const HEIGHT: f64 = 420.0;
const TITLE_SIZE: f64 = 17.0;
/// Names of at most this many characters are at the ends of their lines.
const SHORT_NAME: usize = 16;

pub(crate) fn picture(charts: &[Chart]) -> Picture {
    let mut height = 0.0;
    let mut parts = Vec::new();
    for chart in charts {
        let (part, bottom) = part(chart, height);
        parts.push(part);
        height = bottom;
    }
    Picture { width: WIDTH, height, parts }
}

struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Axis,
    y: Axis,
}

impl Area {
    fn place(&self, x: f64, y: f64) -> Place {
        let place_x = self.left + (self.right - self.left) * self.x.part(x);
        (place_x, self.bottom - (self.bottom - self.top) * self.y.part(y))
    }
}

fn part(chart: &Chart, from: f64) -> (Part, f64) {
    let mut shapes = Vec::new();
    let text = |x, y, size, paint, text: &str| Shape::Text {
        at: (x, y),
        anchor: Anchor::Start,
        size,
        paint,
        text: text.to_owned(),
    };
    let mut top = from + MARGIN * 0.5 + TITLE_SIZE;
    shapes.push(text(MARGIN, top, TITLE_SIZE, Paint::Ink, &chart.title));
    top += LINE_HEIGHT + 2.0;
    shapes.push(text(MARGIN, top, SIZE, Paint::Muted, &chart.subtitle));
    for note in &chart.notes {
        top += LINE_HEIGHT;
        shapes.push(text(MARGIN, top, SIZE, Paint::Ink, note));
    }
    let (title, description) = (chart.title.clone(), chart.description());
    if chart.is_bars() {
        let bottom = bars::draw(chart, top, &mut shapes);
        return (Part { title, description, shapes }, bottom);
    }
    let longest = chart.lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
    let has_short_names = longest <= SHORT_NAME;
    if !has_short_names {
        for (series, line) in chart.lines.iter().enumerate() {
            top += LINE_HEIGHT;
            let y = top - SIZE * 0.35;
            shapes.push(Shape::Curve { points: vec![(MARGIN, y), (MARGIN + 24.0, y)], series });
            shapes.push(Shape::Mark { at: (MARGIN + 12.0, y), series });
            shapes.push(text(MARGIN + 32.0, top, SIZE, Paint::Ink, &line.name));
        }
    }
    top += 22.0;
    let y = Axis::new(chart.max_y(), 5);
    let widest = y.marks().map(|(_, text)| text.len()).max().unwrap_or(0);
    let names = if has_short_names { text_width(longest) + 12.0 } else { 0.0 };
    let area = Area {
        left: MARGIN + text_width(widest) + 8.0,
        right: WIDTH - MARGIN - names,
        top,
        bottom: top + HEIGHT - 4.0 * LINE_HEIGHT - 2.0 * MARGIN,
        x: chart.x_axis(10),
        y,
    };
    axes(chart, &area, &mut shapes);
    for (series, line) in chart.lines.iter().enumerate() {
        draw(line, series, &area, &mut shapes);
    }
    if has_short_names {
        names_at_ends(chart, &area, &mut shapes);
    }
    let bottom = area.bottom + 2.0 * LINE_HEIGHT + MARGIN * 0.75;
    (Part { title, description, shapes }, bottom)
}

fn axes(chart: &Chart, area: &Area, shapes: &mut Vec<Shape>) {
    let label = |at, anchor, paint, text| Shape::Text { at, anchor, size: SIZE, paint, text };
    if let Some((from, until)) = chart.marks.outage {
        let (from, until) = (area.place(from, 0.0), area.place(until, 0.0));
        let from = (from.0, area.top);
        shapes.push(Shape::Box { from, to: until, paint: Paint::Grid });
        let at = (from.0 + 4.0, area.top + SIZE);
        shapes.push(label(at, Anchor::Start, Paint::Muted, "outage".to_owned()));
    }
    for (value, text) in area.y.marks() {
        let (_, y) = area.place(0.0, value);
        let paint = if value > 0.0 { Paint::Grid } else { Paint::Muted };
        shapes.push(Shape::Rule { from: (area.left, y), to: (area.right, y), paint });
        let at = (area.left - 8.0, y + SIZE * 0.35);
        shapes.push(label(at, Anchor::End, Paint::Muted, text));
    }
    for (value, text) in area.x.marks() {
        let (x, y) = area.place(value, 0.0);
        shapes.push(Shape::Rule { from: (x, y), to: (x, y + 5.0), paint: Paint::Muted });
        shapes.push(label((x, y + LINE_HEIGHT), Anchor::Middle, Paint::Muted, text));
    }
    if let Some(capacity) = chart.marks.capacity {
        let (_, y) = area.place(0.0, capacity);
        shapes.push(Shape::Rule { from: (area.left, y), to: (area.right, y), paint: Paint::Muted });
        let at = (area.right, y - 4.0);
        shapes.push(label(at, Anchor::End, Paint::Muted, "capacity".to_owned()));
    }
    let middle = f64::midpoint(area.left, area.right);
    let at = (middle, area.bottom + 2.0 * LINE_HEIGHT);
    shapes.push(label(at, Anchor::Middle, Paint::Ink, chart.x.to_owned()));
}

fn draw(line: &Line, series: usize, area: &Area, shapes: &mut Vec<Shape>) {
    let places: Vec<_> = line.points.iter().map(|point| area.place(point.x, point.y)).collect();
    for (point, &at) in line.points.iter().zip(&places) {
        let length = (area.bottom - area.top) * area.y.part(point.whisker);
        // Shorter ones are hidden by the mark.
        if length > 4.0 {
            let (x, y) = at;
            let (top, bottom) = ((y - length).max(area.top), (y + length).min(area.bottom));
            shapes.push(Shape::Whisker { x, top, bottom, series });
        }
    }
    if !places.is_empty() {
        shapes.push(Shape::Curve { points: places.clone(), series });
    }
    for &x in &line.beyond {
        // A cross above all values, a little lower for each line.
        let (x, _) = area.place(x, 0.0);
        let y = area.top + 5.0 + 9.0 * float(series);
        for (left, right) in [(y - 3.5, y + 3.5), (y + 3.5, y - 3.5)] {
            shapes.push(Shape::Curve { points: vec![(x - 3.5, left), (x + 3.5, right)], series });
        }
    }
    let step = mark_step(places.len());
    shapes.extend(places.into_iter().step_by(step).map(|at| Shape::Mark { at, series }));
}

fn names_at_ends(chart: &Chart, area: &Area, shapes: &mut Vec<Shape>) {
    let end = |line: &Line| line.points.last().map_or(0.0, |point| point.y);
    let wanted: Vec<_> = chart.lines.iter().map(|line| area.place(0.0, end(line)).1).collect();
    let heights = spread(&wanted, LINE_HEIGHT - 2.0, area.top, area.bottom);
    let x = area.right + 12.0;
    for (series, (line, height)) in chart.lines.iter().zip(heights).enumerate() {
        shapes.push(Shape::Text {
            at: (x, height + SIZE * 0.35),
            anchor: Anchor::Start,
            size: SIZE,
            paint: Paint::Series(series),
            text: line.name.clone(),
        });
    }
}
