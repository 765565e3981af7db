"""nginx: its directives, parsed with crossplane, and with nginx itself if it is installed."""

import shutil
import socket
import subprocess
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import sleep
from urllib.error import HTTPError
from urllib.request import urlopen

import crossplane
import pytest
from backoff import export, exported, ranges, read_back, run

NGINX = shutil.which("nginx")
REST = ",retry_after_max=0s"
POLICIES = [
    f"constant:base=0s{retries}{elapsed}{REST}"
    for retries in [",max_retries=0", ",max_retries=3", ",max_retries=1000"]
    for elapsed in ["", ",max_elapsed=1ms", ",max_elapsed=90s", ",max_elapsed=1h"]
]
SERVER = """
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    upstream a {{ server 127.0.0.1:1; server 127.0.0.1:2; }}
    server {{
        listen 127.0.0.1:8080;
        location / {{
            proxy_pass http://a;
            {directives}
        }}
    }}
}}
"""
#: `ngx_parse_time` in src/core/ngx_parse.c.
MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def file(folder, text):
    path = folder / "nginx.conf"
    path.write_text(SERVER.format(folder=folder, directives=text))
    return path


def directives(path):
    parsed = crossplane.parse(str(path), strict=True, single=True)
    assert parsed["status"] == "ok", parsed["errors"]
    block = parsed["config"][0]["parsed"]
    for name in ["http", "server", "location"]:
        (block,) = [entry["block"] for entry in block if entry["directive"] == name]
    return {entry["directive"]: entry["args"] for entry in block}


@pytest.mark.parametrize("policy", POLICIES)
def test_the_directives_say_the_limits(policy, tmp_path):
    text = exported("nginx", policy)
    path = file(tmp_path, text)
    if NGINX:
        done = subprocess.run([NGINX, "-t", "-c", path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    found = directives(path)
    tries, timeout = found["proxy_next_upstream_tries"], found["proxy_next_upstream_timeout"]
    # `ngx_http_upstream_next` (3f6f782, 2026-08-21): all tries, and 0 is no limit.
    limits = dict(pair.split("=") for pair in policy.partition(":")[2].split(","))
    assert int(tries[0]) == int(limits.get("max_retries", -1)) + 1
    number = timeout[0].rstrip("mshd")
    unit = MS[timeout[0].removeprefix(number) or "s"]
    elapsed = limits.get("max_elapsed", "0s")
    expected = elapsed.rstrip("mshd")
    assert int(number) * unit == int(expected) * MS[elapsed.removeprefix(expected)]
    # There is no delay.
    assert {delay for row in ranges(policy) for delay in row} <= {0}
    assert read_back("nginx", text) == (policy, None)


@pytest.mark.parametrize("policy", ["off", "default:max_retries=0"])
def test_a_policy_without_retries_is_one_try(policy, tmp_path):
    text = exported("nginx", policy)
    assert directives(file(tmp_path, text))["proxy_next_upstream_tries"] == ["1"]
    assert read_back("nginx", text) == ("constant:base=0s,max_retries=0,retry_after_max=0s", None)
    if NGINX:
        assert attempts(text, 3, tmp_path) == 1


def tries(limit, servers):
    """`ngx_http_upstream_init_request` in src/http/ngx_http_upstream.c: `peer.tries` counts the
    servers, and `next_upstream_tries` lowers it."""
    return min(limit, servers) if limit else servers


class Failing(BaseHTTPRequestHandler):
    """A server that fails each request, and counts them all."""

    attempts = 0

    def do_GET(self):
        Failing.attempts += 1
        self.send_response(503)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextmanager
def failing(count):
    """The addresses of servers that fail."""
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Failing) for _ in range(count)]
    for server in servers:
        Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield [f"127.0.0.1:{server.server_port}" for server in servers]
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def attempts(text, servers, folder):
    """How often nginx itself tries a request under these directives."""
    with failing(servers) as addresses, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        path = file(folder, text)
        config = path.read_text().replace(":8080", f":{port}")
        names = "; server ".join(f"{address} max_fails=0" for address in addresses)
        config = config.replace("127.0.0.1:1; server 127.0.0.1:2", names)
        path.write_text(config)
        free.close()
        nginx = subprocess.Popen([NGINX, "-c", path, "-g", "daemon off;"])
        try:
            while not (folder / "pid").exists() or not (folder / "pid").read_text():
                assert nginx.poll() is None
                sleep(0.01)
            Failing.attempts = 0
            with pytest.raises(HTTPError, match="503"):
                urlopen(f"http://127.0.0.1:{port}/", timeout=60)
            return Failing.attempts
        finally:
            nginx.terminate()
            nginx.wait()


@pytest.mark.parametrize("servers", [1, 2, 3, 4])
@pytest.mark.parametrize("retries", [0, 1, 2, 3])
def test_servers_limit_the_retries(retries, servers, tmp_path):
    policy = f"constant:base=0s,max_retries={retries}{REST}"
    text = run("export", "--to=nginx", f"--servers={servers}", policy).stdout
    assert bool(text) == (tries(retries + 1, servers) == retries + 1)
    text = text or exported("nginx", policy)
    if NGINX:
        assert attempts(text, servers, tmp_path) == tries(retries + 1, servers)
    for other, limit in [(text, retries + 1), ("proxy_next_upstream error;", 0)]:
        read = run("import", "--from=nginx", f"--servers={servers}", text=other).stdout
        assert f"max_retries={tries(limit, servers) - 1}," in read


def test_a_policy_without_a_limit_is_refused():
    """With 1, 2 and 3 servers that fail, nginx makes 1, 2 and 3 attempts."""
    assert export("nginx", f"constant:base=0s{REST}") is None


def test_the_parser_refuses_an_unknown_directive(tmp_path):
    with pytest.raises(AssertionError, match="unknown directive"):
        directives(file(tmp_path, "proxy_next_upstream_delay 1s;"))
