"""The library on every platform, with other compilers and tools: what only a release needs. `cargo xtask test --all c` runs
it."""

import os
import subprocess
from pathlib import Path

import installation
import pytest
from installation import FOLDER, GIVEN, PREFIX, ran, run

STANDARDS = "compilers, C99 to C23 and C++11 to C++23"
#: wine 8 lacks a DLL that Windows has since version 10.
BCRYPTPRIMITIVES = """
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T count);
BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T count) { return RtlGenRandom(to, (ULONG)count); }
"""
#: Debian's qemu-user-static, with the C library of libc6-arm64-cross.
QEMU = ("qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu")
#: A platform, how docs/compatibility.md shows it, what runs its programs, and whether this has a loader for the shared
#: library.
PLATFORMS = [
    ("x86_64-unknown-linux-gnu.2.17", "x86_64-unknown-linux-gnu", (), True),
    ("aarch64-unknown-linux-gnu.2.17", "aarch64-unknown-linux-gnu (qemu)", QEMU, True),
    ("x86_64-unknown-linux-musl", "x86_64-unknown-linux-musl (static)", (), False),
    ("aarch64-unknown-linux-musl", "aarch64-unknown-linux-musl (qemu, static)", QEMU, False),
]
WINDOWS = "x86_64-pc-windows-gnu"


def test_an_old_cmake(tmp_path):
    installation.cmake_versions(GIVEN["old_cmake"], tmp_path / "versions")
    version = installation.with_cmake(GIVEN["old_cmake"], tmp_path / "build")
    ran("build systems", "CMake (oldest)", version)


@pytest.mark.parametrize("is_shared", [True, False])
def test_a_package_of_conan(is_shared, tmp_path):
    conan, recipe = GIVEN["conan"], PREFIX / "share/backoff/conanfile.py"
    env = {"CONAN_HOME": str(tmp_path / "home")}
    version = run("pkg-config", "--modversion", PREFIX / "lib/pkgconfig/backoff.pc").strip()
    options = ("-o", f"libbackoff/*:shared={is_shared}")
    (tmp_path / "conanfile.txt").write_text(
        f"[requires]\nlibbackoff/{version}\n[generators]\nCMakeDeps\nCMakeToolchain\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.15)
project(retry LANGUAGES C)
find_package(backoff REQUIRED)
add_executable(retry "{FOLDER}/examples/retry.c")
target_link_libraries(retry PRIVATE backoff::backoff)
""")
    toolchain = "-DCMAKE_TOOLCHAIN_FILE=build/conan_toolchain.cmake"
    cmake = GIVEN["tools"] + "/cmake"
    for command in (
        (conan, "profile", "detect"),
        (conan, "export-pkg", recipe, *options),
        (conan, "install", ".", *options, "--output-folder=build"),
        (cmake, "-S", ".", "-B", "build", toolchain, "-DCMAKE_BUILD_TYPE=Release"),
        (cmake, "--build", "build"),
    ):
        run(*command, cwd=tmp_path, env=env)
    assert run(tmp_path / "build/retry").endswith("done\n")
    dynamic = run("readelf", "-d", tmp_path / "build/retry")
    assert ("[libbackoff.so." in dynamic) == is_shared


@pytest.mark.parametrize(("cc", "cxx"), [("gcc", "g++"), ("clang", "clang++")])
def test_every_standard(cc, cxx):
    run(
        "make",
        "--no-print-directory",
        *GIVEN["make"],
        "standards",
        f"CC={cc}",
        f"CXX={cxx}",
        cwd=FOLDER,
    )
    ran(STANDARDS, cc, run(cc, "-dumpfullversion", "-dumpversion").splitlines()[0])


def test_a_static_program(tmp_path):
    library, include = PREFIX / "lib/libbackoff.a", PREFIX / "include"
    installation.answers(
        installation.evaluator(tmp_path / "static", library, include, ["cc"], "-static")
    )
    ran(STANDARDS, "gcc -static")


@pytest.mark.parametrize("tool", ["helgrind", "drd"])
def test_valgrind_reports_nothing_of_ours(tool, tmp_path):
    """With the installed suppressions, much without, and the races of the program with both."""
    suppressions = f"--suppressions={PREFIX}/share/backoff/valgrind.supp"
    for library in (PREFIX / "lib/libbackoff.so", PREFIX / "lib/libbackoff.a"):
        program = tmp_path / "valgrind"
        run(
            *("cc", "-std=c99", "-g", "-O1", "-pthread", f"-I{PREFIX}/include"),
            *(FOLDER / "tests/valgrind.c", library, "-o", program),
        )

        def reports(*options, race=(), program=program):
            valgrind = ["valgrind", "--quiet", "--error-exitcode=9", f"--tool={tool}"]
            environment = os.environ | {"LD_LIBRARY_PATH": f"{PREFIX}/lib"}
            command = [*valgrind, *options, program, *race]
            return subprocess.run(command, capture_output=True, env=environment).returncode != 0

        assert not reports(suppressions)
        assert reports(), "the suppressions are not needed"
        assert reports(suppressions, race=["race"]), "a race of the program is not reported"
    ran("checked by", tool, run("valgrind", "--version").strip().removeprefix("valgrind-"))


def unpacked(platform, folder):
    """The published archive of a platform, and its C compiler."""
    given = GIVEN["platforms"][platform]
    run("tar", "--strip-components=1", "-xzf", given["archive"], "-C", folder)
    os.environ.update(given["cc"]["environment"])
    return given["cc"]["program"]


@pytest.mark.parametrize(("platform", "shown", "runner", "has_loader"), PLATFORMS)
def test_the_vectors_on_a_platform(platform, shown, runner, has_loader, tmp_path):
    cc, lib = unpacked(platform, tmp_path), tmp_path / "lib"

    def compiled(name, library):
        return installation.evaluator(tmp_path / name, lib / library, tmp_path / "include", cc)

    installation.answers(*runner, compiled("static", "libbackoff.a"))
    # If no loader of this platform is on the machine, linking alone shows that every symbol is there.
    program = compiled("shared", "libbackoff.so")
    if has_loader:
        path = {"LD_LIBRARY_PATH": str(lib)}
        in_qemu = {"QEMU_SET_ENV": f"LD_LIBRARY_PATH={lib}"}
        installation.answers(*runner, program, env=in_qemu if runner else path)
    ran("platforms", shown)


def test_the_vectors_on_windows(tmp_path):
    cc, bin = unpacked(WINDOWS, tmp_path), tmp_path / "bin"
    import_library, include = tmp_path / "lib/libbackoff.dll.a", tmp_path / "include"
    program = installation.evaluator(bin / "shared.exe", import_library, include, cc)
    source = tmp_path / "bcryptprimitives.c"
    source.write_text(BCRYPTPRIMITIVES)
    run(*cc, "-shared", source, "-o", bin / "bcryptprimitives.dll", "-ladvapi32")
    environment = {"WINEDEBUG": "-all", "WINEPREFIX": str(tmp_path / "wine")}
    installation.answers("wine", program, cwd=bin, env=environment)
    ran("platforms", f"{WINDOWS} (wine)")


def test_cargo_c_installs_the_same_files(tmp_path):
    """With `cargo cinstall` distributions install libraries in Rust."""
    install = [GIVEN["cargo_c"]["program"], "cinstall", "--locked"]
    place = ["--prefix", "/usr", "--libdir", "lib", "--destdir", tmp_path]
    run(*install, *place, cwd=FOLDER, env={"CARGO_TARGET_DIR": GIVEN["cargo_c"]["target"]})
    usr = tmp_path / "usr"
    # The manual is made by `cargo xtask install`.
    assert files(usr) == {path for path in files(PREFIX) if path.parts[:2] != ("share", "man")}
    for name in ("backoff-config.cmake", "backoff-config-version.cmake"):
        path = Path("lib/cmake/backoff") / name
        assert (usr / path).read_bytes() == (PREFIX / path).read_bytes()
    library, program = usr / "lib/libbackoff.so", tmp_path / "retry"
    run("cc", FOLDER / "examples/retry.c", f"-I{usr}/include", library, "-o", program)
    assert run(program, env={"LD_LIBRARY_PATH": str(usr / "lib")}).endswith("done\n")
    ran("build systems", "cargo-c", GIVEN["cargo_c"]["version"])


def files(folder):
    """The installed files, links included."""
    paths = folder.rglob("*")
    return {path.relative_to(folder) for path in paths if path.is_symlink() or not path.is_dir()}
