//! The report as text.

use std::io::Write;
use std::mem::replace;

use anstyle::{AnsiColor, Color, Style};
use anyhow::Result;

use super::case::Case;
use super::compare::{Checked, has_hint};
use super::plan::Unchecked;
use super::report::{Counts, Report};
use super::shown::{around, printable};
use crate::output::Output;
use crate::table::{Align, Table};

/// How many failures of a clause are shown, unless the user says so.
const SHOWN: usize = 3;

const BOLD: Style = Style::new().bold();
const RED: Style = BOLD.fg_color(Some(Color::Ansi(AnsiColor::Red)));
const GREEN: Style = BOLD.fg_color(Some(Color::Ansi(AnsiColor::Green)));

impl Report<'_> {
    /// Writes the report as text.
    pub(super) fn write_text(&self, output: &mut Output) -> Result<()> {
        let counts = self.counts();
        let number = |count: usize| if count == 0 { String::new() } else { count.to_string() };
        let unsupported: usize = counts.iter().map(|counts| counts.unsupported).sum();
        let mut table = Table::new()
            .column("clause", Align::Left)
            .styled_column("passed", Align::Right, GREEN)
            .styled_column("failed", Align::Right, RED)
            .styled_column("unanswered", Align::Right, RED);
        if unsupported > 0 {
            table = table.column("unsupported", Align::Right);
        }
        table = table.column("what", Align::Left);
        for counts in &counts {
            let mut cells = vec![counts.clause.to_owned(), counts.passed.to_string()];
            cells.extend([number(counts.failed), number(counts.unanswered)]);
            if unsupported > 0 {
                cells.push(number(counts.unsupported));
            }
            cells.push(counts.title.to_owned());
            table.row(cells);
        }
        table.write(output)?;
        let mut is_shown = false;
        for counts in &counts {
            self.write_failures(output, counts, &mut is_shown)?;
        }
        let passed: usize = counts.iter().map(|counts| counts.passed).sum();
        self.write_unanswered(output)?;
        self.write_unchecked(output)?;
        writeln!(output)?;
        for problem in self.problems.iter().chain(&self.comparison.hints) {
            writeln!(output, "{RED}problem:{RED:#} {}", printable(problem))?;
        }
        if counts.iter().filter(|counts| counts.failed > 0).count() > 1 {
            writeln!(output, "clauses build on each other: begin with the first that fails")?;
        }
        let (style, verdict) = if self.is_right() { (GREEN, "passed") } else { (RED, "failed") };
        let all = self.plan.cases.len();
        write!(output, "{style}{verdict}:{style:#} ")?;
        if passed == all && !self.is_right() {
            writeln!(output, "all {all} answers are right, but see above")?;
        } else if unsupported > 0 {
            writeln!(output, "{passed} of {all} answers are right, {unsupported} are unsupported")?;
        } else {
            writeln!(output, "{passed} of {all} answers are right")?;
        }
        Ok(())
    }

    /// Writes the failures of a clause. Of those that a hint explains, only one is shown.
    fn write_failures(
        &self,
        output: &mut Output,
        counts: &Counts,
        is_shown: &mut bool,
    ) -> Result<()> {
        let pairs = self.pairs().filter(|(case, _)| case.clause == counts.clause);
        let limit = self.limit.unwrap_or(SHOWN);
        let mut written = 0;
        for (case, result) in pairs {
            let Checked::Failed(answer) = result else { continue };
            if written == limit || (has_hint(&case.expected, answer) && replace(is_shown, true)) {
                continue;
            }
            if written == 0 {
                writeln!(output, "\n{BOLD}{}{BOLD:#} {}", counts.clause, counts.title)?;
            }
            written += 1;
            let (at, members) = case.difference(answer);
            let members = members.join(", ");
            let members = if members.is_empty() { String::new() } else { format!(" ({members})") };
            let shown = at.unwrap_or_default();
            write_case(output, case, shown)?;
            writeln!(output, "    answer    {}", around(answer, shown))?;
            match at {
                Some(at) => writeln!(output, "    differs at byte {at}{members}")?,
                None => writeln!(output, "    differs{members}")?,
            }
        }
        if written > 0 && written < counts.failed {
            writeln!(output, "  and {} more", counts.failed - written)?;
        }
        Ok(())
    }

    fn write_unanswered(&self, output: &mut Output) -> Result<()> {
        let mut unanswered = self.pairs().filter(|(_, result)| **result == Checked::Unanswered);
        let Some((first, _)) = unanswered.next() else { return Ok(()) };
        let more = unanswered.count();
        let more = if more == 0 { String::new() } else { format!(" (the first of {})", more + 1) };
        writeln!(output, "\n{BOLD}without an answer{BOLD:#}{more}")?;
        write_case(output, first, 0)
    }

    fn write_unchecked(&self, output: &mut Output) -> Result<()> {
        if self.plan.unchecked.is_empty() {
            return Ok(());
        }
        writeln!(output, "\n{BOLD}not checked by this protocol{BOLD:#}")?;
        let mut table = Table::new()
            .column("clause", Align::Left)
            .column("vectors", Align::Right)
            .column("what", Align::Left)
            .column("why", Align::Left);
        for Unchecked { clause, count, what, why } in &self.plan.unchecked {
            table.row([(*clause).into(), count.to_string(), (*what).into(), (*why).into()]);
        }
        table.write(output)?;
        Ok(())
    }
}

fn write_case(output: &mut Output, case: &Case, at: usize) -> Result<()> {
    writeln!(output, "  {RED}{}{RED:#}: {}", case.id, printable(&case.why))?;
    writeln!(output, "    request   {}", around(&case.request, 0))?;
    writeln!(output, "    expected  {}", around(case.expected.as_bytes(), at))?;
    Ok(())
}
