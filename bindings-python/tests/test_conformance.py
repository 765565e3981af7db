"""Every vector, one by one at random access, as a batch and by an iterator."""

from array import array
from itertools import islice

import pytest
import vectors
from backoff_rs import Backoff, PolicyError, Stream

DELAYS = ["samples", "growths", "jitters", "caps", "articles"]


def test_no_file_of_vectors_is_left_out():
    names = {path.stem for path in vectors.FOLDER.glob("*.json")}
    assert names == {"draws", "streams", *DELAYS, "resets", "errors"}


@pytest.mark.parametrize("case", vectors.cases("draws"))
def test_draw(case):
    assert Stream(int(case["stream"])).draw(case["index"]) == int(case["draw"])


@pytest.mark.parametrize("case", vectors.cases("streams"))
def test_stream(case):
    stream = vectors.stream(case["seed"], case["key"])
    assert stream.state == int(case["stream"])


@pytest.mark.parametrize("case", vectors.cases(*DELAYS))
def test_at_random_access(case):
    policy, stream = vectors.policy(case["policy"]), vectors.stream(case["seed"], case["key"])
    rows = zip(case["windows"], case["delays"], strict=True)
    for index, (window, delay) in enumerate(rows, case["first"]):
        assert policy.window_ns(index) == int(window)
        assert policy.delay_ns(stream, index) == int(delay)
        # An int divided by an int is the nearest float.
        assert policy.window(index) == int(window) / 10**9
        assert policy.delay(stream, index) == int(delay) / 10**9


@pytest.mark.parametrize("case", vectors.cases(*DELAYS))
def test_as_a_batch(case):
    policy, stream = vectors.policy(case["policy"]), vectors.stream(case["seed"], case["key"])
    expected = [int(delay) for delay in case["delays"]]
    first, count = case["first"], len(expected)
    for typecode in "Qq":
        buffer = array(typecode, [0] * count)
        assert policy.fill_ns(stream, buffer, first) == count
        assert list(buffer) == expected
    assert policy.delays(stream, count, first) == [delay / 10**9 for delay in expected]


FROM_0 = [case for case in vectors.cases(*DELAYS) if case.values[0]["first"] == 0]


@pytest.mark.parametrize("case", FROM_0)
def test_by_an_iterator(case):
    policy, stream = vectors.policy(case["policy"]), vectors.stream(case["seed"], case["key"])
    expected = [int(delay) for delay in case["delays"]]
    backoff = Backoff(policy, stream)
    assert [backoff.next_ns() for _ in expected] == expected
    assert backoff.index == len(expected)
    in_seconds = list(islice(Backoff(policy, stream), len(expected)))
    assert in_seconds == [delay / 10**9 for delay in expected]


@pytest.mark.parametrize("case", vectors.cases("resets"))
def test_reset(case):
    stream = vectors.stream(case["seed"], case["key"])
    backoff = Backoff(vectors.policy(case["policy"]), stream)
    for run in case["runs"]:
        assert [backoff.next_ns() for _ in run] == [int(delay) for delay in run]
        backoff.reset()
        assert backoff.index == 0
    assert backoff.stream == Stream(int(case["stream"]))


@pytest.mark.parametrize("case", vectors.cases("errors"))
def test_error(case):
    expected = case["error"]
    with pytest.raises(PolicyError) as caught:
        vectors.policy(case["policy"])
    error = caught.value
    assert (error.code, error.field) == (expected["code"], expected["field"])
    if error.code == "unknown_kind":
        # Kinds are names here: the number of a vector is a name that is none.
        assert error.value == 0
        return
    assert (error.value, error.limit) == (int(expected["value"]), int(expected["limit"]))
    assert str(error) == expected["message"]
