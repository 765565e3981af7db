"""All memory that the calls of calls.py could write to, so that one comparison shows every change."""

import ctypes

from call_table import CALLS
from library import F, N, S, code, ok, parsed, ref

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
    """All memory to which a call could write, by name: each struct, and more."""
    names = ["u64", "other_u64", "context", "u32", "other_u32"]
    request = N.BUDGET_EVENT_RETRY_REQUESTED
    return {
        **{name: kind() for name, kind in vars(S).items()},
        **{name: ctypes.c_uint32() if "32" in name else ctypes.c_uint64() for name in names},
        "policy": parsed("policy", "constant:base=10ns"),
        "other_policy": parsed("policy", "constant:base=11ns"),
        "exponential": parsed("policy", "exponential:base=10ns,cap=1s"),
        "budget": parsed("budget", "quota:max_tokens=2,cost=1"),
        "ratio": parsed("budget", "ratio"),
        "empty_params": S.params(),
        "other_stats": S.stats(),
        "budget_member": member(),
        "asking_member": asking_member(),
        "stepped_member": asking_member(steps=True),
        "cap_error": S.error(code=N.CAP_BELOW_BASE, field=N.FIELD_CAP, value=5, limit=10),
        "budget_event": S.budget_event(request, N.OUTCOME_TRANSIENT),
        "outcome_0": S.budget_event(request, 0),
        "outcome_6": S.budget_event(request, 6),
        "event_0": S.budget_event(0, N.OUTCOME_TRANSIENT),
        "event_7": S.budget_event(7, N.OUTCOME_TRANSIENT),
        "account": (ctypes.c_char * 11)(*b"0 2 | 0 0 0"),
        "numbers": (ctypes.c_uint64 * 4)(),
        "text": ctypes.create_string_buffer(5000),
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
        ok(F.preview_init(self.at("preview"), policy))
        ok(F.operation_begin(self.at("operation"), policy, 1, 0, N.NO_TIME, budget))
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


#: The codes that fill in nothing but themselves.
PLAIN = {"null_pointer", "uninitialized", "too_long"}


def fails(name, changed, before=None):
    """Calls the function with other arguments, by their place, and with other memory `before` the call. Gives the code,
    and whether nothing was written except what must be: the error, and an empty message."""
    memory = Memory()
    for place, data in (before or {}).items():
        memory.put(place, data)
    arguments = [changed.get(place, one) for place, one in enumerate(CALLS[name])]
    expected = bytearray(memory.buffer.raw)
    CALLED.clear()
    found = call(memory, name, arguments)
    if name.startswith("error_") and "text" in arguments and arguments[-1] > 0:
        expected[memory.places["text"][0]] = 0
    if "?error" in arguments:
        filled = memory.get("error")
        at, size = memory.places["error"]
        expected[at : at + size] = filled
        if found in PLAIN:
            assert filled[4:] == bytes(size - 4)
        assert code(S.error.from_buffer_copy(filled).code) == found
    return found, memory.buffer.raw == bytes(expected) and not CALLED
