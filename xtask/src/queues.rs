//! `cargo xtask scenario queues`: one job that fails, in each job queue that has an adapter, and the
//! delays that the queue scheduled.

use std::iter;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use backoff_core::{Policy, RandomStream};
use serde::Deserialize;

use crate::languages::language::Queue;
use crate::languages::queues;
use crate::report::Report;
use crate::servers::Server;
use crate::shell::progress;

const POLICY: &str = "full:base=1s,cap=8s,max_retries=3";
const SEED: u64 = 42;
const JOB: &str = "job-1";
const RETRIES: usize = 3;
/// The delays are some seconds.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the program of a queue prints.
#[derive(Deserialize)]
struct Scheduled {
    /// The delays in milliseconds.
    delays: Vec<f64>,
    /// How much of each delay may be the time that the program took to observe it.
    #[serde(default)]
    late: Vec<f64>,
}

/// Prints what each queue scheduled, and fails if one disagrees with the core.
pub(crate) fn run() -> Result<()> {
    let expected = expected()?;
    let mut agreed = 0_usize;
    let queues = queues()?;
    let count = queues.len();
    println!("{POLICY}, seed {SEED}, job {JOB}; in ms\n");
    println!("{}", row("core", expected.iter().map(Duration::as_secs_f64)));
    for mut queue in queues {
        let scheduled = schedule(&mut queue)?;
        let problem = disagreement(&queue, &expected, &scheduled);
        agreed = agreed.saturating_add(usize::from(problem.is_none()));
        let end = problem.unwrap_or_else(|| format!("within {:?}", queue.resolution));
        println!("{}  {end}", row(queue.name, scheduled.delays.iter().map(|ms| ms / 1e3)));
    }
    println!("\n{agreed} of {count} agree");
    ensure!(agreed == count, "not all queues agree");
    Ok(())
}

/// Checks each queue, for the tests.
pub(crate) fn test(report: &mut Report) {
    match queues() {
        Ok(queues) => {
            for mut queue in queues {
                let what = format!("{} schedules the delays of the core", queue.name);
                report.check(&what, || {
                    let scheduled = schedule(&mut queue)?;
                    let problem = disagreement(&queue, &expected()?, &scheduled);
                    ensure!(problem.is_none(), "{}", problem.unwrap_or_default());
                    Ok(())
                });
            }
        }
        Err(error) => report.check("the programs of the queues", || Err(error)),
    }
}

/// The delays of the core.
fn expected() -> Result<Vec<Duration>> {
    let policy: Policy = POLICY.parse()?;
    let stream = RandomStream::from_key(SEED, JOB);
    Ok((0..).take(RETRIES).map(|index| policy.delay(stream, index)).collect())
}

/// Runs the program of a queue.
fn schedule(queue: &mut Queue) -> Result<Scheduled> {
    progress(&format!("{}: a job that fails", queue.name));
    let server = Server::start(queue.server)?;
    queue.program.args([server.address(), POLICY, &SEED.to_string(), JOB, &RETRIES.to_string()]);
    let output = scenario::output_within(&mut queue.program, PATIENCE)?;
    let (printed, error) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{} ended with {}:\n{error}", queue.name, output.status);
    serde_json::from_str(&printed).with_context(|| format!("{} printed {printed}", queue.name))
}

/// What is wrong with the delays of a queue.
fn disagreement(queue: &Queue, expected: &[Duration], scheduled: &Scheduled) -> Option<String> {
    if scheduled.delays.len() != expected.len() {
        return Some(format!("{} retries, expected {}", scheduled.delays.len(), expected.len()));
    }
    let late = scheduled.late.iter().copied().chain(iter::repeat(0.0));
    let rows = iter::zip(iter::zip(expected, &scheduled.delays), late);
    (1..).zip(rows).find_map(|(retry, ((delay, scheduled), late))| {
        // A nanosecond more or less is the rounding of the number that the program printed.
        let after = scheduled - delay.as_secs_f64() * 1e3;
        let most = queue.resolution.as_secs_f64() * 1e3 + late;
        let agrees = after > -1e-6 && after < most + 1e-6;
        (!agrees)
            .then(|| format!("retry {retry} is {after:.6} ms after its delay, not 0 to {most}"))
    })
}

fn row(name: &str, seconds: impl Iterator<Item = f64>) -> String {
    seconds.fold(format!("{name:<10}"), |row, seconds| row + &format!("{:>14.3}", seconds * 1e3))
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::{Scheduled, disagreement, expected};
    use crate::languages::language::Queue;

    fn problem(delays: &[f64], late: &[f64]) -> Option<String> {
        let queue = Queue {
            name: "a queue",
            server: "redis",
            resolution: Duration::from_millis(1),
            program: Command::new("true"),
        };
        let expected = [Duration::from_millis(5), Duration::from_millis(9)];
        let scheduled = Scheduled { delays: delays.to_vec(), late: late.to_vec() };
        disagreement(&queue, &expected, &scheduled)
    }

    #[test]
    fn delays_agree_to_the_resolution() {
        for delays in [[5.0, 9.0], [5.5, 10.0]] {
            assert_eq!(problem(&delays, &[]), None);
        }
        assert_eq!(problem(&[5.0, 12.0], &[0.0, 2.0]), None);
    }

    #[test]
    fn earlier_later_and_missing_delays_are_reported() {
        assert_eq!(problem(&[5.0], &[]).unwrap(), "1 retries, expected 2");
        let early = "retry 2 is -0.001000 ms after its delay, not 0 to 1";
        assert_eq!(problem(&[5.0, 8.999], &[]).unwrap(), early);
        let late = "retry 1 is 1.001000 ms after its delay, not 0 to 1";
        assert_eq!(problem(&[6.001, 9.0], &[]).unwrap(), late);
    }

    #[test]
    fn the_delays_are_those_of_the_readme() {
        // Ten times those of the base 100 ms, of which it has two.
        let ms: Vec<_> = expected().unwrap().iter().map(Duration::as_millis).collect();
        assert_eq!(ms[..2], [113, 830]);
    }
}
