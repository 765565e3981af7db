//! A policy as one line of text, read and printed (SPEC 11).

use core::fmt;
use core::str::FromStr;

use crate::line::{Line, LineKind, print};
use crate::parse_error::ParseError;
use crate::policy::Policy;
use crate::text::Text;

impl Policy {
    /// The policy that a line describes: `full:base=100ms,cap=20s,max_retries=5`, or a preset,
    /// with changes or without: `aws-sdk-2026:max_retries=5`.
    ///
    /// # Errors
    /// The first rule of SPEC 11 or 8 that the line breaks, where, and what was found there.
    ///
    /// ```
    /// use backoff_core::Policy;
    /// let policy = Policy::parse("aws-sdk-2026:max_retries=5")?;
    /// assert_eq!(
    ///     policy.to_string(),
    ///     "exponential:base=50ms,cap=20s,jitter=full,max_retries=5,throttled_base=1s,hint_max_extra=5s"
    /// );
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    pub fn parse(line: impl AsRef<[u8]>) -> Result<Self, ParseError> {
        let line = Line::read(LineKind::Policy, line.as_ref())?;
        line.params().build().map_err(|error| line.refused(error))
    }

    /// The line that describes this policy, without presets: parsed, it is an equal policy.
    /// Equal policies have equal lines.
    #[must_use]
    pub fn line(&self) -> Text {
        print(LineKind::Policy, &self.words())
    }
}

impl FromStr for Policy {
    type Err = ParseError;

    fn from_str(line: &str) -> Result<Self, ParseError> {
        Self::parse(line)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.line().as_str())
    }
}
