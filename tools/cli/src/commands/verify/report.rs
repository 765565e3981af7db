//! The report: by clause, as text or as JSON.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use super::case::{Case, RequestText};
use super::clauses;
use super::compare::{Checked, Comparison};
use super::plan::{Plan, Unchecked};
use crate::output::Output;

/// What was checked, and what came of it.
pub(crate) struct Report<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) comparison: &'a Comparison,
    /// Sentences.
    pub(crate) problems: &'a [String],
    /// How many failures of a clause are shown.
    pub(crate) limit: Option<usize>,
}

#[derive(Serialize)]
pub(super) struct Counts {
    pub(super) clause: &'static str,
    pub(super) title: &'static str,
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) unanswered: usize,
    pub(super) unsupported: usize,
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
    unsupported: usize,
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

    /// What was answered to each case.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&Case, &Checked)> {
        self.plan.cases.iter().zip(&self.comparison.results)
    }

    /// The counts of each clause, in order.
    pub(super) fn counts(&self) -> Vec<Counts> {
        let mut counts = Vec::<Counts>::new();
        for (case, result) in self.pairs() {
            let clause = case.clause;
            if counts.last().is_none_or(|last| last.clause != clause) {
                let title = clauses::title(clause);
                let (passed, failed, unanswered, unsupported) = (0, 0, 0, 0);
                counts.push(Counts { clause, title, passed, failed, unanswered, unsupported });
            }
            let Some(last) = counts.last_mut() else { continue };
            match result {
                Checked::Passed => last.passed += 1,
                Checked::Failed(_) => last.failed += 1,
                Checked::Unanswered => last.unanswered += 1,
                Checked::Unsupported => last.unsupported += 1,
            }
        }
        counts
    }

    fn write_json(&self, output: &mut Output) -> Result<()> {
        let mut written = BTreeMap::new();
        for (case, result) in self.pairs() {
            let answer = match result {
                Checked::Passed | Checked::Unsupported => continue,
                Checked::Failed(answer) => Some(answer),
                Checked::Unanswered => None,
            };
            let count = written.entry(case.clause).or_insert(0);
            *count += 1;
            if self.limit.is_some_and(|limit| *count > limit) {
                continue;
            }
            let (at, members) = answer.map(|answer| case.difference(answer)).unzip();
            output.json(&Failure {
                r#type: "failure",
                clause: case.clause,
                id: &case.id,
                why: &case.why,
                request: case.request_text(),
                expected: &case.expected,
                answer: answer.map(|answer| String::from_utf8_lossy(answer).into_owned()),
                at: at.flatten(),
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
            unsupported: sum(|counts| counts.unsupported),
            problems: self.problems,
            hints: &self.comparison.hints,
            clauses,
            not_checked: &self.plan.unchecked,
        })
    }
}
