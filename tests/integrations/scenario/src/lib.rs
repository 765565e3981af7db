//! A server on loopback that fails on purpose, and a check of how long its clients waited.
//!
//! The clients are the HTTP examples of the bindings, all with the same policy, seed and key. The
//! server measures how long each of them waited: from before it answered until the next request
//! had arrived. Such a gap is never shorter than the wait, on a machine of any load. How much
//! longer it is says more about the machine than about the client, so no upper bound is checked.

#![forbid(unsafe_code)]

mod server;

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{iter, thread};

use anyhow::{Context, Result, bail, ensure};
use backoff_core::{Decision, Operation, Outcome, Policy, RandomStream};

use crate::server::{Answer, Request, Server, gaps};

const POLICY: &str = "equal:base=100ms,cap=2s,max_retries=9,retry_after_max=5s";
const SEED: u64 = 42;
const KEY: &str = "job-1";
const BODY: &str = "ready";
/// A client that takes longer has stopped, or waits in the wrong unit.
const LIMIT: Duration = Duration::from_mins(1);

const SCRIPT: [Answer; 6] = [
    Answer::Status(503, Some(1), "busy"),
    Answer::Status(429, None, "slower"),
    Answer::Reset,
    Answer::Silence,
    Answer::Status(500, None, "broken"),
    Answer::Status(200, None, BODY),
];

/// One step of the script and what a client makes of it.
struct Step {
    answer: &'static str,
    outcome: Outcome,
    /// The delay that the core computes, or nothing after the last attempt.
    delay_ns: Option<u64>,
}

/// What one client did.
struct Client {
    name: String,
    gaps: Vec<Duration>,
    problems: Vec<String>,
}

/// Prints how long each client waited, and whether all of them agree with the core.
///
/// # Errors
///
/// If a client disagrees with the core, or if the server cannot start.
pub fn run(commands: Vec<(String, Command)>) -> Result<()> {
    let steps = steps()?;
    let clients = play(&steps, commands)?;
    println!("{}", table(&steps, &clients));
    let disagree: Vec<_> = clients.iter().filter(|client| !client.problems.is_empty()).collect();
    for client in &disagree {
        for problem in &client.problems {
            println!("{}: {problem}", client.name);
        }
    }
    println!("{} of {} agree", clients.len().saturating_sub(disagree.len()), clients.len());
    ensure!(disagree.is_empty(), "not all clients agree");
    Ok(())
}

/// Checks one client, for tests.
///
/// # Errors
///
/// If it disagrees with the core, or if the server cannot start.
pub fn check(name: &str, command: Command) -> Result<()> {
    let clients = play(&steps()?, vec![(name.to_owned(), command)])?;
    let problems: Vec<_> = clients.into_iter().flat_map(|client| client.problems).collect();
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(())
}

/// The script with the decisions of the core.
fn steps() -> Result<Vec<Step>> {
    let policy = Policy::parse(POLICY)?;
    let mut operation = Operation::begin(policy, RandomStream::from_key(SEED, KEY), 0, None, None);
    let step = |answer: &Answer| {
        let (answer, outcome, retry_after_ns) = match *answer {
            Answer::Status(429, ..) => ("429", Outcome::Throttled, None),
            Answer::Status(500, ..) => ("500", Outcome::Transient, None),
            Answer::Status(503, Some(seconds), _) => {
                let retry_after_ns = seconds.saturating_mul(1_000_000_000);
                ("503 with Retry-After", Outcome::Throttled, Some(retry_after_ns))
            }
            Answer::Status(200, ..) => ("200", Outcome::Success, None),
            Answer::Reset => ("a reset", Outcome::Transient, None),
            Answer::Silence => ("none in time", Outcome::Timeout, None),
            Answer::Status(..) => bail!("an answer without an outcome"),
        };
        let decision = operation.decide(outcome, retry_after_ns, 0, None);
        let delay_ns =
            if let Decision::Wait { delay_ns } = decision { Some(delay_ns) } else { None };
        Ok(Step { answer, outcome, delay_ns })
    };
    let steps = SCRIPT.iter().map(step).collect::<Result<Vec<_>>>()?;
    ensure!(
        steps.iter().filter(|step| step.delay_ns.is_none()).count() == 1,
        "the script must end with its only success"
    );
    Ok(steps)
}

/// Runs all clients at once against one server.
fn play(steps: &[Step], commands: Vec<(String, Command)>) -> Result<Vec<Client>> {
    let server = &Server::start(&SCRIPT)?;
    eprintln!("==> {} clients, one server", commands.len());
    thread::scope(|scope| {
        let running: Vec<_> = commands
            .into_iter()
            .map(|(name, mut command)| {
                command.arg(server.url(&name)).args([POLICY, &SEED.to_string(), KEY]);
                scope.spawn(move || {
                    let printed = run_client(steps, &mut command);
                    client(steps, name.clone(), &server.requests(&name), printed)
                })
            })
            .collect();
        let joined = running.into_iter().map(thread::ScopedJoinHandle::join);
        joined.map(|client| client.map_err(|_| anyhow::anyhow!("a thread panicked"))).collect()
    })
}

/// Runs a client to its end. It fails unless it prints the steps.
fn run_client(steps: &[Step], command: &mut Command) -> Result<()> {
    let output = output_within(command, LIMIT)?;
    let printed = [output.stdout, output.stderr].concat();
    let (printed, expected) = (String::from_utf8_lossy(&printed), expected_lines(steps));
    ensure!(
        output.status.success() && printed == expected,
        "{command:?} ended with {}, expected\n{expected}printed\n{printed}",
        output.status
    );
    Ok(())
}

/// Runs a program that prints little, and kills it after some time.
///
/// # Errors
///
/// The program cannot be run.
pub fn output_within(command: &mut Command, limit: Duration) -> Result<Output> {
    let began = Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    while child.try_wait()?.is_none() {
        if began.elapsed() > limit {
            child.kill()?;
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(child.wait_with_output()?)
}

/// What a client did, and everything that is wrong with it.
fn client(steps: &[Step], name: String, requests: &[Request], printed: Result<()>) -> Client {
    let gaps = gaps(requests);
    let mut problems: Vec<_> = printed.err().map(|e| format!("{e:#}")).into_iter().collect();
    if requests.len() != steps.len() {
        problems.push(format!("{} requests, expected {}", requests.len(), steps.len()));
    }
    for (retry, (step, gap)) in (1..).zip(iter::zip(steps, &gaps)) {
        let delay = Duration::from_nanos(step.delay_ns.unwrap_or_default());
        if *gap < delay {
            problems.push(format!("retry {retry} came {:?} too early", delay.saturating_sub(*gap)));
        }
    }
    Client { name, gaps, problems }
}

/// What every client prints.
fn expected_lines(steps: &[Step]) -> String {
    let line = |(number, step): (usize, &Step)| {
        let outcome = step.outcome.name();
        match step.delay_ns {
            Some(delay_ns) => format!("attempt {number}: {outcome}, waiting {delay_ns} ns\n"),
            None => format!("done after {number} attempts: {BODY}\n"),
        }
    };
    (1..).zip(steps).map(line).collect()
}

/// The delays of the core, and beside them the gaps.
fn table(steps: &[Step], clients: &[Client]) -> String {
    let row = |request: &str, answer: &str, delay: &str, gaps: &mut dyn Iterator<Item = String>| {
        let row = format!("{request:<9}{answer:<22}{delay:>12}");
        gaps.fold(row, |row, gap| row + &format!("{gap:>12}"))
    };
    let in_ms = |duration: Duration| format!("{:.3}", duration.as_secs_f64() * 1e3);
    let names = &mut clients.iter().map(|client| client.name.clone());
    let mut lines = vec![
        format!("{POLICY}, seed {SEED}, key {KEY}; in ms\n"),
        row("request", "answer", "delay", names),
    ];
    for (position, step) in steps.iter().enumerate() {
        let Some(delay_ns) = step.delay_ns else { continue };
        let request = position.saturating_add(1).to_string();
        let delay = in_ms(Duration::from_nanos(delay_ns));
        let gap = |client: &Client| client.gaps.get(position).copied();
        let gaps = &mut clients.iter().map(|client| gap(client).map_or("-".to_owned(), in_ms));
        let timeout = match step.outcome {
            Outcome::Timeout => "  with the client's own timeout",
            _ => "",
        };
        lines.push(row(&request, step.answer, &delay, gaps) + timeout);
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use anyhow::{Result, bail};

    use super::{Request, Step, client, expected_lines, output_within, steps, table};

    /// The requests of a client whose gaps differ from the delays by this many ms.
    fn requests(steps: &[Step], late_ms: impl Fn(usize) -> i64) -> Vec<Request> {
        let mut now = Instant::now();
        let mut requests = Vec::new();
        for (position, step) in steps.iter().enumerate() {
            requests.push(Request { arrived: now, answered: now });
            now += Duration::from_nanos(step.delay_ns.unwrap_or_default());
            let late_ms = late_ms(position);
            let by = Duration::from_millis(late_ms.unsigned_abs());
            now = if late_ms < 0 { now.checked_sub(by).unwrap() } else { now + by };
        }
        requests
    }

    fn problems(requests: &[Request], printed: Result<()>) -> Vec<String> {
        client(&steps().unwrap(), "rust".to_owned(), requests, printed).problems
    }

    #[test]
    fn the_delays_are_those_of_the_policy() {
        let steps = steps().unwrap();
        let printed = expected_lines(&steps);
        let lines: Vec<_> = printed.lines().collect();
        assert_eq!(lines.len(), 6);
        // The Retry-After; then half of the window and up to as much again.
        assert_eq!(lines[0], "attempt 1: throttled, waiting 1000000000 ns");
        assert_eq!(lines[5], "done after 6 attempts: ready");
        for (step, window_ms) in steps.iter().zip([100, 200, 400, 800, 1600]).skip(1) {
            let delay_ms = step.delay_ns.unwrap() / 1_000_000;
            assert!((window_ms / 2..=window_ms).contains(&delay_ms), "{delay_ms} of {window_ms}");
        }
    }

    #[test]
    fn a_client_that_waits_long_enough_agrees() {
        let steps = steps().unwrap();
        for late_ms in [0, 1, 60_000] {
            let requests = requests(&steps, |_| late_ms);
            assert_eq!(problems(&requests, Ok(())), [""; 0], "{late_ms} ms late");
        }
    }

    #[test]
    fn a_client_that_is_early_or_stops_or_fails_is_reported() {
        let steps = steps().unwrap();
        let exact = requests(&steps, |_| 0);
        for retry in 1..=5 {
            let early = requests(&steps, |position| if position + 1 == retry { -1 } else { 0 });
            assert_eq!(problems(&early, Ok(())), [format!("retry {retry} came 1ms too early")]);
        }
        assert_eq!(problems(&exact[..5], Ok(())), ["5 requests, expected 6"]);
        assert_eq!(problems(&[], Ok(())), ["0 requests, expected 6"]);
        let failed = || -> Result<()> { bail!("no such program") };
        assert_eq!(problems(&exact, failed()), ["no such program"]);
    }

    #[test]
    fn a_program_that_does_not_end_is_killed() {
        let output = output_within(Command::new("sleep").arg("600"), Duration::from_millis(50));
        assert!(!output.unwrap().status.success());
        let output = output_within(Command::new("echo").arg("ready"), Duration::from_mins(1));
        assert_eq!(output.unwrap().stdout, b"ready\n");
    }

    #[test]
    fn the_table_has_a_row_for_each_retry() {
        let steps = steps().unwrap();
        let client = client(&steps, "rust".to_owned(), &requests(&steps, |_| 3), Ok(()));
        let table = table(&steps, &[client]);
        let rows: Vec<_> = table.lines().skip(2).collect();
        assert_eq!(rows.len(), 6, "{table}");
        assert_eq!(rows[1], "1        503 with Retry-After      1000.000    1003.000");
        assert!(rows[4].ends_with("  with the client's own timeout"), "{table}");
    }
}
