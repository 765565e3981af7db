//! The middleware plays the cases of `tests/vectors/http_requests.json`.

use std::sync::{Arc, Mutex};

use backoff_adapters::reqwest_middleware::{MayRepeat, RetryMiddleware};
use backoff_retry::RetryStats;
use reqwest::{Body, Client, Method};
use reqwest_middleware::{ClientBuilder, Error};
use serde_json::{Value, json};

use crate::nasty::{self, Nasty, body, cases, text};

/// Plays the cases of these targets with a client that follows no redirects, all at the same time.
pub(crate) async fn play_all(client: &Client, selects: fn(&str) -> bool) {
    let nasty = Arc::new(Nasty::start());
    let (cases, client) = (cases(), client.clone());
    let mut played = tokio::task::JoinSet::new();
    for case in cases.into_iter().filter(|case| selects(text(&case["target"]))) {
        let (nasty, client) = (Arc::clone(&nasty), client.clone());
        played.spawn(async move { (play(&nasty, &client, &case).await, expected(&case), case) });
    }
    let mut count = 0;
    while let Some(ended) = played.join_next().await {
        let (found, expected, case) = ended.unwrap();
        assert_eq!(found, expected, "{case}");
        count += 1;
    }
    assert!(count > 3, "{count} cases");
}

/// What a case says, and what is the same for all.
fn expected(case: &Value) -> Value {
    let server_counts =
        case["target"] == "http" && case["options"].get("attempt_timeout_ms").is_none();
    let request = json!({ "method": case["request"]["method"], "body": body(&case["request"]) });
    let attempts = usize::try_from(case["attempts"].as_u64().unwrap()).unwrap();
    let answers = case["answers"].as_array().unwrap();
    let last = answers.get(attempts - 1).or(answers.last());
    let last_body = last.filter(|last| last.get("fault").is_none()).map(|last| &last["body"]);
    let no_body = Value::from("");
    let returned = if last.is_some_and(|last| last.get("fault").is_some()) {
        &Value::Null
    } else {
        &case["status"]
    };
    let is_head = case["request"]["method"] == "HEAD";
    json!({
        "attempts": attempts,
        "delays": case["delays"],
        "outcome": case["outcome"],
        "reason": case["reason"],
        "status": case["status"],
        "sent_once": case["sent_once"],
        "requests": server_counts.then(|| vec![request; attempts]),
        "returned": returned,
        "body": last_body.map(|body| if is_head { &no_body } else { body }),
        "stats": attempts,
    })
}

fn middleware(options: &Value, stats: &Arc<RetryStats>) -> RetryMiddleware {
    let retry = nasty::retry(options).stats(stats);
    let mut middleware = RetryMiddleware::new(retry).without_origin_budgets().without_redirects();
    if let Some(methods) = nasty::methods(options) {
        middleware = middleware.methods(methods);
    }
    if let Some(statuses) = nasty::statuses(options) {
        middleware = middleware.statuses(statuses);
    }
    if let Some(limit) = nasty::attempt_timeout(options) {
        middleware = middleware.attempt_timeout(limit).unwrap();
    }
    if options.get("read_body").is_some() {
        middleware = middleware.read_body();
    }
    middleware
}

async fn play(nasty: &Nasty, client: &Client, case: &Value) -> Value {
    let stats = Arc::new(RetryStats::new());
    let delays = Arc::new(Mutex::new(Vec::new()));
    let last = Arc::new(Mutex::new(Value::Null));
    let (seen_delays, seen_last) = (Arc::clone(&delays), Arc::clone(&last));
    let run = format!("/{}/rust", text(&case["id"]));
    let url = format!("{}{run}", nasty.url(text(&case["target"])));
    let (method, safe_url) = (case["request"]["method"].clone(), url.clone());
    let middleware = middleware(&case["options"], &stats)
        .on_retry(move |event| {
            seen_delays.lock().unwrap().push(event.delay.as_nanos().to_string());
        })
        .on_stop(move |event| {
            assert_eq!((event.method.as_str(), event.url), (text(&method), &*safe_url));
            assert_eq!(event.request.method(), event.method);
            *seen_last.lock().unwrap() = nasty::end(event);
        });
    let client = ClientBuilder::new(client.clone()).with(middleware).build();
    let request = &case["request"];
    let method = Method::from_bytes(text(&request["method"]).as_bytes()).unwrap();
    let mut sent = client.request(method, format!("{url}?secret#fragment"));
    for (name, value) in nasty::fields(request) {
        sent = sent.header(name, value);
    }
    sent = match request["body"].as_str() {
        None => sent,
        Some("once") => sent.body(Body::wrap_stream(Once(Some("once")))),
        Some(_) => sent.body(body(request).to_owned()),
    };
    if let Some(switch) = request["switch"].as_bool() {
        sent = sent.with_extension(MayRepeat(switch));
    }
    let (returned, body) = match sent.send().await {
        Ok(response) => (Some(response.status().as_u16()), response.text().await.ok()),
        Err(error) => {
            let is_own = |error: &Error| {
                matches!(error, Error::Reqwest(_))
                    || error.to_string().starts_with("no response within ")
            };
            assert!(is_own(&error), "{error:?}");
            (None, None)
        }
    };
    let mut found = last.lock().unwrap().clone();
    found["delays"] = json!(*delays.lock().unwrap());
    found["returned"] = json!(returned);
    found["body"] = json!(body);
    found["stats"] = json!(stats.operations() + stats.retries());
    let server_counts =
        case["target"] == "http" && case["options"].get("attempt_timeout_ms").is_none();
    found["requests"] =
        if server_counts { seen(nasty, &format!("{run}?secret")).await } else { Value::Null };
    found
}

async fn seen(nasty: &Nasty, run: &str) -> Value {
    let client = Client::builder().no_proxy().build().unwrap();
    let answer = client.get(format!("{}/seen{run}", nasty.url("http"))).send().await.unwrap();
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

/// A stream of one part.
pub(crate) struct Once(pub(crate) Option<&'static str>);

impl futures_core::Stream for Once {
    type Item = Result<&'static str, std::io::Error>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(self.0.take().map(Ok))
    }
}
