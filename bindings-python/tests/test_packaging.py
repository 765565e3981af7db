"""The files to publish: BACKOFF_WHEEL, which is installed, and BACKOFF_SDIST."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import backoff_rs
import pytest
from packaging.utils import parse_sdist_filename, parse_wheel_filename

ROOT = Path(__file__).parents[2]
WHEEL = Path(os.environ["BACKOFF_WHEEL"])
SDIST = Path(os.environ["BACKOFF_SDIST"])


@pytest.fixture(scope="module")
def wheel():
    with zipfile.ZipFile(WHEEL) as archive:
        yield archive


@pytest.fixture(scope="module")
def files():
    with tarfile.open(SDIST) as archive:
        return {
            member.name.partition("/")[2]: archive.extractfile(member).read()
            for member in archive
            if member.isfile()
        }


def test_one_version_everywhere():
    manifest = (ROOT / "Cargo.toml").read_text("utf-8")
    (version,) = re.findall(r'^version = "(.*)"$', manifest, re.MULTILINE)
    versions = {
        str(parse_wheel_filename(WHEEL.name)[1]),
        str(parse_sdist_filename(SDIST.name)[1]),
        metadata.version("backoff-rs"),
        backoff_rs.__version__,
    }
    assert versions == {version}


def test_the_wheel_is_installed(wheel):
    package = Path(backoff_rs.__file__).parent
    for name in wheel.namelist():
        if name.startswith("backoff_rs/"):
            assert (package.parent / name).read_bytes() == wheel.read(name), name


def test_the_sdist_holds_what_builds_the_wheel(files):
    """And nothing else: no tests, nothing of other languages."""
    needed = {
        *("Cargo.lock", "Cargo.toml", "PKG-INFO", "pyproject.toml"),
        *("README.md", "ADAPTERS.md", "LICENSE-APACHE", "LICENSE-MIT", "LICENSES-OF-CRATES"),
    }
    for folder, patterns in {
        "core": ["Cargo.toml", "README.md", "LICENSE*", "src/**/*.rs"],
        "tools/export": ["Cargo.toml", "README.md", "LICENSE*", "src/**/*.rs"],
        "bindings-python": ["Cargo.toml", "README.md", "LICENSE*", "src/**/*.rs"],
        "bindings-python/docs": ["*.md"],
        "bindings-python/python": [
            *("backoff_rs/*.py", "backoff_rs/*.pyi", "backoff_rs/py.typed"),
            "backoff_rs/adapters/*.py",
        ],
    }.items():
        for path in [path for pattern in patterns for path in (ROOT / folder).glob(pattern)]:
            name = str(path.relative_to(ROOT)).replace("bindings-python/python", "python")
            name = name.replace("bindings-python/docs", "docs")
            needed.add(name)
            assert files[name] == path.read_bytes() or name.endswith("Cargo.toml"), name
    assert files.keys() == needed
    assert files["ADAPTERS.md"] == (ROOT / "bindings-python/ADAPTERS.md").read_bytes()
    # Without it a panic would end the interpreter.
    assert b'[profile.wheel]\ninherits = "release"\npanic = "unwind"' in files["Cargo.toml"]
    assert b'profile = "wheel"' in files["pyproject.toml"]


@pytest.mark.long
def test_the_sdist_needs_only_rust(tmp_path):
    """A user's installation, away from this repository, has the numbers of the vectors."""
    cargo = Path(shutil.which("cargo"))
    path = os.pathsep.join([str(cargo.parent), "/usr/local/bin", "/usr/bin", "/bin"])
    is_of_a_build = re.compile(
        "CARGO_TARGET_DIR|CARGO_BUILD_.*|(CARGO_ENCODED_)?RUSTFLAGS|RUSTUP_TOOL.*"
    )
    own = {name: value for name, value in os.environ.items() if not is_of_a_build.match(name)}

    def run(*command):
        subprocess.run(command, check=True, cwd=tmp_path, env={**own, "PATH": path})

    run(sys.executable, "-m", "venv", tmp_path / "user")
    python = tmp_path / "user/bin/python"
    run(python, "-m", "pip", "install", "--quiet", SDIST, f"pytest=={pytest.__version__}")
    run(python, "-m", "pytest", "-q", ROOT / "bindings-python/tests/test_conformance.py")


def test_sdist_for_twine():
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", SDIST], check=True)
