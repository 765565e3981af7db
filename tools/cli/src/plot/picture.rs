//! A picture: shapes in places.

/// Shapes on paper of this size, the first at the bottom.
pub(crate) struct Picture {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) parts: Vec<Part>,
}

pub(crate) struct Part {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) shapes: Vec<Shape>,
}

/// Where something is, from the upper left corner, in pixels.
pub(crate) type Place = (f64, f64);

pub(crate) enum Shape {
    /// A filled rectangle, from a corner to the opposite one.
    Box { from: Place, to: Place, paint: Paint },
    /// A straight line.
    Rule { from: Place, to: Place, paint: Paint },
    /// A line through points, in the colour of a series.
    Curve { points: Vec<Place>, series: usize },
    /// The mark of a point of a line.
    Mark { at: Place, series: usize },
    /// A thin line through a point, from a height to another.
    Whisker { x: f64, top: f64, bottom: f64, series: usize },
    /// A line of text.
    Text { at: Place, anchor: Anchor, size: f64, paint: Paint, text: String },
}

/// The point of a text that is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Ink,
    Muted,
    Grid,
    Series(usize),
}

/// The colours of the background, of text, and of lines, on light and on dark paper.
pub(crate) const PAPER: [&str; 2] = ["#ffffff", "#0d1117"];
pub(crate) const INK: [&str; 2] = ["#1f2328", "#e6edf3"];
pub(crate) const MUTED: [&str; 2] = ["#59636e", "#9198a1"];
pub(crate) const GRID: [&str; 2] = ["#d9dee4", "#2a313a"];

/// Colours that colour-blind people tell apart, after Okabe and Ito, darker on light paper.
pub(crate) const SERIES: [[&str; 2]; 8] = [
    ["#59636e", "#9ea7b1"],
    ["#0068a8", "#58b2f0"],
    ["#c34e00", "#ff8a45"],
    ["#00795a", "#2fc597"],
    ["#a8478a", "#e48cc6"],
    ["#8a6400", "#e0b030"],
    ["#5a4fc4", "#a79ff5"],
    ["#9c2a2a", "#f07a7a"],
];

/// The shape of a mark, so that lines differ without colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkShape {
    Circle,
    Square,
    Triangle,
    Diamond,
}

impl MarkShape {
    pub(crate) fn of(series: usize) -> Self {
        // Where the colours begin again, the shapes are others.
        let shape = series + series / SERIES.len();
        [Self::Circle, Self::Square, Self::Triangle, Self::Diamond][shape % 4]
    }

    /// The corners of a shape around a place; none for a circle.
    pub(crate) fn corners(self, (x, y): Place, radius: f64) -> Vec<Place> {
        let corners: &[Place] = match self {
            Self::Circle => &[],
            Self::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Self::Triangle => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            Self::Diamond => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
        };
        corners.iter().map(|(dx, dy)| (x + dx * radius, y + dy * radius)).collect()
    }
}

pub(crate) const MARK_RADIUS: f64 = 3.2;
