//! What does not compile: what is on the wrong side of `when`, fields of policies, and names of other
//! libraries. These methods only have messages that say so.

use std::future::Ready;
use std::time::Duration;

use crate::event::{Report, RetryEvent};
use crate::loops::Loop;
use crate::retry::Retry;

/// Methods whose `Self` would have to implement a trait that nothing implements.
macro_rules! misplaced {
    (
        $trait:ident, $why:literal;
        $($name:ident[$($generics:tt)*][$($this:tt)*]($($argument:ty),*) -> $returned:ty;)*
    ) => {
        $(#[allow(clippy::must_use_candidate, clippy::return_self_not_must_use)]
        pub fn $name<$($generics)*>($($this)* $(_: $argument),*) -> $returned
        where
            Self: $trait,
        {
            unreachable!($why)
        })*
    };
}

/// The calls and options of a [`Loop`]. On a `Retry` they do not compile, and the message says what is
/// missing.
#[doc(hidden)]
impl<C, S> Retry<'_, C, S> {
    misplaced! {
        SaysWhatToRetry, "no `Retry` says what to retry";
        on_retry[H: FnMut(&RetryEvent<'_, Result<(), ()>>)][self,](H) -> Self;
        on_stop[H: FnMut(&RetryEvent<'_, Result<(), ()>>)][self,](H) -> Self;
        deadline[T][self,](T) -> Self;
        deadline_at[T][self,](T) -> Self;
        when_value[W][self,](W) -> Self;
        call[F: FnMut() -> R, R][&self,](F) -> R;
        call_with_report[F: FnMut() -> R, R][&self,](F) -> Report<R>;
        call_until[G, F: FnMut() -> R, R][&self,](G, F) -> Option<Report<R>>;
        call_async[F: AsyncFnMut() -> R, R][&self,](F) -> Ready<R>;
        call_async_with_report[F: AsyncFnMut() -> R, R][&self,](F) -> Ready<Report<R>>;
    }
}

/// Fields of a policy, and what other libraries call them.
macro_rules! fields {
    ($($name:ident)*) => {
        #[doc(hidden)]
        impl<C, S> Retry<'_, C, S> {
            misplaced! {
                IsPolicyBuilder, "no `Retry` has the fields of a policy";
                $($name[T][self,](T) -> Self;)*
            }
        }

        #[doc(hidden)]
        impl<R, V, C, S, N, P> Loop<'_, R, V, C, S, N, P> {
            misplaced! {
                IsPolicyBuilder, "no `Loop` has the fields of a policy";
                $($name[T][self,](T) -> Self;)*
            }
        }
    };
}

fields! {
    base cap floor jitter max_retries max_attempts max_elapsed multiplier attempt_timeout
    with_max_times with_max_delay with_min_delay with_factor with_total_delay
    retries max_times max_delay min_delay initial_interval max_interval max_elapsed_time
}

/// The options of a [`Retry`]. On a `Loop` they do not compile, and the message says where they belong.
#[doc(hidden)]
impl<R, V, C, S, N, P> Loop<'_, R, V, C, S, N, P> {
    misplaced! {
        HasOptionsOfRetry, "no `Loop` has the options of a `Retry`";
        budget[T][self,](T) -> Self;
        shared_budget[T][self,](T) -> Self;
        stats[T][self,](T) -> Self;
        stream[T][self,](T) -> Self;
        seed_and_key[T, U][self,](T, U) -> Self;
        clock[D: Fn() -> Duration][self,](D) -> Self;
        sleep[T: Fn(Duration) -> O, O][self,](T) -> Self;
    }
}

/// Streams from entropy.
#[cfg(not(feature = "getrandom"))]
#[doc(hidden)]
#[allow(clippy::must_use_candidate, clippy::should_implement_trait)]
impl Retry<'_> {
    misplaced! {
        HasEntropy, "no `Retry` has entropy";
        new[][](backoff_core::Policy) -> Self;
        default[][]() -> Self;
    }
}

/// Nothing implements it.
#[cfg(not(feature = "getrandom"))]
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`Retry::new` and `Retry::default` need entropy",
    label = "enable feature `getrandom` of `backoff-retry`, or use `Retry::with_stream`"
)]
pub trait HasEntropy {}

/// Nothing implements it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this is a field of the policy",
    label = "change the policy of a `Retry`, before `when`, with `policy_with`",
    note = "for example `Retry::default().policy_with(|policy| policy.max_retries(5))?`; the longest delay is \
            `cap`, the first window `base`, the limit of the whole loop `max_elapsed`"
)]
pub trait IsPolicyBuilder {}

/// Nothing implements it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a `Retry` does not say which failures to retry",
    label = "write `when` or `classify` before this call",
    note = "for example `retry.when(|error: &Error| error.is_busy()).call(..)`"
)]
pub trait SaysWhatToRetry {}

/// Nothing implements it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this is an option of a `Retry`, which `when` and `classify` have made a loop of",
    label = "write this before `when` or `classify`",
    note = "for example `Retry::default().budget(&budget).when(|error: &Error| error.is_busy())`"
)]
pub trait HasOptionsOfRetry {}

/// These compile only while each method exists, because a method that does not exist has another message.
#[cfg(test)]
mod tests {
    use super::{HasOptionsOfRetry, IsPolicyBuilder, Loop, Retry, SaysWhatToRetry};

    #[cfg(not(feature = "getrandom"))]
    #[expect(dead_code, reason = "it has to compile, and nothing can call it")]
    fn without_entropy(policy: backoff_core::Policy)
    where
        for<'a> Retry<'a>: super::HasEntropy,
    {
        let _ = (Retry::new(policy), Retry::default());
    }

    #[expect(dead_code, reason = "it has to compile, and nothing can call it")]
    fn before_when<C, S>(retry: Retry<'_, C, S>)
    where
        for<'a> Retry<'a, C, S>: SaysWhatToRetry,
    {
        let retry = retry.on_retry(|event| assert!(event.delay.is_zero()));
        let retry = retry.on_stop(|event| assert!(event.error().is_none()));
        let _ = retry.deadline(()).deadline_at(()).when_value(());
    }

    #[expect(dead_code, reason = "it has to compile, and nothing can call it")]
    fn after_when<R, V, C, S>(plan: Loop<'_, R, V, C, S>)
    where
        for<'a> Loop<'a, R, V, C, S>: HasOptionsOfRetry,
    {
        let plan = plan.budget(()).shared_budget(()).stats(()).stream(()).seed_and_key((), ());
        drop(plan.clock(|| std::time::Duration::ZERO).sleep(|_| {}));
    }

    #[expect(dead_code, reason = "it has to compile, and nothing can call it")]
    fn fields<R, V, C, S>(retry: Retry<'_, C, S>, plan: Loop<'_, R, V, C, S>)
    where
        for<'a> Retry<'a, C, S>: IsPolicyBuilder,
        for<'a> Loop<'a, R, V, C, S>: IsPolicyBuilder,
    {
        drop((retry.max_retries(5).cap(()).retries(3), plan.max_retries(5).with_max_times(3)));
    }
}
