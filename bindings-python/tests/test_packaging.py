"""The files to publish: the wheel that BACKOFF_WHEEL names, and an sdist that is built here."""

import email
import os
import re
import subprocess
import sys
import tarfile
import time
import zipfile
from importlib import metadata
from pathlib import Path

import backoff_rs
import pytest
from packaging.utils import parse_sdist_filename, parse_wheel_filename

ROOT = Path(__file__).parents[2]
WHEEL = Path(os.environ["BACKOFF_WHEEL"])


def the_only(folder, pattern):
    (path,) = folder.glob(pattern)
    return path


@pytest.fixture(scope="module")
def wheel():
    with zipfile.ZipFile(WHEEL) as archive:
        yield archive


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    manifest = ROOT / "bindings-python" / "Cargo.toml"
    # With the default date of 2006, cargo would treat an existing target directory as fresh.
    now = {**os.environ, "SOURCE_DATE_EPOCH": str(int(time.time()))}
    subprocess.run(
        [sys.executable, "-m", "maturin", "sdist", "-m", manifest, "-o", folder],
        check=True,
        env=now,
    )
    return the_only(folder, "*.tar.gz")


@pytest.fixture(scope="module")
def files(sdist):
    with tarfile.open(sdist) as archive:
        return {
            member.name.partition("/")[2]: archive.extractfile(member).read()
            for member in archive
            if member.isfile()
        }


def test_tags():
    name, _, _, tags = parse_wheel_filename(WHEEL.name)
    assert name == "backoff-rs"
    assert {(tag.interpreter, tag.abi) for tag in tags} == {("cp311", "abi3")}


def test_one_version_everywhere(sdist):
    manifest = (ROOT / "Cargo.toml").read_text("utf-8")
    (version,) = re.findall(r'^version = "(.*)"$', manifest, re.MULTILINE)
    versions = {
        str(parse_wheel_filename(WHEEL.name)[1]),
        str(parse_sdist_filename(sdist.name)[1]),
        metadata.version("backoff-rs"),
        backoff_rs.__version__,
    }
    assert versions == {version}


def test_contents_of_the_wheel(wheel):
    info = f"backoff_rs-{backoff_rs.__version__}.dist-info"
    assert sorted(wheel.namelist()) == sorted(
        [
            "backoff_rs/__init__.py",
            "backoff_rs/_attempts.py",
            "backoff_rs/_backoff.abi3.so",
            "backoff_rs/_backoff.pyi",
            "backoff_rs/_cancellation.py",
            "backoff_rs/_event.py",
            "backoff_rs/_log.py",
            "backoff_rs/_loop.py",
            "backoff_rs/_options.py",
            "backoff_rs/_policy_error.py",
            "backoff_rs/_retry_error.py",
            "backoff_rs/_retrying.py",
            "backoff_rs/_time.py",
            "backoff_rs/_types.py",
            "backoff_rs/_verdict.py",
            "backoff_rs/_wrap.py",
            "backoff_rs/py.typed",
            "backoff_rs/testing.py",
            f"{info}/METADATA",
            f"{info}/RECORD",
            f"{info}/WHEEL",
            f"{info}/licenses/LICENSE-APACHE",
            f"{info}/licenses/LICENSE-MIT",
        ]
    )


def test_the_wheel_is_installed(wheel):
    package = Path(backoff_rs.__file__).parent
    for name in wheel.namelist():
        if name.startswith("backoff_rs/"):
            assert (package.parent / name).read_bytes() == wheel.read(name), name


def test_metadata(wheel):
    info = f"backoff_rs-{backoff_rs.__version__}.dist-info"
    fields = email.message_from_bytes(wheel.read(f"{info}/METADATA"))
    assert fields["Name"] == "backoff-rs"
    assert fields["Requires-Python"] == ">=3.11"
    assert fields["License-Expression"] == "MIT OR Apache-2.0"
    assert fields.get_all("License-File") == ["LICENSE-MIT", "LICENSE-APACHE"]
    assert fields.get_all("Requires-Dist") is None
    readme = (ROOT / "bindings-python/README.md").read_text("utf-8")
    assert fields.get_payload().rstrip() == readme.rstrip()
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert wheel.read(f"{info}/licenses/{name}") == (ROOT / name).read_bytes()


def test_the_sdist_holds_the_core(files):
    folders = ["core/src", "bindings-python/src"]
    for folder in folders:
        held = {name for name in files if name.startswith(f"{folder}/")}
        assert held == {str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*.rs")}
        for name in held:
            assert files[name] == (ROOT / name).read_bytes(), name
    assert files["Cargo.lock"]
    # Without it a panic would end the interpreter.
    assert b'[profile.wheel]\ninherits = "release"\npanic = "unwind"' in files["Cargo.toml"]
    assert b'profile = "wheel"' in files["pyproject.toml"]


def test_the_sdist_builds_the_wheel(sdist, wheel, tmp_path):
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", tmp_path, sdist], check=True)
    with zipfile.ZipFile(the_only(tmp_path, "*.whl")) as built:
        assert sorted(built.namelist()) == sorted(wheel.namelist())
