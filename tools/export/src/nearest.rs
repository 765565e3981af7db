//! The nearest policy that an engine has, and how it differs.

use std::collections::BTreeMap;
use std::fmt;

use backoff_core::ffi::{POLICY_FIELDS, Params, build_policy, policy_params};
use backoff_core::{Budget, ErrorCode, Field, Policy};

use crate::error::{ExportError, Instead, Refusal};
use crate::exact::{Exact, exact};
use crate::format::Format;
use crate::source::shown;

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
        let mut params = policy_params(&near);
        if params.get(Field::ThrottledBase) == params.get(Field::Base) {
            params.clear(Field::ThrottledBase);
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
                        match value {
                            Some(value) => params.set(field, value),
                            None => params.clear(field),
                        }
                    }
                }
            }
        }
        match valid(params) {
            Some(policy) => (near, last) = (policy, refusals),
            None => return Err(ExportError { refusals }),
        }
    }
    // No format comes here: a round leaves fewer fields to replace.
    Err(ExportError { refusals: last })
}

/// The policy of these fields without those that it does not use, and with a cap that is not below
/// its base.
fn valid(mut params: Params) -> Option<Policy> {
    for _ in POLICY_FIELDS {
        match build_policy(&params) {
            Ok(policy) => return Some(policy),
            Err(error) if error.code() == ErrorCode::Unused => params.clear(error.field()),
            Err(error) if error.code() == ErrorCode::CapBelowBase => {
                params.set(Field::Cap, params.get(Field::Base)?);
            }
            Err(_) => return None,
        }
    }
    None
}

/// The fields of two policies that differ.
fn differences(
    policy: &Policy,
    near: &Policy,
    reasons: &BTreeMap<Field, String>,
) -> Vec<Difference> {
    let (says, does) = (policy_params(policy), policy_params(near));
    let is_base = |params: &Params| params.get(Field::ThrottledBase) == params.get(Field::Base);
    let has_effect = |field: Field| match field {
        // The jitter shows them.
        Field::JitterBelow | Field::JitterAbove => false,
        Field::ThrottledBase => !is_base(&says) || !is_base(&does),
        Field::Cap => shown(&does, Field::Growth) != "constant",
        _ => true,
    };
    let mut all = Vec::new();
    for field in POLICY_FIELDS.into_iter().filter(|&field| has_effect(field)) {
        // What the engine has no such field for follows from its growth or its jitter.
        if says.get(field) == does.get(field) || does.get(field).is_none() {
            continue;
        }
        let policy = says.get(field).map_or_else(|| "-".to_owned(), |_| shown(&says, field));
        let engine = shown(&does, field);
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
