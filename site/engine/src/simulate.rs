//! A simulation in small steps, so that a page can show the charts while they become more exact.

use backoff_sim::{Experiment, ExperimentError, Shard, Summary, Totals};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer;
use crate::error::Refused;
use crate::options::Options;

/// The steps of a point are as many, unless they would have more runs than that.
const ROUNDS: u32 = 20;

/// The most operations of a run: each takes memory of the page.
const MOST_OPERATIONS: u64 = 1_000_000;

/// The most points of all lines: the page draws them while it simulates.
const MOST_POINTS: usize = 2_000;

/// After how many events the page cuts a run: some seconds.
const MOST_EVENTS: u64 = 20_000_000;

/// The options that an error is about, by the words of the error.
const OPTIONS: [(&str, &str); 17] = [
    ("rate limit", "limit"),
    ("clients", "clients"),
    ("operations", "operations"),
    ("runs", "runs"),
    ("processes", "processes"),
    ("arrivals", "rate"),
    ("layers", "layers"),
    ("outage", "outage"),
    ("per call", "per-call"),
    ("timeout", "timeout"),
    ("workers", "workers"),
    ("service", "service"),
    ("capacity", "capacity"),
    ("failure", "failure"),
    ("latency", "latency"),
    ("interval", "interval"),
    ("longest time", "interval"),
];

/// A run of at least this many operations can be long, so it is a step of its own.
const LARGE: u64 = 500;
/// The largest number of such steps.
const LARGE_ROUNDS: u32 = 1_000;

/// A simulation. The last summary of each point is what the command prints, to the last digit.
#[wasm_bindgen]
pub struct Simulation {
    points: Vec<Point>,
    lines: usize,
    rounds: u32,
    next: usize,
    done: u64,
    total: u64,
}

struct Point {
    experiment: Experiment,
    totals: Option<Totals>,
}

#[derive(Serialize)]
struct Begun {
    /// The names of the lines, each of which has the same number of points.
    lines: Vec<String>,
    points: usize,
    outage_ns: Option<[u64; 2]>,
    /// Calls that the server can serve in a second.
    capacity: Option<f64>,
    interval_ns: Option<u64>,
}

#[derive(Serialize)]
struct Stepped {
    /// What part of the work is done, from 0 to 1.
    done: f64,
    /// The number of the point that was worked on, in the order of the command's lines.
    point: usize,
    summary: Summary,
}

#[wasm_bindgen]
impl Simulation {
    /// Reads JSON with `model`, `policies` and `options`.
    ///
    /// # Errors
    /// JSON about the first option that is wrong.
    #[wasm_bindgen(constructor)]
    pub fn new(input: &str) -> Result<Self, String> {
        Self::read(input).map_err(|error| answer::<()>(Err(error)))
    }

    fn read(input: &str) -> Result<Self, Refused> {
        let options: Options =
            serde_json::from_str(input).map_err(|error| Refused::new("model", &error))?;
        let mut sweep = options.sweep()?;
        sweep.max_events = MOST_EVENTS;
        let experiments = sweep.experiments();
        let load = if sweep.rate.is_some() { "rate" } else { "clients" };
        if experiments.len() > MOST_POINTS {
            return Err(too_many(load, "points", experiments.len() as u64, MOST_POINTS as u64));
        }
        let each = (experiments.len() / sweep.lines.len().max(1)).max(1);
        for (number, experiment) in experiments.iter().enumerate() {
            experiment.validate().map_err(|error| refused(&error, number / each))?;
            let operations = experiment.clients();
            if operations > MOST_OPERATIONS {
                return Err(too_many(load, "operations in a run", operations, MOST_OPERATIONS));
            }
        }
        let largest = experiments.iter().map(Experiment::clients).max().unwrap_or(0);
        let fewest =
            if largest < LARGE { sweep.runs / ROUNDS } else { sweep.runs.min(LARGE_ROUNDS) };
        let rounds = sweep.runs.min(ROUNDS).max(fewest).max(1);
        let runs = u64::from(sweep.runs);
        let total = experiments.iter().map(|one| one.clients().saturating_mul(runs)).sum();
        let point = |experiment| Point { experiment, totals: None };
        let points = experiments.into_iter().map(point).collect();
        Ok(Self { points, lines: sweep.lines.len(), rounds, next: 0, done: 0, total })
    }

    /// What charts show beside the points.
    #[must_use]
    pub fn begun(&self) -> String {
        let experiments = || self.points.iter().map(|point| &point.experiment);
        // Each line has as many points as the others.
        let each = (self.points.len() / self.lines.max(1)).max(1);
        let groups = experiments().step_by(each).filter_map(|experiment| experiment.groups.first());
        let model = experiments().next().map(|experiment| &experiment.model);
        let outage = model.and_then(backoff_sim::Model::outage);
        answer(Ok(Begun {
            points: self.points.len(),
            lines: groups.map(|group| group.name.clone()).collect(),
            outage_ns: outage.map(|outage| [outage.from_ns, outage.until_ns]),
            capacity: model.and_then(backoff_sim::Model::capacity),
            interval_ns: experiments().next().and_then(|experiment| experiment.interval_ns),
        }))
    }

    /// Simulates the next runs of a point. Empty at the end.
    pub fn step(&mut self) -> String {
        loop {
            let round = self.next / self.points.len().max(1);
            let number = self.next % self.points.len().max(1);
            let (Some(point), true) = (self.points.get_mut(number), round < self.rounds as usize)
            else {
                return String::new();
            };
            self.next += 1;
            let shard: Shard = match format!("{}/{}", round + 1, self.rounds).parse() {
                Ok(shard) => shard,
                Err(error) => return answer::<()>(Err(Refused::new("runs", &error))),
            };
            let runs = shard.runs(point.experiment.runs).len() as u64;
            if runs == 0 {
                continue;
            }
            let totals = match point.experiment.run(shard, &|| ()) {
                Ok(totals) => totals,
                Err(error) => return answer::<()>(Err(Refused::new("model", &error))),
            };
            match &mut point.totals {
                Some(before) => before.merge(&totals),
                none => *none = Some(totals),
            }
            self.done += point.experiment.clients().saturating_mul(runs);
            let Some(totals) = &point.totals else { continue };
            let summary = point.experiment.summary(totals);
            return answer(Ok(Stepped { done: self.part(), point: number, summary }));
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a part of the work")]
    fn part(&self) -> f64 {
        self.done as f64 / self.total.max(1) as f64
    }
}

fn refused(error: &ExperimentError, line: usize) -> Refused {
    let option = match error {
        ExperimentError::Field(..) => "policy",
        ExperimentError::Budget(_) => "budget",
        ExperimentError::OutOfRange { what, .. } => {
            let named = OPTIONS.iter().find(|(words, _)| what.contains(words));
            named.map_or("model", |&(_, option)| option)
        }
    };
    Refused { number: line, ..Refused::new(option, error) }
}

fn too_many(option: &'static str, what: &str, number: u64, most: u64) -> Refused {
    let message = format!(
        "{number} {what} are more than the {most} that this page simulates (the command takes more)"
    );
    Refused::new(option, &message)
}
