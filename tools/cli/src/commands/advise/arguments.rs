//! The arguments of `backoff advise`.

use backoff_sim::{Probability, parse_rate};
use clap::Args;

use crate::arguments::{duration, number, seed};
use crate::duration::humanize;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Processes that call the service; each has a budget of its own
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX))]
    pub(super) clients: u32,

    /// Calls that the service can serve in a second
    #[arg(long, value_name = "C", value_parser = parse_rate)]
    pub(super) capacity: f64,

    /// Time that a call takes while the service is idle
    #[arg(long, value_name = "TIME", value_parser = short_duration)]
    pub(super) latency: u64,

    /// Operations that all clients begin in a second [default: 70% of the capacity]
    #[arg(long, value_name = "R", value_parser = parse_rate)]
    pub(super) rate: Option<f64>,

    /// How long a client waits for an answer [default: 10 times the latency]
    #[arg(long, value_name = "TIME", value_parser = short_duration)]
    pub(super) timeout: Option<u64>,

    /// How likely a call that was served fails by itself, from 0 to 0.05, or 0% to 5%
    #[arg(long, value_name = "P", default_value = "0.01", value_parser = rare)]
    pub(super) failure: Probability,

    /// How long the outage is
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = short_duration)]
    pub(super) outage: u64,

    /// The service accepts every call, also those that it cannot serve before their clients give up
    #[arg(long)]
    pub(super) unbounded: bool,

    /// Show all policies that were tried
    #[arg(long)]
    pub(super) all: bool,

    /// Show no progress
    #[arg(long)]
    pub(super) quiet: bool,

    #[command(flatten)]
    pub(super) goals: Goals,

    /// Number of runs of each policy
    #[arg(long, value_name = "N", help_heading = "Runs", default_value_t = 5)]
    #[arg(value_parser = number(1..=1000_u32))]
    pub(super) runs: u32,

    /// Seed: equal seeds give equal advice
    #[arg(long, help_heading = "Runs", default_value = "1", value_parser = seed)]
    pub(super) seed: u64,

    /// Threads; the advice does not depend on them [default: as many as there are cores]
    #[arg(long, value_name = "N", help_heading = "Runs")]
    #[arg(value_parser = number(1..=1024_u16))]
    pub(super) threads: Option<u16>,
}

/// What a policy must reach in normal operation.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Goals")]
pub(crate) struct Goals {
    /// Longest latency of 99 of 100 operations that succeed
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) p99: Option<u64>,

    /// Fewest operations that succeed, such as 99.9% or 0.999
    #[arg(long, value_name = "P", value_parser = share)]
    pub(super) success: Option<f64>,

    /// How long after its beginning an operation may retry
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) deadline: Option<u64>,
}

const EXAMPLES: &str = "\
Each policy is simulated in normal operation, where single calls fail, and with an outage, during
which the service does not serve. Its queue has room for the calls that it can serve before their
clients give up, and it rejects the next. With --unbounded it has no limit: then it must work off
all calls that have come together, of which many have no client any more. If no safe policy is
better than no retries, nothing is recommended, and the exit code is 1.

A service whose capacity and latency are those of less than one worker limits the rate of its calls,
as most third-party APIs do: it answers in the latency, and rejects the calls above its capacity.

Examples:
  backoff advise --clients 50 --capacity 200 --latency 20ms
  backoff advise --clients 10 --capacity 10 --latency 10ms --success 99.9% --p99 1s
  backoff advise --clients 500 --capacity 1000 --latency 5ms --rate 600 --outage 5s";

/// A time that leaves room for a simulation of many of them.
fn short_duration(text: &str) -> Result<u64, String> {
    const MIN: u64 = 1_000;
    const MAX: u64 = 3_600_000_000_000;
    let ns = duration(text)?;
    if (MIN..=MAX).contains(&ns) {
        Ok(ns)
    } else {
        Err(format!("{text} is not from {} to {}", humanize(MIN), humanize(MAX)))
    }
}

/// A share, as a number from 0 to 1 or in percent.
fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    let is_decimal = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let share = number.parse::<f64>().ok().filter(|_| is_decimal).map(|share| share / unit);
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("`{text}` is not a number from 0 to 1, or from 0% to 100%"))
}

/// A probability at which a service can count as recovered, which it does while at most one attempt
/// in ten fails.
fn rare(text: &str) -> Result<Probability, String> {
    const MAX: u32 = 50_000;
    let number = match text.strip_suffix('%') {
        Some(_) => share(text).map(|share| format!("{share:.6}")),
        None => Ok(text.to_owned()),
    };
    let probability = number.ok().and_then(|number| number.parse().ok());
    let rare = probability.filter(|probability: &Probability| probability.millionths() <= MAX);
    rare.ok_or_else(|| format!("`{text}` is not from 0 to 0.05, or from 0% to 5%"))
}
