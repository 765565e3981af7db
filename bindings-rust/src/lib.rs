// The README's programs need these features.
#![cfg_attr(
    all(feature = "getrandom", feature = "shared-budget", feature = "tokio"),
    doc = include_str!("../README.md")
)]
#![cfg_attr(
    not(all(feature = "getrandom", feature = "shared-budget", feature = "tokio")),
    doc = "Retry with exponential backoff and jitter, blocking and async."
)]
// docs.rs sets `docsrs`: its pages name the feature that an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

#[cfg(not(any(target_has_atomic = "64", feature = "portable-atomic")))]
compile_error!(
    "this target has no 64-bit atomics: enable feature `portable-atomic` of `backoff-retry`"
);

#[cfg(all(feature = "shared-budget", target_family = "wasm", target_os = "unknown"))]
compile_error!(
    "feature `shared-budget` of `backoff-retry` requires threads, which this target lacks"
);

/// The programs of the pages beside the README, which are tests.
#[cfg(all(doctest, feature = "getrandom", feature = "shared-budget", feature = "tokio"))]
mod pages {
    #![doc = include_str!("../docs/backon.md")]
    #![doc = include_str!("../docs/budgets.md")]
    #![doc = include_str!("../docs/http.md")]
    #![doc = include_str!("../docs/observe.md")]
    #![doc = include_str!("../docs/policies.md")]
    #![doc = include_str!("../docs/retry.md")]
    #![doc = include_str!("../docs/testing.md")]
    #![doc = include_str!("../docs/without-a-loop.md")]
}

mod attempt;
mod call;
mod classify;
#[cfg(feature = "getrandom")]
mod defaults;
mod delays;
mod event;
mod guard;
mod loops;
mod misplaced;
mod program;
mod ref_or_arc;
mod retry;
mod run;
#[cfg(feature = "shared-budget")]
mod shared_budget;
#[cfg(not(feature = "shared-budget"))]
#[path = "shared_budget_disabled.rs"]
mod shared_budget;
mod stored_policy;
#[cfg(feature = "shared-budget")]
mod sync;
mod time;
mod timeout;
mod verdict;
#[cfg(feature = "getrandom")]
#[cfg_attr(
    not(all(
        any(target_os = "linux", target_os = "android"),
        target_has_atomic = "64",
        not(miri)
    )),
    path = "wiped_disabled.rs"
)]
mod wiped;

#[cfg(feature = "rand")]
#[doc(no_inline)]
pub use backoff_core::RngBackoff;
#[doc(no_inline)]
pub use backoff_core::{
    Backoff, Budget, BudgetEvent, BudgetLevel, BudgetMember, BudgetState, CapOn, Decision,
    DurationError, ElapsedFrom, ErrorCode, ExchangeAnswers, ExchangeStep, Fallback, Field,
    FieldValue, Growth, Jitter, LabelError, MAX_NS, MemberAnswer, Operation, Outcome, ParseError,
    Policy, PolicyBuilder, PolicyError, Preview, PreviewRow, PrometheusText, RandomStream, Ratio,
    RatioError, RetryAfterMode, RetryStats, SharedBudgetStats, SharedState, SteppedState,
    StopReason, TextBuf, Waits, http_retry_after_ns, is_idempotent_method, parse_duration_ns,
    parse_retry_after_ns,
};

pub use attempt::{Attempt, AttemptTimeout};
pub use classify::{ByResult, Classify, WhenEither, WhenError};
pub use delays::{DelayFn, DelayList, WithDelays};
pub use event::{Report, RetryEvent};
pub use guard::CancelOnDrop;
pub use loops::Loop;
pub use program::{Defaults, DefaultsGuard, set_defaults};
pub use ref_or_arc::RefOrArc;
pub use retry::Retry;
#[cfg(feature = "shared-budget")]
pub use shared_budget::{
    BudgetExchange, BudgetStore, SharedBudget, SharedBudgetBuilder, SharedBudgetError, StoreError,
    Stored, SwapOutcome,
};
pub use time::{BlockingSleep, Clock, DefaultSleep, Monotonic, Sleep, SleepResult};
pub use timeout::OnTimeout;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use verdict::parse_retry_after;
pub use verdict::{IntoVerdict, Verdict};
