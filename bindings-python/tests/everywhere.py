"""The package in every version of Python and on other machines: what only a release needs. `cargo xtask test --all python` runs
it. Pytest does not collect this file unless its name is an argument."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
#: The folders of the wheels, and the program pip.
WHEELS = os.environ["BACKOFF_WHEELS"].split(os.pathsep)
PIP = os.environ["BACKOFF_PIP"]
#: They need no package but pytest: the same numbers, misuse, loops.
TESTS = (
    "test_conformance.py",
    "test_policy_errors.py",
    "test_argument_errors.py",
    "test_retry_generators.py",
)


def run(*command, **options):
    environment = os.environ | options.pop("env", {})
    command = list(map(str, command))
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=environment,
        stdin=subprocess.DEVNULL,
        **options,
    )
    assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def wheelhouse(tmp_path_factory):
    """pip and the test runner of the usual tests, which are for every platform."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    project = (HERE.parent / "pyproject.toml").read_text(encoding="utf-8")
    test_runner = re.search(r'"(pytest==[^"]*)"', project)[1]
    run(PIP, "download", "--quiet", "--dest", folder, "pip", test_runner, "colorama")
    return folder


def debian(folder, architecture, release, *packages):
    """Debian's packages for another machine or of another release, with all that they need, unpacked into a folder.
    Nothing is installed."""
    for part in ("lists/partial", "cache/archives/partial", "sources", "system"):
        (folder / part).mkdir(parents=True)
    # No package is installed there.
    (folder / "status").touch()
    form = ("--format", "$(REPO_URI)", "Label: Debian", "Created-By: Packages")
    archive = run("apt-get", "indextargets", *form).splitlines()[0]
    key = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (folder / "sources/debian.list").write_text(f"deb [signed-by={key}] {archive} {release} main\n")
    options = (
        f"APT::Architecture={architecture}",
        f"APT::Architectures={architecture}",
        "APT::Install-Recommends=false",
        f"Dir::State::lists={folder}/lists",
        f"Dir::State::status={folder}/status",
        f"Dir::Cache={folder}/cache",
        "Dir::Etc::sourcelist=/dev/null",
        f"Dir::Etc::sourceparts={folder}/sources",
    )
    apt = ["apt-get", *(word for option in options for word in ("-o", option))]
    run(*apt, "update")
    run(*apt, "--yes", "--download-only", "install", *packages)
    for package in (folder / "cache/archives").glob("*.deb"):
        run("dpkg", "-x", package, folder / "system")
    return folder / "system"


def runs(folder, wheelhouse, file, runner=()):
    """Installs, tests and removes the package, and returns the version of the interpreter, which may need a program that
    runs it."""
    environment = folder / "environment"
    run(*runner, file, "-m", "venv", "--without-pip", environment)
    python = (*runner, environment / "bin/python")
    pip = next(wheelhouse.glob("pip-*")) / "pip"
    links = [word for place in (wheelhouse, *WHEELS) for word in ("--find-links", place)]
    install = ("install", "--quiet", "--no-index", "--no-compile", *links, "backoff-rs", "pytest")
    run(*python, pip, *install)
    tests = [HERE / test for test in TESTS]
    run(*python, "-m", "pytest", "-q", *tests, env={"PYTHONDONTWRITEBYTECODE": "1"}, cwd=folder)
    run(*python, pip, "uninstall", "--quiet", "--yes", "backoff-rs")
    assert list(environment.rglob("backoff_rs*")) == []
    return run(*python, "-c", "import platform; print(platform.python_version())").strip()


def ran(group, name, version=""):
    """Notes that a test ran there, for docs/compatibility.md."""
    row = {"language": "Python", "group": group, "name": name, "version": version}
    with Path(os.environ["BACKOFF_RAN"]).open("a", encoding="utf-8") as file:
        print(json.dumps(row), file=file)


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_a_version_that_machines_have(version, wheelhouse, tmp_path):
    # With pyenv, the name needs the variable.
    file = ("import sys; print(sys.executable)",)
    file = run(f"python{version}", "-c", *file, env={"PYENV_VERSION": version}).strip()
    ran("versions", "CPython", runs(tmp_path, wheelhouse, file))


def test_the_newest_version(wheelhouse, tmp_path):
    """From Debian's next release, with the C library that it needs."""
    packages = ("python3.14-minimal", "libpython3.14-stdlib")
    system = debian(tmp_path / "debian", "amd64", "forky", *packages)
    libraries, file = system / "usr/lib/x86_64-linux-gnu", system / "usr/bin/python3.14"
    patchelf = os.environ["BACKOFF_PATCHELF"]
    run(
        patchelf,
        "--set-interpreter",
        libraries / "ld-linux-x86-64.so.2",
        "--force-rpath",
        "--set-rpath",
        libraries,
        file,
    )
    ran("versions", "CPython", runs(tmp_path, wheelhouse, file))


def test_another_machine(wheelhouse, tmp_path):
    packages = ("python3.11-minimal", "libpython3.11-stdlib")
    system = debian(tmp_path / "debian", "arm64", "bookworm", *packages)
    qemu = ("qemu-aarch64-static", "-L", system)
    runs(tmp_path, wheelhouse, system / "usr/bin/python3.11", qemu)
    ran("platforms", "Linux aarch64 (qemu)")
