//! The report: by clause, as text or as JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::mem::replace;

use anstyle::{AnsiColor, Color, Style};
use anyhow::Result;
use serde::Serialize;

use super::compare::{Checked, Comparison, has_hint};
use super::requests::{Case, Plan, RequestText, Unchecked};
use super::shown::{around, printable};
use crate::output::Output;
use crate::table::{Align, Table};

/// How many failures of a clause are shown, unless the user says so.
const SHOWN: usize = 3;

const BOLD: Style = Style::new().bold();
const RED: Style = BOLD.fg_color(Some(Color::Ansi(AnsiColor::Red)));
const GREEN: Style = BOLD.fg_color(Some(Color::Ansi(AnsiColor::Green)));

pub(crate) struct Report<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) comparison: &'a Comparison,
    pub(crate) problems: &'a [String],
    pub(crate) limit: Option<usize>,
}

#[derive(Serialize, Default)]
struct Tally {
    passed: usize,
    failed: usize,
    unanswered: usize,
    unsupported: usize,
}

#[derive(Serialize)]
struct Counts<'a> {
    clause: &'a str,
    title: &'a str,
    #[serde(flatten)]
    tally: Tally,
}

#[derive(Serialize)]
struct Failure<'a> {
    r#type: &'static str,
    clause: &'a str,
    id: &'a str,
    why: &'a str,
    #[serde(flatten)]
    request: RequestText<'a>,
    expected: &'a str,
    /// `None` if the request was not answered.
    answer: Option<String>,
    at: Option<usize>,
    members: Vec<String>,
}

#[derive(Serialize)]
struct Summary<'a> {
    r#type: &'static str,
    ok: bool,
    #[serde(flatten)]
    all: Tally,
    problems: &'a [String],
    hints: &'a [String],
    clauses: Vec<Counts<'a>>,
    not_checked: &'a [Unchecked],
}

impl Tally {
    fn of<'a>(results: impl Iterator<Item = &'a Checked>) -> Self {
        let mut tally = Self::default();
        for result in results {
            match result {
                Checked::Passed => tally.passed += 1,
                Checked::Failed(_) => tally.failed += 1,
                Checked::Unanswered => tally.unanswered += 1,
                Checked::Unsupported => tally.unsupported += 1,
            }
        }
        tally
    }
}

impl Report<'_> {
    /// Whether the program does all that it should.
    pub(crate) fn is_right(&self) -> bool {
        self.problems.is_empty() && self.comparison.is_right()
    }

    pub(crate) fn write(&self, output: &mut Output) -> Result<()> {
        let written =
            if output.is_json() { self.write_json(output) } else { self.write_text(output) };
        written?;
        Ok(output.flush()?)
    }

    /// What was answered to each case.
    fn pairs(&self) -> impl Iterator<Item = (&Case, &Checked)> {
        self.plan.cases.iter().zip(&self.comparison.results)
    }

    fn counts(&self) -> Vec<Counts<'_>> {
        let pairs: Vec<_> = self.pairs().collect();
        let clauses = pairs.chunk_by(|(case, _), (next, _)| case.clause == next.clause);
        let counts = clauses.map(|pairs| {
            let clause = pairs.first().map_or("", |&(case, _)| case.clause.as_str());
            let tally = Tally::of(pairs.iter().map(|&(_, result)| result));
            Counts { clause, title: self.plan.title(clause), tally }
        });
        counts.collect()
    }

    fn write_json(&self, output: &mut Output) -> Result<()> {
        let mut written = BTreeMap::new();
        for (case, result) in self.pairs() {
            let answer = match result {
                Checked::Passed | Checked::Unsupported => continue,
                Checked::Failed(answer) => Some(answer),
                Checked::Unanswered => None,
            };
            let count = written.entry(&case.clause).or_insert(0);
            *count += 1;
            if self.limit.is_some_and(|limit| *count > limit) {
                continue;
            }
            let (at, members) = answer.map(|answer| case.difference(answer)).unzip();
            output.json(&Failure {
                r#type: "failure",
                clause: &case.clause,
                id: &case.id,
                why: &case.why,
                request: case.request_text(),
                expected: &case.expected,
                answer: answer.map(|answer| String::from_utf8_lossy(answer).into_owned()),
                at: at.flatten(),
                members: members.unwrap_or_default(),
            })?;
        }
        output.json(&Summary {
            r#type: "summary",
            ok: self.is_right(),
            all: Tally::of(self.pairs().map(|(_, result)| result)),
            problems: self.problems,
            hints: &self.comparison.hints,
            clauses: self.counts(),
            not_checked: &self.plan.unchecked,
        })
    }

    fn write_text(&self, output: &mut Output) -> Result<()> {
        let counts = self.counts();
        let number = |count: usize| if count == 0 { String::new() } else { count.to_string() };
        let Tally { passed, unsupported, .. } = Tally::of(self.pairs().map(|(_, result)| result));
        let mut table = Table::new()
            .column("clause", Align::Left)
            .styled_column("passed", Align::Right, GREEN)
            .styled_column("failed", Align::Right, RED)
            .styled_column("unanswered", Align::Right, RED);
        if unsupported > 0 {
            table = table.column("unsupported", Align::Right);
        }
        table = table.column("what", Align::Left);
        for Counts { clause, title, tally } in &counts {
            let mut cells = vec![(*clause).to_owned(), tally.passed.to_string()];
            cells.extend([number(tally.failed), number(tally.unanswered)]);
            if unsupported > 0 {
                cells.push(number(tally.unsupported));
            }
            cells.push((*title).to_owned());
            table.row(cells);
        }
        table.write(output)?;
        let mut is_shown = false;
        for counts in &counts {
            self.write_failures(output, counts, &mut is_shown)?;
        }
        self.write_unanswered(output)?;
        self.write_unchecked(output)?;
        writeln!(output)?;
        for problem in self.problems.iter().chain(&self.comparison.hints) {
            writeln!(output, "{RED}problem:{RED:#} {}", printable(problem))?;
        }
        if counts.iter().filter(|counts| counts.tally.failed > 0).count() > 1 {
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
        if written > 0 && written < counts.tally.failed {
            writeln!(output, "  and {} more", counts.tally.failed - written)?;
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
            table.row([clause.clone(), count.to_string(), what.clone(), why.clone()]);
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
