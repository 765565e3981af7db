//! GETs a URL with retries: `http URL POLICY SEED KEY`.

use std::process::ExitCode;
use std::time::Duration;
use std::{env, fmt};

use backoff_retry::{AttemptTimeout, Outcome, Policy, Retry, Verdict};
use reqwest::{Client, StatusCode};

/// Why an attempt failed.
enum Failure {
    Status {
        status: StatusCode,
        verdict: Verdict,
    },
    Transport(reqwest::Error),
    /// By the policy's `attempt_timeout`.
    TooLate(AttemptTimeout),
}

async fn get(client: &Client, url: &str) -> Result<String, Failure> {
    let response = client.get(url).send().await.map_err(Failure::Transport)?;
    let status = response.status();
    let verdict = Verdict::of_http(status.as_u16(), response.headers());
    if verdict.outcome == Outcome::Success {
        return response.text().await.map_err(Failure::Transport);
    }
    Err(Failure::Status { status, verdict })
}

/// Which failures of a GET to retry.
fn classify(failure: &Failure) -> Verdict {
    match failure {
        Failure::Status { verdict, .. } => *verdict,
        Failure::TooLate(_) => Outcome::Timeout.into(),
        Failure::Transport(error) if error.is_timeout() => Outcome::Timeout.into(),
        Failure::Transport(error) if error.is_builder() => Outcome::Permanent.into(),
        Failure::Transport(_) => Outcome::Transient.into(),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let (url, retry) = match arguments() {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}; usage: http URL POLICY SEED KEY");
            return ExitCode::from(2);
        }
    };
    let client = Client::builder().timeout(Duration::from_secs(5)).build().expect("a client");

    let report = retry
        .when(classify)
        .timed_out(|timeout| Err(Failure::TooLate(timeout)))
        .on_retry(|event| {
            let (attempts, delay) = (event.attempts, event.delay.as_nanos());
            let outcome = event.outcome.map_or("unknown", Outcome::name);
            println!("attempt {attempts}: {outcome}, waiting {delay} ns");
        })
        .call_async_with_report(|| get(&client, &url))
        .await;

    match report.result {
        Ok(body) => {
            println!("done after {} attempts: {}", report.attempts, body.trim());
            ExitCode::SUCCESS
        }
        Err(failure) => {
            let (attempts, reason) = (report.attempts, report.reason.name());
            eprintln!("gave up after {attempts} attempts: {reason}: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<(String, Retry<'static>), String> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [url, policy, seed, key] = arguments.try_into().map_err(|_| "four arguments are needed")?;
    let policy = Policy::parse(&policy).map_err(|error| format!("policy {policy}: {error}"))?;
    let seed = seed.parse().map_err(|error| format!("seed {seed}: {error}"))?;
    Ok((url, Retry::new(policy).seed_and_key(seed, key)))
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { status, .. } => write!(f, "{status}"),
            Self::Transport(error) => write!(f, "{error}"),
            Self::TooLate(timeout) => write!(f, "{timeout}"),
        }
    }
}
