//! A signal that ends this process reaches the program first, which would otherwise be left behind in its
//! own process group.

use std::process::Child;
use std::sync::{Mutex, Once, PoisonError};
use std::thread;

use anyhow::Result;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::signals::is_ignored;

const ENDING: [Signal; 3] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM];

/// The program that runs, and whether it has a process group of its own.
static RUNNING: Mutex<Option<(Pid, bool)>> = Mutex::new(None);

/// Starts a program that gets the signals of this process.
pub(super) fn passed_to(is_separate: bool, spawn: impl FnOnce() -> Result<Child>) -> Result<Child> {
    static ONCE: Once = Once::new();
    ONCE.call_once(pass_signals);
    // A signal that comes now waits until it is known whom to tell.
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let child = spawn()?;
    *running = i32::try_from(child.id()).ok().map(|id| (Pid::from_raw(id), is_separate));
    Ok(child)
}

pub(super) fn forget() {
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

fn pass_signals() {
    let ending = ENDING.into_iter().filter(|&signal| !is_ignored(signal));
    // Without them the signals end this process as before.
    let Ok(mut signals) = Signals::new(ending.map(|signal| signal as i32)) else { return };
    thread::spawn(move || {
        for number in signals.forever() {
            let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            if let (Some((id, is_separate)), Ok(signal)) = (*running, Signal::try_from(number)) {
                // It may just have ended.
                let _ = if is_separate { killpg(id, signal) } else { kill(id, signal) };
            }
            let _ = emulate_default_handler(number);
        }
    });
}
