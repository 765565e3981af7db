"""Replays what processes of a fleet recorded of their exchanges with the store of their shared budget.

A record has: the state `before` (null: none was stored), the time `now`, the `steps`, the state `after`, and whether it was
`stored` ("yes", "unchanged", or "unknown" if the answer of the store did not come).

A process that was killed may have stored one exchange that it did not record: a gap.

The exchanges that were stored make one chain from the full budget to the final state, because a state is stored only
if nothing else was stored since it was read. The reference replays the chain as one budget in one process: every grant
and every state must be the same.
"""

from collections import defaultdict

from reference import budgets, strings


class Disagreement(Exception):
    pass


def replay(budget, final, exchanges, gaps=0):
    """The counts of the exchanges of all processes, which may come in any order, and may have this many gaps."""
    chain, unchanged = sorted_by_state(exchanges)
    values = strings.parse("budget", budget)
    state = budgets.BudgetState(values)
    counts = dict.fromkeys(("exchanges", "requests", "granted", "unanswered", "gaps"), 0)
    times = []
    full, text = state.text(), None
    while True:
        for exchange in unchanged.pop(text, ()):
            follow(state, exchange, state_of(exchange["before"] or full), counts, times)
        if text == final:
            break
        exchange = successor(chain.pop(text, []), chain, final)
        if exchange is None and counts["gaps"] < gaps:
            text = after_gap(text, [*chain, *unchanged, final])
            state = budgets.BudgetState(values, state_of(text))
            counts["gaps"] += 1
            continue
        if exchange is None:
            raise Disagreement(
                f"nothing that was recorded follows the state {text}; the store holds {final}"
            )
        follow(state, exchange, state_of(exchange["after"]), counts, times)
        text = exchange["after"]
    left = sum(sure(left) for left in chain.values()) + sum(map(len, unchanged.values()))
    if left:
        raise Disagreement(f"{left} exchanges of the record are not in the chain")
    counts["seconds"] = (max(times) - min(times)) / 1e9 if times else 0
    if values["budget"] == "rate":
        # The closed form: a full bucket, and what fills within the time.
        span = max(times) - min(times)
        max_granted = values["max_tokens"] + span * values["max_tokens"] // values["per"]
        if counts["granted"] > max_granted:
            raise Disagreement(
                f"{counts['granted']} retries were granted, at most {max_granted} may be"
            )
        counts["limit"] = max_granted
    return counts


def state_of(account):
    """The state, without the numbers of processes."""
    return account.partition(" | ")[0]


def sorted_by_state(exchanges):
    """The exchanges that may have been stored and those that changed nothing, by the state before."""
    chain, unchanged = defaultdict(list), defaultdict(list)
    for exchange in exchanges:
        match exchange["stored"]:
            case "yes" | "unknown":
                chain[exchange["before"]].append(exchange)
            case "unchanged":
                unchanged[exchange["before"]].append(exchange)
            case "lost":
                pass
            case other:
                raise Disagreement(f'"stored" is {other!r}')
    return chain, unchanged


def successor(candidates, chain, final):
    """The exchange that was stored: the one that is sure, or the one that the chain goes on from."""
    certain = [exchange for exchange in candidates if exchange["stored"] == "yes"]
    if len(certain) > 1:
        raise Disagreement(f"two exchanges were stored over the state {certain[0]['before']}")
    for exchange in certain or candidates:
        if certain or exchange["after"] in chain or exchange["after"] == final:
            return exchange
    return None


def after_gap(text, known):
    """The next text that is known."""
    later = [other for other in known if other is not None and version(other) > version(text)]
    return min(later, key=version)


def version(account):
    return 0 if account is None else int(account.split(" ")[0])


def sure(exchanges):
    return sum(exchange["stored"] == "yes" for exchange in exchanges)


def follow(state, exchange, after, counts, times):
    now = int(exchange["now"])
    times.append(now)
    for step in exchange["steps"]:
        requested = step["event"] == "retry_requested"
        count = int(step["count"])
        answers = [
            state.step(step["event"], now, step["outcome"], int(step["held"])) for _ in range(count)
        ]
        granted = sum(bool(granted) for granted, _ in answers)
        if requested and granted != int(step["granted"]):
            raise Disagreement(
                f"at the state {exchange['before']} a process got {step}, the reference {granted}"
            )
        counts["requests"] += requested * count
        counts["granted"] += granted
    if state.text() != after:
        raise Disagreement(f"after {exchange} the reference has the state {state.text()}")
    counts["exchanges"] += 1
    counts["unanswered"] += exchange["stored"] == "unknown"
