"""The wheel that BACKOFF_WHEEL names, for any platform: its files, its metadata, and what the tools
that audit wheels say."""

import email
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pefile
import pytest
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).parents[2]
WHEEL = Path(os.environ["BACKOFF_WHEEL"])
NAME, VERSION, _, TAGS = parse_wheel_filename(WHEEL.name)
INFO = f"backoff_rs-{VERSION}.dist-info"
PLATFORM = next(tag.platform for tag in TAGS)

#: Parts of Windows 10.
WINDOWS = {
    "api-ms-win-core-synch-l1-2-0.dll",
    "bcryptprimitives.dll",
    "kernel32.dll",
    "msvcrt.dll",
    "ntdll.dll",
}


def run(module, *arguments):
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


PACKAGE = ROOT / "bindings-python/python"
SOURCES = [
    file.relative_to(PACKAGE).as_posix()
    for file in PACKAGE.rglob("*.*")
    if file.suffix in {".py", ".pyi", ".typed"}
]
ADAPTERS = sorted(
    name.rpartition("/")[2].removesuffix(".py")
    for name in SOURCES
    if name.startswith("backoff_rs/adapters/") and "/_" not in name
)


@pytest.fixture(scope="module")
def wheel():
    with zipfile.ZipFile(WHEEL) as archive:
        yield archive


@pytest.fixture(scope="module")
def fields(wheel):
    return email.message_from_bytes(wheel.read(f"{INFO}/METADATA"))


def test_tags():
    assert NAME == "backoff-rs"
    assert {(tag.interpreter, tag.abi) for tag in TAGS} == {("cp311", "abi3")}


def test_contents(wheel):
    extension = "_backoff.pyd" if PLATFORM.startswith("win") else "_backoff.abi3.so"
    assert sorted(wheel.namelist()) == sorted(
        [
            f"backoff_rs/{extension}",
            *SOURCES,
            f"{INFO}/METADATA",
            f"{INFO}/RECORD",
            f"{INFO}/WHEEL",
            f"{INFO}/licenses/LICENSE-APACHE",
            f"{INFO}/licenses/LICENSE-MIT",
            f"{INFO}/licenses/LICENSES-OF-CRATES",
        ]
    )


def test_no_file_names_a_folder_of_this_machine(wheel):
    """Messages of panics would."""
    folders = [Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")), ROOT]
    for name in wheel.namelist():
        assert not [folder for folder in folders if bytes(folder) in wheel.read(name)], name


def test_metadata(wheel, fields):
    assert fields["Name"] == "backoff-rs"
    assert fields["Requires-Python"] == ">=3.11"
    assert fields["License-Expression"] == "MIT OR Apache-2.0"
    assert fields.get_all("License-File") == ["LICENSE-MIT", "LICENSE-APACHE", "LICENSES-OF-CRATES"]
    assert sorted(fields.get_all("Provides-Extra")) == ADAPTERS
    # Nothing without an extra.
    assert all("; extra ==" in needed for needed in fields.get_all("Requires-Dist"))
    readme = (ROOT / "bindings-python/README.md").read_text("utf-8")
    assert fields.get_payload().rstrip() == readme.rstrip()
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert wheel.read(f"{INFO}/licenses/{name}") == (ROOT / name).read_bytes()
    assert b"pyo3" in wheel.read(f"{INFO}/licenses/LICENSES-OF-CRATES")


def test_urls_lead_to_files_of_the_repository(fields):
    urls = dict(value.split(", ") for value in fields.get_all("Project-URL"))
    needed = {"Homepage", "Documentation", "Specification", "Source", "Changelog", "Issues"}
    assert urls.keys() == needed
    for url in urls.values():
        repository, _, path = url.partition("/blob/main/")
        assert repository.removesuffix("/issues") == "https://github.com/backoff-rs/backoff"
        assert (ROOT / path).exists(), url


def test_abi3audit():
    """The extension uses only the stable ABI of 3.11."""
    (report,) = json.loads(run("abi3audit", "--strict", "--report", WHEEL))["specs"].values()
    (extension,) = report["wheel"]
    assert extension["result"]["baseline"] == "3.11"
    assert extension["result"]["is_abi3_baseline_compatible"] is True


def test_libraries(wheel, tmp_path):
    """The extension needs only libraries that every system of its tag has."""
    if PLATFORM.startswith("win"):
        extension = pefile.PE(data=wheel.read("backoff_rs/_backoff.pyd"))
        names = {entry.dll.decode().lower() for entry in extension.DIRECTORY_ENTRY_IMPORT}
        assert names - WINDOWS == {"python3.dll"}
        return
    # Where the libraries of this machine are does not matter: they may be of another kind.
    report = json.loads(run("auditwheel", "show", "--json", "--ldpaths", tmp_path, WHEEL))
    assert report["sym_tag"] in {tag.platform for tag in TAGS}
    is_musl = PLATFORM.startswith("musllinux")
    assert report["external_libs"] == ({"libc.so": None} if is_musl else {})
    assert report["unsupported_isa"] is False


def test_check_wheel_contents():
    run("check_wheel_contents", WHEEL)


def test_twine():
    run("twine", "check", "--strict", WHEEL)
