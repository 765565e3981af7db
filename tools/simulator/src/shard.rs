//! Equal parts of the runs.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One of several equal parts of the runs, as text `2/5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    pub(crate) number: u32,
    pub(crate) of: u32,
}

impl Shard {
    /// All runs.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Whether this is all runs.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.of == 1
    }

    /// The runs of this shard of so many runs.
    #[must_use]
    pub fn runs(self, runs: u32) -> Range<u32> {
        let end = |number: u32| {
            let end = u64::from(runs) * u64::from(number) / u64::from(self.of);
            u32::try_from(end).unwrap_or(runs)
        };
        end(self.number - 1)..end(self.number)
    }
}

/// A text that is no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a shard such as 2/5, with a first number from 1 to the second")]
pub struct ShardError(String);

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let wrong = || ShardError(text.to_owned());
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let parse = |digits: &str| -> Option<u32> {
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        let (number, of) = (parse(number).ok_or_else(wrong)?, parse(of).ok_or_else(wrong)?);
        if number == 0 || number > of { Err(wrong()) } else { Ok(Self { number, of }) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Self, ShardError> {
        text.parse()
    }
}
