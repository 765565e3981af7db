//! Compares answers with what was expected, byte for byte.

use serde_json::Value;

use super::requests::{Case, object};

pub(crate) struct Comparison {
    pub(crate) results: Vec<Checked>,
    /// Faults that many answers share.
    pub(crate) hints: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    Passed,
    Failed(Vec<u8>),
    Unanswered,
    /// The program says that it does not answer such requests.
    Unsupported,
}

/// After a line too few or too many, this many lines must be right again.
const RIGHT_AGAIN: usize = 4;

const MARK: &[u8] = b"\xef\xbb\xbf";

impl Comparison {
    pub(crate) fn new(cases: &[Case], mut answers: Vec<Vec<u8>>) -> Self {
        let mut hints = Vec::new();
        if let Some(rest) = answers.first().and_then(|first| first.strip_prefix(MARK)) {
            answers[0] = rest.to_vec();
            let hint =
                "a byte order mark (\u{feff}) before the first answer; it must not be written";
            hints.push(hint.to_owned());
        }
        let is_crlf = answers.iter().all(|answer| answer.ends_with(b"\r"));
        if is_crlf && !answers.is_empty() {
            for answer in &mut answers {
                answer.pop();
            }
            hints.push("answers end in CRLF; they must end in a line feed alone".to_owned());
        }
        let mut results = Vec::with_capacity(cases.len());
        let mut answers = answers.as_slice();
        while let Some(case) = cases.get(results.len()) {
            let rest = &cases[results.len()..];
            let Some((answer, after)) = answers.split_first() else {
                results.push(Checked::Unanswered);
                continue;
            };
            if case.is_right(answer) {
                results.push(Checked::Passed);
            } else if is_unsupported(answer) {
                results.push(Checked::Unsupported);
            } else if answers.len() < rest.len() && are_right(&rest[1..], answers) {
                hints.push(format!("no line answers {}", case.id));
                results.push(Checked::Unanswered);
                continue;
            } else if answers.len() > rest.len() && are_right(rest, after) {
                hints.push(format!("a line before the answer to {}: {}", case.id, text(answer)));
                answers = after;
                continue;
            } else {
                results.push(Checked::Failed(answer.clone()));
            }
            answers = after;
        }
        if !answers.is_empty() {
            hints.push(format!("a line after the last answer: {}", text(&answers[0])));
        }
        add_hints(&mut hints, cases, &results, is_crlf);
        Self { results, hints }
    }

    pub(crate) fn is_unsupported(&self) -> bool {
        let is_unsupported = |result: &Checked| *result == Checked::Unsupported;
        !self.results.is_empty() && self.results.iter().all(is_unsupported)
    }

    /// Whether every answer was right or unsupported, one at least was right, and nothing else was
    /// written.
    pub(crate) fn is_right(&self) -> bool {
        let is_wrong = |result: &Checked| !matches!(result, Checked::Passed | Checked::Unsupported);
        self.hints.is_empty()
            && !self.results.iter().any(is_wrong)
            && self.results.contains(&Checked::Passed)
    }
}

/// Whether an answer says that the program cannot answer such requests.
fn is_unsupported(answer: &[u8]) -> bool {
    object(answer)
        .is_some_and(|object| object.len() == 1 && object.get("unsupported") == Some(&true.into()))
}

/// Whether an answer was meant to say that.
fn is_almost_unsupported(answer: &[u8]) -> bool {
    object(answer).is_some_and(|object| object.contains_key("unsupported"))
        && !is_unsupported(answer)
}

fn text(answer: &[u8]) -> String {
    String::from_utf8_lossy(answer).chars().take(80).collect()
}

fn are_right(cases: &[Case], answers: &[Vec<u8>]) -> bool {
    let pairs = cases.iter().zip(answers).take(RIGHT_AGAIN);
    let count = cases.len().min(RIGHT_AGAIN);
    count > 0
        && answers.len() >= count
        && pairs.into_iter().all(|(case, answer)| case.is_right(answer))
}

fn add_hints(hints: &mut Vec<String>, cases: &[Case], results: &[Checked], is_crlf: bool) {
    let failed = || {
        let pairs = cases.iter().zip(results);
        pairs.filter_map(|(case, result)| match result {
            Checked::Failed(answer) => Some((case, answer.as_slice())),
            _ => None,
        })
    };
    let mut count = |what: &str, is_so: &dyn Fn(&Case, &[u8]) -> bool| {
        let count = failed().filter(|(case, answer)| is_so(case, answer)).count();
        if count > 0 {
            hints.push(format!("{count} {} {what}", if count == 1 { "answer" } else { "answers" }));
        }
    };
    count("without content", &|_, answer| answer.is_empty());
    count("not in UTF-8", &|_, answer| std::str::from_utf8(answer).is_err());
    let is_return = |_: &Case, answer: &[u8]| !is_crlf && answer.ends_with(b"\r");
    count("with CRLF at the end; it must be a line feed alone", &is_return);
    let almost = "whose \"unsupported\" must be true, and the only member";
    count(almost, &|_, answer| is_almost_unsupported(answer));
    let same = "with the right JSON in other bytes: no spaces, and the order of members is fixed";
    count(same, &|case, answer| is_same_json(&case.expected, answer));
}

fn json(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}

/// Whether a hint tells what is wrong with a wrong answer.
pub(crate) fn has_hint(expected: &str, answer: &[u8]) -> bool {
    answer.is_empty() || is_almost_unsupported(answer) || is_same_json(expected, answer)
}

fn is_same_json(expected: &str, answer: &[u8]) -> bool {
    json(expected.as_bytes()) == json(answer)
}

#[cfg(test)]
mod tests {
    use super::{Checked, Comparison};
    use crate::commands::verify::requests::Plan;

    #[test]
    fn unsupported_is_true_and_nothing_else() {
        for answer in [
            r#"{"unsupported":1}"#,
            r#"{"unsupported":false}"#,
            r#"{"unsupported":"true"}"#,
            r#"{"unsupported":true,"why":"later"}"#,
        ] {
            let cases = &Plan::new().unwrap().cases[..1];
            let other = Comparison::new(cases, vec![answer.as_bytes().to_vec()]);
            assert_eq!(other.results[0], Checked::Failed(answer.as_bytes().to_vec()));
            let hint = r#"1 answer whose "unsupported" must be true, and the only member"#;
            assert_eq!(other.hints, [hint]);
        }
    }
}
