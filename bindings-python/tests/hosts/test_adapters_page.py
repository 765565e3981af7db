"""Every program in ADAPTERS.md is run, and prints what the block after it shows."""

import os
import re
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
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


def test_the_imports_on_the_page_about_http():
    lines = re.findall(
        r"`(from backoff_rs\.adapters\..*?)`", (ROOT / "docs/http.md").read_text("utf-8")
    )
    assert len(lines) >= 4
    for line in lines:
        exec(line, {})


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
