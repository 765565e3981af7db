//! Importing from any format.

use std::collections::HashSet;

use backoff_core::{Budget, Policy};
use serde_json::Value;

use crate::error::ImportError;
use crate::format::Format;
use crate::found::{Found, ImportOptions, LISTED, is_within, listed};
use crate::text::cut;
use crate::{envoy, grpc, istio, json, k8s_job, nginx, step_functions, temporal};

/// What a configuration of an engine says.
#[derive(Debug)]
#[non_exhaustive]
pub struct Imported {
    /// The policy.
    pub policy: Policy,
    /// The budget, if the engine has one.
    pub budget: Option<Budget>,
    /// What the user must know, a sentence each.
    pub warnings: Vec<String>,
}

/// The policy that a configuration of an engine describes, and the budget if it has one.
///
/// The text is JSON or YAML, or for nginx its directives. It may have the policy anywhere inside it,
/// as whole manifests do, but only one. Which failures are retried, timeouts and deadlines are not part
/// of a policy, and are not imported; [`import_with`] warns of each timeout and deadline. A setting that
/// is not there has the default of the engine.
///
/// # Errors
/// The place in the text, and what is wrong there.
pub fn import(text: &str, format: Format) -> Result<(Policy, Option<Budget>), ImportError> {
    let Imported { policy, budget, .. } = import_with(text, format, ImportOptions::default())?;
    Ok((policy, budget))
}

/// The same as [`import`], with options, and with what the user must know about the policy.
///
/// # Errors
/// As those of [`import`].
pub fn import_with(
    text: &str,
    format: Format,
    options: ImportOptions<'_>,
) -> Result<Imported, ImportError> {
    let found = match format {
        Format::Nginx => nginx::find(text, options)?,
        _ => find(&json::parse(text)?, format)?,
    };
    let Found { read, warnings, .. } = choose(found, options.at)?;
    let (policy, budget) = read?;
    Ok(Imported { policy, budget, warnings })
}

fn find(value: &Value, format: Format) -> Result<Vec<Found>, ImportError> {
    let root = json::root(value);
    match format {
        Format::Grpc => grpc::find(&root),
        Format::Envoy => envoy::find(&root),
        Format::Istio => istio::find(&root),
        Format::Temporal => Ok(temporal::find(&root)),
        Format::StepFunctions => step_functions::find(&root),
        Format::K8sJob => k8s_job::find(&root),
        Format::Nginx => Ok(Vec::new()),
    }
}

/// The policy of a text of ours.
pub(crate) fn read(
    text: &str,
    format: Format,
    servers: Option<u32>,
) -> Result<Policy, ImportError> {
    Ok(import_with(text, format, ImportOptions { at: None, servers })?.policy)
}

/// The one policy at a place, or if there is none, inside it. Places that say the same are one.
fn choose(mut found: Vec<Found>, at: Option<&str>) -> Result<Found, ImportError> {
    let at = at.unwrap_or_default();
    let is_exact = found.iter().any(|found| found.at == at);
    let is_chosen =
        |found: &Found| if is_exact { found.at == at } else { is_within(&found.at, at) };
    if !found.iter().any(is_chosen) {
        let places = listed(found.iter().map(|found| found.at.clone()).collect(), ", ");
        return Err(ImportError::new(
            cut(at),
            format!("no policy is there; there is one at {places}"),
        ));
    }
    found.retain(is_chosen);
    let said = |found: &Found| match &found.read {
        Ok((policy, None)) => policy.to_string(),
        Ok((policy, Some(budget))) => format!("{policy} with the budget {}", budget.text()),
        Err(error) => error.reason().to_owned(),
    };
    let mut different: Vec<_> = found.iter().map(said).collect();
    different.dedup();
    if different.len() > 1 {
        let lines = found.iter().map(|found| format!("\n  {}  {}", found.at, said(found)));
        let lines = listed(lines.collect(), "");
        let count = found.len();
        let reason = format!("{count} places have policies, which differ:{lines}");
        let places = found.into_iter().map(|found| found.at).collect();
        return Err(ImportError::new(at, reason).ambiguous(places));
    }
    let warnings = warnings(&found);
    let one = found.pop().ok_or_else(|| ImportError::new(at, "no policy is there"))?;
    Ok(one.warn(warnings))
}

/// The warnings of all places, each once.
fn warnings(found: &[Found]) -> Vec<String> {
    let mut seen = HashSet::new();
    let all = found.iter().flat_map(|found| &found.warnings);
    let mut all: Vec<_> = all.filter(|warning| seen.insert(*warning)).cloned().collect();
    let more = all.len().saturating_sub(LISTED);
    all.truncate(LISTED);
    if more > 0 {
        all.push(format!("there are {more} more warnings, about other places with this policy"));
    }
    all
}
