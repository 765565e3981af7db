"""The files that would be published: BACKOFF_DIST is the folder of the wheel and the sdist."""

import email
import os
import re
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import backoff_rs
import pytest
from packaging.utils import parse_sdist_filename, parse_wheel_filename

ROOT = Path(__file__).parents[2]


def the_only(pattern):
    (path,) = Path(os.environ["BACKOFF_DIST"]).glob(pattern)
    return path


@pytest.fixture(scope="module")
def wheel():
    with zipfile.ZipFile(the_only("*.whl")) as archive:
        yield archive


@pytest.fixture(scope="module")
def sdist():
    with tarfile.open(the_only("*.tar.gz")) as archive:
        yield {
            member.name.partition("/")[2]: archive.extractfile(member).read()
            for member in archive
            if member.isfile()
        }


def test_tags():
    name, _, _, tags = parse_wheel_filename(the_only("*.whl").name)
    assert name == "backoff-rs"
    assert {(tag.interpreter, tag.abi) for tag in tags} == {("cp311", "abi3")}


def test_one_version_everywhere():
    manifest = (ROOT / "Cargo.toml").read_text("utf-8")
    (version,) = re.findall(r'^version = "(.*)"$', manifest, re.MULTILINE)
    versions = {
        str(parse_wheel_filename(the_only("*.whl").name)[1]),
        str(parse_sdist_filename(the_only("*.tar.gz").name)[1]),
        metadata.version("backoff-rs"),
        backoff_rs.__version__,
    }
    assert versions == {version}


def test_contents_of_the_wheel(wheel):
    info = f"backoff_rs-{backoff_rs.__version__}.dist-info"
    assert sorted(wheel.namelist()) == sorted(
        [
            "backoff_rs/__init__.py",
            "backoff_rs/_backoff.abi3.so",
            "backoff_rs/_backoff.pyi",
            "backoff_rs/_error.py",
            "backoff_rs/py.typed",
            f"{info}/METADATA",
            f"{info}/RECORD",
            f"{info}/WHEEL",
            f"{info}/licenses/LICENSE-APACHE",
            f"{info}/licenses/LICENSE-MIT",
        ]
    )


def test_what_is_installed_is_the_wheel(wheel):
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


def test_the_sdist_holds_the_core(sdist):
    """The wheel is built from it, so it is whole; this says that it is not stale."""
    folders = ["core/src", "bindings-python/src"]
    for folder in folders:
        held = {name for name in sdist if name.startswith(f"{folder}/")}
        assert held == {str(path.relative_to(ROOT)) for path in (ROOT / folder).glob("*.rs")}
        for name in held:
            assert sdist[name] == (ROOT / name).read_bytes(), name
    assert sdist["Cargo.lock"]
    # Without it a panic would end the interpreter.
    assert b'[profile.wheel]\ninherits = "release"\npanic = "unwind"' in sdist["Cargo.toml"]
    assert b'profile = "wheel"' in sdist["pyproject.toml"]
