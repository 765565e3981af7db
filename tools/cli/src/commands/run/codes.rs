//! Which exit codes may be retried, and their outcomes.

#![cfg_attr(not(unix), allow(dead_code, reason = "only Unix runs commands"))]

use std::ops::RangeInclusive;

use backoff_core::Outcome;

/// Some exit codes, all of which mean the same.
pub(super) type Range = RangeInclusive<u8>;

/// The exit code of an attempt that met its limit, as for `timeout`.
pub(super) const TIMED_OUT: u8 = 124;

/// The exit code that stands for death by SIGPIPE: 128 + 13.
const KILLED_BY_SIGPIPE: u8 = 141;

#[derive(Debug)]
pub(super) struct Codes {
    outcomes: [Outcome; 256],
    met_limit: Outcome,
}

impl Codes {
    /// `lists` are the codes with the outcomes `transient`, `throttled` and `timeout`. Other codes
    /// are `transient` if any failure may be retried, and `permanent` if not. Those of `never` are
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
        // That of a `timeout` in the command needs no list of its own to be known as one.
        let timed_out = &mut codes[usize::from(TIMED_OUT)];
        if *timed_out == Outcome::Transient {
            *timed_out = Outcome::Timeout;
        }
        for code in never.iter().cloned().flatten() {
            codes[usize::from(code)] = Outcome::Permanent;
        }
        let is_never = never.iter().any(|range| range.contains(&TIMED_OUT));
        let met_limit = if is_never { Outcome::Permanent } else { Outcome::Timeout };
        Ok(Self { outcomes: codes, met_limit })
    }

    pub(super) fn outcome(&self, code: u8) -> Outcome {
        self.outcomes[usize::from(code)]
    }

    /// The outcome of an attempt that met its limit, which needs no list (SPEC 18.2); `never` counts.
    pub(super) fn met_limit(&self) -> Outcome {
        self.met_limit
    }
}
