"""All memory that the calls of calls.py could write to, so that one comparison shows every change."""

import ctypes

from call_table import CALLS
from library import F, N, S, code, ok, parsed, ref, u64

CALLED = []
FUNCTION = dict(S.loop._fields_)


def attempt(_, __):
    CALLED.append("attempt")
    return N.OUTCOME_SUCCESS


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
        ok(F.budget_member_step(ref(made), None, 0, 0, text, len(text), ref(changed)))
    return made


def places():
    """All memory to which a call could write, by name."""
    yield from {
        "policy": parsed("policy", "constant:base=10ns"),
        "other_policy": parsed("policy", "constant:base=11ns"),
        "exponential": parsed("policy", "exponential:base=10ns,cap=1s"),
        "budget": parsed("budget", "quota:max_tokens=2,cost=1"),
        "ratio": parsed("budget", "ratio"),
        "params": S.params(),
        "empty_params": S.params(),
        "budget_member": member(),
        "asking_member": asking_member(),
        "stepped_member": asking_member(steps=True),
        "cap_error": S.error(code=N.CAP_BELOW_BASE, field=N.FIELD_CAP, value=5, limit=10),
        "budget_event": S.budget_event(N.BUDGET_EVENT_RETRY_REQUESTED, N.OUTCOME_TRANSIENT),
        "outcome_0": S.budget_event(N.BUDGET_EVENT_RETRY_REQUESTED, 0),
        "outcome_6": S.budget_event(N.BUDGET_EVENT_RETRY_REQUESTED, 6),
        "event_0": S.budget_event(0, N.OUTCOME_TRANSIENT),
        "event_7": S.budget_event(7, N.OUTCOME_TRANSIENT),
        "account": (ctypes.c_char * 11)(*b"0 2 | 0 0 0"),
    }.items()
    structs = "iter preview operation budget_state stats decision event preview_row stats_counts budget_answer loop "
    structs += "member_answer exchange_step exchange_answers shared_budget_stats error"
    yield from ((name, getattr(S, name)()) for name in structs.split())
    yield from {
        "other_stats": S.stats(),
        "u32": ctypes.c_uint32(),
        "other_u32": ctypes.c_uint32(),
    }.items()
    yield from {
        "u64": u64(),
        "other_u64": u64(),
        "numbers": (ctypes.c_uint64 * 4)(),
        "context": u64(),
    }.items()
    yield "text", ctypes.create_string_buffer(5000)


class Memory:
    def __init__(self):
        given, at = dict(places()), 0
        self.places = {}
        for name, value in given.items():
            self.places[name] = (at, ctypes.sizeof(value))
            # A gap shows what is written beside the place.
            at += ctypes.sizeof(value) + 7 & ~7
            at += 8
        self.buffer = ctypes.create_string_buffer(b"\xa5" * at, at + 1)
        self.start = ctypes.addressof(self.buffer)
        for name, value in given.items():
            self.put(name, bytes(value))
        policy, budget = self.at("policy"), self.at("budget")
        params = self.at("params")
        ok(F.params_set(params, N.FIELD_GROWTH, N.GROWTH_CONSTANT))
        ok(F.params_set(params, N.FIELD_BASE, 10))
        ok(F.iter_init(self.at("iter"), policy, 42))
        ok(F.preview_init(self.at("preview"), policy))
        ok(F.operation_begin(self.at("operation"), policy, 1, 0, N.NONE, budget))
        ok(F.budget_state_full(self.at("budget_state"), budget))
        ok(F.stats_init(self.at("stats")))
        ok(F.stats_init(self.at("other_stats")))
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
    pointers = [memory.at(one.strip("?>")) if isinstance(one, str) else one for one in arguments]
    return code(getattr(F, name)(*pointers))


def fails(name, changed, before=None):
    """Calls the function with other arguments. What it returned, and what it wrote apart from what it has to."""
    memory = Memory()
    for place, data in (before or {}).items():
        memory.put(place, data)
    arguments = [changed.get(place, one) for place, one in enumerate(CALLS[name])]
    expected = bytearray(memory.buffer.raw)
    CALLED.clear()
    found = call(memory, name, arguments)
    for place, data in [("error", None), ("text", b"\0")]:
        at, size = memory.places[place]
        if place in str(arguments) and (
            place == "error" or (name.startswith("error_") and arguments[-1] > 0)
        ):
            expected[at : at + (size if data is None else 1)] = data or memory.get("error")
    error = S.error.from_buffer_copy(memory.get("error"))
    is_whole = "?error" not in arguments or (
        code(error.code) == found and (found not in PLAIN or bytes(error)[4:] == bytes(76))
    )
    return found, memory.buffer.raw == bytes(expected) and not CALLED and is_whole


#: The codes that fill in nothing but themselves.
PLAIN = {"null_pointer", "uninitialized", "too_long"}
