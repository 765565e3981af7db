//! Policy strings, budget strings and presets.

use backoff_core::{Budget, ParseError, Policy};
use serde::Deserialize;

use crate::vectors::{cases, number};

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Of {
    Policy,
    Budget,
}

/// The canonical string of a policy or a budget.
fn canonical(of: Of, text: &str) -> Result<String, ParseError> {
    match of {
        Of::Policy => Policy::parse(text).map(|policy| policy.to_string()),
        Of::Budget => Budget::parse(text).map(|budget| budget.to_string()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextCase {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    of: Of,
    text: String,
    canonical: String,
    #[serde(default)]
    policy: Option<serde_json::Value>,
}

#[test]
fn texts() {
    for case in cases::<TextCase>("texts") {
        assert_eq!(canonical(case.of, &case.text).as_ref(), Ok(&case.canonical), "{}", case.id);
        assert_eq!(
            canonical(case.of, &case.canonical).as_ref(),
            Ok(&case.canonical),
            "{}",
            case.id
        );
        if let Some(fields) = case.policy {
            let fields = serde_json::from_value(fields).unwrap();
            let built = crate::delays::build(&fields).unwrap();
            assert_eq!(Policy::parse(&case.text), Ok(built), "{}", case.id);
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextError {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    of: Of,
    text: String,
    error: ExpectedAt,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedAt {
    code: String,
    at: usize,
    found: String,
    field: Option<String>,
    value: String,
    limit: String,
    message: String,
}

#[test]
fn text_errors() {
    for TextError { id, of, text, error: want, .. } in cases::<TextError>("text_errors") {
        let error = canonical(of, &text).expect_err(&id);
        assert_eq!(error.to_string(), want.message, "{id}");
        assert_eq!(
            (error.code().name(), error.at(), error.field().map(backoff_core::Field::name)),
            (want.code.as_str(), want.at, want.field.as_deref()),
            "{id}"
        );
        assert_eq!(
            (error.value(), error.limit()),
            (number(&want.value), number(&want.limit)),
            "{id}"
        );
        let shown = want.found.as_bytes();
        assert_eq!(error.found_length(), shown.len(), "{id}");
        assert_eq!(error.found(), &shown[..shown.len().min(ParseError::FOUND_CAPACITY)], "{id}");
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PresetCase {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    of: Of,
    preset: String,
    string: String,
    canonical: String,
    #[serde(default)]
    windows: Vec<String>,
}

#[test]
fn presets() {
    for case in cases::<PresetCase>("presets") {
        for text in [&case.preset, &case.string] {
            assert_eq!(canonical(case.of, text).as_ref(), Ok(&case.canonical), "{}", case.id);
        }
        for (index, window) in (0..).zip(&case.windows) {
            let policy = Policy::parse(&case.preset).unwrap();
            assert_eq!(policy.window_ns(index), number(window), "{} {index}", case.id);
        }
    }
}
