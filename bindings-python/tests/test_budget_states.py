"""The state of a budget as a value: what is rejected, and what a value can do."""

import copy
import pickle

import pytest
from backoff_rs import (
    Budget,
    BudgetEvent,
    BudgetState,
    Operation,
    Outcome,
    Policy,
    PolicyError,
    RandomStream,
)

QUOTA = Budget.parse("quota:max_tokens=10,cost=5")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"event": "retry"},
            PolicyError,
            "event 'retry' is unknown; the events are operation_began",
        ),
        ({"event": 4}, TypeError, "event must be a BudgetEvent or its name, not int"),
        ({"event": "retry_requested"}, TypeError, "retry_requested needs an outcome"),
        ({"outcome": "failed"}, PolicyError, "outcome 'failed' is unknown"),
        ({"outcome": BudgetEvent.ATTEMPT_OVER}, PolicyError, "is unknown"),
        ({"now_ns": -1}, PolicyError, "now_ns -1 is below 0"),
        ({"now_ns": 1.5}, TypeError, "now_ns must be an int, not float"),
        ({"held": 2**64}, PolicyError, f"held {2**64} is above {2**64 - 1}"),
    ],
)
def test_steps_that_are_rejected(arguments, error, message):
    state = BudgetState.full(QUOTA)
    with pytest.raises(error, match=message):
        state.step(**{"event": "operation_began", "now_ns": 0, **arguments})
    assert state == BudgetState.full(QUOTA)


@pytest.mark.parametrize(
    ("budget", "text", "error", "message"),
    [
        (QUOTA, "0 10 ", PolicyError, "text '0 10 ' is not a state of the budget quota:max_tokens"),
        (QUOTA, "\ud800", PolicyError, "is not a state"),
        (QUOTA, b"0 10", TypeError, "text must be a str, not bytes"),
        ("quota", "0 10", TypeError, "budget must be a Budget, not str"),
    ],
)
def test_texts_that_are_rejected(budget, text, error, message):
    with pytest.raises(error, match=message):
        BudgetState.parse(budget, text)


def test_a_state_is_a_value():
    state, other = BudgetState.full(QUOTA), BudgetState.parse(QUOTA, "0 9")
    assert state == BudgetState.parse(QUOTA, "0 10") != other
    assert len({state, BudgetState.full(QUOTA), other}) == 2
    assert (repr(other), other.version) == ("<BudgetState 0 9>", 0)
    transition = other.step(BudgetEvent.RETRY_REQUESTED, now_ns=0, outcome=Outcome.TIMEOUT)
    assert (transition.granted, transition.held, str(transition.state)) == (True, 5, "1 4")
    # The same numbers of another budget.
    assert state != BudgetState.full(Budget.parse("throttle:max_tokens=1"))
    with pytest.raises(TypeError, match="BudgetState has no constructor"):
        BudgetState()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        restored = pickle.loads(pickle.dumps(other, protocol))
        assert restored == copy.copy(other) == other
    spent = pickle.loads(pickle.dumps(transition.state))
    assert spent == transition.state == pickle.loads(pickle.dumps(spent))


def test_a_resumed_operation():
    """tests/vectors/resumptions.json has its decisions."""
    policy, stream = Policy.parse("default"), RandomStream(1)
    for arguments, field in [((-1, 0), "retries"), ((0, 2**64), "began_ns")]:
        with pytest.raises(PolicyError) as raised:
            Operation.resume(policy, stream, arguments[0], began_ns=arguments[1])
        assert raised.value.field == field
    operation = Operation.resume(policy, stream, 2, began_ns=5, deadline_ns=6)
    assert operation.decide("transient", now_ns=5).reason == "deadline"
    assert operation.refuse_retry() == operation.reason == "deadline"
