//! What must hold in every order of the threads.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use backoff_core::{BudgetEvent, Outcome};
use shuttle::thread;

use crate::shared_budget::{Answer, SharedBudget, SharedBudgetBuilder, SwapOutcome};
use crate::store::Memory;
use crate::sync::{World, begin};

const TOKENS: u64 = 3;

/// A limit is much longer than the pauses between exchanges.
fn builder(store: &Memory) -> SharedBudgetBuilder {
    let builder = SharedBudget::builder(store.connect(), "test", "quota:max_tokens=3,cost=1");
    builder.timeout(Duration::from_secs(60))
}

/// A process of the fleet.
fn budget(store: &Memory) -> SharedBudget {
    builder(store).build().unwrap()
}

fn ask(budget: &SharedBudget) -> Answer {
    budget.request(Outcome::Transient).unwrap_or_else(crate::shared_budget::Ticket::wait)
}

/// Runs a test in many random orders, as many as `BACKOFF_ORDERS` says.
fn in_many_orders(world: World, test: impl Fn() + Send + Sync + 'static) {
    let orders = std::env::var("BACKOFF_ORDERS").map_or(300, |text| text.parse().unwrap());
    shuttle::check_random(
        move || {
            begin(world);
            test();
        },
        orders,
    );
}

/// Two processes, each with threads that ask at once. Nobody waits for ever, even if no limit is ever met; the store
/// grants what there is; the workers end with the last handle.
fn share(store: &Memory) -> Vec<Answer> {
    let threads: Vec<_> = (0..2)
        .flat_map(|_| {
            let budget = budget(store);
            [budget.clone(), budget].map(|budget| {
                thread::spawn(move || {
                    let answers = [ask(&budget), ask(&budget)];
                    budget.flush();
                    answers
                })
            })
        })
        .collect();
    let answers = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    store.wait_until_closed();
    answers
}

fn granted(answers: &[Answer], is_local: bool) -> u64 {
    answers.iter().filter(|answer| answer.granted.is_some() && answer.is_local == is_local).count()
        as u64
}

#[test]
fn without_limits_the_store_answers_all() {
    in_many_orders(World::default(), || {
        let store = Memory::default();
        let answers = share(&store);
        assert!(answers.iter().all(|answer| !answer.is_local), "{answers:?}");
        assert_eq!(granted(&answers, false), TOKENS);
        assert_eq!(store.left(), Some(0));
    });
}

#[test]
fn whatever_fails_the_store_grants_no_more_than_there_is() {
    for store in [Memory::default, Memory::that_fails] {
        in_many_orders(World { limits_are_met: true, ..World::default() }, move || {
            let store = store();
            let answers = share(&store);
            assert!(
                granted(&answers, false) <= TOKENS - store.left().unwrap_or(TOKENS),
                "{answers:?}"
            );
        });
    }
}

#[test]
fn futures_are_woken_and_may_be_dropped() {
    in_many_orders(World::default(), || {
        let store = Memory::default();
        let budget = budget(&store);
        let dropped = budget.clone();
        let other = thread::spawn(move || {
            if let Err(ticket) = dropped.request(Outcome::Throttled) {
                let _ = pin!(ticket).poll(&mut Context::from_waker(Waker::noop()));
            }
        });
        let answer = match budget.request(Outcome::Transient) {
            Ok(answer) => answer,
            Err(ticket) => shuttle::future::block_on(ticket),
        };
        assert!(!answer.is_local && answer.granted.is_some(), "{answer:?}");
        other.join().unwrap();
        drop(budget);
        store.wait_until_closed();
    });
}

/// What a flush says is so: an exchange has told the store what was noted before, and the hook has heard of it.
#[test]
fn a_flush_that_says_so_has_stored() {
    for limits_are_met in [false, true] {
        in_many_orders(World { limits_are_met, ..World::default() }, move || {
            let store = if limits_are_met { Memory::that_fails() } else { Memory::default() };
            let told = Arc::new(AtomicU64::new(0));
            let heard = Arc::clone(&told);
            let builder = builder(&store).on_exchange(move |exchange| {
                let failures =
                    exchange.steps.iter().filter(|step| step.event == BudgetEvent::AttemptFailed);
                let count: u64 = failures.map(|step| step.count).sum();
                // What may have been told is not told again.
                if exchange.error.is_none() || exchange.stored == SwapOutcome::Unknown {
                    heard.fetch_add(count, Ordering::Relaxed);
                }
            });
            let budget = builder.build().unwrap();
            let threads = [(), ()].map(|()| {
                let budget = budget.clone();
                thread::spawn(move || {
                    budget.note(BudgetEvent::AttemptFailed);
                    let is_stored = budget.flush();
                    assert!(limits_are_met || is_stored);
                    u64::from(is_stored)
                })
            });
            let stored: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
            let told = told.load(Ordering::Relaxed);
            assert!(told >= stored, "{told} of {stored}");
            drop(budget);
            store.wait_until_closed();
        });
    }
}

/// The planted fault: a notification that nobody hears.
#[test]
#[should_panic(expected = "deadlock")]
fn a_lost_wakeup_is_found() {
    in_many_orders(World { is_deaf: true, ..World::default() }, || {
        share(&Memory::default());
    });
}
