//! Policy strings, budget strings and presets.

use backoff_core::{Budget, ErrorCode, Field, FieldValue, MAX_NS, ParseError, Policy};
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
        check_fields(case.of, &case.text);
        if let Some(fields) = case.policy {
            let policy = Policy::parse(&case.text).unwrap();
            for (name, value) in fields.as_object().unwrap() {
                let field = Field::POLICY.iter().find(|field| field.name() == name).unwrap();
                assert_eq!(shown(&policy, *field).as_deref(), value.as_str(), "{} {name}", case.id);
            }
            let fields = serde_json::from_value(fields).unwrap();
            let built = crate::delays::build(&fields).unwrap();
            assert_eq!(Policy::parse(&case.text), Ok(built), "{}", case.id);
        }
    }
}

/// The value of a field as the vectors write it.
fn shown(policy: &Policy, field: Field) -> Option<String> {
    Some(match policy.get(field)? {
        FieldValue::Kind(name) => name.to_owned(),
        FieldValue::Ratio(ratio) => format!("{}/{}", ratio.numerator(), ratio.denominator()),
        FieldValue::NoLimit if field == Field::MaxRetries => (1_u64 << 32).to_string(),
        FieldValue::NoLimit if field == Field::MaxAttempts => ((1_u64 << 32) + 1).to_string(),
        FieldValue::NoLimit => MAX_NS.to_string(),
        value => value.as_ns().or(value.as_count()).unwrap().to_string(),
    })
}

/// The policy or budget that is made of the values of its fields is equal.
fn check_fields(of: Of, text: &str) {
    match of {
        Of::Policy => {
            let policy = Policy::parse(text).unwrap();
            let attempts = policy.get(Field::MaxAttempts).unwrap();
            let mut by_retries = Policy::constant(std::time::Duration::ZERO);
            for &field in Field::POLICY {
                let value = policy.get(field).filter(|_| field != Field::MaxAttempts);
                by_retries = value.map_or(by_retries, |value| by_retries.set(field, value));
            }
            let by_attempts = by_retries.unset(Field::MaxRetries).set(Field::MaxAttempts, attempts);
            assert_eq!(by_retries.build(), Ok(policy), "{text}");
            assert_eq!(by_attempts.build(), Ok(policy), "{text}");
            assert_eq!(policy.to_builder().build(), Ok(policy), "{text}");
            assert!(Field::BUDGET.iter().all(|&field| policy.get(field).is_none()), "{text}");
        }
        Of::Budget => {
            let budget = Budget::parse(text).unwrap();
            let pair = |&field: &Field| Some(format!("{field}={}", budget.get(field)?));
            let pairs: Vec<_> = Field::BUDGET.iter().skip(1).filter_map(pair).collect();
            let built = Budget::parse(format!("{}:{}", budget.kind(), pairs.join(","))).unwrap();
            assert_eq!(built.to_string(), budget.to_string(), "{text}");
            assert_eq!(budget.get(Field::Budget), Some(FieldValue::Kind(budget.kind())), "{text}");
            assert!(Field::POLICY.iter().all(|&field| budget.get(field).is_none()), "{text}");
        }
    }
}

#[test]
fn defaults_follow_what_they_depend_on() {
    let doubled = FieldValue::Duration(std::time::Duration::from_secs(2));
    let policy = Policy::parse("linear:base=1s,max_retries=3").unwrap();
    let policy = policy.to_builder().set(Field::Base, doubled).build().unwrap();
    assert_eq!(policy.to_string(), "linear:base=2s,max_retries=3");
    assert_eq!(
        [Field::Increment, Field::ThrottledBase].map(|field| policy.get(field)),
        [Some(doubled); 2]
    );
}

#[test]
fn a_builder_refuses_what_is_no_value_of_a_field() {
    let count = FieldValue::Count(5);
    let duration = FieldValue::Duration(std::time::Duration::MAX);
    let too_large = "is above 9223372036854775807ns";
    let table = [
        (Field::MaxTokens, count, ErrorCode::Unused, "max_tokens 5 is not used by a policy"),
        (Field::Cap, count, ErrorCode::TooLarge, too_large),
        (Field::Cap, duration, ErrorCode::TooLarge, too_large),
        (Field::Base, FieldValue::NoLimit, ErrorCode::TooLarge, too_large),
        (Field::Multiplier, count, ErrorCode::RatioTooFine, "has a term above 1000000"),
        (Field::MaxRetries, duration, ErrorCode::TooLarge, "is above 4294967296"),
        (Field::Jitter, FieldValue::Kind("window"), ErrorCode::UnknownKind, "proportional, "),
        (Field::Jitter, count, ErrorCode::UnknownKind, "proportional, "),
    ];
    let policy = Policy::parse("exponential:base=1s").unwrap();
    for (field, value, code, message) in table {
        let error = policy.to_builder().set(field, value).build().unwrap_err();
        assert_eq!((error.field(), error.code()), (field, code));
        assert!(error.to_string().contains(message), "{error}");
    }
    assert_eq!(policy.to_builder().unset(Field::MaxTokens).build(), Ok(policy));
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
            check_fields(case.of, text);
        }
        for (index, window) in (0..).zip(&case.windows) {
            let policy = Policy::parse(&case.preset).unwrap();
            assert_eq!(policy.window_ns(index), number(window), "{} {index}", case.id);
        }
    }
}
