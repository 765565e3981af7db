//! How an attempt ends, and what is answered (SPEC 13.2, 13.3, 14.4).

/// How an attempt ended. Its number is part of the C ABI and never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
#[non_exhaustive]
pub enum Outcome {
    /// It did what it should.
    Success = 1,
    /// A failure that may pass.
    Transient = 2,
    /// A failure because the server has too much to do.
    Throttled = 3,
    /// No answer in time.
    Timeout = 4,
    /// A failure that another attempt would not mend, or that may not be repeated.
    Permanent = 5,
}

/// Why an operation stopped. Its number is part of the C ABI and never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
#[non_exhaustive]
pub enum StopReason {
    /// The attempt succeeded.
    Success = 1,
    /// The failure was permanent.
    Permanent = 2,
    /// All retries were made.
    MaxRetries = 3,
    /// The wait would end later after the beginning than the policy allows.
    MaxElapsed = 4,
    /// The wait would end after the deadline.
    Deadline = 5,
    /// The budget refused.
    Budget = 6,
    /// The caller gave up.
    Cancelled = 7,
}

/// What to do after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// To wait so many nanoseconds, then to attempt again.
    Wait(u64),
    /// To stop.
    Stop {
        /// Why.
        reason: StopReason,
        /// The wait that was not begun, in nanoseconds: 0 unless a limit of time, the deadline
        /// or the budget stopped it.
        delay_ns: u64,
    },
}

impl Outcome {
    /// Every outcome, in the order of the numbers.
    pub const ALL: [Self; 5] =
        [Self::Success, Self::Transient, Self::Throttled, Self::Timeout, Self::Permanent];

    /// The name of the outcome, the same in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Transient => "transient",
            Self::Throttled => "throttled",
            Self::Timeout => "timeout",
            Self::Permanent => "permanent",
        }
    }

    /// The outcome of a number, if there is one.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&outcome| outcome as u32 == number)
    }

    /// The outcome that the status of an HTTP response is (SPEC 14.4): `Throttled` for 429 and
    /// 503, `Timeout` for 408 and 504, `Transient` for 425, 500 and 502, `Success` from 100 to
    /// 399, and `Permanent` for any other number.
    ///
    /// ```
    /// use backoff_core::Outcome;
    /// assert_eq!(Outcome::from_http_status(503), Outcome::Throttled);
    /// assert_eq!(Outcome::from_http_status(404), Outcome::Permanent);
    /// ```
    #[must_use]
    pub const fn from_http_status(status: u16) -> Self {
        match status {
            100..=399 => Self::Success,
            408 | 504 => Self::Timeout,
            425 | 500 | 502 => Self::Transient,
            429 | 503 => Self::Throttled,
            _ => Self::Permanent,
        }
    }
}

impl StopReason {
    /// Every reason, in the order of the numbers.
    pub const ALL: [Self; 7] = [
        Self::Success,
        Self::Permanent,
        Self::MaxRetries,
        Self::MaxElapsed,
        Self::Deadline,
        Self::Budget,
        Self::Cancelled,
    ];

    /// The name of the reason, the same in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Permanent => "permanent",
            Self::MaxRetries => "max_retries",
            Self::MaxElapsed => "max_elapsed",
            Self::Deadline => "deadline",
            Self::Budget => "budget",
            Self::Cancelled => "cancelled",
        }
    }

    /// The reason of a number, if there is one.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&reason| reason as u32 == number)
    }
}
