//! Pictures as PNG, with a font that is part of the program.

use anyhow::{Context, Result};
use tiny_skia::{
    Color, FillRule, LineJoin, Paint as Fill, Path, PathBuilder, Pixmap, Stroke, Transform,
};
use ttf_parser::{Face, OutlineBuilder};

use super::picture::{
    Anchor, GRID, INK, MARK_RADIUS, MUTED, MarkShape, PAPER, Paint, Picture, Place, SERIES, Shape,
};

/// Pixels for each pixel of the layout, for screens with high resolution.
const SCALE: f32 = 2.0;

/// The picture as PNG, on light paper.
pub(crate) fn write(picture: &Picture) -> Result<Vec<u8>> {
    let size = |length: f64| pixels((length * f64::from(SCALE)).ceil());
    let pixmap = Pixmap::new(size(picture.width), size(picture.height));
    let mut pixmap = pixmap.context("the picture is too large")?;
    pixmap.fill(color(PAPER[0]));
    let face = Face::parse(notosans::REGULAR_TTF, 0).context("the font")?;
    let mut canvas = Canvas { pixmap, face };
    for shape in picture.parts.iter().flat_map(|part| &part.shapes) {
        canvas.draw(shape);
    }
    canvas.pixmap.encode_png().context("the PNG")
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
fn pixels(length: f64) -> u32 {
    length as u32
}

struct Canvas {
    pixmap: Pixmap,
    face: Face<'static>,
}

impl Canvas {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Box { from, to, paint } => {
                let corners = [*from, (to.0, from.1), *to, (from.0, to.1)];
                let color = paint_color(*paint);
                self.fill(lines(&corners, true), color, Transform::identity());
            }
            Shape::Rule { from, to, paint } => {
                self.stroke(lines(&[*from, *to], false), paint_color(*paint), 1.0);
            }
            Shape::Curve { points, series } => {
                self.stroke(lines(points, false), series_color(*series), 2.0);
            }
            Shape::Whisker { x, top, bottom, series } => {
                let ends = [(*x, *top), (*x, *bottom)];
                self.stroke(lines(&ends, false), series_color(*series), 1.0);
            }
            Shape::Mark { at, series } => {
                let corners = MarkShape::of(*series).corners(*at, MARK_RADIUS);
                let path = if corners.is_empty() {
                    PathBuilder::from_circle(float(at.0), float(at.1), float(MARK_RADIUS))
                } else {
                    lines(&corners, true)
                };
                self.fill(path, series_color(*series), Transform::identity());
            }
            Shape::Text { at, anchor, size, paint, text } => {
                self.text(*at, *anchor, float(*size), paint_color(*paint), text);
            }
        }
    }

    fn stroke(&mut self, path: Option<Path>, color: Color, width: f32) {
        let stroke = Stroke { width, line_join: LineJoin::Round, ..Stroke::default() };
        if let Some(path) = path {
            let scale = Transform::from_scale(SCALE, SCALE);
            self.pixmap.stroke_path(&path, &fill(color), &stroke, scale, None);
        }
    }

    fn fill(&mut self, path: Option<Path>, color: Color, transform: Transform) {
        if let Some(path) = path {
            let transform = transform.post_scale(SCALE, SCALE);
            self.pixmap.fill_path(&path, &fill(color), FillRule::Winding, transform, None);
        }
    }

    /// Draws the outlines of the characters, one after another.
    fn text(&mut self, at: Place, anchor: Anchor, size: f32, color: Color, text: &str) {
        let scale = size / f32::from(self.face.units_per_em());
        let glyphs: Vec<_> = text
            .chars()
            .map(|character| self.face.glyph_index(character).unwrap_or_default())
            .map(|glyph| (glyph, f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0))))
            .collect();
        let width = glyphs.iter().map(|(_, advance)| advance * scale).sum::<f32>();
        let mut x = float(at.0)
            - match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => width / 2.0,
                Anchor::End => width,
            };
        for (glyph, advance) in glyphs {
            let mut outline = Outline(PathBuilder::new());
            self.face.outline_glyph(glyph, &mut outline);
            let transform = Transform::from_row(scale, 0.0, 0.0, -scale, x, float(at.1));
            self.fill(outline.0.finish(), color, transform);
            x += advance * scale;
        }
    }
}

struct Outline(PathBuilder);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

fn lines(points: &[Place], is_closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let (x, y) = (float(*x), float(*y));
        if index == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    if is_closed {
        path.close();
    }
    path.finish()
}

#[expect(clippy::cast_possible_truncation, reason = "a place on a picture")]
fn float(number: f64) -> f32 {
    number as f32
}

fn fill(color: Color) -> Fill<'static> {
    let mut fill = Fill { anti_alias: true, ..Fill::default() };
    fill.set_color(color);
    fill
}

fn paint_color(paint: Paint) -> Color {
    match paint {
        Paint::Ink => color(INK[0]),
        Paint::Muted => color(MUTED[0]),
        Paint::Grid => color(GRID[0]),
        Paint::Series(series) => series_color(series),
    }
}

fn series_color(series: usize) -> Color {
    color(SERIES[series % SERIES.len()][0])
}

/// The colour of a text such as `#ffffff`.
fn color(hex: &str) -> Color {
    let part = |from| {
        let digits = hex.get(from..from + 2).unwrap_or_default();
        u8::from_str_radix(digits, 16).unwrap_or_default()
    };
    Color::from_rgba8(part(1), part(3), part(5), u8::MAX)
}
