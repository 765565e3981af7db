//! The models `serial` and `occ` where clients move in step: every round one client succeeds, so
//! that calls and times are sums that can be written down.

#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "counts are exact in doubles")]

use crate::common::{closed, experiment, group, summary};
use backoff_sim::{Distribution, Model, Occ, Serial, Summary};

const SERVICE_MS: u64 = 7;

fn serial(policy: &str, clients: u32) -> Summary {
    let model = Model::Serial(Serial { service: Distribution::Constant(SERVICE_MS * 1_000_000) });
    summary(&experiment(model, group(policy, None, 1), closed(clients, 1), 2))
}

/// Calls and milliseconds, which do not differ between runs.
fn exact(summary: &Summary) -> (f64, f64) {
    assert_eq!((summary.all.calls.sd, summary.time_ms.sd, summary.cut), (0.0, 0.0, 0));
    (summary.all.calls.mean, summary.time_ms.mean)
}

/// "N(N+1)/2": the article's first text.
#[test]
fn without_backoff_all_who_are_left_call_in_every_round() {
    for clients in [1, 2, 3, 10, 190, 500] {
        let n = f64::from(clients);
        let summary = serial("none", clients);
        assert_eq!(exact(&summary), (n * (n + 1.0) / 2.0, n * SERVICE_MS as f64));
        assert_eq!(summary.all.success_rate, 1.0);
        assert_eq!(summary.all.retries.mean, n * (n - 1.0) / 2.0);
    }
}

/// Backoff without jitter keeps clients in step: the work is the same, and takes longer.
#[test]
fn backoff_without_jitter_saves_no_call() {
    for clients in [1_u32, 2, 10, 60] {
        let n = f64::from(clients);
        let rounds = clients - 1;
        let constant: u64 = (0..rounds).map(|_| 50).sum();
        let exponential: u64 = (0..rounds).map(|round| (10 << round.min(20)).min(2000)).sum();
        let linear: u64 = (0..rounds).map(|round| 10 * (u64::from(round) + 1)).sum();
        for (policy, waits_ms) in [
            ("constant:base=50ms", constant),
            ("exponential:base=10ms,cap=2s", exponential),
            ("linear:base=10ms", linear),
        ] {
            let time_ms = (u64::from(clients) * SERVICE_MS + waits_ms) as f64;
            assert_eq!(exact(&serial(policy, clients)), (n * (n + 1.0) / 2.0, time_ms), "{policy}");
        }
    }
}

#[test]
fn clients_give_up_after_their_last_retry() {
    for (clients, retries) in [(10_u32, 0_u32), (10, 3), (3, 5), (4, 3)] {
        let rounds = clients.min(retries + 1);
        let calls: u32 = (0..rounds).map(|round| clients - round).sum();
        let summary = serial(&format!("constant:base=1ms,max_retries={retries}"), clients);
        assert_eq!(summary.all.calls.mean, f64::from(calls));
        assert_eq!(summary.all.successes.mean, f64::from(rounds));
        let given_up = summary.all.stops.get("max_retries").copied().unwrap_or_default();
        assert_eq!(given_up, 2 * u64::from(clients - rounds));
    }
}

/// With messages that all take the same time, clients of `occ` read together and write together.
#[test]
fn occ_in_step_is_serial() {
    let model = || Model::Occ(Occ { leg: Distribution::Constant(10_000_000) });
    for clients in [1_u32, 2, 10, 100] {
        let n = f64::from(clients);
        let summary = summary(&experiment(model(), group("none", None, 1), closed(clients, 1), 2));
        assert_eq!(exact(&summary), (n * (n + 1.0) / 2.0, 40.0 * n));
    }
}
