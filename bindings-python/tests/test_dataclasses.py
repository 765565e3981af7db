"""RetryEvent, HttpEvent and Verdict are frozen dataclasses like those of the module dataclasses."""

import copy
import dataclasses
import pickle
import typing
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from backoff_rs import HttpEvent, Outcome, RetryEvent, StopReason, Verdict

OF_EVENT = {
    "name": str,
    "attempts": int,
    "outcome": Outcome | None,
    "reason": StopReason | None,
    "delay_ns": int,
    "elapsed_ns": int,
    "error": BaseException | None,
    "value": object,
    "budget_is_local": bool,
}
SENT_ONCE = typing.Literal["caller", "body", "method"] | None
OF_HTTP = {
    "method": str,
    "url": str,
    "status": int | None,
    "sent_once": SENT_ONCE,
    "request": typing.Any,
}
NAMES = typing.Literal["success", "transient", "throttled", "timeout", "permanent"]
DURATION = float | Decimal | Fraction | timedelta | None

EVENT = RetryEvent("job", 1, Outcome.TRANSIENT, None, 5, 7, None, "value")
OF_REQUEST = {"method": "GET", "url": "u", "status": 500, "sent_once": None, "request": 1}
HTTP_EVENT = HttpEvent("job", 1, Outcome.TRANSIENT, None, 5, 7, None, "value", **OF_REQUEST)
VERDICT = Verdict("throttled", 1.5)

#: A value, the types of its fields, and those with a default.
VALUES = [
    pytest.param(EVENT, OF_EVENT, {}, id="RetryEvent"),
    pytest.param(HTTP_EVENT, {**OF_EVENT, **OF_HTTP}, {}, id="HttpEvent"),
    pytest.param(
        VERDICT,
        {"outcome": Outcome | NAMES, "retry_after": DURATION},
        {"retry_after": None},
        id="Verdict",
    ),
]


def genuine(value, types, defaults):
    """The same of the module dataclasses."""
    fields = [
        (name, kind, dataclasses.field(**({"default": defaults[name]} if name in defaults else {})))
        for name, kind in types.items()
    ]
    made = dataclasses.make_dataclass(type(value).__name__, fields, frozen=True)
    return made(**{name: getattr(value, name) for name in types})


@pytest.mark.parametrize(("value", "types", "defaults"), VALUES)
def test_they_are_like_genuine_ones(value, types, defaults):
    like = genuine(value, types, defaults)
    kind = type(value)
    assert dataclasses.is_dataclass(kind)
    assert typing.get_type_hints(kind) == types
    for ours, theirs in zip(dataclasses.fields(kind), dataclasses.fields(like), strict=True):
        assert (ours.name, ours.type, ours.default) == (theirs.name, theirs.type, theirs.default)
    assert kind.__match_args__ == type(like).__match_args__
    assert kind.__dataclass_params__.frozen
    # That of an HttpEvent has no secrets.
    assert kind is HttpEvent or repr(value) == repr(like)
    assert hash(value) == hash(like)
    assert dataclasses.asdict(value) == dataclasses.asdict(like)
    for same in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert same == value
        assert same is not value
    assert value != like
    for name in (*types, "other"):
        for change in (lambda it, name: setattr(it, name, 1), delattr):
            with pytest.raises(dataclasses.FrozenInstanceError) as expected:
                change(like, name)
            with pytest.raises(dataclasses.FrozenInstanceError, match=str(expected.value)):
                change(value, name)


def test_events_of_another_class_differ():
    assert HTTP_EVENT != EVENT
    assert dataclasses.replace(EVENT, value=2) != EVENT
    assert {EVENT, copy.copy(EVENT)} == {EVENT}


def test_an_event_within_itself_is_shown():
    holder = []
    event = dataclasses.replace(EVENT, value=holder)
    holder.append(event)
    assert "value=[...]" in repr(event)


def test_a_request_is_shown_without_what_may_be_secret():
    error = OSError("GET http://me:word@example.com/a?key=1 failed")
    shown = repr(dataclasses.replace(HTTP_EVENT, error=error, value=None))
    assert "error=OSError('GET http://example.com/a failed'), value=None, " in shown
    assert shown.endswith("sent_once=None, request=<int>)")
    assert "value=<str>" in repr(HTTP_EVENT)


def test_replace():
    assert dataclasses.replace(VERDICT, retry_after=-1) == Verdict("throttled", 0)
    with pytest.raises(TypeError, match="more"):
        dataclasses.replace(VERDICT, more=1)
    if hasattr(copy, "replace"):
        assert copy.replace(VERDICT, retry_after=2) == Verdict("throttled", 2)


def test_subclasses():
    class Plain(Verdict):
        pass

    @dataclasses.dataclass(frozen=True)
    class More(Verdict):
        more: int = 0

    plain = Plain("transient")
    plain.note = 1
    assert (plain.note, plain == Verdict("transient")) == (1, False)
    with pytest.raises(dataclasses.FrozenInstanceError):
        plain.outcome = "permanent"
    assert More("transient", -1, 2) == More("transient", 0, more=2)
    assert [field.name for field in dataclasses.fields(More)] == ["outcome", "retry_after", "more"]
    with pytest.raises(TypeError, match="non-frozen"):
        dataclasses.dataclass(type("Loose", (Verdict,), {}))
