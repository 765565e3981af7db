//! The fields of a policy, and policies that differ in some of them.

use backoff_core::{Field, FieldValue, Policy, PolicyBuilder};

/// The fields of a policy with the defaults filled in, and a policy that differs in some of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    policy: Policy,
    changed: PolicyBuilder,
}

impl Fields {
    pub(crate) fn of(policy: &Policy) -> Self {
        let set = |builder: PolicyBuilder, (field, value)| builder.set(field, value);
        Self { policy: *policy, changed: used(policy).fold(policy.to_builder(), set) }
    }

    pub(crate) fn get(&self, field: Field) -> Option<FieldValue> {
        self.policy.get(field)
    }

    /// The nanoseconds of a duration that the policy uses, unless it is a limit and there is none.
    pub(crate) fn ns(&self, field: Field) -> Option<u64> {
        self.get(field)?.as_ns()
    }

    pub(crate) fn kind(&self, field: Field) -> &'static str {
        self.get(field).and_then(FieldValue::as_kind).unwrap_or_default()
    }

    pub(crate) fn with(mut self, field: Field, value: FieldValue) -> Self {
        self.changed = self.changed.set(field, value);
        self
    }

    pub(crate) fn with_ns(self, field: Field, ns: u64) -> Self {
        self.with(field, FieldValue::from_ns(ns))
    }

    pub(crate) fn with_retries(self, retries: u64) -> Self {
        self.with(Field::MaxRetries, FieldValue::Count(retries))
    }

    /// These fields with some of them at their defaults.
    pub(crate) fn without(mut self, fields: &[Field]) -> Self {
        self.changed = fields.iter().fold(self.changed, |all, &field| all.unset(field));
        self
    }

    pub(crate) fn policy(&self) -> Option<Policy> {
        self.changed.build().ok()
    }
}

/// The fields that a policy uses; `max_attempts` is another name of the limit of the retries.
pub(crate) fn used(policy: &Policy) -> impl Iterator<Item = (Field, FieldValue)> {
    let fields = Field::POLICY.iter().filter(|&&field| field != Field::MaxAttempts);
    fields.filter_map(|&field| Some((field, policy.get(field)?)))
}

/// The policy without its limits, so that a preview shows every index.
pub(crate) fn without_limits(policy: &Policy) -> Policy {
    let fields = Fields::of(policy).without(&[Field::MaxRetries, Field::MaxElapsed]);
    fields.policy().unwrap_or(*policy)
}
