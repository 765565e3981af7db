//! The process of an evaluator: its group, and whether it has ended.

use std::io::{IsTerminal, stderr, stdin, stdout};
use std::process::{Child, Command};

/// Whether the program gets a process group of its own, with which what it starts is ended unless that
/// leaves the group.
///
/// On a terminal it does not, so that Ctrl-C reaches it.
pub(super) fn separate(command: &mut Command) -> bool {
    let is_separate =
        cfg!(unix) && !(stdin().is_terminal() || stdout().is_terminal() || stderr().is_terminal());
    #[cfg(unix)]
    if is_separate {
        std::os::unix::process::CommandExt::process_group(command, 0);
    }
    #[cfg(not(unix))]
    let _ = command;
    is_separate
}

/// Whether the program has ended. Its process id stays taken.
#[cfg(unix)]
pub(super) fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(Pid::from_child(child)), options).is_ok_and(|status| status.is_some())
}

#[cfg(not(unix))]
pub(super) fn has_ended(child: &mut Child) -> bool {
    child.try_wait().is_ok_and(|status| status.is_some())
}

/// Ends the program, and its group if it has one. Either may have ended by now, which is no error.
pub(super) fn kill(child: &mut Child, is_separate: bool) {
    #[cfg(unix)]
    if is_separate {
        use rustix::process::{Pid, Signal, kill_process_group};
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = is_separate;
    let _ = child.kill();
}
