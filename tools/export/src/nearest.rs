//! The nearest policy that an engine has, and how it differs.

use std::collections::BTreeMap;
use std::fmt;

use backoff_core::{Budget, ErrorCode, Field, Policy, PolicyBuilder};

use crate::error::{ExportError, Instead, Refusal};
use crate::exact::{Exact, exact};
use crate::fields::{fields, shown};
use crate::format::Format;
use crate::text::ns;

/// A field that follows from another one may need a round of its own.
const ROUNDS: usize = 16;

/// What a policy or a budget says and the engine does not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    field: Field,
    policy: String,
    engine: String,
    reason: String,
}

impl Difference {
    /// The field; [`Field::Budget`] for the budget as a whole.
    #[must_use]
    pub const fn field(&self) -> Field {
        self.field
    }

    /// What the policy says, as policy strings write it; `-` if it has no such field.
    #[must_use]
    pub fn policy(&self) -> &str {
        &self.policy
    }

    /// What the engine does.
    #[must_use]
    pub fn engine(&self) -> &str {
        &self.engine
    }

    /// Why.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, policy, engine, reason } = self;
        write!(f, "{} {policy} becomes {engine}: {reason}", field.name())
    }
}

/// The nearest export: what the engine does, and how it differs.
pub(crate) struct Nearest {
    pub(crate) policy: Policy,
    pub(crate) differences: Vec<Difference>,
    pub(crate) exact: Exact,
}

/// The nearest export: each field that is refused gets the value that its refusal names, until none
/// is.
pub(crate) fn nearest(
    policy: &Policy,
    budget: Option<&Budget>,
    format: Format,
    servers: Option<u32>,
) -> Result<Nearest, ExportError> {
    let (mut near, mut limit) = (*policy, budget.map(|budget| budget.text().to_string()));
    let (mut reasons, mut last) = (BTreeMap::new(), Vec::new());
    for _ in 0..ROUNDS {
        let parsed = limit.as_ref().and_then(|text| Budget::parse(text).ok());
        let mut refusals = match exact(&near, parsed.as_ref(), format, servers) {
            Ok(exact) => {
                let mut differences = differences(policy, &near, &reasons);
                differences.extend(of_budget(budget, limit, &reasons));
                return Ok(Nearest { policy: near, differences, exact });
            }
            Err(error) => error.refusals,
        };
        let far = |refusal: &&Refusal| refusal.instead == Instead::Nothing;
        let far: Vec<_> = refusals.iter().filter(far).cloned().collect();
        if !far.is_empty() {
            return Err(ExportError { refusals: far });
        }
        // First the number of retries: the longest window that they reach depends on it.
        if let Some(limit) = refusals.iter().position(|one| one.field == Field::MaxRetries) {
            refusals = vec![refusals.swap_remove(limit)];
        }
        let values = fields().filter_map(|field| Some((field, near.get(field)?)));
        let mut builder =
            values.fold(near.to_builder(), |all, (field, value)| all.set(field, value));
        if near.get(Field::ThrottledBase) == near.get(Field::Base) {
            builder = builder.unset(Field::ThrottledBase);
        }
        for refusal in &refusals {
            // Without the advice, which is followed.
            let (reason, _) = refusal.reason.split_once("; ").unwrap_or((&refusal.reason, ""));
            reasons.entry(refusal.field).or_insert_with(|| reason.to_owned());
            match &refusal.instead {
                Instead::Nothing => {}
                Instead::Budget(instead) => limit.clone_from(instead),
                Instead::Fields(fields) => {
                    for &(field, value) in fields {
                        builder = match value {
                            Some(value) => builder.set(field, value),
                            None => builder.unset(field),
                        };
                    }
                }
            }
        }
        match valid(builder) {
            Some(policy) => (near, last) = (policy, refusals),
            None => return Err(ExportError { refusals }),
        }
    }
    // No format comes here: a round leaves fewer fields to replace.
    Err(ExportError { refusals: last })
}

/// The policy of these fields without those that it does not use, and with a cap that is not below
/// its base.
fn valid(mut builder: PolicyBuilder) -> Option<Policy> {
    for _ in fields() {
        builder = match builder.build() {
            Ok(policy) => return Some(policy),
            Err(error) if error.code() == ErrorCode::Unused => builder.unset(error.field()),
            // The limit is the base.
            Err(error) if error.code() == ErrorCode::CapBelowBase => {
                builder.set(Field::Cap, ns(error.limit()))
            }
            Err(_) => return None,
        }
    }
    None
}

/// The fields of two policies that differ.
fn differences(says: &Policy, does: &Policy, reasons: &BTreeMap<Field, String>) -> Vec<Difference> {
    let is_base = |of: &Policy| of.get(Field::ThrottledBase) == of.get(Field::Base);
    let has_effect = |field: Field| match field {
        // The jitter shows them.
        Field::JitterBelow | Field::JitterAbove => false,
        Field::ThrottledBase => !is_base(says) || !is_base(does),
        Field::Cap => shown(does, Field::Growth) != "constant",
        _ => true,
    };
    let mut all = Vec::new();
    for field in fields().filter(|&field| has_effect(field)) {
        // What the engine has no such field for follows from its growth or its jitter.
        if says.get(field) == does.get(field) || does.get(field).is_none() {
            continue;
        }
        let (policy, engine) = (shown(says, field), shown(does, field));
        let reason = reasons.get(&field).cloned();
        let reason = reason.unwrap_or_else(|| format!("it has {engine} for that"));
        all.push(Difference { field, policy, engine, reason });
    }
    all
}

fn of_budget(
    budget: Option<&Budget>,
    near: Option<String>,
    reasons: &BTreeMap<Field, String>,
) -> Option<Difference> {
    let policy = budget?.text().to_string();
    let near = near.and_then(|near| Budget::parse(near).ok());
    let engine = near.map_or_else(|| "none".to_owned(), |budget| budget.text().to_string());
    let reason = reasons.get(&Field::Budget).cloned().unwrap_or_default();
    (policy != engine).then_some(Difference { field: Field::Budget, policy, engine, reason })
}
