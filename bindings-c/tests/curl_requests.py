"""curl_retry.h plays the cases of tests/vectors/http_requests.json (SPEC 19), as C and as C++.

Usage: curl_requests.py BUILD_FOLDER
"""

import json
import socket
import subprocess
import sys
import traceback
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

TESTS = Path(__file__).parents[2] / "tests"
PROGRAMS = ["curl_requests", "sanitized-curl_requests", "curl_requests-c++11"]

UNSUPPORTED_PROTOCOL = 1
GOT_NOTHING = "52"
#: Codes of libcurl for a connection that fails before the request is sent, and the outcome: of the proxy's name, the
#: host's name, the connection, the time for it, the handshakes of TLS, QUIC and a proxy.
NEVER_SENT = dict.fromkeys([5, 6, 7, 35, 96, 97], "transient") | {28: "timeout"}
#: A certificate that is not trusted, pinned or of the client; its issuer, its status, a cipher, the file of the authorities.
NOT_TRUSTED = [60, 90, 58, 83, 91, 59, 77]

# libcurl reads the body of every answer in the attempt. A timeout has to end an endless one.
ENDLESS = ["drain-drip", "drain-hang"]


def options(case: dict) -> list[str]:
    """The case as options of the program."""
    request, given = case["request"], case["options"]
    words = [f"field={field}" for field in request["fields"]]
    if request["body"] is not None:
        text = "" if request["body"] == "empty" else request["body"]
        words.append(f"{'once' if text == 'once' else 'text'}={text}")
    if request["switch"] is not None:
        words.append(f"may_repeat={1 if request['switch'] else -1}")
    if "methods" in given:
        words += ["methods", *(f"method={method}" for method in given["methods"])]
    words += [f"status={status}:{outcome}" for status, outcome in given.get("statuses", {}).items()]
    timeout = 300 if case["id"] in ENDLESS else given.get("attempt_timeout_ms")
    # Ten times that of the case: if it ended before the request was sent, a POST would be repeated.
    return words if timeout is None else [*words, f"timeout={10 * timeout}"]


def expected(case: dict) -> dict:
    answers, attempts, request = case["answers"], case["attempts"], case["request"]
    last = answers[min(attempts, len(answers)) - 1] if answers else {"fault": "no server"}
    has_body = "fault" not in last and request["method"] != "HEAD"
    body = {None: "", "empty": ""}.get(request["body"], request["body"])
    seen = [{"method": request["method"], "body": body}] * attempts
    counts = case["target"] == "http" and "attempt_timeout_ms" not in case["options"]
    names = ["attempts", "delays", "outcome", "reason", "sent_once"]
    return {name: case[name] for name in names} | {
        "method": request["method"],
        "status": case["status"],
        # The program keeps 199 bytes.
        "body": last["body"][:199] if has_body else "",
        "requests": seen if counts else None,
    }


class Player:
    def __init__(self, build: Path) -> None:
        self.build = build
        server = [sys.executable, str(TESTS / "nasty_server.py")]
        pipe = subprocess.PIPE
        self.server = subprocess.Popen(server, stdin=pipe, stdout=pipe, text=True)
        self.urls = json.loads(self.server.stdout.readline())

    def run(self, name: str, case: dict, words: list[str], base: str = "1ms") -> dict:
        """What the program says."""
        path = f"/{case['id']}/{name}{len(words)}"
        url = self.urls[case["target"]] + path
        retries = case["options"]["max_retries"]
        policy = f"constant:base={base},retry_after_max=3ms,max_retries={retries}"
        secret = url.replace("://", "://user:pass%40word@") + "?secret=a@b#part"
        command = [str(self.build / name), secret, case["request"]["method"], policy, *words]
        output = subprocess.run(
            command, capture_output=True, text=True, encoding="latin-1", timeout=60
        )
        assert (output.returncode, output.stderr) == (0, ""), output
        lines = [line.partition(" ") for line in output.stdout.splitlines()]
        found = {name: value for name, _, value in lines}
        assert found["url"] == url, found
        events = [value.split(" ") for name, _, value in lines if name == "event"]
        for number, (attempt, method, _, event_url) in enumerate(events, start=1):
            assert (attempt, method, event_url) == (str(number), found["method"], url), events
        ours = {name: found[name] for name in ["outcome", "reason", "method"]}
        code, status = int(found["code"]), int(found["status"])
        return ours | {
            "code": code,
            "attempts": int(found["attempts"]),
            "delays": [value for name, _, value in lines if name == "delay"],
            "sent_once": found["sent_once"] or None,
            # A success whose body failed has a status, too.
            "status": status if code == 0 or case["status"] is not None else None,
            "body": found["body"] if code == 0 else "",
            "longest_sleep_ms": int(found["longest_sleep_ms"]),
            "path": f"{path}?secret=a@b",
        }

    def lines(self, name: str, words: list[str]) -> dict[str, str]:
        """What a program prints, by the first word of each line. Of several lines the last one counts."""
        output = subprocess.run(
            [str(self.build / name), *words], capture_output=True, text=True, timeout=60
        )
        assert output.returncode == 0, output
        return dict(line.split(" ", 1) for line in output.stdout.splitlines())

    def seen(self, path: str) -> list[dict]:
        with urllib.request.urlopen(f"{self.urls['http']}/seen{path}", timeout=60) as answer:
            return json.load(answer)

    def play(self, name: str, case: dict) -> None:
        found = self.run(name, case, options(case))
        code, path = found.pop("code"), found.pop("path")
        del found["longest_sleep_ms"]
        wanted = expected(case)
        if case["target"].startswith("tls") and code == UNSUPPORTED_PROTOCOL:
            # A libcurl without TLS, such as that of tests/curl: the URL is wrong, and nothing is sent.
            assert (found["attempts"], found["outcome"]) == (1, "permanent"), found
            return
        found["requests"] = self.seen(path) if wanted["requests"] is not None else None
        assert found == wanted, f"{case}\nfound    {found}\nexpected {wanted}"

    def proxy_statuses(self, name: str, cases: dict) -> None:
        """The table of the header has the outcomes of SPEC 14.8."""
        statuses = json.loads((TESTS / "vectors/http_statuses.json").read_text())["cases"]
        proxy = {
            case["status"]: case["proxy_outcome"] for case in statuses if case["proxy_outcome"]
        }
        found = self.run(name, cases["status-520"], ["proxy_statuses"])
        assert (found["outcome"], found["attempts"]) == ("success", 2), found
        header = (Path(__file__).parents[1] / "examples/curl_retry.h").read_text()
        for status, outcome in proxy.items():
            assert f"{{{status}, BACKOFF_OUTCOME_{outcome.upper()}}}" in header, status

    def without_restart(self, name: str, cases: dict) -> None:
        """A body that was sent or received is not sent or received again; an answer without a body is repeated."""
        for case, attempts, sent_once in [
            ("body-text", 1, "body"),
            ("method-put", 1, "body"),
            ("status-503", 2, None),
        ]:
            found = self.run(name, cases[case], [*options(cases[case]), "no_restart"])
            assert (found["attempts"], found["sent_once"]) == (attempts, sent_once), found

    def drained_at_once(self, name: str, cases: dict) -> None:
        """A wait of 0 (SPEC 19.5): the body of the answer before is neither waited for nor taken for the next one."""
        for case in [case for id, case in cases.items() if id.startswith("drain-")]:
            found = self.run(name, case, [*options(case), "may_repeat=1"], base="0s")
            wanted = (2, ["0"], "success", "fine")
            assert (
                found["attempts"],
                found["delays"],
                found["outcome"],
                found["body"],
            ) == wanted, found

    def cancel(self, name: str, cases: dict) -> None:
        """`cancelled` is asked three times before a wait, and then in the wait of an hour, every 50 ms at least."""
        found = self.run(name, cases["method-get"], ["cancel_at_call=5"], base="1h")
        assert (found["reason"], found["attempts"]) == ("cancelled", 1), found
        assert 0 < found["longest_sleep_ms"] <= 50, found

    def no_connection(self, name: str, cases: dict) -> None:
        """Without a connection nothing was sent, so a POST may be repeated, too. Certificates stay as they are."""
        wanted = [(code, outcome, 3) for code, outcome in NEVER_SENT.items()]
        wanted += [(code, "permanent", 1) for code in NOT_TRUSTED]
        for code, outcome, attempts in wanted:
            for method in ["GET", "POST"]:
                policy = "immediate:max_retries=2"
                lines = self.lines(name, ["http://host.invalid/", method, policy, f"code={code}"])
                found = (lines["code"], lines["outcome"], lines["attempts"])
                assert found == (str(code), outcome, str(attempts)), (method, found)

    def cut_by_proxy(self, name: str, cases: dict) -> None:
        """libcurl has these codes for a proxy whose name is unknown, and for one of SOCKS that closes the connection.

        The proxy resolves the name of the host (socks5h), or libcurl may see first that there is none.
        """
        with socket.create_server(("127.0.0.1", 0)) as server:
            Thread(target=close_all, args=(server,), daemon=True).start()
            for proxy, code in [
                ("http://proxy.invalid", "5"),
                (f"socks5h://127.0.0.1:{server.getsockname()[1]}", "97"),
            ]:
                words = ["http://host.invalid/", "POST", "immediate:max_retries=2", "text=x"]
                lines = self.lines(name, [*words, f"proxy={proxy}"])
                found = (lines["code"], lines["outcome"], lines["attempts"])
                assert found == (code, "transient", "3"), lines

    def reused(self, name: str, cases: dict) -> None:
        """libcurl sends a request again if a connection that it kept ends without an answer."""
        for method, wanted in [("POST", ["POST"]), ("PUT", ["PUT", "PUT"])]:
            with socket.create_server(("127.0.0.1", 0)) as server:
                seen: list[str] = []
                Thread(target=answer_the_first, args=(server, seen), daemon=True).start()
                url = f"http://127.0.0.1:{server.getsockname()[1]}/"
                words = [url, method, "off", "text=x", f"first={url}"]
                lines = self.lines(name, words)
                assert (lines["attempts"], lines["code"]) == ("1", GOT_NOTHING), lines
                assert seen == wanted, seen

    def refused_tunnel(self, name: str, cases: dict) -> None:
        """A proxy refuses a tunnel: its status decides, and nothing was sent to the host."""
        wanted = [(403, "permanent", 1), (429, "throttled", 3), (502, "transient", 3)]
        for status, outcome, attempts in [*wanted, (302, "permanent", 1)]:
            with socket.create_server(("127.0.0.1", 0)) as server:
                seen: list[str] = []
                Thread(target=refuse, args=(server, status, seen), daemon=True).start()
                proxy = f"proxy=http://127.0.0.1:{server.getsockname()[1]}"
                words = ["http://host.invalid/", "POST", "immediate:max_retries=2", "text=x"]
                lines = self.lines(name, [*words, proxy])
                assert (lines["outcome"], lines["attempts"]) == (outcome, str(attempts)), lines
                assert seen == ["CONNECT"] * attempts, seen

    def limits(self, name: str, cases: dict) -> None:
        """attempt_timeout and what is left of max_elapsed end an attempt (SPEC 18.2), and so does the caller's own limit."""
        with socket.create_server(("127.0.0.1", 0)) as server:  # which never answers
            url = f"http://127.0.0.1:{server.getsockname()[1]}/"
            for policy, own, attempts, reason in [
                ("attempt_timeout=30ms,max_retries=1", [], "2", "max_retries"),
                ("attempt_timeout=1h,max_elapsed=30ms", [], "1", "max_elapsed"),
                ("attempt_timeout=1h,max_retries=1", ["timeout_ms=30"], "2", "max_retries"),
                ("attempt_timeout=30ms,max_retries=1", ["timeout_ms=3600000"], "2", "max_retries"),
                # Without attempt_timeout, max_elapsed limits no attempt.
                ("max_retries=1,max_elapsed=1h", ["timeout_ms=30"], "2", "max_retries"),
            ]:
                lines = self.lines(name, [url, "GET", f"constant:base=20ms,{policy}", *own])
                found = [lines[word] for word in ("attempts", "reason", "outcome", "code")]
                assert found == [attempts, reason, "timeout", "28"], (policy, own, found)


def close_all(server: socket.socket) -> None:
    """Closes each connection once it has got something."""
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.recv(1)


def refuse(server: socket.socket, status: int, seen: list[str]) -> None:
    """Answers each request with a status, and closes the connection."""
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection, connection.makefile("rb") as file:
            seen.append(file.readline().split()[0].decode())
            while file.readline() not in (b"\r\n", b""):
                pass
            connection.sendall(f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode())


def answer_the_first(server: socket.socket, seen: list[str]) -> None:
    """Keeps the connection after the first request, and ends each connection after another one."""
    count = 0
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection, connection.makefile("rb") as file:
            while line := file.readline():
                length = 0
                while (field := file.readline()) != b"\r\n":
                    if field.lower().startswith(b"content-length:"):
                        length = int(field.split(b":")[1])
                file.read(length)
                count += 1
                if count == 1:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                else:
                    seen.append(line.split()[0].decode())
                    break


def passes(test: tuple) -> bool:
    play, name, case = test
    try:
        play(name, case)
    except Exception:
        print(f"FAIL {play.__name__} {name} {case.get('id', '')}\n{traceback.format_exc()}")
        return False
    return True


if __name__ == "__main__":
    player = Player(Path(sys.argv[1]))
    cases = json.loads((TESTS / "vectors/http_requests.json").read_text())["cases"]
    by_id = {case["id"]: case for case in cases}
    tests = [(player.play, name, case) for name in PROGRAMS for case in cases]
    others = [
        player.proxy_statuses,
        player.without_restart,
        player.drained_at_once,
        player.cancel,
        player.reused,
    ]
    others += [player.limits, player.refused_tunnel, player.no_connection, player.cut_by_proxy]
    tests += [(test, name, by_id) for name in PROGRAMS for test in others]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(passes, tests))
    player.server.communicate()
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    sys.exit(results.count(False) > 0)
