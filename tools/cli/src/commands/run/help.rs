//! What the help of `backoff run` says after the options; `--help` and the manual page say more.

macro_rules! after {
    () => {
        "\
Nothing is repeated that you did not allow: say with --on or --on-any which exit codes mean that
the command may run again. A command that was killed by signal N counts as exit code 128 + N. An
attempt that ran longer than it may is repeated, unless --never has its exit code, 124. All attempts
share standard input and standard output: an attempt reads what the earlier ones left, and what a
failed one printed stays. With --stdin replay and --stdout on-success they do not.

Examples:
  backoff run full:base=100ms,cap=20s,max_retries=5 --on-any -- make deploy
  backoff run aws-sdk-2026 --on-any --stdout on-success -- curl -fsS https://example.com > page

Exit codes:
  the exit code of the last attempt, or:
  124  the last attempt ran longer than it may
  125  backoff itself failed, or its arguments are invalid
  126  the command cannot be executed
  127  the command was not found
If a signal killed the last attempt, or is why there is no retry, backoff ends by that signal."
    };
}

pub(super) const AFTER: &str = after!();

pub(super) const AFTER_LONG: &str = concat!(
    after!(),
    "

Signals:
  SIGHUP, SIGINT, SIGQUIT, SIGTERM
        End backoff: at once while it waits. While the command runs, the first one is passed on to
        it, and there is no retry after it; a second one kills the command.
  SIGALRM, SIGUSR1, SIGUSR2, SIGWINCH
        Are passed on to a command that runs, and end nothing.

Environment:
  BACKOFF_ATTEMPT
        Set for the command: the number of the attempt, 1, 2, and so on.
  TMPDIR
        The folder of the copies that --stdin replay and --stdout on-success need, instead of /tmp.
  NO_COLOR, CLICOLOR_FORCE
        Turn colours of messages off and on.

Files:
  of --budget-file
        Created with mode 0600, because whoever may read it can lock it. While it is locked no
        command begins, and there are no retries. It must belong to the user or to root, and is
        never a symbolic link. Keep it in a folder that nobody else can write to.
  of --events
        Created if it is missing. A symbolic link to a file is refused, unless it is a standard
        stream, such as /dev/stderr. A pipe that nobody reads for a second gets no events.

Events:
With --json on standard error, and in the file of --events, each line is a JSON object with these
members:
  time, pid, label, command
        When, and whose: the process of backoff, --label or else --key, and the name of the command.
  event
        retry, before a wait; stop, at the end; warning or error, with message instead of the
        members below.
  attempts
        The attempts so far; after 0, which a signal can end, there is no code and no outcome.
  code, signal
        The exit code of the last attempt, and the number of the signal that killed it, if any. If
        backoff killed it because of a second signal, this is the number of the second signal.
  outcome
        The outcome of the last attempt: success, transient, throttled, timeout or permanent.
        A stop with the reason cancelled has none.
  reason
        Of stop: success, permanent, max_retries, max_elapsed, budget or cancelled.
  delay_ns, elapsed_ns
        The wait that follows, and the time since the start, in nanoseconds, as strings. A stop with
        the reason max_elapsed or budget has the wait that was not allowed."
);
