//! The numbers of fields. Generated from core/src/field/table.rs by `cargo xtask generate`.

/// A field of a policy or of a budget.
pub type backoff_field = u32;

/// No field.
pub const BACKOFF_FIELD_NONE: u32 = 0;
/// How the window grows from one retry to the next. Required. A BACKOFF_GROWTH kind.
pub const BACKOFF_FIELD_GROWTH: u32 = 1;
/// The window of index 0 for most growths. Required. In nanoseconds.
pub const BACKOFF_FIELD_BASE: u32 = 2;
/// Linear growth: the amount that each retry adds. Default: the base. In nanoseconds.
pub const BACKOFF_FIELD_INCREMENT: u32 = 3;
/// Exponential growth: the factor of each retry, 1 or from 1.01 to 1,000,000. Default: 2, or 3
/// with decorrelated jitter. A ratio.
pub const BACKOFF_FIELD_MULTIPLIER: u32 = 4;
/// Polynomial growth: the exponent, 1 to 16. Default: 2.
pub const BACKOFF_FIELD_POWER: u32 = 5;
/// Polynomial growth: the number that stands for index 0, 0 to 2^32 - 1. Default: 1. With 0 the
/// first window is the offset alone.
pub const BACKOFF_FIELD_ORIGIN: u32 = 6;
/// A duration that is added to every window before the cap. Default: 0. It cannot be combined with
/// decorrelated jitter. In nanoseconds.
pub const BACKOFF_FIELD_OFFSET: u32 = 7;
/// The cap, at least the base. Default: no limit, so that only 2^63 - 1 ns bounds a delay. In
/// nanoseconds. BACKOFF_MAX_NS is no limit.
pub const BACKOFF_FIELD_CAP: u32 = 8;
/// What the cap limits: the window, which is the default, or the delay. A BACKOFF_CAP_ON kind.
pub const BACKOFF_FIELD_CAP_ON: u32 = 9;
/// The shortest computed delay, at most the cap: the range that is sampled starts there. Default:
/// 0. A Retry-After that replaces the delay may be shorter. In nanoseconds.
pub const BACKOFF_FIELD_FLOOR: u32 = 10;
/// How a delay is drawn from its window. Default: none, which makes the window the delay. A
/// BACKOFF_JITTER kind.
pub const BACKOFF_FIELD_JITTER: u32 = 11;
/// Proportional jitter: the fraction of the window by which a delay may fall short of it, 0 to 1.
/// Required unless jitter_above is set; then the default is 0. A ratio.
pub const BACKOFF_FIELD_JITTER_BELOW: u32 = 12;
/// Proportional jitter: the fraction of the window by which a delay may exceed it, 0 to 1.
/// Default: 0. A ratio.
pub const BACKOFF_FIELD_JITTER_ABOVE: u32 = 13;
/// Additive jitter: the width of the range at index 0. Required with this jitter. In nanoseconds.
pub const BACKOFF_FIELD_JITTER_MAX: u32 = 14;
/// Additive jitter: the amount that each retry adds to the width. Default: 0. In nanoseconds.
pub const BACKOFF_FIELD_JITTER_INCREMENT: u32 = 15;
/// Slotted jitter: the length of a slot, at least 1 ns. Required with this jitter. In nanoseconds.
pub const BACKOFF_FIELD_JITTER_SLOT: u32 = 16;
/// The maximum number of retries, 0 to 2^32, which is the default and means no limit.
pub const BACKOFF_FIELD_MAX_RETRIES: u32 = 17;
/// The maximum number of attempts, 1 to 2^32 + 1: one more than max_retries, which must not be set
/// as well.
pub const BACKOFF_FIELD_MAX_ATTEMPTS: u32 = 18;
/// The time since the start of an operation after which no wait may end. Default: no limit. In
/// nanoseconds. BACKOFF_MAX_NS is no limit.
pub const BACKOFF_FIELD_MAX_ELAPSED: u32 = 19;
/// The base after a throttled failure, at most the cap. Default: the base. In nanoseconds.
pub const BACKOFF_FIELD_THROTTLED_BASE: u32 = 20;
/// The effect of a server's Retry-After on the delay. Default: the longer of the two counts. A
/// BACKOFF_RETRY_AFTER kind.
pub const BACKOFF_FIELD_RETRY_AFTER: u32 = 21;
/// The longest Retry-After that is honoured; a longer one counts as this. Default: 1 hour. The cap
/// does not limit it, and the mode spread may exceed it by half. In nanoseconds. BACKOFF_MAX_NS is
/// no limit.
pub const BACKOFF_FIELD_RETRY_AFTER_MAX: u32 = 22;
/// How much longer than the delay a Retry-After may make the wait. Default: no limit. In
/// nanoseconds. BACKOFF_MAX_NS is no limit.
pub const BACKOFF_FIELD_RETRY_AFTER_MAX_EXTRA: u32 = 23;
/// Growth in steps: the windows one after another, 1 to 16. The last one stays. Required with this
/// growth. A list of nanoseconds.
pub const BACKOFF_FIELD_WAITS: u32 = 24;
/// The longest that one attempt may take, at least 1 ns. Default: no limit. In nanoseconds.
/// BACKOFF_MAX_NS is no limit.
pub const BACKOFF_FIELD_ATTEMPT_TIMEOUT: u32 = 25;
/// How long an attempt must have run before it failed to begin the count of retries anew, at least
/// 1 ns. Default: never. In nanoseconds. BACKOFF_MAX_NS is no limit.
pub const BACKOFF_FIELD_RESET_AFTER: u32 = 26;
/// When max_elapsed begins: with the operation, which is the default, or with its first failure. A
/// BACKOFF_ELAPSED_FROM kind.
pub const BACKOFF_FIELD_ELAPSED_FROM: u32 = 27;
/// The kind of the budget. Required. A BACKOFF_BUDGET_KIND kind.
pub const BACKOFF_FIELD_BUDGET: u32 = 33;
/// Quota, throttle, ratio and rate: the tokens of a full budget, from 1 to 1,000,000 (quota and
/// ratio), 1000 (throttle) or 100,000 (rate). Default: 500, 10, 10 and 60.
pub const BACKOFF_FIELD_MAX_TOKENS: u32 = 34;
/// Quota: the tokens that a retry costs, from 1 to max_tokens. Default: 5.
pub const BACKOFF_FIELD_COST: u32 = 35;
/// Quota: the tokens that a retry after throttling costs, from 1 to max_tokens. Default: the cost.
pub const BACKOFF_FIELD_COST_THROTTLED: u32 = 36;
/// Quota: the tokens that a retry after a timeout costs, from 1 to max_tokens. Default: the cost.
pub const BACKOFF_FIELD_COST_TIMEOUT: u32 = 37;
/// Throttle, ratio, ttl and concurrent: the fraction of a retry that each operation earns, 0 to 1.
/// Default: 0.1 of throttle and ratio, 0.2 of ttl and concurrent. A ratio.
pub const BACKOFF_FIELD_RATIO: u32 = 38;
/// Rate: the time in which an empty budget fills up, from 1 ns to 1 day. Default: 1 minute. In
/// nanoseconds.
pub const BACKOFF_FIELD_PER: u32 = 39;
/// Ttl: the time for which earned retries last, from 1 second to 1 minute. Default: 10 seconds. In
/// nanoseconds.
pub const BACKOFF_FIELD_TTL: u32 = 40;
/// Ttl: the retries per second that are always granted, from 0 to 1,000,000. Default: 10.
pub const BACKOFF_FIELD_MIN_PER_SECOND: u32 = 41;
/// Concurrent: the retries at the same time that are always granted, from 0 to 2^32 - 1. Default:
/// 3.
pub const BACKOFF_FIELD_MIN_CONCURRENT: u32 = 42;
