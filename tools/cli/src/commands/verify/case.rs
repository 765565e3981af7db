//! A request and its answer.

use serde::Serialize;
use serde_json::{Map, Value};

/// The members of answers, some of which `--only` compares.
pub(crate) const MEMBERS: [&str; 15] = [
    "answers",
    "at",
    "budget",
    "canonical",
    "delay_ns",
    "error",
    "field",
    "limit",
    "local",
    "of",
    "outcome",
    "retry_after",
    "rows",
    "stats",
    "value",
];

/// A request and its answer.
pub(crate) struct Case {
    pub(crate) clause: &'static str,
    /// File, case, and which part of the case, as in `jitters/full[3]`.
    pub(crate) id: String,
    pub(crate) why: String,
    /// A line, without its line feed. Some requests are not UTF-8.
    pub(crate) request: Vec<u8>,
    /// The line that must be answered, without its line feed.
    pub(crate) expected: String,
    /// Whether `expected` has some members of the answer only.
    pub(crate) is_part: bool,
}

impl Case {
    pub(crate) const fn new(
        clause: &'static str,
        id: String,
        why: String,
        request: Vec<u8>,
        expected: String,
    ) -> Self {
        Self { clause, id, why, request, expected, is_part: false }
    }

    /// The case with only these members of its answer, if it has any of them.
    pub(crate) fn part(mut self, members: &[String]) -> Option<Self> {
        let mut expected = object(self.expected.as_bytes())?;
        expected.retain(|name, _| members.contains(name));
        self.expected = Value::Object(expected).to_string();
        self.is_part = true;
        (self.expected != "{}").then_some(self)
    }

    /// Whether an answer is the expected one, to the byte, or has the expected members.
    pub(crate) fn is_right(&self, answer: &[u8]) -> bool {
        if !self.is_part {
            return answer == self.expected.as_bytes();
        }
        let (Some(expected), Some(answer)) = (object(self.expected.as_bytes()), object(answer))
        else {
            return false;
        };
        expected.iter().all(|(name, value)| answer.get(name) == Some(value))
    }

    /// Whether an answer says that the program cannot answer such requests.
    pub(crate) fn is_unsupported(answer: &[u8]) -> bool {
        let unsupported = Map::from_iter([("unsupported".to_owned(), Value::Bool(true))]);
        object(answer) == Some(unsupported)
    }

    /// Whether an answer was meant to say that.
    pub(crate) fn is_almost_unsupported(answer: &[u8]) -> bool {
        object(answer).is_some_and(|object| object.contains_key("unsupported"))
            && !Self::is_unsupported(answer)
    }

    /// The first byte that differs, and the members that do. Parts of answers have no bytes to compare.
    pub(crate) fn difference(&self, answer: &[u8]) -> (Option<usize>, Vec<String>) {
        let pairs = self.expected.bytes().zip(answer);
        let same = pairs.take_while(|(expected, answer)| expected == *answer).count();
        let at = (!self.is_part).then_some(same);
        let (Some(expected), Some(answer)) = (object(self.expected.as_bytes()), object(answer))
        else {
            return (at, Vec::new());
        };
        let mut names: Vec<_> = expected.keys().cloned().collect();
        if !self.is_part {
            names.extend(answer.keys().filter(|name| !expected.contains_key(*name)).cloned());
        }
        names.sort();
        names.retain(|name| expected.get(name) != answer.get(name));
        (at, names)
    }

    /// The request as text, or in hexadecimal if it is not UTF-8.
    pub(crate) fn request_text(&self) -> RequestText<'_> {
        let request = std::str::from_utf8(&self.request).ok();
        let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default();
        let hex = self.request.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
        let request_hex = request.is_none().then(|| hex.collect());
        RequestText { request, request_hex }
    }
}

/// One of the two.
#[derive(Serialize)]
pub(crate) struct RequestText<'a> {
    request: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_hex: Option<String>,
}

/// The object that a line is.
fn object(line: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(line).ok()
}

#[cfg(test)]
mod tests {
    use super::{Case, MEMBERS};
    use crate::commands::verify::plan::Plan;

    fn case(expected: &str) -> Case {
        Case::new("2.1", String::new(), String::new(), Vec::new(), expected.to_owned())
    }

    #[test]
    fn differences_name_the_first_byte_and_the_members() {
        let whole = case(r#"{"a":1}"#);
        assert_eq!(whole.difference(br#"{"a":2}"#), (Some(5), vec!["a".to_owned()]));
        assert_eq!(whole.difference(br#"{"a": 1}"#), (Some(5), vec![]));
        assert_eq!(whole.difference(b"{"), (Some(1), vec![]));
        let part = case(r#"{"a":1,"b":2}"#).part(&["b".to_owned()]).unwrap();
        assert_eq!(part.difference(br#"{"b":3,"c":4}"#), (None, vec!["b".to_owned()]));
    }

    #[test]
    fn a_part_compares_its_members() {
        let part = case(r#"{"a":"x","b":2}"#).part(&["a".to_owned(), "z".to_owned()]).unwrap();
        assert_eq!(part.expected, r#"{"a":"x"}"#);
        assert!(part.is_right(br#"{"a":"x"}"#) && part.is_right(br#"{ "b": 3, "a": "x" }"#));
        assert!(!part.is_right(br#"{"b":2}"#) && !part.is_right(b"x") && !part.is_right(b"[]"));
        assert!(case(r#"{"a":1}"#).part(&["b".to_owned()]).is_none());
    }

    #[test]
    fn every_member_of_an_answer_is_listed() {
        let mut found = std::collections::BTreeSet::new();
        for case in Plan::new().unwrap().cases {
            found.extend(super::object(case.expected.as_bytes()).unwrap().keys().cloned());
        }
        assert_eq!(Vec::from_iter(found), MEMBERS);
    }
}
