"""A package of Conan 2 from an installed libbackoff: conan export-pkg "$PREFIX/share/backoff/conanfile.py"."""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.files import copy


class Backoff(ConanFile):
    name = "libbackoff"
    license = "MIT OR Apache-2.0"
    url = "https://github.com/backoff-rs/backoff"
    description = "Exponential backoff with jitter: the same delays in C, C++, Rust, Go, Python and JavaScript"
    topics = ("retry", "backoff", "jitter")
    package_type = "library"
    # No files beside the recipe, which is in the installed folder.
    virtualbuildenv = virtualrunenv = False
    settings = ("os", "arch")
    options = {"shared": [True, False]}  # noqa: RUF012
    default_options = {"shared": False}  # noqa: RUF012

    def set_version(self):
        text = (Path(self.recipe_folder).parent.parent / "lib/pkgconfig/backoff.pc").read_text()
        self.version = re.search(r"^Version: (.*)$", text, re.MULTILINE)[1]

    def package(self):
        pattern = "*.a" if not self.options.shared else "libbackoff.[sd][oy]*"
        prefix, package = Path(self.build_folder).parent.parent, Path(self.package_folder)
        copy(self, pattern, prefix / "lib", package / "lib")
        copy(self, "LICENSE*", prefix, package / "licenses")
        copy(self, "*", prefix / "include", package / "include")

    def package_info(self):
        self.cpp_info.libs = ["backoff"]
        self.cpp_info.set_property("cmake_file_name", "backoff")
        self.cpp_info.set_property("cmake_target_name", "backoff::backoff")
        self.cpp_info.set_property("pkg_config_name", "backoff")
