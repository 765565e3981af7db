//! Lines, presets, previews and fits.

use backoff_core::{Budget, ParseError, Policy, PreviewRow};
use serde::Deserialize;

use crate::vectors::{Expected, cases, word};

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Of {
    Policy,
    Budget,
}

/// What is printed of what was read.
fn printed(of: Of, text: &str) -> Result<String, ParseError> {
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
        assert_eq!(printed(case.of, &case.text).as_ref(), Ok(&case.canonical), "{}", case.id);
        assert_eq!(printed(case.of, &case.canonical).as_ref(), Ok(&case.canonical), "{}", case.id);
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
        let error = printed(of, &text).expect_err(&id);
        assert_eq!(error.to_string(), want.message, "{id}");
        assert_eq!(
            (error.code().name(), error.at(), error.field().map(backoff_core::Field::name)),
            (want.code.as_str(), want.at, want.field.as_deref()),
            "{id}"
        );
        assert_eq!((error.value(), error.limit()), (word(&want.value), word(&want.limit)), "{id}");
        let shown = want.found.as_bytes();
        assert_eq!(error.found_length(), shown.len(), "{id}");
        assert_eq!(error.found(), &shown[..shown.len().min(ParseError::SHOWN)], "{id}");
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
    line: String,
    canonical: String,
    #[serde(default)]
    windows: Vec<String>,
}

#[test]
fn presets() {
    for case in cases::<PresetCase>("presets") {
        for text in [&case.preset, &case.line] {
            assert_eq!(printed(case.of, text).as_ref(), Ok(&case.canonical), "{}", case.id);
        }
        for (index, window) in (0..).zip(&case.windows) {
            let policy = Policy::parse(&case.preset).unwrap();
            assert_eq!(policy.window_ns(index), word(window), "{} {index}", case.id);
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Previewed {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    policy: String,
    count: usize,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    smallest: String,
    mean: String,
    largest: String,
    total_smallest: String,
    total_mean: String,
    total_largest: String,
}

#[test]
fn previews() {
    for case in cases::<Previewed>("previews") {
        let rows: Vec<_> =
            Policy::parse(&case.policy).unwrap().preview().take(case.count).collect();
        let want = case.rows.iter().map(|row| PreviewRow {
            smallest: word(&row.smallest),
            mean: word(&row.mean),
            largest: word(&row.largest),
            total_smallest: word(&row.total_smallest),
            total_mean: word(&row.total_mean),
            total_largest: word(&row.total_largest),
        });
        assert_eq!(rows, want.collect::<Vec<_>>(), "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fit {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    policy: String,
    field: String,
    attempts: u64,
    total: String,
    canonical: Option<String>,
    error: Option<Expected>,
}

#[test]
fn fits() {
    for case in cases::<Fit>("fits") {
        let policy = Policy::parse(&case.policy).unwrap();
        let (attempts, total) = (case.attempts, word(&case.total));
        let fitted = match case.field.as_str() {
            "base" => policy.fit_base(attempts, total),
            field => {
                assert_eq!(field, "cap");
                policy.fit_cap(attempts, total)
            }
        };
        match (fitted, case.canonical, case.error) {
            (Ok(fitted), Some(canonical), None) => {
                assert_eq!(fitted.to_string(), canonical, "{}", case.id);
            }
            (Err(error), None, Some(want)) => {
                want.assert_is(&error, &case.id);
            }
            (fitted, ..) => panic!("{}: {fitted:?}", case.id),
        }
    }
}
