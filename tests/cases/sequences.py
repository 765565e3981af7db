"""A case that compares windows and delays."""

from reference import delays, policies, streams

from cases.policies import dump


def sequence(id, why, policy, *, seed=42, key=b"job-1", first=0, count=10):
    checked, stream = policies.policy(policy), streams.stream(seed, key)
    indices = range(first, first + count)
    return {
        "id": id,
        "why": why,
        "policy": dump(policy),
        "seed": str(seed),
        "key": None if key is None else key.hex(),
        "first": first,
        "windows": [str(delays.window(checked, i)) for i in indices],
        "delays": [str(delays.delay(checked, stream, i)) for i in indices],
    }
