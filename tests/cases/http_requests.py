"""Requests of HTTP clients to a server that fails on purpose (SPEC 19)."""

from reference import http_client


def answer(status, *fields, body="", **fault):
    return {"status": status, "fields": list(fields), "body": body, **fault}


def fault(name):
    return {"fault": name}


OK = answer(200, body="fine")
BUSY = answer(503, body="busy")


def case(id, why, *answers, method="GET", fields=(), body=None, switch=None, target="http", **options):
    request = {"method": method, "fields": list(fields), "body": body, "switch": switch}
    options = {"max_retries": 2, **options}
    end = http_client.play(target, options, request, answers)
    return {
        "id": id,
        "why": why,
        "target": target,
        "options": options,
        "request": request,
        "answers": list(answers),
        **end,
    }


def http_request_cases():
    yield from (*methods(), *bodies(), *statuses(), *headers(), *failures(), *never_sent(), *bodies_of_answers())


def methods():
    for method in ("GET", "HEAD", "OPTIONS", "PUT", "DELETE"):
        yield case(f"method-{method.lower()}", "an idempotent method is repeated", BUSY, OK, method=method)
    for method in ("POST", "PATCH"):
        yield case(f"method-{method.lower()}", "another method is sent once", BUSY, OK, method=method, body="text")
        yield case(
            f"method-{method.lower()}-success",
            "a success of a request that is sent once",
            OK,
            method=method,
            body="text",
        )
    yield case("key", "a key by which the server knows a request again", BUSY, OK, method="POST", body="text",
               fields=["Idempotency-Key: 7"])  # fmt: skip
    yield case("key-x", "the older name of the key", BUSY, OK, method="POST", body="text",
               fields=["X-Idempotency-Key: 7"])  # fmt: skip
    yield case("key-empty", "an empty key is none", BUSY, OK, method="POST", body="text",
               fields=["Idempotency-Key: "])  # fmt: skip
    yield case("methods-more", "the caller's methods", BUSY, OK, method="POST", body="text", methods=["GET", "POST"])
    yield case("methods-less", "the caller's methods replace the default", BUSY, OK, method="DELETE",
               methods=["GET", "POST"])  # fmt: skip
    yield case("methods-none", "no method may be repeated", BUSY, OK, methods=[])
    yield case("switch-on", "the caller says that this request may be repeated", BUSY, OK, method="POST", body="text",
               switch=True)  # fmt: skip
    yield case("switch-off", "the caller says that this request is sent once", BUSY, OK, switch=False)
    yield case("switch-off-key", "the switch is above the key", BUSY, OK, method="POST", body="text", switch=False,
               fields=["Idempotency-Key: 7"])  # fmt: skip
    yield case("max-retries", "the last response is returned", BUSY, BUSY, answer(502, body="the last"))
    yield case("no-retries", "a policy without retries", BUSY, OK, max_retries=0)


def bodies():
    yield case("body-text", "a body is sent again", BUSY, OK, method="PUT", body="text")
    yield case("body-empty", "an empty body is sent again", BUSY, OK, method="PUT", body="empty")
    yield case("body-once", "a body that can be sent only once is sent", OK, method="PUT", body="once")
    yield case("body-once-busy", "a body that can be sent only once is sent once", BUSY, OK, method="PUT", body="once")
    yield case("body-once-key", "a key does not make a body repeatable", BUSY, OK, method="POST", body="once",
               fields=["Idempotency-Key: 7"])  # fmt: skip
    yield case("body-once-switch", "a switch does not make a body repeatable", BUSY, OK, method="PUT", body="once",
               switch=True)  # fmt: skip
    yield case("body-once-off", "the caller's switch is the first reason", BUSY, OK, method="PUT", body="once",
               switch=False)  # fmt: skip


def statuses():
    for status in (408, 425, 429, 500, 502, 503, 504):
        yield case(f"status-{status}", "a status that is retried", answer(status), OK)
    for status in (400, 401, 403, 404, 409, 413, 422, 501, 505, 520, 529):
        yield case(f"status-{status}", "a status that is not retried", answer(status), OK)
    yield case("statuses", "the caller's statuses", answer(409), answer(529), OK,
               statuses={"409": "transient", "529": "throttled"})  # fmt: skip
    yield case("statuses-beside", "the other statuses stay", answer(503), OK, statuses={"409": "transient"})
    yield case("statuses-off", "the caller takes a status out", answer(503), OK, statuses={"503": "permanent"})
    yield case("statuses-success", "a success that is a failure to the caller", answer(202), OK,
               statuses={"202": "transient"})  # fmt: skip


def headers():
    date = "Thu, 01 Jan 2099 00:00:00 GMT"
    for id, why, *fields in (
        ("none", "no header"),
        ("seconds", "seconds", "Retry-After: 2"),
        ("zero", "no wait is below the policy's delay", "Retry-After: 0"),
        ("date", "a date", f"Retry-After: {date}"),
        ("date-past", "a date in the past", "Retry-After: Thu, 01 Jan 1998 00:00:00 GMT"),
        ("junk", "junk", "Retry-After: soon"),
        ("high", "a byte above 0x7f", "Retry-After: caf\u00e9"),
        ("high-ms", "a byte above 0x7f, and a valid field", "retry-after-ms: caf\u00e9", "Retry-After: 2"),
        ("two", "the first of two fields", "Retry-After: 2", "Retry-After: 0"),
        ("two-zero", "the first of two fields", "Retry-After: 0", "Retry-After: 2"),
        ("two-dates", "the first of two dates", f"Retry-After: {date}", "Retry-After: Thu, 01 Jan 1998 00:00:00 GMT"),
        ("two-junk", "the first of two fields is junk", "Retry-After: soon", "Retry-After: 2"),
        ("ms", "milliseconds", "retry-after-ms: 2.5"),
        ("ms-first", "milliseconds before seconds", "Retry-After: 2", "retry-after-ms: 1.5"),
        ("epoch-past", "seconds since 1970 that are over", "Retry-After: 1000000001"),
        ("epoch", "seconds since 1970", "Retry-After: 4070908800"),
        ("long", "a value that is too long", "Retry-After: " + "0" * 1024 + "2"),
        ("reset-503", "quotas say nothing after this status", "RateLimit-Reset: 2", "X-RateLimit-Reset: 2"),
    ):
        yield case(f"header-{id}", why, answer(503, *fields), OK)
    for id, why, *fields in (
        ("reset", "RateLimit-Reset", "RateLimit-Reset: 2"),
        ("reset-epoch-past", "RateLimit-Reset as a time that is over", "RateLimit-Reset: 1000000001"),
        ("reset-x", "X-RateLimit-Reset", "X-RateLimit-Reset: 2"),
        ("quota", "RateLimit", 'RateLimit: "default";r=0;t=2'),
        ("quota-left", "a quota that is not used up", 'RateLimit: "default";r=9;t=2'),
        ("quota-lines", "the longest of two lines", 'RateLimit: "a";r=0;t=0', 'RateLimit: "b";r=0;t=2'),
        ("quota-high", "a byte above 0x7f", 'RateLimit: "caf\u00e9";r=0;t=2'),
    ):
        yield case(f"header-{id}", why, answer(429, *fields), OK)
    yield case(
        "header-ok", "a success may have a header that is junk", answer(200, "Retry-After: caf\u00e9", body="fine")
    )


def failures():
    for name, why in (
        ("close", "closed without an answer"),
        ("reset", "reset without an answer"),
        ("garbage", "an answer that is no HTTP"),
        ("cut_head", "closed inside the head"),
    ):
        yield case(f"fault-{name.replace('_', '-')}", why, fault(name), OK)
        yield case(f"fault-{name.replace('_', '-')}-post", f"{why}, of a request that is sent once", fault(name), OK, method="POST",
                   body="text")  # fmt: skip
    yield case("fault-always", "the last error is returned", fault("close"), fault("close"), fault("close"))
    yield case("fault-last", "the last failure has no status, whatever came before it", BUSY, fault("garbage"),
               max_retries=1)  # fmt: skip
    yield case("fault-first", "the last response has a status, whatever came before it", fault("garbage"), BUSY,
               max_retries=1)  # fmt: skip
    yield case("fault-hang", "an attempt ends at its timeout", fault("hang"), max_retries=1, attempt_timeout_ms=100)
    yield case("fault-hang-post", "a request that is sent once ends at its timeout", fault("hang"), method="POST",
               body="text", attempt_timeout_ms=1000)  # fmt: skip
    yield case("fault-hang-once", "a body that is sent once ends at its timeout", fault("hang"), method="PUT",
               body="once", attempt_timeout_ms=1000)  # fmt: skip
    yield case("fault-hang-off", "a request without retries ends at its timeout", fault("hang"), switch=False,
               attempt_timeout_ms=100)  # fmt: skip
    yield case("tls-untrusted", "a certificate that is not trusted", target="tls_untrusted")


def never_sent():
    for target in http_client.NEVER_SENT:
        name = target.replace("_", "-")
        yield case(f"{name}-get", "a request that was never sent is repeated", target=target)
        yield case(f"{name}-post", "whatever its method", target=target, method="POST", body="text")
        yield case(f"{name}-off", "not if the caller says no", target=target, switch=False)
        yield case(f"{name}-once", "not with a body that can be sent only once", target=target, method="PUT",
                   body="once")  # fmt: skip


def bodies_of_answers():
    yield case("drain-drip", "a body that drips does not delay the next attempt", answer(503, fault="drip"), OK)
    yield case("drain-hang", "a body that hangs does not delay the next attempt", answer(503, fault="hang_body"), OK)
    yield case("drain-cut", "a body that is cut off is dropped", answer(503, body="bu", fault="cut_body"), OK)
    yield case("drain-long", "a body that is long is dropped", answer(503, body="x" * 100_000), OK)
    yield case("read-body", "a body that is read in the attempt", answer(200, body="fi", fault="cut_body"), OK,
               read_body=True)  # fmt: skip
    yield case("read-body-always", "the last error is returned", answer(200, body="fi", fault="cut_body"),
               read_body=True)  # fmt: skip
    yield case("read-body-last", "a success without its body has no status, whatever came before it", BUSY,
               answer(200, body="fi", fault="cut_body"), read_body=True, max_retries=1)  # fmt: skip
    yield case("read-body-hang", "the timeout includes the body", answer(200, fault="hang_body"), read_body=True,
               max_retries=1, attempt_timeout_ms=100)  # fmt: skip
    yield case("read-body-drip", "the timeout includes a body that drips", answer(200, fault="drip"), max_retries=1,
               read_body=True, attempt_timeout_ms=100)  # fmt: skip
    yield case("read-body-post", "a request that is sent once", answer(200, body="fi", fault="cut_body"), OK,
               method="POST", body="text", read_body=True)  # fmt: skip
    yield case("read-body-ok", "a whole body", OK, read_body=True)
    asked = ("Retry-After: 2",)
    yield case("read-body-503", "the status decides, not its body", answer(503, *asked, body="bu", fault="cut_body"), OK,
               read_body=True)  # fmt: skip
    yield case("read-body-503-always", "the last error is returned", answer(503, *asked, body="bu", fault="cut_body"),
               read_body=True)  # fmt: skip
    yield case("read-body-404", "a status that is not retried", answer(404, body="no", fault="cut_body"), OK,
               read_body=True)  # fmt: skip
    yield case("read-body-404-post", "a request that is sent once", answer(404, body="no", fault="cut_body"), OK,
               method="POST", body="text", read_body=True)  # fmt: skip
    yield case("read-body-404-hang", "the status decides, not the timeout", answer(404, fault="hang_body"), OK,
               read_body=True, attempt_timeout_ms=1000)  # fmt: skip
    yield case("read-body-statuses", "a failure to the caller", answer(202, *asked, body="fi", fault="cut_body"), OK,
               read_body=True, statuses={"202": "transient"})  # fmt: skip
    yield case("read-body-statuses-success", "a success to the caller", answer(404, body="no", fault="cut_body"), OK,
               read_body=True, statuses={"404": "success"})  # fmt: skip
