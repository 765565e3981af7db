//! Tables in columns, for people.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::Style;

use crate::bars::terminal_width;

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

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let row: Vec<_> = cells.into_iter().collect();
        debug_assert_eq!(row.len(), self.columns.len(), "a cell for each column");
        self.rows.push(row);
    }

    pub(crate) fn width(&self) -> usize {
        let gaps = GAP.len() * self.columns.len().saturating_sub(1);
        self.widths().iter().sum::<usize>() + gaps
    }

    /// Writes the names and the rows, in lines that the terminal has room for. No line ends with
    /// spaces.
    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        self.write_within(terminal_width(), to)
    }

    /// Text that is too wide goes on in the next line. If that is not enough, the columns on the
    /// right follow below, beside the names of the rows.
    fn write_within(&self, width: usize, to: &mut impl Write) -> io::Result<()> {
        let widths = self.narrowed(width);
        for (number, block) in self.blocks(&widths, width).iter().enumerate() {
            if number > 0 {
                writeln!(to)?;
            }
            self.write_block(to, &widths, block)?;
        }
        Ok(())
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.columns.iter().enumerate();
        let widest = |(index, column): (_, &Column)| {
            self.widest_cell(index).max(column.name.chars().count())
        };
        columns.map(widest).collect()
    }

    /// The widths of the columns. Text and names are made narrower where the table is too wide;
    /// numbers stay in one piece.
    fn narrowed(&self, width: usize) -> Vec<usize> {
        let mut widths = self.widths();
        let columns = self.columns.iter().enumerate();
        let least: Vec<_> = columns
            .map(|(index, column)| match column.align {
                Align::Left => NARROWEST,
                Align::Right => self.widest_cell(index).max(NARROWEST),
            })
            .collect();
        while total(widths.iter().copied()) > width {
            let wide = widths.iter_mut().zip(&least).filter(|(width, least)| **width > **least);
            let Some((widest, _)) = wide.max_by_key(|(width, _)| **width) else { break };
            *widest -= 1;
        }
        widths
    }

    fn widest_cell(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    }

    /// The columns of each part: those that name the rows, and as many others as there is room for.
    fn blocks(&self, widths: &[usize], width: usize) -> Vec<Vec<usize>> {
        let texts = self.columns.iter().take_while(|column| column.align == Align::Left).count();
        // A number names the rows if nothing else does.
        let names = texts.clamp(1, widths.len().max(1));
        let mut blocks = Vec::new();
        let mut block = Vec::new();
        for column in 0..widths.len() {
            block.push(column);
            if block.len() > names + 1 && total(block.iter().map(|&column| widths[column])) > width
            {
                block.pop();
                blocks.push(block);
                block = (0..names).chain([column]).collect();
            }
        }
        blocks.push(block);
        blocks
    }

    fn write_block(
        &self,
        to: &mut impl Write,
        widths: &[usize],
        block: &[usize],
    ) -> io::Result<()> {
        let names: Vec<_> = self.columns.iter().map(|column| column.name.clone()).collect();
        self.write_row(to, (widths, block), &names, |_| HEADER)?;
        for row in &self.rows {
            self.write_row(to, (widths, block), row, |column| column.style)?;
        }
        Ok(())
    }

    fn write_row(
        &self,
        to: &mut impl Write,
        (widths, block): (&[usize], &[usize]),
        cells: &[String],
        style: impl Fn(&Column) -> Style,
    ) -> io::Result<()> {
        let cell = |&column: &usize| {
            let (cell, width) = (cells.get(column)?, *widths.get(column)?);
            Some((self.columns.get(column)?, width, wrapped(cell, width)))
        };
        let cells: Vec<_> = block.iter().filter_map(cell).collect();
        let height = cells.iter().map(|(.., lines)| lines.len()).max().unwrap_or(1);
        for number in 0..height {
            let mut line = String::new();
            // Spaces that only a further cell needs.
            let mut pending = 0;
            for (column, width, lines) in &cells {
                let cell = lines.get(number).map_or("", String::as_str);
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
            writeln!(to, "{line}")?;
        }
        Ok(())
    }
}

/// Text is not made narrower than this.
const NARROWEST: usize = 20;

fn total(widths: impl Iterator<Item = usize>) -> usize {
    widths.map(|width| width + GAP.len()).sum::<usize>().saturating_sub(GAP.len())
}

/// The text in lines of at most this many characters, which end after a space, a comma or another
/// mark that separates the parts of a policy, where there is one. Lines after the first are indented
/// as much as the text is, and a little more.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let indent = characters.iter().take_while(|character| **character == ' ').count() + 2;
    let mut lines = Vec::new();
    let mut rest = characters.as_slice();
    loop {
        let indent = if lines.is_empty() { 0 } else { indent.min(width / 2) };
        let room = (width - indent).max(1);
        if rest.len() <= room {
            let line: String = rest.iter().collect();
            lines.push(" ".repeat(indent) + &line);
            return lines;
        }
        let (line, _) = rest.split_at(room);
        let end = line.iter().rposition(|character| [' ', ',', ';'].contains(character));
        // Not after the spaces that the text begins with.
        let end = end.filter(|&end| line[..end].iter().any(|character| *character != ' '));
        let end = end.map_or(room, |end| end + 1);
        let (line, after) = rest.split_at(end);
        let line: String = line.iter().collect();
        lines.push(" ".repeat(indent) + line.trim_end());
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use anstyle::Style;

    use super::{Align, Table};

    fn written(table: &Table) -> String {
        within(80, table)
    }

    fn within(width: usize, table: &Table) -> String {
        let mut bytes = Vec::new();
        table.write_within(width, &mut bytes).unwrap();
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

    fn wide() -> Table {
        let mut table = Table::new()
            .column("clients with", Align::Left)
            .column("calls", Align::Right)
            .column("success", Align::Right)
            .column("p99", Align::Right);
        let cells = ["full:base=100ms,cap=20s,max_retries=3", "1,000", "99.9%", "1.2s"];
        table.row(cells.map(str::to_owned));
        table.row(["none", "2", "100%", "10ms"].map(str::to_owned));
        table
    }

    #[test]
    fn text_that_is_too_wide_goes_on_below() {
        let expected = "\
clients with               calls  success   p99
full:base=100ms,cap=20s,   1,000    99.9%  1.2s
  max_retries=3
none                           2     100%  10ms
";
        assert_eq!(within(47, &wide()), expected);
        assert_eq!(within(61, &wide()).lines().count(), 3, "it has room");
    }

    #[test]
    fn columns_that_have_no_room_follow_below() {
        let expected = "\
clients with          calls  success
full:base=100ms,      1,000    99.9%
  cap=20s,
  max_retries=3
none                      2     100%

clients with           p99
full:base=100ms,      1.2s
  cap=20s,
  max_retries=3
none                  10ms
";
        assert_eq!(within(38, &wide()), expected);
        for width in 1..70 {
            let text = within(width, &wide());
            let fits = text.lines().all(|line| line.chars().count() <= width.max(29));
            assert!(fits, "{width}: {text}");
        }
    }

    #[test]
    fn an_empty_table_is_its_names() {
        assert_eq!(written(&Table::new().column("a", Align::Left)), "a\n");
    }
}
