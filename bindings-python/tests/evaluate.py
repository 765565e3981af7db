"""The evaluator (see tests/README.md at the root): a policy line, a stream and an index in, the
canonical line and the delay out, a JSON object a line, through the installed package."""

import json
import re
from itertools import islice

from backoff_rs import Policy, PolicyError, Stream

NOT_A_REQUEST = '{"error":"not_a_request","at":0}\n'
LINES = 4096


def no_json(name):
    raise ValueError(f"{name} is no JSON")


# Any number of digits is a number; a float holds every index.
DECODER = json.JSONDecoder(parse_int=float, parse_float=float, parse_constant=no_json)
PAIR = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..")
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def has_lone_surrogate(text):
    """Whether JSON has an escape that is half a character."""
    if not SURROGATE.search(text):
        return False
    return SURROGATE.search(PAIR.sub(" ", text.replace(r"\\", " "))) is not None


def request(line):
    """The line of the policy, the stream and the index; or ValueError."""
    text = line.decode()
    members = DECODER.decode(text)
    if type(members) is not dict or has_lone_surrogate(text):
        raise ValueError("no object")
    policy, seed = members["policy"], members.get("seed", "0")
    key, index = members.get("key"), members.get("index", 0.0)
    if not (type(policy) is str and type(seed) is str and seed.isascii() and seed.isdigit()):
        raise ValueError("no request")
    if not (key is None or type(key) is str) or type(index) is not float:
        raise ValueError("no request")
    if not (0 <= index < 2**32 and index.is_integer()):
        raise ValueError("no index")
    # A long run of zeros is more than int() reads.
    seed = int(seed.lstrip("0")[:21] or 0)
    return policy, Stream(seed) if key is None else Stream(seed, key), int(index)


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
