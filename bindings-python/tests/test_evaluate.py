"""The evaluator: which lines are requests, and the bytes of its answers."""

import subprocess
import sys

import evaluate
import pytest

NONE = b'{"error":"not_a_request","at":0}\n'
FULL = b'{"canonical":"exponential:base=100ms,cap=20s,jitter=full","delay_ns":"%d"}\n'


def answer(line):
    return evaluate.answer(line).encode()


REQUESTS = [
    ("all members", b'"seed":"42","key":"job-1","index":3', 83486434),
    ("a seed of zeros", b'"seed":"' + b"0" * 5000 + b'42","key":"job-1","index":3', 83486434),
    ("an index in other forms", b'"seed":"42","key":"job-1","index":0.300e1', 83486434),
    ("an index with a negative exponent", b'"seed":"42","key":"job-1","index":30E-1', 83486434),
    ("the last of repeated members", b'"index":1,"seed":"1","seed":"42","key":7,"key":"job-1","index":3', 83486434),
    ("an index of 0", b'"seed":"42","key":"job-1","index":-0e99999999999999999999', 11399434),
    ("no index", b'"seed":"42","key":"job-1"', 11399434),
    ("an escape", rb'"seed":"42","key":"\u006aob-1"', 11399434),
    ("unknown members", rb'"seed":"42","key":"job-1","x":[1e999999999999999999999,{"\ud83d\ude80":"\\ud800"},' + b"9" * 5000 + b"]", 11399434),
    ("whitespace", b'\t "seed" :\r "42" , "key" : "job-1" ', 11399434),
]  # fmt: skip


@pytest.mark.parametrize(
    ("members", "delay"), [pytest.param(*row, id=fact) for fact, *row in REQUESTS]
)
def test_request(members, delay):
    line = b'{"policy":"full:base=0.1s,cap=20s",' + members + b"}\r\n"
    assert answer(line) == FULL % delay
    assert answer(line.rstrip()) == FULL % delay


def test_defaults():
    expected = answer(b'{"policy":"full:base=100ms,cap=20s","seed":"0","key":null,"index":0}\n')
    assert answer(b'{"policy":"full:base=100ms,cap=20s"}') == expected
    # An empty key is a key.
    assert answer(b'{"policy":"full:base=100ms,cap=20s","key":""}') != expected


POLICIES = [
    (b"full:base=1s,cap=2", b'{"error":"missing_unit","at":18}\n'),
    (b"default", b'{"canonical":"exponential:base=100ms,cap=20s,jitter=full,max_retries=3","delay_ns":"88331081"}\n'),
    (b"constant:base=2s,cap=1s", b'{"error":"cap_below_base","at":21}\n'),
    (b"", b'{"error":"unknown_head","at":0}\n'),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "expected"), POLICIES, ids=[line for line, _ in POLICIES])
def test_policy(policy, expected):
    assert answer(b'{"policy":"' + policy + b'"}\n') == expected


NOT_REQUESTS = [
    b"",
    b"\r",
    b"null",
    b'["none"]',
    b"{}",
    b'{"policy":null}',
    b'{"policy":1}',
    b'{"policy":"none"',
    b'{"policy":"none"}}',
    b'{"policy":"none",}',
    b"{'policy':'none'}",
    b'{"policy":"none","seed":42}',
    b'{"policy":"none","seed":null}',
    b'{"policy":"none","seed":""}',
    b'{"policy":"none","seed":"-1"}',
    b'{"policy":"none","seed":"1e3"}',
    b'{"policy":"none","seed":" 1"}',
    '{"policy":"none","seed":"٣"}'.encode(),
    b'{"policy":"none","seed":"18446744073709551616"}',
    b'{"policy":"none","seed":"' + b"9" * 5000 + b'"}',
    b'{"policy":"none","key":1}',
    b'{"policy":"none","key":false}',
    b'{"policy":"none","index":null}',
    b'{"policy":"none","index":"1"}',
    b'{"policy":"none","index":true}',
    b'{"policy":"none","index":-1}',
    b'{"policy":"none","index":1.5}',
    b'{"policy":"none","index":4294967296}',
    b'{"policy":"none","index":4294967295.5}',
    b'{"policy":"none","index":1e-9}',
    b'{"policy":"none","index":1e999999999999999999999}',
    b'{"policy":"none","index":01}',
    b'{"policy":"none","index":NaN}',
    b'{"policy":"none","x":Infinity}',
    b'{"policy":"none","x":"\x01"}',
    b'{"policy":"none","x":"\xff"}',
    b'{"policy":"none","x":"\xed\xa0\x80"}',
    b'\xef\xbb\xbf{"policy":"none"}',
    rb'{"policy":"none","x":"\ud800"}',
    rb'{"policy":"none","x":"\uDC00\ud800"}',
    rb'{"policy":"none","x":"\ud83d\\\ude80"}',
    rb'{"policy":"none","\udfff":1}',
    rb'{"policy":"\ud800","policy":"none"}',
    b'{"policy":"none","x":' + b"[" * 10**4 + b"]" * 10**4 + b"}",
]


@pytest.mark.parametrize("line", NOT_REQUESTS, ids=[f"{n}" for n in range(len(NOT_REQUESTS))])
def test_not_a_request(line):
    assert answer(line + b"\n") == NONE


def test_the_program():
    lines = [b'{"policy":"none"}', *NOT_REQUESTS] * 300 + [b'{"policy":"none"}']
    done = subprocess.run(
        [sys.executable, evaluate.__file__], input=b"\n".join(lines), capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    one = b'{"canonical":"constant:base=0s","delay_ns":"0"}\n'
    assert done.stdout == (one + NONE * len(NOT_REQUESTS)) * 300 + one
