//! The evaluator (see tests/README.md). It reads requests, one JSON object per line, and writes the
//! answers: delays, previews, fits, the decisions of operations, steps of budgets, exchanges of shared
//! ones, and the waits that HTTP responses ask for.

mod budgets;
mod request;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use backoff_core::{
    Budget, Operation, Outcome, ParseError, Policy, RandomStream, http_retry_after_ns,
    parse_retry_after_ns,
};

use crate::request::{Action, Fit, Form, Request, Step};

fn main() -> io::Result<()> {
    let input = io::BufReader::with_capacity(1 << 16, io::stdin().lock());
    serve(input, io::BufWriter::with_capacity(1 << 16, io::stdout().lock()))
}

fn serve(mut input: impl BufRead, mut out: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        match request::read(line.strip_suffix(b"\n").unwrap_or(&line)) {
            None => writeln!(out, r#"{{"error":"not_a_request","at":0}}"#),
            Some(Request::RetryAfter { value, now_ns }) => {
                let wait = digits(parse_retry_after_ns(value, now_ns));
                writeln!(out, r#"{{"retry_after":{wait}}}"#)
            }
            Some(Request::Response { status, fields, now_ns }) => {
                let wait = digits(http_retry_after_ns(status, fields, now_ns));
                let outcome = Outcome::from_http_status(status).name();
                writeln!(out, r#"{{"outcome":"{outcome}","retry_after":{wait}}}"#)
            }
            Some(Request::OfState { budget, text, events }) => {
                writeln!(out, "{}", budgets::stepped(&budget, text.as_deref(), &events))
            }
            Some(Request::OfExchange { budget, exchange }) => {
                writeln!(out, "{}", budgets::exchanged(&budget, &exchange))
            }
            Some(Request::OfPolicy { policy, form }) => match Policy::parse(policy) {
                Ok(policy) => answer(&mut out, policy, &form),
                Err(error) => writeln!(out, "{{{}}}", place(&error)),
            },
        }?;
        line.clear();
    }
    out.flush()
}

/// A number as a string of digits, or null.
fn digits(number: Option<u64>) -> String {
    number.map_or("null".to_owned(), |number| format!("\"{number}\""))
}

fn place(error: &ParseError) -> String {
    format!(r#""error":"{}","at":{}"#, error.code().name(), error.at())
}

fn answer(out: &mut impl Write, policy: Policy, form: &Form) -> io::Result<()> {
    match form {
        Form::Delay { stream, index } => {
            let delay = policy.delay_ns(*stream, *index);
            writeln!(out, r#"{{"canonical":"{policy}","delay_ns":"{delay}"}}"#)
        }
        Form::Preview { first, count } => {
            let rows: Vec<String> = policy
                .preview()
                .skip(*first)
                .take(*count)
                .map(|row| {
                    let delays = [row.min_ns, row.mean_ns, row.max_ns];
                    let totals = [row.total_min_ns, row.total_mean_ns, row.total_max_ns];
                    let [min, mean, max] = delays.map(|ns| format!("\"{ns}\""));
                    let [total_min, total_mean, total_max] = totals.map(|ns| format!("\"{ns}\""));
                    format!("[{min},{mean},{max},{total_min},{total_mean},{total_max}]")
                })
                .collect();
            writeln!(out, r#"{{"rows":[{}]}}"#, rows.join(","))
        }
        Form::Fit { field, attempts, total_ns } => {
            let fitted = match field {
                Fit::Base => policy.fit_base(*attempts, *total_ns),
                Fit::Cap => policy.fit_cap(*attempts, *total_ns),
            };
            match fitted {
                Ok(fitted) => writeln!(out, r#"{{"canonical":"{fitted}"}}"#),
                Err(error) => writeln!(
                    out,
                    r#"{{"error":"{}","field":"{}","value":"{}","limit":"{}"}}"#,
                    error.code().name(),
                    error.field().name(),
                    error.value(),
                    error.limit()
                ),
            }
        }
        Form::Steps { budget, stream, steps } => {
            let parsed = budget.as_deref().map(|text| budgets::parse(text, "budget"));
            let budget = match parsed.transpose() {
                Ok(budget) => budget,
                Err(answer) => return writeln!(out, "{answer}"),
            };
            let printed =
                budget.as_ref().map_or("null".to_owned(), |budget| format!("\"{budget}\""));
            let answers = decisions(policy, *stream, budget.as_ref(), steps).join(",");
            writeln!(out, r#"{{"canonical":"{policy}","budget":{printed},"answers":[{answers}]}}"#)
        }
    }
}

/// The answer to each outcome and each cancellation.
fn decisions(
    policy: Policy,
    stream: RandomStream,
    budget: Option<&Budget>,
    steps: &[Step],
) -> Vec<String> {
    let mut operations = BTreeMap::new();
    let mut answers = Vec::new();
    for Step { operation, now_ns, action } in steps {
        if let Action::Begin { deadline_ns } = action {
            let begun = Operation::begin(policy, stream, *now_ns, *deadline_ns, budget);
            operations.insert(operation, begun);
            continue;
        }
        let operation = operations.get_mut(operation).expect("a request begins it");
        let (reason, delay) = match *action {
            Action::Outcome { outcome, retry_after_ns } => {
                let decision = operation.decide(outcome, retry_after_ns, *now_ns, budget);
                (decision.stop_reason(), decision.delay_ns())
            }
            _ => (Some(operation.cancel(budget)), 0),
        };
        let retries = operation.retries();
        answers.push(match reason {
            None => format!(r#"{{"wait":"{delay}","retries":{retries}}}"#),
            Some(reason) => {
                format!(r#"{{"stop":"{reason}","delay":"{delay}","retries":{retries}}}"#)
            }
        });
    }
    answers
}
