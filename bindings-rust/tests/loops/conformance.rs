//! The vectors of `tests/vectors`, which the reference wrote, through loops.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{poll_fn, ready};
use std::path::Path;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use backoff_retry::{Budget, Decision, Outcome, Report, Retry, StopReason, Stream, Verdict};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Deserialize)]
struct File<Case> {
    count: usize,
    cases: Vec<Case>,
}

fn cases<Case: DeserializeOwned>(layer: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors").join(layer);
    let text = std::fs::read_to_string(path.with_extension("json")).unwrap();
    let file: File<Case> = serde_json::from_str(&text).unwrap();
    assert_eq!(file.cases.len(), file.count);
    assert!(file.count > 0);
    file.cases
}

fn word(text: &str) -> u64 {
    text.parse().unwrap()
}

fn duration(text: &str) -> Duration {
    Duration::from_nanos(word(text))
}

fn outcome(name: &str) -> Outcome {
    Outcome::ALL.into_iter().find(|outcome| outcome.name() == name).unwrap()
}

#[derive(Deserialize)]
struct Script {
    id: String,
    policy: String,
    budget: Option<String>,
    seed: String,
    key: Option<String>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    operation: u32,
    #[serde(flatten)]
    event: Event,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Event {
    Begin { now: String, deadline: Option<String> },
    Outcome { now: String, outcome: String, hint: Option<String>, answer: Answer },
    Cancel { answer: Answer },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Wait { wait: String },
    Stop { stop: String, delay: String },
}

impl Answer {
    fn decision(&self) -> Decision {
        match self {
            Self::Wait { wait } => Decision::Wait(word(wait)),
            Self::Stop { stop, delay } => {
                let mut reasons = StopReason::ALL.into_iter();
                let reason = reasons.find(|reason| reason.name() == stop).unwrap();
                Decision::Stop { reason, delay_ns: word(delay) }
            }
        }
    }
}

/// A loop whose calls end when the script says so.
struct Driven<'a> {
    future: Option<Pin<Box<dyn Future<Output = Report<Verdict>> + 'a>>>,
    /// How the call that goes on ends.
    call: Rc<Cell<Option<Verdict>>>,
    /// What the hooks were told.
    told: Rc<RefCell<Vec<Decision>>>,
}

impl Driven<'_> {
    /// What the hooks are told once the call has ended so.
    fn end_call(&mut self, verdict: Verdict) -> Vec<Decision> {
        self.call.set(Some(verdict));
        self.poll();
        self.told.take()
    }

    fn poll(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        if let Some(future) = &mut self.future
            && let Poll::Ready(report) = future.as_mut().poll(&mut context)
        {
            let told = self.told.borrow();
            let delay_ns = u64::try_from(report.delay.as_nanos()).unwrap();
            assert_eq!(told.last(), Some(&Decision::Stop { reason: report.reason, delay_ns }));
            self.future = None;
        }
    }

    fn cancel(&mut self) -> Vec<Decision> {
        self.future = None;
        self.told.take()
    }
}

#[test]
fn loops_decide_as_the_reference_does() {
    let mut answers = 0;
    for case in cases::<Script>("decisions") {
        let now = Cell::new(Duration::ZERO);
        let seed = word(&case.seed);
        let stream = case.key.as_ref().map_or(Stream::from_seed(seed), |key| {
            let byte = |at| u8::from_str_radix(&key[at..at + 2], 16).unwrap();
            Stream::from_key(seed, (0..key.len()).step_by(2).map(byte).collect::<Vec<_>>())
        });
        let budget = case.budget.as_ref().map(|line| Budget::parse(line).unwrap());
        let mut shared = Retry::with_stream(case.policy.parse().unwrap(), stream)
            .clock(|| now.get())
            .sleep(|_| ready(()));
        if let Some(budget) = &budget {
            shared = shared.budget(budget);
        }

        let mut loops: BTreeMap<u32, Driven<'_>> = BTreeMap::new();
        for (number, Step { operation, event }) in case.steps.iter().enumerate() {
            let at = format!("{} step {number}", case.id);
            if let Event::Begin { now: begun, deadline } = event {
                now.set(duration(begun));
                let call: Rc<Cell<Option<Verdict>>> = Rc::default();
                let told: Rc<RefCell<Vec<Decision>>> = Rc::default();
                let (ends, retries, stops) = (call.clone(), told.clone(), told.clone());
                let mut plan = shared.classify(|verdict: &Verdict| *verdict);
                if let Some(deadline) = deadline {
                    plan = plan.deadline_at(duration(deadline));
                }
                let future = plan
                    .on_retry(move |event| {
                        let wait = u64::try_from(event.delay.as_nanos()).unwrap();
                        retries.borrow_mut().push(Decision::Wait(wait));
                    })
                    .on_stop(move |event| {
                        let delay_ns = u64::try_from(event.delay.as_nanos()).unwrap();
                        let reason = event.reason.unwrap();
                        stops.borrow_mut().push(Decision::Stop { reason, delay_ns });
                    })
                    .run_async(move || {
                        let ends = ends.clone();
                        poll_fn(move |_| ends.take().map_or(Poll::Pending, Poll::Ready))
                    });
                let mut begun = Driven { future: Some(Box::pin(future)), call, told };
                begun.poll();
                loops.insert(*operation, begun);
                continue;
            }
            let going = loops.get_mut(operation).unwrap();
            if going.future.is_none() {
                continue;
            }
            let (told, answer) = match event {
                Event::Begin { .. } => unreachable!(),
                Event::Outcome { now: then, outcome: name, hint, answer } => {
                    now.set(duration(then));
                    let hint = hint.as_deref().map(duration);
                    (going.end_call(Verdict::from(outcome(name)).hint(hint)), answer)
                }
                Event::Cancel { answer } => (going.cancel(), answer),
            };
            assert_eq!(told, [answer.decision()], "{at}");
            answers += 1;
        }
    }
    assert!(answers > 400, "{answers}");
}

#[derive(Deserialize)]
struct HttpStatus {
    status: u16,
    outcome: String,
}

#[test]
fn http_statuses() {
    for HttpStatus { status, outcome } in cases("http_statuses") {
        assert_eq!(Outcome::from_http_status(status).name(), outcome, "{status}");
    }
}
