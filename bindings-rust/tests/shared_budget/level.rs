//! What the store of a shared budget has left.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use backoff_retry::{BudgetLevel, Outcome, SharedBudget};
use serde_json::Value;

use crate::store::{Fault, Memory};
use crate::vectors::cases;
use crate::{builder, retry, run, shared};

#[test]
fn levels_are_those_of_the_vectors() {
    for case in cases::<Value>("budget_levels") {
        let text = case["budget"].as_str().unwrap();
        if text.starts_with("concurrent") {
            continue;
        }
        let store = Memory::default();
        let budget = shared(&store, text);
        let steps = case["steps"].as_array().unwrap().iter();
        for step in steps.filter(|step| step["do"] == "level") {
            let number = |name| step[name].as_str().unwrap().parse().unwrap();
            let state = step["state"].as_str().unwrap().to_owned();
            store.world().texts.insert(budget.key().to_owned(), state);
            store.world().now_ns = number("now");
            let [level, max, unit] = ["level", "max", "unit"].map(number);
            let expected = BudgetLevel { level, max, unit };
            assert_eq!(budget.level().unwrap(), expected, "{} {step}", case["id"]);
        }
        assert_eq!(store.calls().1, 0);
    }
}

#[test]
fn a_level_is_without_what_was_not_sent_and_may_fail() {
    let store = Memory::default();
    let budget = shared(&store, "quota:max_tokens=8,cost=5");
    let level = |level| BudgetLevel { level, max: 8, unit: 1 };
    assert_eq!(budget.level().unwrap(), level(8));
    let retry = retry("constant:base=0s").shared_budget(&budget);
    assert_eq!(run(&retry, &[Outcome::Transient]).attempts, 2);
    assert_eq!(budget.level().unwrap(), level(3)); // the success was not sent
    assert!(budget.flush());
    assert_eq!(budget.level().unwrap(), level(8));
    for (fault, message) in [
        (Fault::Load, "the load failed"),
        (Fault::Panic, "the store panicked: the store is broken"),
    ] {
        store.world().faults.push_back(fault);
        assert_eq!(budget.level().unwrap_err().to_string(), message);
    }
    store.world().texts.insert(budget.key().to_owned(), "what".to_owned());
    let message = budget.level().unwrap_err().to_string();
    assert!(message.ends_with(r#"the store has "what", which is not the state of this budget"#));
    assert!(budget.last_error().is_none());
}

/// The worker would wait for itself.
#[test]
fn a_hook_that_asks_for_the_level_gets_an_error() {
    let (store, (sender, receiver)) = (Memory::default(), channel());
    let own: Arc<Mutex<Option<SharedBudget>>> = Arc::default();
    let seen = Arc::clone(&own);
    let hook = move |_: &_| {
        let own = seen.lock().unwrap().clone();
        let _ = sender.send(own.unwrap().level().unwrap_err().to_string());
    };
    let budget = builder(&store, "quota").on_exchange(hook).build().unwrap();
    *own.lock().unwrap() = Some(budget.clone());
    let retry = retry("constant:base=0s").shared_budget(&budget);
    assert_eq!(run(&retry, &[Outcome::Transient]).attempts, 2);
    assert!(receiver.recv().unwrap().contains("in the hook"));
    own.lock().unwrap().take();
}
