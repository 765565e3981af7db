"""Compiles floor.c into the folder of this program."""

import subprocess
import sysconfig
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Runs the C compiler."""
    output = HERE / f"floor_c{sysconfig.get_config_var('EXT_SUFFIX')}"
    include = f"-I{sysconfig.get_path('include')}"
    compiler = ["cc", "-O3", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", include]
    subprocess.run([*compiler, str(HERE / "floor.c"), "-o", str(output)], check=True)


if __name__ == "__main__":
    main()
