//! The requests and their answers, which the reference writes. `tests/README.md` says what a line of
//! their file is; `vectors` of this crate is a link to `tests/vectors`.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const FILE: &str = include_str!("../../../vectors/requests.jsonl");

/// The members of answers, some of which `--only` compares.
pub(crate) const MEMBERS: [&str; 16] = [
    "answers",
    "at",
    "budget",
    "canonical",
    "delay_ns",
    "delays",
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

#[derive(Deserialize)]
#[serde(untagged)]
enum Row {
    Clause(Clause),
    Case { clause: String, id: String, why: String, asked: Vec<(String, Line, String)> },
    Unchecked(Unchecked),
}

#[derive(Deserialize)]
struct Clause {
    clause: String,
    title: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Text(String),
    Bytes(Vec<u8>),
}

/// Vectors that have no request.
#[derive(Deserialize, Serialize)]
pub(crate) struct Unchecked {
    pub(crate) clause: String,
    pub(crate) count: usize,
    pub(crate) what: String,
    pub(crate) why: String,
}

pub(crate) struct Case {
    pub(crate) clause: String,
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

#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) cases: Vec<Case>,
    pub(crate) unchecked: Vec<Unchecked>,
    clauses: Vec<Clause>,
}

impl Plan {
    pub(crate) fn new() -> Result<Self> {
        let mut plan = Self::default();
        for line in FILE.lines() {
            match serde_json::from_str(line)? {
                Row::Clause(clause) => plan.clauses.push(clause),
                Row::Unchecked(unchecked) => plan.unchecked.push(unchecked),
                Row::Case { clause, id, why, asked } => {
                    plan.cases.extend(asked.into_iter().map(|(part, line, expected)| Case {
                        clause: clause.clone(),
                        id: id.clone() + &part,
                        why: why.clone(),
                        request: match line {
                            Line::Text(text) => text.into_bytes(),
                            Line::Bytes(bytes) => bytes,
                        },
                        expected,
                        is_part: false,
                    }));
                }
            }
        }
        Ok(plan)
    }

    pub(crate) fn only(&mut self, clauses: &[String]) {
        let is_kept = |clause: &str| clauses.iter().any(|outer| is_within(clause, outer));
        self.cases.retain(|case| is_kept(&case.clause));
        self.unchecked.retain(|unchecked| is_kept(&unchecked.clause));
    }

    /// Leaves the requests whose answers have some of these members, and compares only those.
    pub(crate) fn only_members(&mut self, members: &[String]) {
        let cases = std::mem::take(&mut self.cases);
        self.cases = cases.into_iter().filter_map(|case| case.part(members)).collect();
        self.unchecked.clear();
    }

    pub(crate) fn title(&self, clause: &str) -> &str {
        let known = self.clauses.iter().find(|known| known.clause == clause);
        known.map_or("", |known| &known.title)
    }
}

/// Whether a clause is another one, or a part of it: 11.5 is within 11.
fn is_within(clause: &str, outer: &str) -> bool {
    clause.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Reads a clause that requests are about: `11`, `11.5` or `protocol`.
pub(crate) fn clause(text: &str) -> Result<String, String> {
    let clauses = Plan::new().map_err(|error| error.to_string())?.clauses;
    if clauses.iter().any(|known| is_within(&known.clause, text)) {
        return Ok(text.to_owned());
    }
    let names: Vec<_> = clauses.iter().map(|known| known.clause.as_str()).collect();
    let (protocol, numbers) = names.split_last().unwrap_or((&"", &[]));
    Err(format!(
        "no request is about this clause; the clauses are {} and {protocol}, \
         and 11 stands for 11.2 and all others of 11",
        numbers.join(", ")
    ))
}

impl Case {
    /// The case with only these members of its answer, if it has any of them.
    fn part(mut self, members: &[String]) -> Option<Self> {
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
        let objects = object(self.expected.as_bytes()).zip(object(answer));
        objects.is_some_and(|(expected, answer)| {
            expected.iter().all(|(name, value)| answer.get(name) == Some(value))
        })
    }

    /// The first byte that differs, and the members that do. Parts of answers have no bytes to compare.
    pub(crate) fn difference(&self, answer: &[u8]) -> (Option<usize>, Vec<String>) {
        let pairs = self.expected.bytes().zip(answer);
        let same = pairs.take_while(|(expected, answer)| expected == *answer).count();
        let at = (!self.is_part).then_some(same);
        let Some((expected, answer)) = object(self.expected.as_bytes()).zip(object(answer)) else {
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
        let hex = self.request.iter().map(|byte| format!("{byte:02x}"));
        RequestText { request, request_hex: request.is_none().then(|| hex.collect()) }
    }
}

#[derive(Serialize)]
pub(crate) struct RequestText<'a> {
    request: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_hex: Option<String>,
}

pub(crate) fn object(line: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(line).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Case, MEMBERS, Plan, object};

    fn case(expected: &str) -> Case {
        let mut case = Plan::new().unwrap().cases.remove(0);
        case.expected = expected.to_owned();
        case
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
        let mut found = BTreeSet::new();
        for case in Plan::new().unwrap().cases {
            found.extend(object(case.expected.as_bytes()).unwrap().keys().cloned());
        }
        assert_eq!(Vec::from_iter(found), MEMBERS);
    }
}
