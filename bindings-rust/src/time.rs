//! The clock and the sleep of a loop, which tests and other runtimes can replace.

use std::ops::ControlFlow;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::sync::LazyLock;
use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

/// What keeps other types from implementing the traits, so that they can grow.
mod sealed {
    use super::{DefaultSleep, Duration, Monotonic, SleepResult};

    pub trait Clock {}
    impl<F: Fn() -> Duration> Clock for F {}
    impl Clock for Monotonic {}

    pub trait BlockingSleep {}
    impl<F: Fn(Duration) -> S, S: SleepResult> BlockingSleep for F {}
    impl BlockingSleep for DefaultSleep {}

    pub trait Sleep {}
    impl<F: Fn(Duration) -> S, S: Future> Sleep for F {}
    impl Sleep for DefaultSleep {}
}

/// A monotonic clock: any function that returns the time since a fixed moment and never goes
/// backwards.
///
/// Only functions and [`Monotonic`] implement it, because [`Retry::clock`](crate::Retry::clock)
/// takes a function. Use the trait as a bound, for code that is generic over clocks.
///
/// ```
/// use backoff_retry::Clock;
/// use std::time::{Duration, Instant};
/// let start = Instant::now();
/// let clock = move || start.elapsed();
/// assert!(clock.now() < Duration::from_secs(60));
/// ```
///
/// Other types cannot implement it:
///
/// ```compile_fail,E0277
/// # use std::time::Duration;
/// struct Stopped;
/// impl backoff_retry::Clock for Stopped {
///     fn now(&self) -> Duration { Duration::ZERO }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a clock",
    note = "pass a function that returns a `Duration`: `.clock(move || start.elapsed())`; `wasm32-unknown-unknown` \
            has no clock of its own, so a loop needs one there"
)]
pub trait Clock: sealed::Clock {
    /// The time now.
    fn now(&self) -> Duration;

    /// The time now in nanoseconds, as an [`Operation`](crate::Operation) takes it.
    ///
    /// ```
    /// use backoff_retry::Clock;
    /// use std::time::Duration;
    /// assert_eq!((|| Duration::from_micros(3)).now_ns(), 3_000);
    /// ```
    fn now_ns(&self) -> u64 {
        nanoseconds(self.now())
    }
}

// Without this, the compiler asks for a closure instead of printing the note.
#[diagnostic::do_not_recommend]
impl<F: Fn() -> Duration> Clock for F {
    fn now(&self) -> Duration {
        self()
    }
}

/// Waits in the calling thread: any function of a [`Duration`].
///
/// A custom sleep is trusted to wait at least as long as requested. Tests may return at once.
///
/// Only functions and [`DefaultSleep`] implement it, because [`Retry::sleep`](crate::Retry::sleep)
/// takes a function. Use the trait as a bound, for code that is generic over sleeps.
///
/// ```
/// use backoff_retry::BlockingSleep;
/// use std::time::Duration;
/// assert!(std::thread::sleep.sleep(Duration::ZERO).is_continue());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sleep that waits in the thread",
    note = "`call`, `call_with_report` and `call_until` need a function that returns `()` or `ControlFlow<()>`, \
            such as `.sleep(std::thread::sleep)`; for a function that returns a future use \
            `call_async` or `call_async_with_report`"
)]
pub trait BlockingSleep: sealed::BlockingSleep {
    /// Waits for the delay. `Break` cancels the loop.
    fn sleep(&self, delay: Duration) -> ControlFlow<()>;
}

#[diagnostic::do_not_recommend]
impl<F: Fn(Duration) -> S, S: SleepResult> BlockingSleep for F {
    fn sleep(&self, delay: Duration) -> ControlFlow<()> {
        self(delay).into_flow()
    }
}

/// What a blocking sleep may return: `()`, or a [`ControlFlow`] whose `Break` cancels the loop.
///
/// ```
/// use backoff_retry::{Retry, StopReason};
/// use std::ops::ControlFlow;
/// let retry = Retry::default().sleep(|_| ControlFlow::Break(()));
/// let report = retry.when(|_: &&str| true).call_with_report(|| Err::<(), _>("busy"));
/// assert_eq!((report.reason, report.attempts), (StopReason::Cancelled, 1));
/// ```
pub trait SleepResult {
    /// `Break` if the loop is to be cancelled.
    fn into_flow(self) -> ControlFlow<()>;
}

impl SleepResult for () {
    fn into_flow(self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl SleepResult for ControlFlow<()> {
    fn into_flow(self) -> ControlFlow<()> {
        self
    }
}

/// Waits as a future: any function of a [`Duration`] that returns one, such as
/// `tokio::time::sleep` or `async_io::Timer::after`.
///
/// Only functions and, with feature `tokio`, [`DefaultSleep`] implement it, because
/// [`Retry::sleep`](crate::Retry::sleep) takes a function. Use the trait as a bound, for code that
/// is generic over sleeps.
///
/// ```
/// use backoff_retry::Sleep;
/// use std::{future, time::Duration};
/// # let _ =
/// (|_| future::ready(())).sleep(Duration::from_secs(1)); // a test's: over at once
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sleep that returns a future",
    note = "enable feature `tokio` of `backoff-retry`, or pass your runtime's timer: \
            `.sleep(async_io::Timer::after)`"
)]
pub trait Sleep: sealed::Sleep {
    /// The future of one wait. Its output is ignored, also a `ControlFlow::Break`: drop the future of
    /// the loop to cancel it.
    type Future: Future;

    /// Starts a wait.
    fn sleep(&self, delay: Duration) -> Self::Future;
}

#[diagnostic::do_not_recommend]
impl<F: Fn(Duration) -> S, S: Future> Sleep for F {
    type Future = S;

    fn sleep(&self, delay: Duration) -> S {
        self(delay)
    }
}

/// The default clock: the monotonic time since its first use in this process.
///
/// The whole process has one, so loops can share a budget with operations that you drive yourself.
/// It does not implement [`Clock`] on `wasm32-unknown-unknown`, which has no clock.
///
/// ```
/// use backoff_retry::{Clock, Monotonic};
/// let before = Monotonic.now();
/// assert!(Monotonic.now() >= before);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Monotonic;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
impl Monotonic {
    /// The time of this clock at an instant; zero for any instant before its first use.
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

/// The default sleep: `std::thread::sleep` for [`Loop::call`](crate::Loop::call), and with feature
/// `tokio` its timer for [`Loop::call_async`](crate::Loop::call_async), which waits for at most
/// about 30 years.
///
/// It cannot be used on `wasm32-unknown-unknown`, which has neither.
///
/// ```
/// use backoff_retry::{BlockingSleep, DefaultSleep};
/// use std::time::{Duration, Instant};
/// let begun = Instant::now();
/// let _ = BlockingSleep::sleep(&DefaultSleep, Duration::from_millis(2));
/// assert!(begun.elapsed() >= Duration::from_millis(2));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct DefaultSleep;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
impl BlockingSleep for DefaultSleep {
    fn sleep(&self, delay: Duration) -> ControlFlow<()> {
        let begun = Instant::now();
        // The system's timer may fire early.
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
        // Otherwise the timer panics with a message that does not say what to do.
        assert!(
            tokio::runtime::Handle::try_current().is_ok(),
            "a loop with feature `tokio` waits on tokio's timer, and this thread is in no tokio runtime: run the loop \
             in one, or set the timer of your runtime with `Retry::sleep`"
        );
        tokio::time::sleep(delay)
    }
}

/// A duration in nanoseconds, at most `u64::MAX`.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
