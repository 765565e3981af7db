//! Pictures as SVG: readable text, the colours of the reader's theme, no scripts and no fonts.

use std::fmt::Write;

use super::picture::{
    Anchor, GRID, INK, MARK_RADIUS, MUTED, MarkShape, PAPER, Paint, Part, Picture, Place, SERIES,
    Shape,
};

/// A page may contain several pictures and its own drawings: the styles apply to this class only, and
/// no element has an id.
const CLASS: &str = "backoff-chart";

/// The picture as SVG. Equal pictures give equal bytes.
pub(crate) fn write(picture: &Picture) -> String {
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = write_picture(picture, &mut svg);
    svg
}

fn write_picture(picture: &Picture, svg: &mut String) -> std::fmt::Result {
    let Picture { width, height, parts } = picture;
    let is_one = parts.len() == 1;
    let role = if is_one { "role=\"img\" " } else { "" };
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{CLASS}\" {role}\
         viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">"
    )?;
    let titles: Vec<_> = parts.iter().map(|part| escaped(&part.title)).collect();
    writeln!(svg, "<title>{}</title>", titles.join(", "))?;
    if is_one {
        write_description(&parts[0], svg)?;
    }
    write_style(used_colours(picture), svg)?;
    writeln!(svg, "<rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>")?;
    for part in parts {
        if !is_one {
            writeln!(svg, "<g role=\"img\">\n<title>{}</title>", escaped(&part.title))?;
            write_description(part, svg)?;
        }
        for shape in &part.shapes {
            write_shape(shape, svg)?;
        }
        if !is_one {
            writeln!(svg, "</g>")?;
        }
    }
    writeln!(svg, "</svg>")
}

fn write_description(part: &Part, svg: &mut String) -> std::fmt::Result {
    writeln!(svg, "<desc>{}</desc>", escaped(&part.description))
}

/// The number of colours that lines have.
fn used_colours(picture: &Picture) -> usize {
    let series = |shape: &Shape| match shape {
        Shape::Curve { series, .. }
        | Shape::Mark { series, .. }
        | Shape::Box { paint: Paint::Series(series), .. } => Some(series + 1),
        _ => None,
    };
    let shapes = picture.parts.iter().flat_map(|part| &part.shapes);
    shapes.filter_map(series).max().unwrap_or(0).min(SERIES.len())
}

fn write_style(colours: usize, svg: &mut String) -> std::fmt::Result {
    writeln!(svg, "<style>")?;
    writeln!(svg, ".{CLASS} text {{ font-family: system-ui, \"Noto Sans\", sans-serif }}")?;
    writeln!(svg, ".{CLASS} line, .{CLASS} path {{ fill: none }}")?;
    write_colours(0, colours, svg)?;
    writeln!(svg, "@media (prefers-color-scheme: dark) {{")?;
    write_colours(1, colours, svg)?;
    writeln!(svg, "}}\n</style>")
}

fn write_colours(theme: usize, count: usize, svg: &mut String) -> std::fmt::Result {
    let mut rule = |selector: &str, property: &str, colour: &str| {
        writeln!(svg, ".{CLASS} {selector} {{ {property}: {colour} }}")
    };
    rule(".paper", "fill", PAPER[theme])?;
    rule(".ink", "fill", INK[theme])?;
    rule(".muted", "fill", MUTED[theme])?;
    rule("line.grid", "stroke", GRID[theme])?;
    rule("rect.grid", "fill", GRID[theme])?;
    rule("line.muted", "stroke", MUTED[theme])?;
    for (number, colours) in SERIES.iter().take(count).enumerate() {
        rule(&format!(".line{number}"), "stroke", colours[theme])?;
        rule(&format!(".mark{number}"), "fill", colours[theme])?;
    }
    Ok(())
}

fn write_shape(shape: &Shape, svg: &mut String) -> std::fmt::Result {
    match shape {
        Shape::Box { from: (x1, y1), to: (x2, y2), paint } => {
            let (class, [x, y]) = (class(*paint), [x1.min(*x2), y1.min(*y2)].map(decimal));
            let [width, height] = [(x2 - x1).abs(), (y2 - y1).abs()].map(decimal);
            write!(svg, r#"<rect class="{class}" x="{x}" y="{y}" width="{width}""#)?;
            writeln!(svg, r#" height="{height}"/>"#)
        }
        Shape::Rule { from: (x1, y1), to: (x2, y2), paint } => {
            let (class, [x1, y1, x2, y2]) = (class(*paint), [*x1, *y1, *x2, *y2].map(decimal));
            writeln!(svg, r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#)
        }
        Shape::Curve { points, series } => {
            let (class, d) = (series % SERIES.len(), path(points));
            write!(svg, r#"<path class="line{class}" stroke-width="2""#)?;
            writeln!(svg, r#" stroke-linejoin="round" d="{d}"/>"#)
        }
        Shape::Whisker { x, top, bottom, series } => {
            let (class, d) = (series % SERIES.len(), path(&[(*x, *top), (*x, *bottom)]));
            writeln!(svg, r#"<path class="line{class}" stroke-width="1" d="{d}"/>"#)
        }
        Shape::Mark { at, series } => {
            let class = class(Paint::Series(*series));
            let corners = MarkShape::of(*series).corners(*at, MARK_RADIUS);
            if corners.is_empty() {
                let (x, y) = (decimal(at.0), decimal(at.1));
                let r = MARK_RADIUS;
                writeln!(svg, r#"<circle class="{class}" cx="{x}" cy="{y}" r="{r}"/>"#)
            } else {
                let points = corners.into_iter().map(point).collect::<Vec<_>>().join(" ");
                writeln!(svg, r#"<polygon class="{class}" points="{points}"/>"#)
            }
        }
        Shape::Text { at: (x, y), anchor, size, paint, text } => {
            let (class, x, y, text) = (class(*paint), decimal(*x), decimal(*y), escaped(text));
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            write!(svg, r#"<text class="{class}" x="{x}" y="{y}" font-size="{size}""#)?;
            writeln!(svg, "{anchor}>{text}</text>")
        }
    }
}

fn class(paint: Paint) -> String {
    match paint {
        Paint::Ink => "ink".to_owned(),
        Paint::Muted => "muted".to_owned(),
        Paint::Grid => "grid".to_owned(),
        Paint::Series(series) => format!("mark{}", series % SERIES.len()),
    }
}

fn path(points: &[Place]) -> String {
    let points: Vec<_> = points.iter().copied().map(point).collect();
    format!("M{}", points.join(" L"))
}

fn point((x, y): Place) -> String {
    format!("{},{}", decimal(x), decimal(y))
}

/// A number to a tenth of a pixel.
fn decimal(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn escaped(text: &str) -> String {
    // XML has no way to write most control characters.
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use crate::plot::{Chart, Line, Point, picture, svg};

    fn chart(name: &str) -> Chart {
        let point = |x| Point { x, y: x * 3.0, whisker: 1.0, text: String::new() };
        Chart {
            title: "calls".into(),
            subtitle: "one run".into(),
            x: "clients",
            lines: vec![Line {
                name: name.into(),
                points: vec![point(1.0), point(2.0)],
                beyond: Vec::new(),
            }],
            ..Chart::default()
        }
    }

    #[test]
    fn text_is_escaped() {
        let svg = svg(&picture(&[chart("<a href=\"x\">&\u{1b}")]));
        assert!(svg.contains(">&lt;a href=&quot;x&quot;&gt;&amp; </text>"), "{svg}");
    }

    #[test]
    fn every_chart_says_what_it_shows() {
        let description = "<desc>one run. The lines end at: full: 6 at 2 clients.";
        for (charts, image) in [
            (vec![chart("full")], "role=\"img\" viewBox"),
            (vec![chart("full"), chart("none")], "<g role=\"img\">\n<title>calls</title>"),
        ] {
            let svg = svg(&picture(&charts));
            assert!(svg.contains(image) && svg.contains(description), "{svg}");
            assert_eq!(svg.matches("role=").count(), charts.len(), "{svg}");
            assert!(svg.contains("prefers-color-scheme: dark"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    #[test]
    fn a_picture_within_a_page_changes_nothing_else() {
        let svg = svg(&picture(&[chart("full")]));
        let (_, rest) = svg.split_once("<style>").unwrap();
        let (style, shapes) = rest.split_once("</style>").unwrap();
        let rules = style.lines().filter(|line| line.contains(": ") && !line.starts_with('@'));
        for selector in rules.flat_map(|rule| rule.split(" {").next().unwrap().split(", ")) {
            assert!(selector.starts_with(".backoff-chart "), "{selector}");
        }
        assert!(!shapes.contains(" id="), "{svg}");
    }
}
