//! A budget in a file, which the processes of a machine share: a store of SPEC 15.7.
//!
//! The file holds the budget string and the text of the account. Each exchange locks the file, steps the
//! account by the core, and renames a new file over the old one. A process that is killed therefore leaves
//! the account before or after its exchange.

use std::fs::{File, Metadata, OpenOptions, TryLockError, remove_file, rename, symlink_metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use backoff_core::{Budget, BudgetEvent, BudgetMember, Fallback, Outcome, SteppedState};
use nix::libc::O_NOFOLLOW;
use nix::unistd::{Uid, User};
use rustix::process::geteuid;

use super::account::{DAMAGED, MAX_BYTES, content, parts};
use super::end::Failure;
use super::system::System;

/// How long a process waits for the lock, which others hold for about a millisecond. Whoever may read the
/// file can hold it for ever.
const PATIENCE_NS: u64 = 2_000_000_000;

const MIN_PAUSE_NS: u64 = 50_000;
const MAX_PAUSE_NS: u64 = 10_000_000;

/// The file, and what this process knows of the account.
pub(super) struct BudgetFile {
    path: PathBuf,
    budget: String,
    member: BudgetMember,
}

impl BudgetFile {
    pub(super) fn new(path: &Path, budget: &Budget) -> Self {
        // No lease, no time limit of its own, and nothing is granted without the file.
        let member = BudgetMember::new(budget, budget, 1, Fallback::Refuse, u64::MAX, 0);
        Self { path: path.to_owned(), budget: budget.to_string(), member }
    }

    /// Reports an event and requests a retry after an outcome. Returns what the operation then holds, if
    /// the retry is granted.
    pub(super) fn exchange(
        &mut self,
        event: Option<BudgetEvent>,
        request: Option<Outcome>,
        system: &impl System,
    ) -> Result<Option<u64>, Failure> {
        let name = format!("budget file {}", self.path.display());
        let mut file = self.lock(&name, system)?;
        Ok(self.exchange_locked(&mut file, event, request, system.unix_ns()).context(name)?)
    }

    fn exchange_locked(
        &mut self,
        file: &mut File,
        event: Option<BudgetEvent>,
        request: Option<Outcome>,
        unix_ns: u64,
    ) -> Result<Option<u64>> {
        let account = self.load(file)?;
        let member = &mut self.member;
        // Only the account needs the time: no exchange of a member that always has the lock is late.
        if let Some(event) = event {
            member.note(event, false, 0);
        }
        if let Some(outcome) = request {
            member.request(outcome, 0);
        }
        member.begin(0);
        let stepped = member.step(account.as_deref().map(str::as_bytes), unix_ns);
        match stepped.with_context(|| format!("it is {DAMAGED}"))? {
            SteppedState::Unchanged(_) => {}
            SteppedState::Changed(after) => {
                replace(&self.path, &content(&self.budget, after.text().as_str()))?;
            }
        }
        let answers = member.stored(0);
        let granted = request.filter(|&outcome| answers.granted(outcome) > 0);
        Ok(granted.map(|outcome| answers.held(outcome)))
    }

    /// The account in the file, unless the file is empty.
    fn load(&self, file: &mut File) -> Result<Option<String>> {
        let length = file.metadata()?.len();
        ensure!(length <= MAX_BYTES, "it has {length} bytes, above {MAX_BYTES}");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let (budget, account) = parts(&bytes).context("it is not a budget file")?;
        ensure!(!bytes.contains(&b'\r'), "it is {DAMAGED}");
        if budget != self.budget {
            bail!("it has budget {budget}, not {}; use another file or remove it", self.budget);
        }
        Ok(Some(account.to_owned()))
    }

    /// The locked file. A signal that ends `backoff` also ends this wait.
    fn lock(&self, name: &str, system: &impl System) -> Result<File, Failure> {
        let until_ns = system.now_ns().saturating_add(PATIENCE_NS);
        let mut pause_ns = MIN_PAUSE_NS;
        loop {
            let file = open(&self.path).with_context(|| name.to_owned())?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &self.path) => return Ok(file),
                // Another process has renamed a new file over this one.
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => {
                    return Err(anyhow!(error).context(format!("cannot lock {name}")).into());
                }
            }
            if system.now_ns() >= until_ns {
                let seconds = PATIENCE_NS / 1_000_000_000;
                let error = anyhow!("another process holds the lock; gave up after {seconds} s");
                return Err(error.context(format!("cannot lock {name}")).into());
            }
            if let Some(signal) = system.sleep(pause_ns)? {
                return Err(Failure::Signal(signal));
            }
            pause_ns = (pause_ns * 2).min(MAX_PAUSE_NS);
        }
    }
}

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

fn is_at(file: &File, path: &Path) -> bool {
    let id = |metadata: io::Result<Metadata>| metadata.ok().map(|data| (data.dev(), data.ino()));
    id(file.metadata()) == id(symlink_metadata(path))
}

fn replace(path: &Path, text: &str) -> Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    // A process that was killed may have left it.
    let _ = remove_file(&new);
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(&new);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    let renamed = written.and_then(|()| rename(&new, path));
    let renamed = renamed.inspect_err(|_| _ = remove_file(&new));
    renamed.with_context(|| format!("cannot write {}", new.display()))
}

/// A user by name, or by number if it has none.
fn named(id: u32) -> String {
    let user = User::from_uid(Uid::from_raw(id)).ok().flatten();
    format!("user {}", user.map_or_else(|| id.to_string(), |user| user.name))
}

/// Refuses what another user may have put in the place of the file.
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
    Ok(())
}
