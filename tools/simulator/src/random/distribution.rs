//! Random times.

use std::fmt;
use std::str::FromStr;

use backoff_core::{DurationError, FieldValue, parse_duration_ns};
use serde::{Deserialize, Serialize};

use crate::error::{ExperimentError, check_range};
use crate::limits::MAX_TIME_NS;
use crate::random::draws::Draws;
use crate::random::quantile::{exponential_quantile, unit};

/// How long something takes.
///
/// As text: `10ms`, `uniform:min=5ms,max=15ms`, `exponential:mean=10ms`, or
/// `normal:mean=10ms,sd=2ms`, whose samples are absolute values.
///
/// ```
/// use backoff_sim::Distribution;
/// let leg: Distribution = "normal:mean=10ms,sd=2ms".parse()?;
/// assert_eq!(leg, Distribution::Normal { mean_ns: 10_000_000, sd_ns: 2_000_000 });
/// assert_eq!(leg.to_string(), "normal:mean=10ms,sd=2ms");
/// # Ok::<(), backoff_sim::DistributionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Distribution {
    /// Always the same time.
    Constant(u64),
    /// Every time from the shortest to the longest is equally likely.
    Uniform {
        /// The shortest time in nanoseconds.
        min_ns: u64,
        /// The longest time in nanoseconds.
        max_ns: u64,
    },
    /// The time between events that occur independently at a constant rate.
    Exponential {
        /// The mean in nanoseconds.
        mean_ns: u64,
    },
    /// The absolute value of a normal variable.
    Normal {
        /// The mean in nanoseconds.
        mean_ns: u64,
        /// The standard deviation in nanoseconds.
        sd_ns: u64,
    },
}

impl Distribution {
    /// Checks the numbers of a distribution that was not read from text.
    pub(crate) fn validate(&self) -> Result<(), ExperimentError> {
        let time = |ns| check_range("a random time in ns", ns, 0, MAX_TIME_NS);
        match *self {
            Self::Constant(ns) | Self::Exponential { mean_ns: ns } => time(ns),
            Self::Uniform { min_ns, max_ns } => {
                time(max_ns)?;
                check_range("the shortest random time in ns", min_ns, 0, max_ns)
            }
            Self::Normal { mean_ns, sd_ns } => {
                time(mean_ns)?;
                time(sd_ns)
            }
        }
    }

    /// A sample in nanoseconds.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "the conversion of a float saturates, and times are below 2^53"
    )]
    pub(crate) fn sample(&self, draws: &mut Draws) -> u64 {
        match *self {
            Self::Constant(ns) => ns,
            Self::Uniform { min_ns, max_ns } => {
                let span = u128::from(max_ns - min_ns) + 1;
                min_ns + ((u128::from(draws.next()) * span) >> 64) as u64
            }
            Self::Exponential { mean_ns } => {
                (exponential_quantile(unit(draws.next())) * mean_ns as f64 + 0.5) as u64
            }
            Self::Normal { mean_ns, sd_ns } => {
                let deviation = draws.normal() * sd_ns.cast_signed() as f64;
                // Signed: processors have one instruction for it, and none for unsigned numbers.
                ((mean_ns.cast_signed() as f64 + deviation).abs() + 0.5) as i64 as u64
            }
        }
    }

    /// The mean in nanoseconds. That of absolute values is a little longer.
    #[must_use]
    pub const fn mean_ns(&self) -> u64 {
        match *self {
            Self::Constant(ns) => ns,
            Self::Uniform { min_ns, max_ns } => min_ns + (max_ns - min_ns) / 2,
            Self::Exponential { mean_ns } | Self::Normal { mean_ns, .. } => mean_ns,
        }
    }
}

/// Why a text is no distribution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DistributionError {
    /// The name before the colon is unknown.
    #[error("unknown distribution `{0}`, expected uniform, exponential, normal or a time")]
    UnknownName(String),
    /// What follows the name is not the list of its parameters, in order.
    #[error("`{name}` needs `{name}:{parameters}`")]
    Parameters {
        /// The name of the distribution.
        name: &'static str,
        /// Its parameters.
        parameters: &'static str,
    },
    /// A time cannot be read.
    #[error("{0}")]
    Time(DurationError),
    /// A time is too long.
    #[error("{0} is too long, at most {limit} (104 days)", limit = FieldValue::from_ns(MAX_TIME_NS))]
    TooLong(String),
    /// The shortest time is above the longest.
    #[error("min {min} is above max {max}")]
    MinAboveMax {
        /// The shortest time.
        min: String,
        /// The longest time.
        max: String,
    },
}

fn time(text: &str) -> Result<u64, DistributionError> {
    let ns = parse_duration_ns(text).map_err(DistributionError::Time)?;
    if ns > MAX_TIME_NS { Err(DistributionError::TooLong(text.to_owned())) } else { Ok(ns) }
}

/// The times of `first=TIME,second=TIME`, in this order.
fn times<const N: usize>(
    text: &str,
    names: [&str; N],
) -> Option<Result<[u64; N], DistributionError>> {
    let mut pairs = text.split(',');
    let mut values = [0; N];
    for (value, name) in values.iter_mut().zip(names) {
        let text = pairs.next()?.strip_prefix(name)?.strip_prefix('=')?;
        match time(text) {
            Ok(ns) => *value = ns,
            Err(error) => return Some(Err(error)),
        }
    }
    pairs.next().is_none().then_some(Ok(values))
}

impl FromStr for Distribution {
    type Err = DistributionError;

    fn from_str(text: &str) -> Result<Self, DistributionError> {
        let Some((name, parameters)) = text.split_once(':') else {
            return time(text).map(Self::Constant);
        };
        let wrong = |name, parameters| DistributionError::Parameters { name, parameters };
        match name {
            "uniform" => {
                let wrong = || wrong("uniform", "min=TIME,max=TIME");
                let [min_ns, max_ns] = times(parameters, ["min", "max"]).ok_or_else(wrong)??;
                if min_ns > max_ns {
                    let text = |ns| FieldValue::from_ns(ns).to_string();
                    let (min, max) = (text(min_ns), text(max_ns));
                    return Err(DistributionError::MinAboveMax { min, max });
                }
                Ok(Self::Uniform { min_ns, max_ns })
            }
            "exponential" => {
                let wrong = || wrong("exponential", "mean=TIME");
                let [mean_ns] = times(parameters, ["mean"]).ok_or_else(wrong)??;
                Ok(Self::Exponential { mean_ns })
            }
            "normal" => {
                let wrong = || wrong("normal", "mean=TIME,sd=TIME");
                let [mean_ns, sd_ns] = times(parameters, ["mean", "sd"]).ok_or_else(wrong)??;
                Ok(Self::Normal { mean_ns, sd_ns })
            }
            _ => Err(DistributionError::UnknownName(name.to_owned())),
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = FieldValue::from_ns;
        match *self {
            Self::Constant(ns) => write!(f, "{}", text(ns)),
            Self::Uniform { min_ns, max_ns } => {
                write!(f, "uniform:min={},max={}", text(min_ns), text(max_ns))
            }
            Self::Exponential { mean_ns } => write!(f, "exponential:mean={}", text(mean_ns)),
            Self::Normal { mean_ns, sd_ns } => {
                write!(f, "normal:mean={},sd={}", text(mean_ns), text(sd_ns))
            }
        }
    }
}

impl From<Distribution> for String {
    fn from(distribution: Distribution) -> Self {
        distribution.to_string()
    }
}

impl TryFrom<String> for Distribution {
    type Error = DistributionError;

    fn try_from(text: String) -> Result<Self, DistributionError> {
        text.parse()
    }
}
