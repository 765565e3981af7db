//! How this process and others treat signals.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{fs, io};

use nix::sys::signal::Signal;

/// Makes a write beyond the file size limit (`ulimit -f`) fail like one to a full disk. Otherwise SIGXFSZ
/// would end this process. The command does not inherit the handler. If the caller ignores the signal, it
/// stays ignored.
pub(crate) fn outlive_file_limits() -> io::Result<()> {
    if !is_ignored(Signal::SIGXFSZ) {
        let flag = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(Signal::SIGXFSZ as i32, flag)?;
    }
    Ok(())
}

/// Whether this process ignores a signal, as its caller did. If this system does not say, it does not.
pub(crate) fn is_ignored(signal: Signal) -> bool {
    signals_of("self", "SigIgn:").is_some_and(|ignored| ignored >> (signal as u32 - 1) & 1 == 1)
}

/// A set of signals of a process, as the kernel shows it: bit 0 is signal 1. Nothing if this system
/// does not say.
pub(crate) fn signals_of(process: impl Display, set: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix(set))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}
