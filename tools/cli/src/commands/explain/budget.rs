//! What a budget means, in a sentence.

use backoff_core::ffi::{budget_value, kind_name, value_text};
use backoff_core::{Budget, Field};

use crate::commands::explain::percent::percent;
use crate::duration::people;
use crate::rows::retries;

/// What the budget allows.
pub(crate) fn sentence(budget: &Budget) -> String {
    let value = |field| budget_value(budget, field).unwrap_or(0);
    let text = |field| value_text(field, value(field)).to_string();
    let share = |field| percent(value(field)).unwrap_or_else(|| text(field));
    let tokens = match value(Field::MaxTokens) {
        1 => "1 token".to_owned(),
        count => format!("{count} tokens"),
    };
    let are = |count| if count == 1 { "is" } else { "are" };
    match kind(budget) {
        "quota" => format!(
            "It holds {tokens}. A retry takes {}{}, and a success gives back what its last \
             retry took, or 1.",
            text(Field::Cost),
            exceptions(&value, &text)
        ),
        "throttle" => format!(
            "It holds {tokens}. Each failure takes 1, each success gives {}, and there are \
             no retries while half of them or less are left.",
            text(Field::Ratio)
        ),
        "ratio" => format!(
            "Each operation earns {} of a retry, and at most {} {} saved up.",
            share(Field::Ratio),
            retries(value(Field::MaxTokens)),
            are(value(Field::MaxTokens))
        ),
        "rate" => format!(
            "It allows {} at once, and as many more in {}.",
            retries(value(Field::MaxTokens)),
            people(value(Field::Per))
        ),
        "ttl" => format!(
            "Each operation earns {} of a retry for {}, and {} per second {} always allowed.",
            share(Field::Ratio),
            people(value(Field::Ttl)),
            retries(value(Field::MinPerSecond)),
            are(value(Field::MinPerSecond))
        ),
        _ => format!(
            "As many operations can retry at the same time as {} of the running ones, or {} if that \
             is more.",
            share(Field::Ratio),
            text(Field::MinConcurrent)
        ),
    }
}

/// What is wrong with a budget that gives nothing back, if it is one.
pub(crate) fn never_earns(budget: &Budget) -> Option<String> {
    let value = |field| budget_value(budget, field).unwrap_or(0);
    let text = |field| value_text(field, value(field)).to_string();
    if text(Field::Ratio) != "0" {
        return None;
    }
    let tokens = text(Field::MaxTokens);
    match kind(budget) {
        "throttle" => Some(format!(
            "Successes give nothing back: after failures that took half of the {tokens} tokens, the \
             budget allows no retry ever again."
        )),
        "ratio" => Some(format!(
            "Operations earn nothing: the budget allows {}, and none ever after.",
            retries(value(Field::MaxTokens))
        )),
        "ttl" if value(Field::MinPerSecond) == 0 => Some(NEVER.to_owned()),
        "concurrent" if value(Field::MinConcurrent) == 0 => Some(NEVER.to_owned()),
        _ => None,
    }
}

const NEVER: &str = "The budget allows no retry at all.";

/// The name of the kind of a budget.
pub(crate) fn kind(budget: &Budget) -> &'static str {
    let number = budget_value(budget, Field::Budget).unwrap_or(0);
    kind_name(Field::Budget, number).unwrap_or_default()
}

/// The outcomes after which a retry has a cost of its own.
fn exceptions(value: &impl Fn(Field) -> u64, text: &impl Fn(Field) -> String) -> String {
    let own = |field| (value(field) != value(Field::Cost)).then(|| text(field));
    match (own(Field::CostThrottled), own(Field::CostTimeout)) {
        (None, None) => String::new(),
        (Some(throttled), None) => format!(" ({throttled} after throttling)"),
        (None, Some(timeout)) => format!(" ({timeout} after a timeout)"),
        (Some(throttled), Some(timeout)) => {
            format!(" ({throttled} after throttling, {timeout} after a timeout)")
        }
    }
}
