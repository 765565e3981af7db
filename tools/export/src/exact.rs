//! The exact configuration of a policy, or what has no equivalent.

use backoff_core::{Budget, Field, FieldValue, Policy};

use crate::error::{ExportError, ImportError};
use crate::fields::{differences, shown};
use crate::format::Format;
use crate::import::read;
use crate::source::Source;
use crate::text::{MS, ns};
use crate::{envoy, grpc, istio, k8s_job, nginx, step_functions, temporal};

/// No growth takes more steps to its cap (SPEC 5.2).
const ROWS: usize = 4096;

/// A configuration, and what the user must know about it.
pub(crate) struct Exact {
    pub(crate) text: String,
    pub(crate) warnings: Vec<String>,
}

/// The configuration, if the engine does exactly what the policy says.
///
/// Without retries no delay matters: if the engine does not have those of the policy, it gets others.
pub(crate) fn exact(
    policy: &Policy,
    budget: Option<&Budget>,
    format: Format,
    servers: Option<u32>,
) -> Result<Exact, ExportError> {
    match (write(policy, budget, format, servers), Policy::parse(without_retries(format))) {
        (Err(_), Ok(other)) if policy.max_retries() == 0 => {
            // The limit of the only attempt is kept.
            let limit = policy.get(Field::AttemptTimeout).unwrap_or(FieldValue::NoLimit);
            let other = other.to_builder().set(Field::AttemptTimeout, limit).build();
            write(other.as_ref().unwrap_or(policy), budget, format, servers)
        }
        (written, _) => written,
    }
}

/// A policy without retries whose delays the engine has.
const fn without_retries(format: Format) -> &'static str {
    match format {
        Format::Grpc => "grpc-retry:max_retries=0,retry_after_max=none",
        Format::Envoy | Format::Istio => "envoy:max_retries=0,retry_after_max=0s",
        Format::Temporal => "temporal:max_retries=0",
        Format::StepFunctions => "exponential:base=1s,max_retries=0",
        Format::K8sJob => "exponential:base=10s,cap=10m,max_retries=0",
        Format::Nginx => "off:retry_after_max=0s",
    }
}

fn write(
    policy: &Policy,
    budget: Option<&Budget>,
    format: Format,
    servers: Option<u32>,
) -> Result<Exact, ExportError> {
    let mut source = Source::new(policy, format, servers);
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
    let Source { mut refusals, warnings, .. } = source;
    refusals.sort_by_key(|refusal| refusal.field as u32);
    if refusals.is_empty() { Ok(Exact { text, warnings }) } else { Err(ExportError { refusals }) }
}

/// Refuses a policy that the text does not say, and names the first field that differs.
fn refuse_difference(source: &mut Source<'_>, text: &str) {
    let (policy, format) = (source.policy, source.format);
    match read(text, format, source.servers) {
        Ok(read) if waits_alike(policy, &read) => {}
        Ok(read) => {
            let instead = differences(policy, &read);
            if let Some((field, _)) = instead.first().copied() {
                let value = shown(&read, field);
                source.replace_all(field, &instead, format!("it has {value} for that"));
            }
        }
        Err(error) => refuse_cap(source, &error),
    }
}

/// Refuses a cap that Envoy does not reach by doubling. It doubles up to each even one.
fn refuse_cap(source: &mut Source<'_>, error: &ImportError) {
    let cap = source.ns(Field::Cap);
    source.replace(Field::Cap, ns(cap.saturating_add(MS)), error.reason());
}

/// Whether two policies have the same ranges of delays, as many of them, and equally long attempts.
fn waits_alike(one: &Policy, other: &Policy) -> bool {
    let ranges = |policy: &Policy| {
        let rows = policy.preview().take(ROWS);
        rows.map(|row| (row.min_ns, row.mean_ns, row.max_ns)).collect::<Vec<_>>()
    };
    let counts = [Field::MaxRetries, Field::AttemptTimeout];
    counts.iter().all(|&field| one.get(field) == other.get(field)) && ranges(one) == ranges(other)
}
