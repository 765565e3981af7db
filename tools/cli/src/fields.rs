//! The fields of a policy, and policies that differ in some of them.

use backoff_core::Policy;
use backoff_core::ffi::{Params, build_policy, kind_name, kind_number, policy_params};
use backoff_core::{Field, MAX_NS};

/// The fields of a policy with the defaults filled in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields(Params);

impl Fields {
    pub(crate) fn of(policy: &Policy) -> Self {
        Self(policy_params(policy))
    }

    /// The value of a field that the policy uses: nanoseconds, a count, or a ratio or a kind as a
    /// number.
    pub(crate) fn get(&self, field: Field) -> Option<u64> {
        self.0.get(field)
    }

    /// The nanoseconds of a duration that is a limit, unless there is none.
    pub(crate) fn limit(&self, field: Field) -> Option<u64> {
        self.get(field).filter(|&ns| ns < MAX_NS)
    }

    /// The name of a kind.
    pub(crate) fn kind(&self, field: Field) -> &'static str {
        self.get(field).and_then(|number| kind_name(field, number)).unwrap_or_default()
    }

    /// These fields with one set to a value.
    pub(crate) fn with(mut self, field: Field, value: u64) -> Self {
        self.0.set(field, value);
        self
    }

    /// These fields with one set to a kind by its name.
    pub(crate) fn with_kind(self, field: Field, name: &str) -> Self {
        self.with(field, kind_number(field, name))
    }

    /// These fields with some of them at their defaults.
    pub(crate) fn without(mut self, fields: &[Field]) -> Self {
        for field in fields {
            self.0.clear(*field);
        }
        self
    }

    /// The policy of these fields, if they break no rule.
    pub(crate) fn policy(&self) -> Option<Policy> {
        build_policy(&self.0).ok()
    }
}

/// The policy without its limits, so that a preview shows every index.
pub(crate) fn without_limits(policy: &Policy) -> Policy {
    let fields = Fields::of(policy).without(&[Field::MaxRetries, Field::MaxElapsed]);
    fields.policy().unwrap_or(*policy)
}
