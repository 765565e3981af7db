//! The policy for HTTP plays the cases of `tests/vectors/http_requests.json`, with reqwest as the service.

#[path = "reqwest_middleware/nasty.rs"]
mod nasty;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use backoff_adapters::tower::{MayRepeat, RetryPolicy};
use backoff_retry::Outcome;
use http::{Request, Response};
use reqwest::{Body, Client};
use serde_json::{Value, json};
use tower::retry::RetryLayer;
use tower::timeout::{TimeoutLayer, error::Elapsed};
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn};

use crate::nasty::{Nasty, cases, text};

/// Why the policy cannot play a case.
fn exception(case: &Value) -> Option<&'static str> {
    let (request, answers) = (&case["request"], case["answers"].as_array().unwrap());
    if matches!(case["target"].as_str(), Some("unknown_host" | "refused"))
        && case["sent_once"] == "method"
    {
        return Some("tower does not say whether a request was sent");
    }
    if request["body"] == "once" && case["sent_once"] == "body" {
        return Some("the body of a request must be `Clone`");
    }
    let reads_body = case["options"].get("read_body").is_some();
    let failed = answers.iter().find(|answer| reads_body && answer.get("fault").is_some());
    if let Some(answer) = failed {
        let status = &answer["status"];
        let is_success = match case["options"]["statuses"].get(status.to_string()) {
            Some(outcome) => outcome == "success",
            None => status.as_u64() < Some(400),
        };
        return is_success.then_some("a policy does not read the body");
    }
    None
}

/// In one thread, because rustc does not see that the future of a `Timeout` can be sent.
#[tokio::test]
async fn the_table() {
    tokio::task::LocalSet::new().run_until(play_all()).await;
}

async fn play_all() {
    let nasty = Arc::new(Nasty::start());
    let client = Client::builder().no_proxy().build().unwrap();
    let mut played = tokio::task::JoinSet::new();
    let is_tcp = |case: &Value| !text(&case["target"]).starts_with("tls");
    for case in cases().into_iter().filter(is_tcp) {
        let (nasty, client) = (Arc::clone(&nasty), client.clone());
        played.spawn_local(async move { (play(&nasty, &client, &case).await, case) });
    }
    let mut exceptions = 0;
    while let Some(ended) = played.join_next().await {
        let (found, case) = ended.unwrap();
        let expected = ["attempts", "delays", "outcome", "reason", "status", "sent_once"];
        let expected = Value::from_iter(expected.map(|name| (name, case[name].clone())));
        match exception(&case) {
            None => assert_eq!(found, expected, "{case}"),
            Some(why) => {
                // On a slow machine an attempt may time out before the answer that it cannot judge.
                if case["options"].get("attempt_timeout_ms").is_none() {
                    assert_ne!(found, expected, "not so: {why}: {case}");
                }
                exceptions += 1;
            }
        }
    }
    assert!(exceptions > 3, "{exceptions}");
}

fn is_soft(error: &BoxError) -> Outcome {
    match error.downcast_ref::<reqwest::Error>() {
        None if error.is::<Elapsed>() => Outcome::Timeout,
        Some(error) if error.is_request() => Outcome::Transient,
        _ => Outcome::Permanent,
    }
}

async fn play(nasty: &Nasty, client: &Client, case: &Value) -> Value {
    let (request, options) = (&case["request"], &case["options"]);
    let (delays, last) = (Arc::<Mutex<Vec<_>>>::default(), Arc::<Mutex<Value>>::default());
    let (seen_delays, seen_last) = (Arc::clone(&delays), Arc::clone(&last));
    let url = format!("{}/{}/tower", nasty.url(text(&case["target"])), text(&case["id"]));
    let safe_url = url.clone();
    let mut policy = RetryPolicy::http(nasty::retry(options), is_soft);
    if let Some(methods) = nasty::methods(options) {
        policy = policy.methods(methods);
    }
    if let Some(statuses) = nasty::statuses(options) {
        policy = policy.statuses(statuses);
    }
    let policy = policy
        .on_retry(move |event| {
            seen_delays.lock().unwrap().push(event.delay.as_nanos().to_string());
        })
        .on_stop(move |event| {
            assert_eq!(event.url, safe_url);
            *seen_last.lock().unwrap() = nasty::end(event);
        });
    let limit = nasty::attempt_timeout(options).unwrap_or(Duration::from_secs(60));
    let client = client.clone();
    let service = ServiceBuilder::new()
        .layer(RetryLayer::new(policy))
        .layer(TimeoutLayer::new(limit))
        .service(service_fn(move |request: Request<String>| {
            let sent = client.execute(request.try_into().unwrap());
            async move { Ok::<Response<Body>, BoxError>(sent.await?.into()) }
        }));
    let mut sent = Request::builder().method(text(&request["method"])).uri(format!("{url}?secret"));
    for (name, value) in nasty::fields(request) {
        sent = sent.header(name, value);
    }
    if let Some(switch) = request["switch"].as_bool() {
        sent = sent.extension(MayRepeat(switch));
    }
    let _ = service.oneshot(sent.body(nasty::body(request).to_owned()).unwrap()).await;
    let mut found = last.lock().unwrap().clone();
    found["delays"] = json!(*delays.lock().unwrap());
    found
}
