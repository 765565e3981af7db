//! The values of policies and budgets that the formats ask for.

use backoff_core::{Budget, Field, FieldValue, Policy, Ratio};

/// A count of a budget; 0 if its kind does not use the field.
pub(crate) fn count_of(budget: &Budget, field: Field) -> u64 {
    budget.get(field).and_then(FieldValue::as_count).unwrap_or_default()
}

/// The ratio of a budget of a kind that has one.
pub(crate) fn ratio_of(budget: &Budget) -> Ratio {
    let ratio = budget.get(Field::Ratio).and_then(FieldValue::as_ratio);
    ratio.unwrap_or(Ratio::new(0, 1))
}

/// The value of a field as policy strings write it.
pub(crate) fn shown(policy: &Policy, field: Field) -> String {
    let below = policy.get(Field::JitterBelow);
    let is_symmetric = below == policy.get(Field::JitterAbove);
    let value = below.filter(|_| field == Field::Jitter && is_symmetric);
    value.or(policy.get(field)).map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// The fields of a policy; `max_attempts` is another name of the limit of the retries.
pub(crate) fn fields() -> impl Iterator<Item = Field> {
    Field::POLICY.iter().copied().filter(|&field| field != Field::MaxAttempts)
}

/// The fields that differ between policies, with their values in the other one. A jitter, cap or limit
/// that has no effect differs as well.
pub(crate) fn differences(policy: &Policy, other: &Policy) -> Vec<(Field, Option<FieldValue>)> {
    let differs = |field: &Field| policy.get(*field) != other.get(*field);
    fields().filter(differs).map(|field| (field, other.get(field))).collect()
}
