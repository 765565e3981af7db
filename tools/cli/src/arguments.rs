//! What several subcommands take as arguments: policies, budgets, durations, seeds and keys.
//!
//! Each is read by the core, so that a command accepts what a program accepts, and says the same
//! about what it refuses.

use std::fmt::Display;
use std::ops::{Deref, RangeInclusive};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use backoff_core::{Budget, Field, Policy, RandomStream, parse_duration_ns};
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};

use crate::refused::refused;

#[derive(Debug, Clone)]
pub(crate) struct PolicyArgument {
    pub(crate) text: String,
    pub(crate) policy: Policy,
}

impl FromStr for PolicyArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let policy = Policy::parse(text).map_err(|error| refused(text, &error, Field::POLICY))?;
        Ok(Self { text: text.to_owned(), policy })
    }
}

impl Deref for PolicyArgument {
    type Target = Policy;

    fn deref(&self) -> &Policy {
        &self.policy
    }
}

#[derive(Debug, Clone)]
pub(crate) struct BudgetArgument {
    pub(crate) text: String,
    // Arguments can be cloned, and a clone has the same account.
    pub(crate) budget: Arc<Budget>,
}

impl FromStr for BudgetArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let budget = Budget::parse(text).map_err(|error| refused(text, &error, Field::BUDGET))?;
        Ok(Self { text: text.to_owned(), budget: Arc::new(budget) })
    }
}

impl Deref for BudgetArgument {
    type Target = Budget;

    fn deref(&self) -> &Budget {
        &self.budget
    }
}

/// Reads a duration such as `100ms` in nanoseconds: `#[arg(value_parser = arguments::duration)]`.
pub(crate) fn duration(text: &str) -> Result<u64, String> {
    parse_duration_ns(text).map_err(|error| error.to_string())
}

pub(crate) fn seed(text: &str) -> Result<u64, String> {
    number(0..=u64::MAX)(text)
}

/// Reads a whole number of a range: `#[arg(value_parser = number(1..=100_u32))]`.
pub(crate) fn number<T: FromStr + PartialOrd + Display + Clone>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|number| is_decimal && range.contains(number));
        number
            .ok_or_else(|| format!("not a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Reads the path of a picture, which is no text for standard output.
pub(crate) fn picture_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if path == Path::new("-") { Err("a picture is written to a file") } else { Ok(path) }
    })
}

/// The seed and the key that select a stream.
#[derive(Debug, Clone, Args)]
pub(crate) struct SeedAndKey {
    /// Seed of the delays: equal seeds and keys give equal delays [default: a random stream]
    #[arg(long, value_parser = seed)]
    pub(crate) seed: Option<u64>,

    /// Key of this client or job: each key has its own delays
    #[arg(long, requires = "seed")]
    pub(crate) key: Option<String>,
}

impl SeedAndKey {
    /// The stream that they select, unless there is no seed.
    pub(crate) fn stream(&self) -> Option<RandomStream> {
        let seed = self.seed?;
        Some(match &self.key {
            Some(key) => RandomStream::from_key(seed, key),
            None => RandomStream::from_seed(seed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{SeedAndKey, seed};

    #[test]
    fn a_seed_is_a_decimal_of_64_bits() {
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(seed("007"), Ok(7));
        for refused in ["", "-1", "+1", "1.0", "0x10", "18446744073709551616", " 1"] {
            let message = "not a whole number from 0 to 18446744073709551615";
            assert_eq!(seed(refused), Err(message.to_owned()), "{refused}");
        }
    }

    #[test]
    fn a_stream_needs_a_seed() {
        let of = |seed, key: Option<&str>| SeedAndKey { seed, key: key.map(str::to_owned) };
        let state = |of: SeedAndKey| of.stream().map(backoff_core::RandomStream::state);
        assert_eq!(state(of(None, None)), None);
        assert_eq!(state(of(Some(42), None)), Some(42));
        // From the documentation of the core.
        assert_eq!(state(of(Some(42), Some("job-1"))), Some(7581291595918318509));
        assert_ne!(state(of(Some(42), Some(""))), Some(42));
    }
}
