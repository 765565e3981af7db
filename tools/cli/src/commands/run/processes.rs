//! The processes of this system, as `/proc` shows them.

use std::fs;

use nix::unistd::{Pid, getpgrp, getpid};

#[derive(Debug, Clone, Copy)]
struct Process {
    id: Pid,
    parent: Pid,
    group: Pid,
    /// When it started, in ticks of the kernel.
    started: u64,
}

/// Whether a process of a group runs. Those that have ended and only wait for their parent to
/// notice, which in a container may be never, do not count. Nothing if this system does not say.
pub(super) fn runs_in_group(group: Pid) -> Option<bool> {
    Some(processes()?.iter().any(|process| process.group == group))
}

/// When a process started. Nothing if this system does not say.
pub(super) fn started(id: Pid) -> Option<u64> {
    read(id).map(|process| process.started)
}

/// The processes that descend from this one, are in its group and are not older than `started`.
/// Nothing if this system does not say.
pub(super) fn descendants(started: u64) -> Option<Vec<Pid>> {
    let processes = processes()?;
    let mut family = vec![getpid()];
    let mut at = 0;
    while let Some(&parent) = family.get(at) {
        let children = processes.iter().filter(|process| process.parent == parent);
        family.extend(children.map(|process| process.id));
        at += 1;
    }
    let is_one = |process: &&Process| {
        process.id != getpid()
            && process.group == getpgrp()
            && process.started >= started
            && family.contains(&process.id)
    };
    Some(processes.iter().filter(is_one).map(|process| process.id).collect())
}

fn processes() -> Option<Vec<Process>> {
    if cfg!(not(any(target_os = "linux", target_os = "android"))) {
        return None;
    }
    let entries = fs::read_dir("/proc").ok()?.flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Some(ids.filter_map(|id| read(Pid::from_raw(id))).collect())
}

/// A process, if it runs.
fn read(id: Pid) -> Option<Process> {
    let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
    // The name of the program ends at the last parenthesis.
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let rest = String::from_utf8_lossy(&stat[end + 1..]);
    let mut words = rest.split_ascii_whitespace();
    let has_ended = matches!(words.next()?, "Z" | "X");
    let parent = Pid::from_raw(words.next()?.parse().ok()?);
    let group = Pid::from_raw(words.next()?.parse().ok()?);
    // The 22nd word of all; the group is the fifth.
    let started = words.nth(16)?.parse().ok()?;
    (!has_ended).then_some(Process { id, parent, group, started })
}
