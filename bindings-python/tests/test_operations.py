"""Operations at the ends of what a duration can be (SPEC 13.4)."""

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from backoff_rs import Decision, Operation, Policy, RandomStream, StopReason


@pytest.mark.parametrize("negative", [
    -1, -0.5, Decimal("-0.1"), Fraction(-1, 3), timedelta(seconds=-1), -(10**400),
], ids=repr)  # fmt: skip
def test_a_negative_retry_after_is_0(negative):
    """Like a date in the past."""
    policy = Policy("constant", base=1, retry_after="exact")
    operation = Operation(policy, RandomStream(42), now_ns=0)
    assert operation.decide("timeout", now_ns=0, retry_after=negative).delay_ns == 0


LONGEST = Fraction(2**63 - 1, 10**9)


def test_without_a_limit_the_longest_wait_is_waited():
    """Also after time has passed."""
    for policy in [
        Policy("constant", base=LONGEST),
        Policy("constant", base=LONGEST, max_elapsed=LONGEST),
    ]:
        operation = Operation(policy, RandomStream(42), now_ns=1)
        for now_ns in [2, 2**63 + 1, 2**64 - 1]:
            assert operation.decide("timeout", now_ns=now_ns) == Decision(2**63 - 1)
    limit = LONGEST - Fraction(1, 10**9)
    limited = Operation(
        Policy("constant", base=limit, max_elapsed=limit), RandomStream(42), now_ns=1
    )
    assert limited.decide("timeout", now_ns=1)
    assert limited.decide("timeout", now_ns=2).reason is StopReason.MAX_ELAPSED
