//! The options of `backoff simulate MODEL`, by their names.

use std::collections::BTreeMap;
use std::str::FromStr;

use backoff_core::parse_duration_ns;
use backoff_sim::{
    Clients, ClientsDefaults, GiveUp, Latency, Layers, Model, Occ, Outage, OutageMode, Queue,
    RateLimit, Rejection, Serial, Sweep, parse_rate,
};
use serde::Deserialize;

use crate::error::Refused;
use crate::policy::{budget_of, seed_of};

/// What is simulated: the model, the policies, and the options by their names, without `--`.
#[derive(Deserialize)]
pub(crate) struct Options {
    model: String,
    policies: Vec<String>,
    #[serde(rename = "options")]
    values: BTreeMap<String, String>,
}

impl Options {
    /// The sweep, in which each policy is a line.
    pub(crate) fn sweep(&self) -> Result<Sweep, Refused> {
        let mut sweep = Sweep::new(self.model()?);
        let budget = self.values.get("budget").map_or("", String::as_str);
        budget_of(budget)?;
        let defaults = ClientsDefaults {
            budget: (!budget.is_empty()).then(|| budget.to_owned()),
            processes: self.read("processes")?,
            deadline_ns: self.with("deadline", time)?,
        };
        for (number, text) in self.policies.iter().enumerate() {
            let clients: Clients = text.parse().map_err(|error| Refused::clients(number, error))?;
            sweep.lines.push(vec![clients.group(&defaults)]);
        }
        sweep.clients = self.read("clients")?;
        sweep.rate = self.read("rate")?;
        self.set("operations", &mut sweep.operations)?;
        self.set("start", &mut sweep.start)?;
        self.set("think", &mut sweep.think)?;
        self.set("runs", &mut sweep.runs)?;
        if let Some(ns) = self.with("duration", time)? {
            sweep.duration_ns = ns;
        }
        if let Some(seed) = self.values.get("seed") {
            sweep.seed = seed_of(seed)?;
        }
        sweep.interval_ns = self.with("interval", time)?;
        Ok(sweep)
    }

    fn model(&self) -> Result<Model, Refused> {
        Ok(match self.model.as_str() {
            "occ" => {
                let mut model = Occ::default();
                self.set("leg", &mut model.leg)?;
                Model::Occ(model)
            }
            "serial" => {
                let mut model = Serial::default();
                self.set("service", &mut model.service)?;
                Model::Serial(model)
            }
            "queue" => {
                let mut model = Queue::default();
                self.set("workers", &mut model.workers)?;
                self.set("service", &mut model.service)?;
                self.set("network", &mut model.network)?;
                self.set("failure", &mut model.failure)?;
                model.capacity = self.read("capacity")?;
                model.limit = self.with("limit", parse_rate)?.map(RateLimit::per_second);
                model.drops_stale = self.values.contains_key("drops-stale");
                if let Some(timeout_ns) = self.with("timeout", limit)? {
                    model.timeout_ns = timeout_ns;
                }
                model.outage = self.outage()?;
                model.rejection = self.rejection()?;
                model.retry_after = self.read("retry-after")?;
                Model::Queue(model)
            }
            "latency" => {
                let mut model = Latency::default();
                self.set("latency", &mut model.latency)?;
                self.set("network", &mut model.network)?;
                self.set("failure", &mut model.failure)?;
                if let Some(ns) = self.with("per-call", time)? {
                    model.per_call_ns = ns;
                }
                if let Some(timeout_ns) = self.with("timeout", limit)? {
                    model.timeout_ns = timeout_ns;
                }
                model.outage = self.outage()?;
                model.rejection = self.rejection()?;
                model.retry_after = self.read("retry-after")?;
                Model::Latency(model)
            }
            "layers" => {
                let mut model = Layers::default();
                self.set("layers", &mut model.layers)?;
                self.set("failure", &mut model.failure)?;
                self.set("latency", &mut model.latency)?;
                self.set("overhead", &mut model.overhead)?;
                model.give_up = self.one_of(
                    "give-up",
                    [("transient", GiveUp::Transient), ("permanent", GiveUp::Permanent)],
                )?;
                Model::Layers(model)
            }
            other => return Err(Refused::new("model", &format!("unknown model `{other}`"))),
        })
    }

    fn outage(&self) -> Result<Option<Outage>, Refused> {
        let mode = self.one_of(
            "outage-mode",
            [("stalled", OutageMode::Stalled), ("refusing", OutageMode::Refusing)],
        )?;
        self.with("outage", |text| {
            let (from, until) = text.split_once("..").ok_or("expected two times as in 10s..15s")?;
            let ns = |text| time(text).map_err(|error| error.to_string());
            let (from_ns, until_ns) = (ns(from)?, ns(until)?);
            let outage = Outage { from_ns, until_ns, mode };
            (from_ns < until_ns)
                .then_some(outage)
                .ok_or_else(|| "it ends before it begins".to_owned())
        })
    }

    fn rejection(&self) -> Result<Rejection, Refused> {
        self.one_of(
            "rejection",
            [("throttled", Rejection::Throttled), ("transient", Rejection::Transient)],
        )
    }

    /// Reads an option, if it is there.
    fn with<T, E: ToString>(
        &self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Refused> {
        let text = self.values.get(name);
        let refused = |error: E| Refused::new(name, &error);
        text.map(|text| read(text).map_err(refused)).transpose()
    }

    fn read<T: FromStr<Err: ToString>>(&self, name: &'static str) -> Result<Option<T>, Refused> {
        self.with(name, str::parse)
    }

    fn set<T: FromStr<Err: ToString>>(
        &self,
        name: &'static str,
        to: &mut T,
    ) -> Result<(), Refused> {
        if let Some(value) = self.read(name)? {
            *to = value;
        }
        Ok(())
    }

    /// The value of a name; the first is the default.
    fn one_of<T: Copy>(&self, name: &'static str, values: [(&str, T); 2]) -> Result<T, Refused> {
        let [(first, default), (second, _)] = values;
        let named = self.with(name, |given| {
            let value = values.iter().find(|(name, _)| *name == given);
            value.map(|&(_, value)| value).ok_or_else(|| format!("expected {first} or {second}"))
        })?;
        Ok(named.unwrap_or(default))
    }
}

fn time(text: &str) -> Result<u64, backoff_core::DurationError> {
    parse_duration_ns(text)
}

/// Reads a time, or `none`.
fn limit(text: &str) -> Result<Option<u64>, backoff_core::DurationError> {
    if text == "none" { Ok(None) } else { time(text).map(Some) }
}
