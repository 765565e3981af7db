//! Requests of reqwest that get a body of two bytes. The runner starts the server, `../../server.py`.

use std::cell::LazyCell;
use std::env;
use std::time::Duration;

use backoff_adapters::reqwest_middleware::RetryMiddleware;
use backoff_core::Policy;
use backoff_retry::Retry;
use reqwest::StatusCode;
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};
use tokio::runtime::{Builder, Runtime};

/// A bare client fails if the server is busy; its caller asks again.
const BARE: &str = "the bare client";

const SUCCESS: &str = "reqwest, success at once";
const BUSY: &str = "reqwest, one 503";

pub const ENTRIES: &[(&str, &str, fn(u64))] = &[
    (SUCCESS, "ours", |times| with(times, &OURS, "/")),
    (SUCCESS, BARE, |times| with(times, &ALONE, "/")),
    (SUCCESS, "reqwest-retry", |times| with(times, &PEER, "/")),
    (BUSY, "ours", |times| with(times, &OURS_OFTEN, "/busy")),
    (BUSY, BARE, |times| with(times, &ALONE, "/busy")),
    (BUSY, "reqwest-retry", |times| with(times, &PEER, "/busy")),
];

type Key = std::thread::LocalKey<LazyCell<ClientWithMiddleware>>;

thread_local! {
    /// In the paused time of tokio nobody waits for a timer, whose shortest wait is a millisecond.
    static RUNTIME: LazyCell<Runtime> = LazyCell::new(|| {
        Builder::new_current_thread().enable_all().start_paused(true).build().expect("tokio")
    });
    static ALONE: LazyCell<ClientWithMiddleware> = LazyCell::new(|| builder().build());
    static OURS: LazyCell<ClientWithMiddleware> = LazyCell::new(|| builder().with(ours()).build());
    /// The default budgets would refuse a retry of every request.
    static OURS_OFTEN: LazyCell<ClientWithMiddleware> = LazyCell::new(|| {
        builder().with(ours().origin_budgets("envoy").expect("a budget")).build()
    });
    static PEER: LazyCell<ClientWithMiddleware> = LazyCell::new(|| {
        let policy = ExponentialBackoff::builder()
            .retry_bounds(Duration::ZERO, Duration::ZERO)
            .build_with_max_retries(5);
        builder().with(RetryTransientMiddleware::new_with_policy(policy)).build()
    });
}

fn builder() -> ClientBuilder {
    ClientBuilder::new(reqwest::Client::new())
}

/// Both make at most 6 attempts, without waits.
fn ours() -> RetryMiddleware {
    let policy = Policy::parse("constant:base=0s,max_retries=5").expect("a policy");
    RetryMiddleware::new(Retry::new(policy))
}

/// Whether there is a server.
pub fn has_server() -> bool {
    env::var_os("BENCH_SERVER").is_some()
}

fn with(times: u64, client: &'static Key, path: &str) {
    let url = env::var("BENCH_SERVER").expect("a server") + path;
    RUNTIME.with(|runtime| {
        client.with(|client| {
            runtime.block_on(async {
                for _ in 0..times {
                    while !succeeds(client, &url).await {}
                }
            });
        });
    });
}

async fn succeeds(client: &ClientWithMiddleware, url: &str) -> bool {
    let response = client.get(url).send().await.expect("a response");
    let is_success = response.status() == StatusCode::OK;
    assert_eq!(response.bytes().await.expect("a body"), "ok");
    is_success
}
