//! Stats as text with a prefix and labels (SPEC 17.3).

use core::fmt::{self, Write};

use crate::decision::stats::RetryStats;

/// What the text of stats cannot have.
///
/// ```
/// use backoff_core::{LabelError, RetryStats};
/// let refused = RetryStats::new().prometheus_text("backoff", &[("le", "1")]).unwrap_err();
/// assert_eq!(refused, LabelError::Label(0));
/// assert_eq!(refused.to_string(), "label 0 has a name that it cannot have");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelError {
    /// The prefix cannot begin the name of a metric.
    Prefix,
    /// The label at this position has a name that is not one, that is taken, or that is there twice.
    Label(usize),
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prefix => f.write_str("the prefix cannot begin the name of a metric"),
            Self::Label(at) => write!(f, "label {at} has a name that it cannot have"),
        }
    }
}

impl core::error::Error for LabelError {}

/// The text that [`RetryStats::prometheus_text`] returns: print it.
#[derive(Debug, Clone)]
pub struct PrometheusText<'a> {
    stats: RetryStats,
    prefix: &'a str,
    labels: &'a [(&'a str, &'a str)],
}

impl RetryStats {
    /// The current counts in the text format of Prometheus, with a prefix in place of `backoff`, and with labels
    /// (SPEC 17.3). Values may be any text.
    ///
    /// ```
    /// use backoff_core::RetryStats;
    /// let text = RetryStats::new().prometheus_text("shop", &[("upstream", "a")])?.to_string();
    /// assert!(text.contains("shop_retries_total{upstream=\"a\"} 0\n"));
    /// # Ok::<(), backoff_core::LabelError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first of the prefix and the names of labels that is refused.
    pub fn prometheus_text<'a>(
        &self,
        prefix: &'a str,
        labels: &'a [(&'a str, &'a str)],
    ) -> Result<PrometheusText<'a>, LabelError> {
        if !is_name(prefix, true) {
            return Err(LabelError::Prefix);
        }
        for (at, (name, _)) in labels.iter().enumerate() {
            let is_taken = name.starts_with("__") || ["le", "reason"].contains(name);
            let is_repeated = labels.iter().take(at).any(|(before, _)| before == name);
            if !is_name(name, false) || is_taken || is_repeated {
                return Err(LabelError::Label(at));
            }
        }
        Ok(PrometheusText { stats: self.clone(), prefix, labels })
    }
}

fn is_name(text: &str, may_have_colons: bool) -> bool {
    let is_first =
        |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || (may_have_colons && byte == b':');
    text.bytes().next().is_some_and(is_first)
        && text.bytes().all(|byte| is_first(byte) || byte.is_ascii_digit())
}

impl fmt::Display for PrometheusText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.stats.prometheus() {
            let (head, tail) = line.as_str().split_once("backoff").unwrap_or_default();
            f.write_str(head)?;
            f.write_str(self.prefix)?;
            if !head.is_empty() || self.labels.is_empty() {
                f.write_str(tail)?;
            } else if let Some((name, own)) = tail.split_once('{') {
                self.write_labels(f, name)?;
                write!(f, ",{own}")?;
            } else {
                let (name, count) = tail.split_once(' ').unwrap_or_default();
                self.write_labels(f, name)?;
                write!(f, "}} {count}")?;
            }
            f.write_char('\n')?;
        }
        Ok(())
    }
}

impl PrometheusText<'_> {
    /// Writes the end of a name and the labels, without the last brace.
    fn write_labels(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        f.write_str(name)?;
        for (at, (label, value)) in self.labels.iter().enumerate() {
            write!(f, "{}{label}=\"", if at == 0 { '{' } else { ',' })?;
            for character in value.chars() {
                match character {
                    '\n' => f.write_str("\\n")?,
                    '\\' | '"' => write!(f, "\\{character}")?,
                    other => f.write_char(other)?,
                }
            }
            f.write_char('"')?;
        }
        Ok(())
    }
}
