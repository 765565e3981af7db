//! Operations, budgets, `Retry-After` headers and HTTP statuses.

use std::collections::BTreeMap;

use backoff_core::{
    Budget, BudgetEvent, BudgetMember, BudgetState, Decision, ExchangeStep, Fallback, MemberAnswer,
    Operation, Outcome, Policy, RandomStream, SteppedState, http_retry_after_ns,
    is_idempotent_method, parse_retry_after_ns,
};
use serde::Deserialize;

use crate::script::{Action, Answer, Script, Step, outcome};
use crate::vectors::{cases, number, stream};

#[test]
fn decisions() {
    for case in cases::<Script>("decisions") {
        let policy = Policy::parse(&case.policy).unwrap();
        let budget = case.budget.map(|text| Budget::parse(text).unwrap());
        let budget = budget.as_ref();
        let stream = stream(&case.seed, case.key.as_deref());
        let mut operations = BTreeMap::new();
        for (step_number, Step { operation, action }) in case.steps.iter().enumerate() {
            let at = format!("{} step {step_number}", case.id);
            if let Action::Begin { now, deadline } = action {
                let deadline = deadline.as_deref().map(number);
                let begun = Operation::begin(policy, stream, number(now), deadline, budget);
                operations.insert(*operation, begun);
                continue;
            }
            let operation = operations.get_mut(operation).unwrap();
            let decided = match action {
                Action::Begin { .. } => unreachable!(),
                Action::Outcome { now, outcome: name, retry_after, answer, retries } => {
                    let retry_after = retry_after.as_deref().map(number);
                    let decision =
                        operation.decide(outcome(name), retry_after, number(now), budget);
                    assert_eq!(decision, answer.decision(), "{at}");
                    assert_eq!(operation.retries(), *retries, "{at}");
                    assert_eq!(operation.attempts(), *retries + 1, "{at}");
                    decision
                }
                Action::Cancel { answer, .. } => {
                    let reason = operation.cancel(budget);
                    let decision = Decision::Stop { reason, delay_ns: 0 };
                    assert_eq!(decision, answer.decision(), "{at}");
                    decision
                }
            };
            assert_eq!(operation.reason(), decided.stop_reason(), "{at}");
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    value: String,
    now: String,
    retry_after: Option<String>,
}

#[test]
fn retry_after_headers() {
    for case in cases::<Header>("retry_after") {
        let retry_after = parse_retry_after_ns(&case.value, number(&case.now));
        assert_eq!(retry_after, case.retry_after.as_deref().map(number), "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpStatus {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    status: u16,
    outcome: String,
    #[serde(rename = "proxy_outcome")]
    _proxy_outcome: Option<String>,
}

#[test]
fn http_statuses() {
    for case in cases::<HttpStatus>("http_statuses") {
        assert_eq!(Outcome::from_http_status(case.status).name(), case.outcome, "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpResponse {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    status: u16,
    fields: String,
    now: String,
    retry_after: Option<String>,
}

#[test]
fn http_responses() {
    for case in cases::<HttpResponse>("http_responses") {
        let retry_after = http_retry_after_ns(case.status, &case.fields, number(&case.now));
        assert_eq!(retry_after, case.retry_after.as_deref().map(number), "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpMethod {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    method: String,
    idempotent: bool,
}

#[test]
fn http_methods() {
    for case in cases::<HttpMethod>("http_methods") {
        assert_eq!(is_idempotent_method(&case.method), case.idempotent, "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Resumption {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    policy: String,
    stream: String,
    retries: String,
    begun: String,
    deadline: Option<String>,
    now: String,
    outcome: String,
    retry_after: Option<String>,
    answer: Answer,
    retries_after: String,
    refused: String,
    retries_refused: String,
}

#[test]
fn resumptions() {
    for case in cases::<Resumption>("resumptions") {
        let mut operation = Operation::resume(
            Policy::parse(&case.policy).unwrap(),
            RandomStream::from_seed(number(&case.stream)),
            number(&case.retries),
            number(&case.begun),
            case.deadline.as_deref().map(number),
        );
        let retry_after = case.retry_after.as_deref().map(number);
        let decision =
            operation.decide(outcome(&case.outcome), retry_after, number(&case.now), None);
        assert_eq!(decision, case.answer.decision(), "{}", case.id);
        assert_eq!(operation.retries(), number(&case.retries_after), "{}", case.id);
        assert_eq!(operation.refuse_retry(None).name(), case.refused, "{}", case.id);
        assert_eq!(operation.retries(), number(&case.retries_refused), "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct States {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    budget: String,
    start: Option<String>,
    steps: Vec<StateStep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StateStep {
    event: String,
    outcome: Option<String>,
    held: String,
    now: String,
    granted: Option<bool>,
    holds: String,
    state: String,
}

impl StateStep {
    fn event(&self) -> BudgetEvent {
        let held = number(&self.held);
        match self.event.as_str() {
            "operation_began" => BudgetEvent::OperationBegan,
            "attempt_over" => BudgetEvent::AttemptOver { held },
            "attempt_failed" => BudgetEvent::AttemptFailed,
            "retry_requested" => {
                BudgetEvent::RetryRequested { outcome: outcome(self.outcome.as_deref().unwrap()) }
            }
            "operation_succeeded" => BudgetEvent::OperationSucceeded { held },
            "operation_ended" => BudgetEvent::OperationEnded,
            name => panic!("{name}"),
        }
    }
}

#[test]
fn budget_states() {
    for case in cases::<States>("budget_states") {
        let budget = Budget::parse(&case.budget).unwrap();
        let mut state = match &case.start {
            Some(text) => BudgetState::parse(&budget, text).unwrap(),
            None => BudgetState::full(&budget),
        };
        for (number_of_step, step) in case.steps.iter().enumerate() {
            let at = format!("{} step {number_of_step}", case.id);
            let (after, granted) = state.step(step.event(), number(&step.now));
            assert_eq!(after.to_string(), step.state, "{at}");
            assert_eq!(granted.is_some(), step.granted.unwrap_or(false), "{at}");
            assert_eq!(granted.unwrap_or(0), number(&step.holds), "{at}");
            assert_eq!(BudgetState::parse(&budget, &step.state), Some(after), "{at}");
            assert_eq!(after == state, after.version() == state.version(), "{at}");
            state = after;
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StateText {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    budget: String,
    text: String,
    valid: bool,
}

#[test]
fn budget_state_texts() {
    for case in cases::<StateText>("budget_state_texts") {
        let budget = Budget::parse(&case.budget).unwrap();
        let state = BudgetState::parse(&budget, &case.text);
        let text = state.map(|state| state.to_string());
        assert_eq!(text, case.valid.then_some(case.text), "{}", case.id);
    }
}

/// A budget that the caller keeps as a state, and an operation that knows nothing of it (SPEC 15.8).
struct Elsewhere {
    state: BudgetState,
    now_ns: u64,
}

impl Elsewhere {
    fn tell(&mut self, event: BudgetEvent) -> Option<u64> {
        let (after, granted) = self.state.step(event, self.now_ns);
        self.state = after;
        granted
    }

    /// The steps of SPEC 13.4 around the decision of an operation without a budget.
    fn decide(
        &mut self,
        operation: &mut Operation,
        held: &mut u64,
        (outcome, retry_after_ns): (Outcome, Option<u64>),
    ) -> Decision {
        if operation.reason().is_some() {
            return operation.decide(outcome, retry_after_ns, self.now_ns, None);
        }
        self.tell(BudgetEvent::AttemptOver { held: *held });
        let decision = operation.decide(outcome, retry_after_ns, self.now_ns, None);
        match outcome {
            Outcome::Success => {
                self.tell(BudgetEvent::OperationSucceeded { held: *held });
            }
            Outcome::Permanent => {}
            _ => {
                self.tell(BudgetEvent::AttemptFailed);
            }
        }
        if let Decision::Wait { delay_ns } = decision {
            if let Some(granted) = self.tell(BudgetEvent::RetryRequested { outcome }) {
                *held = granted;
                return decision;
            }
            let reason = operation.refuse_retry(None);
            self.tell(BudgetEvent::OperationEnded);
            return Decision::Stop { reason, delay_ns };
        }
        self.tell(BudgetEvent::OperationEnded);
        decision
    }
}

#[test]
fn decisions_with_a_budget_that_is_kept_elsewhere() {
    for case in cases::<Script>("decisions") {
        let Some(budget) = case.budget else { continue };
        let state = BudgetState::full(&Budget::parse(budget).unwrap());
        let mut budget = Elsewhere { state, now_ns: 0 };
        let policy = Policy::parse(&case.policy).unwrap();
        let stream = stream(&case.seed, case.key.as_deref());
        let mut operations = BTreeMap::new();
        for (step_number, Step { operation: number_of_operation, action }) in
            case.steps.iter().enumerate()
        {
            let at = format!("{} step {step_number}", case.id);
            match action {
                Action::Begin { now, deadline } => {
                    budget.now_ns = number(now);
                    budget.tell(BudgetEvent::OperationBegan);
                    let deadline = deadline.as_deref().map(number);
                    let begun = Operation::begin(policy, stream, budget.now_ns, deadline, None);
                    operations.insert(*number_of_operation, (begun, 0));
                }
                Action::Outcome { now, outcome: name, retry_after, answer, retries } => {
                    budget.now_ns = number(now);
                    let (operation, held) = operations.get_mut(number_of_operation).unwrap();
                    let failure = (outcome(name), retry_after.as_deref().map(number));
                    let decision = budget.decide(operation, held, failure);
                    assert_eq!(decision, answer.decision(), "{at}");
                    assert_eq!(operation.retries(), *retries, "{at}");
                }
                Action::Cancel { answer, .. } => {
                    let (operation, held) = operations.get_mut(number_of_operation).unwrap();
                    let was_running = operation.reason().is_none();
                    let reason = operation.cancel(None);
                    if was_running {
                        budget.tell(BudgetEvent::AttemptOver { held: *held });
                        budget.tell(BudgetEvent::OperationEnded);
                    }
                    assert_eq!(Decision::Stop { reason, delay_ns: 0 }, answer.decision(), "{at}");
                }
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exchanges {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    budget: String,
    local: String,
    lease: u64,
    fallback: String,
    timeout: String,
    seed: String,
    steps: Vec<MemberStep>,
    stats: std::collections::BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct MemberStep {
    #[serde(rename = "do")]
    action: String,
    now: String,
    #[serde(default = "once")]
    times: u32,
    away: bool,
    due_in: Option<String>,
    unsent: bool,
    timeout: String,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

fn once() -> u32 {
    1
}

impl MemberStep {
    fn text(&self, name: &str) -> Option<&str> {
        self.rest[name].as_str()
    }

    fn is(&self, name: &str) -> bool {
        self.rest[name].as_bool().unwrap()
    }

    fn outcome(&self) -> Outcome {
        outcome(self.text("outcome").unwrap())
    }

    fn numbers(&self, name: &str) -> [u64; 3] {
        let texts = self.rest[name].as_array().unwrap();
        [0, 1, 2].map(|place: usize| number(texts[place].as_str().unwrap()))
    }
}

const RETRIED: [Outcome; 3] = [Outcome::Transient, Outcome::Throttled, Outcome::Timeout];

/// A step of an exchange as the vectors have it.
fn shown(step: ExchangeStep) -> serde_json::Value {
    let (outcome, held) = match step.event {
        BudgetEvent::RetryRequested { outcome } => (Some(outcome.name()), 0),
        BudgetEvent::OperationSucceeded { held } => (None, held),
        _ => (None, 0),
    };
    let event = backoff_core::ffi::budget_event_number(step.event) as usize - 1;
    serde_json::json!({
        "event": backoff_core::ffi::BUDGET_EVENTS[event],
        "outcome": outcome,
        "held": held.to_string(),
        "count": step.count.to_string(),
        "granted": step.granted.to_string(),
    })
}

#[test]
fn exchanges() {
    for case in cases::<Exchanges>("exchanges") {
        let [budget, local] = [&case.budget, &case.local].map(|text| Budget::parse(text).unwrap());
        let (timeout_ns, seed) = (number(&case.timeout), number(&case.seed));
        let fallback = Fallback::from_number(number(&case.fallback)).unwrap();
        let mut member = BudgetMember::new(&budget, &local, case.lease, fallback, timeout_ns, seed);
        for (place, step) in case.steps.iter().enumerate() {
            let at = format!("{} step {place}, {}", case.id, step.action);
            for _ in 0..step.times {
                play(&mut member, step, &at);
            }
            let now_ns = number(&step.now);
            assert_eq!(member.is_away(now_ns), step.away, "{at}: away");
            let due_in = step.due_in.as_deref().map(number);
            assert_eq!(member.due_in(now_ns), due_in, "{at}: due_in");
            assert_eq!(member.has_unsent(), step.unsent, "{at}: unsent");
            assert_eq!(member.timeout_ns(), number(&step.timeout), "{at}: timeout");
        }
        let stats = member.stats();
        let found = [
            ("exchanges", stats.exchanges),
            ("failed_exchanges", stats.failed_exchanges),
            ("lost_swaps", stats.lost_swaps),
            ("local_decisions", stats.local_decisions),
            ("processes", stats.processes),
        ];
        let found = found.map(|(name, count)| (name.to_owned(), count.to_string()));
        assert_eq!(case.stats, found.into(), "{}: stats", case.id);
    }
}

fn play(member: &mut BudgetMember, step: &MemberStep, at: &str) {
    let now_ns = number(&step.now);
    match step.action.as_str() {
        "note" => {
            let held = number(step.text("held").unwrap());
            let event = match step.text("event").unwrap() {
                "operation_began" => BudgetEvent::OperationBegan,
                "attempt_over" => BudgetEvent::AttemptOver { held },
                "attempt_failed" => BudgetEvent::AttemptFailed,
                "operation_succeeded" => BudgetEvent::OperationSucceeded { held },
                "operation_ended" => BudgetEvent::OperationEnded,
                "retry_requested" => BudgetEvent::RetryRequested { outcome: Outcome::Transient },
                name => panic!("{name}"),
            };
            member.note(event, step.is("local"), now_ns);
        }
        "request" => {
            let held = number(step.text("held").unwrap());
            let want = match step.text("answer").unwrap() {
                "granted" => MemberAnswer::Granted { held, is_local: step.is("local") },
                "refused" => MemberAnswer::Refused,
                "waits" => MemberAnswer::Waits,
                name => panic!("{name}"),
            };
            assert_eq!(member.request(step.outcome(), now_ns), want, "{at}");
        }
        "cancel" => member.cancel(step.outcome()),
        "begin" => member.begin(now_ns),
        "step" => {
            let text = step.text("text").map(str::as_bytes);
            let stepped = member.step(text, number(step.text("store_now").unwrap()));
            let after = stepped.map(|stepped| match stepped {
                SteppedState::Unchanged(state) => (state.to_string(), false),
                SteppedState::Changed(state) => (state.to_string(), true),
            });
            let want = step.text("after").map(|text| (text.to_owned(), step.is("changed")));
            assert_eq!(after, want, "{at}");
            if want.is_some() {
                let steps: Vec<_> = member.steps().map(shown).collect();
                assert_eq!(serde_json::json!(steps), step.rest["steps"], "{at}");
            }
        }
        "stored" => {
            let answers = member.stored(now_ns);
            let granted = RETRIED.map(|outcome| answers.granted(outcome));
            let refused = RETRIED.map(|outcome| answers.refused(outcome));
            let held = RETRIED.map(|outcome| answers.held(outcome));
            assert_eq!(granted, step.numbers("granted"), "{at}");
            assert_eq!(refused, step.numbers("refused"), "{at}");
            assert_eq!(held, step.numbers("held"), "{at}");
        }
        "lost" => assert_eq!(member.lost(now_ns), step.text("wait").map(number), "{at}"),
        "failed" => member.failed(step.is("stored"), now_ns),
        "late" => member.late(now_ns),
        name => panic!("{name}"),
    }
}
