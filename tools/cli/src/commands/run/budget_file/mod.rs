//! A budget in a file, which the processes of a machine share.
//!
//! Every change is a transaction: take the lock, read the state, change it by the core, write it,
//! free the lock. The state also lists the operations that hold something of the budget. Each of
//! them locks a byte of its own for as long as its process lives, so the next process finds out
//! which ones were left by a crash, and cancels them.

mod clock;
mod locks;
mod pages;
mod state;

use std::fs::{File, Metadata, OpenOptions, metadata, symlink_metadata};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use backoff_core::{Budget, Operation, Policy, RandomStream};
use nix::libc::{O_NOFOLLOW, pid_t};
use nix::unistd::{Uid, User};
use rustix::process::geteuid;

use self::clock::Reading;
use self::locks::{MAIN, Record};
use self::pages::MAX_BYTES;
use self::state::State;
use super::failure::Failure;
use super::signals::Signals;
use crate::arguments::BudgetArgument;

/// How long a process waits for the lock, which others hold for less than a millisecond. Whoever
/// may read the file can hold it for ever.
const PATIENCE: Duration = Duration::from_secs(2);

/// The same for a cancellation, which the next process makes up for.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

/// The pauses between two tries.
const SHORTEST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// The open file.
pub(super) struct BudgetFile<'a> {
    path: &'a Path,
    file: File,
    budget: &'a Budget,
    /// Whether operations hold something of this kind of budget that they must give back.
    has_members: bool,
    signals: &'a Signals,
}

/// The number of an operation in the file.
pub(super) struct Member(u64);

impl<'a> BudgetFile<'a> {
    /// Opens the file, or creates it.
    pub(super) fn open(
        path: &'a Path,
        budget: &'a BudgetArgument,
        signals: &'a Signals,
    ) -> Result<Self> {
        let file = open(path).with_context(|| format!("budget file {}", path.display()))?;
        let has_members = budget.kind() == "concurrent";
        Ok(Self { path, file, budget, has_members, signals })
    }

    /// Begins an operation.
    pub(super) fn begin(
        &mut self,
        policy: Policy,
        stream: RandomStream,
    ) -> Result<(Operation, Member), Failure> {
        self.transact(PATIENCE, None, |file, state, budget, now_ns| {
            let operation = Operation::begin(policy, stream, now_ns, None, Some(budget));
            let member = Member(state.next_member);
            if file.has_members {
                // Before the state is written, so that nobody takes it for one of a dead process.
                let record = Record::of_member(member.0)?;
                ensure!(record.try_lock(&file.file)?, "its operation {} is locked", member.0);
                state.next_member = member.0 + 1;
                state.put(member.0, &operation);
            }
            Ok((operation, member))
        })
    }

    /// Makes a change to the operation and the budget.
    pub(super) fn change<T>(
        &mut self,
        operation: &mut Operation,
        member: &Member,
        change: impl FnOnce(&mut Operation, u64, &Budget) -> T,
    ) -> Result<T, Failure> {
        self.change_within(PATIENCE, operation, member, change)
    }

    /// Cancels the operation, if the file can be had soon.
    pub(super) fn cancel(&mut self, operation: &mut Operation, member: &Member) {
        let _ = self.change_within(SHORT_PATIENCE, operation, member, |operation, _, budget| {
            operation.cancel(Some(budget));
        });
    }

    fn change_within<T>(
        &mut self,
        patience: Duration,
        operation: &mut Operation,
        member: &Member,
        change: impl FnOnce(&mut Operation, u64, &Budget) -> T,
    ) -> Result<T, Failure> {
        self.transact(patience, Some(member.0), |file, state, budget, now_ns| {
            let result = change(operation, now_ns, budget);
            if file.has_members {
                state.put(member.0, operation);
            }
            Ok(result)
        })
    }

    /// Reads the state, changes it and writes it, all under the lock.
    fn transact<T>(
        &mut self,
        patience: Duration,
        own: Option<u64>,
        change: impl FnOnce(&Self, &mut State, &Budget, u64) -> Result<T>,
    ) -> Result<T, Failure> {
        self.lock(patience)?;
        let result = self.transact_locked(own, change);
        // Closing the file frees the lock, too.
        let _ = MAIN.unlock(&self.file);
        let name = || format!("budget file {}", self.path.display());
        Ok(result.with_context(name)?)
    }

    fn transact_locked<T>(
        &self,
        own: Option<u64>,
        change: impl FnOnce(&Self, &mut State, &Budget, u64) -> Result<T>,
    ) -> Result<T> {
        let reading = Reading::now();
        let (pages, mut state) = match pages::read(&self.file)? {
            Some((pages, bytes)) => (Some(pages), State::parse(&bytes)?),
            None => (None, State::new(self.budget, &reading)),
        };
        let text = self.budget.text();
        if state.budget != text.as_str() {
            bail!("it has budget {}, not {text}; use another file or remove it", state.budget);
        }
        let now_ns = state.clock.advance(&reading);
        let budget = state.budget(self.budget)?;
        state.cancel_dead(&budget, own, |member| {
            Record::of_member(member).and_then(|record| record.is_locked_by_another(&self.file))
        })?;
        let result = change(self, &mut state, &budget, now_ns)?;
        state.set_budget(&budget);
        pages::write(&self.file, pages.as_ref(), &state.to_bytes()?)?;
        Ok(result)
    }

    /// Takes the lock. A signal that ends `backoff` also ends this wait.
    fn lock(&self, patience: Duration) -> Result<(), Failure> {
        let name = || format!("cannot lock budget file {}", self.path.display());
        let until = Instant::now().checked_add(patience);
        let mut pause = SHORTEST_PAUSE;
        loop {
            if MAIN.try_lock(&self.file).with_context(name)? {
                return Ok(());
            }
            if until.is_none_or(|until| until <= Instant::now()) {
                let holder = match MAIN.holder(&self.file).with_context(name)? {
                    None | Some(0) => "another process".to_owned(),
                    Some(id) => format!("process {id}{}", of_its_user(id)),
                };
                let error =
                    anyhow!("{holder} holds the lock; gave up after {} s", patience.as_secs());
                return Err(error.context(name()).into());
            }
            let until = Instant::now().checked_add(pause);
            let received = self.signals.sleep(until).with_context(name)?;
            if let Some(received) = received {
                return Err(Failure::Signal(received.signal));
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

/// Opens the file of this user, or creates it.
fn open(path: &Path) -> Result<File> {
    // Before opening it, because to open a device may have an effect.
    if let Ok(metadata) = symlink_metadata(path) {
        check(&metadata)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    // Whoever may read it can lock it.
    options.mode(0o600).custom_flags(O_NOFOLLOW);
    let file = options.open(path).context("cannot open it")?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// Whose process it is, if this system says so.
fn of_its_user(process: pid_t) -> String {
    let metadata = metadata(format!("/proc/{process}"));
    metadata.map_or(String::new(), |process| format!(" of {}", named(process.uid())))
}

/// A user by name, or by number if it has none.
fn named(id: u32) -> String {
    let user = User::from_uid(Uid::from_raw(id)).ok().flatten();
    format!("user {}", user.map_or_else(|| id.to_string(), |user| user.name))
}

/// Refuses what another user may have put in the place of the file, so that this user overwrites a
/// file that the other may not write, or reads what the other writes.
fn check(metadata: &Metadata) -> Result<()> {
    ensure!(!metadata.is_symlink(), "it is a symbolic link; name the file itself");
    ensure!(metadata.is_file(), "it is not a regular file");
    ensure!(metadata.nlink() <= 1, "it has {} hard links, not 1", metadata.nlink());
    let (owner, user) = (metadata.uid(), geteuid().as_raw());
    ensure!(
        owner == user || owner == 0,
        "it belongs to {}, not to {}; use a file of your own",
        named(owner),
        if user == 0 { "root".to_owned() } else { format!("{} or root", named(user)) }
    );
    let length = metadata.len();
    ensure!(length <= MAX_BYTES, "it has {length} bytes, above {MAX_BYTES}");
    Ok(())
}
