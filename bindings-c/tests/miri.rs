//! The exported functions, called with what C passes, for Miri (`cargo xtask harden miri`): buffers that end where C said,
//! structs that are aligned to 8 bytes and hold garbage, pointers that threads share, and callbacks that use the same
//! values. What the functions answer is tested in C; these tests have few expectations of it.

use core::ffi::{c_char, c_void};
use core::ptr;
use std::string::String;
use std::vec::Vec;
use std::{thread, vec};

use crate::*;

/// Memory of a struct of C, full of a byte.
fn full_of<T: Copy>(byte: u8) -> T {
    let mut memory = core::mem::MaybeUninit::<T>::uninit();
    // SAFETY: the structs of C hold integers, pointers and optional functions; 0 is a value of all, and no test
    // fills one of the last two with another byte.
    unsafe {
        memory.as_mut_ptr().write_bytes(byte, 1);
        memory.assume_init()
    }
}

fn zeroed<T: Copy>() -> T {
    full_of(0)
}

/// A text of C: bytes that end in their memory where the length says.
fn with<R>(text: &str, call: impl FnOnce(*const c_char, u64) -> R) -> R {
    let bytes = text.as_bytes().to_vec().into_boxed_slice();
    call(bytes.as_ptr().cast(), bytes.len() as u64)
}

fn policy(text: &str) -> backoff_policy {
    let mut policy = full_of(0xaa);
    let code = with(text, |text, length| unsafe {
        backoff_policy_parse(&raw mut policy, text, length, ptr::null_mut())
    });
    assert_eq!(code, BACKOFF_OK);
    policy
}

fn budget(text: &str) -> backoff_budget {
    let mut budget = full_of(0xaa);
    let code = with(text, |text, length| unsafe {
        backoff_budget_parse(&raw mut budget, text, length, ptr::null_mut())
    });
    assert_eq!(code, BACKOFF_OK);
    budget
}

/// Prints into memory of each size around that of the text, and returns the text.
fn printed(print: impl Fn(*mut c_char, u64, *mut u64) -> u32) -> String {
    let mut length = 0;
    let _ = print(ptr::null_mut(), 0, &raw mut length);
    let needed = usize::try_from(length).unwrap() + 1;
    let mut text = Vec::new();
    for size in [0, 1, needed / 2, needed - 1, needed, needed + 1] {
        text = vec![0xff_u8; size].into_boxed_slice().into_vec();
        let code = print(text.as_mut_ptr().cast(), size as u64, ptr::null_mut());
        assert_eq!(code == BACKOFF_OK, size >= needed, "{size} of {needed}");
    }
    text.truncate(needed - 1);
    String::from_utf8(text).unwrap()
}

#[test]
fn texts_end_where_their_length_says() {
    for text in [
        "",
        "d",
        "default",
        "full:base=1s,cap=1m",
        "full:base=",
        "steps:waits=1s/2s/3s",
        "é:\u{1f600}=",
    ] {
        let mut error: backoff_error = full_of(0xff);
        let mut made: backoff_policy = full_of(0xff);
        let code = with(text, |text, length| unsafe {
            backoff_policy_parse(&raw mut made, text, length, &raw mut error)
        });
        if code == BACKOFF_OK {
            let again = printed(|buffer, size, length| unsafe {
                backoff_policy_print(&raw const made, buffer, size, length)
            });
            assert!(!again.is_empty());
        } else {
            let message = printed(|buffer, size, length| unsafe {
                backoff_error_message(&raw const error, buffer, size, length)
            });
            assert!(!message.is_empty());
        }
        with(text, |text, length| unsafe {
            let (mut number, mut terms) = (0, [0_u32; 2]);
            let at = terms.as_mut_ptr();
            let _ = backoff_duration_parse(text, length, &raw mut number);
            let _ = backoff_parse_retry_after(text, length, 0, &raw mut number);
            let _ = backoff_http_retry_after(503, text, length, 0, &raw mut number);
            let _ = backoff_ratio_parse(text, length, at, at.add(1));
            let _ = backoff_stream_from_key(1, text.cast(), length, &raw mut number);
            let _ = backoff_constant(text, length, &raw mut number);
            let _ = backoff_is_idempotent_method(text, length);
            let _ = backoff_outcome_from_name(text, length);
            let _ = backoff_reason_from_name(text, length);
        });
    }
    // No text has no memory.
    let mut made: backoff_policy = zeroed();
    let none = ptr::null();
    let code = unsafe { backoff_policy_parse(&raw mut made, none, 0, ptr::null_mut()) };
    assert_ne!(code, BACKOFF_OK);
    assert_eq!(
        unsafe { backoff_policy_parse(&raw mut made, none, 1, ptr::null_mut()) },
        BACKOFF_ERROR_NULL_POINTER
    );
}

#[test]
fn structs_may_hold_garbage() {
    for byte in [0, 1, 0x7f, 0xff] {
        let (mut a, mut b, mut c) = (0, 0, 0);
        let mut code = 0_u32;
        let garbage: backoff_policy = full_of(byte);
        let mut operation: backoff_operation = full_of(byte);
        let (mut shared, mut stats): (backoff_budget, backoff_stats) =
            (full_of(byte), full_of(byte));
        let mut member: backoff_budget_member = full_of(byte);
        let mut decision: backoff_decision = full_of(byte);
        unsafe {
            for given in [
                backoff_policy_max_retries(&raw const garbage, &raw mut a),
                backoff_policy_delay_ns(&raw const garbage, 1, 1, &raw mut a),
                backoff_operation_decide(
                    &raw mut operation,
                    2,
                    0,
                    0,
                    &raw mut shared,
                    &raw mut decision,
                ),
                backoff_operation_state(
                    &raw const operation,
                    &raw mut a,
                    &raw mut b,
                    &raw mut code,
                ),
                backoff_stats_record(&raw mut stats, 1, 1),
                backoff_budget_member_cancel(&raw mut member, 2),
                backoff_budget_member_begin(&raw mut member, 0),
                backoff_stats_bucket(&raw mut stats, 0, &raw mut b, &raw mut c),
            ] {
                assert_eq!(given, BACKOFF_ERROR_UNINITIALIZED);
            }
        }
    }
    // Behind the number that says what they are, any bytes are a value.
    for byte in [1, 0x7f, 0xff] {
        let (mut made, mut shared) = (policy("full:base=1s"), budget("quota"));
        let (mut operation, mut decision) = (zeroed::<backoff_operation>(), zeroed());
        let _ = unsafe {
            backoff_operation_begin(
                &raw mut operation,
                &raw const made,
                1,
                0,
                BACKOFF_NO_TIME,
                ptr::null_mut(),
            )
        };
        unsafe {
            for (at, size) in [
                ((&raw mut made).cast::<u8>(), size_of::<backoff_policy>()),
                ((&raw mut shared).cast::<u8>(), size_of::<backoff_budget>()),
                ((&raw mut operation).cast::<u8>(), size_of::<backoff_operation>()),
            ] {
                at.add(8).write_bytes(byte, size - 8);
            }
            let mut delay = 0;
            let _ = backoff_policy_delay_ns(&raw const made, 1, u32::MAX, &raw mut delay);
            let _ = printed_or_not(&raw const made);
            for outcome in 0..7 {
                let (shared, decision) = (&raw mut shared, &raw mut decision);
                let _ = backoff_operation_decide(
                    &raw mut operation,
                    outcome,
                    u64::MAX,
                    1,
                    shared,
                    decision,
                );
            }
        }
    }
}

unsafe fn printed_or_not(policy: *const backoff_policy) -> u32 {
    let (mut text, mut length) = ([0_u8; BACKOFF_TEXT_SIZE as usize], 0);
    // SAFETY: the caller promises the policy.
    unsafe {
        backoff_policy_print(policy, text.as_mut_ptr().cast(), text.len() as u64, &raw mut length)
    }
}

#[test]
fn batches_write_what_they_were_given() {
    let made = policy("decorrelated:base=1ms,max_retries=6");
    for count in 0..8_usize {
        let (mut delays, mut written) = (vec![0; count].into_boxed_slice(), u64::MAX);
        let code = unsafe {
            backoff_policy_fill_ns(
                &raw const made,
                1,
                0,
                delays.as_mut_ptr(),
                count as u64,
                &raw mut written,
            )
        };
        assert_eq!((code, written), (BACKOFF_OK, count as u64));
        let mut waits = vec![0; count].into_boxed_slice();
        let steps = policy("steps:waits=1s/2s/3s");
        let (steps, size) = (&raw const steps, count as u64);
        let _ =
            unsafe { backoff_policy_get_waits(steps, waits.as_mut_ptr(), size, &raw mut written) };
        assert_eq!(written, 3);
    }
    let (mut iter, mut preview) = (full_of::<backoff_iter>(0xee), full_of::<backoff_preview>(0xee));
    unsafe {
        assert_eq!(backoff_iter_init(&raw mut iter, &raw const made, 7), BACKOFF_OK);
        assert_eq!(backoff_preview_init(&raw mut preview, &raw const made), BACKOFF_OK);
        let (mut delay, mut row) = (0, full_of(0xee));
        while backoff_iter_next_ns(&raw mut iter, &raw mut delay) == BACKOFF_OK {}
        while backoff_preview_next(&raw mut preview, &raw mut row) == BACKOFF_OK {}
    }
}

/// What the callbacks of a loop may use while it runs.
struct Context {
    policy: backoff_policy,
    budget: backoff_budget,
    stats: backoff_stats,
    calls: u64,
}

impl Context {
    fn new(shared: &str) -> Self {
        let mut stats = full_of(0x55);
        assert_eq!(unsafe { backoff_stats_init(&raw mut stats) }, BACKOFF_OK);
        Self {
            policy: policy("full:base=1s,max_retries=3"),
            budget: budget(shared),
            stats,
            calls: 0,
        }
    }
}

unsafe extern "C" fn attempt(context: *mut c_void, retry_after_ns: *mut u64) -> u32 {
    let context = context.cast::<Context>();
    // SAFETY: `run` passes a context.
    unsafe {
        let (mut delay, mut level) = (0, zeroed());
        (*context).calls += 1;
        let _ = backoff_policy_delay_ns(&raw const (*context).policy, 1, 1, &raw mut delay);
        let _ = backoff_budget_get_level(&raw mut (*context).budget, 0, &raw mut level);
        let _ = backoff_stats_record(&raw mut (*context).stats, 1, 1);
        assert_eq!(*retry_after_ns, BACKOFF_NO_TIME);
        *retry_after_ns = 5;
        (2 + (*context).calls % 3).try_into().unwrap()
    }
}

unsafe extern "C" fn now(_: *mut c_void) -> u64 {
    0
}

unsafe extern "C" fn wait(_: *mut c_void, _: u64) -> u32 {
    0
}

unsafe extern "C" fn hook(context: *mut c_void, event: *const backoff_loop_event) {
    // SAFETY: the loop passes an event.
    unsafe {
        assert!((*event).attempts > 0);
        // A loop in a loop, over the same values.
        if (*event).reason == 0 && (*context.cast::<Context>()).calls < 3 {
            run(context.cast());
        }
    }
}

unsafe fn run(context: *mut Context) {
    // SAFETY: the caller promises the context.
    unsafe {
        let looped = backoff_loop {
            attempt: Some(attempt),
            now: Some(now),
            wait: Some(wait),
            on_retry: Some(hook),
            on_stop: Some(hook),
            policy: &raw const (*context).policy,
            budget: &raw mut (*context).budget,
            stats: &raw mut (*context).stats,
            ..zeroed()
        };
        let mut end: backoff_loop_event = full_of(0xff);
        let code = backoff_retry(&raw const looped, 1, context.cast(), &raw mut end);
        assert_eq!(code, BACKOFF_OK);
        assert!(end.reason > 0);
    }
}

#[test]
fn callbacks_use_what_the_loop_uses() {
    let mut context = Context::new("quota:max_tokens=50,cost=1");
    unsafe { run(&raw mut context) };
    assert!(context.calls > 4);
}

/// A pointer of C, which may be anywhere.
struct Shared<T>(*mut T);
// SAFETY: the functions that the threads call let them share these structs.
unsafe impl<T> Send for Shared<T> {}

#[test]
fn threads_share_budgets_and_stats() {
    const THREADS: u64 = 3;
    for text in ["ratio:max_tokens=4,ratio=0.5", "concurrent:min_concurrent=1", "ttl"] {
        let mut context = Context::new(text);
        let made = context.policy;
        let (shared, stats) = (&raw mut context.budget, &raw mut context.stats);
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let (shared, stats) = (Shared(shared), Shared(stats));
                thread::spawn(move || unsafe { operate(made, { shared }.0, { stats }.0) })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        let mut counts = zeroed();
        let _ = unsafe { backoff_stats_read(stats, &raw mut counts) };
        assert_eq!((counts.operations, counts.attempts), (3 * THREADS, 6 * THREADS));
    }
}

unsafe fn operate(policy: backoff_policy, budget: *mut backoff_budget, stats: *mut backoff_stats) {
    let (mut operation, mut decision) = (full_of::<backoff_operation>(0x33), zeroed());
    // SAFETY: the caller promises what the threads share.
    unsafe {
        let (begun, made) = (&raw mut operation, &raw const policy);
        assert_eq!(backoff_operation_begin(begun, made, 1, 0, BACKOFF_NO_TIME, budget), BACKOFF_OK);
        for outcome in [2, 3, 1] {
            let decided = &raw mut decision;
            assert_eq!(backoff_operation_decide(begun, outcome, 0, 0, budget, decided), BACKOFF_OK);
            let _ = backoff_stats_record(stats, 2, 1);
            let mut level = zeroed();
            assert_eq!(backoff_budget_get_level(budget, 0, &raw mut level), BACKOFF_OK);
        }
    }
}

#[test]
fn a_member_writes_texts_into_memory_of_the_caller() {
    // The library locks it, although a pointer to it is const.
    let mut shared = budget("ratio");
    let mut member: backoff_budget_member = full_of(0x77);
    let (mut answer, mut answers, mut step) = (zeroed(), zeroed(), zeroed());
    let of = &raw mut member;
    unsafe {
        let shared = (&raw mut shared).cast_const();
        assert_eq!(backoff_budget_member_init(of, shared, shared, 3, 0, 1_000_000, 1), BACKOFF_OK);
        assert_eq!(backoff_budget_member_request(of, 2, 0, &raw mut answer), BACKOFF_OK);
        assert_eq!(backoff_budget_member_begin(of, 0), BACKOFF_OK);
        for text in ["", "0 100", "0 100 | 1 2", "\u{1f600}"] {
            for size in [0, 1, 5, BACKOFF_TEXT_SIZE as usize] {
                let mut buffer = vec![0xff_u8; size].into_boxed_slice();
                let (mut length, mut changed) = (0, 0);
                let _ = with(text, |text, text_length| {
                    backoff_budget_member_step(
                        of,
                        text,
                        text_length,
                        1,
                        buffer.as_mut_ptr().cast(),
                        size as u64,
                        &raw mut length,
                        &raw mut changed,
                    )
                });
            }
        }
        for index in 0..3 {
            let _ = backoff_budget_member_exchange_step(of, index, &raw mut step);
        }
        let _ = backoff_budget_member_stored(of, 1, &raw mut answers);
        let _ = backoff_budget_member_failed(of, 1, 2);
        let _ = backoff_budget_member_late(of, 2);
    }
}
