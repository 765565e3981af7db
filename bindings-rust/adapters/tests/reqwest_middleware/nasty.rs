//! The server of `tests/nasty_server.py`, and the cases that it plays (SPEC 19).

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use backoff_adapters::http::{RequestEvent, SentOnce};
use backoff_retry::{Outcome, Retry, StopReason};
use http::Method;
use serde_json::{Value, json};

const SERVER: &str = include_str!("../../../../tests/nasty_server.py");
const CASES: &str = include_str!("../../../../tests/vectors/http_requests.json");

/// It runs until it is dropped.
pub(crate) struct Nasty {
    urls: Value,
    server: Child,
    input: Option<ChildStdin>,
}

impl Nasty {
    pub(crate) fn start() -> Self {
        // The package of this test may be in another folder.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nasty");
        fs::create_dir_all(folder.join("vectors")).unwrap();
        let put = |name: &str, text| {
            // Another test may be starting it.
            let fresh = folder.join(format!("{name}.{}", std::process::id()));
            fs::write(&fresh, text).unwrap();
            fs::rename(fresh, folder.join(name)).unwrap();
        };
        put("nasty_server.py", SERVER);
        put("vectors/http_requests.json", CASES);
        let mut server = Command::new("python3")
            .arg(folder.join("nasty_server.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let input = server.stdin.take();
        Self { urls: serde_json::from_str(&line).unwrap(), server, input }
    }

    /// The URL of a target, without a slash at its end.
    pub(crate) fn url(&self, target: &str) -> &str {
        self.urls[target].as_str().unwrap()
    }
}

impl Drop for Nasty {
    fn drop(&mut self) {
        self.input = None;
        self.server.wait().unwrap();
    }
}

pub(crate) fn cases() -> Vec<Value> {
    let Value::Array(cases) = serde_json::from_str::<Value>(CASES).unwrap()["cases"].take() else {
        panic!("no cases")
    };
    cases
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

pub(crate) fn retry(options: &Value) -> Retry<'static> {
    let retries = &options["max_retries"];
    let policy = format!("constant:base=1ms,retry_after_max=3ms,max_retries={retries}");
    Retry::new(policy.parse().unwrap())
}

pub(crate) fn methods(options: &Value) -> Option<Vec<Method>> {
    let methods = options.get("methods")?.as_array().unwrap().iter();
    Some(methods.map(|name| text(name).parse().unwrap()).collect())
}

pub(crate) fn statuses(options: &Value) -> Option<Vec<(u16, Outcome)>> {
    let statuses = options.get("statuses")?.as_object().unwrap().iter();
    let outcome = |name: &Value| *Outcome::ALL.iter().find(|it| it.name() == name).unwrap();
    Some(statuses.map(|(status, name)| (status.parse().unwrap(), outcome(name))).collect())
}

pub(crate) fn attempt_timeout(options: &Value) -> Option<Duration> {
    Some(Duration::from_millis(options.get("attempt_timeout_ms")?.as_u64().unwrap()))
}

pub(crate) fn fields(request: &Value) -> impl Iterator<Item = (&str, &str)> {
    let fields = request["fields"].as_array().unwrap().iter();
    fields.map(|field| text(field).split_once(": ").unwrap())
}

pub(crate) fn body(request: &Value) -> &str {
    request["body"].as_str().filter(|body| *body != "empty").unwrap_or_default()
}

/// The end of a request, as a case has it.
pub(crate) fn end<Q, R>(event: &RequestEvent<'_, Q, R>) -> Value {
    json!({
        "attempts": event.attempts,
        "outcome": event.outcome.map(Outcome::name),
        "reason": event.reason.map(StopReason::name),
        "status": event.status.map(|status| status.as_u16()),
        "sent_once": event.sent_once.map(SentOnce::name),
    })
}
