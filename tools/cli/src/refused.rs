//! What is wrong with a policy or budget string: the message of the core, the place, and a tip.

use std::fmt::Write as _;

use backoff_core::{ErrorCode, Field, ParseError, parse_duration_ns};

use crate::presets::presets;

/// The longest text that is shown again to point into it.
const MAX_SHOWN: usize = 160;

/// Names that are less alike than this have nothing to do with each other.
const MIN_ALIKE: f64 = 0.75;

/// The message of the core, the text with a mark under what it refuses, and a similar name. The
/// fields are those of a policy or of a budget.
pub(crate) fn refused(text: &str, error: &ParseError, fields: &[Field]) -> String {
    let mut message = error.to_string();
    let is_named = message.contains("did you mean");
    let is_visible = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if is_visible && text.len() <= MAX_SHOWN {
        let mark = "^".repeat(error.found_length().max(1));
        let _ = write!(message, "\n\n  {text}\n  {:at$}{mark}", "", at = error.at());
    }
    if is_entry_of_waits(text, error) {
        message.push_str("\n\n  tip: a slash separates waits: 'waits=5s/5m'");
    } else if let Some(name) = similar(error, fields).filter(|_| !is_named) {
        let _ = write!(message, "\n\n  tip: a similar name exists: '{name}'");
    }
    message
}

/// Whether a comma has ended a list of waits, so that its next entry looks like a key.
fn is_entry_of_waits(text: &str, error: &ParseError) -> bool {
    error.code() == ErrorCode::UnknownKey
        && text.contains("waits=")
        && parse_duration_ns(error.found()).is_ok()
}

/// The name that the user may have meant.
fn similar(error: &ParseError, fields: &[Field]) -> Option<&'static str> {
    let is_policy = fields == Field::POLICY;
    let (of, selector) =
        if is_policy { ("policy", Field::Growth) } else { ("budget", Field::Budget) };
    let names: Vec<_> = match (error.code(), error.field()) {
        (ErrorCode::UnknownHead, _) => {
            let presets = presets().iter().filter(|preset| preset.of == of);
            let shorthands = SHORTHANDS.iter().filter(|_| is_policy);
            let names = presets.map(|preset| preset.name).chain(shorthands.copied());
            names.chain(selector.kinds().iter().copied()).collect()
        }
        (ErrorCode::UnknownKey, _) => fields.iter().skip(1).map(|field| field.name()).collect(),
        (ErrorCode::UnknownKind, Some(field)) => field.kinds().to_vec(),
        _ => return None,
    };
    let found = String::from_utf8_lossy(error.found()).to_ascii_lowercase();
    let alike = names.into_iter().map(|name| (strsim::jaro(&found, name), name));
    let best = alike.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (best.0 > MIN_ALIKE).then_some(best.1)
}

/// Growth and jitter in one name (SPEC 11.2).
const SHORTHANDS: [&str; 3] = ["full", "equal", "decorrelated"];

#[cfg(test)]
mod tests {
    use crate::arguments::{BudgetArgument, PolicyArgument};

    #[test]
    fn an_error_points_at_its_place() {
        let error = "full:base=1sec".parse::<PolicyArgument>().unwrap_err();
        assert!(error.starts_with("at 11: base has the unknown unit \"sec\""), "{error}");
        assert!(error.ends_with("\n\n  full:base=1sec\n             ^^^"), "{error}");
        let error = "quota:cost=".parse::<BudgetArgument>().unwrap_err();
        assert!(error.ends_with("\n\n  quota:cost=\n             ^"), "{error}");
        let error = "full:b\u{e4}se=1s".parse::<PolicyArgument>().unwrap_err();
        assert!(!error.contains('^'), "a mark under it may be at the wrong place: {error}");
        let error = "x".repeat(2000).parse::<PolicyArgument>().unwrap_err();
        assert_eq!(error, "at 1024: the text is longer than 1024 bytes");
    }

    #[test]
    fn a_comma_in_a_list_of_waits_is_a_tip() {
        let error = "steps:waits=5s,5m".parse::<PolicyArgument>().unwrap_err();
        assert!(error.ends_with("\n\n  tip: a slash separates waits: 'waits=5s/5m'"), "{error}");
    }

    #[test]
    fn a_similar_name_is_a_tip() {
        let of_policy = |text: &str| text.parse::<PolicyArgument>().unwrap_err();
        let of_budget = |text: &str| text.parse::<BudgetArgument>().unwrap_err();
        let table = [
            (of_policy("ful:base=1s"), Some("full")),
            (of_policy("exponental:base=1s"), Some("exponential")),
            (of_policy("aws-sdk-2025"), Some("aws-sdk-2026")),
            (of_policy("full:base=1s,max_retris=5"), Some("max_retries")),
            (of_policy("constant:base=1s,jitter=ful"), Some("full")),
            (of_policy("qqqq"), None),
            (of_policy("bad"), None),
            // The message names it.
            (of_policy("Full:base=1s"), None),
            (of_policy("full:retries=3"), None),
            (of_policy("full:base=1sec"), None),
            (of_budget("finagel"), Some("finagle")),
            (of_budget("quotas:cost=1"), Some("quota")),
            (of_budget("quota:costs=1"), Some("cost")),
            // Names of policies are no names of budgets.
            (of_budget("sidekiq"), None),
        ];
        for (message, expected) in table {
            let tip = message.split_once("tip: a similar name exists: ").map(|(_, tip)| tip);
            let expected = expected.map(|name| format!("'{name}'"));
            assert_eq!(tip, expected.as_deref(), "{message}");
        }
    }
}
