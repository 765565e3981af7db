//! The middleware on the real client, against a server that fails as a script says.

mod budgets;
mod nasty;
mod options;
mod server;
mod table;

use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use backoff_adapters::reqwest_middleware::{AttemptTimeout, MayRepeat, RetryMiddleware};
use backoff_retry::{Outcome, Retry, RetryStats, StopReason};
use reqwest::redirect::Policy;
use reqwest::{Body, Client, Response};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Error};
use tokio::time::timeout;

use crate::server::{Answer, Server, response, status};
use crate::table::Once;

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

/// The limit of an attempt that gets no answer.
const SHORT: Duration = Duration::from_millis(200);

/// GETs from a server, with at most two retries.
async fn get(script: Vec<Answer>) -> (Result<Response, Error>, Vec<String>, Log) {
    let is_silent = script.iter().any(|answer| matches!(answer, Answer::Silence(_)));
    let server = Server::start(script);
    let middleware = RetryMiddleware::new(retry("constant:base=1ms,max_retries=2"))
        .attempt_timeout(if is_silent { SHORT } else { Duration::from_secs(60) });
    let (middleware, log) = logged(middleware);
    let client = client(middleware);
    let result = client.get(server.url()).send().await;
    drop(client);
    let requests = server.requests();
    if result.is_err() {
        server.all_closed().await;
    }
    (result, requests, log)
}

#[tokio::test]
async fn the_status_decides_and_the_last_response_is_returned() {
    use StopReason::{MaxRetries, Permanent, Success};
    for (script, last, requests, reason) in [
        (vec![status(200)], 200, 1, Success),
        (vec![status(503), status(200)], 200, 2, Success),
        (vec![status(500), status(502), status(204)], 204, 3, Success),
        (vec![status(503)], 503, 3, MaxRetries),
        (vec![status(408), status(504), status(429)], 429, 3, MaxRetries),
        (vec![status(404)], 404, 1, Permanent),
        (vec![status(500), status(403)], 403, 2, Permanent),
        (vec![status(501)], 501, 1, Permanent),
    ] {
        let shown = format!("{script:?}");
        let (result, seen, log) = get(script).await;
        let response = result.unwrap();
        assert_eq!((response.status().as_u16(), seen.len()), (last, requests), "{shown}");
        let text = if last == 204 { "" } else { "text" };
        assert_eq!(response.text().await.unwrap(), text, "{shown}");
        let seen = log.lock().unwrap();
        assert_eq!(seen.stops, [(u64::try_from(requests).unwrap(), reason)], "{shown}");
        assert_eq!(seen.retries.len(), requests - 1, "{shown}");
    }
}

#[tokio::test]
async fn failures_of_the_network_are_retried_and_the_last_error_is_returned() {
    let half = "HTTP/1.1 200 OK\r\nContent-Le".to_owned();
    for (answer, outcome) in [
        (Answer::Last(String::new()), Outcome::Transient),
        (Answer::Last(half.clone()), Outcome::Transient),
        (Answer::Reset, Outcome::Transient),
        (Answer::Silence(String::new()), Outcome::Timeout),
        (Answer::Silence(half), Outcome::Timeout),
    ] {
        let shown = format!("{answer:?}");
        let (result, seen, log) = get(vec![answer]).await;
        let error = result.unwrap_err();
        // On a busy machine an attempt ends before the server sees it.
        assert!(seen.len() == 3 || outcome == Outcome::Timeout, "{shown}: {seen:?}");
        assert_eq!(log.lock().unwrap().stops, [(3, StopReason::MaxRetries)], "{shown}");
        assert_eq!(log.lock().unwrap().retries.len(), 2, "{shown}");
        assert!(log.lock().unwrap().retries.iter().all(|(found, _)| *found == outcome), "{shown}");
        match error {
            Error::Reqwest(error) => assert!(error.is_request(), "{shown}: {error:?}"),
            Error::Middleware(error) => {
                assert_eq!(outcome, Outcome::Timeout, "{shown}");
                assert_eq!(error.downcast_ref::<AttemptTimeout>().unwrap().limit, SHORT);
            }
        }
    }
    let (result, seen, _) = get(vec![Answer::Reset, status(503), status(200)]).await;
    assert_eq!((result.unwrap().status().as_u16(), seen.len()), (200, 3));
}

#[tokio::test]
async fn a_refused_connection_is_retried() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let (middleware, log) = logged(RetryMiddleware::new(retry("constant:base=1ms,max_retries=2")));
    let error = client(middleware).get(url).send().await.unwrap_err();
    assert!(error.is_connect(), "{error:?}");
    assert_eq!(log.lock().unwrap().stops, [(3, StopReason::MaxRetries)]);
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
    let server = Server::start(vec![Answer::Silence(String::new())]);
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
    let (result, seen, log) = get(vec![response(302, "Location: /\r\n", "")]).await;
    assert!(result.unwrap_err().is_redirect());
    assert_eq!((seen.len(), &*log.lock().unwrap().stops), (11, &[(1, StopReason::Permanent)][..]));
}

#[tokio::test]
async fn the_client_follows_redirects_within_one_attempt() {
    let moved = || response(307, "Location: /new\r\n", "moved");
    let (result, seen, log) = get(vec![moved(), status(503), moved(), status(200)]).await;
    assert_eq!(result.unwrap().status(), 200);
    assert_eq!(seen, ["GET /", "GET /new", "GET /", "GET /new"]);
    assert_eq!(log.lock().unwrap().stops, [(2, StopReason::Success)]);
}

#[tokio::test]
async fn a_truncated_body_is_the_error_of_its_reader() {
    let cut = Answer::Last("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".to_owned());
    let (result, seen, _) = get(vec![cut]).await;
    assert!(result.unwrap().text().await.is_err());
    assert_eq!(seen.len(), 1);
    // Before a retry it does no harm.
    let cut = Answer::Last("HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\nhalf".to_owned());
    let (result, seen, _) = get(vec![cut, status(200)]).await;
    assert_eq!((result.unwrap().status().as_u16(), seen.len()), (200, 2));
}

#[tokio::test]
async fn delays_are_those_of_the_policy_and_of_the_server() {
    let delays = async |policy: &str, script: Vec<Answer>| {
        let server = Server::start(script);
        let retry = retry(policy).seed_and_key(42, "job-1");
        let (middleware, log) = logged(RetryMiddleware::new(retry));
        client(middleware).get(server.url()).send().await.unwrap();
        let log = log.lock().unwrap();
        log.retries.iter().map(|(_, delay)| delay.as_nanos()).collect::<Vec<_>>()
    };
    let found = delays("full:base=100ms,cap=20s,max_retries=3", vec![status(500)]).await;
    assert_eq!(found, [11_399_434, 83_043_876, 229_309_811]);
    for (status, fields, expected) in [
        (503, "Retry-After: 1\r\n", 20_000_000), // the limit
        (503, "Retry-After: 0\r\n", 1_000_000),
        (500, "retry-after-ms: 7\r\nRetry-After: 1\r\n", 7_000_000),
        (429, "RateLimit-Reset: 3\r\n", 20_000_000),
        (503, "RateLimit-Reset: 3\r\n", 1_000_000),
    ] {
        let policy = "constant:base=1ms,max_retries=1,retry_after_max=20ms";
        let found = delays(policy, vec![response(status, fields, "")]).await;
        assert_eq!(found, [expected], "{status} {fields}");
    }
}

#[tokio::test]
async fn only_requests_that_may_be_repeated_are() {
    let server = Server::start(vec![status(503)]);
    let url = server.url();
    let middleware =
        RetryMiddleware::new(retry("constant:base=1ms,max_retries=1")).without_origin_budgets();
    let client = client(middleware);
    let mut sent = 0;
    for (request, attempts) in [
        (client.get(&url), 2),
        (client.head(&url), 2),
        (client.put(&url).body("new"), 2),
        (client.delete(&url), 2),
        (client.post(&url).body("order"), 1),
        (client.post(&url).body("order").header("Idempotency-Key", ""), 1),
        (client.post(&url).body("order").header("Idempotency-Key", "7"), 2),
        (client.patch(&url).body("change"), 1),
        (client.post(&url).body("order").header("X-Idempotency-Key", "7"), 2),
        (client.patch(&url).body("change").with_extension(MayRepeat(true)), 2),
        (client.get(&url).with_extension(MayRepeat(false)), 1),
    ] {
        let shown = format!("{request:?}");
        assert_eq!(request.send().await.unwrap().status(), 503);
        let requests = server.requests();
        assert_eq!(requests.len() - sent, attempts, "{shown}");
        // A body is sent again as it was.
        assert!(requests[sent..].iter().all(|request| *request == requests[sent]), "{requests:?}");
        sent = requests.len();
    }
    assert!(server.requests().contains(&"PUT / new".to_owned()));
}

#[tokio::test]
async fn a_body_that_cannot_be_sent_again_is_sent_once() {
    let server = Server::start(vec![status(503)]);
    let (middleware, log) = logged(RetryMiddleware::new(retry("constant:base=1ms,max_retries=1")));
    let client = client(middleware);
    let body = || Body::wrap_stream(Once(Some("part")));
    for request in [
        client.put(server.url()).body(body()),
        client.put(server.url()).body(body()).with_extension(MayRepeat(true)),
        client.post(server.url()).body(body()),
    ] {
        assert_eq!(request.send().await.unwrap().status(), 503);
    }
    assert_eq!(server.requests().len(), 3);
    assert_eq!(log.lock().unwrap().stops, [(1, StopReason::Permanent); 3]);
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
async fn a_body_that_does_not_end_does_not_prolong_the_wait() {
    let endless = "HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\nhalf".to_owned();
    let server = Server::start(vec![Answer::Silence(endless), status(200)]);
    let client = client(RetryMiddleware::new(retry("constant:base=20ms,max_retries=1")));
    let sent = timeout(Duration::from_secs(15), client.get(server.url()).send()).await;
    assert_eq!(sent.expect("no response in 15 seconds").unwrap().status(), 200);
    assert_eq!(server.connections(), 2);
    drop(client);
    server.all_closed().await;
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
