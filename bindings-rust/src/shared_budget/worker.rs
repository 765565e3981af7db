//! The threads of a shared budget: one talks to the store, and one ends the waits of futures.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Duration;

use backoff_core::{BudgetEvent, BudgetLevel, Outcome};

use crate::shared_budget::exchange::{BudgetExchange, SwapOutcome};
use crate::shared_budget::pending::{Answer, Pending};
use crate::shared_budget::store::{BudgetStore, StoreError};
use crate::sync::thread::{self, ThreadId};
use crate::sync::{Condvar, Instant, Mutex, MutexGuard};
use crate::time::{Clock, Monotonic};

/// An exchange may take at least this long: the store may need a new connection.
const EXCHANGE_LIMIT: Duration = Duration::from_secs(1);

pub(super) type Hook = Arc<dyn Fn(&BudgetExchange) + Send + Sync>;

/// What the handles and the threads of one shared budget have in common.
pub(super) struct Inner {
    pending: Mutex<Pending>,
    pub(super) key: String,
    pub(super) hook: Hook,
    /// The worker waits for work.
    has_work: Condvar,
    /// A flush waits for its exchange.
    flushed: Condvar,
    /// The watcher waits for requests.
    has_request: Condvar,
    threads: Mutex<Threads>,
}

/// What was started. The worker takes the store.
struct Threads {
    store: Option<Box<dyn BudgetStore>>,
    worker: Option<ThreadId>,
    watcher: Option<ThreadId>,
}

impl Inner {
    pub(super) fn new(
        store: Box<dyn BudgetStore>,
        key: String,
        pending: Pending,
        hook: Hook,
    ) -> Self {
        Self {
            pending: Mutex::new(pending),
            key,
            hook,
            has_work: Condvar::new(),
            flushed: Condvar::new(),
            has_request: Condvar::new(),
            threads: Mutex::new(Threads { store: Some(store), worker: None, watcher: None }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a function with what is pending, and then wakes the loops whose requests were answered. A waker
    /// is code of the caller: it may use this budget, and it may panic, which must not end the worker.
    pub(super) fn with<T>(&self, call: impl FnOnce(&mut Pending, u64) -> T) -> T {
        let mut pending = self.lock();
        let result = call(&mut pending, Monotonic.now_ns());
        let later = std::mem::take(&mut pending.later);
        drop(pending);
        for call in later {
            let _ = caught(call);
        }
        result
    }

    /// Notes what an operation reports. Nobody waits for the store.
    pub(super) fn note(self: &Arc<Self>, event: BudgetEvent, is_local: bool) {
        let has_work = self.with(|pending, now_ns| {
            pending.member.note(event, is_local, now_ns);
            pending.work_in(now_ns).is_some()
        });
        if has_work {
            self.start_work();
        }
    }

    /// Requests a retry. Returns the answer, or the number of the request, and until when it waits.
    pub(super) fn request(self: &Arc<Self>, outcome: Outcome) -> Result<Answer, (u64, Instant)> {
        let asked = self.with(|pending, now_ns| pending.request(outcome, now_ns));
        if asked.is_err() {
            self.start_work();
        }
        asked
    }

    /// Lets the local budget decide if a request has waited for too long.
    pub(super) fn expire(&self) {
        self.with(|pending, now_ns| {
            if pending.earliest().is_some_and(|until| until <= Instant::now()) {
                pending.late(now_ns);
            }
        });
    }

    /// Exchanges what the store does not know. Returns whether the store has it.
    pub(super) fn flush(self: &Arc<Self>) -> bool {
        // The thread that talks to the store, in a hook, would wait for itself.
        if self.is_worker() {
            return false;
        }
        let stored = Arc::new(OnceLock::new());
        let (is_needed, until) = self.with(|pending, _| {
            let is_needed = pending.member.has_unsent();
            if is_needed {
                pending.flushes.push(Arc::clone(&stored));
            }
            (is_needed, Instant::now() + 2 * pending.timeout().max(EXCHANGE_LIMIT))
        });
        if is_needed {
            self.start_work();
        }
        let mut pending = self.lock();
        loop {
            match stored.get() {
                Some(&stored) => return stored,
                None if !is_needed && !pending.is_reporting => return true,
                None => {}
            }
            let Some(left) = until.checked_duration_since(Instant::now()) else {
                pending.flushes.retain(|flush| !Arc::ptr_eq(flush, &stored));
                return false;
            };
            let waited = self.flushed.wait_timeout(pending, left);
            pending = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Asks the store what is left.
    pub(super) fn level(self: &Arc<Self>) -> Result<BudgetLevel, StoreError> {
        if self.is_worker() {
            return Err(
                "level() cannot run in the hook: only this thread talks to the store".into()
            );
        }
        let (sender, receiver) = mpsc::channel();
        let limit = self.with(|pending, _| {
            pending.levels.push(sender);
            2 * pending.timeout().max(EXCHANGE_LIMIT)
        });
        self.start_work();
        receiver.recv_timeout(limit).unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => {
                Err(format!("the store did not answer within {limit:?}").into())
            }
            RecvTimeoutError::Disconnected => {
                Err("no thread that talks to the store starts".into())
            }
        })
    }

    /// Whether this thread talks to the store.
    fn is_worker(&self) -> bool {
        self.threads().worker == Some(thread::current().id())
    }

    /// Ends the threads, once nobody uses the budget any more.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.has_work.notify_all();
        self.has_request.notify_all();
    }

    /// Wakes the worker. It starts at its first work.
    fn start_work(self: &Arc<Self>) {
        let mut threads = self.threads();
        match threads.worker {
            Some(_) => self.has_work.notify_one(),
            None => threads.worker = self.spawn("backoff-budget", Self::work),
        }
    }

    /// Starts a thread. Without it the local budget decides.
    fn spawn(self: &Arc<Self>, name: &str, run: fn(&Self)) -> Option<ThreadId> {
        let inner = Arc::clone(self);
        match thread::Builder::new().name(name.to_owned()).spawn(move || run(&inner)) {
            Ok(thread) => Some(thread.thread().id()),
            Err(error) => self.with(|pending, now_ns| {
                end(std::mem::take(&mut pending.flushes), false);
                pending.levels.clear();
                pending.go_away(error.into(), now_ns);
                None
            }),
        }
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the thread that ends the waits of futures.
    pub(super) fn start_watching(self: &Arc<Self>) {
        let mut threads = self.threads();
        match threads.watcher {
            Some(_) => self.has_request.notify_one(),
            None => threads.watcher = self.spawn("backoff-budget-time", Self::watch),
        }
    }

    fn work(&self) {
        let store = self.threads().store.take();
        let Some(mut store) = store else { return };
        loop {
            let flushes = {
                let mut pending = self.lock();
                loop {
                    if pending.is_closed {
                        return;
                    }
                    let levels = std::mem::take(&mut pending.levels);
                    if !levels.is_empty() {
                        drop(pending);
                        for sender in levels {
                            // Who asked may have gone.
                            let _ = sender.send(self.ask_level(&mut *store));
                        }
                        pending = self.lock();
                        continue;
                    }
                    let now_ns = Monotonic.now_ns();
                    pending = match pending.work_in(now_ns) {
                        Some(0) => {
                            pending.member.begin(now_ns);
                            break std::mem::take(&mut pending.flushes);
                        }
                        Some(pause_ns) => {
                            let pause = Duration::from_nanos(pause_ns);
                            let waited = self.has_work.wait_timeout(pending, pause);
                            waited.unwrap_or_else(PoisonError::into_inner).0
                        }
                        None => self.has_work.wait(pending).unwrap_or_else(PoisonError::into_inner),
                    };
                }
            };
            let exchange = self.exchange(&mut *store);
            let error = exchange.error.clone();
            let was_stored = error.is_none();
            self.with(|pending, now_ns| {
                pending.is_reporting = true;
                match error {
                    None => pending.stored(now_ns),
                    Some(error) => {
                        let may_be_stored = exchange.stored == SwapOutcome::Unknown;
                        pending.failed(error, may_be_stored, now_ns);
                    }
                }
            });
            self.observe(&exchange);
            self.with(|pending, _| {
                pending.is_reporting = false;
                end(flushes, was_stored);
            });
            self.flushed.notify_all();
        }
    }

    fn watch(&self) {
        let mut pending = self.lock();
        while !pending.is_closed {
            pending = match pending.earliest() {
                None => self.has_request.wait(pending).unwrap_or_else(PoisonError::into_inner),
                Some(until) => match until.checked_duration_since(Instant::now()) {
                    Some(left) if !left.is_zero() => {
                        let waited = self.has_request.wait_timeout(pending, left);
                        waited.unwrap_or_else(PoisonError::into_inner).0
                    }
                    _ => {
                        drop(pending);
                        self.expire();
                        self.lock()
                    }
                },
            };
        }
    }
}

/// Ends flushes.
fn end(flushes: Vec<Arc<OnceLock<bool>>>, was_stored: bool) {
    for flush in flushes {
        // Nobody else sets it.
        let _ = flush.set(was_stored);
    }
}

/// Calls a function of the caller's. Returns the message if it panics.
pub(super) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        // What it panicked with may panic as well.
        if let Err(other) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(other);
        }
        text.unwrap_or_default()
    })
}
