//! `backoff verify`: plays the vectors through the protocol of evaluators, which
//! `tests/README.md` defines, against any program.

mod clauses;
mod compare;
mod decisions;
mod delays;
mod exchange;
mod insight;
mod lines;
mod plan;
mod protocol;
mod report;
mod shown;
mod strings;
mod text;
mod vectors;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::arguments;
use crate::duration::people;
use crate::output::Output;

use compare::Comparison;
use exchange::{Exchange, Problem};
use lines::LineTooLong;
use plan::{Case, Plan, RequestText};
use report::Report;

/// Lines that are read although no request is left, to show them.
const MORE_LINES: usize = 16;

const HELP: &str = "\
COMMAND reads requests, lines of JSON, to the end of its input, and writes an answer to each, in
order. tests/README.md of the project defines both, under \"Evaluators\". Errors go to its standard
error.

Exit codes:
  0    every answer is right, to the byte
  1    an answer is wrong or missing, or the command failed, hung or wrote more
  2    invalid arguments

Examples:
  backoff verify -- python3 tests/evaluate.py
  backoff verify --clause 11 -- ./my-port
  backoff verify --list --clause 2.1";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Program that answers requests, with its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "list")]
    command: Vec<OsString>,

    /// Ask only what is about a clause of SPEC.md, such as 11 or 11.5; may be repeated
    #[arg(long, value_name = "CLAUSE", value_parser = clauses::argument)]
    clause: Vec<String>,

    /// Print the requests and their answers, and run nothing
    #[arg(long, conflicts_with = "command")]
    list: bool,

    /// Show at most this many failures of each clause [default: 3; with --json, all]
    #[arg(long, value_name = "COUNT")]
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
    if arguments.list {
        list(&plan, output)?;
        return Ok(ExitCode::SUCCESS);
    }
    let requests: Vec<&[u8]> = plan.cases.iter().map(|case| case.request.as_slice()).collect();
    // The last line has no line feed.
    let input = requests.join(&b'\n');
    let most = plan.cases.len() + MORE_LINES;
    let timeout = Duration::from_nanos(arguments.timeout);
    let Exchange { answers, problems } = exchange::run(&arguments.command, input, most, timeout)?;
    let problems = problems.iter().map(|problem| sentence(problem, arguments.timeout)).collect();
    let comparison = &Comparison::new(&plan.cases, answers);
    let report = Report { plan: &plan, comparison, problems, limit: arguments.limit };
    match report.write(output) {
        // Whoever reads only the first lines gets the exit code all the same.
        Err(error) if !crate::is_broken_pipe(&error) => return Err(error),
        _ => {}
    }
    Ok(if report.is_right() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
            output.write_all(&case.request)?;
            writeln!(output, "\n{expected}")?;
        }
    }
    Ok(output.flush()?)
}

fn sentence(problem: &Problem, timeout: u64) -> String {
    let timeout = people(timeout);
    match problem {
        Problem::Hung => format!("the command neither read nor wrote anything for {timeout}"),
        Problem::StillRuns => {
            format!("the command closed its output, and still ran after {timeout}")
        }
        Problem::Ended(status) => format!("the command ended with {status}"),
        Problem::InputClosed { read, of } => {
            format!("the command closed its input after it had read about {read} of {of} bytes")
        }
        Problem::Unreadable(error) => format!("the output cannot be read: {error}"),
        Problem::TooManyAnswers => "the command writes more lines than it has requests".to_owned(),
        Problem::AnswerTooLong(LineTooLong { after }) => {
            let answers = if *after == 1 { "answer" } else { "answers" };
            format!("after {after} {answers} the command writes a line without end")
        }
        Problem::NoLastLineFeed => "the last answer does not end in a line feed".to_owned(),
    }
}
