"""The evaluator (see tests/README.md at the root): reads requests with a policy string, a stream
and an index, and writes the canonical string and the delay, one JSON object per line."""

import json
import re
from itertools import islice

from backoff_rs import Policy, PolicyError, RandomStream

NOT_A_REQUEST = '{"error":"not_a_request","at":0}\n'
LINES = 4096


def not_json(name):
    raise ValueError(f"{name} is not JSON")


# A number of any length is accepted; a float holds every index.
DECODER = json.JSONDecoder(parse_int=float, parse_float=float, parse_constant=not_json)
PAIR = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..")
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def has_lone_surrogate(text):
    """Whether JSON text has an escape of a lone surrogate."""
    if not SURROGATE.search(text):
        return False
    return SURROGATE.search(PAIR.sub(" ", text.replace(r"\\", " "))) is not None


def request(line):
    """The policy string, the stream and the index. Raises ValueError if it is not a request."""
    text = line.decode()
    members = DECODER.decode(text)
    if type(members) is not dict or has_lone_surrogate(text):
        raise ValueError("not an object")
    policy, seed = members["policy"], members.get("seed", "0")
    key, index = members.get("key"), members.get("index", 0.0)
    if not (type(policy) is str and type(seed) is str and seed.isascii() and seed.isdigit()):
        raise ValueError("not a request")
    if not (key is None or type(key) is str) or type(index) is not float:
        raise ValueError("not a request")
    if not (0 <= index < 2**32 and index.is_integer()):
        raise ValueError("not an index")
    # int() rejects a long run of zeros.
    seed = int(seed.lstrip("0")[:21] or 0)
    return policy, RandomStream(seed) if key is None else RandomStream(seed, key), int(index)


def answer(line):
    try:
        text, stream, index = request(line)
    except (ValueError, KeyError, RecursionError):
        return NOT_A_REQUEST
    try:
        policy = Policy.parse(text)
    except PolicyError as error:
        return f'{{"error":"{error.code}","at":{error.at}}}\n'
    return f'{{"canonical":"{policy}","delay_ns":"{policy.delay_ns(stream, index)}"}}\n'


if __name__ == "__main__":
    with open(0, "rb", 1 << 20) as lines, open(1, "w", encoding="ascii", newline="\n") as out:
        while chunk := list(islice(lines, LINES)):
            out.write("".join(map(answer, chunk)))
