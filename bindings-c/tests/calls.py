"""Every function with pointers that are NULL, structs that nothing initialised, lengths and buffers of every size, and
numbers that it does not know: it returns the right code, and writes nothing else.

Usage: calls.py ABI LIBRARY
"""

import ctypes
import re

from call_table import CALLS, FAILURES, VALUES
from library import FUNCTIONS, F, N, S, code, filled, main, ok, parsed, printed, ref, u64
from memory import FUNCTION, Memory, call, fails


def every_call():
    """The calls are right, and there is one of each function."""
    names = {name for name in FUNCTIONS if not name.endswith("_name")}
    yield "functions", names, {*CALLS, *VALUES}
    for name, arguments in CALLS.items():
        yield name, call(Memory(), name, arguments), "ok"
        for place, one in enumerate(arguments):
            if isinstance(one, str) and one.startswith("?"):
                yield (
                    name,
                    call(Memory(), name, [*arguments[:place], None, *arguments[place + 1 :]]),
                    "ok",
                )


def null_pointers():
    for name, arguments in CALLS.items():
        for place, one in enumerate(arguments):
            if isinstance(one, (str, bytes)) and not str(one).startswith("?"):
                yield (name, place), fails(name, {place: None}), ("null_pointer", True)
    for missing in ["attempt", "now", "wait"]:
        memory = Memory()
        functions = memory.functions | {missing: FUNCTION[missing]()}
        yield (
            missing,
            fails("retry", {}, {"loop": bytes(S.loop(**functions))}),
            ("null_pointer", True),
        )


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
    """A buffer receives the text and a terminating zero. If it is too small, it receives nothing."""
    for name, arguments in CALLS.items():
        if not re.search(r"char \*buffer,\s*uint64_t size", ",".join(FUNCTIONS[name])):
            continue
        place, memory = arguments.index("text") + 1, Memory()
        call(memory, name, arguments)
        whole = memory.get("text").partition(b"\0")[0] + b"\0"
        for size in range(len(whole)):
            changed = {place: size}
            if size == 0 or not name.startswith("error_"):
                yield (name, size), fails(name, changed), ("buffer_too_small", True)
            else:
                memory = Memory()
                memory.put("text", b"x" * 5000)
                found = call(memory, name, [*arguments[:place], size])
                yield (
                    (name, size),
                    (found, memory.get("text")),
                    ("buffer_too_small", b"\0" + b"x" * 4999),
                )
        for size in [len(whole), len(whole) + 1, 2**64 - 1]:
            memory = Memory()
            memory.put("text", b"x" * 5000)
            found = call(memory, name, [*arguments[:place], size, *arguments[place + 1 :]])
            yield (name, size), (found, memory.get("text")), ("ok", whole.ljust(5000, b"x"))


def garbage_of(memory, name):
    """What is in the memory of a struct that nothing initialised. Zeros are valid params."""
    size = memory.places[name][1]
    other = memory.get("iter" if name != "iter" else "policy").ljust(size, b"\0")[:size]
    yield from [b"\xff" * size, other]
    if name == "params":
        yield from ((1 << bit).to_bytes(8, "little").ljust(size, b"\0") for bit in (23, 63))
    elif name != "cap_error":
        yield bytes(size)


def uninitialized():
    is_opaque = lambda kind: hasattr(getattr(S, kind), "opaque") or kind == "error"  # noqa: E731
    for name, arguments in CALLS.items():
        kinds = [re.search(r"backoff_(\w+)", one) for one in FUNCTIONS[name]]
        for kind, one in zip(kinds, arguments, strict=True):
            if kind and is_opaque(kind[1]) and one[0] != ">" and one != "?error":
                place = one.strip("?")
                for garbage in garbage_of(Memory(), place):
                    yield (
                        (name, one, garbage[:8]),
                        fails(name, {}, {place: garbage}),
                        ("uninitialized", True),
                    )
    for place in ["policy", "budget", "stats"]:
        for garbage in garbage_of(Memory(), place):
            yield (
                ("retry", place, garbage[:8]),
                fails("retry", {}, {place: garbage}),
                ("uninitialized", True),
            )


def others():
    for name, changed, wanted in FAILURES:
        yield (name, changed), fails(name, changed), (wanted, True)


def with_budgets():
    """The calls that take a budget, each with the place of one."""
    for name, arguments in CALLS.items():
        for parameter, one in zip(FUNCTIONS[name], arguments, strict=True):
            if "backoff_budget *" in parameter and one[0] != ">":
                yield name, one.strip("?")
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
    """Functions of a loop that damage its budget: where, the outcome of attempts, whether waits cancel, the code, and how
    many attempts and waits there are."""
    (lock,) = lock_of(Memory().get("budget"))
    for where, outcome, cancels, wanted, attempts, waits in [
        ("now", N.OUTCOME_SUCCESS, 0, "damaged", 0, 0),
        ("attempt", N.OUTCOME_TRANSIENT, 0, "damaged", 1, 0),
        ("attempt", N.OUTCOME_SUCCESS, 0, "damaged", 1, 0),
        ("attempt", 6, 0, "unknown_outcome", 1, 0),
        ("wait", N.OUTCOME_TRANSIENT, 0, "damaged", 2, 1),
        ("wait", N.OUTCOME_TRANSIENT, 1, "damaged", 1, 1),
    ]:
        memory, calls = Memory(), []

        def function(name, answer, where=where, memory=memory, calls=calls):
            def called(*_):
                calls.append(name)
                if name == where:
                    ctypes.c_uint64.from_address(memory.at("budget") + 8 * lock).value = 2
                return answer

            return FUNCTION[name](called)

        functions = {"now": 0, "attempt": outcome, "wait": cancels, "on_stop": None}
        functions = {name: function(name, answer) for name, answer in functions.items()}
        places = {name: memory.at(name) for name in ("policy", "budget", "stats")}
        loop, end, counts = S.loop(**places, **functions), S.loop_event(), S.stats_counts()
        found = code(F.retry(ref(loop), 1, None, ref(end)))
        ok(F.stats_read(memory.at("stats"), ref(counts)))
        found = [
            found,
            calls.count("attempt"),
            calls.count("wait"),
            calls.count("on_stop"),
            bytes(end) == bytes(32),
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
    changed = [place for place in range(32) if iterator.opaque[place] != fresh.opaque[place]]
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

    stats, counts = S.stats(), S.stats_counts()
    ok(F.stats_init(ref(stats)))
    for reason in range(1, 8):
        ok(F.stats_record(ref(stats), reason, reason))
    for _ in range(65):
        ok(F.stats_merge(ref(stats), ref(stats)))
    ok(F.stats_record(ref(stats), 0, N.REASON_SUCCESS))
    ok(F.stats_read(ref(stats), ref(counts)))
    found = [counts.operations, counts.attempts, counts.retries, counts.buckets[0], counts.stops[6]]
    yield "full counts", found, [2**64 - 1] * 5
    yield (
        "full counts",
        printed(F.stats_print, stats).endswith('{reason="cancelled"} 18446744073709551615\n'),
        True,
    )
    ok(F.stats_init(ref(stats)))
    ok(F.stats_record(ref(stats), 0, N.REASON_CANCELLED))
    ok(F.stats_read(ref(stats), ref(counts)))
    found = [counts.operations, counts.attempts, counts.retries, counts.buckets[0]]
    yield "no attempts count as one", found, [1, 1, 0, 1]

    # Stream n of a seed is the stream of the key LE64(n) (SPEC 3.4).
    for number in [0, 1, 256, 2**64 - 1]:
        nth, of_key = u64(), u64()
        ok(F.stream_nth(42, number, ref(nth)))
        ok(F.stream_from_key(42, number.to_bytes(8, "little"), 8, ref(of_key)))
        yield number, nth.value, of_key.value


if __name__ == "__main__":
    main(
        [
            every_call,
            null_pointers,
            texts,
            buffers,
            uninitialized,
            others,
            damaged,
            damaged_in_loops,
            ends,
        ]
    )
