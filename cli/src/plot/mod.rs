//! Line charts, in the terminal, as SVG and as PNG.

mod axis;
mod braille;
mod labels;
mod layout;
mod picture;
mod png;
mod svg;
mod terminal;

pub(crate) use axis::grouped;
pub(crate) use layout::picture;
pub(crate) use png::write as png;
pub(crate) use svg::write as svg;
pub(crate) use terminal::write as terminal;

/// Lines over a common axis.
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    pub(crate) title: String,
    /// What is shown, in one line.
    pub(crate) subtitle: String,
    /// The name of the horizontal axis.
    pub(crate) x: &'static str,
    pub(crate) lines: Vec<Line>,
}

/// A line of a chart.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// From left to right.
    pub(crate) points: Vec<Point>,
}

/// A point of a line. Neither number is negative.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// How far a whisker reaches above and below.
    pub(crate) whisker: f64,
}

/// The distance between two marks, in points, on a line of this many points. More marks would hide
/// the line.
fn mark_step(points: usize) -> usize {
    const MOST_MARKS: usize = 24;
    points.div_ceil(MOST_MARKS).max(1)
}

impl Chart {
    fn points(&self) -> impl Iterator<Item = &Point> {
        self.lines.iter().flat_map(|line| &line.points)
    }

    /// The largest x.
    fn last_x(&self) -> f64 {
        self.points().map(|point| point.x).fold(0.0, f64::max)
    }

    /// The largest y, whiskers included.
    fn most(&self) -> f64 {
        self.points().map(|point| point.y + point.whisker).fold(0.0, f64::max)
    }

    /// The chart in words, for those who do not see it.
    fn description(&self) -> String {
        let end = |line: &Line| {
            let point = line.points.last()?;
            Some(format!("{}: {} at {} {}", line.name, grouped(point.y), grouped(point.x), self.x))
        };
        let ends: Vec<_> = self.lines.iter().filter_map(end).collect();
        format!("{}. The lines end at: {}.", self.subtitle, ends.join("; "))
    }
}
