//! Lines made of braille characters: each has two columns and four rows of dots.

pub(crate) struct Dots {
    width: usize,
    /// Row by row: the dots of a character, or a mark on top of them, and the last series there.
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    dots: u8,
    mark: Option<char>,
    series: usize,
}

/// A place in dots, from the upper left corner.
pub(crate) type Dot = (usize, usize);

impl Dots {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Self { width, cells: vec![Cell::default(); width * height] }
    }

    pub(crate) fn line(&mut self, (x1, y1): Dot, (x2, y2): Dot, series: usize) {
        let steps = x1.abs_diff(x2).max(y1.abs_diff(y2)).max(1);
        for step in 0..=steps {
            let between =
                |from: usize, to: usize| (from * (steps - step) + to * step + steps / 2) / steps;
            self.dot((between(x1, x2), between(y1, y2)), series);
        }
    }

    fn dot(&mut self, (x, y): Dot, series: usize) {
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        if let Some(cell) = self.cell((x, y)) {
            if cell.mark.is_none() {
                cell.series = series;
            }
            cell.dots |= BITS[y % 4][x % 2];
        }
    }

    /// Puts a mark over the character of a dot.
    pub(crate) fn mark(&mut self, at: Dot, mark: char, series: usize) {
        if let Some(cell) = self.cell(at) {
            (cell.mark, cell.series) = (Some(mark), series);
        }
    }

    fn cell(&mut self, (x, y): Dot) -> Option<&mut Cell> {
        if x / 2 >= self.width {
            return None;
        }
        self.cells.get_mut(y / 4 * self.width + x / 2)
    }

    /// The characters of a row, and the series of each; none for an empty one.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (char, Option<usize>)> {
        let cells = self.cells.chunks(self.width.max(1)).nth(row).unwrap_or_default();
        cells.iter().map(|cell| match (cell.mark, cell.dots) {
            (Some(mark), _) => (mark, Some(cell.series)),
            (None, 0) => (' ', None),
            (None, dots) => {
                let character = char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' ');
                (character, Some(cell.series))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Dots;

    fn text(dots: &Dots, rows: usize) -> Vec<String> {
        (0..rows).map(|row| dots.row(row).map(|(character, _)| character).collect()).collect()
    }

    /// The dots of U+2800 are numbered 1 2 3 7 on the left and 4 5 6 8 on the right.
    #[test]
    fn lines_are_dots() {
        let mut dots = Dots::new(2, 2);
        dots.line((0, 0), (0, 7), 0);
        assert_eq!(text(&dots, 2), ["\u{2847} ", "\u{2847} "]);
        let mut dots = Dots::new(2, 1);
        dots.line((0, 3), (3, 0), 0);
        assert_eq!(text(&dots, 1), ["\u{2860}\u{280a}"]);
        dots.mark((1, 0), 'x', 1);
        assert_eq!(text(&dots, 1), ["x\u{280a}"]);
        dots.line((0, 0), (100, 100), 0);
        assert_eq!(
            dots.row(0).next(),
            Some(('x', Some(1))),
            "a mark stays, and outside is nothing"
        );
    }
}
