//! Which exit codes may be repeated, and their outcomes.

#![cfg_attr(not(unix), allow(dead_code, reason = "only Unix runs commands"))]

use std::ops::RangeInclusive;

use backoff_core::Outcome;

/// Some exit codes, all of which mean the same.
pub(super) type Range = RangeInclusive<u8>;

/// The exit code that stands for an attempt that took too long, as for `timeout`.
pub(super) const TIMED_OUT: u8 = 124;

/// The exit code that stands for death by SIGPIPE: 128 + 13.
const KILLED_BY_SIGPIPE: u8 = 141;

/// The outcome of every exit code.
#[derive(Debug)]
pub(super) struct Codes([Outcome; 256]);

impl Codes {
    /// `lists` are the codes with the outcomes `transient`, `throttled` and `timeout`. Other codes
    /// are `transient` if any failure may be repeated, and `permanent` if not. Those of `never` are
    /// `permanent`: they are exceptions from ranges and from `any`.
    pub(super) fn new(lists: [&[Range]; 3], any: bool, never: &[Range]) -> Result<Self, String> {
        let mut codes = [if any { Outcome::Transient } else { Outcome::Permanent }; 256];
        codes[0] = Outcome::Success;
        // Nobody reads any more what the command prints.
        codes[usize::from(KILLED_BY_SIGPIPE)] = Outcome::Permanent;
        let mut origin = [None; 256];
        let lists = [
            ("--on", Outcome::Transient, lists[0]),
            ("--on-throttled", Outcome::Throttled, lists[1]),
            ("--on-timeout", Outcome::Timeout, lists[2]),
        ];
        for (option, outcome, list) in lists {
            let is_never = |code: &u8| never.iter().any(|range| range.contains(code));
            if let Some(range) = list.iter().find(|range| (*range).clone().all(|it| is_never(&it)))
            {
                return Err(format!("exit code {} is in both {option} and --never", range.start()));
            }
            for code in list.iter().cloned().flatten() {
                let code = usize::from(code);
                if let Some(earlier) = origin[code].replace(option)
                    && earlier != option
                {
                    return Err(format!("exit code {code} is in both {earlier} and {option}"));
                }
                codes[code] = outcome;
            }
        }
        // Our own timeout needs no list of its own to be known as one.
        let timed_out = &mut codes[usize::from(TIMED_OUT)];
        if *timed_out == Outcome::Transient {
            *timed_out = Outcome::Timeout;
        }
        for code in never.iter().cloned().flatten() {
            codes[usize::from(code)] = Outcome::Permanent;
        }
        Ok(Self(codes))
    }

    pub(super) fn outcome(&self, code: u8) -> Outcome {
        self.0[usize::from(code)]
    }
}

#[cfg(test)]
mod tests {
    use backoff_core::Outcome::{Permanent, Success, Throttled, Timeout, Transient};

    use super::Codes;

    const NONE: [&[super::Range]; 3] = [&[], &[], &[]];

    #[test]
    fn a_code_has_the_outcome_of_its_list() {
        let codes = Codes::new([&[75..=75, 75..=76], &[69..=69], &[28..=28]], false, &[]).unwrap();
        let table = [
            (0, Success),
            (75, Transient),
            (76, Transient),
            (69, Throttled),
            (28, Timeout),
            (1, Permanent),
        ];
        for (code, outcome) in table {
            assert_eq!(codes.outcome(code), outcome, "{code}");
        }
        assert_eq!(codes.outcome(124), Permanent);
        let codes = Codes::new([&[], &[69..=69], &[]], true, &[]).unwrap();
        for (code, outcome) in [(0, Success), (69, Throttled), (1, Transient), (255, Transient)] {
            assert_eq!(codes.outcome(code), outcome, "{code}");
        }
    }

    #[test]
    fn the_code_of_a_timeout_is_one() {
        assert_eq!(Codes::new(NONE, true, &[]).unwrap().outcome(124), Timeout);
        assert_eq!(Codes::new([&[124..=124], &[], &[]], false, &[]).unwrap().outcome(124), Timeout);
        assert_eq!(
            Codes::new([&[], &[124..=124], &[]], false, &[]).unwrap().outcome(124),
            Throttled
        );
    }

    #[test]
    fn a_code_is_in_one_list_only() {
        let error = Codes::new([&[1..=75], &[75..=75], &[]], false, &[]).unwrap_err();
        assert_eq!(error, "exit code 75 is in both --on and --on-throttled");
    }

    #[test]
    fn a_code_that_is_never_repeated_is_no_other() {
        for (never, code) in [(75..=75, 75), (70..=80, 75), (3..=4, 3)] {
            let error = Codes::new([&[3..=4, 75..=75], &[], &[]], false, &[never]).unwrap_err();
            assert_eq!(error, format!("exit code {code} is in both --on and --never"));
        }
        let error = Codes::new([&[], &[], &[28..=28]], true, &[28..=28]).unwrap_err();
        assert_eq!(error, "exit code 28 is in both --on-timeout and --never");
        // Two ranges together.
        assert!(Codes::new([&[1..=2], &[], &[]], false, &[1..=1, 2..=2]).is_err());
    }

    #[test]
    fn never_makes_exceptions_from_ranges() {
        let codes = Codes::new([&[1..=9], &[], &[]], false, &[2..=3, 22..=22]).unwrap();
        for (code, outcome) in [(1, Transient), (2, Permanent), (3, Permanent), (4, Transient)] {
            assert_eq!(codes.outcome(code), outcome, "{code}");
        }
        let codes = Codes::new(NONE, true, &[22..=22, 124..=124]).unwrap();
        for (code, outcome) in [(1, Transient), (22, Permanent), (124, Permanent)] {
            assert_eq!(codes.outcome(code), outcome, "{code}");
        }
    }

    #[test]
    fn death_by_sigpipe_is_repeated_only_on_request() {
        assert_eq!(Codes::new(NONE, true, &[]).unwrap().outcome(141), Permanent);
        let codes = Codes::new([&[141..=141], &[], &[]], false, &[]).unwrap();
        assert_eq!(codes.outcome(141), Transient);
    }
}
