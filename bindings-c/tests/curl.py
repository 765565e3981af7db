"""Prints the compiler flags for libcurl: of the system's, or of a pinned one built from source.

Usage: curl.py BUILD_FOLDER

examples/http.c and curl.c need libcurl 7.84. Where the system has none, cargo builds the one of tests/curl.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

MANIFEST = Path(__file__).parent / "curl" / "Cargo.toml"


def system() -> str | None:
    query = ["pkg-config", "--cflags", "--libs", "libcurl >= 7.84"]
    found = subprocess.run(query, capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else None


def built(folder: str) -> str:
    # Without optimisation, which would take longer than all tests with it.
    build = ["cargo", "build", "--locked", "--quiet", "--message-format=json"]
    environment = os.environ | {"CARGO_TARGET_DIR": os.path.abspath(folder)}
    output = subprocess.run(
        [*build, "--manifest-path", str(MANIFEST)],
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    messages = [json.loads(line) for line in output.stdout.splitlines()]
    out = {
        message["package_id"].split("#")[-1].split("@")[0]: message["out_dir"]
        for message in messages
        if message["reason"] == "build-script-executed"
    }
    curl, zlib = out["curl-sys"], out["libz-sys"]
    return f"-I{curl}/include {curl}/build/libcurl.a {zlib}/lib/libz.a"


if __name__ == "__main__":
    print(system() or built(sys.argv[1]))
