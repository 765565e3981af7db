"""Kubernetes Jobs: the formula of the job controller, and the schema of Jobs."""

import json

import kubernetes_validate
import pytest
from backoff import SECOND, agree, export, exported, policies, ranges

GROWTHS = ["exponential:base=BASE", "exponential:base=BASE,multiplier=3", "constant:base=BASE"]
REST = ["", ",cap=600s", ",cap=10m"]
POLICIES = [
    *policies(200, GROWTHS, ["s"], [""], [""]),
    *(f"exponential:base=10s,max_retries={n}{cap}" for n in range(9) for cap in REST),
]
VERSION = "1.37"


def delays(failures):
    """`getRemainingTimeForFailuresCount` in pkg/controller/job/backoff_utils.go (21da0b6), with
    DefaultJobPodFailureBackOff and MaxJobPodFailureBackOff of job_controller.go (6ae037f)."""
    for count in range(1, failures + 1):
        duration, longest = 10 * SECOND, 600 * SECOND
        for _ in range(1, count):
            duration *= 2
            if duration >= longest:
                duration = longest
                break
        yield (duration,) * 3


def job(text):
    patch = json.loads(text)["spec"]
    container = {"name": "a", "image": "a"}
    template = {"spec": {"containers": [container], **patch["template"]["spec"]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "a"},
        "spec": patch | {"template": template},
    }


def test_the_delays_are_those_of_the_job_controller():
    count = 0
    for policy in POLICIES:
        text = export("k8s-job", policy)
        if text is None:
            continue
        full = job(text)
        kubernetes_validate.validate(full, VERSION, strict=True)
        ours = ranges(policy)
        agree(ours, delays(len(ours)), 0)
        assert full["spec"]["backoffLimit"] == len(ours)
        assert full["spec"]["template"]["spec"]["restartPolicy"] == "Never"
        count += 1
    assert count > 20, count


def test_the_schema_refuses_what_is_unknown():
    wrong = exported("k8s-job", "exponential:base=10s,max_retries=3")
    wrong = wrong.replace("backoffLimit", "backofLimit")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(job(wrong), VERSION, strict=True)
