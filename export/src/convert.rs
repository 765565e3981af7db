//! Exporting and importing in any format.

use backoff_core::{Budget, Policy};

use crate::error::{ExportError, ImportError};
use crate::format::Format;
use crate::source::{Source, difference};
use crate::{envoy, grpc, istio, k8s_job, nginx, step_functions, temporal};

/// No growth takes more steps to its cap (SPEC 5.2).
const ROWS: usize = 4096;

/// The configuration of an engine that waits and stops as the policy and the budget do.
///
/// The text is read back and its policy compared with this one, delay by delay, so that no
/// difference stays unnoticed.
///
/// # Errors
/// Every field that the format has no equivalent of, its value, and what the engine does instead.
pub fn export(
    policy: &Policy,
    budget: Option<&Budget>,
    format: Format,
) -> Result<String, ExportError> {
    let mut source = Source::new(policy, format);
    let text = match format {
        Format::Grpc => grpc::write(&mut source, budget),
        Format::Envoy => envoy::write(&mut source, budget),
        Format::Istio => istio::write(&mut source, budget),
        Format::Temporal => temporal::write(&mut source, budget),
        Format::StepFunctions => step_functions::write(&mut source, budget),
        Format::K8sJob => k8s_job::write(&mut source, budget),
        Format::Nginx => nginx::write(&mut source, budget),
    };
    if source.refusals.is_empty() {
        refuse_difference(&mut source, &text);
    }
    let mut refusals = source.refusals;
    refusals.sort_by_key(|refusal| refusal.field as u32);
    if refusals.is_empty() { Ok(text) } else { Err(ExportError { refusals }) }
}

/// Refuses a policy that the text does not say, and names the field that differs.
fn refuse_difference(source: &mut Source<'_>, text: &str) {
    let (policy, format) = (source.policy, source.format);
    match import(text, format) {
        Ok((read, _)) if waits_alike(policy, &read) => {}
        Ok((read, _)) => {
            if let Some((field, value)) = difference(policy, &read) {
                source.refuse(field, format!("it has {value} for that"));
            }
        }
        Err(error) => source.refuse(backoff_core::Field::Cap, error.reason()),
    }
}

/// Whether two policies have the same ranges of delays, and as many of them.
fn waits_alike(one: &Policy, other: &Policy) -> bool {
    let ranges = |policy: &Policy| {
        let rows = policy.preview().take(ROWS);
        rows.map(|row| (row.min_ns, row.mean_ns, row.max_ns)).collect::<Vec<_>>()
    };
    one.max_retries() == other.max_retries() && ranges(one) == ranges(other)
}

/// The policy that a configuration of an engine describes, and the budget if it has one.
///
/// Which failures are retried, timeouts and deadlines are not part of a policy, and are not read.
/// A setting that is not there has the default of the engine.
///
/// # Errors
/// The place in the text, and what is wrong there.
pub fn import(text: &str, format: Format) -> Result<(Policy, Option<Budget>), ImportError> {
    match format {
        Format::Grpc => grpc::read(text),
        Format::Envoy => envoy::read(text),
        Format::Istio => istio::read(text),
        Format::Temporal => temporal::read(text),
        Format::StepFunctions => step_functions::read(text),
        Format::K8sJob => k8s_job::read(text),
        Format::Nginx => nginx::read(text),
    }
}
