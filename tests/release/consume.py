"""Installs, tries and removes the published files: `consume.py DIST [LANGUAGE]..`.

Nothing but the files in the folder DIST is used, in empty environments: no file of the source tree,
no package that is installed here. Each program prints the first delays of the same policy, seed and
key, which must be those of the vector `go-full`.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

POLICY, SEED, KEY = "full:base=1s,cap=10s", "42", "job-1"
VECTORS = Path(__file__).parents[1] / "vectors/articles.json"

MACHINE = {"AMD64": "x86_64", "ARM64": "aarch64", "arm64": "aarch64"}.get(
    platform.machine(), platform.machine()
)
WINDOWS = sys.platform == "win32"
SYSTEM = {"linux": "unknown-linux-gnu", "win32": "pc-windows-gnu"}.get(sys.platform, "apple-darwin")

PYTHON = f"""
from backoff_rs import Policy, RandomStream
policy, stream = Policy.parse("{POLICY}"), RandomStream({SEED}, "{KEY}")
for index in range(5):
    print(policy.delay_ns(stream, index))
"""

JAVASCRIPT = f"""
const {{ Policy, RandomStream }} = MODULE;
const policy = Policy.parse("{POLICY}");
const stream = new RandomStream({SEED}, "{KEY}");
for (let index = 0; index < 5; index++) console.log(String(policy.delayNs(stream, index)));
"""

RUST = f"""
use backoff_retry::{{Policy, RandomStream}};
fn main() {{
    let policy = Policy::parse("{POLICY}").unwrap();
    let stream = RandomStream::from_key({SEED}, "{KEY}");
    (0..5).for_each(|index| println!("{{}}", policy.delay_ns(stream, index)));
}}
"""

GO = f"""package main

import (
	"fmt"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func main() {{
	policy, err := backoff.ParsePolicy("{POLICY}")
	if err != nil {{
		panic(err)
	}}
	stream, err := backoff.StreamFromKey({SEED}, "{KEY}")
	if err != nil {{
		panic(err)
	}}
	for index := range uint32(5) {{
		fmt.Println(policy.Delay(stream, index).Nanoseconds())
	}}
}}
"""

C = f"""
#include <backoff.h>
#include <inttypes.h>
#include <stdio.h>

int main(void) {{
  const char policy_text[] = "{POLICY}", key[] = "{KEY}";
  struct backoff_policy policy;
  uint64_t stream;
  if (backoff_policy_parse(&policy, policy_text, sizeof policy_text - 1, NULL) != BACKOFF_OK ||
      backoff_stream_from_key({SEED}, key, sizeof key - 1, &stream) != BACKOFF_OK) {{
    return 1;
  }}
  for (uint32_t index = 0; index < 5; index++) {{
    uint64_t delay_ns;
    if (backoff_policy_delay_ns(&policy, stream, index, &delay_ns) != BACKOFF_OK) {{
      return 1;
    }}
    printf("%" PRIu64 "\\n", delay_ns);
  }}
  return 0;
}}
"""


class Place:
    """An empty folder, which is also the home of what runs in it."""

    def __init__(self, dist: Path, folder: Path) -> None:
        """`dist` is read only."""
        self.dist, self.folder = dist, folder
        home = folder / "home"
        home.mkdir()
        kept = {"PATH", "SYSTEMROOT", "TEMP", "TMP", "RUSTUP_HOME", "SSL_CERT_FILE"}
        self.environment = {name: text for name, text in os.environ.items() if name in kept}
        rustup = os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup"))
        self.environment |= {
            "HOME": str(home),
            "USERPROFILE": str(home),
            "APPDATA": str(home),
            "CARGO_HOME": str(home / "cargo"),
            "RUSTUP_HOME": rustup,
        }

    def file(self, pattern: str) -> Path:
        """The one file of DIST with this name."""
        files = list(self.dist.glob(pattern))
        if len(files) != 1:
            sys.exit(f"{self.dist} has {len(files)} files {pattern}, not one")
        return files[0]

    def unpack(self, pattern: str, unpacked: str) -> Path:
        """What the one file of DIST with this name contains: the one folder or file with that name."""
        with tarfile.open(self.file(pattern)) as archive:
            archive.extractall(self.folder, filter="data")
        (found,) = self.folder.glob(unpacked)
        return found

    def run(self, *words: str | Path, fails: bool = False) -> str:
        """What a program prints, which must succeed, or fail."""
        program = shutil.which(words[0], path=self.environment["PATH"]) or words[0]
        command = [program, *words[1:]]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True
        )
        if fails != (done.returncode != 0):
            sys.exit(f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout


def python(place: Place) -> str:
    """The wheel that pip chooses."""
    place.run(sys.executable, "-m", "venv", "venv")
    interpreter = place.folder / "venv" / ("Scripts/python.exe" if WINDOWS else "bin/python")
    pip = (interpreter, "-m", "pip", "--disable-pip-version-check")
    install = (*pip, "install", "--no-index", "--only-binary=:all:", "--find-links", place.dist)
    place.run(*install, "backoff-rs")
    printed = place.run(interpreter, "-c", PYTHON)
    place.run(*pip, "uninstall", "--yes", "backoff-rs")
    place.run(interpreter, "-c", "import backoff_rs", fails=True)
    if left := list((place.folder / "venv").rglob("*backoff_rs*")):
        sys.exit(f"pip left {left}")
    return printed


def js(place: Place) -> str:
    """The package, imported and required."""
    npm = "npm.cmd" if WINDOWS else "npm"
    (place.folder / "package.json").write_text('{ "private": true }')
    place.run(npm, "install", "--offline", "--no-audit", place.file("backoff-wasm-*.tgz"))
    module = JAVASCRIPT.replace("MODULE", 'await import("backoff-wasm")')
    (place.folder / "user.mjs").write_text(module)
    required = JAVASCRIPT.replace("MODULE", 'require("backoff-wasm")')
    (place.folder / "user.cjs").write_text(required)
    printed = place.run("node", "user.mjs")
    if place.run("node", "user.cjs") != printed:
        sys.exit("import and require differ")
    place.run(npm, "uninstall", "--offline", "--no-audit", "backoff-wasm")
    place.run("node", "user.mjs", fails=True)
    return printed


def rust(place: Place) -> str:
    """The crates of a program, whose other dependencies cargo gets from the registry."""
    for name in ("backoff-core", "backoff-retry"):
        found = place.unpack(f"{name}-[0-9]*.crate", f"{name}-[0-9]*")
        found.rename(place.folder / name)
    (place.folder / "src").mkdir()
    (place.folder / "src/main.rs").write_text(RUST)
    (place.folder / "Cargo.toml").write_text(
        '[package]\nname = "user"\nedition = "2024"\n[workspace]\n'
        '[dependencies]\nbackoff-retry = { path = "backoff-retry" }\n'
        '[patch.crates-io]\nbackoff-core = { path = "backoff-core" }\n'
    )
    return place.run("cargo", "run", "--quiet")


def go(place: Place) -> str:
    """The module, from a proxy that has nothing else, without a C compiler."""
    module = "github.com/backoff-rs/backoff/bindings-go"
    packed = place.file("backoff-go-[0-9]*.zip")
    version = "v" + packed.stem.removeprefix("backoff-go-")
    files = place.folder / "proxy" / module / "@v"
    files.mkdir(parents=True)
    shutil.copy(packed, files / f"{version}.zip")
    with zipfile.ZipFile(packed) as archive:
        (files / f"{version}.mod").write_bytes(archive.read(f"{module}@{version}/go.mod"))
    (files / f"{version}.info").write_text(json.dumps({"Version": version}))
    (files / "list").write_text(version + "\n")
    place.environment |= {
        "GOPROXY": (place.folder / "proxy").as_uri(),
        "GOSUMDB": "off",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-modcacherw",
        "CGO_ENABLED": "0",
        "GOPATH": str(place.folder / "home/go"),
        "GOCACHE": str(place.folder / "home/cache"),
    }
    user = place.folder / "user"
    user.mkdir()
    place.folder = user
    (user / "main.go").write_text(GO)
    place.run("go", "mod", "init", "example.com/user")
    place.run("go", "get", module)
    printed = place.run("go", "run", ".")
    place.run("go", "get", f"{module}@none")
    place.run("go", "build", ".", fails=True)
    return printed


def command(place: Place) -> str:
    """The command `backoff`, which is one file."""
    name = f"backoff-[0-9]*-{MACHINE}-{SYSTEM.replace('linux-gnu', 'linux-musl')}.tar.gz"
    program = place.unpack(name, "backoff-*/backoff*")
    delays = ("delays", POLICY, "--seed", SEED, "--key", KEY, "--count", "5", "--unit", "ns")
    return place.run(program, *delays)


def c(place: Place) -> str:
    """The shared library, which pkg-config finds in the unpacked archive, and the static one."""
    name = f"libbackoff-[0-9]*-{MACHINE}-{SYSTEM}.tar.gz"
    tree = place.unpack(name, "libbackoff-*")
    place.environment["PKG_CONFIG_PATH"] = str(tree / "lib/pkgconfig")
    (place.folder / "user.c").write_text(C)
    flags = place.run("pkg-config", "--cflags", "--libs", "backoff").split()
    compile_user = ("cc", "-std=c99", "-Wall", "-Werror", "user.c", "-o", "user")
    place.run(*compile_user, *flags, f"-Wl,-rpath,{tree / 'lib'}")
    printed = place.run("./user")
    shutil.rmtree(tree / "lib", ignore_errors=True)
    place.run("./user", fails=True)
    place.unpack(name, "libbackoff-*")
    place.run(*compile_user, f"-I{tree / 'include'}", tree / "lib/libbackoff.a")
    shutil.rmtree(tree)
    if place.run("./user") != printed:
        sys.exit("the shared and the static library differ")
    return printed


LANGUAGES = {one.__name__: one for one in (python, js, rust, go, c, command)}


def main() -> None:
    """Tries the languages that are named, or all."""
    dist, *names = sys.argv[1:]
    cases = json.loads(VECTORS.read_text())["cases"]
    (vector,) = (case for case in cases if case["id"] == "go-full")
    for name in names or LANGUAGES:
        with tempfile.TemporaryDirectory() as folder:
            printed = LANGUAGES[name](Place(Path(dist).resolve(), Path(folder)))
        if printed.split() != vector["delays"]:
            sys.exit(f"{name} printed\n{printed}")
        print(f"{name}: installed, the same delays, removed")


main()
