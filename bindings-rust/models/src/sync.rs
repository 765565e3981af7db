//! Stands in for `bindings-rust/src/sync.rs`. shuttle knows no time, so a wait with a limit ends by a notification, or, in a
//! world where limits are met, by another thread, which moves the time.

use std::cell::Cell;
use std::ops::Add;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LockResult};
use std::time::Duration;

use shuttle::sync::WaitTimeoutResult;
pub use shuttle::sync::{Mutex, MutexGuard};

/// What is so in this run. shuttle runs all its threads in one thread of the system.
#[derive(Clone, Copy, Default)]
pub struct World {
    /// Whether a wait may last until its limit.
    pub limits_are_met: bool,
    /// A planted fault: nobody hears of these notifications.
    pub is_deaf: bool,
    /// The time in ns.
    pub now_ns: u64,
}

thread_local! {
    static WORLD: Cell<World> = const { Cell::new(World { limits_are_met: false, is_deaf: false, now_ns: 0 }) };
}

pub fn begin(world: World) {
    WORLD.set(World { now_ns: 1_000_000_000, ..world });
}

/// Waits that are shorter are pauses, which end in every world.
const PAUSE: Duration = Duration::from_secs(1);

/// Another thread moves the time to the limit of a wait, sooner or later, and wakes who waits, unless this is a world where
/// no limit is met.
fn limit(time: Duration, wake: impl Fn() + Send + 'static) -> Arc<AtomicBool> {
    let is_over = Arc::new(AtomicBool::new(false));
    let until = Instant::now() + time;
    if time < PAUSE || WORLD.get().limits_are_met {
        let is_over = Arc::clone(&is_over);
        shuttle::thread::spawn(move || {
            move_to(until);
            // Once would not do: the wait may begin after it.
            while !is_over.load(Ordering::Relaxed) {
                wake();
                shuttle::thread::yield_now();
            }
        });
    }
    is_over
}

fn move_to(until: Instant) {
    let world = WORLD.get();
    WORLD.set(World { now_ns: world.now_ns.max(until.0), ..world });
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(pub u64);

impl Instant {
    pub fn now() -> Self {
        Self(WORLD.get().now_ns)
    }

    pub fn checked_duration_since(&self, earlier: Self) -> Option<Duration> {
        self.0.checked_sub(earlier.0).map(Duration::from_nanos)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time.as_nanos().try_into().unwrap_or(u64::MAX)))
    }
}

#[derive(Default)]
pub struct Condvar(Arc<shuttle::sync::Condvar>);

impl Condvar {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn notify_one(&self) {
        if !WORLD.get().is_deaf {
            self.0.notify_one();
        }
    }

    pub fn notify_all(&self) {
        self.0.notify_all();
    }

    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        self.0.wait(guard)
    }

    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        time: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let all = Arc::clone(&self.0);
        let is_over = limit(time, move || all.notify_all());
        let waited = self.0.wait_timeout(guard, time);
        is_over.store(true, Ordering::Relaxed);
        waited
    }
}

pub mod thread {
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    pub use shuttle::thread::{Builder, Thread, ThreadId, current, yield_now};

    use super::{Instant, limit, move_to};

    pub fn park_timeout(time: Duration) {
        let parked = current();
        let is_over = limit(time, move || parked.unpark());
        shuttle::thread::park();
        is_over.store(true, Ordering::Relaxed);
    }

    pub fn sleep(time: Duration) {
        move_to(Instant::now() + time);
        yield_now();
    }
}
