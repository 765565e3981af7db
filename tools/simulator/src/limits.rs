//! The largest numbers that several modules check.

/// The longest time of a run in nanoseconds, 104 days: the largest integer that every JSON reader
/// knows exactly.
pub const MAX_TIME_NS: u64 = (1 << 53) - 1;

/// The most clients of a run at a time, who need 6 GB. A run with more is cut.
pub(crate) const MAX_CLIENTS: u32 = 100_000_000;

/// The most groups.
pub(crate) const MAX_GROUPS: u64 = 1000;
