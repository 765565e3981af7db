"""AWS Step Functions: its documented formula, and a validator of the Amazon States Language.

ASL_VALIDATOR is the folder of a project with the npm package asl-validator.
"""

import json
import os
import subprocess

from backoff import SECOND, agree, export, policies, ranges

GROWTHS = [
    "exponential:base=BASE",
    "exponential:multiplier=1.5,base=BASE",
    "exponential:multiplier=3,base=BASE",
    "constant:base=BASE",
]
POLICIES = list(policies(300, GROWTHS, ["s", "s", "m", "ms"], ["", ",jitter=full"], [""]))
VALIDATE = """
const validate = require("asl-validator");
const definition = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify({ isValid: validate(definition).isValid }));
"""


def delays(retrier, retries):
    """IntervalSeconds, multiplied by BackoffRate after each retry, up to MaxDelaySeconds; with
    JitterStrategy FULL from 0 to that (docs.aws.amazon.com/step-functions, 2026-11)."""
    longest = retrier.get("MaxDelaySeconds", 10**12)
    for retry in range(retries):
        delay = min(retrier["IntervalSeconds"] * retrier["BackoffRate"] ** retry, longest) * SECOND
        # The longest duration of a policy, 292 years.
        delay = min(delay, 2**63 - 1)
        yield (0, delay / 2, delay) if retrier["JitterStrategy"] == "FULL" else (delay,) * 3


def valid(states):
    """Whether a state machine of tasks with these members is valid."""
    task = {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:123456789012:function:a"}
    names = [f"State{number}" for number in range(len(states))]
    ends = [*({"Next": name} for name in names[1:]), {"End": True}]
    tasks = [task | state | end for state, end in zip(states, ends, strict=True)]
    machine = {"StartAt": names[0], "States": dict(zip(names, tasks, strict=True))}
    done = subprocess.run(
        ["node", "-e", VALIDATE],
        input=json.dumps(machine),
        cwd=os.environ["ASL_VALIDATOR"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["isValid"]


def test_the_delays_are_those_of_step_functions():
    states = []
    for policy in POLICIES:
        text = export("step-functions", policy)
        if text is None:
            continue
        states.append(json.loads(text))
        (retrier,) = states[-1]["Retry"]
        ours = ranges(policy)
        agree(ours, delays(retrier, len(ours)), 1)
        assert min(retrier["MaxAttempts"], 40) == len(ours)
    assert len(states) > 100, len(states)
    assert valid(states)


def test_a_policy_without_retries_is_valid():
    state = json.loads(export("step-functions", "off"))
    assert [retrier["MaxAttempts"] for retrier in state["Retry"]] == [0]
    assert valid([state])


def test_the_validator_refuses_what_is_wrong():
    (retrier,) = json.loads(export("step-functions", "full:base=1s,max_retries=3"))["Retry"]
    assert valid([{"Retry": [retrier]}])
    for wrong in [{"IntervalSeconds": "1"}, {"MaxAttempts": -1}, {"ErrorEquals": "States.ALL"}]:
        assert not valid([{"Retry": [retrier | wrong]}])
