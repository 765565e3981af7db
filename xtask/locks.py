"""Writes the lock files of npm with a package on each line, so that a difference shows a package.

npm reads them so, and writes them with a member on each line.
"""

import json
from pathlib import Path

ROOT = Path(__file__).parent.parent / "bindings-wasm"
LOCKS = [
    ROOT / folder / "package-lock.json"
    for folder in (".", "tests/everywhere", "tests/hosts/newest", "tests/hosts/oldest")
]


def with_a_package_a_line(text):
    lock = json.loads(text)
    packages = lock.pop("packages")
    members = [f"\t{shown(name)}: {shown(value)},\n" for name, value in lock.items()]
    lines = [f"\t\t{shown(path)}: {shown(package)}" for path, package in packages.items()]
    return "{\n" + "".join(members) + '\t"packages": {\n' + ",\n".join(lines) + "\n\t}\n}\n"


def shown(value):
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    for lock in LOCKS:
        lock.write_text(with_a_package_a_line(lock.read_text(encoding="utf-8")), encoding="utf-8")
