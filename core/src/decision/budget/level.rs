//! What a budget has left, for a gauge.

/// What a budget has left (SPEC 15.9), in parts of a token or, for `ttl` and `concurrent`, of a retry:
/// `level / unit` of `max / unit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetLevel {
    /// What is left.
    pub level: u64,
    /// The level of a full budget; for `ttl` its reserve, which what operations earn exceeds; for
    /// `concurrent` the retries that may be active at the same time now.
    pub max: u64,
    /// The parts of a token or a retry, at least 1.
    pub unit: u64,
}
