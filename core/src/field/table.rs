//! The table of fields (SPEC 5.1, 15.1): a new field is a row here, and an arm of `rules.rs` where the last one is
//! not right for it.

/// Passes the rows to a macro. A row has the description of a field, its number and its name. A
/// field of a policy also has the type in which formulas read it, a unit, and, if the builder has a
/// method of its name, the type of its argument.
macro_rules! for_fields {
    ($callback:ident) => {
        $callback! {
            policy {
                /// How the window grows from one retry to the next. Required.
                Growth = 1, growth: u32, Unit::Kind(GROWTHS);
                /// The window of index 0 for most growths. Required.
                Base = 2, base: u64, Unit::Duration, set Duration;
                /// Linear growth: the amount that each retry adds. Default: the base.
                Increment = 3, increment: u64, Unit::Duration, set Duration;
                /// Exponential growth: the factor of each retry, 1 or from 1.01 to 1,000,000.
                /// Default: 2, or 3 with decorrelated jitter.
                Multiplier = 4, multiplier: Ratio, Unit::Ratio, set Ratio;
                /// Polynomial growth: the exponent, 1 to 16. Default: 2.
                Power = 5, power: u32, Unit::Count, set u32;
                /// Polynomial growth: the number that stands for index 0, 0 to 2^32 - 1. Default:
                /// 1. With 0 the first window is the offset alone.
                Origin = 6, origin: u64, Unit::Count, set u32;
                /// A duration that is added to every window before the cap. Default: 0. It cannot
                /// be combined with decorrelated jitter.
                Offset = 7, offset: u64, Unit::Duration, set Duration;
                /// The cap, at least the base. Default: no limit, so that only 2^63 - 1 ns bounds a
                /// delay.
                Cap = 8, cap: u64, Unit::Duration, set Duration;
                /// What the cap limits: the window, which is the default, or the delay.
                CapOn = 9, cap_on: u32, Unit::Kind(CAPS), set CapOn;
                /// The shortest computed delay, at most the cap: the range that is sampled starts
                /// there. Default: 0. A Retry-After that replaces the delay may be shorter.
                Floor = 10, floor: u64, Unit::Duration, set Duration;
                /// How a delay is drawn from its window. Default: none, which makes the window the
                /// delay.
                Jitter = 11, jitter: u32, Unit::Kind(JITTERS);
                /// Proportional jitter: the fraction of the window by which a delay may fall short
                /// of it, 0 to 1. Required unless `jitter_above` is set; then the default is 0.
                JitterBelow = 12, jitter_below: Ratio, Unit::Ratio;
                /// Proportional jitter: the fraction of the window by which a delay may exceed it,
                /// 0 to 1. Default: 0.
                JitterAbove = 13, jitter_above: Ratio, Unit::Ratio;
                /// Additive jitter: the width of the range at index 0. Required with this jitter.
                JitterMax = 14, jitter_max: u64, Unit::Duration;
                /// Additive jitter: the amount that each retry adds to the width. Default: 0.
                JitterIncrement = 15, jitter_increment: u64, Unit::Duration;
                /// Slotted jitter: the length of a slot, at least 1 ns. Required with this jitter.
                JitterSlot = 16, jitter_slot: u64, Unit::Duration;
                /// The maximum number of retries, 0 to 2^32, which is the default and means no
                /// limit.
                MaxRetries = 17, max_retries: u64, Unit::Count, set u64;
                /// The maximum number of attempts, 1 to 2^32 + 1: one more than `max_retries`,
                /// which must not be set as well.
                MaxAttempts = 18, max_attempts: (), Unit::Count, set u64;
                /// The time since the start of an operation after which no wait may end. Default:
                /// no limit.
                MaxElapsed = 19, max_elapsed: u64, Unit::Duration, set Duration;
                /// The base after a throttled failure, at most the cap. Default: the base.
                ThrottledBase = 20, throttled_base: u64, Unit::Duration, set Duration;
                /// The effect of a server's Retry-After on the delay. Default: the longer of the
                /// two counts.
                RetryAfter = 21, retry_after: u32, Unit::Kind(RETRY_AFTER_MODES), set RetryAfterMode;
                /// The longest Retry-After that is honoured; a longer one counts as this. Default:
                /// 1 hour. The cap does not limit it, and the mode `spread` may exceed it by half.
                RetryAfterMax = 22, retry_after_max: u64, Unit::Duration;
                /// How much longer than the delay a Retry-After may make the wait. Default: no
                /// limit.
                RetryAfterMaxExtra = 23, retry_after_max_extra: u64, Unit::Duration, set Duration;
                /// Growth in steps: the windows one after another, 1 to 16. The last one stays.
                /// Required with this growth.
                Waits = 24, waits: (), Unit::Waits;
                /// The longest that one attempt may take, at least 1 ns. Default: no limit.
                AttemptTimeout = 25, attempt_timeout: u64, Unit::Duration, set Duration;
                /// How long an attempt must have run before it failed to begin the count of retries
                /// anew, at least 1 ns. Default: never.
                ResetAfter = 26, reset_after: u64, Unit::Duration, set Duration;
                /// When `max_elapsed` begins: with the operation, which is the default, or with its
                /// first failure.
                ElapsedFrom = 27, elapsed_from: u32, Unit::Kind(ELAPSED_FROM), set ElapsedFrom;
            }
            budget {
                /// The kind of the budget. Required.
                Budget = 33, budget, Unit::Kind(BUDGETS);
                /// Quota, throttle, ratio and rate: the tokens of a full budget, from 1 to 1,000,000 (quota and
                /// ratio), 1000 (throttle) or 100,000 (rate). Default: 500, 10, 10 and 60.
                MaxTokens = 34, max_tokens, Unit::Count;
                /// Quota: the tokens that a retry costs, from 1 to `max_tokens`. Default: 5.
                Cost = 35, cost, Unit::Count;
                /// Quota: the tokens that a retry after throttling costs, from 1 to `max_tokens`. Default: the
                /// cost.
                CostThrottled = 36, cost_throttled, Unit::Count;
                /// Quota: the tokens that a retry after a timeout costs, from 1 to `max_tokens`. Default: the
                /// cost.
                CostTimeout = 37, cost_timeout, Unit::Count;
                /// Throttle, ratio, ttl and concurrent: the fraction of a retry that each operation earns, 0
                /// to 1. Default: 0.1 of throttle and ratio, 0.2 of ttl and concurrent.
                Ratio = 38, ratio, Unit::Ratio;
                /// Rate: the time in which an empty budget fills up, from 1 ns to 1 day. Default: 1 minute.
                Per = 39, per, Unit::Duration;
                /// Ttl: the time for which earned retries last, from 1 second to 1 minute. Default: 10
                /// seconds.
                Ttl = 40, ttl, Unit::Duration;
                /// Ttl: the retries per second that are always granted, from 0 to 1,000,000. Default: 10.
                MinPerSecond = 41, min_per_second, Unit::Count;
                /// Concurrent: the retries at the same time that are always granted, from 0 to 2^32 - 1.
                /// Default: 3.
                MinConcurrent = 42, min_concurrent, Unit::Count;
            }
        }
    };
}
pub(crate) use for_fields;
