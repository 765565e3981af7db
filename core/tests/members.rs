//! Limits of a member of a shared budget that are too large for the vectors, which evaluators of every
//! language must answer.

use backoff_core::{
    Budget, BudgetEvent, BudgetMember, ExchangeStep, Fallback, MemberAnswer, Outcome,
};

const MOST: u64 = 1_000_000;

fn member() -> BudgetMember {
    let budget = Budget::parse("throttle").unwrap();
    BudgetMember::new(&budget, &budget, 1, Fallback::Share, 1_000_000_000, 42)
}

#[test]
fn no_more_than_a_million_requests_wait_after_an_outcome() {
    let mut member = member();
    for _ in 0..MOST {
        assert_eq!(member.request(Outcome::Transient, 0), MemberAnswer::Waits);
    }
    assert_eq!(member.request(Outcome::Transient, 0), MemberAnswer::Refused);
    assert_eq!(member.request(Outcome::Timeout, 0), MemberAnswer::Waits);
    member.cancel(Outcome::Transient);
    assert_eq!(member.request(Outcome::Transient, 0), MemberAnswer::Waits);
    assert_eq!(member.request(Outcome::Transient, 0), MemberAnswer::Refused);
}

#[test]
fn no_more_than_a_million_events_are_counted() {
    let mut member = member();
    let event = BudgetEvent::AttemptFailed;
    for _ in 0..=MOST {
        member.note(event, false, 0);
    }
    member.begin(0);
    member.step(None, 0);
    let counted = ExchangeStep { event, count: MOST, granted: 0 };
    assert_eq!(member.steps().collect::<Vec<_>>(), [counted]);
    // Nor with those that were sent before.
    member.note(event, false, 0);
    member.step(None, 0);
    assert_eq!(member.steps().collect::<Vec<_>>(), [counted]);
}

/// The store has counted a cancelled request that was granted.
#[test]
fn a_cancelled_request_stays_in_the_steps_of_its_exchange() {
    let budget = Budget::parse("quota").unwrap();
    let mut member = BudgetMember::new(&budget, &budget, 1, Fallback::Share, 1_000_000_000, 42);
    for _ in 0..2 {
        assert_eq!(member.request(Outcome::Transient, 0), MemberAnswer::Waits);
    }
    member.begin(0);
    member.step(None, 0);
    member.cancel(Outcome::Transient);
    let event = BudgetEvent::RetryRequested { outcome: Outcome::Transient };
    let both = ExchangeStep { event, count: 2, granted: 2 };
    assert_eq!(member.steps().collect::<Vec<_>>(), [both]);
}
