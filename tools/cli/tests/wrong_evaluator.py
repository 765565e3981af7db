"""Evaluators with one fault each, for the tests of `backoff verify`.

Each is `tests/evaluate.py` with a rule of SPEC.md changed, or with its answers changed.

Usage: wrong_evaluator.py FAULT
"""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "tests"))

import evaluate
import wire
from reference import (
    budgets,
    delays,
    members,
    operations,
    parse_error,
    preview,
    printing,
    retry_after,
    streams,
    strings,
)

WORD = 2**64


# Rules. Each gets the right function and its arguments.


def key_in_utf_16(stream, seed, key=None):
    return stream(seed, key and key.decode().encode("utf-16-le"))


def sample_in_doubles(sample, word, low, high):
    return low + int(word / WORD * (high - low + 1))


def cap_one_too_low(capped, policy, delay):
    delay = capped(policy, delay)
    return min(policy["cap"] - 1, delay) if policy["cap_on"] == "delay" else delay


def no_limit_in_nanoseconds(printed, of, value):
    return printed(of, value).replace("max=none", f"max={2**63 - 1}ns")


def position_of_the_pair_end(parse, of, text):
    try:
        return parse(of, text)
    except parse_error.ParseError as error:
        error.at += error.code == "unknown_key"
        raise


def spread_from_one_above(sample, word, low, high):
    return sample(word, low + 1, high + 1)


def half_is_enough(_, budget, *asked):
    return 2 * budget.level >= budget.full


def plus_is_a_digit(is_digits, text):
    return is_digits(text.removeprefix("+"))


def one_quota(split_unquoted, text, separator):
    parts = split_unquoted(text, separator)
    return parts[:1] if separator == "," else parts


def any_number(_, state):
    pass


def late_after_the_timeout(is_overdue, member, now):
    return is_overdue(member, now - 1)


def mean_rounded_up(of_range, policy, low, high):
    least, mean, most = of_range(policy, low, high)
    return least, mean + (mean < most), most


def total_one_too_long(total, policy, attempts):
    return total(policy, attempts) + 1


def spaces_around_digits(digits, value, limit):
    return digits(value.strip() if isinstance(value, str) else value, limit)


RULES = {
    "key": (streams, "stream", key_in_utf_16),
    "sample": (delays, "sample", sample_in_doubles),
    "cap": (delays, "capped", cap_one_too_low),
    "canonical": (printing, "printed", no_limit_in_nanoseconds),
    "position": (strings, "parse", position_of_the_pair_end),
    "spread": (operations, "sample", spread_from_one_above),
    "throttle": (budgets.Throttle, "grants", half_is_enough),
    "plus": (retry_after, "is_digits", plus_is_a_digit),
    "one-quota": (retry_after, "split_unquoted", one_quota),
    "ranges": (budgets.BudgetState, "saturate", any_number),
    "late": (members.Member, "is_overdue", late_after_the_timeout),
    "mean": (preview, "of_range", mean_rounded_up),
    "fit": (preview, "total", total_one_too_long),
    "digits": (wire, "digits", spaces_around_digits),
}


def change(of, name, rule):
    right = getattr(of, name)
    setattr(of, name, lambda *arguments: rule(right, *arguments))


# Answers. Each gets all requests and the right answers, and returns or writes others.


def endless(part):
    while True:
        sys.stdout.buffer.write(part)


def sleep_for_ever():
    while True:
        time.sleep(60)


def writes(end, then):
    """Writes the answers before a place, and does something else."""

    def play(_, answers):
        sys.stdout.buffer.writelines(answers[: end(len(answers))])
        sys.stdout.buffer.flush()
        then()

    return play


def crash():
    sys.stderr.write("this is the end\n")
    sys.stderr.flush()
    os._exit(3)


def stay():
    os.close(1)
    sleep_for_ever()


def one_more_at_the_end(lines, answers):
    """A last line that ends begins another, empty one."""
    more = [evaluate.answer(b"")] if lines[-1].endswith(b"\n") else []
    return answers + more


def leave_a_child():
    """A child that holds the output outlives the program."""
    if os.fork() == 0:
        sleep_for_ever()
    os._exit(0)


def hang_with_a_child(_, answers):
    """A child that holds the output, and tells its process id on standard error."""
    child = os.fork()
    if child:
        sys.stderr.write(f"{child}\n")
        sys.stderr.flush()
    sleep_for_ever()


def with_spaces(_, answers):
    return [json.dumps(json.loads(answer)).encode() + b"\n" for answer in answers]


def without_empty_lines(lines, answers):
    pairs = zip(lines, answers, strict=True)
    return [answer for line, answer in pairs if line != b"\n"]


def delays_only(wrong):
    """A port of the delays: it prints no policy, and cannot answer anything else."""

    def answer(line):
        right = json.loads(evaluate.answer(line))
        delay = right.get("delay_ns")
        if delay is None:
            return b'{"unsupported":true}\n'
        # One too many where it is wrong.
        delay = str(int(delay) + (wrong and b"linear" in line))
        return json.dumps({"delay_ns": delay}).encode() + b"\n"

    return lambda lines, answers: list(map(answer, lines))


ANSWERS = {
    "none": lambda lines, answers: answers,
    "last": lambda lines, answers: answers[:-1],
    "crlf": lambda lines, answers: [answer[:-1] + b"\r\n" for answer in answers],
    "spaces": with_spaces,
    "empty-lines": without_empty_lines,
    "banner": lambda lines, answers: [b"ready\n", *answers],
    "farewell": lambda lines, answers: [*answers, b"bye\n"],
    "unterminated": lambda lines, answers: [*answers[:-1], answers[-1][:-1]],
    "silent": lambda lines, answers: [b"\n" for _ in answers],
    "bytes": lambda lines, answers: [b"\xff\x1b[31m\n", *answers[1:]],
    "unsupported-1": lambda lines, answers: [b'{"unsupported":1}\n' for _ in answers],
    "nothing": lambda lines, answers: [],
    "half": writes(lambda count: count // 2, crash),
    "hang": writes(lambda count: count // 2, sleep_for_ever),
    "stay": writes(lambda count: count, stay),
    # The last answers are lost, as those of a buffered output are.
    "buffered": writes(lambda count: count - 3, crash),
    "one-more": one_more_at_the_end,
    "mark": lambda lines, answers: [b"\xef\xbb\xbf" + answers[0], *answers[1:]],
    "child": writes(lambda count: count, leave_a_child),
    "family": hang_with_a_child,
    "status": writes(lambda count: count, crash),
    "lines": lambda lines, answers: endless(b"{}\n" * 1000),
    "delays": delays_only(wrong=False),
    "wrong-delays": delays_only(wrong=True),
    "line": lambda lines, answers: endless(b"x" * 1000),
}


def close_at_once():
    """Answers the first request, and reads no other."""
    line = os.read(0, 4096).split(b"\n")[0]
    os.close(0)
    os.write(1, evaluate.answer(line))


def answer_each_line():
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(evaluate.answer(line))
        sys.stdout.buffer.flush()


def main(fault):
    if fault == "closed":
        return close_at_once()
    if fault == "flush":
        return answer_each_line()
    if fault in RULES:
        change(*RULES[fault])
    lines = list(sys.stdin.buffer)
    answers = list(map(evaluate.answer, lines))
    sys.stdout.buffer.writelines(ANSWERS[fault if fault in ANSWERS else "none"](lines, answers))


if __name__ == "__main__":
    main(sys.argv[1])
