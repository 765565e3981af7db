//! The simulations of a comparison.

use anyhow::Result;
use backoff_sim::{
    Distribution, Experiment, Group, Load, MAX_TIME_NS, Model, Occ, Probability, Summary,
};

use crate::commands::simulate::summaries;
use crate::scenario::Scenario;

const SECOND: u64 = 1_000_000_000;

/// How long the service is watched after its outage.
pub(super) const WATCHED_NS: u64 = 60 * SECOND;

const CLIENTS: u32 = 100;

#[derive(Debug, Clone, Copy)]
pub(super) struct Common {
    pub(super) runs: u32,
    pub(super) seed: u64,
    pub(super) threads: Option<u16>,
    pub(super) is_hidden: bool,
}

pub(super) fn simulations(common: &Common, groups: &[Group]) -> Result<Vec<(Summary, Summary)>> {
    let Common { runs, seed, threads, is_hidden } = *common;
    let scenario = Scenario {
        rate: 70.0,
        workers: 1,
        service_ns: SECOND / 100,
        // What it can serve before their clients give up.
        capacity: Some(100),
        limit: None,
        timeout_ns: SECOND,
        failure: Probability::ZERO,
        before_ns: 10 * SECOND,
        outage_ns: 10 * SECOND,
        after_ns: WATCHED_NS,
        // Enough for ten attempts of every operation, and for those that arrive until the last has
        // ended: nobody waits for one that never gives up.
        max_events: 400_000,
        seed,
        runs,
    };
    let pairs = groups.iter().map(|group| [occ(common, group), scenario.experiment(group.clone())]);
    let experiments: Vec<_> = pairs.flatten().collect();
    let summaries = summaries(&experiments, threads, is_hidden)?;
    let mut summaries = summaries.into_iter();
    let pair = |_: &Group| Some((summaries.next()?, summaries.next()?));
    Ok(groups.iter().map_while(pair).collect())
}

fn occ(common: &Common, group: &Group) -> Experiment {
    Experiment {
        model: Model::Occ(Occ::default()),
        groups: vec![group.clone()],
        load: Load::Closed {
            clients: CLIENTS,
            operations: 1,
            start: Distribution::Constant(0),
            think: Distribution::Constant(0),
        },
        seed: common.seed,
        runs: common.runs,
        max_time_ns: MAX_TIME_NS,
        max_events: 100_000_000,
        interval_ns: None,
    }
}
