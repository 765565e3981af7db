//! The default streams of a process and of its forked child, which has a copy of its memory.
#![cfg(unix)]

use std::io::{Read, Write, pipe};
use std::time::Duration;

use backoff_retry::Retry;

unsafe extern "C" {
    safe fn fork() -> i32;
}

/// The wait of a loop on a default stream, in nanoseconds.
fn wait(retry: &Retry<'_>) -> [u8; 16] {
    let mut wait = Duration::MAX;
    let plan = retry.clone().sleep(|_| {}).when(|()| true).on_retry(|event| wait = event.delay);
    plan.call(|| Err::<(), _>(())).unwrap_err();
    wait.as_nanos().to_le_bytes()
}

#[test]
fn a_forked_child_draws_a_seed_of_its_own() {
    let retry = Retry::new("full:base=1h,max_retries=1".parse().unwrap());
    // The parent draws its seed before the fork.
    let before = wait(&retry);
    let (mut read, mut write) = pipe().unwrap();
    if fork() == 0 {
        let written = write.write_all(&wait(&retry));
        std::process::exit(written.is_err().into());
    }
    drop(write);
    let after = wait(&retry);
    let mut child = Vec::new();
    read.read_to_end(&mut child).unwrap();
    assert_eq!(child.len(), 16);
    assert!(child != after && child != before && after != before);
}
