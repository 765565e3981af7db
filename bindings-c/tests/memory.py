"""All memory that the calls of calls.py could write to, so that one comparison shows every change."""

import ctypes
import sys
from functools import cache

from call_table import CALLS
from library import FUNCTIONS, F, N, S, code, filled, ok, parsed, ref, u32, u64

CALLED = []
FUNCTION = dict(S.loop._fields_)


def attempt(_, __):
    CALLED.append("attempt")
    return N.OUTCOME_SUCCESS


def address(text):
    """Of a constant, which lives as long as its module."""
    return ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p)


def member():
    made, budget = S.budget_member(), parsed("budget", "quota:max_tokens=2,cost=1")
    ok(F.budget_member_init(ref(made), ref(budget), ref(budget), 1, 0, 0, 0))
    return made


def asking_member(steps=False):
    """One in an exchange, with a request."""
    made, text, changed = member(), ctypes.create_string_buffer(N.TEXT_SIZE), ctypes.c_uint32()
    ok(F.budget_member_request(ref(made), N.OUTCOME_TRANSIENT, 0, ref(S.member_answer())))
    ok(F.budget_member_begin(ref(made), 0))
    if steps:
        ok(F.budget_member_step(ref(made), None, 0, 0, text, len(text), None, ref(changed)))
    return made


def places():
    """All memory to which a call could write, by name: each struct, and more."""
    numbers = {
        "u64 other_u64 context length pointer": ctypes.c_uint64,
        "u32 other_u32": ctypes.c_uint32,
    }
    request = N.BUDGET_EVENT_RETRY_REQUESTED
    return {
        **{name: filled(kind) for name, kind in vars(S).items()},
        **{name: filled(kind) for names, kind in numbers.items() for name in names.split()},
        "params": S.params(),
        "policy": parsed("policy", "constant:base=10ns"),
        "other_policy": parsed("policy", "constant:base=11ns"),
        "exponential": parsed("policy", "exponential:base=10ns,cap=1s"),
        "steps": parsed("policy", "steps:waits=10ns/20ns/30ns"),
        "budget": parsed("budget", "quota:max_tokens=2,cost=1"),
        "ratio": parsed("budget", "ratio"),
        "empty_params": S.params(),
        "other_stats": S.stats(),
        "lone_operation": S.operation(),
        "resumed_operation": S.operation(),
        "budget_member": member(),
        "asking_member": asking_member(),
        "stepped_member": asking_member(steps=True),
        "cap_error": S.error(code=N.CAP_BELOW_BASE, field=N.FIELD_CAP, value=5, limit=10),
        "budget_event": S.budget_event(request, N.OUTCOME_TRANSIENT),
        "began_event": S.budget_event(N.BUDGET_EVENT_OPERATION_BEGAN),
        "outcome_0": S.budget_event(request, 0),
        "outcome_6": S.budget_event(request, 6),
        "event_0": S.budget_event(0, N.OUTCOME_TRANSIENT),
        "event_7": S.budget_event(7, N.OUTCOME_TRANSIENT),
        "label": S.label(address(b"a"), 1, None, 0),
        "le_label": S.label(address(b"le"), 2, None, 0),
        "null_label": S.label(address(b"a"), 1, None, 1),
        "account": (ctypes.c_char * 11)(*b"0 2 | 0 0 0"),
        "numbers": (ctypes.c_uint64 * 2)(),
        "text": ctypes.create_string_buffer(b"x" * 5000, 5000),
    }


class Memory:
    def __init__(self):
        given, at = places(), 0
        self.places = {}
        for name, value in given.items():
            size = ctypes.sizeof(value)
            self.places[name] = (at, size)
            at += (size + 7 & ~7) + 8  # a gap shows what is written beside the place
        self.buffer = ctypes.create_string_buffer(b"\xa5" * at, at + 1)
        self.start = ctypes.addressof(self.buffer)
        for name, value in given.items():
            self.put(name, bytes(value))
        policy, budget = self.at("policy"), self.at("budget")
        params = self.at("params")
        ok(F.params_set(params, N.FIELD_GROWTH, N.GROWTH_CONSTANT))
        ok(F.params_set(params, N.FIELD_BASE, 10))
        ok(F.iter_init(self.at("iter"), policy, 42))
        ok(F.iter_next_ns(self.at("iter"), ref(u64())))
        ok(F.preview_init(self.at("preview"), policy))
        ok(F.operation_begin(self.at("operation"), policy, 1, 0, N.NO_TIME, budget))
        ok(F.operation_begin(self.at("lone_operation"), policy, 1, 0, N.NO_TIME, None))
        ok(F.operation_resume(self.at("resumed_operation"), policy, 1, 0, 0, N.NO_TIME))
        ok(F.budget_state_full(self.at("budget_state"), budget))
        ok(F.stats_init(self.at("stats")))
        ok(F.stats_init(self.at("other_stats")))
        ok(F.stats_record(self.at("other_stats"), 1, N.REASON_SUCCESS))
        pointers = {name: self.at(name) for name in ("policy", "budget", "stats")}
        functions = {"attempt": attempt, "now": lambda _: 0, "wait": lambda *_: 0}
        self.functions = {name: FUNCTION[name](function) for name, function in functions.items()}
        self.put("loop", bytes(S.loop(**pointers, **self.functions)))

    def at(self, name):
        return self.start + self.places[name][0]

    def put(self, name, data):
        at, size = self.places[name]
        ctypes.memmove(self.start + at, data, min(size, len(data)))

    def get(self, name):
        at, size = self.places[name]
        return self.buffer.raw[at : at + size]


def call(memory, name, arguments):
    pointers = [memory.at(one.strip(">")) if isinstance(one, str) else one for one in arguments]
    return code(getattr(F, name)(*pointers))


#: The codes that fill in nothing but themselves.
PLAIN = {"null_pointer", "uninitialized", "too_long"}


#: The calls that stop an operation even if its budget cannot be used, with the reason.
STOPS = {"operation_refuse_retry": N.REASON_BUDGET, "operation_cancel": N.REASON_CANCELLED}


@cache
def text_of(name):
    """The text that a call writes, or None if it writes none, and the place of its buffer among the arguments."""
    kinds = [parameter["type"] for parameter in FUNCTIONS[name]]
    if "char *" not in kinds:
        return None, None
    memory = Memory()
    assert call(memory, name, CALLS[name]) == "ok"
    return memory.get("text").partition(b"\0")[0], kinds.index("char *")


def fails(name, changed, before=None):
    """Calls the function with other arguments, by their place, and with other memory `before` the call. Gives the code,
    and whether nothing was written except what must be: the error, an empty text with its length, and an operation that stops."""
    memory = Memory()
    for place, data in (before or {}).items():
        memory.put(place, data)
    arguments = [changed.get(place, one) for place, one in enumerate(CALLS[name])]
    expected = bytearray(memory.buffer.raw)
    CALLED.clear()
    found = call(memory, name, arguments)
    text, at = text_of(name)
    if text is not None:
        buffer, size, _ = arguments[at : at + 3]
        start = memory.places["text"][0]
        expected[start : start + 1] = b"\0" if buffer and size else b"x"
        is_known = found == "buffer_too_small" or buffer is None
        start = memory.places["length"][0]
        expected[start : start + 8] = (len(text) if is_known else 0).to_bytes(8, sys.byteorder)
    if name in STOPS and "budget" in (before or {}):
        reason = u32()
        ok(F.operation_state(memory.at("operation"), None, None, ref(reason)))
        assert reason.value == STOPS[name]
        at, size = memory.places["operation"]
        expected[at : at + size] = memory.get("operation")
    if "error" in arguments:
        error = memory.get("error")
        at, size = memory.places["error"]
        expected[at : at + size] = error
        if found in PLAIN:
            assert error[4:] == bytes(size - 4)
        assert code(S.error.from_buffer_copy(error).code) == found
    return found, memory.buffer.raw == bytes(expected) and not CALLED
