//! `backoff fit`: the longest base or cap that fits into a time.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use backoff_core::{ErrorCode, Field, FieldValue, MAX_NS, Policy, PolicyError, PreviewRow};
use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::arguments::{PolicyArgument, duration, number};
use crate::duration::{compared, humanize};
use crate::fields::{Fields, without_limits};
use crate::output::{Output, error_label, message};
use crate::rows::{NO_LIMIT, retries};
use crate::usage::refuse;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Policy string or preset
    policy: PolicyArgument,

    /// Number of attempts that must fit, at least 2: one more than the retries
    #[arg(long, value_name = "N", value_parser = number(2..=65_536_u64))]
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
waits, not attempts. The limits of the policy stay as they are, and must allow the attempts. The
base or cap is rounded down to three digits; with --json, `canonical` has the longest that fits, to
the nanosecond, and `rounded` what is printed without it.

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
    const fn field(self) -> Field {
        match self {
            Self::Base => Field::Base,
            Self::Cap => Field::Cap,
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
    if policy.max_retries() < attempts - 1 {
        refuse(ErrorKind::ArgumentConflict, too_few_retries(policy.max_retries(), *attempts));
    }
    let fitted = match field {
        FieldToFit::Base => policy.fit_base(*attempts, *within),
        FieldToFit::Cap => policy.fit_cap(*attempts, *within),
    };
    match fitted {
        Ok(fitted) => {
            let rounded = rounded(&fitted, field.field());
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
            for warning in warnings(&[fitted, rounded], arguments) {
                message(format_args!("warning: {warning}"));
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
pub(crate) fn rounded(fitted: &Policy, field: Field) -> Policy {
    let Some(ns) = fitted.get(field).and_then(FieldValue::as_ns) else { return *fitted };
    let unit = 10_u64.pow(ns.max(1).ilog10().saturating_sub(2));
    let shorter = fitted.to_builder().set(field, FieldValue::from_ns(ns / unit * unit));
    shorter.build().unwrap_or(*fitted)
}

fn too_few_retries(most: u64, attempts: u64) -> String {
    let stops = match most {
        0 => "allows no retries".to_owned(),
        most => format!("stops after {}", retries(most)),
    };
    let needed = attempts - 1;
    let fewer = if most > 0 { format!(", or --attempts {}", most + 1) } else { String::new() };
    format!(
        "--attempts {attempts} needs {}, but the policy {stops}; set max_retries={needed}{fewer}",
        retries(needed)
    )
}

/// What the fit has cost: the longest that fits, and the one that is printed.
fn warnings(fitted: &[Policy; 2], arguments: &Arguments) -> Vec<String> {
    let Arguments { policy, attempts, field, .. } = arguments;
    let fields = Fields::of(&fitted[0]);
    let cap = fields.ns(Field::Cap).filter(|cap| fields.ns(Field::Base) == Some(*cap));
    let is_lost = |has: fn(&Policy, u64) -> bool| {
        has(policy, *attempts) && !fitted.iter().all(|fitted| has(fitted, *attempts))
    };
    let met = cap.map(|cap| match field {
        FieldToFit::Base => {
            format!("the cap, {}, allows no longer base; set a longer cap", humanize(cap))
        }
        FieldToFit::Cap => {
            format!("the cap is as short as the base, {}; set a shorter base", humanize(cap))
        }
    });
    let growth = is_lost(grows).then(|| "the waits no longer grow".to_owned());
    let jitter = is_lost(has_jitter).then(|| {
        "the waits no longer have jitter: clients that fail together retry together".to_owned()
    });
    [met, growth, jitter].into_iter().flatten().collect()
}

fn grows(policy: &Policy, attempts: u64) -> bool {
    let mut rows = rows(policy, attempts).map(|row| row.max_ns);
    let first = rows.next();
    rows.last() > first
}

fn has_jitter(policy: &Policy, attempts: u64) -> bool {
    rows(policy, attempts).any(|row| row.min_ns < row.max_ns)
}

fn why(error: &PolicyError, arguments: &Arguments) -> String {
    if error.code() == ErrorCode::Unused {
        return "a list of waits has no base; use --field cap".to_owned();
    }
    if error.code() != ErrorCode::DoesNotFit {
        return error.to_string();
    }
    let Arguments { policy, attempts, within, field } = arguments;
    let name = field.field().name();
    // The total of the shortest, or the largest number if there is none (SPEC 16.5).
    let (total, limit) = compared(error.value(), *within);
    let total = if error.value() < MAX_NS { total } else { "too long".to_owned() };
    format!(
        "nothing fits: even with the shortest {name}, {attempts} attempts of {} can wait {total}, \
         and that is above {limit}; allow fewer --attempts or a longer --within",
        policy.policy,
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

fn longest_total(policy: &Policy, attempts: u64) -> u64 {
    rows(policy, attempts).last().map_or(0, |row| row.total_max_ns)
}

fn rows(policy: &Policy, attempts: u64) -> impl Iterator<Item = PreviewRow> {
    let retries = usize::try_from(attempts - 1).unwrap_or(usize::MAX);
    without_limits(policy).preview().take(retries)
}

fn explanation(fitted: &Policy, arguments: &Arguments, total: u64) -> String {
    let Arguments { policy, attempts, within, field } = arguments;
    let field = field.field();
    let name = field.name();
    let shown = |policy: &Policy| {
        // Only a cap can be missing.
        Fields::of(policy).ns(field).map_or("none".to_owned(), humanize)
    };
    let mut lines = vec![format!(
        "{attempts} attempts wait at most {} in total, within {}; the {name} was {} and is {}",
        humanize(total),
        humanize(*within),
        shown(policy),
        shown(fitted),
    )];
    let needed = attempts - 1;
    match policy.max_retries() {
        NO_LIMIT => lines.push(format!(
            "the policy does not limit the number of its retries; to stop it, add \
             max_retries={needed}"
        )),
        limit if limit > needed => lines.push(format!(
            "the policy retries {limit} times; to stop it earlier, set max_retries={needed}"
        )),
        _ => {}
    }
    let max_elapsed = Fields::of(fitted).ns(Field::MaxElapsed);
    if let Some(max_elapsed) = max_elapsed.filter(|&limit| limit < total) {
        let (max_elapsed, total) = compared(max_elapsed, total);
        lines.push(format!(
            "max_elapsed={max_elapsed} can stop it earlier; the waits alone take up to {total}"
        ));
    }
    lines.join("\n")
}
