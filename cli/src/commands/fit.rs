//! `backoff fit`: the longest base or cap that fits into a time.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use backoff_core::ffi::{duration_text, parse_duration_ns};
use backoff_core::{ErrorCode, Field, MAX_NS, Policy, PolicyError};
use clap::{Args, ValueEnum, value_parser};
use serde::Serialize;

use crate::arguments::{PolicyArgument, duration};
use crate::duration::people;
use crate::fields::{Fields, without_limits};
use crate::output::{Output, error_label, message};
use crate::rows::NO_LIMIT;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Policy string or preset
    policy: PolicyArgument,

    /// Number of attempts that must fit, at least 2: one more than the retries
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(2..=65_536))]
    attempts: u64,

    /// Longest total wait, such as 1500ms or 30s
    #[arg(long, value_name = "TIME", value_parser = duration)]
    within: u64,

    /// Field to change
    #[arg(long, value_enum, default_value_t = FieldToFit::Base)]
    field: FieldToFit,
}

const EXAMPLES: &str = "\
The policy is printed on standard output and the explanation on standard error. The time counts
waits, not attempts. The limits of the policy stay as they are. The base or cap is rounded down to
three digits; with --json, `canonical` has the longest that fits, to the nanosecond, and `rounded`
what is printed without it.

Examples:
  backoff fit full:base=1s,cap=20s,max_retries=3 --attempts 4 --within 700ms
  backoff fit full:base=1s --attempts 10 --within 1m --field cap
  POLICY=$(backoff fit default --attempts 4 --within 3s 2>/dev/null)";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FieldToFit {
    Base,
    Cap,
}

impl FieldToFit {
    const fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Cap => "cap",
        }
    }
}

#[derive(Serialize)]
struct Fitted {
    canonical: String,
    rounded: String,
    total_max_ns: String,
}

#[derive(Serialize)]
struct Refused {
    error: &'static str,
    field: &'static str,
    value: String,
    limit: String,
    message: String,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let Arguments { policy, attempts, within, field } = arguments;
    let fitted = match field {
        FieldToFit::Base => policy.fit_base(*attempts, *within),
        FieldToFit::Cap => policy.fit_cap(*attempts, *within),
    };
    match fitted {
        Ok(fitted) => {
            let rounded = rounded(&fitted, field.name());
            if output.is_json() {
                let total = longest_total(&fitted, *attempts);
                output.json(&Fitted {
                    canonical: fitted.to_string(),
                    rounded: rounded.to_string(),
                    total_max_ns: total.to_string(),
                })?;
            } else {
                writeln!(output, "{rounded}")?;
                let total = longest_total(&rounded, *attempts);
                message(explanation(&rounded, arguments, total));
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            if output.is_json() {
                output.json(&refused(&error))?;
            } else {
                message(format_args!("{} {}", error_label(), why(&error, arguments)));
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

/// The policy with its base or cap rounded down to three digits, which fits as well: a shorter one
/// waits no longer. If that breaks a rule, it stays as it is.
fn rounded(fitted: &Policy, field: &str) -> Policy {
    let text = fitted.to_string();
    // The field is the first of the string, or comes after a comma.
    let Some((before, after)) =
        text.split_once(&format!(":{field}=")).or_else(|| text.split_once(&format!(",{field}=")))
    else {
        return *fitted;
    };
    let (value, rest) = after.split_at(after.find(',').unwrap_or(after.len()));
    let Ok(ns) = parse_duration_ns(value) else { return *fitted };
    let unit = 10_u64.pow(ns.max(1).ilog10().saturating_sub(2));
    let separator = &text[before.len()..=before.len()];
    let value = duration_text(ns / unit * unit);
    let text = format!("{before}{separator}{field}={value}{rest}");
    Policy::parse(&text).unwrap_or(*fitted)
}

/// Why nothing fits.
fn why(error: &PolicyError, arguments: &Arguments) -> String {
    if error.code() != ErrorCode::DoesNotFit {
        return error.to_string();
    }
    let Arguments { policy, attempts, within, field } = arguments;
    let name = field.name();
    // The total of the shortest, or the largest number if there is none (SPEC 16.5).
    let total = if error.value() < MAX_NS { people(error.value()) } else { "too long".to_owned() };
    format!(
        "nothing fits: even with the shortest {name}, {attempts} attempts of {} can wait {total}, \
         and that is above {}; allow fewer --attempts or a longer --within",
        policy.policy,
        people(*within),
    )
}

fn refused(error: &PolicyError) -> Refused {
    Refused {
        error: error.code().name(),
        field: error.field().name(),
        value: error.value().to_string(),
        limit: error.limit().to_string(),
        message: error.to_string(),
    }
}

/// The longest total wait of the attempts.
fn longest_total(policy: &Policy, attempts: u64) -> u64 {
    let retries = usize::try_from(attempts - 1).unwrap_or(usize::MAX);
    let rows = without_limits(policy).preview();
    rows.take(retries).last().map_or(0, |row| row.total_max_ns)
}

fn explanation(fitted: &Policy, arguments: &Arguments, total: u64) -> String {
    let Arguments { policy, attempts, within, field } = arguments;
    let name = field.name();
    let field = match field {
        FieldToFit::Base => Field::Base,
        FieldToFit::Cap => Field::Cap,
    };
    let shown = |policy: &Policy| {
        // Only a cap can be missing.
        let fields = Fields::of(policy);
        let value = if field == Field::Cap { fields.limit(field) } else { fields.get(field) };
        value.map_or("none".to_owned(), people)
    };
    let mut lines = vec![format!(
        "{attempts} attempts wait at most {} in total, within {}; the {name} was {} and is {}",
        people(total),
        people(*within),
        shown(policy),
        shown(fitted),
    )];
    let retries = arguments.attempts - 1;
    match policy.max_retries() {
        NO_LIMIT => lines.push(format!(
            "the policy does not limit the number of its retries; to stop it, add \
             max_retries={retries}"
        )),
        limit if limit > retries => lines.push(format!(
            "the policy retries {limit} times; to stop it earlier, set max_retries={retries}"
        )),
        limit if limit < retries => lines.push(format!(
            "the policy stops after {limit} retries; to let it go on, set max_retries={retries}"
        )),
        _ => {}
    }
    let max_elapsed = Fields::of(fitted).limit(Field::MaxElapsed);
    if let Some(max_elapsed) = max_elapsed.filter(|&limit| limit < total) {
        lines.push(format!(
            "max_elapsed={} can stop it earlier; the waits alone take up to {}",
            people(max_elapsed),
            people(total)
        ));
    }
    lines.join("\n")
}
