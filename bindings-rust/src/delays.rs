//! Delays of the caller in place of those of the policy (SPEC 18.9).

use std::sync::Arc;
use std::time::Duration;

use crate::attempt::AttemptTimeout;
use crate::classify::Classify;
use crate::loops::Loop;
use crate::verdict::Verdict;

/// A classification with delays. Made by [`Loop::delays`](crate::Loop::delays) and
/// [`Loop::delays_with`](crate::Loop::delays_with).
#[derive(Debug, Clone, Copy)]
pub struct WithDelays<V, D>(V, D);

/// A list of delays, of [`Loop::delays`](crate::Loop::delays).
#[derive(Debug, Clone)]
pub struct DelayList(Arc<[Duration]>);

/// A function that returns delays, of [`Loop::delays_with`](crate::Loop::delays_with).
#[derive(Debug, Clone, Copy)]
pub struct DelayFn<F>(F);

/// Where own delays come from.
trait Delays<R> {
    fn delay(&mut self, index: u32, result: &R) -> Option<Duration>;
}

impl<R> Delays<R> for DelayList {
    fn delay(&mut self, index: u32, _: &R) -> Option<Duration> {
        self.0.get(usize::try_from(index).ok()?).copied()
    }
}

impl<R, F: FnMut(u32, &R) -> D, D: Into<Option<Duration>>> Delays<R> for DelayFn<F> {
    fn delay(&mut self, index: u32, result: &R) -> Option<Duration> {
        self.0(index, result).into()
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

    fn own_delay(&mut self, index: u32, result: &R) -> Option<Duration> {
        self.1.delay(index, result)
    }
}

impl<'a, R, V, C, S, N, P> Loop<'a, R, V, C, S, N, P> {
    /// Waits these delays, one after another, in place of those of the policy, and makes no more retries
    /// than there are delays. Jitter, cap and floor do not change them; a `Retry-After`, the limits
    /// and the budget count as always.
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// use std::cell::RefCell;
    /// use std::time::Duration;
    /// let waits = RefCell::new(Vec::new());
    /// let retry = Retry::default().sleep(|delay| waits.borrow_mut().push(delay));
    /// let plan = retry.when(|_: &&str| true).delays([1, 60].map(Duration::from_secs));
    /// assert_eq!(plan.call(|| Err::<(), _>("busy")), Err("busy"));
    /// assert_eq!(waits.take(), [1, 60].map(Duration::from_secs));
    /// ```
    pub fn delays(
        mut self,
        delays: impl IntoIterator<Item = Duration>,
    ) -> Loop<'a, R, WithDelays<V, DelayList>, C, S, N, P> {
        let delays: Arc<[Duration]> = delays.into_iter().collect();
        let (policy, most) = (self.retry.policy.get(), delays.len() as u64);
        if most < policy.max_retries() {
            // Fewer retries break no rule.
            let fewer = policy.to_builder().max_retries(most).build();
            self.retry.policy = fewer.unwrap_or(policy).into();
        }
        self.reclassify(|classify| WithDelays(classify, DelayList(delays)))
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
