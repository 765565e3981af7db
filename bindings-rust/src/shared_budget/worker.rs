//! The threads of a shared budget: one talks to the store, and one ends the waits of futures.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use backoff_core::{BudgetEvent, Outcome};

use crate::shared_budget::account::{Account, Answer, Held};
use crate::shared_budget::exchange::{Answers, Batch, BudgetExchange, Failure, Kept, WasStored};
use crate::shared_budget::store::{BudgetStore, StoreError};
use crate::time::{Clock, Monotonic};

pub(super) type Hook = Arc<dyn Fn(&BudgetExchange) + Send + Sync>;

/// What the handles and the threads of one shared budget have in common.
pub(super) struct Inner {
    account: Mutex<Account>,
    pub(super) kept: Kept,
    pub(super) timeout: Duration,
    hook: Hook,
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
    is_working: bool,
    is_watched: bool,
}

/// The store did not answer in time.
#[derive(Debug)]
struct NoAnswer {
    timeout: Duration,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store did not answer within {:?}", self.timeout)
    }
}

impl Error for NoAnswer {}

/// A function of the caller's panicked.
#[derive(Debug)]
struct Panicked {
    what: &'static str,
    message: String,
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} panicked: {}", self.what, self.message)
    }
}

impl Error for Panicked {}

impl Inner {
    pub(super) fn new(
        store: Box<dyn BudgetStore>,
        kept: Kept,
        account: Account,
        timeout: Duration,
        hook: Hook,
    ) -> Self {
        Self {
            account: Mutex::new(account),
            kept,
            timeout,
            hook,
            has_work: Condvar::new(),
            flushed: Condvar::new(),
            has_request: Condvar::new(),
            threads: Mutex::new(Threads {
                store: Some(store),
                is_working: false,
                is_watched: false,
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a function with the account, and then wakes who got an answer.
    pub(super) fn with<T>(&self, call: impl FnOnce(&mut Account, u64) -> T) -> T {
        let now_ns = Monotonic.now_ns();
        let mut account = self.lock();
        let result = call(&mut account, now_ns);
        let answered = std::mem::take(&mut account.answered);
        drop(account);
        for waker in answered {
            waker.wake();
        }
        result
    }

    fn no_answer(&self) -> StoreError {
        NoAnswer { timeout: self.timeout }.into()
    }

    /// Notes an event that asks for nothing. Nobody waits for the store.
    pub(super) fn note(self: &Arc<Self>, event: BudgetEvent) {
        self.noted(|account, now_ns| account.note(event, now_ns));
    }

    pub(super) fn succeed(self: &Arc<Self>, held: Held) {
        self.noted(|account, now_ns| account.succeed(held, now_ns));
    }

    fn noted(self: &Arc<Self>, note: impl FnOnce(&mut Account, u64)) {
        let has_work = self.with(|account, now_ns| {
            note(account, now_ns);
            account.has_work(now_ns)
        });
        if has_work {
            self.start_work();
        }
    }

    /// Requests a retry. Returns the answer, or the number of the request.
    pub(super) fn request(self: &Arc<Self>, outcome: Outcome) -> Result<Answer, u64> {
        let until = Instant::now() + self.timeout;
        let asked = self.with(|account, now_ns| account.request(outcome, now_ns, until));
        if asked.is_err() {
            self.start_work();
        }
        asked
    }

    /// Lets the local budget decide if a request has waited for too long.
    pub(super) fn expire(&self) {
        self.with(|account, now_ns| {
            if account.earliest().is_some_and(|until| until <= Instant::now()) {
                account.go_away(self.no_answer(), now_ns);
            }
        });
    }

    /// Exchanges what is pending. Returns whether the store has it.
    pub(super) fn flush(self: &Arc<Self>) -> bool {
        let until = Instant::now() + self.timeout;
        let number = self.with(|account, _| {
            account.flushes.asked += 1;
            account.flushes.asked
        });
        self.start_work();
        let mut account = self.lock();
        while account.flushes.answered < number {
            let Some(left) = until.checked_duration_since(Instant::now()) else {
                drop(account);
                self.with(|account, now_ns| account.go_away(self.no_answer(), now_ns));
                return false;
            };
            account =
                self.flushed.wait_timeout(account, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        account.flushes.was_stored
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
        if threads.is_working {
            return self.has_work.notify_one();
        }
        let inner = Arc::clone(self);
        let worker = thread::Builder::new().name("backoff-budget".to_owned());
        match worker.spawn(move || inner.work()) {
            Ok(_) => threads.is_working = true,
            Err(error) => self.with(|account, now_ns| {
                account.flushes.answered = account.flushes.asked;
                account.go_away(error.into(), now_ns);
            }),
        }
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the thread that ends the waits of futures.
    pub(super) fn start_watching(self: &Arc<Self>) {
        let mut threads = self.threads();
        if threads.is_watched {
            return self.has_request.notify_one();
        }
        let inner = Arc::clone(self);
        let watcher = thread::Builder::new().name("backoff-budget-time".to_owned());
        match watcher.spawn(move || inner.watch()) {
            Ok(_) => threads.is_watched = true,
            Err(error) => self.with(|account, now_ns| account.go_away(error.into(), now_ns)),
        }
    }

    fn work(&self) {
        let store = self.threads().store.take();
        let Some(mut store) = store else { return };
        loop {
            let taken = {
                let mut account = self.lock();
                loop {
                    if account.is_closed {
                        return;
                    }
                    if account.has_work(Monotonic.now_ns()) {
                        break account.take();
                    }
                    account = self.has_work.wait(account).unwrap_or_else(PoisonError::into_inner);
                }
            };
            let mut seen = None;
            let flushes = taken.flushes;
            let result = self.exchange(&mut *store, &taken.batch, &mut seen);
            let was_stored = result.is_ok();
            let is_too_late = self.with(|account, now_ns| account.finish(taken, result, now_ns));
            if let Some(mut exchange) = seen {
                if is_too_late {
                    exchange.stored = WasStored::Unknown;
                }
                self.observe(&exchange);
            }
            self.with(|account, _| account.flushes.answer(flushes, was_stored));
            self.flushed.notify_all();
        }
    }

    fn exchange(
        &self,
        store: &mut dyn BudgetStore,
        batch: &Batch,
        seen: &mut Option<BudgetExchange>,
    ) -> Result<Answers, Failure> {
        let until = Instant::now() + self.timeout;
        let is_late = || Instant::now() >= until;
        let exchanged = || self.kept.exchange(store, batch, is_late, seen);
        catch_unwind(AssertUnwindSafe(exchanged)).unwrap_or_else(|panic| {
            let error = Panicked { what: "store", message: message(&*panic) }.into();
            Err(Failure { error, may_be_stored: true })
        })
    }

    /// Calls the hook.
    fn observe(&self, exchange: &BudgetExchange) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (self.hook)(exchange))) {
            let error = Panicked { what: "hook", message: message(&*panic) };
            self.with(|account, _| account.last_error = Some(Arc::new(error)));
        }
    }

    fn watch(&self) {
        let mut account = self.lock();
        while !account.is_closed {
            account = match account.earliest() {
                None => self.has_request.wait(account).unwrap_or_else(PoisonError::into_inner),
                Some(until) => match until.checked_duration_since(Instant::now()) {
                    Some(left) if !left.is_zero() => {
                        let waited = self.has_request.wait_timeout(account, left);
                        waited.unwrap_or_else(PoisonError::into_inner).0
                    }
                    _ => {
                        drop(account);
                        self.expire();
                        self.lock()
                    }
                },
            };
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
