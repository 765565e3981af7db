//! The options of all models.

use std::path::PathBuf;

use backoff_sim::{Clients, Distribution, Numbers, Rates, Shard};
use clap::Args;

use super::clients::{Defaults, clients};
use crate::arguments::{duration, number, seed};
use crate::report::ReportOptions;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A policy to simulate, `[NAME=]POLICY[;budget=B][;processes=N][;deadline=TIME]`; repeat it to
    /// compare policies [default: none, exponential, full, equal and decorrelated]
    #[arg(long, value_name = "POLICY", help_heading = "Clients", value_parser = clients)]
    pub(crate) policy: Vec<Clients>,

    /// Some of the clients of one simulation, as --policy, and `;weight=N` for their share
    #[arg(long, value_name = "POLICY", help_heading = "Clients", conflicts_with = "policy",
        value_parser = clients)]
    pub(crate) group: Vec<Clients>,

    #[command(flatten, next_help_heading = "Clients")]
    pub(crate) defaults: Defaults,

    /// Numbers of clients, such as 10,20,50 or 10-190:10, which is from 10 to 190 in steps of 10
    #[arg(long, value_name = "NUMBERS", help_heading = "Load", conflicts_with = "rate")]
    pub(crate) clients: Option<Numbers>,

    /// Operations of each client, one after another
    #[arg(long, value_name = "N", help_heading = "Load", conflicts_with = "rate",
        default_value_t = 1, value_parser = number(1..=u32::MAX))]
    pub(crate) operations: u32,

    /// When clients begin their first operation
    #[arg(
        long,
        value_name = "TIMES",
        help_heading = "Load",
        conflicts_with = "rate",
        default_value = "0s"
    )]
    pub(crate) start: Distribution,

    /// Time between two operations of a client
    #[arg(
        long,
        value_name = "TIMES",
        help_heading = "Load",
        conflicts_with = "rate",
        default_value = "0s"
    )]
    pub(crate) think: Distribution,

    /// Operations that arrive in a second at random times, such as 50,70.5 or 50-100:10, each from
    /// a client of its own
    #[arg(long, value_name = "NUMBERS", help_heading = "Load")]
    pub(crate) rate: Option<Rates>,

    /// How long operations arrive
    #[arg(long, value_name = "TIME", help_heading = "Load", default_value = "1m",
        conflicts_with = "clients", value_parser = duration)]
    pub(crate) duration: u64,

    /// Number of runs of each point
    #[arg(long, value_name = "N", help_heading = "Runs", default_value_t = 100,
        value_parser = number(0..=u32::MAX))]
    pub(crate) runs: u32,

    /// Seed: equal seeds give equal results on every machine
    #[arg(long, help_heading = "Runs", default_value = "1", value_parser = seed)]
    pub(crate) seed: u64,

    /// When a run is cut [default: never, or after 2^20 intervals]
    #[arg(long, value_name = "TIME", help_heading = "Runs", value_parser = duration)]
    pub(crate) max_time: Option<u64>,

    /// After how many events a run is cut
    #[arg(long, value_name = "N", help_heading = "Runs", default_value_t = 1_000_000_000,
        value_parser = number(0..=u64::MAX))]
    pub(crate) max_events: u64,

    /// Measure the load over time in intervals of this length, which a run has at most 2^20 of
    #[arg(long, value_name = "TIME", help_heading = "Runs", value_parser = duration)]
    pub(crate) interval: Option<u64>,

    /// Threads; results do not depend on them [default: as many as there are cores]
    #[arg(long, value_name = "N", help_heading = "Runs",
        value_parser = number(1..=1024_u16))]
    pub(crate) threads: Option<u16>,

    /// Run only part I of N of the runs, and write what `backoff merge` reads
    #[arg(long, value_name = "I/N", help_heading = "Runs",
        conflicts_with_all = ["csv", "svg", "chart"])]
    pub(crate) shard: Option<Shard>,

    /// File of the part [default: standard output]
    #[arg(long, value_name = "FILE", help_heading = "Runs", requires = "shard")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) report: ReportOptions,

    /// Show no progress
    #[arg(long, help_heading = "Results")]
    pub(crate) quiet: bool,
}
