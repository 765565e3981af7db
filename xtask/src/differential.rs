//! The evaluators of the languages: requests in, answers out (`tests/README.md`); and random requests, valid and broken,
//! to which all must give the same answers.

use std::process::Stdio;

use backoff_core::{ErrorCode, StopReason};

use crate::languages::{Language, named};
use crate::shell::*;

const SEED: &str = "20261121";
const POLICIES: &str = "13000";
/// The least number of delays that the requests must ask for, so that the test stays large.
const DELAYS: usize = 1_000_000;
/// The least number of requests that must hold an invalid policy.
const INVALID: usize = 500;
/// The reference is slow, so it answers only this many of the policies.
const REFERENCE_POLICIES: usize = 1500;

const STRINGS: &str = "20000";
/// The least number of strings that must be valid, and that must have each error.
const VALID_STRINGS: usize = 3000;
const STRINGS_PER_ERROR: usize = 10;

const DECISIONS: &str = "10000";
/// What the answers to these requests must contain, and at least how often.
const HELD: &[(usize, &str)] = &[
    (10_000, r#"{"wait":"#),
    (3000, r#""answers":[{"#),
    (800, r#"{"error":"not_a_request","at":0}"#),
    (700, r#"{"retry_after":""#),
    (600, r#""of":"budget"}"#),
    (500, r#"{"rows":[["#),
    (300, r#""budget":null,"answers":[{  "budget":"quota  "budget":"throttle  "budget":"ratio"#),
    (300, r#""budget":"rate  "budget":"ttl  "budget":"concurrent"#),
    (250, r#"{"retry_after":null}"#),
    (100, r#"{"rows":[]}"#),
    (50, r#""field":"max_attempts",  "field":"base",  "field":"cap","#),
];
/// The least number of policies that must be fitted.
const FITS: usize = 400;
/// The least number of stops for each reason.
const STOPS_PER_REASON: usize = 1500;

const MEMBERS: &str = "3000";
const HELD_OF_MEMBERS: &[(usize, &str)] = &[
    (3000, r#""local":true  {"answer":"waits","#),
    (2500, r#""changed":true,"#),
    (1500, r#"{"granted":["#),
    (800, r#"{"granted":true,"#),
    (700, r#"{"granted":false,  {"wait":""#),
    (500, r#"{"error":"not_now"}"#),
    (300, r#"{"wait":null,  "answer":"granted","held":"0","local":false"#),
    (200, r#"{"outcome":"throttled","retry_after":"  ,"retry_after":null}"#),
    (150, r#"{"error":"not_a_request","at":0}"#),
    (100, r#""changed":false,"steps":[{  {"after":null,"#),
    (50, r#"{"error":"not_a_state","at":0,"of":"text"}"#),
    (30, r#""of":"budget"}"#),
    (10, r#""of":"local"}  {"error":"not_shared","#),
];

pub(crate) struct Differential {
    requests: PathBuf,
    answers: String,
}

impl Differential {
    /// Policies as fields, with delays asked for in every way. One language answers all of them,
    /// and the reference must agree on a part.
    pub(crate) fn of_fields(first: &Language) -> Result<Self> {
        let lines = random_requests("field_requests.py", POLICIES)?;
        let questions = requests("fields.jsonl", &lines)?;
        let answers = (first.evaluator)()?.answers(&questions)?;

        let answered = |begin| answers.lines().filter(move |line| line.starts_with(begin));
        // Each delay is the only text in quotes but the name of the member.
        let quotes = |line: &str| line.matches('"').count() / 2 - 1;
        let delays: usize = answered(r#"{"delays":["#).map(quotes).sum();
        ensure!(delays >= DELAYS, "only {delays} delays");
        let errors = answered(r#"{"error":"#).count();
        ensure!(errors >= INVALID, "only {errors} invalid policies");
        progress(&format!("{delays} delays, {errors} invalid policies"));

        let part = |text: &str| -> String {
            text.lines().take(REFERENCE_POLICIES).flat_map(|line| [line, "\n"]).collect()
        };
        let sample = requests("reference.jsonl", &part(&lines))?;
        compare(&sample, &reference().answers(&sample)?, &part(&answers))?;
        Ok(Self { requests: questions, answers })
    }

    fn of(name: &str, count: &str, texts: &[(usize, &str)]) -> Result<Self> {
        let lines = random_requests(&format!("{name}_requests.py"), count)?;
        let requests = requests(&format!("{name}s.jsonl"), &lines)?;
        let answers = reference().answers(&requests)?;
        for (least, texts) in texts {
            texts.split_whitespace().try_for_each(|text| held(&answers, text, *least))?;
        }
        progress(&format!("{count} random {name}s"));
        Ok(Self { requests, answers })
    }

    pub(crate) fn of_strings() -> Result<Self> {
        let found = Self::of("string", STRINGS, &[(VALID_STRINGS, r#""canonical":"#)])?;
        // Only a fit has `does_not_fit`.
        let codes = ErrorCode::ALL.iter().map(|code| code.name());
        for code in codes.filter(|code| *code != "does_not_fit").chain(["not_a_request"]) {
            held(&found.answers, &format!(r#"{{"error":"{code}","#), STRINGS_PER_ERROR)?;
        }
        Ok(found)
    }

    /// Decisions, previews, fits and values of Retry-After.
    pub(crate) fn of_decisions() -> Result<Self> {
        let found = Self::of("decision", DECISIONS, HELD)?;
        let is_fit = |line: &&str| line.starts_with(r#"{"canonical":"#) && line.ends_with(r#""}"#);
        let fits = found.answers.lines().filter(is_fit).count();
        ensure!(fits >= FITS, "only {fits} policies are fitted");
        for reason in StopReason::ALL {
            held(&found.answers, &format!(r#"{{"stop":"{reason}","#), STOPS_PER_REASON)?;
        }
        for code in ErrorCode::ALL {
            held(&found.answers, &format!(r#"{{"error":"{}","#, code.name()), 1)?;
        }
        Ok(found)
    }

    /// Responses, states of budgets and exchanges of shared ones.
    pub(crate) fn of_members() -> Result<Self> {
        Self::of("member", MEMBERS, HELD_OF_MEMBERS)
    }

    pub(crate) fn agrees(&self, evaluator: &Program) -> Result<()> {
        compare(&self.requests, &self.answers, &evaluator.answers(&self.requests)?)
    }
}

/// Fails unless answers contain a text so often.
fn held(answers: &str, text: &str, least: usize) -> Result<()> {
    let count = answers.matches(text).count();
    ensure!(count >= least, "only {count} answers hold {text}");
    Ok(())
}

fn random_requests(name: &str, count: &str) -> Result<String> {
    python3(&format!("tests/differential/{name} {SEED} {count}")).stdout()
}

fn compare(requests: &Path, expected: &str, answers: &str) -> Result<()> {
    let requests = read(requests)?;
    let mut rows = requests.lines().zip(expected.lines().zip(answers.lines()));
    if let Some((request, (expected, answer))) = rows.find(|(_, (left, right))| left != right) {
        bail!("request   {request}\nexpected  {expected}\nanswered  {answer}");
    }
    let (asked, answered) = (requests.lines().count(), answers.lines().count());
    ensure!(expected == answers, "{answered} answers to {asked} requests");
    Ok(())
}

/// `cargo xtask evaluate LANGUAGE`: answers standard input on standard output.
pub(crate) fn evaluate(name: &str) -> Result<()> {
    let evaluator = if name == "reference" { reference() } else { (named(name)?.evaluator)()? };
    let status = evaluator.command().stdin(Stdio::inherit()).status()?;
    ensure!(status.success(), "the evaluator of {name} ended with {status}");
    Ok(())
}

pub(crate) fn reference() -> Program {
    python3("tests/evaluate.py")
}

pub(crate) fn requests(name: &str, requests: &str) -> Result<PathBuf> {
    let path = scratch().join("requests").join(name);
    write(&path, requests)?;
    Ok(path)
}
