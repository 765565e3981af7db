//! What is said about a policy.

use serde::Serialize;

/// What is said about a policy, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    #[default]
    NoRecovery,
    LateRecovery,
    TooManyCalls,
    NoJitter,
    /// Of the safe policies: one that misses a goal.
    MissesGoal,
    /// Of those that meet the goals: not among those with the most successes.
    FewerSuccesses,
    MoreCalls,
    LongerLatency,
    /// The policy without retries, if another is recommended.
    NoRetries,
    /// As good as the recommended one in all that counts, and listed after it.
    AsGood,
    Recommended,
}

impl Verdict {
    /// In the order in which the rule decides.
    pub(crate) const LOST: [Self; 9] = [
        Self::NoRecovery,
        Self::LateRecovery,
        Self::TooManyCalls,
        Self::NoJitter,
        Self::MissesGoal,
        Self::FewerSuccesses,
        Self::MoreCalls,
        Self::LongerLatency,
        Self::AsGood,
    ];

    pub(crate) const fn short(self) -> &'static str {
        match self {
            Self::NoRecovery => "no recovery",
            Self::LateRecovery => "late recovery",
            Self::TooManyCalls => "too many calls",
            Self::MissesGoal => "misses a goal",
            Self::MoreCalls => "more calls",
            Self::LongerLatency => "longer p99",
            other => other.text(),
        }
    }

    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::NoRecovery => "the service does not recover in every run",
            Self::LateRecovery => "the service recovers late",
            Self::TooManyCalls => "more than two calls for each operation",
            Self::NoJitter => "no jitter",
            Self::MissesGoal => "safe, but misses a goal",
            Self::FewerSuccesses => "fewer successes",
            Self::MoreCalls => "as many successes, more calls",
            Self::LongerLatency => "as many successes and calls, a longer p99",
            Self::NoRetries => "no retries",
            Self::AsGood => "as good",
            Self::Recommended => "recommended",
        }
    }
}
