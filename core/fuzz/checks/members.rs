//! Any sequence of what a process does with a member of a shared budget, and any texts of its store: no more requests
//! are answered than wait, what an exchange makes of a text is a text again, and the store is away when it must be.

use backoff_core::{
    Budget, BudgetMember, BudgetState, Fallback, MemberAnswer, Outcome, SteppedState, ffi,
};

const RETRIED: [Outcome; 3] = [Outcome::Transient, Outcome::Throttled, Outcome::Timeout];

/// Whether the exchange under way has made steps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exchange {
    None,
    Begun,
    Stepped,
}

/// Checks one input of the fuzzer: the shared and the local budget, a text that the store holds at first, and the
/// steps, separated by line feeds. A step is four bytes: the action, its argument, the time that passes, and the
/// lease, the fallback or how often. The first step has those of the member, and its timeout and seed.
pub(crate) fn check(bytes: &[u8]) {
    let mut parts = bytes.splitn(4, |&byte| byte == b'\n');
    let mut part = || parts.next().unwrap_or_default();
    let (Ok(budget), Ok(local)) = (Budget::parse(part()), Budget::parse(part())) else { return };
    let mut text = Some(part().to_vec()).filter(|text| !text.is_empty());
    let mut steps = part().chunks_exact(4);
    let Some(&[seed, fallback, timeout, lease]) = steps.next() else { return };
    let timeout_ns = 1 << (timeout % 64);
    let fallback = Fallback::from_number(fallback.into()).unwrap_or(Fallback::Refuse);
    let mut member =
        BudgetMember::new(&budget, &local, lease.into(), fallback, timeout_ns, seed.into());
    let (mut now, mut exchange, mut after) = (0_u64, Exchange::None, text.clone());
    // At least as many as wait: a store that goes away when an exchange ends is not seen here.
    let mut waiting = [0_u64; 3];
    for step in steps {
        let [action, argument, passed, more] = *step else { unreachable!() };
        now = now.saturating_add((1 << (passed % 64)) - 1);
        let store_ns = now.wrapping_mul(more.into());
        let outcome = ffi::outcome_from_number(u32::from(argument % 6)).unwrap_or(Outcome::Timeout);
        let place = RETRIED.iter().position(|&retried| retried == outcome);
        match (action % 9, exchange) {
            (0, _) => {
                let event = ffi::budget_event(u32::from(argument % 7), outcome, more.into());
                if let Some(event) = event {
                    member.note(event, argument > 127, now);
                }
            }
            (1, _) => {
                let was_away = member.is_away(now);
                let answer = member.request(outcome, now);
                assert!(answer != MemberAnswer::Waits || !was_away && place.is_some());
                if let (MemberAnswer::Waits, Some(place)) = (answer, place) {
                    waiting[place] += 1;
                }
            }
            (2, _) => {
                member.cancel(outcome);
                if let Some(place) = place {
                    waiting[place] = waiting[place].saturating_sub(1);
                }
            }
            (3, _) => {
                member.late(now);
                waiting = [0; 3];
                assert!(member.is_away(now) || now == u64::MAX);
            }
            (4 | 5, Exchange::None) => {
                member.begin(now);
                exchange = Exchange::Begun;
            }
            (4, _) => {
                let stepped = member.step(text.as_deref(), store_ns);
                exchange = if stepped.is_some() { Exchange::Stepped } else { Exchange::Begun };
                after = stepped.map(|stepped| check_stepped(&budget, &member, stepped)).or(after);
            }
            (5, Exchange::Stepped) => {
                let answers = member.stored(now);
                exchange = Exchange::None;
                for (waiting, outcome) in waiting.iter_mut().zip(RETRIED) {
                    let answered = answers.granted(outcome) + answers.refused(outcome);
                    assert!(answered <= *waiting, "{answers:?}");
                    *waiting -= answered;
                }
                text.clone_from(&after);
            }
            (6, Exchange::Begun | Exchange::Stepped) => {
                assert!(member.lost(now).is_none_or(|wait| wait <= 16_000_000));
                exchange = Exchange::Begun;
            }
            (7, Exchange::Begun | Exchange::Stepped) => {
                member.failed(argument > 127, now);
                (exchange, waiting) = (Exchange::None, [0; 3]);
                assert!(member.is_away(now) || now == u64::MAX);
            }
            // Another program writes to the store.
            (8, _) => {
                if let Some(byte) = text.as_mut().and_then(|text| text.get_mut(usize::from(more))) {
                    *byte = argument;
                }
            }
            _ => {}
        }
        assert!(member.has_unsent() || exchange == Exchange::None);
        // The pause between exchanges is at most a third of the timeout.
        assert!(member.due_in(now).is_none_or(|wait| wait <= timeout_ns / 3));
    }
    // Once, and not after each step: it would take half of the time.
    assert_eq!(ffi::member_from_words(&ffi::member_to_words(&member)), member);
}

/// The text after the steps of an exchange, which another process can read.
fn check_stepped(budget: &Budget, member: &BudgetMember, stepped: SteppedState) -> Vec<u8> {
    let (SteppedState::Changed(after) | SteppedState::Unchanged(after)) = stepped;
    let text = after.to_string().into_bytes();
    assert!(text.len() < ffi::TEXT_CAPACITY);
    assert_eq!(BudgetState::parse(budget, after.state().text().as_str()), Some(*after.state()));
    let mut other = *member;
    assert!(other.step(Some(&text), 0).is_some(), "{after}");
    for step in member.steps() {
        assert!(step.count > 0 && step.granted <= step.count, "{step:?}");
    }
    text
}
