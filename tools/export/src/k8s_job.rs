//! A Kubernetes Job: `backoffLimit`. The delays are constants of the job controller.

use backoff_core::{Budget, Field, FieldValue, Policy, Ratio};

use crate::error::ImportError;
use crate::found::Found;
use crate::json::{Node, Object};
use crate::limits::{self, Ends};
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
    source.retries_at_most(MAX, &format!("backoffLimit is from 0 to {MAX}"));
    source.no_attempt_timeout(
        "the activeDeadlineSeconds of a pod also counts the time before it runs",
    );
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

/// Each Job, also those that something else makes: a `CronJob`, or whatever else has a `backoffLimit`.
pub(crate) fn find(root: &Node<'_>) -> Result<Vec<Found>, ImportError> {
    let objects = root.objects();
    let mut specs: Vec<Object<'_>> = Vec::new();
    for object in &objects {
        let is_job =
            object.get("kind").is_some_and(|kind| kind.text().is_ok_and(|kind| kind == "Job"));
        let template = object.read("jobTemplate", Node::object)?;
        let job = template.or_else(|| is_job.then(|| object.clone()));
        let spec = match job {
            Some(job) => job.need_object("spec")?,
            None if object.get("backoffLimit").is_some() => object.clone(),
            None => continue,
        };
        if specs.iter().all(|other| other.at != spec.at) {
            specs.push(spec);
        }
    }
    // The patch of a Job.
    let patch = root.object().ok().filter(|object| object.get("kind").is_none());
    if let Some(patch) = patch.filter(|_| specs.is_empty()) {
        specs.push(patch.need_object("spec")?);
    }
    if specs.is_empty() {
        let kind = objects.iter().find_map(|object| object.get("kind"));
        let kind = kind.unwrap_or_else(|| root.clone());
        return Err(kind.error(
            "no Job is in it; a pod of any other kind is restarted by the kubelet, as the preset \
             k8s-crashloop says",
        ));
    }
    Ok(specs.iter().map(|spec| Found::new(&spec.at, read(spec)).warn(warnings(spec))).collect())
}

fn warnings(spec: &Object<'_>) -> Vec<String> {
    let mut all = limits::of(spec, [("activeDeadlineSeconds", Ends::Operation)]);
    let template = spec.get("template").and_then(|node| node.object().ok());
    let pod = template.and_then(|template| template.get("spec"));
    if let Some(pod) = pod.and_then(|node| node.object().ok()) {
        all.extend(limits::of(&pod, [("activeDeadlineSeconds", Ends::Attempt)]));
    }
    all
}

fn read(spec: &Object<'_>) -> Result<(Policy, Option<Budget>), ImportError> {
    if let Some(node) = spec.get("backoffLimitPerIndex") {
        return Err(node.error("each index has retries of its own"));
    }
    if let Some(rule) = uncounted(spec)? {
        return Err(rule.error("a failure that is ignored does not count as a retry"));
    }
    let template = spec.read("template", Node::object)?;
    let pod = template.map_or(Ok(None), |template| template.read("spec", Node::object))?;
    let restart = pod.map_or(Ok(None), |pod| pod.read("restartPolicy", Node::text))?;
    if restart.is_some_and(|restart| restart != "Never") {
        return Err(spec.error(
            "the kubelet restarts the containers of a pod, with delays of its own, unless \
             restartPolicy is Never",
        ));
    }
    let limit = spec.read("backoffLimit", |node| node.count(0, MAX))?;
    let read = Read::growing(BASE_NS, Ratio::new(2, 1), Some(CAP_NS))
        .with(Field::MaxRetries, FieldValue::Count(limit.unwrap_or(BACKOFF_LIMIT)))
        .policy(&spec.at)?;
    Ok((read, None))
}

/// The first rule of a `podFailurePolicy` that does more than to say which failures are retried.
fn uncounted<'a>(spec: &Object<'a>) -> Result<Option<Node<'a>>, ImportError> {
    let policy = spec.read("podFailurePolicy", Node::object)?;
    let rules = policy.map_or(Ok(None), |policy| policy.read("rules", Node::array))?;
    for node in rules.unwrap_or_default() {
        let action = node.object()?.need("action")?;
        if !["FailJob", "Count"].contains(&action.text()?) {
            return Ok(Some(action));
        }
    }
    Ok(None)
}
