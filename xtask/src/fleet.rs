//! `cargo xtask scenario fleet`: processes in four languages share one budget in a store, which may
//! stop for a while, and some of them are killed. The reference replays what they recorded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::languages::fleet;
use crate::report::{Extent, Report};
use crate::servers::{self, Server};
use crate::shell::{self, command, empty, line, progress, scratch, stdout};

const NAME: &str = "fleet";
const BUDGET: &str = "rate:max_tokens=500,per=1s";
/// How many exchanges each process has recorded before that.
const BEFORE: usize = 5;
/// How long all processes together may record nothing. They look at the clock of the store, not at
/// ours, so this only bounds a run that hangs.
const PATIENCE: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(20);

/// A store, and how many retries all processes together request of it.
struct Plan {
    store: &'static str,
    title: &'static str,
    /// The processes of each language.
    processes: usize,
    lease: usize,
    requests: usize,
    /// How long the store is away.
    outage: Option<Duration>,
    /// How many processes are killed and started again.
    kills: usize,
}

const REDIS: Plan = Plan {
    store: "redis",
    title: "Redis",
    processes: 2,
    lease: 1,
    requests: 100_000,
    outage: Some(Duration::from_secs(10)),
    kills: 0,
};
/// For the usual tests: during an outage, all processes use the processor without a pause.
const REDIS_IN_SHORT: Plan =
    Plan { requests: 40_000, outage: Some(Duration::from_secs(3)), ..REDIS };
const POSTGRES: Plan = Plan {
    store: "postgres",
    title: "PostgreSQL",
    processes: 2,
    lease: 8,
    requests: 8000,
    outage: None,
    kills: 4,
};
/// All ask at once, as fast as they can, for the scenario alone: it needs a machine that does nothing else.
const CROWDS: [Plan; 2] = [
    Plan {
        store: "redis",
        title: "Redis",
        processes: 16,
        lease: 1,
        requests: 40_000,
        outage: None,
        kills: 0,
    },
    Plan {
        store: "postgres",
        title: "PostgreSQL",
        processes: 16,
        lease: 1,
        requests: 40_000,
        outage: None,
        kills: 0,
    },
];

/// What a process prints at its end.
#[derive(Deserialize, Clone, Copy)]
struct Summary {
    /// The retries that it requested of the store, and those that the store granted.
    requests: usize,
    granted: usize,
    /// The retries that its local budget decided.
    local: usize,
}

/// What the replay counted.
#[derive(Deserialize)]
struct Replay {
    exchanges: usize,
    requests: usize,
    granted: usize,
    unanswered: usize,
    /// Exchanges that processes which were killed did not record.
    gaps: usize,
    seconds: f64,
    limit: usize,
}

/// Prints what each process did and what the replay found, and fails if it disagrees.
pub(crate) fn run() -> Result<()> {
    for plan in [REDIS, POSTGRES].iter().chain(&CROWDS) {
        let (rows, replay) = share(plan)?;
        println!(
            "{BUDGET} in {}, {} processes, leases of {}\n",
            plan.title,
            rows.len(),
            plan.lease
        );
        println!("{:<10}{:>10}{:>10}{:>10}", "process", "requests", "granted", "local");
        for (language, Summary { requests, granted, local }) in &rows {
            println!("{language:<10}{requests:>10}{granted:>10}{local:>10}");
        }
        let Replay { exchanges, requests, granted, unanswered, gaps, seconds, limit } = replay;
        println!(
            "{:<10}{requests:>10}{granted:>10}   in {exchanges} exchanges, {unanswered} of them \
             stored without an answer, and {gaps} by processes that were killed before they \
             recorded it",
            "replay"
        );
        println!("at most {limit} may be granted in {seconds:.1} s: the replay agrees\n");
    }
    Ok(())
}

/// Checks both stores, for the tests.
pub(crate) fn test(report: &mut Report) {
    let redis = if report.extent() == Extent::All { REDIS } else { REDIS_IN_SHORT };
    for plan in [redis, POSTGRES] {
        report.runs_on(("All languages", "one budget for eight processes, in", plan.title), || {
            share(&plan)?;
            servers::version(plan.store)
        });
    }
}

/// Runs the processes, and replays what they recorded.
fn share(plan: &Plan) -> Result<(Vec<(&'static str, Summary)>, Replay)> {
    let folder = scratch().join("fleet");
    empty(&folder)?;
    let mut server = Server::start(plan.store)?;
    let members = fleet();
    let count = members.len() * plan.processes;
    // All are built before the first begins; the first are started again.
    let mut programs = Vec::new();
    for member in members.iter().cycle().take(count + plan.kills) {
        programs.push((member, (member.program)()?));
    }
    let each = plan.requests.div_ceil(count);
    let mut programs = programs.into_iter().enumerate().map(|(number, (member, mut program))| {
        let log = folder.join(format!("{}-{number}.jsonl", member.name));
        program.args([plan.store, server.address(), NAME, BUDGET]);
        program.args([plan.lease.to_string(), each.to_string()]).arg(&log);
        (member.name, program, log)
    });
    let mut processes = Vec::new();
    for (name, program, log) in programs.by_ref().take(count) {
        processes.push(Process::start(name, program, log)?);
    }
    let mut logs: Vec<_> = processes.iter().map(|process| process.log.clone()).collect();
    for (place, (name, program, log)) in programs.enumerate() {
        let killed = processes.get_mut(place).context("no process to kill")?;
        wait_until(&folder, || Ok(recorded(&killed.log) >= BEFORE))?;
        logs.push(log.clone());
        *killed = Process::start(name, program, log)?;
    }
    if let Some(outage) = plan.outage {
        // Each process is held when it has begun, so that none ends before the store stops.
        let mut running: Vec<_> = processes.iter_mut().collect();
        wait_until(&folder, || {
            let mut slow = Vec::new();
            for process in running.drain(..) {
                if !process.is_held()? {
                    slow.push(process);
                }
            }
            running = slow;
            Ok(running.is_empty())
        })?;
        progress(&format!("the store stops for {outage:?}"));
        server.tell("stop")?;
        for process in &processes {
            process.signal("CONT")?;
        }
        thread::sleep(outage);
        server.tell("start")?;
    }
    let mut rows = Vec::new();
    for process in &mut processes {
        rows.push((process.language, process.end()?));
    }
    let replay = replay(plan, &server, &logs)?;
    check(plan, &rows, &replay)?;
    Ok((rows, replay))
}

/// What the counts must be.
fn check(plan: &Plan, rows: &[(&str, Summary)], replay: &Replay) -> Result<()> {
    let sum = |count: fn(&Summary) -> usize| rows.iter().map(|(_, summary)| count(summary)).sum();
    let (requests, granted): (usize, usize) = (sum(|row| row.requests), sum(|row| row.granted));
    ensure!(requests >= plan.requests, "only {requests} requests");
    // The processes do not count what was stored without an answer, or too late for the caller, and of
    // a lease some retries are never requested.
    ensure!(replay.requests >= requests, "{requests} requests, {} replayed", replay.requests);
    ensure!(replay.granted >= granted, "{granted} granted, {} in the replay", replay.granted);
    ensure!(replay.granted <= replay.limit, "{} granted of {}", replay.granted, replay.limit);
    for (language, summary) in rows {
        let decided = plan.outage.is_none() || summary.local > 0;
        ensure!(decided, "{language}: the local budget decided nothing while the store was away");
    }
    Ok(())
}

/// A process of the fleet, which is killed when this is dropped.
struct Process {
    language: &'static str,
    program: String,
    child: Child,
    log: PathBuf,
    output: PathBuf,
}

impl Process {
    fn start(language: &'static str, mut program: Command, log: PathBuf) -> Result<Self> {
        let output = log.with_extension("out");
        let child = spawn(&mut program, &output)?;
        Ok(Self { language, program: line(&program), child, log, output })
    }

    /// Stops the process, until it is told to go on, if it has recorded some exchanges.
    fn is_held(&mut self) -> Result<bool> {
        let has_begun = recorded(&self.log) >= BEFORE;
        if has_begun {
            let ended = self.child.try_wait()?;
            ensure!(ended.is_none(), "{} ended before the store stopped", self.program);
            self.signal("STOP")?;
        }
        Ok(has_begun)
    }

    /// Sends a signal to the process and to those that it has started.
    fn signal(&self, name: &str) -> Result<()> {
        shell::run(command("kill").args([
            &format!("-{name}"),
            "--",
            &format!("-{}", self.child.id()),
        ]))
    }

    /// Waits for its end.
    fn end(&mut self) -> Result<Summary> {
        let folder = self.log.parent().context("a folder")?;
        wait_until(folder, || Ok(self.child.try_wait()?.is_some()))?;
        let printed = fs::read_to_string(&self.output)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "{} ended with {status}:\n{printed}", self.program);
        // npm may have printed what it installed.
        let last = printed.lines().last().unwrap_or_default();
        serde_json::from_str(last).with_context(|| format!("{} printed {printed}", self.program))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.signal("KILL");
            let _ = self.child.wait();
        }
    }
}

fn spawn(program: &mut Command, output: &Path) -> Result<Child> {
    let file = fs::File::create(output)?;
    program.stdin(Stdio::null()).stdout(file);
    // It gets signals together with the processes that it starts.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(program, 0);
    program.spawn().with_context(|| format!("cannot run {}", line(program)))
}

/// The exchanges that a process has recorded so far.
fn recorded(log: &Path) -> usize {
    fs::read_to_string(log).map_or(0, |text| text.lines().count())
}

/// Waits until something holds, as long as the fleet records anything in this folder.
fn wait_until(folder: &Path, mut holds: impl FnMut() -> Result<bool>) -> Result<()> {
    let (mut size, mut since) = (0, Instant::now());
    while !holds()? {
        let now = size_of_files(folder)?;
        if now != size {
            (size, since) = (now, Instant::now());
        }
        ensure!(since.elapsed() < PATIENCE, "the fleet recorded nothing for {PATIENCE:?}");
        thread::sleep(POLL);
    }
    Ok(())
}

fn size_of_files(folder: &Path) -> Result<u64> {
    fs::read_dir(folder)?.map(|file| Ok(file?.metadata()?.len())).sum()
}

fn replay(plan: &Plan, server: &Server, logs: &[PathBuf]) -> Result<Replay> {
    let mut program = servers::client("tests/integrations/fleet.py")?;
    program.args([plan.store, server.address(), NAME, BUDGET, &plan.kills.to_string()]);
    program.args(logs);
    let printed = stdout(&mut program)?;
    serde_json::from_str(&printed).with_context(|| format!("the replay printed {printed}"))
}
