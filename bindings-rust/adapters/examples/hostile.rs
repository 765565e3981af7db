//! Sends requests by the adapter of reqwest-middleware, for `tests/hostile`: a request for each line of JSON, and a
//! line for how it ended. It reads no body but that of a success.

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, stdin};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use backoff_adapters::reqwest_middleware::RetryMiddleware;
use backoff_retry::Retry;
use reqwest::Client;
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use serde_json::{Value, json};

type Delays = Arc<Mutex<Vec<f64>>>;
type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn client(asked: &Value, delays: &Delays) -> Result<ClientWithMiddleware> {
    let delays = Arc::clone(delays);
    let retry = Retry::new(asked["policy"].as_str().unwrap_or_default().parse()?);
    let mut middleware =
        RetryMiddleware::new(retry).without_origin_budgets().on_retry(move |event| {
            let delay = event.event.delay.as_secs_f64() * 1000.0;
            delays.lock().unwrap_or_else(PoisonError::into_inner).push(delay);
        });
    if let Some(limit @ 1..) = asked["timeout_ms"].as_u64() {
        middleware = middleware.attempt_timeout(Duration::from_millis(limit))?;
    }
    if asked["read_body"] == true {
        middleware = middleware.read_body();
    }
    let client = Client::builder().no_proxy().build()?;
    Ok(ClientBuilder::new(client).with(middleware).build())
}

async fn send(client: &ClientWithMiddleware, asked: &Value) -> Result<Value> {
    let method = asked["method"].as_str().unwrap_or_default().parse()?;
    let mut request = client.request(method, asked["url"].as_str().unwrap_or_default());
    for (name, value) in asked["fields"].as_object().into_iter().flatten() {
        request = request.header(name, value.as_str().unwrap_or_default());
    }
    if let Some(upload @ 1..) = asked["upload"].as_u64() {
        request = request.body(vec![0; usize::try_from(upload)?]);
    }
    let response = request.send().await?;
    let status = response.status().as_u16();
    let body = if status == 200 { response.text().await? } else { String::new() };
    Ok(json!({ "status": status, "body": body }))
}

#[tokio::main]
async fn main() -> Result<()> {
    let (mut clients, delays) = (HashMap::new(), Delays::default());
    for line in stdin().lock().lines() {
        let asked: Value = serde_json::from_str(&line?)?;
        let chosen = format!("{}{}{}", asked["policy"], asked["timeout_ms"], asked["read_body"]);
        if !clients.contains_key(&chosen) {
            clients.insert(chosen.clone(), client(&asked, &delays)?);
        }
        let mut ended = json!({});
        for _ in 0..asked["times"].as_u64().unwrap_or(1) {
            delays.lock().unwrap_or_else(PoisonError::into_inner).clear();
            let sent = send(&clients[&chosen], &asked).await;
            ended = sent.unwrap_or_else(|error| json!({ "error": error.to_string() }));
        }
        ended["delays_ms"] = json!(*delays.lock().unwrap_or_else(PoisonError::into_inner));
        println!("{ended}");
    }
    Ok(())
}
