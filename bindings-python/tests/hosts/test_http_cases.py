"""The cases of SPEC 19, played against every HTTP adapter by a server that fails on purpose."""

import pytest
from http_clients import CLIENTS, Httpx, Requests
from nasty import CASES, POLICY


def once(client):
    """A body that can be sent only once."""

    async def parts():
        yield b"once"

    return iter([b"once"]) if isinstance(client, Httpx | Requests) else parts()


def body_of(request, client):
    bodies = {"text": b"text", "empty": b"", "once": None}
    if request["body"] is None:
        return {}
    body = bodies[request["body"]]
    return {"content": once(client) if body is None else body}


def options_of(case):
    options = dict(case["options"])
    made = {"policy": POLICY.format(options.pop("max_retries")), "budget": None}
    if timeout_ms := options.pop("attempt_timeout_ms", None):
        made["attempt_timeout"] = timeout_ms / 1000
    if statuses := options.pop("statuses", None):
        made["statuses"] = {int(status): outcome for status, outcome in statuses.items()}
    return made | options


def play(kind, case, nasty):
    """What the client did, in the words of the case, and what the caller got."""
    delays, ends = [], []
    client = kind(
        on_retry=lambda event: delays.append(str(event.delay_ns)),
        on_stop=ends.append,
        **options_of(case),
    )
    # The platform's clock and sleep.
    del client.options["sleep"], client.options["clock_ns"]
    request = case["request"]
    headers = dict(line.split(": ", 1) for line in request["fields"])
    rest = {"headers": headers, **body_of(request, client)}
    if request["switch"] is not None:
        rest["retry"] = request["switch"]
    url = nasty.url(case, kind.__name__)
    try:
        ((status, text),) = client.fetch((request["method"], url, rest))
    except Exception as error:
        status, text = None, error
    (end,) = ends
    done = {
        "attempts": end.attempts,
        "delays": delays,
        "outcome": str(end.outcome),
        "reason": str(end.reason),
        "status": end.status,
        "sent_once": end.sent_once,
    }
    assert (end.method, end.url) == (request["method"], url)
    assert end.request.method == request["method"]
    return done, (status, text)


@pytest.mark.parametrize("kind", CLIENTS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case(case, kind, nasty):
    done, (status, text) = play(kind, case, nasty)
    assert done == {name: case[name] for name in done}
    last = (case["answers"] or [{}])[min(case["attempts"], len(case["answers"])) - 1]
    if case["status"] is None or "fault" in last:
        assert isinstance(text, (kind.lost, *kind.errors))
    else:
        assert (status, text) == (
            last["status"],
            last["body"] if case["request"]["method"] != "HEAD" else "",
        )
    if case["target"] == "http" and "attempt_timeout_ms" not in case["options"]:
        seen = nasty.seen(case, kind.__name__)
        body = {None: "", "empty": ""}.get(case["request"]["body"], case["request"]["body"])
        assert seen == [(case["request"]["method"], body)] * case["attempts"]
