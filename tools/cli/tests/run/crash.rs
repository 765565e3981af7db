//! A budget file after processes that were killed at any instruction.

use std::fs;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use crate::support::{errors, folder, output, run};

/// How many processes are killed in a round.
const KILLS: u32 = 150;

/// Starts processes and kills them after different times, which are longer in later rounds.
fn kill_many(round: u32, command: impl Fn() -> Command) {
    let mut children: Vec<Child> = Vec::new();
    for number in 0..KILLS {
        children.push(command().spawn().unwrap());
        // From before the program begins to after many transactions.
        thread::sleep(Duration::from_micros(u64::from(number % 61 * round) * 100));
        if children.len() > 4 {
            let mut child = children.remove(0);
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    for mut child in children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn killed_processes_lose_at_most_the_retry_that_they_were_granted() {
    let folder = folder("crash_quota");
    let (file, attempts) = (folder.join("budget"), folder.join("retries"));
    let (file, attempts) = (file.to_str().unwrap(), attempts.to_str().unwrap());
    let tokens = 2_000;
    let budget = format!("ratio:max_tokens={tokens},ratio=0");
    let options =
        ["constant:base=1ns", "--on-any", "-q", "--budget", &budget, "--budget-file", file];
    let script = format!("[ $BACKOFF_ATTEMPT = 1 ] || echo >> {attempts}; exit 1");
    let mut rounds = 0;
    // A slow machine makes hardly a transaction in the first one.
    while fs::read(attempts).unwrap_or_default().len() <= KILLS as usize {
        rounds += 1;
        assert!(rounds <= 5, "hardly a transaction was made");
        kill_many(rounds, || run(&options, &script));
    }
    // What is left is spent by a process that lives.
    let output = output(run(&options, &script));
    assert_eq!((output.status.code(), errors(&output).as_str()), (Some(1), ""));
    let made = fs::read(attempts).unwrap().len();
    assert!(made <= tokens, "{made}");
    // A command may have been about to write when its `backoff` was killed.
    assert!(made + (2 * KILLS * rounds) as usize >= tokens, "{made}");
}
