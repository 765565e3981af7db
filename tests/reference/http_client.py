"""Clause 19: how an adapter of an HTTP client ends a request, from the answers of the server."""

from reference import retry_after

MS = 10**6
#: In 2027. The dates of the cases are far before or after it.
NOW = 1_800_000_000 * 10**9
POLICY_DELAY, RETRY_AFTER_MAX = MS, 3 * MS

#: 19.3, table: failures before the request was sent.
NEVER_SENT = {"unknown_host": "transient", "refused": "transient", "tls_cut": "transient"}
FAULTS = {
    "close": "transient",
    "reset": "transient",
    "garbage": "transient",
    "cut_head": "transient",
    "hang": "timeout",
}
FAULTS_OF_THE_BODY = {"cut_body": "transient", "hang_body": "timeout", "drip": "timeout"}


def sent_once(request, options):
    """19.2: Why a request is sent once, or None."""
    if request["switch"] is False:
        return "caller"
    if request["body"] == "once":
        return "body"
    if request["switch"] is True:
        return None
    fields = [line.partition(":") for line in request["fields"]]
    keys = [
        value.strip()
        for name, _, value in fields
        if name.lower().removeprefix("x-") == "idempotency-key"
    ]
    is_method = request["method"] in options.get("methods", []) or (
        "methods" not in options and retry_after.is_idempotent(request["method"])
    )
    return None if any(keys) or is_method else "method"


def end_of(answer, options):
    """19.3, 19.7: The outcome of an answer, the retry_after and the status."""
    fault, status = answer.get("fault"), answer.get("status")
    if fault in FAULTS:
        return FAULTS[fault], None, None
    outcome = options.get("statuses", {}).get(str(status)) or retry_after.of_http_status(status)
    if outcome == "success" and options.get("read_body") and fault:
        return FAULTS_OF_THE_BODY[fault], None, None
    return outcome, retry_after.http_retry_after(status, "\n".join(answer["fields"]), NOW), status


def play(target, options, request, answers):
    """19.4 to 19.9: The attempts of a request, the delays between them, and its last event."""
    once = sent_once(request, options)
    delays = []
    while True:
        may_repeat, asked, status = once is None, None, None
        if target in NEVER_SENT:
            outcome, may_repeat = NEVER_SENT[target], once in (None, "method")
        elif target == "tls_untrusted":
            outcome = "permanent"
        else:
            answer = answers[min(len(delays), len(answers) - 1)]
            outcome, asked, status = end_of(answer, options)
        if outcome != "success" and not may_repeat:
            outcome = "permanent"
        reason = outcome if outcome in ("success", "permanent") else "max_retries"
        if reason == outcome or len(delays) == options["max_retries"]:
            break
        delays.append(max(POLICY_DELAY, min(asked or 0, RETRY_AFTER_MAX)))
    return {
        "attempts": len(delays) + 1,
        "delays": [str(delay) for delay in delays],
        "outcome": outcome,
        "reason": reason,
        "status": status,
        "sent_once": once,
    }
