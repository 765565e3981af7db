//! Delays of the caller in place of those of the policy (SPEC 18.9).

use std::time::Duration;

use backoff_core::Field;

use crate::attempt::AttemptTimeout;
use crate::classify::{Classify, OwnDelay};
use crate::loops::Loop;
use crate::verdict::Verdict;

/// A classification with delays. Made by [`Loop::delays`](crate::Loop::delays) and
/// [`Loop::delays_with`](crate::Loop::delays_with).
#[derive(Debug, Clone, Copy)]
pub struct WithDelays<V, D>(V, D);

/// A list of delays, of [`Loop::delays`](crate::Loop::delays). It is read as far as the loop needs it,
/// because iterators may be endless.
#[derive(Debug, Clone)]
pub struct DelayList<I> {
    read: Vec<Duration>,
    rest: I,
}

/// A function that returns delays, of [`Loop::delays_with`](crate::Loop::delays_with).
#[derive(Debug, Clone, Copy)]
pub struct DelayFn<F>(F);

/// Where own delays come from.
trait Delays<R> {
    fn delay(&mut self, index: u32, result: &R) -> OwnDelay;
}

impl<R, I: Iterator<Item = Duration>> Delays<R> for DelayList<I> {
    fn delay(&mut self, index: u32, _: &R) -> OwnDelay {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        // Each index follows one that was asked before.
        if index >= self.read.len() {
            self.read.extend(self.rest.next());
        }
        self.read.get(index).map_or(OwnDelay::NoMore, |delay| OwnDelay::Is(*delay))
    }
}

impl<R, F: FnMut(u32, &R) -> D, D: Into<Option<Duration>>> Delays<R> for DelayFn<F> {
    fn delay(&mut self, index: u32, result: &R) -> OwnDelay {
        self.0(index, result).into().map_or(OwnDelay::OfPolicy, OwnDelay::Is)
    }
}

impl<R, V: Classify<R>, D: Delays<R>> Classify<R> for WithDelays<V, D> {
    const ENDS_ATTEMPTS: bool = V::ENDS_ATTEMPTS;
    const HAS_DELAYS: bool = true;

    fn classify(&mut self, result: &R) -> Verdict {
        self.0.classify(result)
    }

    fn timed_out(&mut self, timeout: AttemptTimeout) -> Option<R> {
        self.0.timed_out(timeout)
    }

    fn own_delay(&mut self, index: u32, result: &R) -> OwnDelay {
        self.1.delay(index, result)
    }
}

impl<'a, R, V, C, S, N, P> Loop<'a, R, V, C, S, N, P> {
    /// Waits these delays, one after another, in place of those of the policy, and makes no more retries
    /// than there are delays. Jitter, cap and floor do not change them; a `Retry-After`, the limits
    /// and the budget count as always.
    ///
    /// A `Retry::default()` allows as many retries as there are delays, unless [`Retry::policy_with`](crate::Retry::policy_with) or the
    /// program's [`Defaults`](crate::Defaults) say something else. Every other policy keeps its limits.
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// use std::cell::RefCell;
    /// use std::time::Duration;
    /// let waits = RefCell::new(Vec::new());
    /// let retry = Retry::default().sleep(|delay| waits.borrow_mut().push(delay.as_secs()));
    /// let plan = retry.when(|_: &&str| true).delays([1, 5, 5, 5, 60].map(Duration::from_secs));
    /// assert_eq!(plan.call(|| Err::<(), _>("busy")), Err("busy"));
    /// assert_eq!(waits.take(), [1, 5, 5, 5, 60]);
    /// ```
    ///
    /// An iterator is read as far as the loop needs it, so it may be endless. A loop over an endless one needs another
    /// limit:
    ///
    /// ```
    /// # use backoff_retry::Retry;
    /// # use std::time::Duration;
    /// let retry = Retry::new("constant:base=1s,max_retries=4".parse()?).sleep(|_| {});
    /// let doubled = std::iter::successors(Some(Duration::from_millis(10)), |delay| Some(*delay * 2));
    /// let report = retry.when(|_: &&str| true).delays(doubled).call_with_report(|| Err::<(), _>("busy"));
    /// assert_eq!(report.attempts, 5);
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    #[expect(
        clippy::type_complexity,
        reason = "callers name it, and an alias would be one more name"
    )]
    pub fn delays<I>(
        mut self,
        delays: I,
    ) -> Loop<'a, R, WithDelays<V, DelayList<I::IntoIter>>, C, S, N, P>
    where
        I: IntoIterator<Item = Duration>,
    {
        if !self.retry.names_limit {
            let policy = self.retry.policy.get();
            // More retries break no rule.
            let endless = policy.to_builder().unset(Field::MaxRetries).build();
            self.retry.policy = endless.unwrap_or(policy).into();
        }
        let delays = DelayList { read: Vec::new(), rest: delays.into_iter() };
        self.reclassify(|classify| WithDelays(classify, delays))
    }

    /// Waits what this function returns for the index of a retry, from 0, and the result of the last call.
    /// `None` stands for the policy's delay. Otherwise like [`Loop::delays`], with the policy's
    /// `max_retries`.
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// use std::cell::RefCell;
    /// use std::time::Duration;
    /// let waits = RefCell::new(Vec::new());
    /// let retry = Retry::new("constant:base=9s,max_retries=2".parse()?)
    ///     .sleep(|delay| waits.borrow_mut().push(delay.as_secs()));
    /// let plan = retry.when(|_: &&str| true).delays_with(|index, result| match result {
    ///     Err("locked") => Some(Duration::from_secs(1 + u64::from(index))),
    ///     _ => None,
    /// });
    /// let _ = plan.clone().call(|| Err::<(), _>("locked"));
    /// let _ = plan.call(|| Err::<(), _>("busy"));
    /// assert_eq!(waits.take(), [1, 2, 9, 9]);
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    pub fn delays_with<F, D>(self, delay: F) -> Loop<'a, R, WithDelays<V, DelayFn<F>>, C, S, N, P>
    where
        F: FnMut(u32, &R) -> D,
        D: Into<Option<Duration>>,
    {
        self.reclassify(|classify| WithDelays(classify, DelayFn(delay)))
    }
}
