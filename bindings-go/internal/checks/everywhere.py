"""The module on every platform of Go: what only a release needs. `cargo xtask test --all go` runs it, with the environment of the
go command, and that of libbackoff."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

CHECKS = Path(__file__).parent
MODULE = CHECKS.parent.parent
#: The tests that need no other programs, all vectors among them.
TESTS = "^(TestEvery.*|TestGoroutines.*|TestZero.*|TestRetry.*|TestCore.*|Example.*)$"
PACKAGES = (".", "./backoffhttp", "./cenkalti", "./sharedbudget")
#: What runs the programs of an architecture. Under qemu 7, any Go program for 386 with several threads crashes. The processor runs
#: it, too.
QEMU = {"arm64": "aarch64"}
QEMU |= {name: name for name in ("arm", "mips", "ppc64", "riscv64", "s390x")}
LINKED_BY_C = ("android/386", "android/amd64", "android/arm", "ios/amd64", "ios/arm64")


def go(*arguments, **environment):
    command = ["go", *map(str, arguments)]
    environment = os.environ | {name: str(value) for name, value in environment.items()}
    done = subprocess.run(command, cwd=MODULE, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, (
        f"{environment.get('GOOS')}: {command}:\n{done.stdout}{done.stderr}"
    )
    return done.stdout


def ran(group, name, version=""):
    """Notes that a test ran there, for docs/compatibility.md."""
    row = {"language": "Go", "group": group, "name": name, "version": version}
    with Path(os.environ["BACKOFF_RAN"]).open("a", encoding="utf-8") as file:
        print(json.dumps(row), file=file)


def test_the_version():
    ran("versions", "Go", go("env", "GOVERSION").strip().removeprefix("go"))


@pytest.mark.parametrize(
    ("platform", "runner", "shown"),
    [
        ("linux/amd64", None, ""),
        ("linux/386", None, ""),
        *((f"linux/{arch}", f"qemu-{qemu}-static", " (qemu)") for arch, qemu in QEMU.items()),
        ("js/wasm", "{goroot}/lib/wasm/go_js_wasm_exec", " (Node.js)"),
        ("wasip1/wasm", "{checks}/wasip1_exec.mjs", " (Node.js)"),
    ],
)
def test_conformance(platform, runner, shown):
    system, arch = platform.split("/")
    flags = os.environ["GOFLAGS"]
    if runner:
        runner = runner.format(goroot=go("env", "GOROOT").strip(), checks=CHECKS)
        flags += f" -exec={runner}"
    tests = ("-count=1", "-v", "-run", TESTS, ".", "./internal/engine")
    printed = go("test", *tests, GOOS=system, GOARCH=arch, GOFLAGS=flags)
    assert printed.count("--- PASS: TestEveryRequest/") > 4500
    ran("platforms", platform + shown)


def test_a_static_program_in_an_empty_root(tmp_path):
    """It refuses a policy by the message of the core."""
    go("build", "-o", tmp_path / "http", "./examples/http")
    chroot = ("unshare", "--map-root-user", "chroot", str(tmp_path))
    program = ("/http", "http://localhost", "full:base=1", "1", "key")
    done = subprocess.run([*chroot, *program], capture_output=True, text=True)
    assert "base has no unit" in done.stdout + done.stderr
    ran("platforms", "linux/amd64 (static, in an empty root)")


def test_the_static_program_over_c_of_the_page(tmp_path):
    """The page builds it without a warning, and it runs without the library."""
    page = (MODULE / "docs/c-library.md").read_text(encoding="utf-8")
    (build,) = re.findall(r"^go build -tags backoff_cgo,.*", page, re.MULTILINE)
    path, environment = tmp_path / "http", os.environ | {"CGO_ENABLED": "1"}
    command = [*shlex.split(build), "-o", path, "./examples/http"]
    done = subprocess.run(command, cwd=MODULE, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    usage = subprocess.run([path], env={}, capture_output=True, text=True)
    assert usage.stderr.startswith("usage: http")


def test_every_platform_is_built_and_vetted(tmp_path):
    """Without the tests of the module, which need most of the standard library."""
    folders = (MODULE / folder for folder in (*PACKAGES, "internal/engine"))
    hidden = {str(file): "" for folder in folders for file in folder.glob("*_test.go")}
    assert len(hidden) > 10
    overlay = tmp_path / "overlay.json"
    overlay.write_text(json.dumps({"Replace": hidden}), encoding="utf-8")
    platforms = go("tool", "dist", "list").split()
    for platform in platforms:
        system, arch = platform.split("/")
        go("build", *PACKAGES, GOOS=system, GOARCH=arch)
        # `go vet` refuses the platforms whose programs a C linker links.
        if platform not in LINKED_BY_C:
            vet = ("vet", f"-overlay={overlay}", *PACKAGES)
            go(*vet, GOOS=system, GOARCH=arch, CGO_ENABLED=0)
    ran("builds for", "all of go tool dist list", f"({len(platforms)})")
