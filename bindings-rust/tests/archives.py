"""Checks the archives of the crates: what they contain, and what registries and docs.rs show of them.

The variable BACKOFF_CRATES is JSON, by the name of each crate the folder of its source and its archive.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: The files of every crate beside its source, the last three by cargo.
FILES = {"Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"}
FILES |= {".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml.orig"}
#: What the command has in addition: the schema of its output, the requests of `backoff verify`, and the presets for a test.
MORE = {"backoff-cli": {"schema.json", "vectors/presets.json", "vectors/requests.jsonl"}}
KEYS = (
    "description license repository homepage documentation readme keywords categories rust-version"
)


def checks(name, folder, archive):
    """What is checked of a crate, and what is wrong with it."""
    with tarfile.open(archive) as packed:
        top = f"{Path(archive).stem}/"
        files = {file.name.removeprefix(top): packed.extractfile(file).read() for file in packed}
    listed = subprocess.check_output(
        ["git", "ls-files", "src", "docs"], cwd=ROOT / folder, text=True
    )
    expected = {*listed.splitlines(), *FILES, *MORE.get(name, ())}
    yield "it contains its source, its licenses and no more", sorted(files.keys() ^ expected)

    manifest = tomllib.loads(files["Cargo.toml"].decode())
    package = manifest["package"]
    shown = {*package, *package.get("metadata", {}).get("docs", {}).get("rs", {})}
    yield "what the registry and docs.rs show", sorted({*KEYS.split(" "), "targets"} - shown)

    features = manifest.get("features", {})
    declared = {(one, one in features.get("default", ())) for one in features if one != "default"}
    _, _, section = files["README.md"].decode().partition("\n## Features\n")
    rows = re.findall(r"^\| `(.*?)` \| (yes \|)?", section.partition("\n## ")[0], re.MULTILINE)
    documented = {(one, bool(default)) for one, default in rows}
    yield "its page lists its features, and those that are on", sorted(documented ^ declared)


def main():
    counts = [0, 0]
    for name, crate in json.loads(os.environ["BACKOFF_CRATES"]).items():
        for what, wrong in checks(name, **crate):
            counts[bool(wrong)] += 1
            if wrong:
                print(f"{name}: {what}: {wrong}")
    print("{} passed, {} failed".format(*counts))
    sys.exit(counts[1] > 0)


if __name__ == "__main__":
    main()
