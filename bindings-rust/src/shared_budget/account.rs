//! What a shared budget knows: the local budget, the events for the store, and who waits for it.

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use backoff_core::{BudgetEvent, BudgetState, Outcome};

use crate::shared_budget::exchange::{Answers, Batch, Failure, take};
use crate::shared_budget::store::StoreError;

/// So many events make an exchange of their own, and no more wait for one.
const MOST_EVENTS: usize = 100;

/// How long a store stays away after an error.
const AWAY: Duration = Duration::from_secs(1);

/// What an operation holds of a budget, and of which one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(super) tokens: u64,
    pub(super) is_local: bool,
}

/// The answer to a request for a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer {
    /// What the operation then holds; `None` if the retry is refused.
    pub(crate) granted: Option<Held>,
    /// Whether the local budget decided.
    pub(crate) is_local: bool,
}

impl Answer {
    fn of(tokens: Option<u64>, is_local: bool) -> Self {
        Self { granted: tokens.map(|tokens| Held { tokens, is_local }), is_local }
    }
}

/// A request that is not answered, or whose answer was not taken yet.
enum Request {
    Waiting { outcome: Outcome, until: Instant, is_sent: bool, waker: Option<Waker> },
    Answered(Answer),
}

/// What the worker takes with it.
pub(super) struct Taken {
    pub(super) batch: Batch,
    /// The requests of the batch.
    ids: Vec<u64>,
    /// The number of flushes that this exchange makes good.
    pub(super) flushes: u64,
}

pub(super) struct Account {
    local: BudgetState,
    /// A time of the local clock, in nanoseconds.
    away_until: Option<u64>,
    events: VecDeque<BudgetEvent>,
    leased: Vec<(Outcome, u64)>,
    requests: BTreeMap<u64, Request>,
    next: u64,
    /// Whether a request of the exchange under way was answered without it.
    is_too_late: bool,
    /// Who waits for the answers that came. They are woken when nobody holds the account.
    pub(super) answered: Vec<Waker>,
    pub(super) flushes: Flushes,
    pub(super) last_error: Option<Arc<dyn Error + Send + Sync>>,
    /// Whether nobody uses the budget any more.
    pub(super) is_closed: bool,
}

/// Flushes, by their numbers.
#[derive(Default)]
pub(super) struct Flushes {
    pub(super) asked: u64,
    pub(super) answered: u64,
    pub(super) was_stored: bool,
}

impl Flushes {
    pub(super) fn answer(&mut self, number: u64, was_stored: bool) {
        (self.answered, self.was_stored) = (number, was_stored);
    }
}

impl Account {
    pub(super) fn new(local: BudgetState) -> Self {
        Self {
            local,
            away_until: None,
            events: VecDeque::new(),
            leased: Vec::new(),
            requests: BTreeMap::new(),
            next: 0,
            is_too_late: false,
            answered: Vec::new(),
            flushes: Flushes::default(),
            last_error: None,
            is_closed: false,
        }
    }

    fn is_away(&self, now_ns: u64) -> bool {
        self.away_until.is_some_and(|until| now_ns < until)
    }

    /// Notes an event that asks for nothing.
    pub(super) fn note(&mut self, event: BudgetEvent, now_ns: u64) {
        self.note_both(event, event, now_ns);
    }

    /// Notes a success. What the operation holds goes back to the budget that granted it.
    pub(super) fn succeed(&mut self, held: Held, now_ns: u64) {
        let [local, shared] = if held.is_local { [held.tokens, 0] } else { [0, held.tokens] };
        let event = |held| BudgetEvent::OperationSucceeded { held };
        self.note_both(event(local), event(shared), now_ns);
    }

    fn note_both(&mut self, local: BudgetEvent, shared: BudgetEvent, now_ns: u64) {
        (self.local, _) = self.local.step(local, now_ns);
        self.events.push_back(shared);
        self.keep_latest();
    }

    fn keep_latest(&mut self) {
        let old = self.events.len().saturating_sub(MOST_EVENTS);
        self.events.drain(..old);
    }

    /// Requests a retry. Returns the answer, or the number under which it will be.
    pub(super) fn request(
        &mut self,
        outcome: Outcome,
        now_ns: u64,
        until: Instant,
    ) -> Result<Answer, u64> {
        if let Some(tokens) = take(&mut self.leased, outcome) {
            return Ok(Answer::of(Some(tokens), false));
        }
        if self.is_away(now_ns) {
            return Ok(self.ask_local(outcome, now_ns));
        }
        let id = self.next;
        self.next += 1;
        let request = Request::Waiting { outcome, until, is_sent: false, waker: None };
        self.requests.insert(id, request);
        Err(id)
    }

    fn ask_local(&mut self, outcome: Outcome, now_ns: u64) -> Answer {
        let granted;
        (self.local, granted) = self.local.step(BudgetEvent::RetryRequested { outcome }, now_ns);
        Answer::of(granted, true)
    }

    /// The answer to a request. It is taken.
    pub(super) fn poll(&mut self, id: u64, waker: &Waker) -> Poll<Answer> {
        match self.requests.get_mut(&id) {
            Some(Request::Waiting { waker: last, .. }) => {
                *last = Some(waker.clone());
                Poll::Pending
            }
            Some(Request::Answered(answer)) => {
                let answer = *answer;
                self.requests.remove(&id);
                Poll::Ready(answer)
            }
            // It was taken before. A future is not polled then.
            None => Poll::Pending,
        }
    }

    /// Forgets a request whose loop was cancelled.
    pub(super) fn forget(&mut self, id: u64) {
        self.requests.remove(&id);
    }

    /// The end of the longest wait.
    pub(super) fn earliest(&self) -> Option<Instant> {
        self.requests.values().find_map(|request| match request {
            Request::Waiting { until, .. } => Some(*until),
            Request::Answered(_) => None,
        })
    }

    /// Whether the worker has to exchange something.
    pub(super) fn has_work(&self, now_ns: u64) -> bool {
        let is_new = |request: &_| matches!(request, Request::Waiting { is_sent: false, .. });
        self.flushes.asked > self.flushes.answered
            || self.requests.values().any(is_new)
            || (self.events.len() >= MOST_EVENTS && !self.is_away(now_ns))
    }

    /// Takes everything that is to be exchanged.
    pub(super) fn take(&mut self) -> Taken {
        self.is_too_late = false;
        let mut taken =
            Taken { batch: Batch::default(), ids: Vec::new(), flushes: self.flushes.asked };
        taken.batch.events = self.events.drain(..).collect();
        for (id, request) in &mut self.requests {
            if let Request::Waiting { outcome, is_sent: is_sent @ false, .. } = request {
                *is_sent = true;
                taken.ids.push(*id);
                taken.batch.requests.push(*outcome);
            }
        }
        taken
    }

    /// Ends an exchange. Returns whether it was too late for a request.
    pub(super) fn finish(
        &mut self,
        taken: Taken,
        result: Result<Answers, Failure>,
        now_ns: u64,
    ) -> bool {
        match result {
            Ok(answers) => {
                for (id, tokens) in taken.ids.into_iter().zip(answers.requests) {
                    self.answer(id, Answer::of(tokens, false));
                }
                self.leased.extend(answers.leased);
            }
            Err(Failure { error, may_be_stored }) => {
                // What may be stored is not sent twice.
                if !may_be_stored {
                    let newer = std::mem::take(&mut self.events);
                    self.events = taken.batch.events.into();
                    self.events.extend(newer);
                }
                self.go_away(error, now_ns);
            }
        }
        self.is_too_late
    }

    /// Answers a request, unless it was answered or forgotten before.
    fn answer(&mut self, id: u64, answer: Answer) {
        let Some(request @ Request::Waiting { .. }) = self.requests.get_mut(&id) else { return };
        let before = std::mem::replace(request, Request::Answered(answer));
        if let Request::Waiting { waker: Some(waker), .. } = before {
            self.answered.push(waker);
        }
    }

    /// Lets the local budget decide for a while, also on everything that waits.
    pub(super) fn go_away(&mut self, error: StoreError, now_ns: u64) {
        self.last_error = Some(error.into());
        let away = u64::try_from(AWAY.as_nanos()).unwrap_or(u64::MAX);
        self.away_until = Some(now_ns.saturating_add(away));
        self.keep_latest();
        let waiting: Vec<_> = self
            .requests
            .iter()
            .filter_map(|(id, request)| match request {
                Request::Waiting { outcome, is_sent, .. } => Some((*id, *outcome, *is_sent)),
                Request::Answered(_) => None,
            })
            .collect();
        for (id, outcome, is_sent) in waiting {
            self.is_too_late |= is_sent;
            let answer = self.ask_local(outcome, now_ns);
            self.answer(id, answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use backoff_core::{Budget, BudgetState, Outcome};

    use super::{Account, Answer, Failure, Held};
    use crate::shared_budget::exchange::Answers;

    const SECOND: u64 = 1_000_000_000;

    fn account() -> Account {
        let local = Budget::parse("quota:max_tokens=2,cost=1").unwrap();
        Account::new(BudgetState::full(&local))
    }

    fn request(account: &mut Account, now_ns: u64) -> Result<Answer, u64> {
        account.request(Outcome::Transient, now_ns, Instant::now() + Duration::from_secs(60))
    }

    #[test]
    fn a_store_is_away_for_one_second() {
        let mut account = account();
        account.go_away("broken".into(), 5);
        let granted = Some(Held { tokens: 1, is_local: true });
        let local = Answer { granted, is_local: true };
        assert_eq!(request(&mut account, 5), Ok(local));
        assert_eq!(request(&mut account, 4 + SECOND), Ok(local));
        assert_eq!(request(&mut account, 4 + SECOND).map(|answer| answer.granted), Ok(None));
        assert_eq!(request(&mut account, 5 + SECOND), Err(0));
        // An answer that comes late changes nothing, and another error begins another second.
        let taken = account.take();
        account.go_away("broken".into(), 9 + SECOND);
        let answers = Answers { requests: vec![Some(1)], leased: vec![] };
        assert!(account.finish(taken, Ok(answers), 9 + SECOND), "it was too late");
        assert!(request(&mut account, 8 + 2 * SECOND).is_ok());
        assert_eq!(request(&mut account, 9 + 2 * SECOND), Err(1));
    }

    #[test]
    fn what_a_success_holds_goes_to_the_budget_that_granted_it() {
        let mut account = account();
        account.go_away("broken".into(), 0);
        let [first, second] = [(); 2].map(|()| request(&mut account, 0).unwrap().granted.unwrap());
        assert_eq!((first, first.is_local), (second, true));
        account.succeed(first, 0);
        assert!(request(&mut account, 0).unwrap().granted.is_some());
        assert!(request(&mut account, 0).unwrap().granted.is_none());
        // It holds nothing of the local one, which gets 1 for a success without a retry.
        account.succeed(Held { tokens: 2, is_local: false }, 0);
        assert_eq!(account.local.to_string(), "5 1");
        let taken = account.take();
        let events: Vec<_> = taken.batch.events.iter().map(|event| format!("{event:?}")).collect();
        assert_eq!(events, ["OperationSucceeded { held: 0 }", "OperationSucceeded { held: 2 }"]);
    }

    #[test]
    fn events_keep_their_order_when_an_exchange_fails() {
        let mut account = account();
        let note = |account: &mut Account, held| {
            account.succeed(Held { tokens: held, is_local: false }, 0);
        };
        note(&mut account, 1);
        note(&mut account, 2);
        let taken = account.take();
        note(&mut account, 3);
        let failure = Failure { error: "broken".into(), may_be_stored: false };
        assert!(!account.finish(taken, Err(failure), 0));
        for held in 4..=101 {
            note(&mut account, held);
        }
        let events = account.take().batch.events;
        assert_eq!(events.len(), 100);
        let shown = [&events[0], &events[1], &events[99]].map(|event| format!("{event:?}"));
        let held = |held| format!("OperationSucceeded {{ held: {held} }}");
        assert_eq!(shown, [held(2), held(3), held(101)]);
    }
}
