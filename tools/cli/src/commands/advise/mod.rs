//! `backoff advise`: tries policies on a service with an outage, and recommends one.

mod arguments;
mod grid;
mod judgement;
mod service;
mod text;
mod trial;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

pub(crate) use self::arguments::Arguments;
use self::arguments::Goals;
use self::judgement::{Limits, RULE, judge};
use self::service::Service;
use self::trial::{Trial, trials};
use crate::commands::simulate::invalid;
use crate::output::Output;

#[derive(Serialize)]
struct Advice<'a> {
    clients: u32,
    capacity: f64,
    rate: f64,
    latency_ms: f64,
    timeout_ms: f64,
    failure: f64,
    outage_ms: f64,
    unbounded: bool,
    limits_rate: bool,
    goals: GoalsOfAdvice,
    runs: u32,
    seed: String,
    recommended: Option<&'a Trial>,
    rule: &'static str,
    trials: &'a [Trial],
}

/// A goal that is not set is null.
#[derive(Serialize)]
struct GoalsOfAdvice {
    p99_ms: Option<f64>,
    success_rate: Option<f64>,
    deadline_ms: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let service = service(arguments);
    let simulated = service.simulated().unwrap_or_else(|error| invalid(&error));
    let mut trials = trials(arguments, &service, &simulated, output)?;
    let goals = &arguments.goals;
    let limits = Limits { p99_ms: goals.p99.map(milliseconds), success_rate: goals.success };
    let chosen = judge(&mut trials, milliseconds(service.outage_ns), &limits);
    if output.is_json() {
        output.json(&advice(&service, goals, &trials, chosen))?;
    } else {
        text::write(output, (&service, &simulated), goals, (&trials, chosen), arguments.all)?;
    }
    Ok(if chosen.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn service(arguments: &Arguments) -> Service {
    let Arguments { clients, capacity, rate, latency, timeout, failure, .. } = *arguments;
    Service {
        clients,
        capacity,
        rate: rate.unwrap_or(capacity * 0.7),
        latency_ns: latency,
        timeout_ns: timeout.unwrap_or(latency.saturating_mul(10)),
        failure,
        outage_ns: arguments.outage,
        is_unbounded: arguments.unbounded,
        seed: arguments.seed,
        runs: arguments.runs,
    }
}

#[expect(clippy::cast_precision_loss, reason = "times below an hour")]
fn milliseconds(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn advice<'a>(
    service: &Service,
    goals: &Goals,
    trials: &'a [Trial],
    chosen: Option<usize>,
) -> Advice<'a> {
    let ms = milliseconds;
    Advice {
        clients: service.clients,
        capacity: service.capacity,
        rate: service.rate,
        latency_ms: ms(service.latency_ns),
        timeout_ms: ms(service.timeout_ns),
        failure: service.failure.value(),
        outage_ms: ms(service.outage_ns),
        unbounded: service.is_unbounded,
        limits_rate: service.limits_rate(),
        goals: GoalsOfAdvice {
            p99_ms: goals.p99.map(ms),
            success_rate: goals.success,
            deadline_ms: goals.deadline.map(ms),
        },
        runs: service.runs,
        seed: service.seed.to_string(),
        recommended: chosen.and_then(|number| trials.get(number)),
        rule: RULE,
        trials,
    }
}
