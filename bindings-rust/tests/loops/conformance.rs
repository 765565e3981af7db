//! The decisions of `tests/vectors`, made by loops.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{poll_fn, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use backoff_retry::{Budget, Decision, Report, Retry, Verdict};

use crate::script::{Action, Script, Step, outcome};
use crate::vectors::{cases, number, stream};

fn duration(text: &str) -> Duration {
    Duration::from_nanos(number(text))
}

/// A loop whose calls end as the script says.
struct Driven<'a> {
    future: Option<Pin<Box<dyn Future<Output = Report<Verdict>> + 'a>>>,
    /// The end of the current call.
    call: Rc<Cell<Option<Verdict>>>,
    /// The attempts and decisions that the hooks received.
    decided: Rc<RefCell<Vec<(u64, Decision)>>>,
}

impl Driven<'_> {
    /// Ends the current call. Returns what the hooks received.
    fn end_call(&mut self, verdict: Verdict) -> Vec<(u64, Decision)> {
        self.call.set(Some(verdict));
        self.poll();
        self.decided.take()
    }

    fn poll(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        if let Some(future) = &mut self.future
            && let Poll::Ready(report) = future.as_mut().poll(&mut context)
        {
            let decided = self.decided.borrow();
            let delay_ns = u64::try_from(report.delay.as_nanos()).unwrap();
            let decision = Decision::Stop { reason: report.reason, delay_ns };
            assert_eq!(decided.last(), Some(&(report.attempts, decision)));
            self.future = None;
        }
    }

    fn cancel(&mut self) -> Vec<(u64, Decision)> {
        self.future = None;
        self.decided.take()
    }
}

#[test]
fn loops_decide_as_the_reference_does() {
    let mut decisions = 0;
    for case in cases::<Script>("decisions") {
        let now = Cell::new(Duration::ZERO);
        let stream = stream(&case.seed, case.key.as_deref());
        let budget = case.budget.as_ref().map(|text| Budget::parse(text).unwrap());
        let mut shared = Retry::with_stream(case.policy.parse().unwrap(), stream)
            .clock(|| now.get())
            .sleep(|_| ready(()));
        if let Some(budget) = &budget {
            shared = shared.budget(budget);
        }

        let mut loops: BTreeMap<u32, Driven<'_>> = BTreeMap::new();
        for (step_number, Step { operation, action }) in case.steps.iter().enumerate() {
            let at = format!("{} step {step_number}", case.id);
            if let Action::Begin { now: begun, deadline } = action {
                now.set(duration(begun));
                let call: Rc<Cell<Option<Verdict>>> = Rc::default();
                let decided: Rc<RefCell<Vec<(u64, Decision)>>> = Rc::default();
                let (ends, retries, stops) = (call.clone(), decided.clone(), decided.clone());
                let mut plan = shared.classify(|verdict: &Verdict| *verdict);
                if let Some(deadline) = deadline {
                    plan = plan.deadline_at(duration(deadline));
                }
                let future = plan
                    .on_retry(move |event| {
                        let delay_ns = u64::try_from(event.delay.as_nanos()).unwrap();
                        retries.borrow_mut().push((event.attempts, Decision::Wait { delay_ns }));
                    })
                    .on_stop(move |event| {
                        let delay_ns = u64::try_from(event.delay.as_nanos()).unwrap();
                        let reason = event.reason.unwrap();
                        let decision = Decision::Stop { reason, delay_ns };
                        stops.borrow_mut().push((event.attempts, decision));
                    })
                    .run_async(move || {
                        let ends = ends.clone();
                        poll_fn(move |_| ends.take().map_or(Poll::Pending, Poll::Ready))
                    });
                let mut begun = Driven { future: Some(Box::pin(future)), call, decided };
                begun.poll();
                loops.insert(*operation, begun);
                continue;
            }
            let driven = loops.get_mut(operation).unwrap();
            if driven.future.is_none() {
                continue;
            }
            match action {
                Action::Begin { .. } => unreachable!(),
                Action::Outcome { now: then, outcome: name, retry_after, answer, retries } => {
                    now.set(duration(then));
                    let retry_after = retry_after.as_deref().map(duration);
                    let decided =
                        driven.end_call(Verdict::from(outcome(name)).retry_after(retry_after));
                    let decision = answer.decision();
                    // The retry that follows a wait is counted, but not yet attempted.
                    let attempts = retries + u64::from(decision.stop_reason().is_some());
                    assert_eq!(decided, [(attempts, decision)], "{at}");
                }
                Action::Cancel { answer, .. } => {
                    let decided: Vec<_> = driven.cancel().into_iter().map(|(_, it)| it).collect();
                    assert_eq!(decided, [answer.decision()], "{at}");
                }
            }
            decisions += 1;
        }
    }
    assert!(decisions > 400, "{decisions}");
}
