//! The time of an event in several queues, in the pattern of the model `occ`: the next event is
//! taken out, and another one put in after a message or a wait. Run `cargo bench -p backoff-sim
//! --bench queues`.

#![allow(
    clippy::cast_lossless,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "measured times"
)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Instant;

#[path = "../src/events.rs"]
#[allow(dead_code, unused_imports, reason = "the simulator's own, with its tests")]
mod events;

/// A queue of events, which are ordered as numbers: the time in the upper 64 bits.
trait Queue: Default {
    const NAME: &str;
    fn push(&mut self, event: u128);
    fn pop(&mut self) -> Option<u128>;
    /// Takes out the next event and puts in another one, which `following` makes of it.
    fn replace(&mut self, following: impl FnOnce(u128) -> u128) {
        if let Some(event) = self.pop() {
            self.push(following(event));
        }
    }
}

#[derive(Default)]
struct Binary(BinaryHeap<Reverse<u128>>);

impl Queue for Binary {
    const NAME: &str = "BinaryHeap";
    fn push(&mut self, event: u128) {
        self.0.push(Reverse(event));
    }
    fn pop(&mut self) -> Option<u128> {
        self.0.pop().map(|Reverse(event)| event)
    }
}

/// The next event stays at the top until another one takes its place.
#[derive(Default)]
struct BinaryReplacing(BinaryHeap<Reverse<u128>>);

impl Queue for BinaryReplacing {
    const NAME: &str = "BinaryHeap, replacing";
    fn push(&mut self, event: u128) {
        self.0.push(Reverse(event));
    }
    fn pop(&mut self) -> Option<u128> {
        self.0.pop().map(|Reverse(event)| event)
    }
    fn replace(&mut self, following: impl FnOnce(u128) -> u128) {
        if let Some(mut top) = self.0.peek_mut() {
            top.0 = following(top.0);
        }
    }
}

/// The simulator's own.
struct Own(events::Events);

impl Default for Own {
    fn default() -> Self {
        Self(events::Events::with_capacity(0))
    }
}

impl Queue for Own {
    const NAME: &str = "events.rs";
    fn push(&mut self, event: u128) {
        self.0.push(events::Event::from_number(event));
    }
    fn pop(&mut self) -> Option<u128> {
        self.0.pop().map(events::Event::to_number)
    }
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// A message of 6 to 14 ms, or, after every third, a wait of up to two seconds.
fn following(event: u128, state: &mut u64) -> u128 {
    let draw = random(state);
    let kind = (event as u32 + 1) % 3;
    let width = if kind == 0 { 2_000_000_000 } else { 8_000_000 };
    let delay = 6_000_000 + ((draw as u128 * width) >> 64);
    let (time, client) = ((event >> 64) + delay, event & 0xFFFF_FFFF_0000_0000);
    time << 64 | client | kind as u128
}

/// The nanoseconds of an event.
fn measure<Q: Queue>(pending: u64) -> f64 {
    let mut queue = Q::default();
    let mut state = 1;
    for client in 0..pending {
        queue.push(following(((client << 32) + client % 3).into(), &mut state));
    }
    let events = pending.clamp(2_000_000, 10_000_000);
    for _ in 0..events {
        queue.replace(|event| following(event, &mut state));
    }
    let began = Instant::now();
    for _ in 0..events {
        queue.replace(|event| following(event, &mut state));
    }
    let elapsed = began.elapsed();
    black_box(queue.pop());
    elapsed.as_nanos() as f64 / events as f64
}

fn row<Q: Queue>(most: u64) {
    print!("| {} |", Q::NAME);
    for pending in [10, 190, 10_000, 1_000_000, 10_000_000] {
        if pending <= most {
            print!(" {:.0} |", measure::<Q>(pending));
        }
    }
    println!();
}

fn main() {
    let most = std::env::args().skip(1).find_map(|text| text.parse().ok()).unwrap_or(10_000_000);
    println!("ns per event at 10, 190, 10^4, 10^6 and 10^7 pending events:");
    row::<Binary>(most);
    row::<BinaryReplacing>(most);
    row::<Own>(most);
}
