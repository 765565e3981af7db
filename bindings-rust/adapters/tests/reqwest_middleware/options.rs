//! What the caller says about requests, statuses and attempts.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use backoff_adapters::reqwest_middleware::{
    AttemptTimeout, MayRepeat, PROXY_STATUSES, RetryMiddleware,
};
use backoff_retry::{Outcome, StopReason, Verdict};
use reqwest::redirect::Policy;
use reqwest_middleware::Error;
use serde_json::Value;

use crate::server::{Answer, Server, response, status};
use crate::{client, logged, retry};

fn middleware() -> RetryMiddleware {
    RetryMiddleware::new(retry("constant:base=1ms,max_retries=1,retry_after_max=3ms"))
}

#[test]
fn the_statuses_of_proxies_are_those_of_the_reference() {
    let vectors = include_str!("../../../../tests/vectors/http_statuses.json");
    let vectors: Value = serde_json::from_str(vectors).unwrap();
    for case in vectors["cases"].as_array().unwrap() {
        let found = PROXY_STATUSES.iter().find(|(status, _)| *status == case["status"]);
        let found = found.map(|(_, outcome)| outcome.name());
        assert_eq!(found, case["proxy_outcome"].as_str(), "{case}");
    }
}

#[tokio::test]
async fn a_predicate_and_a_switch_say_which_requests_may_be_repeated() {
    let server = Server::start(vec![status(503)]);
    let client = client(middleware().without_origin_budgets().may_repeat(|request| {
        request.url().path() == "/search" && request.headers().contains_key("x-tenant")
    }));
    let search = format!("{}search", server.url());
    let mut sent = 0;
    for (request, attempts) in [
        (client.post(&search).header("X-Tenant", "7"), 2),
        (client.get(&search), 1),
        (client.get(&search).with_extension(MayRepeat(true)), 2),
        (client.post(&search).header("X-Tenant", "7").with_extension(MayRepeat(false)), 1),
        (client.post(&search).header("Idempotency-Key", "7"), 1),
    ] {
        let shown = format!("{request:?}");
        request.send().await.unwrap();
        assert_eq!(server.requests().len() - sent, attempts, "{shown}");
        sent = server.requests().len();
    }
}

#[tokio::test]
async fn a_function_classifies_before_all_other_rules() {
    let missing = || response(404, "Retry-After: 1\r\n", "text");
    let server = Server::start(vec![missing(), Answer::Reset, status(200)]);
    let middleware = RetryMiddleware::new(retry("constant:base=1ms,max_retries=9"));
    let (middleware, log) = logged(middleware.classify(|request, result| match result {
        Ok(response) if response.status() == 404 => {
            Some(Verdict::from(Outcome::Transient).retry_after(Duration::from_millis(2)))
        }
        Ok(_) => None,
        Err(_) if request.method() == "GET" => Some(Outcome::Throttled.into()),
        Err(_) => Some(Outcome::Permanent.into()),
    }));
    let client = client(middleware);
    assert_eq!(client.get(server.url()).send().await.unwrap().status(), 200);
    let ms = Duration::from_millis;
    let expected = [(Outcome::Transient, ms(2)), (Outcome::Throttled, ms(1))];
    assert_eq!(log.lock().unwrap().retries, expected);
    // A failure of a request that is sent once stays one.
    let server = Server::start(vec![missing()]);
    assert_eq!(client.post(server.url()).send().await.unwrap().status(), 404);
    assert_eq!(server.requests().len(), 1);
}

type Lines = Arc<Mutex<Vec<String>>>;

/// A middleware that notes the line of each event.
fn lined(middleware: RetryMiddleware) -> (RetryMiddleware, Lines) {
    let lines = Lines::default();
    let (retries, stops) = (Arc::clone(&lines), Arc::clone(&lines));
    let middleware = middleware
        .on_retry(move |event| {
            let query = event.request.url().query();
            assert!(query.is_none_or(|query| query.contains("secret")));
            retries.lock().unwrap().push(event.to_string());
        })
        .on_stop(move |event| stops.lock().unwrap().push(event.to_string()));
    (middleware, lines)
}

#[tokio::test]
async fn events_name_the_request_also_when_the_network_failed() {
    let (middleware, lines) = lined(middleware());
    let client = client(middleware);
    let server = Server::start(vec![Answer::Reset, status(503)]);
    let url = server.url().replace("//", "//name:password@") + "orders?secret=1#part";
    client.get(url).send().await.unwrap();
    client.post(server.url()).send().await.unwrap();
    let origin = server.url();
    let lines = lines.lock().unwrap();
    let error = format!("GET {origin}orders, attempt 1: error sending request: ");
    let found = lines[0].strip_prefix(&error).unwrap_or_else(|| panic!("{lines:?}"));
    assert!(found.ends_with(", waiting 1ms") && !found.contains("secret"), "{found}");
    let expected = [
        format!("GET {origin}orders, attempt 2: 503, stopped: max_retries"),
        format!("POST {origin}, attempt 1: 503, stopped: permanent, not repeatable (method)"),
    ];
    assert_eq!(lines[1..], expected);
}

/// Also of a request that is sent once, and less if `max_elapsed` ends sooner.
#[tokio::test]
async fn the_policy_may_limit_attempts() {
    let silent = Server::start(vec![Answer::Silence]);
    let limit = Duration::from_millis(50);
    for policy in ["off:attempt_timeout=50ms", "off:attempt_timeout=1h,max_elapsed=50ms"] {
        let client = client(RetryMiddleware::new(retry(policy)));
        for request in [client.get(silent.url()), client.post(silent.url())] {
            let Error::Middleware(error) = request.send().await.unwrap_err() else { panic!() };
            assert!(error.downcast_ref::<AttemptTimeout>().unwrap().limit <= limit, "{policy}");
        }
    }
    // The option replaces the field.
    let option = RetryMiddleware::new(retry("off:attempt_timeout=1h")).attempt_timeout(limit);
    let request = client(option.unwrap()).get(silent.url());
    let Error::Middleware(error) = request.send().await.unwrap_err() else { panic!() };
    assert_eq!(error.downcast_ref::<AttemptTimeout>().unwrap().limit, limit);
    assert!(middleware().attempt_timeout(Duration::MAX).is_ok());
}

#[tokio::test]
async fn the_line_of_a_request_that_is_not_repeated_has_the_error() {
    let limited = middleware().attempt_timeout(Duration::from_millis(50)).unwrap();
    let (limited, lines) = lined(limited.without_redirects());
    let client = client(limited);
    let silent = Server::start(vec![Answer::Silence]);
    let error = client.post(silent.url()).send().await.unwrap_err();
    let Error::Middleware(error) = error else { panic!("{error:?}") };
    assert_eq!(error.downcast_ref::<AttemptTimeout>().unwrap().limit, Duration::from_millis(50));
    let error = middleware().attempt_timeout(Duration::ZERO).unwrap_err();
    assert_eq!(error.to_string(), "the attempt timeout is zero, and must be longer");
    let expected = format!(
        "POST {}, attempt 1: no response within 50ms, stopped: permanent, not repeatable (method)",
        silent.url()
    );
    assert_eq!(std::mem::take(&mut *lines.lock().unwrap()), [expected]);
    // A request that was never sent is repeated, so the line does not say that it is not repeatable.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    client.post(format!("http://{closed}/")).send().await.unwrap_err();
    let lines = lines.lock().unwrap();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().all(|line| !line.contains("not repeatable")), "{lines:?}");
}

#[tokio::test]
async fn a_request_whose_redirect_leads_to_no_server_was_sent() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for status in [301, 302, 303, 307, 308] {
        let moved = response(status, &format!("Location: http://{closed}/\r\n"), "");
        let server = Server::start(vec![moved]);
        let (middleware, log) = logged(middleware());
        let error = client(middleware).post(server.url()).body("order").send().await.unwrap_err();
        assert!(error.is_connect(), "{error:?}");
        assert_eq!(server.requests(), ["POST / order"], "{status}");
        assert_eq!(log.lock().unwrap().stops, [(1, StopReason::Permanent)], "{status}");
    }
}

/// A middleware that makes a request of its own after each one, and returns its error.
struct Audit {
    url: String,
    error: fn(reqwest::Error) -> Error,
}

#[async_trait::async_trait]
impl reqwest_middleware::Middleware for Audit {
    async fn handle(
        &self,
        request: reqwest::Request,
        extensions: &mut http::Extensions,
        next: reqwest_middleware::Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let response = next.run(request, extensions).await?;
        reqwest::get(&self.url).await.map_err(self.error)?;
        Ok(response)
    }
}

#[tokio::test]
async fn a_request_of_another_middleware_says_nothing_about_this_one() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let wraps: [fn(reqwest::Error) -> Error; 3] = [
        Error::Reqwest,
        Error::middleware,
        |error| Error::middleware(Error::Reqwest(error)), // shows the text of reqwest, and is not its type
    ];
    for error in wraps {
        let (middleware, lines) = lined(middleware().without_redirects());
        let server = Server::start(vec![status(200)]);
        let client = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
        let client = reqwest_middleware::ClientBuilder::new(client)
            .with(middleware)
            .with(Audit { url: format!("http://{closed}/?(a)=1&token=secret"), error })
            .build();
        client.post(server.url()).body("order").send().await.unwrap_err();
        // It was sent.
        assert_eq!(server.requests(), ["POST / order"]);
        let lines = lines.lock().unwrap();
        assert!(lines[0].contains(": error sending request: client error"), "{lines:?}");
        assert!(!lines[0].contains("secret"), "{lines:?}");
    }
}

#[tokio::test]
async fn a_body_that_was_read_is_that_of_the_response() {
    let server = Server::start(vec![response(200, "X-Own: 7\r\n", "whole")]);
    let client = client(middleware().read_body());
    let response = client.get(server.url()).send().await.unwrap();
    assert_eq!((response.url().as_str(), response.content_length()), (&*server.url(), Some(5)));
    assert_eq!(
        (response.status().as_u16(), &response.headers()["x-own"]),
        (200, &"7".parse().unwrap())
    );
    assert!(response.remote_addr().is_some());
    assert_eq!(response.text().await.unwrap(), "whole");
}
