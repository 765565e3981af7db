//! The time that a service needs to recover from an outage.
//!
//! A service has recovered when at most one attempt in ten fails. Every attempt that ends after the
//! outage counts: 9 for a failure, -1 for a success. The service recovers at the moment when the sum
//! of these numbers is largest. In any period until then more than one attempt in ten failed, and in
//! any period from then on at most one in ten: there is no other such moment, it needs no
//! intervals, and a single failure long afterwards does not move it.

#[derive(Debug, Clone, Copy)]
pub(crate) struct Recovery {
    outage_end_ns: u64,
    /// When no more operations arrive, if that does not depend on what happens. An idle service is
    /// no recovered one.
    load_end_ns: Option<u64>,
    sum: i64,
    largest: i64,
    largest_at_ns: u64,
}

impl Recovery {
    const FAILURE: i64 = 9;
    const SUCCESS: i64 = -1;

    /// How far below its largest value the sum must be at the end: a service that does not recover
    /// has a few successes in a row, too.
    const CERTAIN: i64 = 100;

    pub(crate) fn new(outage_end_ns: u64, load_end_ns: Option<u64>) -> Self {
        Self { outage_end_ns, load_end_ns, sum: 0, largest: 0, largest_at_ns: outage_end_ns }
    }

    #[inline]
    pub(crate) fn attempt_ended(&mut self, now_ns: u64, success: bool) {
        if now_ns < self.outage_end_ns || self.load_end_ns.is_some_and(|end_ns| now_ns > end_ns) {
            return;
        }
        self.sum += if success { Self::SUCCESS } else { Self::FAILURE };
        if self.sum > self.largest {
            self.largest = self.sum;
            self.largest_at_ns = now_ns;
        }
    }

    /// The time from the end of the outage to the recovery, if there was one.
    pub(crate) fn time_ns(&self, is_cut: bool) -> Option<u64> {
        // All clients were served in the end, however few they are.
        let is_over = self.load_end_ns.is_none() && !is_cut;
        let certain = if is_over { 1 } else { Self::CERTAIN };
        let has_recovered = self.largest - self.sum >= certain;
        has_recovered.then_some(self.largest_at_ns - self.outage_end_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::Recovery;

    /// One attempt ends at each time, from 1 on.
    fn recovery(load_end_ns: Option<u64>, attempts: impl IntoIterator<Item = bool>) -> Recovery {
        let mut recovery = Recovery::new(0, load_end_ns);
        (1..).zip(attempts).for_each(|(now_ns, success)| recovery.attempt_ended(now_ns, success));
        recovery
    }

    fn runs(lengths: &[(bool, usize)]) -> impl Iterator<Item = bool> {
        lengths.iter().flat_map(|&(success, length)| std::iter::repeat_n(success, length))
    }

    #[test]
    fn the_moment_of_recovery_is_after_the_last_of_many_failures() {
        let end = Some(1000);
        let failing: &[_] = &[(false, 70), (true, 20), (false, 500), (true, 20)];
        let table: [(_, &[(bool, usize)], _, _); 8] = [
            (end, &[(false, 70), (true, 500)], false, Some(70)),
            // A single failure afterwards does not move it.
            (end, &[(false, 70), (true, 50), (false, 1), (true, 500)], false, Some(70)),
            // A few successes between failures do not end it.
            (end, &[(false, 70), (true, 50), (false, 20), (true, 500)], false, Some(140)),
            (end, &[(true, 500)], true, Some(0)),
            (end, failing, true, None),
            (end, failing, false, None),
            (None, failing, true, None),
            // Here all operations have ended, the last with success.
            (None, failing, false, Some(590)),
        ];
        for (load_end_ns, lengths, is_cut, expected) in table {
            let found = recovery(load_end_ns, runs(lengths)).time_ns(is_cut);
            assert_eq!(found, expected, "{load_end_ns:?} {lengths:?} {is_cut}");
        }
    }

    #[test]
    fn what_happens_before_or_without_load_does_not_count() {
        let mut recovery = Recovery::new(1000, Some(2000));
        (0..1000).for_each(|now_ns| recovery.attempt_ended(now_ns, false));
        (1000..1050).for_each(|now_ns| recovery.attempt_ended(now_ns, false));
        (2001..3000).for_each(|now_ns| recovery.attempt_ended(now_ns, true));
        assert_eq!(recovery.time_ns(false), None);
        (1050..1250).for_each(|now_ns| recovery.attempt_ended(now_ns, true));
        assert_eq!(recovery.time_ns(false), Some(49));
    }
}
