//! What the threads of a process share: its member of the shared budget, and who waits for the store.

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};
use std::task::{Poll, Waker};
use std::time::Duration;

use backoff_core::{BudgetLevel, BudgetMember, ExchangeAnswers, MemberAnswer, Outcome};

use crate::shared_budget::store::StoreError;
use crate::sync::Instant;

/// What an operation holds of a budget, and of which one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Reservation {
    pub(super) tokens: u64,
    pub(super) is_local: bool,
}

/// The answer to a request for a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer {
    /// What the operation then holds; `None` if the retry is refused.
    pub(crate) granted: Option<Reservation>,
    /// Whether the local budget decided.
    pub(crate) is_local: bool,
}

/// A request without an answer.
struct Waiting {
    outcome: Outcome,
    until: Instant,
    waker: Option<Waker>,
}

pub(super) struct Pending {
    pub(super) member: BudgetMember,
    /// By number, which is the order in which they came.
    waiting: BTreeMap<u64, Waiting>,
    /// The answers that nobody has taken yet.
    answers: BTreeMap<u64, Answer>,
    next: u64,
    /// Those that no exchange serves yet. Each gets whether its exchange was stored.
    pub(super) flushes: Vec<Arc<OnceLock<bool>>>,
    /// Those who ask for the level.
    pub(super) levels: Vec<Sender<Result<BudgetLevel, StoreError>>>,
    /// Whether the hook of an exchange runs.
    pub(super) is_reporting: bool,
    last_error: Option<Arc<dyn Error + Send + Sync>>,
    /// Whether nobody uses the budget any more.
    pub(super) is_closed: bool,
    /// To do when nobody holds the lock: waking a waker, and dropping it or an error, run code of the
    /// caller's.
    pub(super) later: Vec<Box<dyn FnOnce() + Send>>,
}

impl Pending {
    pub(super) fn new(member: &BudgetMember) -> Self {
        Self {
            member: *member,
            waiting: BTreeMap::new(),
            answers: BTreeMap::new(),
            next: 0,
            flushes: Vec::new(),
            levels: Vec::new(),
            is_reporting: false,
            last_error: None,
            is_closed: false,
            later: Vec::new(),
        }
    }

    /// In how many nanoseconds the worker has to exchange something.
    pub(super) fn work_in(&self, now_ns: u64) -> Option<u64> {
        if self.flushes.is_empty() { self.member.due_in(now_ns) } else { Some(0) }
    }

    /// How long a request may wait now.
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_nanos(self.member.timeout_ns())
    }

    /// Requests a retry. Returns the answer, or the number under which it will be, and until when.
    pub(super) fn request(
        &mut self,
        outcome: Outcome,
        now_ns: u64,
    ) -> Result<Answer, (u64, Instant)> {
        if let Some(answer) = self.ask(outcome, now_ns) {
            return Ok(answer);
        }
        let (id, until) = (self.next, Instant::now() + self.timeout());
        self.next += 1;
        self.waiting.insert(id, Waiting { outcome, until, waker: None });
        Err((id, until))
    }

    fn ask(&mut self, outcome: Outcome, now_ns: u64) -> Option<Answer> {
        match self.member.request(outcome, now_ns) {
            MemberAnswer::Granted { held: tokens, is_local } => {
                Some(Answer { granted: Some(Reservation { tokens, is_local }), is_local })
            }
            MemberAnswer::Refused => Some(Answer { granted: None, is_local: true }),
            MemberAnswer::Waits => None,
        }
    }

    /// The answer to a request. It is taken.
    pub(super) fn poll(&mut self, id: u64, waker: &Waker) -> Poll<Answer> {
        if let Some(answer) = self.answers.remove(&id) {
            return Poll::Ready(answer);
        }
        // If it was taken before, a future is not polled again.
        if let Some(waiting) = self.waiting.get_mut(&id) {
            let earlier = waiting.waker.replace(waker.clone());
            self.later.push(Box::new(|| drop(earlier)));
        }
        Poll::Pending
    }

    /// Forgets a request whose loop was cancelled.
    pub(super) fn forget(&mut self, id: u64) {
        self.answers.remove(&id);
        if let Some(waiting) = self.waiting.remove(&id) {
            self.member.cancel(waiting.outcome);
            self.later.push(Box::new(|| drop(waiting)));
        }
    }

    /// The first end of a wait. The waits for the first exchange are longer than those that come later.
    pub(super) fn earliest(&self) -> Option<Instant> {
        self.waiting.values().map(|waiting| waiting.until).min()
    }

    /// Ends an exchange that was stored.
    pub(super) fn stored(&mut self, now_ns: u64) {
        let answers = self.member.stored(now_ns);
        let mut queues: BTreeMap<u32, VecDeque<Answer>> = BTreeMap::new();
        for outcome in [Outcome::Transient, Outcome::Throttled, Outcome::Timeout] {
            queues.insert(outcome as u32, in_order(&answers, outcome));
        }
        self.answer_all(|_, outcome| queues.get_mut(&(outcome as u32))?.pop_front());
        if self.member.is_away(now_ns) {
            self.ask_again(now_ns);
        }
    }

    /// Ends an exchange that failed.
    pub(super) fn failed(
        &mut self,
        error: Arc<dyn Error + Send + Sync>,
        may_be_stored: bool,
        now_ns: u64,
    ) {
        self.member.failed(may_be_stored, now_ns);
        self.set_last_error(error);
        self.ask_again(now_ns);
    }

    pub(super) fn last_error(&self) -> Option<Arc<dyn Error + Send + Sync>> {
        self.last_error.clone()
    }

    pub(super) fn set_last_error(&mut self, error: Arc<dyn Error + Send + Sync>) {
        let earlier = self.last_error.replace(error);
        self.later.push(Box::new(|| drop(earlier)));
    }

    /// A request has waited for too long.
    pub(super) fn late(&mut self, now_ns: u64) {
        let what = if self.is_reporting { "hook did not return" } else { "store did not answer" };
        self.go_away(format!("the {what} within {:?}", self.timeout()).into(), now_ns);
    }

    /// Nobody will ask the store.
    pub(super) fn go_away(&mut self, error: StoreError, now_ns: u64) {
        self.member.late(now_ns);
        self.set_last_error(error.into());
        self.ask_again(now_ns);
    }

    /// The store is away: the local budget decides on everything that waits.
    fn ask_again(&mut self, now_ns: u64) {
        self.answer_all(|pending, outcome| pending.ask(outcome, now_ns));
    }

    /// Answers the requests that wait, in their order, if there is an answer.
    fn answer_all(&mut self, mut answer: impl FnMut(&mut Self, Outcome) -> Option<Answer>) {
        for (id, waiting) in std::mem::take(&mut self.waiting) {
            match answer(self, waiting.outcome) {
                Some(answer) => {
                    self.answers.insert(id, answer);
                    if let Some(waker) = waiting.waker {
                        self.later.push(Box::new(|| waker.wake()));
                    }
                }
                None => {
                    self.waiting.insert(id, waiting);
                }
            }
        }
    }
}

/// The answers to the requests after an outcome, the oldest first.
fn in_order(answers: &ExchangeAnswers, outcome: Outcome) -> VecDeque<Answer> {
    let held = Reservation { tokens: answers.held(outcome), is_local: false };
    let granted = (0..answers.granted(outcome)).map(|_| Some(held));
    let refused = (0..answers.refused(outcome)).map(|_| None);
    granted.chain(refused).map(|granted| Answer { granted, is_local: false }).collect()
}
