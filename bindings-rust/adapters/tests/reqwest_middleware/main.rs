//! The middleware on the real client, against a server that fails as a script says.

mod budgets;
mod nasty;
mod options;
mod server;
mod table;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use backoff_adapters::reqwest_middleware::RetryMiddleware;
use backoff_retry::{Outcome, Retry, RetryStats, StopReason};
use reqwest::Client;
use reqwest::redirect::Policy;
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use tokio::time::timeout;

use crate::server::{Answer, Server, response, status};

/// What hooks saw: the outcome and the delay of each retry, and the last reason.
#[derive(Default)]
struct Seen {
    retries: Vec<(Outcome, Duration)>,
    stops: Vec<(u64, StopReason)>,
}

type Log = Arc<Mutex<Seen>>;

fn retry(policy: &str) -> Retry<'static> {
    Retry::new(policy.parse().unwrap())
}

fn logged(middleware: RetryMiddleware) -> (RetryMiddleware, Log) {
    let log = Log::default();
    let (retries, stops) = (log.clone(), log.clone());
    let middleware = middleware
        .on_retry(move |event| {
            retries.lock().unwrap().retries.push((event.outcome.unwrap(), event.delay));
        })
        .on_stop(move |event| {
            stops.lock().unwrap().stops.push((event.attempts, event.reason.unwrap()));
        });
    (middleware, log)
}

fn client(middleware: RetryMiddleware) -> ClientWithMiddleware {
    ClientBuilder::new(Client::builder().no_proxy().build().unwrap()).with(middleware).build()
}

/// A resolver with errors that are not of the system, as one that asks a name server itself has.
struct NoNames;

impl reqwest::dns::Resolve for NoNames {
    fn resolve(&self, _: reqwest::dns::Name) -> reqwest::dns::Resolving {
        Box::pin(std::future::ready(Err("no name server answers".into())))
    }
}

#[tokio::test]
async fn a_name_that_is_not_found_is_retried() {
    let (middleware, log) = logged(RetryMiddleware::new(retry("constant:base=1ms,max_retries=2")));
    let client = Client::builder().no_proxy().dns_resolver(Arc::new(NoNames)).build().unwrap();
    let client = ClientBuilder::new(client).with(middleware).build();
    let error = client.get("http://name.invalid/").send().await.unwrap_err();
    assert!(error.is_connect(), "{error:?}");
    assert_eq!(log.lock().unwrap().stops, [(3, StopReason::MaxRetries)]);
}

#[tokio::test]
async fn a_timeout_of_the_client_is_retried() {
    let server = Server::start(vec![Answer::Silence]);
    let (middleware, log) = logged(RetryMiddleware::new(retry("constant:base=1ms,max_retries=1")));
    let request = client(middleware).get(server.url()).timeout(Duration::from_millis(50));
    let error = request.send().await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(server.requests().len(), 2);
    assert_eq!(log.lock().unwrap().retries, [(Outcome::Timeout, Duration::from_millis(1))]);
}

#[tokio::test]
async fn what_a_retry_cannot_fix_is_not_retried() {
    // No TLS in this build; no such scheme.
    for url in ["https://127.0.0.1:1/", "ftp://127.0.0.1/"] {
        let (middleware, log) = logged(RetryMiddleware::new(retry("constant:base=1ms")));
        client(middleware).get(url).send().await.unwrap_err();
        assert_eq!(log.lock().unwrap().stops, [(1, StopReason::Permanent)], "{url}");
    }
    // An endless redirect.
    let server = Server::start(vec![response(302, "Location: /\r\n", "")]);
    let (middleware, log) = logged(RetryMiddleware::new(retry("constant:base=1ms")));
    let error = client(middleware).get(server.url()).send().await.unwrap_err();
    assert!(error.is_redirect());
    assert_eq!(log.lock().unwrap().stops, [(1, StopReason::Permanent)]);
    server.all_closed().await;
}

#[tokio::test]
async fn a_truncated_body_is_the_error_of_its_reader() {
    let cut = Answer::Last("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".to_owned());
    let server = Server::start(vec![cut]);
    let client = client(RetryMiddleware::new(retry("constant:base=1ms,max_retries=2")));
    let response = client.get(server.url()).send().await.unwrap();
    assert!(response.text().await.is_err());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn the_table_over_tcp() {
    let client = Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
    // This build has no TLS: tests/tls plays the other cases.
    table::play_all(&client, |target| !target.starts_with("tls")).await;
}

#[tokio::test]
async fn a_short_body_is_drained_so_that_the_connection_is_used_again() {
    for (length, connections) in [(0, 1), (60_000, 1), (1_000_000, 2)] {
        let server = Server::start(vec![response(503, "", &"x".repeat(length)), status(200)]);
        // Long enough for a body that the system has already received.
        let client = client(RetryMiddleware::new(retry("constant:base=200ms,max_retries=1")));
        let text = client.get(server.url()).send().await.unwrap().text().await.unwrap();
        assert_eq!((&*text, server.requests().len()), ("text", 2));
        assert_eq!(server.connections(), connections, "{length} bytes");
        drop(client);
        server.all_closed().await;
    }
}

#[tokio::test]
async fn a_dropped_request_is_cancelled_and_leaves_nothing_open() {
    let server = Server::start(vec![response(503, "", "busy")]);
    let stats = Arc::new(RetryStats::new());
    let retry = retry("constant:base=1h,max_retries=5").stats(&stats);
    let (middleware, log) = logged(RetryMiddleware::new(retry));
    let client = client(middleware);
    let mut request = Box::pin(client.get(server.url()).send());
    while log.lock().unwrap().retries.is_empty() {
        let _ = timeout(Duration::from_millis(10), &mut request).await;
    }
    drop(request);
    assert_eq!(log.lock().unwrap().stops, [(1, StopReason::Cancelled)]);
    assert_eq!(stats.stops(StopReason::Cancelled), 1);
    drop(client);
    server.all_closed().await;
}
