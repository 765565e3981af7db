//! `backoff verify`: plays the vectors through the protocol of evaluators, which
//! `tests/README.md` defines, against any program.

mod compare;
mod exchange;
mod report;
mod requests;
mod shown;
#[cfg(unix)]
mod signals;

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind as ArgumentError;
use serde::Serialize;

use crate::arguments;
use crate::output::{self, Output};
use crate::usage::refuse;

use compare::{Checked, Comparison};
use exchange::Exchange;
use report::Report;
use requests::{Case, MEMBERS, Plan, RequestText};

/// The beginning of what is wrong there.
const IN_SECOND_RUN: &str = "in the second run, on one request that ends in a line feed";

/// Lines that are read although no request is left, to show them.
const MORE_LINES: usize = 16;

const HELP: &str = "\
COMMAND reads requests, lines of JSON, to the end of its input, and writes an answer to each, in
order. tests/README.md of the project defines both, under \"Evaluators\". Errors go to its standard
error.

Exit codes:
  0    every answer is right, to the byte, or {\"unsupported\":true}, and at least one is right
  1    an answer is wrong or missing, none is right, or the command failed, hung or wrote more
  2    invalid arguments
  126  COMMAND cannot be executed
  127  COMMAND was not found

Examples:
  backoff verify -- python3 tests/evaluate.py
  backoff verify --clause 11 -- ./my-port
  backoff verify --only delay_ns -- ./my-port
  backoff verify --list --clause 2.1";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Program that answers requests, with its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "list")]
    command: Vec<OsString>,

    /// Ask only what is about a clause of SPEC.md, such as 11 or 11.5, or `protocol`: which lines are
    /// requests; may be repeated
    #[arg(long, value_name = "CLAUSE", value_parser = requests::clause)]
    clause: Vec<String>,

    /// Compare only this member of the answers, and ask only what has it; may be repeated
    #[arg(long, value_name = "MEMBER", value_parser = PossibleValuesParser::new(MEMBERS))]
    only: Vec<String>,

    /// Print the requests and their answers, and run nothing
    #[arg(long, conflicts_with = "command")]
    list: bool,

    /// Show at most this many failures of each clause [default: 3; with --json, all]
    #[arg(long, value_name = "COUNT", conflicts_with = "list")]
    #[arg(value_parser = arguments::number(0..=usize::MAX))]
    limit: Option<usize>,

    /// End a command that neither reads nor writes for this long
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = timeout)]
    timeout: u64,
}

/// Reads a timeout. Nothing makes progress in no time.
fn timeout(text: &str) -> Result<u64, String> {
    match arguments::duration(text)? {
        0 => Err("it must be longer than 0s".to_owned()),
        ns => Ok(ns),
    }
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let mut plan = Plan::new()?;
    if !arguments.clause.is_empty() {
        plan.only(&arguments.clause);
    }
    if !arguments.only.is_empty() {
        plan.only_members(&arguments.only);
        if plan.cases.is_empty() {
            let text = "no request about these clauses has these members in its answer";
            refuse(ArgumentError::ArgumentConflict, text);
        }
    }
    if arguments.list {
        list(&plan, output)?;
        return Ok(ExitCode::SUCCESS);
    }
    let played = match play(&mut plan, arguments) {
        Ok(played) => played,
        Err(error) => return not_started(error),
    };
    let Played { comparison, problems } = &played;
    let report = Report { plan: &plan, comparison, problems, limit: arguments.limit };
    match report.write(output) {
        // A reader that closes the pipe early still gets the right exit code.
        Err(error) if !crate::is_broken_pipe(&error) => return Err(error),
        _ => {}
    }
    Ok(if report.is_right() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Played {
    comparison: Comparison,
    problems: Vec<String>,
}

/// Asks the command.
///
/// A request that ends in a line feed is the input of a second run. A command that failed is not
/// run again: the plan loses this request.
fn play(plan: &mut Plan, arguments: &Arguments) -> Result<Played> {
    let ask = |cases: &[Case]| -> Result<Played> {
        let requests: Vec<&[u8]> = cases.iter().map(|case| case.request.as_slice()).collect();
        // The last line has no line feed, unless the request has one.
        let input = requests.join(&b'\n');
        let max = cases.len() + MORE_LINES;
        let Exchange { answers, mut problems, status } =
            exchange::run(&arguments.command, input, max, arguments.timeout)?;
        let comparison = Comparison::new(cases, answers);
        problems.extend(status.map(|status| {
            if comparison.results.contains(&Checked::Unanswered) {
                format!(
                    "the command ended early, with {status}; answers it had not flushed are lost, so the \
                     request that ended it may be a later one"
                )
            } else {
                format!("the command ended with {status}")
            }
        }));
        Ok(Played { comparison, problems })
    };
    let is_last = |case: &Case| case.request.ends_with(b"\n");
    let count = plan.cases.len() - usize::from(plan.cases.last().is_some_and(is_last));
    let mut played = ask(&plan.cases[..count])?;
    if !played.problems.is_empty() {
        plan.cases.truncate(count);
    } else if let Some(case) = plan.cases.get(count..).filter(|last| !last.is_empty()) {
        let second = ask(case)?;
        played.comparison.results.extend(second.comparison.results);
        if played.comparison.hints.is_empty() {
            let about = |text: String| format!("{IN_SECOND_RUN}: {text}");
            played.comparison.hints.extend(second.comparison.hints.into_iter().map(about));
            played.problems.extend(second.problems.into_iter().map(about));
        }
    }
    if played.comparison.is_unsupported() {
        let problem = "every answer is unsupported; at least one must be right";
        played.problems.push(problem.to_owned());
    }
    Ok(played)
}

/// The exit codes of shells for a command that cannot be started.
fn not_started(error: anyhow::Error) -> Result<ExitCode> {
    let Some(cause) = error.downcast_ref::<io::Error>() else { return Err(error) };
    let code = if cause.kind() == ErrorKind::NotFound { 127 } else { 126 };
    output::message(format_args!("{} {error:#}", output::error_label()));
    Ok(ExitCode::from(code))
}

fn list(plan: &Plan, output: &mut Output) -> Result<()> {
    #[derive(Serialize)]
    struct Listed<'a> {
        clause: &'a str,
        id: &'a str,
        why: &'a str,
        #[serde(flatten)]
        request: RequestText<'a>,
        expected: &'a str,
    }
    for case in &plan.cases {
        let Case { clause, id, why, expected, .. } = case;
        if output.is_json() {
            let request = case.request_text();
            output.json(&Listed { clause, id, why, request, expected })?;
        } else {
            writeln!(output, "# {clause} {id}: {}", shown::printable(why))?;
            output.write_all(case.request.strip_suffix(b"\n").unwrap_or(&case.request))?;
            writeln!(output, "\n{expected}")?;
        }
    }
    Ok(output.flush()?)
}
