//! Plays a loop of `tests/vectors/loops.json` in each form that Rust has, on a clock of the test.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::time::Duration;

use backoff_retry::{Attempt, Outcome, Report, Retry, RetryEvent, Verdict};
use serde::Deserialize;

use crate::support::poll_once;
use crate::vectors::number;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    pub(crate) calls: Vec<Call>,
    pub(crate) classified: bool,
    deadline: Option<String>,
    pub(crate) cancel: Option<Point>,
    pub(crate) fail: Option<Point>,
    delays: Option<Delays>,
    pub(crate) limits: Vec<Option<String>>,
    time_left: Vec<Option<String>>,
    pub(crate) waits: Vec<String>,
    pub(crate) events: Vec<Event>,
    pub(crate) reason: String,
    pub(crate) ends: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    takes: String,
    pub(crate) ends: String,
    pub(crate) mark: Option<String>,
    pub(crate) outcome: Option<String>,
    retry_after: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Delays {
    List(Vec<String>),
    Function(Vec<Option<String>>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Point {
    #[serde(rename = "where")]
    pub(crate) place: String,
    pub(crate) call: usize,
    after: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Event {
    hook: String,
    attempts: u64,
    outcome: Option<String>,
    reason: Option<String>,
    delay: String,
    elapsed: String,
}

/// The forms of a loop, and what each one classifies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// Errors. It has no hooks, so it reads the clock only for limits and budgets.
    Call,
    /// Errors and values. The call gets its attempt.
    Attempt,
    /// Results of any type.
    Run,
    /// Errors and values.
    RunUntil,
    /// Errors and values. The sleep panics when it is polled. It ends attempts.
    CallAsync,
    /// Results of any type. The sleep panics when it is called. It cannot end attempts.
    RunAsync,
}

impl Form {
    pub(crate) fn is_async(self) -> bool {
        matches!(self, Self::CallAsync | Self::RunAsync)
    }
}

/// The panic of the caller's code.
pub(crate) struct CallerFailed;

/// The result of a call is its index.
pub(crate) type Called = Result<usize, usize>;

/// A loop that is played.
pub(crate) struct Scene<'a> {
    script: &'a Script,
    now: &'a Cell<Duration>,
    pub(crate) calls: Cell<usize>,
    pub(crate) last: Cell<Option<Called>>,
    pub(crate) waits: RefCell<Vec<String>>,
    pub(crate) events: RefCell<Vec<Event>>,
    is_cancelled: Cell<bool>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(script: &'a Script, now: &'a Cell<Duration>) -> Self {
        let (calls, last, is_cancelled) = Default::default();
        let (waits, events) = Default::default();
        Self { script, now, calls, last, waits, events, is_cancelled }
    }

    /// Plays the loop. Returns its result, if it has one.
    pub(crate) fn play<C>(&self, form: Form, retry: Retry<'_, C>) -> Option<Called>
    where
        C: Fn() -> Duration + Clone,
    {
        macro_rules! until_deadline {
            ($plan:expr) => {
                match &self.script.deadline {
                    Some(deadline) => $plan.deadline_at(duration(deadline)),
                    None => $plan,
                }
            };
        }
        // Each kind of delays makes a loop of another type.
        macro_rules! with_delays {
            ($plan:expr, |$delayed:ident| $played:expr) => {{
                let $delayed = $plan;
                match &self.script.delays {
                    None => $played,
                    Some(Delays::List(list)) => {
                        let $delayed = $delayed.delays(list.iter().map(|text| duration(text)));
                        $played
                    }
                    Some(Delays::Function(delays)) => {
                        let $delayed = $delayed.delays_with(|index, result| {
                            assert_eq!(Some(*result), self.last.get());
                            let delay = delays.get(usize::try_from(index).unwrap());
                            delay.cloned().flatten().map(|text| duration(&text))
                        });
                        $played
                    }
                }
            }};
        }
        macro_rules! with_hooks {
            ($plan:expr) => {
                until_deadline!($plan)
                    .on_retry(|event| self.hook("retry", event))
                    .on_stop(|event| self.hook("stop", event))
            };
        }
        let call = || self.call();
        let call_async = || self.call_async();
        let either = |call: &usize| self.classify(*call);
        let result = |(Ok(call) | Err(call)): &Called| self.classify(*call);
        self.reach("before");
        match form {
            Form::Call => {
                let retry = retry.sleep(|delay| self.wait(delay));
                let plan = until_deadline!(retry.when(either));
                Some(with_delays!(plan, |plan| plan.call(call)))
            }
            Form::Attempt => {
                let retry = retry.sleep(|delay| self.wait(delay));
                let plan = retry.when(either).when_value(either);
                let call = |attempt| self.attempt(&attempt);
                Some(with_delays!(plan, |plan| with_hooks!(plan).call_with_attempt(call)))
            }
            Form::Run => {
                let retry = retry.sleep(|delay| self.wait(delay));
                let plan = retry.classify(result);
                let report = with_delays!(plan, |plan| with_hooks!(plan).call_with_report(call));
                Some(self.result(report))
            }
            Form::RunUntil => {
                let retry = retry.sleep(|delay| {
                    assert!(!self.is_cancelled.get(), "no wait follows");
                    _ = self.wait(delay);
                });
                let plan = retry.when(either).when_value(either);
                let cancelled = || self.is_cancelled.get();
                with_delays!(plan, |plan| with_hooks!(plan).call_until(cancelled, call))
                    .map(|report| self.result(report))
            }
            Form::CallAsync => {
                let retry = retry.sleep(|delay| {
                    // Calls and waits take turns.
                    let is_limit = self.calls.get() == self.waits.borrow().len();
                    async move {
                        if is_limit {
                            self.limit(delay).await;
                        } else {
                            end_or_hang(self.wait(delay)).await;
                        }
                    }
                });
                let plan = retry.when(either).when_value(either);
                let plan = plan.timed_out(|timeout| self.time_out(timeout.limit));
                with_delays!(plan, |plan| self.output(with_hooks!(plan).call_async(call_async)))
            }
            Form::RunAsync => {
                let retry = retry.sleep(|delay| end_or_hang(self.wait(delay)));
                let plan = retry.classify(result);
                let report = with_delays!(plan, |plan| {
                    self.output(with_hooks!(plan).call_async_with_report(call_async))
                });
                report.map(|report| self.result(report))
            }
        }
    }

    /// Cancels and fails if the script says so.
    fn reach(&self, place: &str) {
        let call = self.calls.get().saturating_sub(1);
        let is_here = |point: &Point| (&*point.place, point.call) == (place, call);
        if self.script.cancel.as_ref().is_some_and(is_here) {
            self.is_cancelled.set(true);
        }
        if self.script.fail.as_ref().is_some_and(is_here) {
            resume_unwind(Box::new(CallerFailed));
        }
    }

    fn pass(&self, time: Duration) {
        self.now.set(self.now.get() + time);
    }

    /// A call that keeps to its limit by itself.
    fn call(&self) -> Called {
        let index = self.calls.replace(self.calls.get() + 1);
        let call = &self.script.calls[index];
        if self.is_too_long(index) {
            return self.time_out(self.limit_of(index).unwrap());
        }
        self.pass(duration(&call.takes));
        self.reach("call");
        let result = if call.ends == "value" { Ok(index) } else { Err(index) };
        self.last.set(Some(result));
        result
    }

    fn attempt(&self, attempt: &Attempt<Called>) -> Called {
        let index = self.calls.get();
        assert_eq!((attempt.number, attempt.last), (index as u64 + 1, self.last.get()));
        assert_eq!(attempt.time_left, self.script.time_left[index].as_deref().map(duration));
        self.call()
    }

    fn limit_of(&self, call: usize) -> Option<Duration> {
        self.script.limits[call].as_deref().map(duration)
    }

    fn is_too_long(&self, call: usize) -> bool {
        let takes = duration(&self.script.calls[call].takes);
        self.limit_of(call).is_some_and(|limit| takes > limit)
    }

    /// The result of the call, which took as long as its limit.
    fn time_out(&self, limit: Duration) -> Called {
        let index = self.calls.get() - 1;
        assert_eq!(self.limit_of(index), Some(limit));
        self.pass(limit);
        self.last.set(Some(Err(index)));
        Err(index)
    }

    /// The timer of a limit: over at once if the call, which has begun, takes longer.
    async fn limit(&self, limit: Duration) {
        let index = self.calls.get() - 1;
        assert_eq!(self.limit_of(index), Some(limit));
        end_or_hang(if self.is_too_long(index) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
        .await;
    }

    /// How the last call ended that returned this.
    pub(crate) fn end(&self, result: Called) -> &'static str {
        match result {
            Ok(_) => "value",
            Err(call) if self.is_too_long(call) => "timeout",
            Err(_) => "failure",
        }
    }

    /// A call that is cancelled does not end, unless it has succeeded.
    async fn call_async(&self) -> Called {
        if self.is_too_long(self.calls.get()) {
            self.calls.set(self.calls.get() + 1);
            pending::<()>().await;
        }
        let result = self.call();
        let (Ok(index) | Err(index)) = result;
        if self.is_cancelled.get() && self.verdict(index).outcome != Outcome::Success {
            self.last.set(None);
            pending::<()>().await;
        }
        result
    }

    fn classify(&self, call: usize) -> Verdict {
        self.reach("classification");
        self.verdict(call)
    }

    fn verdict(&self, call: usize) -> Verdict {
        if self.is_too_long(call) {
            return Outcome::Timeout.into();
        }
        let Call { outcome, retry_after, .. } = &self.script.calls[call];
        let is_named = |it: &&Outcome| Some(it.name()) == outcome.as_deref();
        let outcome = *Outcome::ALL.iter().find(is_named).unwrap();
        Verdict::from(outcome).retry_after(retry_after.as_deref().map(duration))
    }

    fn hook(&self, hook: &str, event: &RetryEvent<'_, Called>) {
        self.events.borrow_mut().push(Event {
            hook: hook.into(),
            attempts: event.attempts,
            outcome: event.outcome.map(|outcome| outcome.name().into()),
            reason: event.reason.map(|reason| reason.name().into()),
            delay: nanoseconds(event.delay),
            elapsed: nanoseconds(event.elapsed),
        });
        // Not before the event is recorded: a panic is discarded while the loop unwinds.
        assert_eq!(event.result, self.last.get().as_ref());
        assert!(!event.budget_is_local);
        self.reach(&format!("{hook}_hook"));
    }

    fn wait(&self, delay: Duration) -> ControlFlow<()> {
        self.reach("wait");
        if self.is_cancelled.get() {
            let after = self.script.cancel.as_ref().and_then(|point| point.after.as_deref());
            self.pass(after.map_or(Duration::ZERO, duration));
            return ControlFlow::Break(());
        }
        self.pass(delay);
        self.waits.borrow_mut().push(nanoseconds(delay));
        ControlFlow::Continue(())
    }

    /// The result of a report that agrees with the last event.
    fn result(&self, report: Report<Called>) -> Called {
        let Report { result, attempts, reason, delay, elapsed, .. } = report;
        let events = self.events.borrow();
        let stop = events.last().unwrap();
        assert_eq!((attempts, Some(reason.name())), (stop.attempts, stop.reason.as_deref()));
        assert_eq!([nanoseconds(delay), nanoseconds(elapsed)], [&*stop.delay, &stop.elapsed]);
        result
    }

    /// The output of a future that is ready unless the loop is cancelled, and is then dropped.
    fn output<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        if self.is_cancelled.get() {
            return None;
        }
        let output = poll_once(future);
        assert!(output.is_some() || self.is_cancelled.get());
        output
    }
}

async fn end_or_hang(flow: ControlFlow<()>) {
    if flow.is_break() {
        pending::<()>().await;
    }
}

fn duration(text: &str) -> Duration {
    Duration::from_nanos(number(text))
}

fn nanoseconds(duration: Duration) -> String {
    duration.as_nanos().to_string()
}
