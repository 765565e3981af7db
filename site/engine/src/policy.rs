//! Policies: their fields, their previews and their waits.

use std::collections::BTreeMap;

use backoff_core::ffi::{
    FieldSet, Unit, change_policy_by, change_policy_fields, field_description, field_from_name,
    field_unit, is_conditional, kind_number,
};
use backoff_core::{
    Budget, ErrorCode, Field, FieldValue, ParseError, Policy, PolicyError, RandomStream,
};
use backoff_sim::Clients;
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer;
use crate::error::Refused;

#[derive(Serialize)]
struct FieldRow {
    name: &'static str,
    unit: &'static str,
    kinds: &'static [&'static str],
    description: &'static str,
    conditional: bool,
}

/// The fields of policies and of budgets, in the order of the specification.
#[wasm_bindgen]
#[must_use]
pub fn catalog() -> String {
    let row = |&field: &Field| FieldRow {
        name: field.name(),
        unit: match field_unit(field) {
            Unit::Kind(_) => "kind",
            Unit::Duration => "duration",
            Unit::Ratio => "ratio",
            Unit::Count => "count",
            _ => "waits",
        },
        kinds: field.kinds(),
        description: field_description(field),
        conditional: is_conditional(field),
    };
    let policy: Vec<_> = Field::POLICY.iter().map(row).collect();
    let budget: Vec<_> = Field::BUDGET.iter().map(row).collect();
    answer(Ok(BTreeMap::from([("policy", policy), ("budget", budget)])))
}

#[derive(Serialize)]
struct Parsed {
    canonical: String,
    /// The fields that it uses, as policy strings write them.
    fields: BTreeMap<&'static str, String>,
}

impl Parsed {
    fn new(policy: &Policy) -> Self {
        let fields = Field::POLICY.iter().filter_map(|&field| Some((field, policy.get(field)?)));
        Self {
            canonical: policy.to_string(),
            fields: fields.map(|(field, value)| (field.name(), value.to_string())).collect(),
        }
    }
}

pub(crate) fn policy_of(text: &str) -> Result<Policy, Refused> {
    Policy::parse(text).map_err(|error| Refused::parse("policy", text, &error))
}

/// A budget, unless the text is empty.
pub(crate) fn budget_of(text: &str) -> Result<Option<Budget>, Refused> {
    let parse = |text| Budget::parse(text).map_err(|error| Refused::parse("budget", text, &error));
    (!text.is_empty()).then(|| parse(text)).transpose()
}

/// The fields of a policy string.
#[wasm_bindgen]
#[must_use]
pub fn policy(text: &str) -> String {
    answer(policy_of(text).map(|policy| Parsed::new(&policy)))
}

/// The fields of a policy string that may have a name in front of it, and a budget and more behind it: what
/// `backoff simulate --policy` takes.
#[wasm_bindgen]
#[must_use]
pub fn clients(text: &str) -> String {
    let clients = text.parse::<Clients>().map_err(|error| Refused::clients(0, error));
    answer(clients.map(|clients| Parsed::new(clients.policy())))
}

/// The fields of a budget string.
#[wasm_bindgen]
#[must_use]
pub fn budget(text: &str) -> String {
    let parsed = |budget: Budget| {
        let fields = Field::BUDGET.iter().filter_map(|&field| Some((field, budget.get(field)?)));
        let fields = fields.map(|(field, value)| (field.name(), value.to_string())).collect();
        Parsed { canonical: budget.to_string(), fields }
    };
    answer(budget_of(text).map(|budget| budget.map(parsed)))
}

/// The policy that has another value of a field. A kind brings the values that it needs: those of the policy's base.
#[wasm_bindgen]
#[must_use]
pub fn change(text: &str, field: &str, value: &str) -> String {
    answer(changed(text, field, value).map(|policy| Parsed::new(&policy)))
}

fn changed(text: &str, name: &str, value: &str) -> Result<Policy, Refused> {
    let policy = policy_of(text)?;
    let field = field_from_name(name).ok_or_else(|| Refused::new("field", &"unknown"))?;
    if matches!(field, Field::Growth | Field::Jitter) {
        let refused = |error: PolicyError| Refused {
            field: Some(error.field().name()),
            ..Refused::new("field", &error)
        };
        return with_kind(&policy, field, value).map_err(refused);
    }
    let pair = format!("{name}={value}");
    let refused = |error: ParseError| Refused {
        at: error.at().checked_sub(name.len() + 1),
        field: Some(name_of(&error, field)),
        ..Refused::parse("field", value, &error)
    };
    change_policy_by(&policy, pair.as_bytes()).map_err(refused)
}

fn name_of(error: &ParseError, changed: Field) -> &'static str {
    error.field().unwrap_or(changed).name()
}

fn with_kind(policy: &Policy, field: Field, kind: &str) -> Result<Policy, PolicyError> {
    let mut fields = FieldSet::default();
    fields.set(field, kind_number(field, kind));
    let base = policy.get(Field::Base).and_then(FieldValue::as_ns).unwrap_or(100_000_000);
    loop {
        match change_policy_fields(policy, &fields) {
            // Each round sets a field, and there are few.
            Err(error)
                if error.code() == ErrorCode::Missing && fields.get(error.field()).is_none() =>
            {
                match error.field() {
                    Field::Waits => {
                        let waits = [base, base.saturating_mul(5), base.saturating_mul(30)];
                        fields.set_waits(backoff_core::Waits::from_ns(waits));
                    }
                    Field::JitterBelow => {
                        let tenth = backoff_core::ffi::ratio_value(1, 10);
                        fields.set(Field::JitterBelow, tenth);
                        fields.set(Field::JitterAbove, tenth);
                    }
                    other => fields.set(other, base),
                }
            }
            result => return result,
        }
    }
}

/// A row of a preview, as the command prints it, with the window and with a wait of each key.
#[derive(Serialize)]
struct Row {
    index: u32,
    window_ns: String,
    min_ns: String,
    mean_ns: String,
    max_ns: String,
    total_min_ns: String,
    total_mean_ns: String,
    total_max_ns: String,
    waits_ns: Vec<String>,
}

/// The first delays of a policy, and those of some keys, which are separated by line feeds.
#[wasm_bindgen]
#[must_use]
pub fn preview(text: &str, rows: u32, seed: &str, keys: &str) -> String {
    answer(rows_of(text, rows, seed, keys))
}

fn rows_of(text: &str, rows: u32, seed: &str, keys: &str) -> Result<Vec<Row>, Refused> {
    let policy = policy_of(text)?;
    let seed = seed_of(seed)?;
    let streams: Vec<_> = keys.lines().map(|key| RandomStream::from_key(seed, key)).collect();
    let row = |(index, row): (u32, backoff_core::PreviewRow)| Row {
        index,
        window_ns: policy.window_ns(index).to_string(),
        min_ns: row.min_ns.to_string(),
        mean_ns: row.mean_ns.to_string(),
        max_ns: row.max_ns.to_string(),
        total_min_ns: row.total_min_ns.to_string(),
        total_mean_ns: row.total_mean_ns.to_string(),
        total_max_ns: row.total_max_ns.to_string(),
        waits_ns: streams
            .iter()
            .map(|&stream| policy.delay_ns(stream, index).to_string())
            .collect(),
    };
    Ok((0..rows).zip(policy.preview()).map(row).collect())
}

pub(crate) fn seed_of(text: &str) -> Result<u64, Refused> {
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit());
    let seed = text.parse().ok().filter(|_| is_decimal);
    seed.ok_or_else(|| Refused::new("seed", &format!("not a whole number from 0 to {}", u64::MAX)))
}
