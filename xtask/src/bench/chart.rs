//! The chart of `docs/speed.md`: how long others take, as a multiple of our time.

use std::fmt::Write as _;

use crate::bench::format::{ratio, title};
use crate::bench::results::{Results, Row};

/// The works, each a column.
const COLUMNS: [(&str, &str); 2] = [
    ("next", "One delay with full jitter"),
    ("loop, two failures", "A loop that fails twice, without waiting"),
];

const WIDTH: f64 = 480.0;
/// Where the bars of a column begin and end.
const LEFT: f64 = 210.0;
const RIGHT: f64 = 430.0;
const TOP: f64 = 64.0;
const LINE: f64 = 17.0;

const STYLE: &str = "\
text { font: 12px system-ui, \"Noto Sans\", sans-serif; fill: #1f2328 }
.title { font-size: 14px; font-weight: 600 }
.muted { fill: #59636e }
.paper { fill: #ffffff }
.slower { fill: #0068a8 }
.faster { fill: #c34e00 }
line { stroke: #59636e }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.muted { fill: #9198a1 }
.paper { fill: #0d1117 }
.slower { fill: #58b2f0 }
.faster { fill: #ff8a45 }
line { stroke: #9198a1 }
}
";

/// The picture.
pub(super) fn svg(results: &Results) -> String {
    let columns = COLUMNS.map(|(work, heading)| Column::new(results, work, heading));
    let most = columns.iter().map(Column::lines).max().unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "few lines")]
    let height = TOP + LINE * most as f64 + 12.0;
    let width = WIDTH * 2.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\">\n<style>\n{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n"
    );
    for (column, left) in columns.iter().zip([0.0, WIDTH]) {
        column.draw(&mut svg, left);
    }
    svg + "</svg>\n"
}

struct Column<'a> {
    heading: &'a str,
    /// The rows of each language.
    groups: Vec<Vec<&'a Row>>,
    /// The logarithms of the smallest and the largest multiple.
    range: (f64, f64),
}

impl<'a> Column<'a> {
    fn new(results: &'a Results, work: &str, heading: &'a str) -> Self {
        let rows = results.rows.iter().filter(|row| row.work == work && row.ratio.is_some());
        let mut rows: Vec<&Row> = rows.collect();
        let logs = || rows.iter().map(|row| multiple(row).ln());
        // The line of our time is always in the picture.
        let range = (logs().fold(0.0, f64::min), logs().fold(0.1, f64::max));
        rows.sort_by(|one, other| {
            // Stable: the languages keep their order.
            let same = one.language == other.language;
            if same { multiple(one).total_cmp(&multiple(other)) } else { std::cmp::Ordering::Equal }
        });
        let groups = rows.chunk_by(|one, next| one.language == next.language).map(<[_]>::to_vec);
        Self { heading, groups: groups.collect(), range }
    }

    /// A line for each row, and one for each language.
    fn lines(&self) -> usize {
        self.groups.iter().map(|rows| rows.len() + 1).sum()
    }

    fn x(&self, log: f64) -> f64 {
        let (low, high) = self.range;
        LEFT + (log - low) / (high - low) * (RIGHT - LEFT)
    }

    fn draw(&self, svg: &mut String, left: f64) {
        let one = self.x(0.0);
        let _ = writeln!(svg, "<g transform=\"translate({left} 0)\">");
        let _ = writeln!(svg, "<text class=\"title\" x=\"12\" y=\"24\">{}</text>", self.heading);
        let _ = writeln!(
            svg,
            "<text class=\"muted\" x=\"12\" y=\"44\">time of others as a multiple of ours, logarithmic</text>"
        );
        let mut y = TOP;
        for rows in &self.groups {
            let language = rows.first().map_or("", |row| title(&row.language));
            y += LINE;
            let _ = writeln!(svg, "<text class=\"title\" x=\"12\" y=\"{y}\">{language}</text>");
            for row in rows {
                y += LINE;
                self.bar(svg, row, y);
            }
        }
        let top = TOP + 4.0;
        let _ =
            writeln!(svg, "<line x1=\"{one:.1}\" x2=\"{one:.1}\" y1=\"{top}\" y2=\"{y}\"/>\n</g>");
    }

    fn bar(&self, svg: &mut String, row: &Row, y: f64) {
        let multiple = multiple(row);
        let (one, end) = (self.x(0.0), self.x(multiple.ln()));
        let (class, x) = if multiple < 1.0 { ("faster", end) } else { ("slower", one) };
        let (width, bar) = ((end - one).abs(), y - 11.0);
        let label = LEFT - 8.0;
        let peer = escaped(&row.peer);
        let _ = writeln!(
            svg,
            "<text class=\"muted\" x=\"{label}\" y=\"{y}\" text-anchor=\"end\">{peer}</text>"
        );
        let _ = writeln!(
            svg,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{bar}\" width=\"{width:.1}\" height=\"13\"/>"
        );
        let after = end.max(one) + 5.0;
        let _ = writeln!(svg, "<text x=\"{after:.1}\" y=\"{y}\">{}</text>", ratio(multiple));
    }
}

/// The time of the peer as a multiple of ours.
fn multiple(row: &Row) -> f64 {
    row.ratio.map_or(1.0, f64::recip)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_name_is_no_markup() {
        assert_eq!(escaped("1<<a & b"), "1&lt;&lt;a &amp; b");
    }
}
