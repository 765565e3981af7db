//! Stats as text with a prefix and labels (SPEC 17.3).

use core::fmt;

use crate::decision::stats::RetryStats;
use crate::error::message::Excerpt;

/// A prefix or the name of a label that the text of stats cannot have.
///
/// ```
/// use backoff_core::RetryStats;
/// let refused = RetryStats::new().prometheus_text("backoff", &[("le", "1")]).unwrap_err();
/// assert_eq!(refused.to_string(), "\"le\" cannot be the name of a label: the metrics have their own");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelError {
    found: Excerpt,
    rule: &'static str,
}

/// What is refused.
#[derive(Debug, Clone, Copy)]
pub enum Refused {
    /// The prefix.
    Prefix,
    /// The name of the label at this position.
    Label(usize),
}

impl LabelError {
    fn of(refused: Refused, prefix: &str, labels: &[(&str, &str)]) -> Self {
        let (found, rule) = match refused {
            Refused::Prefix => (
                prefix,
                "cannot begin the name of a metric: a prefix has letters, digits, _ and :, and no digit in front",
            ),
            Refused::Label(at) => {
                let name = labels.get(at).map_or("", |label| label.0);
                (name, broken_rule(name))
            }
        };
        Self { found: Excerpt::new(found.as_bytes()), rule }
    }
}

/// The rule that the name of a label breaks.
fn broken_rule(name: &str) -> &'static str {
    if !is_name(name, false) {
        "cannot be the name of a label: a name has letters, digits and _, and no digit in front"
    } else if name.starts_with("__") {
        "cannot be the name of a label: Prometheus keeps names with __ in front for itself"
    } else if is_taken(name) {
        "cannot be the name of a label: the metrics have their own"
    } else {
        "is the name of two labels"
    }
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.found, self.rule)
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
        check(prefix, &|at| labels.get(at).copied())
            .map_err(|refused| LabelError::of(refused, prefix, labels))?;
        Ok(PrometheusText { stats: self.clone(), prefix, labels })
    }
}

/// Labels by their position, until there are no more.
pub(crate) type Labels<'a> = &'a dyn Fn(usize) -> Option<(&'a str, &'a str)>;

/// Whether the prefix and the labels are allowed.
pub(crate) fn check(prefix: &str, labels: Labels) -> Result<(), Refused> {
    if !is_name(prefix, true) {
        return Err(Refused::Prefix);
    }
    for (at, (name, _)) in (0..).map_while(labels).enumerate() {
        let is_repeated = (0..at).map_while(labels).any(|(before, _)| before == name);
        if !is_name(name, false) || is_taken(name) || is_repeated {
            return Err(Refused::Label(at));
        }
    }
    Ok(())
}

fn is_taken(name: &str) -> bool {
    name.starts_with("__") || name == "le" || name == "reason"
}

fn is_name(text: &str, may_have_colons: bool) -> bool {
    let is_first =
        |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || (may_have_colons && byte == b':');
    text.bytes().next().is_some_and(is_first)
        && text.bytes().all(|byte| is_first(byte) || byte.is_ascii_digit())
}

impl fmt::Display for PrometheusText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = |at| self.labels.get(at).copied();
        write(&self.stats, self.prefix, &labels, &mut |piece| f.write_str(piece))
    }
}

/// Writes the text piece by piece, with a prefix and labels that are allowed.
pub(crate) fn write(
    stats: &RetryStats,
    prefix: &str,
    labels: Labels,
    piece: &mut dyn FnMut(&str) -> fmt::Result,
) -> fmt::Result {
    for line in stats.prometheus() {
        // Before a name there is nothing, "# HELP " or "# TYPE ".
        let line = line.as_str();
        let (head, tail) = if line.starts_with('#') { cut(line, 7) } else { ("", line) };
        let tail = tail.strip_prefix("backoff").unwrap_or_default();
        piece(head)?;
        piece(prefix)?;
        let end = tail.bytes().position(|byte| byte == b'{' || byte == b' ');
        let (name, rest) = cut(tail, end.unwrap_or_default());
        let mut before = "{";
        if head.is_empty() {
            piece(name)?;
            for (label, value) in (0..).map_while(labels) {
                piece(before)?;
                piece(label)?;
                piece("=\"")?;
                write_value(value, piece)?;
                before = "\",";
            }
        }
        let (end, rest) = match rest.strip_prefix('{') {
            _ if !head.is_empty() => ("", tail),
            Some(own) => (before, own),
            None if before == "{" => ("", rest),
            None => ("\"}", rest),
        };
        piece(end)?;
        piece(rest)?;
        piece("\n")?;
    }
    Ok(())
}

fn write_value(value: &str, piece: &mut dyn FnMut(&str) -> fmt::Result) -> fmt::Result {
    let mut rest = value;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'\\' | b'"' | b'\n')) {
        let (plain, tail) = cut(rest, at);
        let (special, after) = cut(tail, 1);
        piece(plain)?;
        piece("\\")?;
        piece(if special == "\n" { "n" } else { special })?;
        rest = after;
    }
    piece(rest)
}

/// The text before and from a place at which a character begins.
fn cut(text: &str, at: usize) -> (&str, &str) {
    text.split_at_checked(at).unwrap_or_default()
}
