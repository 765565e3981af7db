//! Any sequence of calls of libbackoff with memory that has anything in it: it stays within the memory that it was
//! given. The fuzzer's sanitizer sees when it does not.

use std::ffi::{c_char, c_int, c_void};

use backoff::*;

/// Checks one input of the fuzzer: the calls. The first byte of a call is the number of the function; the rest are
/// its arguments, as [`Memory`] reads them.
pub(crate) fn check(bytes: &[u8]) {
    let mut memory = Memory {
        slots: std::array::from_fn(|_| Box::new([0; WORDS])),
        taken: 0,
        length: 0,
        input: bytes,
    };
    while !memory.input.is_empty() {
        memory.taken = 0;
        let number = usize::from(memory.byte());
        CALLS[number % CALLS.len()](&mut memory);
    }
}

/// The number of words in the largest struct.
const WORDS: usize = 128;

/// What a C program would have: places for structs and texts, of which a call uses each for one pointer. A pointer is as
/// near to the end of its place as what it points to allows, so that the sanitizer sees what is beyond.
struct Memory<'a> {
    slots: [Box<[u64; WORDS]>; 8],
    /// The places that this call uses, as bits.
    taken: u8,
    /// The length that belongs to the last pointer to bytes or words.
    length: usize,
    input: &'a [u8],
}

impl Memory<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.input.split_first() else { return 0 };
        self.input = rest;
        byte
    }

    /// The last bytes of a place, or NULL.
    fn place(&mut self, size: usize) -> *mut u8 {
        let wanted = self.byte();
        let free = |place: &usize| self.taken & 1 << place == 0;
        let place = (0..8).map(|step| (usize::from(wanted) + step) % 8).find(free);
        let Some(place) = place.filter(|_| wanted < 240) else { return std::ptr::null_mut() };
        self.taken |= 1 << place;
        let slot = self.slots[place].as_mut_ptr().cast::<u8>();
        slot.wrapping_add(8 * WORDS - size)
    }

    fn at<T>(&mut self) -> *mut T {
        const { assert!(size_of::<T>() <= 8 * WORDS) };
        self.place(size_of::<T>().next_multiple_of(align_of::<T>())).cast()
    }

    fn text(&mut self) -> *mut c_char {
        let length = usize::from(self.byte());
        self.length = if length < 192 { length } else { (length - 192) * 16 };
        self.place(self.length).cast()
    }

    fn key(&mut self) -> *const c_void {
        self.text().cast()
    }

    fn words(&mut self) -> *mut u64 {
        self.length = usize::from(self.byte() % 128);
        self.place(8 * self.length).cast()
    }

    fn length(&mut self) -> u64 {
        self.length as u64
    }

    /// Small numbers, and those around powers of two.
    fn word(&mut self) -> u64 {
        match self.byte() {
            small @ 0..64 => small.into(),
            power @ 64..128 => 1 << (power - 64),
            power @ 128..192 => (1 << (power - 128)) - 1,
            large => u64::MAX - u64::from(255 - large),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "any number will do")]
    fn half(&mut self) -> u32 {
        self.word() as u32
    }
}

macro_rules! calls {
    ($($name:ident($($argument:ident),*))*) => {
        [write, retry, $(|memory| {
            #[allow(unused_unsafe, reason = "some functions take no pointers")]
            // SAFETY: every pointer is NULL or points to as much memory as the function may use.
            let _ = unsafe { $name($(memory.$argument()),*) };
        }),*]
    };
}

/// All functions whose arguments are numbers and pointers to numbers.
const CALLS: &[fn(&mut Memory)] = &calls! {
    backoff_field_name(half)
    backoff_kind_name(half, word)
    backoff_params_set(at, half, word)
    backoff_params_set_ratio(at, half, half, half)
    backoff_params_set_waits(at, words, length)
    backoff_ratio_parse(text, length, at, at)
    backoff_duration_parse(text, length, at)
    backoff_policy_init(at, at, at)
    backoff_policy_parse(at, text, length, at)
    backoff_policy_print(at, text, length, at)
    backoff_policy_get(at, half, at)
    backoff_policy_get_ratio(at, half, at, at)
    backoff_policy_get_waits(at, words, length, at)
    backoff_policy_max_retries(at, at)
    backoff_policy_change_text(at, text, length, at, at)
    backoff_policy_change(at, half, word, at, at)
    backoff_policy_change_ratio(at, half, half, half, at, at)
    backoff_stream_from_key(word, key, length, at)
    backoff_stream_from_entropy(at)
    backoff_stream_nth(word, word, at)
    backoff_policy_delay_ns(at, word, half, at)
    backoff_policy_window_ns(at, half, at)
    backoff_policy_fill_ns(at, word, half, words, length, at)
    backoff_iter_init(at, at, word)
    backoff_iter_next_ns(at, at)
    backoff_iter_reset(at)
    backoff_iter_index(at, at, at)
    backoff_preview_init(at, at)
    backoff_preview_next(at, at)
    backoff_policy_fit_base(at, word, word, at, at)
    backoff_policy_fit_cap(at, word, word, at, at)
    backoff_outcome_name(half)
    backoff_reason_name(half)
    backoff_outcome_from_name(text, length)
    backoff_reason_from_name(text, length)
    backoff_operation_begin(at, at, word, word, word, at)
    backoff_operation_resume(at, at, word, word, word, word)
    backoff_operation_decide(at, half, word, word, at, at)
    backoff_operation_decide_with_delay(at, half, word, word, word, at, at)
    backoff_operation_attempt_limit(at, word, at)
    backoff_operation_time_left(at, word, at)
    backoff_operation_retry_index(at, word, at)
    backoff_operation_refuse_retry(at, at, at)
    backoff_operation_cancel(at, at, at)
    backoff_operation_state(at, at, at, at)
    backoff_budget_parse(at, text, length, at)
    backoff_budget_print(at, text, length, at)
    backoff_budget_get(at, half, at)
    backoff_budget_get_ratio(at, half, at, at)
    backoff_budget_get_level(at, word, at)
    backoff_http_outcome(half)
    backoff_is_idempotent_method(text, length)
    backoff_parse_retry_after(text, length, word, at)
    backoff_http_retry_after(half, text, length, word, at)
    backoff_stats_init(at)
    backoff_stats_record(at, word, half)
    backoff_stats_merge(at, at)
    backoff_stats_read(at, at)
    backoff_stats_stopped(at, half, at)
    backoff_stats_bucket(at, word, at, at)
    backoff_stats_print(at, text, length, at)
    backoff_error_message(at, text, length, at)
    backoff_code_name(half)
    backoff_budget_state_full(at, at)
    backoff_budget_state_parse(at, at, text, length)
    backoff_budget_state_print(at, text, length, at)
    backoff_budget_state_step(at, at, word, at)
    backoff_budget_event_name(half)
    backoff_budget_member_init(at, at, at, word, word, word, word)
    backoff_budget_member_note(at, at, half, word)
    backoff_budget_member_request(at, half, word, at)
    backoff_budget_member_cancel(at, half)
    backoff_budget_member_state(at, word, at, at, at, at)
    backoff_budget_member_stats(at, at)
    backoff_budget_member_get_level(at, text, length, word, at)
    backoff_budget_member_begin(at, word)
    backoff_budget_member_step(at, text, length, word, text, length, at, at)
    backoff_budget_member_exchange_step(at, word, at)
    backoff_budget_member_stored(at, word, at)
    backoff_budget_member_lost(at, word, at)
    backoff_budget_member_failed(at, half, word)
    backoff_budget_member_late(at, word)
    backoff_constant(text, length, at)
    backoff_constant_at(word, at, at)
    backoff_stream_draw(word, half)
    backoff_stream_advance(word, word)
    backoff_error_message_with(at, text, length, text, length, at)
};

/// What a program writes into its memory.
fn write(memory: &mut Memory) {
    let length = usize::from(memory.byte());
    let to = memory.place(length);
    if !to.is_null() {
        for at in 0..length {
            // SAFETY: the buffer has this many bytes.
            unsafe { to.add(at).write(memory.byte()) };
        }
    }
}

/// The loop, whose functions answer with anything.
fn retry(memory: &mut Memory) {
    extern "C" fn attempt(context: *mut c_void, retry_after_ns: *mut u64) -> u32 {
        // SAFETY: the context is the memory, and libbackoff passes a place for a time.
        unsafe {
            let memory = &mut *context.cast::<Memory>();
            retry_after_ns.write(memory.word());
            u32::from(memory.byte())
        }
    }
    extern "C" fn now(context: *mut c_void) -> u64 {
        // SAFETY: the context is the memory.
        unsafe { (*context.cast::<Memory>()).word() }
    }
    extern "C" fn wait(context: *mut c_void, _: u64) -> u32 {
        now(context).is_multiple_of(2).into()
    }
    let end = memory.at();
    let stream = memory.word();
    // SAFETY: a loop may be all zeros.
    let mut r#loop: backoff_loop = unsafe { std::mem::zeroed() };
    r#loop.attempt = Some(attempt);
    r#loop.now = Some(now);
    r#loop.wait = Some(wait);
    r#loop.policy = memory.at();
    r#loop.budget = memory.at();
    r#loop.stats = memory.at();
    r#loop.deadline_ns = memory.word();
    // SAFETY: every pointer is NULL or points to as much memory as the function may use.
    let _ = unsafe { backoff_retry(&r#loop, stream, std::ptr::from_mut(memory).cast(), end) };
}

/// What libbackoff calls while another thread holds a lock. None does here, so the wait is in vain.
#[unsafe(no_mangle)]
extern "C" fn sched_yield() -> c_int {
    0
}

/// As for `sched_yield`.
#[unsafe(no_mangle)]
extern "C" fn nanosleep(_: *const c_void, _: *mut c_void) -> c_int {
    0
}
