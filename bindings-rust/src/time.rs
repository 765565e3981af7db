//! The clock and the sleep of a loop, which tests and other runtimes hand in.

use std::ops::ControlFlow;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::sync::LazyLock;
use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

/// Tells the time: any function that returns the time since some beginning and does not go back.
pub trait Clock {
    /// The time now.
    fn now(&self) -> Duration;

    /// The time now in nanoseconds, as an [`Operation`](crate::Operation) takes it.
    fn now_ns(&self) -> u64 {
        nanoseconds(self.now())
    }
}

impl<F: Fn() -> Duration> Clock for F {
    fn now(&self) -> Duration {
        self()
    }
}

/// Waits in the thread that calls: any function of a [`Duration`].
///
/// What is handed in is believed: it waits no shorter than it is told to, or for a test not at all.
pub trait BlockingSleep {
    /// Waits so long, and breaks if the loop is to be given up.
    fn sleep(&self, delay: Duration) -> ControlFlow<()>;
}

impl<F: Fn(Duration) -> S, S: Slept> BlockingSleep for F {
    fn sleep(&self, delay: Duration) -> ControlFlow<()> {
        self(delay).flow()
    }
}

/// What a blocking sleep may return: nothing, or [`ControlFlow::Break`] to give the loop up.
pub trait Slept {
    /// Whether to go on.
    fn flow(self) -> ControlFlow<()>;
}

impl Slept for () {
    fn flow(self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Slept for ControlFlow<()> {
    fn flow(self) -> ControlFlow<()> {
        self
    }
}

/// Waits as a future: any function of a [`Duration`] that returns one, such as
/// `tokio::time::sleep` or `async_io::Timer::after`.
pub trait Sleep {
    /// Ends when the wait is over, with a value that nobody reads.
    type Future: Future;

    /// A wait of so long.
    fn sleep(&self, delay: Duration) -> Self::Future;
}

impl<F: Fn(Duration) -> S, S: Future> Sleep for F {
    type Future = S;

    fn sleep(&self, delay: Duration) -> S {
        self(delay)
    }
}

/// The clock unless another is given: the time since its first use in this process, of a clock
/// that does not go back. One for the whole process, so that a budget can be shared with
/// operations that are driven by hand. Not on `wasm32-unknown-unknown`, which has none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Monotonic;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
impl Monotonic {
    /// What it told at an instant; before its beginning, that.
    pub(crate) fn at(instant: Instant) -> Duration {
        instant.saturating_duration_since(*BEGINNING)
    }
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
impl Clock for Monotonic {
    fn now(&self) -> Duration {
        BEGINNING.elapsed()
    }
}

/// The sleep unless another is given: `std::thread::sleep` for [`Loop::call`](crate::Loop::call),
/// and with feature `tokio` its timer for [`Loop::call_async`](crate::Loop::call_async). Not on
/// `wasm32-unknown-unknown`, which has neither.
#[derive(Debug, Clone, Copy, Default)]
pub struct DefaultSleep;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
impl BlockingSleep for DefaultSleep {
    fn sleep(&self, delay: Duration) -> ControlFlow<()> {
        let begun = Instant::now();
        // Never shorter than asked, also where the system's timer may fire early.
        while let Some(left) = delay.checked_sub(begun.elapsed()).filter(|left| !left.is_zero()) {
            std::thread::sleep(left);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))))]
impl Sleep for DefaultSleep {
    type Future = tokio::time::Sleep;

    fn sleep(&self, delay: Duration) -> tokio::time::Sleep {
        tokio::time::sleep(delay)
    }
}

/// A duration as the core takes it; longer than it can say is the longest that it can.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
