"""The evaluator of the reference: lines of JSON in, answers out (see README.md)."""

import json
import os
import sys
from collections import deque
from multiprocessing import Pool

from reference import delays, numbers, parse_error, printing, streams, strings

NOT_A_REQUEST = b'{"error":"not_a_request","at":0}\n'


def answer(line):
    found = request(line)
    if found is None:
        return NOT_A_REQUEST
    text, seed, key, index = found
    try:
        policy = strings.parse("policy", text)
    except parse_error.ParseError as error:
        return f'{{"error":"{error.code}","at":{error.at}}}\n'.encode()
    canonical = printing.printed("policy", policy)
    delay = delays.delay(policy, streams.stream(seed, key), index)
    return f'{{"canonical":"{canonical}","delay_ns":"{delay}"}}\n'.encode()


def request(line):
    """The policy, seed, key and index of a request, or None."""
    try:
        # Only an escape can produce a lone surrogate.
        decoder = strict if b"\\u" in line else fast
        found = decoder.decode(line.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    policy, seed, key = found.get("policy"), found.get("seed", "0"), found.get("key")
    if not (isinstance(policy, str) and isinstance(seed, str) and isinstance(key, str | None)):
        return None
    if not (seed.isascii() and seed.isdigit()):
        return None
    seed = seed.lstrip("0") or "0"
    if len(seed) > 20 or int(seed) >= numbers.WORD:
        return None
    index = found.get("index", 0)
    if type(index) not in (int, float) or not 0 <= index < 2**32 or index != int(index):
        return None
    return policy, int(seed), None if key is None else key.encode(), int(index)


def members(pairs):
    """An object of well-formed strings: Python's decoder accepts lone surrogates."""
    for name, value in pairs:
        well_formed(name)
        well_formed(value)
    return dict(pairs)


def well_formed(value):
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, list):
        for part in value:
            well_formed(part)


def not_a_number(name):
    raise ValueError(f"{name} is not JSON")


def number(digits):
    """Above an index the exact value does not matter, and int() rejects long numbers."""
    return int(digits) if len(digits) <= 20 else float(digits)


fast = json.JSONDecoder(parse_int=number, parse_constant=not_a_number)
strict = json.JSONDecoder(parse_int=number, parse_constant=not_a_number, object_pairs_hook=members)


def answers(lines):
    return b"".join(map(answer, lines))


def main():
    """Answers in the order of the lines, computed by one process for each processor."""
    chunks = iter(lambda: sys.stdin.buffer.readlines(1 << 17), [])
    out = sys.stdout.buffer
    with Pool() as pool:
        begun = deque()
        for chunk in chunks:
            begun.append(pool.apply_async(answers, (chunk,)))
            if len(begun) > 4 * os.cpu_count():
                out.write(begun.popleft().get())
        for chunk in begun:
            out.write(chunk.get())


if __name__ == "__main__":
    main()
