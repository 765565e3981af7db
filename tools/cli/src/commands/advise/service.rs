//! The service that the user describes, made small enough to simulate.

use backoff_sim::Probability;

use crate::duration::humanize;
use crate::scenario::Scenario;

/// The most operations of a run, if fewer workers are enough for that: a larger service is simulated
/// as one of several equal parts.
const USUAL_MAX_OPERATIONS: f64 = 20_000.0;

/// The fewest workers of a part of a service that has as many, or the fewest calls in a second of
/// one that limits them.
const MIN_UNITS: f64 = 20.0;

/// A service that could serve fewer calls at a time than this limits their rate: one worker would
/// be slower than the service is. (Somewhat less than 1, because users round.)
const MIN_WORKERS: f64 = 0.9;

const MAX_OPERATIONS: f64 = 700_000.0;

/// The operations of a run without an outage.
const NORMAL_OPERATIONS: f64 = 10_000.0;

/// The fewest operations before and after the outage.
const MIN_OPERATIONS: f64 = 1_000.0;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Service {
    pub(crate) clients: u32,
    /// Calls that it can serve in a second.
    pub(crate) capacity: f64,
    /// Operations that arrive in a second.
    pub(crate) rate: f64,
    pub(crate) latency_ns: u64,
    pub(crate) timeout_ns: u64,
    /// How likely a call that was served fails by itself.
    pub(crate) failure: Probability,
    pub(crate) outage_ns: u64,
    /// Whether the service accepts more calls than it can serve before their clients give up.
    pub(crate) is_unbounded: bool,
    pub(crate) seed: u64,
    pub(crate) runs: u32,
}

/// A part of a service that behaves as the whole.
pub(crate) struct Simulated {
    pub(crate) normal: Scenario,
    pub(crate) outage: Scenario,
    pub(crate) processes: u32,
    /// How many times larger the real service is than the simulated one.
    pub(crate) times: f64,
}

impl Service {
    /// The calls that it serves at a time, at its capacity.
    #[expect(clippy::cast_precision_loss, reason = "a time below an hour")]
    fn calls_at_a_time(&self) -> f64 {
        self.capacity * self.latency_ns as f64 / 1e9
    }

    /// Whether it limits the rate of calls, as most services of third parties do: it is quick, but
    /// rejects what is above its capacity.
    pub(crate) fn limits_rate(&self) -> bool {
        self.calls_at_a_time() < MIN_WORKERS
    }

    fn contradiction(&self) -> Option<String> {
        if self.timeout_ns < self.latency_ns {
            return Some(format!(
                "--timeout {} is shorter than --latency {}: clients give up before the service can \
                 answer",
                humanize(self.timeout_ns),
                humanize(self.latency_ns)
            ));
        }
        // From a nanosecond to 12 days.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is in range"
        )]
        let call_ns = (1e9 / self.capacity).round() as u64;
        (self.is_unbounded && self.limits_rate()).then(|| {
            format!(
                "--unbounded is about a queue, and a service that answers {} calls per second in \
                 {} each limits their rate instead; if it serves one call after another, \
                 --latency is {}",
                self.capacity,
                humanize(self.latency_ns),
                humanize(call_ns)
            )
        })
    }

    /// The service, or a part of it that is small enough.
    ///
    /// Calls wait longer at few workers than at many with the same load, so a part has at least
    /// [`MIN_UNITS`], or all. Where that is too many operations, less time is simulated.
    ///
    /// # Errors
    /// Even that is too large, or the numbers contradict each other.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "the numbers are estimates, and the conversion saturates"
    )]
    pub(crate) fn simulated(&self) -> Result<Simulated, String> {
        if let Some(error) = self.contradiction() {
            return Err(error);
        }
        let operations = |ns: u64, times: f64| self.rate / times * (ns as f64 / 1e9);
        let some_operations = (MIN_OPERATIONS / self.rate * 1e9) as u64;
        // Long enough for what the outage leaves to be worked off, and then to be sure.
        let before_ns = self.timeout_ns.saturating_mul(5).max(some_operations / 4);
        let after_ns = |outages: u64| {
            let timeouts = self.timeout_ns.saturating_mul(20);
            self.outage_ns.saturating_mul(outages).max(timeouts).max(some_operations)
        };
        let length_ns = |after_ns: u64| before_ns + self.outage_ns + after_ns;

        let limits_rate = self.limits_rate();
        let all_units =
            if limits_rate { self.capacity } else { self.calls_at_a_time().round().max(1.0) };
        let wanted = operations(length_ns(after_ns(6)), 1.0) / USUAL_MAX_OPERATIONS;
        let least_units = all_units.min(MIN_UNITS);
        let units = all_units / wanted.max(1.0);
        let units = if limits_rate { units } else { units.round() }.max(least_units);
        let times = all_units / units;
        let after_ns = [6, 4, 2]
            .map(after_ns)
            .into_iter()
            .find(|&after_ns| operations(length_ns(after_ns), times) <= MAX_OPERATIONS);
        let after_ns = after_ns.ok_or_else(|| {
            format!(
                "{} operations per second with an outage of {} and a timeout of {} are too many \
                 to simulate: even a part of the service with {units} {} has more than {MAX_OPERATIONS} \
                 operations in a run; use a shorter --outage or --timeout",
                self.rate,
                humanize(self.outage_ns),
                humanize(self.timeout_ns),
                if limits_rate { "calls per second" } else { "workers" },
            )
        })?;

        let (capacity, rate) = (self.capacity / times, self.rate / times);
        let (workers, service_ns, held) = if limits_rate {
            (u32::MAX, self.latency_ns, None)
        } else {
            // What it can serve before the first of the waiting clients gives up.
            let held = (capacity * self.timeout_ns as f64 / 1e9).round().clamp(units, 1e9);
            let service_ns = (units / capacity * 1e9).round().max(1.0) as u64;
            (units as u32, service_ns, (!self.is_unbounded).then_some(held as u32))
        };
        let outage = Scenario {
            rate,
            workers,
            service_ns,
            capacity: held,
            limit: limits_rate.then_some(capacity),
            timeout_ns: self.timeout_ns,
            failure: self.failure,
            before_ns,
            outage_ns: self.outage_ns,
            after_ns,
            max_events: 100_000_000,
            seed: self.seed,
            runs: self.runs,
        };
        let processes = (f64::from(self.clients) / times).round().clamp(1.0, 65_535.0) as u32;
        let normal_ns = (NORMAL_OPERATIONS / rate * 1e9) as u64;
        let normal = Scenario { before_ns: 0, outage_ns: 0, after_ns: normal_ns, ..outage };
        Ok(Simulated { normal, outage, processes, times })
    }
}

#[cfg(test)]
mod tests {
    use backoff_sim::{Group, Probability, Shard};

    use super::{Scenario, Service};

    const MS: u64 = 1_000_000;
    const SECOND: u64 = 1_000 * MS;

    /// 10,000 calls per second of 5 ms each need 50 workers.
    fn service() -> Service {
        Service {
            clients: 2_000,
            capacity: 10_000.0,
            rate: 9_000.0,
            latency_ns: 5 * MS,
            timeout_ns: 50 * MS,
            failure: Probability::ZERO,
            outage_ns: 60 * SECOND,
            is_unbounded: false,
            seed: 1,
            runs: 3,
        }
    }

    #[test]
    fn a_part_keeps_the_service_time_and_enough_workers() {
        let part = service().simulated().unwrap();
        assert_eq!((part.outage.workers, part.outage.service_ns), (20, 5 * MS));
        assert_eq!((part.outage.rate, part.processes), (3_600.0, 800));
        // What 4,000 calls per second can serve in 50 ms.
        assert_eq!(part.outage.capacity, Some(200));
        let few = Service { capacity: 1_000.0, rate: 900.0, ..service() }.simulated().unwrap();
        assert_eq!((few.outage.workers, few.outage.rate, few.times), (5, 900.0, 1.0));
    }

    #[test]
    fn a_service_without_an_outage_is_as_its_part() {
        let part = service().simulated().unwrap().normal;
        let whole = Scenario { rate: 9_000.0, workers: 50, capacity: Some(500), ..part };
        let [part, whole] = [part, whole].map(|scenario| {
            let experiment = scenario.experiment(Group::new("none:max_retries=0".parse().unwrap()));
            experiment.summary(&experiment.run(Shard::WHOLE, &|| ()).unwrap()).all
        });
        assert!((part.success_rate - whole.success_rate).abs() < 0.01);
        let median = |all: &backoff_sim::GroupSummary| all.latency_ms.unwrap().p50;
        // At a load of 90% calls wait a little longer for 20 workers than for 50; for one worker they
        // would wait ten times as long.
        let ratio = median(&part) / median(&whole);
        assert!((0.9..1.4).contains(&ratio), "{ratio}");
    }

    /// The usual service of a third party: 10 calls per second, 10 ms each.
    #[test]
    fn a_service_that_limits_the_rate_is_quick() {
        let api = Service {
            capacity: 10.0,
            rate: 7.0,
            latency_ns: 10 * MS,
            timeout_ns: 100 * MS,
            failure: "0.01".parse().unwrap(),
            ..service()
        };
        let normal = api.simulated().unwrap().normal;
        assert_eq!((normal.limit, normal.service_ns, normal.capacity), (Some(10.0), 10 * MS, None));
        let experiment = normal.experiment(Group::new("none:max_retries=0".parse().unwrap()));
        let all = experiment.summary(&experiment.run(Shard::WHOLE, &|| ()).unwrap()).all;
        // One in a hundred fails by itself, and hardly any is above the limit.
        assert!((0.985..0.992).contains(&all.success_rate), "{}", all.success_rate);
        assert!(all.latency_ms.unwrap().p50 < 10.0);
        // A part of it admits as large a part of the calls.
        let large = Service { capacity: 100_000.0, rate: 70_000.0, latency_ns: 1_000, ..api };
        let part = large.simulated().unwrap();
        assert!((part.outage.limit.unwrap() * part.times - 100_000.0).abs() < 1e-3);
        assert!((part.outage.rate * part.times - 70_000.0).abs() < 1e-3);
    }

    #[test]
    fn what_stays_too_large_is_refused() {
        let fast = Service { capacity: 1e9, rate: 7e8, latency_ns: 1_000, ..service() };
        let Err(error) = fast.simulated() else { panic!("it is simulated") };
        assert!(error.starts_with("700000000 operations per second with an outage of 1m"));
    }
}
