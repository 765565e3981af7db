//! How many retries a table shows of a policy that may retry for ever.

use backoff_core::Policy;

/// As many retries as there are indices, which is no limit.
pub(crate) const NO_LIMIT: u64 = 1 << 32;

/// The rows of a policy without a limit, or with a very high one.
const FEW: u64 = 10;

/// The largest number of rows without `--count`.
const MANY: u64 = 100;

pub(crate) fn retries(count: u64) -> String {
    if count == 1 { "1 retry".to_owned() } else { format!("{count} retries") }
}

/// The number of rows from an index on: all retries of the policy that are left, or the first ones
/// if it has too many or no limit.
pub(crate) fn default_rows(policy: &Policy, first: u32) -> u64 {
    match policy.max_retries().saturating_sub(first.into()) {
        retries if retries <= MANY => retries,
        _ => FEW,
    }
}

#[cfg(test)]
mod tests {
    use backoff_core::Policy;

    use super::default_rows;

    #[test]
    fn only_few_rows_of_many() {
        let rows = |retries: &str, first| {
            let text = format!("constant:base=1s,max_retries={retries}");
            default_rows(&Policy::parse(text).unwrap(), first)
        };
        assert_eq!(rows("none", 0), 10);
        assert_eq!(rows("none", u32::MAX), 1, "the last index");
        assert_eq!(rows("0", 0), 0);
        assert_eq!(rows("3", 0), 3);
        assert_eq!(rows("3", 1), 2);
        assert_eq!(rows("3", 3), 0, "the policy is at its end");
        assert_eq!(rows("3", u32::MAX), 0);
        assert_eq!(rows("100", 0), 100);
        assert_eq!(rows("101", 0), 10);
        assert_eq!(rows("101", 1), 100);
    }
}
