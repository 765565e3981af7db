//! What a budget means, in a sentence.

use backoff_core::{Budget, Field, FieldValue};

use crate::commands::explain::percent::percent;
use crate::duration::humanize;
use crate::rows::retries;

pub(crate) fn sentence(budget: &Budget) -> String {
    let value = |field| number(budget, field);
    let text = |field| text(budget, field);
    let ratio = budget.get(Field::Ratio).and_then(FieldValue::as_ratio);
    let share = || ratio.and_then(percent).unwrap_or_else(|| text(Field::Ratio));
    let tokens = match value(Field::MaxTokens) {
        1 => "1 token".to_owned(),
        count => format!("{count} tokens"),
    };
    let are = |count| if count == 1 { "is" } else { "are" };
    match budget.kind() {
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
            share(),
            retries(value(Field::MaxTokens)),
            are(value(Field::MaxTokens))
        ),
        "rate" => format!(
            "It allows {} at once, and as many more in {}.",
            retries(value(Field::MaxTokens)),
            humanize(value(Field::Per))
        ),
        "ttl" => format!(
            "Each operation earns {} of a retry for {}, and {} per second {} always allowed.",
            share(),
            humanize(value(Field::Ttl)),
            retries(value(Field::MinPerSecond)),
            are(value(Field::MinPerSecond))
        ),
        _ => format!(
            "As many operations can retry at the same time as {} of the running ones, or {} if that \
             is more.",
            share(),
            text(Field::MinConcurrent)
        ),
    }
}

/// What is wrong with a budget that gives nothing back, if it is one.
pub(crate) fn never_earns(budget: &Budget) -> Option<String> {
    let value = |field| number(budget, field);
    if text(budget, Field::Ratio) != "0" {
        return None;
    }
    let tokens = value(Field::MaxTokens);
    match budget.kind() {
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

fn number(budget: &Budget, field: Field) -> u64 {
    budget.get(field).and_then(|value| value.as_count().or(value.as_ns())).unwrap_or(0)
}

fn text(budget: &Budget, field: Field) -> String {
    budget.get(field).map(|value| value.to_string()).unwrap_or_default()
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
