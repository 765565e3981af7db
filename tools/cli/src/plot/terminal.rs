//! Charts in the terminal.

use std::io::{self, Write};

use anstyle::{AnsiColor, Color, Style};

use super::axis::{Axis, grouped};
use super::braille::{Dot, Dots};
use super::{Chart, Marks};
use crate::table::HEADER;

const HEIGHT: usize = 15;

/// The marks of lines, which differ without colours.
const MARKS: [char; 16] =
    ['●', '■', '▲', '◆', '○', '□', '△', '◇', '▼', '★', '◉', '▣', '▽', '☆', '◍', '◈'];

/// The mark of a value that is beyond all others.
const BEYOND: char = '×';

const COLOURS: [AnsiColor; 6] = [
    AnsiColor::White,
    AnsiColor::Blue,
    AnsiColor::Yellow,
    AnsiColor::Green,
    AnsiColor::Magenta,
    AnsiColor::Cyan,
];

pub(crate) fn write(chart: &Chart, width: usize, to: &mut impl Write) -> io::Result<()> {
    let y = Axis::new(chart.max_y(), 5);
    let x = chart.x_axis(if width < 60 { 5 } else { 10 });
    let left = y.marks().map(|(_, text)| text.len()).max().unwrap_or(0);
    let area = width.saturating_sub(left + 3).max(10);
    let dots = draw(chart, area, x, y);
    writeln!(to, "{HEADER}{}{HEADER:#}", chart.title)?;
    let marks: Vec<_> =
        y.marks().map(|(value, text)| (HEIGHT - 1 - dot(y.part(value), HEIGHT), text)).collect();
    for row in 0..HEIGHT {
        let mark = marks.iter().find(|(at, _)| *at == row);
        let (text, axis) = mark.map_or(("", '│'), |(_, text)| (text, '┤'));
        write!(to, "{text:>left$} {axis}")?;
        write_row(&dots, row, to)?;
    }
    writeln!(to, "{:left$} └{}", "", x_axis(x, area, chart.marks.outage))?;
    writeln!(to, "{:left$}  {}", "", x_marks(x, area))?;
    writeln!(to, "{:>width$}", chart.x)?;
    write_legend(chart, width, to)?;
    write_marks(chart, to)
}

fn write_marks(chart: &Chart, to: &mut impl Write) -> io::Result<()> {
    let Marks { outage, capacity } = chart.marks;
    let outage = outage.map(|(from, until)| {
        format!("━ outage from {} to {} {}", grouped(from), grouped(until), chart.x)
    });
    let capacity = capacity.map(|capacity| format!("the capacity is {}", grouped(capacity)));
    let marked: Vec<_> = outage.into_iter().chain(capacity).collect();
    if !marked.is_empty() {
        writeln!(to, "  {}", marked.join("; "))?;
    }
    chart.notes.iter().try_for_each(|note| writeln!(to, "  {note}"))
}

fn draw(chart: &Chart, width: usize, x: Axis, y: Axis) -> Dots {
    let mut dots = Dots::new(width, HEIGHT);
    let places = |line: &super::Line| -> Vec<Dot> {
        let place = |point: &super::Point| {
            let below = dot(y.part(point.y), HEIGHT * 4);
            (dot(x.part(point.x), width * 2), HEIGHT * 4 - 1 - below)
        };
        line.points.iter().map(place).collect()
    };
    let lines: Vec<_> = chart.lines.iter().map(places).collect();
    for (series, line) in lines.iter().enumerate() {
        for pair in line.windows(2) {
            dots.line(pair[0], pair[1], series);
        }
    }
    for (series, line) in lines.iter().enumerate() {
        for at in line.iter().step_by(super::mark_step(line.len())) {
            dots.mark(*at, MARKS[series % MARKS.len()], series);
        }
        for &at in &chart.lines[series].beyond {
            dots.mark((dot(x.part(at), width * 2), 0), BEYOND, series);
        }
    }
    dots
}

/// The number, from 0 and below the count, of the place that a part of an axis reaches.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a number of characters"
)]
fn dot(part: f64, count: usize) -> usize {
    (part * count.saturating_sub(1) as f64).round() as usize
}

fn style(series: usize) -> Style {
    Style::new().fg_color(Some(Color::Ansi(COLOURS[series % COLOURS.len()])))
}

fn write_row(dots: &Dots, row: usize, to: &mut impl Write) -> io::Result<()> {
    let cells: Vec<_> = dots.row(row).collect();
    let end = cells.iter().rposition(|(_, series)| series.is_some()).map_or(0, |last| last + 1);
    let mut current = None;
    for &(character, series) in &cells[..end] {
        if series != current {
            if let Some(series) = current {
                write!(to, "{:#}", style(series))?;
            }
            if let Some(series) = series {
                write!(to, "{}", style(series))?;
            }
            current = series;
        }
        write!(to, "{character}")?;
    }
    if let Some(series) = current {
        write!(to, "{:#}", style(series))?;
    }
    writeln!(to)
}

fn x_axis(x: Axis, width: usize, outage: Option<(f64, f64)>) -> String {
    let marks: Vec<_> = x.marks().map(|(value, _)| dot(x.part(value), width)).collect();
    let outage = outage.map(|(from, until)| dot(x.part(from), width)..=dot(x.part(until), width));
    let character = |at: usize| match &outage {
        Some(outage) if outage.contains(&at) => '━',
        _ if marks.contains(&at) => '┴',
        _ => '─',
    };
    (0..width).map(character).collect()
}

/// The numbers below the marks that have room.
fn x_marks(x: Axis, width: usize) -> String {
    let mut line = String::new();
    for (value, text) in x.marks() {
        let at = dot(x.part(value), width).saturating_sub(text.len() / 2);
        let has_room = line.is_empty() || at > line.len();
        if has_room && at + text.len() <= width {
            line = format!("{line:at$}{text}");
        }
    }
    line
}

fn write_legend(chart: &Chart, width: usize, to: &mut impl Write) -> io::Result<()> {
    let mut column = 0;
    for (series, line) in chart.lines.iter().enumerate() {
        let length = line.name.chars().count() + 4;
        if column > 0 && column + length > width {
            writeln!(to)?;
            column = 0;
        }
        let (style, mark) = (style(series), MARKS[series % MARKS.len()]);
        write!(to, "  {style}{mark}{style:#} {}", line.name)?;
        column += length;
    }
    writeln!(to)
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::plot::{Chart, Line, Point};

    fn chart() -> Chart {
        let line = |name: &str, slope: f64| Line {
            name: name.to_owned(),
            points: [0.0, 5.0, 10.0].map(|x| point(x, x * slope)).to_vec(),
            beyond: Vec::new(),
        };
        Chart {
            title: "calls".into(),
            x: "clients",
            lines: vec![line("none", 10.0), line("full", 2.0)],
            ..Chart::default()
        }
    }

    fn point(x: f64, y: f64) -> Point {
        Point { x, y, whisker: 0.0, text: String::new() }
    }

    fn text(chart: &Chart, width: usize) -> String {
        let mut bytes = Vec::new();
        write(chart, width, &mut bytes).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(bytes).unwrap()).to_string()
    }

    #[test]
    fn a_chart_has_axes_lines_and_a_legend() {
        let text = text(&chart(), 40);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "calls");
        assert!(lines[1].starts_with("100 ┤") && lines[1].ends_with('●'), "{text}");
        assert!(lines[15].starts_with("  0 ┤"), "{text}");
        assert!(lines[18].ends_with(" clients"), "{text}");
        assert_eq!(lines[19], "  ● none  ■ full");
        assert!(lines.iter().all(|line| line.chars().count() <= 40), "{text}");
    }

    #[test]
    fn odd_charts_are_drawn() {
        for width in [0, 1, 20, 200] {
            let mut odd = chart();
            text(&odd, width);
            odd.lines[0].points.truncate(1);
            odd.lines[1].points.clear();
            text(&odd, width);
            odd.lines.clear();
            text(&odd, width);
        }
    }
}
