//! Charts of lines or bars, in the terminal and as SVG.

mod axis;
mod bars;
mod braille;
mod labels;
mod layout;
mod picture;
mod sizes;
mod svg;
mod terminal;

use axis::Axis;
pub(crate) use axis::grouped;
pub(crate) use layout::picture;
pub(crate) use svg::write as svg;
pub(crate) use terminal::write as terminal;

#[derive(Debug, Clone, Default)]
pub(crate) struct Chart {
    pub(crate) title: String,
    /// What is shown, in one line.
    pub(crate) subtitle: String,
    /// What the lines cannot show.
    pub(crate) notes: Vec<String>,
    pub(crate) x: &'static str,
    pub(crate) lines: Vec<Line>,
    pub(crate) marks: Marks,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    /// From one x to another, the outage.
    pub(crate) outage: Option<(f64, f64)>,
    /// The y that the server can serve.
    pub(crate) capacity: Option<f64>,
}

#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// From left to right.
    pub(crate) points: Vec<Point>,
    /// Where there is no value, because it would be beyond all others.
    pub(crate) beyond: Vec<f64>,
}

impl Line {
    /// What a line without a value has instead of a bar.
    fn without_value(&self) -> &'static str {
        if self.beyond.is_empty() { "none" } else { "never" }
    }
}

/// A point of a line. No number is negative.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// How far a whisker reaches above and below.
    pub(crate) whisker: f64,
    /// The value in words, if that is shown.
    pub(crate) text: String,
}

/// The distance between two marks, in points, on a line of this many points. More marks would hide
/// the line.
fn mark_step(points: usize) -> usize {
    const MAX_MARKS: usize = 24;
    points.div_ceil(MAX_MARKS).max(1)
}

impl Chart {
    fn points(&self) -> impl Iterator<Item = &Point> {
        self.lines.iter().flat_map(|line| &line.points)
    }

    /// Whether no line has more than one point, which is shown as a bar.
    pub(crate) fn is_bars(&self) -> bool {
        let count = |line: &Line| line.points.len() + line.beyond.len();
        self.has_points() && self.lines.iter().all(|line| count(line) <= 1)
    }

    pub(crate) fn has_points(&self) -> bool {
        self.lines.iter().any(|line| !line.points.is_empty() || !line.beyond.is_empty())
    }

    fn x_axis(&self, max_steps: u32) -> Axis {
        let beyond = self.lines.iter().flat_map(|line| &line.beyond);
        let values = || self.points().map(|point| &point.x).chain(beyond.clone()).copied();
        Axis::between(values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max), max_steps)
    }

    /// The largest y, whiskers included.
    fn max_y(&self) -> f64 {
        let points = self.points().map(|point| point.y + point.whisker);
        points.chain(self.marks.capacity).fold(0.0, f64::max)
    }

    /// The chart in words, for those who do not see it.
    fn description(&self) -> String {
        let is_bars = self.is_bars();
        let bar = |line: &Line| {
            let value =
                line.points.first().map_or(line.without_value(), |point| point.text.as_str());
            Some(format!("{}: {value}", line.name))
        };
        let end = |line: &Line| {
            let point = line.points.last()?;
            Some(format!("{}: {} at {} {}", line.name, grouped(point.y), grouped(point.x), self.x))
        };
        let of_line = |line: &Line| if is_bars { bar(line) } else { end(line) };
        let values = self.lines.iter().filter_map(of_line).collect::<Vec<_>>().join("; ");
        let are = if is_bars { "" } else { "The lines end at: " };
        let lines = format!("{}. {are}{values}", self.subtitle);
        let sentences = std::iter::once(&lines).chain(&self.notes);
        sentences.map(|sentence| format!("{sentence}.")).collect::<Vec<_>>().join(" ")
    }
}
