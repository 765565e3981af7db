//! `cargo xtask scenario`: a server on loopback that fails on purpose, and the example clients
//! of five languages, each with the same policy, seed and key.
//!
//! How long a client waited is read from the server's log: from before the answer was sent to
//! when the next request had arrived. That is never less than the client's wait. Of a request
//! that is not answered the server cannot know when the client gave it up, so there the
//! client's own timeout is in the gap.

use std::process::Command;
use std::time::Duration;
use std::{iter, thread};

use anyhow::{Result, bail, ensure};
use backoff_core::{Decision, Operation, Outcome, Policy, Stream};

use crate::server::{Answer, Server, Visit, gaps};
use crate::shell::{line, output, progress};

const POLICY: &str = "equal:base=100ms,cap=2s,max_retries=9,hint_max=5s";
const SEED: u64 = 42;
const KEY: &str = "job-1";
const BODY: &str = "ready";
/// The timeout of an attempt in every example.
const TIMEOUT: Duration = Duration::from_secs(1);
/// By how much a gap may exceed the delay: the platform's timer, a new connection, and the
/// turns of a busy machine.
const LATE: Duration = Duration::from_millis(500);

const SCRIPT: [Answer; 6] = [
    Answer::Status(503, Some(1), "busy"),
    Answer::Status(429, None, "slower"),
    Answer::Reset,
    Answer::Silence,
    Answer::Status(500, None, "broken"),
    Answer::Status(200, None, BODY),
];

/// What a client has to do after a request.
struct Step {
    answer: &'static str,
    outcome: Outcome,
    /// What it waits, by the core; nothing after the last.
    delay_ns: Option<u64>,
    /// What else is in the gap that the server sees.
    timeout: Duration,
}

/// A client and what became of it.
struct Client {
    name: String,
    gaps: Vec<Duration>,
    problems: Vec<String>,
}

/// Prints what each client waited, and whether all of them agree with the core.
pub(crate) fn run(commands: Vec<(String, Command)>) -> Result<()> {
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
    if disagree.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = disagree.iter().map(|client| client.name.as_str()).collect();
    bail!("not {}", names.join(", "));
}

/// Whether one client waits what the core says, for the tests.
pub(crate) fn check(name: &str, command: Command) -> Result<()> {
    let clients = play(&steps()?, vec![(name.to_owned(), command)])?;
    let problems: Vec<_> = clients.into_iter().flat_map(|client| client.problems).collect();
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(())
}

/// The script, and what the core says of it.
fn steps() -> Result<Vec<Step>> {
    let policy = Policy::parse(POLICY)?;
    let mut operation = Operation::begin(policy, Stream::from_key(SEED, KEY), 0, None, None);
    let step = |answer: &Answer| {
        let (said, outcome, hint) = match *answer {
            Answer::Status(429, ..) => ("429", Outcome::Throttled, None),
            Answer::Status(500, ..) => ("500", Outcome::Transient, None),
            Answer::Status(503, Some(seconds), _) => {
                let hint = seconds.saturating_mul(1_000_000_000);
                ("503 with Retry-After", Outcome::Throttled, Some(hint))
            }
            Answer::Status(200, ..) => ("200", Outcome::Success, None),
            Answer::Status(status, ..) => bail!("the script has no word for {status}"),
            Answer::Reset => ("a reset", Outcome::Transient, None),
            Answer::Bytes(bytes) => bail!("the script has no word for {bytes}"),
            Answer::Silence => ("none in time", Outcome::Timeout, None),
        };
        let delay_ns = match operation.decide(outcome, hint, 0, None) {
            Decision::Wait(delay_ns) => Some(delay_ns),
            Decision::Stop { .. } => None,
        };
        let timeout = if outcome == Outcome::Timeout { TIMEOUT } else { Duration::ZERO };
        Ok(Step { answer: said, outcome, delay_ns, timeout })
    };
    let steps = SCRIPT.iter().map(step).collect::<Result<Vec<_>>>()?;
    ensure!(
        steps.iter().filter(|step| step.delay_ns.is_none()).count() == 1,
        "the script ends with its one success"
    );
    Ok(steps)
}

/// Runs all clients at once against one server.
fn play(steps: &[Step], commands: Vec<(String, Command)>) -> Result<Vec<Client>> {
    let server = Server::of_requests(&SCRIPT)?;
    progress(&format!("{} clients, one server", commands.len()));
    let server = &server;
    let clients = thread::scope(|scope| {
        let running: Vec<_> = commands
            .into_iter()
            .map(|(name, mut command)| {
                command.arg(server.url(&name)).args([POLICY, &SEED.to_string(), KEY]);
                scope.spawn(move || {
                    let said = said(steps, &mut command);
                    judge(steps, name.clone(), &server.visits(&name), said)
                })
            })
            .collect();
        running.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    clients
        .into_iter()
        .map(|client| client.map_err(|_| anyhow::anyhow!("a thread of the scenario panicked")))
        .collect()
}

/// Runs a client to its end, and fails if it does not say what it should.
fn said(steps: &[Step], command: &mut Command) -> Result<()> {
    let output = output(command)?;
    let expected = printed(steps);
    ensure!(
        output.success && output.text == expected,
        "`{}` printed\n{}and should have printed\n{expected}",
        line(command),
        output.text
    );
    Ok(())
}

/// What a client did, and everything that is wrong with it.
fn judge(steps: &[Step], name: String, visits: &[Visit], said: Result<()>) -> Client {
    let gaps = gaps(visits);
    let mut problems: Vec<_> = said.err().map(|error| format!("{error:#}")).into_iter().collect();
    if visits.len() != steps.len() {
        problems.push(format!("{} requests and not {}", visits.len(), steps.len()));
    }
    for (number, (step, gap)) in iter::zip(steps, &gaps).enumerate() {
        let delay = Duration::from_nanos(step.delay_ns.unwrap_or_default());
        let retry = number.saturating_add(1);
        if *gap < delay {
            problems.push(format!("retry {retry} came {:?} too early", delay.saturating_sub(*gap)));
        }
        let late = gap.saturating_sub(delay).saturating_sub(step.timeout);
        if late > LATE {
            problems.push(format!("retry {retry} came {late:?} too late"));
        }
    }
    Client { name, gaps, problems }
}

/// What every client prints.
fn printed(steps: &[Step]) -> String {
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
        let timeout = match step.timeout.as_secs() {
            0 => String::new(),
            seconds => format!("  with the timeout of {seconds} s"),
        };
        lines.push(row(&request, step.answer, &delay, gaps) + &timeout);
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use anyhow::{Result, bail};

    use super::{Step, Visit, judge, printed, steps, table};

    /// The requests of a client whose gaps differ from what they should be by so many ms.
    fn requests(steps: &[Step], late: impl Fn(usize) -> i64) -> Vec<Visit> {
        let mut now = Instant::now();
        let mut requests = Vec::new();
        for (position, step) in steps.iter().enumerate() {
            requests.push(Visit { arrived: now, answered: now });
            now += Duration::from_nanos(step.delay_ns.unwrap_or_default()) + step.timeout;
            let late = late(position);
            let by = Duration::from_millis(late.unsigned_abs());
            now = if late < 0 { now.checked_sub(by).unwrap() } else { now + by };
        }
        requests
    }

    fn problems(requests: &[Visit], said: Result<()>) -> Vec<String> {
        judge(&steps().unwrap(), "rust".to_owned(), requests, said).problems
    }

    #[test]
    fn the_script_is_what_the_core_makes_of_it() {
        let steps = steps().unwrap();
        let printed = printed(&steps);
        let lines: Vec<_> = printed.lines().collect();
        assert_eq!(lines.len(), 6);
        // The hint; then half of the window and up to as much again.
        assert_eq!(lines[0], "attempt 1: throttled, waiting 1000000000 ns");
        assert_eq!(lines[5], "done after 6 attempts: ready");
        for (step, window_ms) in steps.iter().zip([100, 200, 400, 800, 1600]).skip(1) {
            let delay_ms = step.delay_ns.unwrap() / 1_000_000;
            assert!((window_ms / 2..=window_ms).contains(&delay_ms), "{delay_ms} of {window_ms}");
        }
    }

    #[test]
    fn who_waits_what_the_core_says_agrees() {
        let steps = steps().unwrap();
        for late in [0, 499] {
            assert_eq!(problems(&requests(&steps, |_| late), Ok(())), [""; 0], "{late} ms late");
        }
    }

    #[test]
    fn who_does_not_is_told() {
        let steps = steps().unwrap();
        let exact = requests(&steps, |_| 0);
        for retry in [1, 2, 3, 5] {
            let early = requests(&steps, |position| if position + 1 == retry { -1 } else { 0 });
            assert_eq!(problems(&early, Ok(())), [format!("retry {retry} came 1ms too early")]);
            let late = requests(&steps, |position| if position + 1 == retry { 501 } else { 0 });
            assert_eq!(problems(&late, Ok(())), [format!("retry {retry} came 501ms too late")]);
        }
        // Only the client knows when its timeout was over.
        let early = requests(&steps, |position| if position + 1 == 4 { -1001 } else { 0 });
        assert_eq!(problems(&early, Ok(())), ["retry 4 came 1ms too early"]);
        assert_eq!(problems(&exact[..5], Ok(())), ["5 requests and not 6"]);
        assert_eq!(problems(&[], Ok(())), ["0 requests and not 6"]);
        let failed = || -> Result<()> { bail!("no such program") };
        assert_eq!(problems(&exact, failed()), ["no such program"]);
    }

    #[test]
    fn the_table_has_a_row_for_each_retry() {
        let steps = steps().unwrap();
        let client = judge(&steps, "rust".to_owned(), &requests(&steps, |_| 3), Ok(()));
        let table = table(&steps, &[client]);
        let rows: Vec<_> = table.lines().skip(2).collect();
        assert_eq!(rows.len(), 6, "{table}");
        assert_eq!(rows[1], "1        503 with Retry-After      1000.000    1003.000");
        assert!(rows[4].ends_with("  with the timeout of 1 s"), "{table}");
    }
}
