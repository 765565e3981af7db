//! A Kubernetes Job: `backoffLimit`. The delays are constants of the job controller.

use backoff_core::{Budget, Field, Policy, Ratio};

use crate::error::ImportError;
use crate::json;
use crate::policy::Read;
use crate::source::{Hints, Source};
use crate::text::SECOND;

/// `DefaultJobPodFailureBackOff` and `MaxJobPodFailureBackOff`.
const BASE_NS: u64 = 10 * SECOND;
const CAP_NS: u64 = 600 * SECOND;
const MAX: u64 = i32::MAX as u64;
/// The default of `backoffLimit`.
const BACKOFF_LIMIT: u64 = 6;

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    source.multiplier();
    source.only_common_fields();
    source.no_jitter();
    source.retries_within(0, MAX, &format!("backoffLimit is from 0 to {MAX}"));
    source.no_max_elapsed("activeDeadlineSeconds");
    source.hints(&Hints::Never);
    source.no_budget(budget);
    format!(
        r#"{{
  "spec": {{
    "backoffLimit": {},
    "template": {{"spec": {{"restartPolicy": "Never"}}}}
  }}
}}
"#,
        source.policy.max_retries(),
    )
}

pub(crate) fn read(text: &str) -> Result<(Policy, Option<Budget>), ImportError> {
    let value = json::parse(text)?;
    let job = json::object(&value)?;
    // A CronJob has its limit elsewhere, and anything else has none.
    let kind = job.get("kind");
    if let Some(kind) = kind.filter(|kind| !kind.text().is_ok_and(|name| name == "Job")) {
        return Err(kind.error("not a Job; of a CronJob, import its jobTemplate"));
    }
    let spec = job.need_object("spec")?;
    if let Some(node) = spec.get("jobTemplate") {
        return Err(node.error("this is the spec of a CronJob; import its jobTemplate"));
    }
    if let Some(node) = spec.get("backoffLimitPerIndex") {
        return Err(node.error("each index has retries of its own"));
    }
    let template = spec.get("template").map(|node| node.object()).transpose()?;
    let pod = template.and_then(|template| template.get("spec"));
    let restart = pod.map(|pod| pod.object()).transpose()?.and_then(|pod| pod.get("restartPolicy"));
    let restart = restart.as_ref().map(json::Node::text).transpose()?;
    if restart.is_some_and(|restart| restart != "Never") {
        return Err(spec.error(
            "the kubelet restarts the containers of a pod, with delays of its own, unless \
             restartPolicy is Never",
        ));
    }
    let limit = spec.get("backoffLimit").map(|node| node.count(0, MAX)).transpose()?;
    let read = Read::growing(BASE_NS, Ratio::new(2, 1), Some(CAP_NS))
        .with(Field::MaxRetries, limit.unwrap_or(BACKOFF_LIMIT))
        .policy(&spec.at)?;
    Ok((read, None))
}
