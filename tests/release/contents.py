"""What the packages contain of other projects, by cargo's own account.

contents.py licenses CRATE TARGET...  prints the licenses of the crates that are linked into a crate of this project
contents.py sbom FILE...              prints a bill of materials (https://cyclonedx.org/docs/1.6/json/) of these files
contents.py sums FILE...              prints their checksums as sha256sum does

Both run cargo alone, in some seconds. cargo-about and cargo-cyclonedx would be compiled for minutes, and know crates, but
not the files that we publish.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: What we license our own code under, and Rust its standard library.
BOTH = "MIT OR Apache-2.0"
MIT = "LICENSE-MIT"
LICENSE_FILE = re.compile("licen[sc]e|copying|copyright|notice|unlicense", re.IGNORECASE)
WASM = "wasm32-unknown-unknown"


def run(*command, **environment):
    environment = os.environ | environment
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment
    ).stdout


def cargo(*arguments):
    return run(os.environ.get("CARGO", "cargo"), *arguments)


def linked(package, target):
    """What is linked into a crate for a target, itself included: by (name, version) the license, as in the manifest, and
    the crates that its code calls."""
    tree = cargo(
        *("tree", "--locked", "--package", package, "--target", target),
        *("--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", "|{p}|{l}"),
    )
    return parse(tree)


def parse(tree):
    """Reads lines `DEPTH|NAME vVERSION (PATH)|LICENSE`, perhaps with ` (*)` where the dependencies were listed before."""
    crates, path = {}, []
    for line in tree.splitlines():
        depth, name, license = line.split("|")
        name, version = name.split(" ")[:2]
        this = (name, version.removeprefix("v"))
        del path[int(depth) :]
        assert len(path) == int(depth), f"cargo tree skipped a depth: {line}"
        _, dependencies = crates.setdefault(this, ("", set()))
        crates[this] = (license.removesuffix(" (*)"), dependencies)
        if path:
            crates[path[-1]][1].add(this)
        path.append(this)
    assert crates, "cargo tree printed nothing"
    return crates


def licenses(package, *targets):
    """They ask everyone who gives the package away to pass them on. Many projects have the same text, which is there
    once."""
    crates = {crate for target in targets for crate in linked(package, target)}
    texts = {mit("The Rust Project Contributors"): {"the standard library of Rust"}}
    for name, text in json.loads(os.environ.get("BACKOFF_MORE_LICENSES", "{}")).items():
        texts.setdefault(text, set()).add(name)
    metadata = json.loads(cargo("metadata", "--locked", "--format-version", "1"))
    for found in metadata["packages"]:
        # The packages of this project have no source.
        if found["source"] and (found["name"], found["version"]) in crates:
            for text in license_of(found):
                texts.setdefault(text, set()).add(f"{found['name']} {found['version']}")
    page = "This package contains code of these projects, under these licenses.\n"
    for text, names in sorted(texts.items()):
        page += f"\n{'=' * 80}\n{', '.join(sorted(names))}:\n\n{text}\n"
    return page


def license_of(package):
    """The texts of a crate: the MIT license where it offers a choice."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file())
    files = [path for path in files if LICENSE_FILE.match(path.name)]
    files = [path for path in files if path.name == MIT] or files
    if not files:
        assert package["license"] == "MIT", f"{package['name']} has no file with its license"
        return [mit(", ".join(package["authors"]))]
    return [path.read_text(encoding="utf-8").rstrip() for path in files]


def mit(authors):
    """The MIT license of other authors."""
    _, permission = (ROOT / MIT).read_text(encoding="utf-8").split("\n\nPermission", 1)
    return f"MIT License\n\nCopyright (c) {authors}\n\nPermission{permission}".strip()


def sbom(*files):
    files = sorted(map(Path, files))
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(crate["name"], crate["version"]): crate.get("checksum") for crate in lock}
    standard_version = run("rustc", "-V").split(" ")[1]
    standard = f"pkg:generic/rust-std@{standard_version}"
    artifacts, depends, crates = [], [], {}
    for file in files:
        description, package, target = described(file.name, version)
        more = {"description": description, "hashes": hashes(sha256(file))}
        artifacts.append(component("file", file.name, file.name, version) | more)
        on = []
        if package:
            new = linked(package, target)
            on = [reference(crate) for crate in new if crate[0] == package] + [standard]
            for crate, (license, dependencies) in new.items():
                # On several platforms a crate depends on the crates of all of them.
                known = crates.get(crate, ("", set()))[1]
                crates[crate] = (license, known | dependencies)
        depends.append({"ref": file.name, "dependsOn": on})
    libraries = []
    for crate, (license, dependencies) in sorted(crates.items()):
        on = [reference(dependency) for dependency in sorted(dependencies)]
        depends.append({"ref": reference(crate), "dependsOn": on})
        # Old manifests have a slash for OR.
        libraries.append(library(*crate, license.replace("/", " OR "), reference(crate)))
        if checksums.get(crate):
            libraries[-1]["hashes"] = hashes(checksums[crate])
    # Every binary contains it in part.
    libraries.append(library("rust-std", standard_version, BOTH, standard))
    form = "--date=format-local:%Y-%m-%dT%H:%M:%SZ"
    bom = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": run("git", "log", "-1", "--format=%cd", form, TZ="UTC").strip(),
            "component": component("library", "backoff", "backoff", version)
            | {"licenses": [{"expression": BOTH}], "externalReferences": [REPOSITORY]},
        },
        "components": artifacts + libraries,
        "dependencies": depends,
    }
    return json.dumps(bom, indent=2, ensure_ascii=False) + "\n"


REPOSITORY = {"type": "vcs", "url": "https://github.com/backoff-rs/backoff"}


def sums(*files):
    return "".join(f"{sha256(file)}  {file.name}\n" for file in sorted(map(Path, files)))


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def reference(crate):
    return "pkg:cargo/{}@{}".format(*crate)


def library(name, version, license, reference):
    found = component("library", reference, name, version)
    return found | {"licenses": [{"expression": license}], "purl": reference}


def component(kind, reference, name, version):
    return {"type": kind, "bom-ref": reference, "name": name, "version": version}


def hashes(digits):
    return [{"alg": "SHA-256", "content": digits}]


#: The files without binaries.
SOURCES = {
    r"backoff_rs-.*\.tar\.gz": "The source of the Python package, with the Cargo.lock that it is built with",
    r".*\.crate": "The source of a crate: cargo chooses its dependencies where it is built",
    r"backoff-go-adapter-.*\.zip": "The source of a Go module, which needs those in its go.mod",
    r".*\.zip": "The source of the Go module, which needs the standard library of Go only",
}
#: What the name of a wheel has, and Rust's name of the platform.
WHEELS = {
    r".*manylinux.*x86_64.*": "x86_64-unknown-linux-gnu",
    r".*manylinux.*aarch64.*": "aarch64-unknown-linux-gnu",
    r".*musllinux.*x86_64.*": "x86_64-unknown-linux-musl",
    r".*musllinux.*aarch64.*": "aarch64-unknown-linux-musl",
    r".*macosx.*x86_64.*": "x86_64-apple-darwin",
    r".*macosx.*arm64.*": "aarch64-apple-darwin",
    r".*win.*amd64.*": "x86_64-pc-windows-gnu",
}


def described(file, version):
    """What the file with this name contains: in one sentence, the crate that was compiled, if any, and for which target."""
    if archive := re.fullmatch(rf"(lib)?backoff-{re.escape(version)}-(.*)\.tar\.gz", file):
        is_library, target = archive.groups()
        if is_library:
            return f"The C library for {target}", "bindings-c", target
        return f"The command for {target}", "backoff-cli", target
    for pattern, description in SOURCES.items():
        if re.fullmatch(pattern, file):
            return description, None, None
    if file.endswith(".tgz"):
        what = "An npm package, which needs no other package,"
        return f"{what} for {WASM}", "bindings-wasm", WASM
    if file.endswith(".whl"):
        target = next(name for pattern, name in WHEELS.items() if re.fullmatch(pattern, file))
        what = "A wheel, which needs no other package,"
        return f"{what} for {target}", "bindings-python", target
    sys.exit(f"error: the SBOM does not know what {file} contains")


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    sys.stdout.write({"licenses": licenses, "sbom": sbom, "sums": sums}[verb](*arguments))
