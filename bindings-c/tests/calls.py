"""Every function with pointers that are NULL, structs that nothing initialised, lengths and buffers of every size, and
numbers that it does not know: it returns the right code, and writes nothing else.

Usage: calls.py ABI LIBRARY
"""

import ctypes
import sys
from itertools import product

from call_table import CALLS, FAILURES, INDIRECT, SPENDING, UNCHANGED, VALUES, WITHOUT
from library import FUNCTIONS, F, N, S, code, filled, main, ok, parsed, printed, ref, u64
from memory import FUNCTION, Memory, call, fails, text_of
from vectors import counts_of


def pointers(null):
    """The pointers that may be NULL, or those that may not: the name of a call, its arguments, and the place of one."""
    for name, arguments in CALLS.items():
        for place, parameter in enumerate(FUNCTIONS[name]):
            if parameter.get("null") == null:
                yield name, arguments, place


def every_call():
    """The calls are right, and there is one of each function."""
    names = {
        name for name in FUNCTIONS if not name.endswith("_name") or name.endswith("_from_name")
    }
    yield "functions", names, {*CALLS, *VALUES}
    for name, arguments in CALLS.items():
        yield name, call(Memory(), name, arguments), "ok"
        kinds = ["null" in parameter for parameter in FUNCTIONS[name]]
        yield name, [isinstance(one, (str, bytes)) for one in arguments], kinds


def null_pointers():
    for name, _, place in pointers(null=False):
        yield (name, place), fails(name, {place: None}), ("null_pointer", True)
    for name, arguments, place in pointers(null=True):
        without = [*arguments[:place], None, *arguments[place + 1 :]]
        wanted = "wrong_budget" if SPENDING.get(name) == place else WITHOUT.get(name, "ok")
        yield (name, place), call(Memory(), name, without), wanted
    for missing in ["attempt", "now", "wait"]:
        memory = Memory()
        functions = memory.functions | {missing: FUNCTION[missing]()}
        loop = bytes(S.loop(**functions))
        yield missing, fails("retry", {}, {"loop": loop}), ("null_pointer", True)
    for name in ["is_idempotent_method", "outcome_from_name", "reason_from_name"]:
        yield name, FUNCTIONS[name][0]["null"], True
        for length in [0, 3, 2**63, 2**64 - 1]:
            yield (name, length), getattr(F, name)(None, length), 0


def written():
    """A call writes to all that abi.json says, and to nothing else."""
    for name, arguments in CALLS.items():
        memory = Memory()
        for one in arguments:
            if str(one).startswith(">"):
                memory.put(one[1:], b"\xa5" * memory.places[one[1:]][1])
        before = {place: memory.get(place) for place in memory.places}
        call(memory, name, arguments)
        changed = {place for place, data in before.items() if memory.get(place) != data}
        named = zip(arguments, FUNCTIONS[name], strict=True)
        outputs = {one.strip(">") for one, parameter in named if parameter.get("written")}
        yield name, changed, outputs - UNCHANGED.get(name, set()) | INDIRECT.get(name, set())
        gaps = bytearray(memory.buffer.raw[:-1])
        for at, size in memory.places.values():
            gaps[at : at + size] = b"\xa5" * size
        yield (name, "beside the places"), set(gaps), {0xA5}


def initialised():
    """A call that makes a struct sets all of its words. It has room, which is 0, for later versions."""
    for name, arguments in CALLS.items():
        for place in (one[1:] for one in arguments if str(one).startswith(">")):
            contents = set()
            for byte in [0, 0x5A, 0xA5, 0xFF]:
                memory = Memory()
                memory.put(place, bytes([byte]) * memory.places[place][1])
                yield (name, byte), call(memory, name, arguments), "ok"
                contents.add(memory.get(place))
            yield name, len(contents), 1
            yield name, contents.pop()[-8:], bytes(8)


def without_a_policy():
    """NULL is the preset "default"."""
    for name, arguments, place in pointers(null=True):
        if "policy" not in FUNCTIONS[name][place]["type"]:
            continue
        given, default = Memory(), Memory()
        given.put(arguments[place], bytes(parsed("policy", "default")))
        arguments = [one.strip(">") if isinstance(one, str) else one for one in arguments]
        without = [*arguments[:place], None, *arguments[place + 1 :]]
        yield name, call(default, name, without), call(given, name, arguments)
        yield name, *others(default, given, arguments[place])
    given, default = Memory(), Memory()
    given.put("policy", bytes(parsed("policy", "default")))
    loop = S.loop.from_buffer_copy(default.get("loop"))
    loop.policy = None
    default.put("loop", bytes(loop))
    yield "retry", call(default, "retry", CALLS["retry"]), call(given, "retry", CALLS["retry"])
    yield "retry", *others(default, given, "policy")


def others(one, other, place):
    """All places but one, of two memories. A loop has the addresses of its own memory."""
    names = [name for name in one.places if name not in ("loop", place)]
    return [{name: memory.get(name) for name in names} for memory in (one, other)]


def reserved():
    """A reserved word that is not 0 is for a later version, and makes a call fail before it does anything."""
    for name, place, kind in [
        ("retry", "loop", S.loop),
        ("budget_state_step", "budget_event", S.budget_event),
        ("budget_member_note", "began_event", S.budget_event),
    ]:
        for word in range(len(kind().reserved)):
            for value in [1, 2**63]:
                of = kind.from_buffer_copy(Memory().get(place))
                of.reserved[word] = value
                found = fails(name, {}, {place: bytes(of)})
                yield (name, word, value), found, ("unsupported", True)


def texts():
    """A text may be NULL if its length is 0. No text is as long as 2^63 bytes."""
    for name, arguments in CALLS.items():
        for place, one in enumerate(arguments):
            if not isinstance(one, bytes):
                continue
            empty = call(Memory(), name, [*arguments[:place], b"x", 0, *arguments[place + 2 :]])
            yield (
                name,
                call(Memory(), name, [*arguments[:place], None, 0, *arguments[place + 2 :]]),
                empty,
            )
            for length in [2**63, 2**64 - 1]:
                yield (name, length), fails(name, {place + 1: length}), ("too_long", True)


def buffers():
    """A buffer receives the text and a terminating zero. If it is too small, it receives an empty string."""
    for name, arguments in CALLS.items():
        text, place = text_of(name)
        if text is None:
            continue
        yield name, len(text) > 0, True
        for size in range(len(text) + 1):
            yield (name, size), fails(name, {place + 1: size}), ("buffer_too_small", True)
        measured = fails(name, {place: None, place + 1: 0})
        yield (name, "measured"), measured, ("buffer_too_small", True)
        for size in [len(text) + 1, len(text) + 2, 2**64 - 1]:
            memory = Memory()
            found = call(memory, name, [*arguments[: place + 1], size, *arguments[place + 2 :]])
            length = int.from_bytes(memory.get("length"), sys.byteorder)
            found = (found, memory.get("text"), length)
            yield (name, size), found, ("ok", (text + b"\0").ljust(5000, b"x"), len(text))


def garbage_of(memory, name):
    """What is in the memory of a struct that nothing initialised. Zeros are valid params."""
    size = memory.places[name][1]
    other = memory.get("iter" if name != "iter" else "policy").ljust(size, b"\0")[:size]
    yield from [b"\xff" * size, other]
    if name == "params":
        yield from ((1 << bit).to_bytes(8, "little").ljust(size, b"\0") for bit in (27, 63))
    elif name != "cap_error":
        yield bytes(size)


def uninitialized():
    """Except where a call makes the struct."""
    opaque = {
        f"backoff_{name} *": name for name, kind in vars(S).items() if hasattr(kind, "opaque")
    }
    kinds = {*opaque, "backoff_error *"} - {"backoff_error *"} | {"const backoff_error *"}
    kinds |= {f"const {kind}" for kind in opaque}
    for name, arguments in CALLS.items():
        for one, parameter in zip(arguments, FUNCTIONS[name], strict=True):
            if parameter["type"] in kinds and one[0] != ">":
                for garbage in garbage_of(Memory(), one):
                    found = fails(name, {}, {one: garbage})
                    yield (name, one, garbage[:8]), found, ("uninitialized", True)
    for place in ["policy", "budget", "stats"]:
        for garbage in garbage_of(Memory(), place):
            yield (
                ("retry", place, garbage[:8]),
                fails("retry", {}, {place: garbage}),
                ("uninitialized", True),
            )


def other_failures():
    for name, changed, wanted in FAILURES:
        yield (name, changed), fails(name, changed), (wanted, True)


def with_budgets():
    """The calls that take a budget, each with the place of one."""
    for name, arguments in CALLS.items():
        for parameter, one in zip(FUNCTIONS[name], arguments, strict=True):
            if "backoff_budget *" in parameter["type"] and one[0] != ">":
                yield name, one
    yield "retry", "budget"


def lock_of(budget):
    """The places of words that hold a lock."""
    for place in range(1, 32):
        copy, operation = S.budget.from_buffer_copy(budget), S.operation()
        copy.opaque[place] = 2
        policy = parsed("policy", "immediate")
        if F.operation_begin(ref(operation), ref(policy), 1, 0, N.NO_TIME, ref(copy)) == N.DAMAGED:
            yield place


def damaged():
    """A lock that has no value of one, or a budget of which everything but the magic number is overwritten."""
    (lock,) = lock_of(Memory().get("budget"))
    values = [2, 3, 255, 256, 1 << 32, (1 << 32) + 1, 1 << 63, 0x0101010101010101, 2**64 - 1]
    for name, place in with_budgets():
        budget = Memory().get(place)
        contents = [
            budget[: 8 * lock] + value.to_bytes(8, "little") + budget[8 * lock + 8 :]
            for value in values
        ]
        contents += [budget[:8] + bytes([byte]) * (len(budget) - 8) for byte in range(1, 256)]
        for content in contents:
            yield (name, place, content[8:24]), fails(name, {}, {place: content}), ("damaged", True)
        # Zeros look like a lock that is free.
        memory = Memory()
        memory.put(place, budget[:8] + bytes(len(budget) - 8))
        yield (
            (name, place, "zeros"),
            call(memory, name, CALLS[name]) in ("ok", "unused", "not_a_state"),
            True,
        )


def damaged_in_loops():
    """Functions of a loop that damage its budget or zero it: where, the outcome of attempts, whether waits cancel, the code, and how
    many attempts and waits there are."""
    (lock,) = lock_of(Memory().get("budget"))
    damages = [
        ("now", N.OUTCOME_SUCCESS, 0, "damaged", 0, 0),
        ("attempt", N.OUTCOME_TRANSIENT, 0, "damaged", 1, 0),
        ("attempt", N.OUTCOME_SUCCESS, 0, "damaged", 1, 0),
        ("attempt", 6, 0, "unknown_outcome", 1, 0),
        ("wait", N.OUTCOME_TRANSIENT, 0, "damaged", 2, 1),
        ("wait", N.OUTCOME_TRANSIENT, 1, "damaged", 1, 1),
    ]
    size = ctypes.sizeof(S.budget)
    for (where, outcome, cancels, wanted, attempts, waits), zeroes in product(damages, [0, size]):
        memory, calls = Memory(), []

        def function(name, answer, where=where, memory=memory, calls=calls, zeroes=zeroes):
            def called(*_):
                calls.append(name)
                if name == where:
                    ctypes.c_uint64.from_address(memory.at("budget") + 8 * lock).value = 2
                    ctypes.memset(memory.at("budget"), 0, zeroes)
                return answer

            return FUNCTION[name](called)

        functions = {"now": 0, "attempt": outcome, "wait": cancels, "on_stop": None}
        functions = {name: function(name, answer) for name, answer in functions.items()}
        places = {name: memory.at(name) for name in ("policy", "budget", "stats")}
        loop, end = S.loop(**places, **functions), S.loop_event()
        found = code(F.retry(ref(loop), 1, None, ref(end)))
        counts = counts_of(S.stats.from_buffer_copy(memory.get("stats")))
        found = [
            found,
            calls.count("attempt"),
            calls.count("wait"),
            calls.count("on_stop"),
            bytes(end) == bytes(S.loop_event()),
        ]
        yield (where, outcome), found, [wanted, attempts, waits, 0, True]
        found = [counts.attempts, counts.stops[N.REASON_CANCELLED - 1], counts.operations]
        yield (where, outcome), found, [attempts, min(attempts, 1), min(attempts, 1)]


def ends():
    """The last of 2^32 indices, copies, arguments that are one struct, full counts, and streams of numbers."""
    policy = parsed("policy", "constant:base=10ns")
    for first, count, written in [
        (2**32 - 1, 2, 1),
        (2**32 - 4, 4, 4),
        (2**32 - 4, 5, 4),
        (2**32 - 1, 0, 0),
    ]:
        numbers, found = (ctypes.c_uint64 * 6)(), u64()
        ok(F.policy_fill_ns(ref(policy), 1, first, numbers, count, ref(found)))
        yield (
            (first, count),
            (found.value, list(numbers)),
            (written, [10] * written + [0] * (6 - written)),
        )
    # Writing the one word that a delay changes, the index, avoids 2^32 calls.
    iterator, fresh, delay, index, stream = S.iter(), S.iter(), u64(), u64(), u64()
    ok(F.iter_init(ref(iterator), ref(policy), 42))
    ok(F.iter_init(ref(fresh), ref(policy), 42))
    ctypes.memset(ref(policy), 0, ctypes.sizeof(policy))
    ok(F.iter_next_ns(ref(iterator), ref(delay)))
    changed = [
        place
        for place in range(len(iterator.opaque))
        if iterator.opaque[place] != fresh.opaque[place]
    ]
    yield "words that a delay changes", len(changed), 1
    iterator.opaque[changed[0]] = 2**32 - 1
    for wanted in ["ok", "end", "end"]:
        yield "at the end", code(F.iter_next_ns(ref(iterator), ref(delay))), wanted
        ok(F.iter_index(ref(iterator), ref(index), None))
        yield "index", index.value, 2**32
    ok(F.iter_reset(ref(iterator)))
    ok(F.iter_index(ref(iterator), ref(index), ref(stream)))
    yield "after a reset", (index.value, stream.value), (0, F.stream_advance(42, 2**32))

    policy, preview = parsed("policy", "constant:base=10ns,max_elapsed=19ns"), S.preview()
    ok(F.preview_init(ref(preview), ref(policy)))
    ok(F.preview_next(ref(preview), ref(S.preview_row())))
    before = bytes(preview)
    yield "a preview", code(F.preview_next(ref(preview), ref(S.preview_row()))), "end"
    yield "a preview at its end", bytes(preview), before
    ok(F.policy_fit_base(ref(policy), 3, 100, ref(policy), None))
    ok(F.policy_get(ref(policy), N.FIELD_BASE, ref(delay)))
    yield "fitted in place", delay.value, 50

    state, failure = S.budget_state(), S.budget_event(N.BUDGET_EVENT_ATTEMPT_FAILED)
    request = S.budget_event(N.BUDGET_EVENT_RETRY_REQUESTED, N.OUTCOME_TRANSIENT)
    ok(F.budget_state_full(ref(state), ref(parsed("budget", "throttle:max_tokens=4"))))
    for event, wanted in [
        (request, (1, 0)),
        (failure, (0, 1)),
        (failure, (0, 1)),
        (request, (0, 0)),
    ]:
        answer = filled(S.budget_answer)
        ok(F.budget_state_step(ref(state), ref(event), 0, ref(answer)))
        yield "an answer", (answer.granted, answer.changed), wanted

    stats = S.stats()
    ok(F.stats_init(ref(stats)))
    for reason in range(1, 8):
        ok(F.stats_record(ref(stats), reason, reason))
    for _ in range(65):
        ok(F.stats_merge(ref(stats), ref(stats)))
    ok(F.stats_record(ref(stats), 0, N.REASON_SUCCESS))
    counts = counts_of(stats)
    found = [counts.operations, counts.attempts, counts.retries, counts.buckets[0], counts.stops[6]]
    yield "full counts", found, [2**64 - 1] * 5
    yield (
        "full counts",
        printed(F.stats_print, stats).endswith('{reason="cancelled"} 18446744073709551615\n'),
        True,
    )
    ok(F.stats_init(ref(stats)))
    ok(F.stats_record(ref(stats), 0, N.REASON_CANCELLED))
    counts = counts_of(stats)
    found = [counts.operations, counts.attempts, counts.retries, counts.buckets[0]]
    yield "no attempts count as one", found, [1, 1, 0, 1]

    # Stream n of a seed is the stream of the key LE64(n) (SPEC 3.4).
    for number in [0, 1, 256, 2**64 - 1]:
        nth, of_key = u64(), u64()
        ok(F.stream_nth(42, number, ref(nth)))
        ok(F.stream_from_key(42, number.to_bytes(8, "little"), 8, ref(of_key)))
        yield number, nth.value, of_key.value


TESTS = [
    every_call, null_pointers, written, initialised, without_a_policy, reserved, texts, buffers, uninitialized,
    other_failures, damaged, damaged_in_loops, ends,
]  # fmt: skip

if __name__ == "__main__":
    main(TESTS)
