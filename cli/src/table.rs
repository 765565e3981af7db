//! Tables in columns, for people.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::Style;

/// How the cells of a column are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A table with a line of names above its columns. Every column is as wide as its widest cell.
///
/// A cell is text without colours: a style belongs to a column.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

struct Column {
    name: String,
    align: Align,
    style: Style,
}

/// The style of the names of columns.
pub(crate) const HEADER: Style = Style::new().bold();

/// Between two columns.
const GAP: &str = "  ";

impl Table {
    pub(crate) fn new() -> Self {
        Self { columns: Vec::new(), rows: Vec::new() }
    }

    /// This table with one more column.
    pub(crate) fn column(self, name: &str, align: Align) -> Self {
        self.styled_column(name, align, Style::new())
    }

    /// This table with one more column, whose cells have a style.
    pub(crate) fn styled_column(mut self, name: &str, align: Align, style: Style) -> Self {
        self.columns.push(Column { name: name.to_owned(), align, style });
        self
    }

    /// Adds a row: a cell for each column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let row: Vec<_> = cells.into_iter().collect();
        debug_assert_eq!(row.len(), self.columns.len(), "a cell for each column");
        self.rows.push(row);
    }

    /// The width of all columns and of the gaps between them.
    pub(crate) fn width(&self) -> usize {
        let gaps = GAP.len() * self.columns.len().saturating_sub(1);
        self.widths().iter().sum::<usize>() + gaps
    }

    /// Writes the names and the rows. No line ends with spaces.
    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let widths = self.widths();
        let names = self.columns.iter().map(|column| column.name.clone()).collect();
        self.write_row(to, &widths, &names, |_| HEADER)?;
        for row in &self.rows {
            self.write_row(to, &widths, row, |column| column.style)?;
        }
        Ok(())
    }

    fn widths(&self) -> Vec<usize> {
        let cells = |index: usize| self.rows.iter().filter_map(move |row| row.get(index));
        let widest = |index| cells(index).map(|cell| cell.chars().count()).max().unwrap_or(0);
        let columns = self.columns.iter().enumerate();
        columns.map(|(index, column)| widest(index).max(column.name.chars().count())).collect()
    }

    fn write_row(
        &self,
        to: &mut impl Write,
        widths: &[usize],
        cells: &Vec<String>,
        style: impl Fn(&Column) -> Style,
    ) -> io::Result<()> {
        let mut line = String::new();
        // Spaces that only a further cell needs.
        let mut pending = 0;
        for ((column, width), cell) in self.columns.iter().zip(widths).zip(cells) {
            let padding = width.saturating_sub(cell.chars().count());
            let (before, after) = match column.align {
                Align::Left => (0, padding),
                Align::Right => (padding, 0),
            };
            if cell.is_empty() {
                pending += width + GAP.len();
                continue;
            }
            line.push_str(&" ".repeat(pending + before));
            let style = style(column);
            let _ = write!(line, "{style}{cell}{style:#}");
            pending = after + GAP.len();
        }
        writeln!(to, "{line}")
    }
}

#[cfg(test)]
mod tests {
    use anstyle::Style;

    use super::{Align, Table};

    fn written(table: &Table) -> String {
        let mut bytes = Vec::new();
        table.write(&mut bytes).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(bytes).unwrap()).to_string()
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new()
            .column("retry", Align::Right)
            .column("delay", Align::Right)
            .styled_column("bar", Align::Left, Style::new().bold());
        table.row(["1".into(), "100ms".into(), "\u{2588}".into()]);
        table.row(["10".into(), "9.22e18ns".into(), String::new()]);
        let expected = "\
retry      delay  bar
    1      100ms  \u{2588}
   10  9.22e18ns
";
        assert_eq!(written(&table), expected);
        assert_eq!(table.width(), 21);
    }

    #[test]
    fn an_empty_table_is_its_names() {
        assert_eq!(written(&Table::new().column("a", Align::Left)), "a\n");
    }
}
