"""Cases that compare windows and delays."""

from reference import delays, policies, streams

from cases.table import dump, policy, rows


def sequences(table):
    """The cases of a table: id, policy, why, and perhaps how many indices, from which on."""
    for id, string, why, *indices in rows(table):
        count, _, first = "".join(indices).partition(" from ")
        yield sequence(id, why, policy(string), first=int(first or 0), count=int(count or 10))


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
