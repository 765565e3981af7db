//! A policy as one line of text, read and printed (SPEC 11).

use core::fmt;
use core::str::FromStr;

use crate::error::PolicyError;
use crate::field::Field;
use crate::line::{Line, LineKind};
use crate::params::Params;
use crate::parse_error::ParseError;
use crate::policy::Policy;
use crate::ratio::Ratio;
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
        let mut params = Params::default();
        for field in Field::ALL {
            if let Some(word) = line.word(field) {
                params.set(field, word);
            }
        }
        params.build().map_err(|error| {
            let PolicyError { code, field, value, limit } = error;
            line.refused(code, field, value, limit)
        })
    }

    /// The line that describes this policy, without presets: parsed, it is an equal policy.
    /// Equal policies have equal lines.
    #[must_use]
    pub fn line(&self) -> Text {
        let params = self.least_params();
        let mut text = Text::new();
        text.push_word(Field::Growth.unit(), self.growth.into());
        let mut separator = ":";
        for field in Field::ALL.into_iter().skip(1) {
            let Some(word) = params.word(field) else { continue };
            let both = params.word(Field::JitterBelow);
            let both = both.filter(|below| params.word(Field::JitterAbove) == Some(*below));
            match (field, both) {
                (Field::JitterBelow | Field::JitterAbove, Some(_)) => {}
                (Field::Jitter, Some(part)) => {
                    text.push(separator).push(field.name()).push("=");
                    text.push_ratio(Ratio::from_word(part));
                }
                _ => {
                    text.push(separator).push(field.name()).push("=");
                    text.push_word(field.unit(), word);
                }
            }
            separator = ",";
        }
        text
    }

    /// The fields that this policy cannot do without: those that it would not be the same
    /// without.
    pub(crate) fn least_params(&self) -> Params {
        let all = self.params();
        let mut least = all;
        for field in Field::ALL {
            let mut without = all;
            without.clear(field);
            if without.build().as_ref() == Ok(self) {
                least.clear(field);
            }
        }
        // Both parts of proportional jitter, if they are equal, are printed as one.
        if all.word(Field::JitterBelow) == all.word(Field::JitterAbove) {
            for field in [Field::JitterBelow, Field::JitterAbove] {
                if let Some(word) = all.word(field) {
                    least.set(field, word);
                }
            }
        }
        least
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
