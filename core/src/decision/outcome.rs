//! The outcome of an attempt, the reason to stop, and the decision (SPEC 13.2, 13.3, 14.4).

use core::fmt;

/// Declares an enum of names, one row each: number and name.
macro_rules! names {
    (
        $(#[$type_doc:meta])* $type:ident
        $($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal;)*
    ) => {
        $(#[$type_doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u32)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$doc])* $variant = $number,)*
        }

        impl $type {
            /// Every variant, in the order of the numbers.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name, the same in every language.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The variant of a number, if there is one.
            pub(crate) const fn from_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

names! {
    /// The outcome of an attempt. Its number is part of the C ABI and never changes.
    Outcome
    /// The attempt succeeded.
    Success = 1, "success";
    /// A failure that may pass.
    Transient = 2, "transient";
    /// A failure because the server is overloaded.
    Throttled = 3, "throttled";
    /// No answer in time.
    Timeout = 4, "timeout";
    /// A failure that another attempt would not fix, or that must not be repeated.
    Permanent = 5, "permanent";
}

names! {
    /// The reason why an operation stopped. Its number is part of the C ABI and never changes.
    StopReason
    /// The attempt succeeded.
    Success = 1, "success";
    /// The failure was permanent.
    Permanent = 2, "permanent";
    /// All retries were made.
    MaxRetries = 3, "max_retries";
    /// The wait would end later than the policy's `max_elapsed` allows.
    MaxElapsed = 4, "max_elapsed";
    /// The wait would end after the deadline.
    Deadline = 5, "deadline";
    /// The budget refused the retry.
    Budget = 6, "budget";
    /// The caller cancelled.
    Cancelled = 7, "cancelled";
}

/// What to do after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Decision {
    /// Wait, then retry.
    Wait {
        /// How long to wait, in nanoseconds.
        delay_ns: u64,
    },
    /// Stop.
    Stop {
        /// Why.
        reason: StopReason,
        /// The wait that was not started, in nanoseconds: 0 unless a time limit, the deadline or
        /// the budget stopped the operation.
        delay_ns: u64,
    },
}

impl Decision {
    /// The delay in nanoseconds: of the wait, or of the wait that was not started.
    #[must_use]
    pub const fn delay_ns(self) -> u64 {
        match self {
            Self::Wait { delay_ns } | Self::Stop { delay_ns, .. } => delay_ns,
        }
    }

    /// The reason to stop, or `None` to wait.
    #[must_use]
    pub const fn stop_reason(self) -> Option<StopReason> {
        match self {
            Self::Wait { .. } => None,
            Self::Stop { reason, .. } => Some(reason),
        }
    }
}

impl Outcome {
    /// The outcome of an HTTP status (SPEC 14.4): `Throttled` for 429 and 503, `Timeout` for 408
    /// and 504, `Transient` for 425, 500 and 502, `Success` for 100 to 399, and `Permanent` for
    /// any other number.
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
