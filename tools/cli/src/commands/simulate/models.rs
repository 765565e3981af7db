//! The models, and their parameters as options.

use backoff_sim::{
    Distribution, GiveUp, Latency, Layers, Model, Occ, Outage, OutageMode, Probability, Queue,
    RateLimit, Rejection, Serial, parse_rate,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use super::options::Options;
use crate::arguments::{duration, number};

/// What clients call.
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "MODEL", subcommand_help_heading = "Models")]
pub(crate) enum ModelArguments {
    /// Clients update one row, each by a read and a write: the article's model
    Occ(OccArguments),
    /// A server serves one client at a time and turns the others away
    Serial(SerialArguments),
    /// A server with workers and a queue; clients time out, and the server can fail
    Queue(QueueArguments),
    /// A server whose latency grows with the number of calls in progress
    Latency(LatencyArguments),
    /// Services that call each other, each of which retries
    Layers(LayersArguments),
}

#[derive(Debug, Args)]
pub(crate) struct OccArguments {
    /// Time that a message takes
    #[arg(long, value_name = "TIMES", default_value_t = Occ::default().leg)]
    leg: Distribution,

    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Args)]
pub(crate) struct SerialArguments {
    /// Time that a call takes, whether it succeeds or fails
    #[arg(long, value_name = "TIMES", default_value_t = Serial::default().service)]
    service: Distribution,

    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Args)]
pub(crate) struct QueueArguments {
    /// Calls that are served at the same time
    #[arg(long, value_name = "N", default_value_t = Queue::default().workers,
        value_parser = number(0..=u32::MAX))]
    workers: u32,

    /// Time that a worker needs for a call
    #[arg(long, value_name = "TIMES", default_value_t = Queue::default().service)]
    service: Distribution,

    /// Most calls that the server holds, waiting or served; it rejects the next [default: no limit]
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX))]
    capacity: Option<u32>,

    /// Most calls that the server admits in a second, as many at once at most; it rejects the next
    /// [default: no limit]
    #[arg(long, value_name = "C", value_parser = parse_rate)]
    limit: Option<f64>,

    /// How long a client waits for an answer, or `none`
    #[arg(long, value_name = "TIME", default_value = "1s")]
    timeout: Limit,

    /// The server drops calls whose client has given up, without serving them
    #[arg(long)]
    drops_stale: bool,

    /// Time that a message takes in each direction
    #[arg(long, value_name = "TIMES", default_value_t = Queue::default().network)]
    network: Distribution,

    #[command(flatten)]
    failures: Failures,

    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Args)]
pub(crate) struct LatencyArguments {
    /// Time of a call that is alone
    #[arg(long, value_name = "TIMES", default_value_t = Latency::default().latency)]
    latency: Distribution,

    /// Time that each other call in progress adds
    #[arg(long, value_name = "TIME", default_value = "10ms", value_parser = duration)]
    per_call: u64,

    /// How long a client waits for an answer, or `none`
    #[arg(long, value_name = "TIME", default_value = "3s")]
    timeout: Limit,

    /// Time that a message takes in each direction
    #[arg(long, value_name = "TIMES", default_value_t = Latency::default().network)]
    network: Distribution,

    #[command(flatten)]
    failures: Failures,

    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Args)]
pub(crate) struct LayersArguments {
    /// Layers that retry, the clients included
    #[arg(
        long,
        value_name = "N",
        default_value_t = Layers::default().layers,
        value_parser = number(1..=32_u32)
    )]
    layers: u32,

    /// How likely a call of the last layer fails
    #[arg(long, value_name = "P", default_value_t = Layers::default().failure)]
    failure: Probability,

    /// Time that a call of the last layer takes
    #[arg(long, value_name = "TIMES", default_value_t = Layers::default().latency)]
    latency: Distribution,

    /// Time that another layer takes before it calls the next
    #[arg(long, value_name = "TIMES", default_value_t = Layers::default().overhead)]
    overhead: Distribution,

    /// What a layer is told when the layer below has given up
    #[arg(long, default_value = "transient", value_parser = named([
        ("transient", GiveUp::Transient, "A failure that it may retry"),
        ("permanent", GiveUp::Permanent, "A failure that it may not retry"),
    ]))]
    give_up: GiveUp,

    #[command(flatten)]
    options: Options,
}

/// Failures of single calls, an outage, and rejections.
#[derive(Debug, Args)]
struct Failures {
    /// How likely a call that was served fails, independently of all others
    #[arg(long, value_name = "P", default_value_t = Probability::ZERO)]
    failure: Probability,

    /// Time in which the server does not serve, such as 10s..15s
    #[arg(long, value_name = "FROM..UNTIL")]
    outage: Option<Times>,

    /// What happens to calls in an outage
    #[arg(long, default_value = "stalled", value_parser = named([
        ("stalled", OutageMode::Stalled, "They wait for its end"),
        ("refusing", OutageMode::Refusing, "They are rejected"),
    ]))]
    outage_mode: OutageMode,

    /// What a client is told whose call is rejected
    #[arg(long, default_value = "throttled", value_parser = named([
        ("throttled", Rejection::Throttled, "That it is throttled"),
        ("transient", Rejection::Transient, "That it failed"),
    ]))]
    rejection: Rejection,

    /// Retry-After of a rejection [default: none]
    #[arg(long, value_name = "TIMES")]
    retry_after: Option<Distribution>,
}

impl Failures {
    fn outage(&self) -> Option<Outage> {
        let Times { from_ns, until_ns } = self.outage?;
        Some(Outage { from_ns, until_ns, mode: self.outage_mode })
    }
}

/// Reads one of these names, each of which has a help of its own.
fn named<T, const N: usize>(values: [(&'static str, T, &'static str); N]) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let names = values.each_ref().map(|(name, _, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).try_map(move |given| {
        let value = values.iter().find(|(name, ..)| *name == given);
        value.map(|(_, value, _)| value.clone()).ok_or("unknown")
    })
}

#[derive(Debug, Clone, Copy)]
struct Times {
    from_ns: u64,
    until_ns: u64,
}

impl std::str::FromStr for Times {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, until) = text.split_once("..").ok_or("expected two times as in 10s..15s")?;
        let (from_ns, until_ns) = (duration(from)?, duration(until)?);
        if from_ns < until_ns {
            Ok(Self { from_ns, until_ns })
        } else {
            Err("it ends before it begins".to_owned())
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Limit(Option<u64>);

impl std::str::FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" { Ok(Self(None)) } else { duration(text).map(|ns| Self(Some(ns))) }
    }
}

impl ModelArguments {
    pub(crate) const fn options(&self) -> &Options {
        match self {
            Self::Occ(arguments) => &arguments.options,
            Self::Serial(arguments) => &arguments.options,
            Self::Queue(arguments) => &arguments.options,
            Self::Latency(arguments) => &arguments.options,
            Self::Layers(arguments) => &arguments.options,
        }
    }

    pub(crate) fn model(&self) -> Model {
        match self {
            Self::Occ(OccArguments { leg, .. }) => Model::Occ(Occ { leg: *leg }),
            Self::Serial(SerialArguments { service, .. }) => {
                Model::Serial(Serial { service: *service })
            }
            Self::Queue(arguments) => Model::Queue(Queue {
                workers: arguments.workers,
                service: arguments.service,
                capacity: arguments.capacity,
                limit: arguments.limit.map(RateLimit::per_second),
                timeout_ns: arguments.timeout.0,
                drops_stale: arguments.drops_stale,
                outage: arguments.failures.outage(),
                rejection: arguments.failures.rejection,
                retry_after: arguments.failures.retry_after,
                network: arguments.network,
                failure: arguments.failures.failure,
            }),
            Self::Latency(arguments) => Model::Latency(Latency {
                latency: arguments.latency,
                per_call_ns: arguments.per_call,
                timeout_ns: arguments.timeout.0,
                network: arguments.network,
                failure: arguments.failures.failure,
                outage: arguments.failures.outage(),
                rejection: arguments.failures.rejection,
                retry_after: arguments.failures.retry_after,
            }),
            Self::Layers(arguments) => Model::Layers(Layers {
                layers: arguments.layers,
                failure: arguments.failure,
                latency: arguments.latency,
                overhead: arguments.overhead,
                give_up: arguments.give_up,
            }),
        }
    }
}
