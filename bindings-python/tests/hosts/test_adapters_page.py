"""Every program in ADAPTERS.md is run, and prints what the block after it shows."""

import asyncio
import importlib
import inspect
import os
import re
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
import requests
from processes import FOLDER, PATIENCE

ROOT = FOLDER.parents[1]
PAGE = (ROOT / "ADAPTERS.md").read_text("utf-8")
PROGRAMS = re.findall(
    r"^## (\w+)\n(?:(?!^## ).)*?^```python\n(.*?)^```\n\n```text\n(.*?)^```$",
    PAGE,
    re.DOTALL | re.MULTILINE,
)
MODULES = sorted(
    file.stem
    for file in (ROOT / "python/backoff_rs/adapters").glob("*.py")
    if not file.stem.startswith("_")
)


def test_every_adapter_has_a_program():
    assert sorted(name.lower() for name, _, _ in PROGRAMS) == MODULES
    for name in MODULES:
        assert f"[`{name}`](#{name})" in PAGE


@pytest.mark.parametrize("page", ["docs/http.md", "README.md"])
def test_the_imports_of_adapters_on_a_page(page):
    lines = re.findall(r"`(from backoff_rs\.adapters\..*?)`", (ROOT / page).read_text("utf-8"))
    assert len(lines) >= 4
    for line in lines:
        exec(line, {})


class Mounting:
    """A session of requests, in which a line mounts an adapter."""

    def mount(self, _prefix, adapter):
        assert isinstance(adapter, requests.adapters.HTTPAdapter)


def test_the_table_of_http_clients_in_the_readme():
    rows = re.findall(
        r"^\| [^|]* \| `backoff-rs\[(\w+)\]` \| `(from .*?)` \| `(.*?)` \|$",
        (ROOT / "README.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert [extra for extra, *_ in rows] == ["httpx", "httpx", "requests", "aiohttp", "urllib3"]

    async def use():
        for extra, line, expression in rows:
            names = {extra: importlib.import_module(extra), "session": Mounting()}
            exec(line, names)
            made = eval(expression, names)
            for close in ("aclose", "close", "clear"):
                if hasattr(made, close):
                    closed = getattr(made, close)()
                    if inspect.isawaitable(closed):
                        await closed
                    break

    asyncio.run(use())


@pytest.mark.parametrize(
    ("program", "printed"), [pytest.param(*pair, id=name) for name, *pair in PROGRAMS]
)
def test_program(redis, postgres_server, program, printed, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={
            **os.environ,
            "REDIS_URL": redis.url,
            "REDIS_PORT": str(urlsplit(redis.url).port),
            "POSTGRES_URL": postgres_server.url,
        },
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (0, printed), done.stderr
