//! The inputs that the fuzzers found worth keeping (see `core/fuzz/README.md`).

use std::collections::BTreeSet;
use std::path::Path;

use backoff_core::ffi::{self, BUDGET_FIELDS, POLICY_FIELDS, Unit};
use backoff_core::{Budget, ErrorCode, Field, Policy};

#[path = "../fuzz/checks/members.rs"]
mod members;
#[path = "../fuzz/checks/operations.rs"]
mod operations;
#[path = "../fuzz/checks/strings.rs"]
mod strings;

/// The inputs of a target: one a line, in hexadecimal. A line that begins with `#` is a comment.
fn inputs(target: &str) -> Vec<Vec<u8>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let text = std::fs::read_to_string(corpus.with_extension("hex")).unwrap();
    let byte = |hex: &str, at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    let bytes = |hex: &str| (0..hex.len()).step_by(2).map(|at| byte(hex, at)).collect();
    let inputs: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).map(bytes).collect();
    assert!(inputs.len() > 100, "only {} inputs", inputs.len());
    inputs
}

#[test]
fn every_string_gives_a_value_or_an_error() {
    for input in inputs("strings") {
        strings::check(&input);
    }
}

#[test]
fn every_sequence_of_outcomes_keeps_the_limits() {
    for input in inputs("operations") {
        operations::check(&input);
    }
}

#[test]
fn every_sequence_of_exchanges_keeps_its_texts_and_its_requests() {
    for input in inputs("members") {
        members::check(&input);
    }
}

/// The name of every kind of these fields.
fn kinds(fields: &[Field]) -> BTreeSet<(Field, &'static str)> {
    let names = |field: &Field| match ffi::field_unit(*field) {
        Unit::Kind(names) => names.iter().map(|name| (*field, *name)).collect(),
        _ => Vec::new(),
    };
    fields.iter().flat_map(names).collect()
}

#[test]
fn the_strings_reach_every_kind_and_every_error() {
    let mut codes: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.name()).collect();
    codes.remove(ErrorCode::DoesNotFit.name()); // an error of `Policy::fit_base`
    let mut policies = kinds(&POLICY_FIELDS);
    let mut budgets = kinds(&BUDGET_FIELDS);
    let mut heads = BTreeSet::from(["aws-sdk-2026", "decorrelated", "equal", "full", "sre"]);

    for input in inputs("strings") {
        let parsed = Policy::parse(&input);
        if let Ok(policy) = parsed {
            let params = ffi::policy_params(&policy);
            policies
                .retain(|(field, name)| params.get(*field) != Some(ffi::kind_number(*field, name)));
        }
        let budget = Budget::parse(&input);
        if let Ok(budget) = &budget {
            budgets.retain(|(_, name)| budget.to_string().split(':').next() != Some(name));
        }
        let head = input.split(|byte| *byte == b':').next().unwrap_or_default();
        if parsed.is_ok() || budget.is_ok() {
            heads.retain(|name| name.as_bytes() != head);
        }
        for error in parsed.err().into_iter().chain(budget.err()) {
            codes.remove(error.code().name());
        }
    }
    assert_eq!((policies, budgets), Default::default(), "kinds");
    assert_eq!(heads, BTreeSet::new(), "heads");
    assert_eq!(codes, BTreeSet::new(), "errors");
}

#[test]
fn the_operations_reach_every_budget() {
    let mut budgets = kinds(&BUDGET_FIELDS);
    for input in inputs("operations") {
        let mut parts = input.split(|byte| *byte == b'\n');
        if let (Some(Ok(_)), Some(Ok(budget))) =
            (parts.next().map(Policy::parse), parts.next().map(Budget::parse))
        {
            budgets.retain(|(_, name)| budget.to_string().split(':').next() != Some(name));
        }
    }
    assert_eq!(budgets, BTreeSet::new());
}
