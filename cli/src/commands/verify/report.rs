//! The report: by clause, as text or as JSON.

use std::collections::BTreeMap;
use std::io::Write;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use serde::Serialize;

use super::clauses;
use super::compare::{Checked, Comparison, difference};
use super::plan::{Case, Plan, RequestText, Unchecked};
use super::shown::{around, printable};
use crate::output::Output;
use crate::table::{Align, Table};

/// How many failures of a clause the text shows, unless the user says so.
const SHOWN: usize = 3;

const BOLD: Style = Style::new().bold();
const RED: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const GREEN: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));

/// What was checked, and what came of it.
pub(crate) struct Report<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) comparison: &'a Comparison,
    /// Sentences.
    pub(crate) problems: Vec<String>,
    /// How many failures of a clause are shown.
    pub(crate) limit: Option<usize>,
}

#[derive(Serialize)]
struct Counts {
    clause: &'static str,
    title: &'static str,
    passed: usize,
    failed: usize,
    unanswered: usize,
}

#[derive(Serialize)]
struct Failure<'a> {
    r#type: &'static str,
    clause: &'static str,
    id: &'a str,
    why: &'a str,
    #[serde(flatten)]
    request: RequestText<'a>,
    expected: &'a str,
    /// `None` if the request was not answered.
    answer: Option<String>,
    /// The first byte that differs.
    at: Option<usize>,
    members: Vec<String>,
}

#[derive(Serialize)]
struct Summary<'a> {
    r#type: &'static str,
    ok: bool,
    passed: usize,
    failed: usize,
    unanswered: usize,
    problems: &'a [String],
    hints: &'a [String],
    clauses: Vec<Counts>,
    not_checked: &'a [Unchecked],
}

impl Report<'_> {
    /// Whether the program does all that it should.
    pub(crate) fn is_right(&self) -> bool {
        self.problems.is_empty() && self.comparison.is_right()
    }

    /// Writes the report.
    pub(crate) fn write(&self, output: &mut Output) -> Result<()> {
        let written =
            if output.is_json() { self.write_json(output) } else { self.write_text(output) };
        written?;
        Ok(output.flush()?)
    }

    fn pairs(&self) -> impl Iterator<Item = (&Case, &Checked)> {
        self.plan.cases.iter().zip(&self.comparison.results)
    }

    /// The counts of each clause, in order.
    fn counts(&self) -> Vec<Counts> {
        let mut counts = Vec::<Counts>::new();
        for (case, result) in self.pairs() {
            let clause = case.clause;
            if counts.last().is_none_or(|last| last.clause != clause) {
                let title = clauses::title(clause);
                counts.push(Counts { clause, title, passed: 0, failed: 0, unanswered: 0 });
            }
            let Some(last) = counts.last_mut() else { continue };
            match result {
                Checked::Passed => last.passed += 1,
                Checked::Failed(_) => last.failed += 1,
                Checked::Unanswered => last.unanswered += 1,
            }
        }
        counts
    }

    fn write_json(&self, output: &mut Output) -> Result<()> {
        let mut written = BTreeMap::new();
        for (case, result) in self.pairs() {
            let answer = match result {
                Checked::Passed => continue,
                Checked::Failed(answer) => Some(answer),
                Checked::Unanswered => None,
            };
            let count = written.entry(case.clause).or_insert(0);
            *count += 1;
            if self.limit.is_some_and(|limit| *count > limit) {
                continue;
            }
            let (at, members) = answer.map(|answer| difference(&case.expected, answer)).unzip();
            output.json(&Failure {
                r#type: "failure",
                clause: case.clause,
                id: &case.id,
                why: &case.why,
                request: case.request_text(),
                expected: &case.expected,
                answer: answer.map(|answer| String::from_utf8_lossy(answer).into_owned()),
                at,
                members: members.unwrap_or_default(),
            })?;
        }
        let clauses = self.counts();
        let sum = |of: fn(&Counts) -> usize| clauses.iter().map(of).sum();
        output.json(&Summary {
            r#type: "summary",
            ok: self.is_right(),
            passed: sum(|counts| counts.passed),
            failed: sum(|counts| counts.failed),
            unanswered: sum(|counts| counts.unanswered),
            problems: &self.problems,
            hints: &self.comparison.hints,
            clauses,
            not_checked: &self.plan.unchecked,
        })
    }

    fn write_text(&self, output: &mut Output) -> Result<()> {
        let counts = self.counts();
        let number = |count: usize| if count == 0 { String::new() } else { count.to_string() };
        let mut table = Table::new()
            .column("clause", Align::Left)
            .styled_column("passed", Align::Right, GREEN)
            .styled_column("failed", Align::Right, RED)
            .styled_column("unanswered", Align::Right, RED)
            .column("what", Align::Left);
        for Counts { clause, title, passed, failed, unanswered } in &counts {
            let cells = [passed.to_string(), number(*failed), number(*unanswered)];
            table.row(
                [vec![(*clause).to_owned()], cells.into(), vec![(*title).to_owned()]].concat(),
            );
        }
        table.write(output)?;
        for counts in &counts {
            self.write_failures(output, counts)?;
        }
        let passed: usize = counts.iter().map(|counts| counts.passed).sum();
        self.write_unanswered(output)?;
        self.write_unchecked(output)?;
        writeln!(output)?;
        for problem in self.problems.iter().chain(&self.comparison.hints) {
            writeln!(output, "{RED}problem:{RED:#} {}", printable(problem))?;
        }
        if !self.is_right() {
            writeln!(output, "clauses build on each other: begin with the first that fails")?;
        }
        let (style, verdict) = if self.is_right() { (GREEN, "passed") } else { (RED, "failed") };
        let all = self.plan.cases.len();
        writeln!(output, "{style}{verdict}:{style:#} {passed} of {all} requests")?;
        Ok(())
    }

    fn write_failures(&self, output: &mut Output, counts: &Counts) -> Result<()> {
        let failures = self.pairs().filter(|(case, _)| case.clause == counts.clause);
        let failures = failures.filter_map(|(case, result)| match result {
            Checked::Failed(answer) => Some((case, answer)),
            _ => None,
        });
        let limit = self.limit.unwrap_or(SHOWN);
        if counts.failed > 0 {
            let Counts { clause, title, failed, .. } = counts;
            let count = if *failed > limit {
                format!(" (first {limit} of {failed})")
            } else {
                String::new()
            };
            writeln!(output, "\n{BOLD}{clause}{BOLD:#} {title}{count}")?;
        }
        for (case, answer) in failures.take(limit) {
            let (at, members) = difference(&case.expected, answer);
            let members = if members.is_empty() {
                String::new()
            } else {
                format!(" ({})", members.join(", "))
            };
            writeln!(output, "  {RED}{}{RED:#}: {}", case.id, printable(&case.why))?;
            writeln!(output, "    request   {}", around(&case.request, 0))?;
            writeln!(output, "    expected  {}", around(case.expected.as_bytes(), at))?;
            writeln!(output, "    answer    {}", around(answer, at))?;
            writeln!(output, "    differs at byte {at}{members}")?;
        }
        Ok(())
    }

    fn write_unanswered(&self, output: &mut Output) -> Result<()> {
        let mut unanswered = self.pairs().filter(|(_, result)| **result == Checked::Unanswered);
        let Some((first, _)) = unanswered.next() else { return Ok(()) };
        let more = unanswered.count();
        let more = if more == 0 { String::new() } else { format!(" (the first of {})", more + 1) };
        writeln!(output, "\n{BOLD}without an answer{BOLD:#}{more}")?;
        writeln!(output, "  {RED}{}{RED:#}: {}", first.id, printable(&first.why))?;
        writeln!(output, "    request   {}", around(&first.request, 0))?;
        writeln!(output, "    expected  {}", around(first.expected.as_bytes(), 0))?;
        Ok(())
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
