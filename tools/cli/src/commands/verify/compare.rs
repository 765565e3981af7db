//! Compares answers with what was expected, byte for byte.

use serde_json::Value;

use super::case::Case;

/// The answers to the cases.
pub(crate) struct Comparison {
    /// One for each case.
    pub(crate) results: Vec<Checked>,
    /// Faults that many answers share.
    pub(crate) hints: Vec<String>,
}

/// What was answered to a case.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    Passed,
    /// Another answer.
    Failed(Vec<u8>),
    Unanswered,
    /// The program says that it does not answer such requests.
    Unsupported,
}

/// After a line too few or too many, this many lines must be right again.
const RIGHT_AGAIN: usize = 4;

/// A byte order mark in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

impl Comparison {
    /// Compares the answers in their order.
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
            } else if Case::is_unsupported(answer) {
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

    /// Whether there are answers, all of which are unsupported.
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

/// The beginning of a line.
fn text(answer: &[u8]) -> String {
    String::from_utf8_lossy(answer).chars().take(80).collect()
}

/// Whether the next answers are those of these cases.
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
            Checked::Failed(answer) => Some((case, answer)),
            _ => None,
        })
    };
    let mut count = |count: usize, what: &str| {
        if count > 0 {
            hints.push(format!("{count} {} {what}", if count == 1 { "answer" } else { "answers" }));
        }
    };
    let empty = failed().filter(|(_, answer)| answer.is_empty()).count();
    count(empty, "without content");
    let invalid = failed().filter(|(_, answer)| std::str::from_utf8(answer).is_err()).count();
    count(invalid, "not in UTF-8");
    let returns = failed().filter(|(_, answer)| !is_crlf && answer.ends_with(b"\r")).count();
    count(returns, "with CRLF at the end; it must be a line feed alone");
    let almost = failed().filter(|(_, answer)| Case::is_almost_unsupported(answer)).count();
    count(almost, "whose \"unsupported\" must be true, and the only member");
    let same = failed().filter(|(case, answer)| is_same_json(&case.expected, answer)).count();
    count(same, "with the right JSON in other bytes: no spaces, and the order of members is fixed");
}

fn json(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}

/// Whether a hint tells what is wrong with a wrong answer.
pub(crate) fn has_hint(expected: &str, answer: &[u8]) -> bool {
    answer.is_empty() || Case::is_almost_unsupported(answer) || is_same_json(expected, answer)
}

fn is_same_json(expected: &str, answer: &[u8]) -> bool {
    json(expected.as_bytes()) == json(answer)
}

#[cfg(test)]
mod tests {
    use super::{Checked, Comparison};
    use crate::commands::verify::case::Case;

    fn cases(count: usize) -> Vec<Case> {
        let case = |number: usize| {
            let (id, expected) = (format!("case-{number}"), number.to_string());
            Case::new("2.1", id, String::new(), Vec::new(), expected)
        };
        (0..count).map(case).collect()
    }

    fn compared(answers: &[&str]) -> Comparison {
        let answers = answers.iter().map(|answer| answer.as_bytes().to_vec()).collect();
        Comparison::new(&cases(8), answers)
    }

    #[test]
    fn right_answers_have_no_hints() {
        assert!(compared(&["0", "1", "2", "3", "4", "5", "6", "7"]).is_right());
    }

    #[test]
    fn a_line_that_is_missing_or_too_many_makes_no_other_answer_wrong() {
        let missing = compared(&["0", "2", "3", "4", "5", "6", "7"]);
        assert_eq!(missing.results[1], Checked::Unanswered);
        assert_eq!(missing.results.iter().filter(|one| **one == Checked::Passed).count(), 7);
        assert_eq!(missing.hints, ["no line answers case-1"]);

        let more = compared(&["ready", "0", "1", "2", "3", "4", "5", "6", "7"]);
        assert!(more.results.iter().all(|result| *result == Checked::Passed));
        assert_eq!(more.hints, ["a line before the answer to case-0: ready"]);
        assert!(!more.is_right());

        let last = compared(&["0", "1", "2", "3", "4", "5", "6", "7", "bye"]);
        assert_eq!(last.hints, ["a line after the last answer: bye"]);
        let first = compared(&["0", "1", "2", "3", "4", "5", "6"]);
        assert_eq!(first.results[7], Checked::Unanswered);
        assert!(!first.is_right());
    }

    #[test]
    fn a_wrong_answer_stays_one() {
        let wrong = compared(&["0", "x", "2", "3", "4", "5", "6", ""]);
        assert_eq!(wrong.results[1], Checked::Failed(b"x".to_vec()));
        assert_eq!(wrong.results[7], Checked::Failed(Vec::new()));
        assert_eq!(wrong.hints, ["1 answer without content"]);
    }

    #[test]
    fn what_is_unsupported_is_not_wrong() {
        const NO: &str = r#"{"unsupported": true}"#;
        let some = compared(&["0", NO, "2", "3", "4", "5", "6", NO]);
        assert_eq!([&some.results[1], &some.results[7]], [&Checked::Unsupported; 2]);
        assert!(some.is_right());
        assert!(!compared(&["0", NO, "x", "3", "4", "5", "6", NO]).is_right());
        assert!(!compared(&[NO; 8]).is_right(), "nothing was checked");
        assert!(compared(&[NO; 8]).is_unsupported() && !some.is_unsupported());
    }

    #[test]
    fn unsupported_is_true_and_nothing_else() {
        for answer in [
            r#"{"unsupported":1}"#,
            r#"{"unsupported":false}"#,
            r#"{"unsupported":"true"}"#,
            r#"{"unsupported":true,"why":"later"}"#,
        ] {
            let other = compared(&["0", answer, "2", "3", "4", "5", "6", "7"]);
            assert_eq!(other.results[1], Checked::Failed(answer.as_bytes().to_vec()));
            let hint = r#"1 answer whose "unsupported" must be true, and the only member"#;
            assert_eq!(other.hints, [hint]);
        }
    }
}
