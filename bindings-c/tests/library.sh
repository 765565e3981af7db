# Checks of the installed files: the header alone, the symbols of the libraries, and what can be
# linked with the static library.
#
# Usage: library.sh PREFIX VERSION, with the compilers in CC and CXX

prefix=$1
version=$2
# Before 1.0 each minor version may break the ABI, as the package of CMake says.
case $version in
  0.*) so_version=${version%.*} ;;
  *) so_version=${version%%.*} ;;
esac
library=$prefix/lib/libbackoff.so
archive=$prefix/lib/libbackoff.a
header=$prefix/include/backoff.h
tests=$(dirname "$0")
. "$tests/checks.sh"

compiles() { # COMPILER STANDARD LANGUAGE
  "$1" -std="$2" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x "$3" "$header"
}

# What the C++ wrapper leaves to `raw`: members of shared budgets, and what is for other languages. Its
# loop is its own.
wrapper_has_all() {
  grep -oE '\bbackoff_[a-z_]+\(' "$header" | tr -d '(' | sort -u | while read -r name; do
    case $name in
      backoff_budget_member_* | backoff_constant* | backoff_error_message_with) continue ;;
      backoff_retry | backoff_version | backoff_field_name) continue ;;
    esac
    grep -q "\b$name\b" "${header}pp" || echo "$name"
  done > "$folder/without"
  cat "$folder/without"
  test ! -s "$folder/without"
}

# A result that nobody reads is a mistake.
results_are_read() {
  echo '#include <backoff.hpp>
    int main() { backoff::policy::parse("none"); }' > "$folder/unread.cpp"
  ! "${CXX:-c++}" -std=c++17 -Werror -fsyntax-only -I"$prefix/include" "$folder/unread.cpp" \
    2> "$folder/warning" && grep 'unused-result' "$folder/warning"
}

# The message of the compiler says what an attempt returns.
attempts_return_outcomes() {
  echo '#include <backoff.hpp>
    int main() {
      (void)backoff::retry(backoff::policy::parse("off").value(), [] { return 503; });
    }' > "$folder/attempt.cpp"
  ! "${CXX:-c++}" -std=c++11 -fsyntax-only -I"$prefix/include" "$folder/attempt.cpp" \
    2> "$folder/error" && grep 'an attempt returns a backoff::outcome' "$folder/error"
}

# Also for an attempt without a value, or with a reference.
attempts_have_values() {
  for type in void 'int &'; do
    echo "#include <backoff.hpp>
      backoff::attempt<$type> fetch() { return backoff::outcome::success; }" > "$folder/attempt.cpp"
    ! "${CXX:-c++}" -std=c++11 -fsyntax-only -I"$prefix/include" "$folder/attempt.cpp" \
      2> "$folder/error" && grep 'an attempt without a value returns' "$folder/error" || return 1
  done
}

# With hidden symbols, libc++ takes a type of a library and that of the program for two. The compiler makes
# the symbol of a type that is thrown.
exceptions_are_visible() {
  echo '#include <backoff.hpp>
    void fail() { throw backoff::exception(backoff::error()); }
    void give_up() { throw backoff::retry_error(backoff::event()); }' > "$folder/thrown.cpp"
  "${CXX:-c++}" -std=c++11 -fvisibility=hidden -I"$prefix/include" -c "$folder/thrown.cpp" \
    -o "$folder/thrown.o" || return 1
  readelf --wide --symbols "$folder/thrown.o" | grep '_ZTIN7backoff' | tee "$folder/types"
  test "$(grep -c ' DEFAULT .*\(9exception\|11retry_error\)E$' "$folder/types")" -eq 2
}

# One program from code with exceptions and code without, whose inline functions are not inlined.
modes_do_not_mix() {
  wrapper_compiles "${CXX:-c++}" "$prefix" -O0 -fno-exceptions -o "$folder/aborting.o" &&
    wrapper_compiles "${CXX:-c++}" "$prefix" -O0 -o "$folder/throwing.o" &&
    "${CXX:-c++}" "$folder/aborting.o" "$folder/throwing.o" "$archive" -o "$folder/mixed" &&
    "$folder/mixed"
}

# The program of the last check. The abort is the end of a process of its own.
aborts_with_the_message() {
  (ulimit -c 0; "$folder/mixed" wrong) > "$folder/aborted" 2>&1
  status=$?
  grep '^at 0: unknown name "wrong"; ' "$folder/aborted" && test "$status" -eq 134
}

is_the_list() { # SED: what it does to NAME@@NODE
  LC_ALL=C sort > "$folder/found" && awk '/^BACKOFF_/ { node = $1 } /^ *backoff_.*;$/ {
    sub(";", ""); print $1 "@@" node }' "$tests/../symbols.map" | sed "$1" | LC_ALL=C sort |
    diff - "$folder/found"
}

exports_the_list() {
  nm -D --defined-only "$library" | awk '$2 == "T" { print $3 }' | is_the_list ""
}

# A program asks for the version with which it was linked.
asks_for_the_version() {
  compile "$tests/../examples/retry.c" -D_POSIX_C_SOURCE=200112L -o "$folder/versioned" \
    "$library" && readelf -V "$folder/versioned" | grep -A1 'File: libbackoff' |
    grep "Name: BACKOFF_$so_version "
}

# Any other name could clash with one of the program or of another library made with Rust.
defines_the_list() {
  nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | is_the_list 's/@.*//'
}

compile() { # ARGUMENT...
  "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -I"$prefix/include" "$@"
}

whole_archive_runs() {
  compile -D_POSIX_C_SOURCE=200112L "$tests/../examples/retry.c" -o "$folder/whole" \
    -Wl,--whole-archive "$archive" -Wl,--no-whole-archive && "$folder/whole"
}

# Two plugins in one process. Programs load them with RTLD_NOW, which finds every symbol at once;
# with lazy binding, or without -z defs, a missing one would only be seen when it is called.
plugins_load() {
  compile -shared -fPIC -Wl,-z,defs "$tests/plugin.c" "$archive" -o "$folder/plugin.so" &&
    compile -shared -fPIC "$tests/plugin.c" -o "$folder/whole-plugin.so" \
      -Wl,--whole-archive "$archive" -Wl,--no-whole-archive &&
    compile "$tests/load.c" -o "$folder/load" -ldl &&
    "$folder/load" "$folder/plugin.so" "$folder/whole-plugin.so"
}

# Or two plugins with different versions of libbackoff inside would call each other's.
plugins_export_only_their_own() {
  for plugin in "$folder/plugin.so" "$folder/whole-plugin.so"; do
    exported=$(nm -D --defined-only "$plugin" | awk '{ print $NF }') &&
      { test "$exported" = first_delay || { echo "$plugin exports $exported"; return 1; }; }
  done
}

# The linker drops the functions that a program does not call.
text_size() { # ARGUMENT...
  compile -Os "$@" -o "$folder/sized" && set -- $(size -A "$folder/sized" | grep '^\.text ') &&
    echo "$2"
}

sections_can_be_dropped() {
  echo '#include <backoff.h>
    int main(void) { return (int)backoff_version(); }' > "$folder/small.c"
  small=$(text_size -Wl,--gc-sections "$folder/small.c" "$archive") || return 1
  large=$(text_size "$folder/small.c" "$archive") || return 1
  echo "$small bytes with --gc-sections, $large without"
  test "$small" -lt 1024 && test "$large" -gt 16384
}

# A panic ends in `abort`, and nothing else calls it. `cargo xtask harden panics` says which functions do.
cannot_panic() {
  needed=$(nm -D --undefined-only "$library") && case $needed in
    *" abort"*) echo "$needed"; return 1 ;;
    *memcpy*) ;;
    *) echo "no symbols to search"; return 1 ;;
  esac
}

has_the_soname() {
  readelf -d "$library" | grep SONAME | grep -F "[libbackoff.so.$so_version]"
}

needs_only_libc() {
  needed=$(readelf -d "$library" | grep NEEDED)
  echo "$needed"
  test "$(echo "$needed" | wc -l)" -eq 1 && echo "$needed" | grep -qF "[libc.so"
}

# Rust itself needs 2.17. Some processors have no glibc before it.
needs_only_an_old_libc() {
  versions=$(readelf -V "$library" | grep -o 'GLIBC_[0-9.]*' | sort -u) || return 1
  for version in $versions; do
    newest=$(printf '%s\n' "$version" GLIBC_2.17 | sort -V | tail -1)
    test "$newest" = GLIBC_2.17 || { echo "$versions"; return 1; }
  done
}

check "the header in C99" compiles "${CC:-cc}" c99 c
check "the header in C++11" compiles "${CXX:-c++}" c++11 c++
check "the header in C++20" compiles "${CXX:-c++}" c++20 c++
check "the C++ wrapper causes no warning" \
  wrapper_compiles "${CXX:-c++}" "$prefix" -std=c++11 -o "$folder/wrapper.o"
check "the C++ wrapper has all functions" wrapper_has_all
check "a result that nobody reads causes a warning" results_are_read
check "an attempt that returns a number does not compile" attempts_return_outcomes
check "an attempt without a value does not compile" attempts_have_values
check "the exceptions of a library can be caught by their types" exceptions_are_visible
check "code with and without exceptions stays apart" modes_do_not_mix
check "an error without exceptions is printed" aborts_with_the_message
check "the programs of the pages in C99" pages_compile "${CC:-cc}" "$prefix"
check "the exported symbols and their versions are those of symbols.map" exports_the_list
check "a program asks for the version of the symbols" asks_for_the_version
check "the global symbols of the archive are those of symbols.map" defines_the_list
check "a program with the whole archive runs" whole_archive_runs
check "plugins with the archive inside load" plugins_load
check "plugins with the archive inside export none of it" plugins_export_only_their_own
check "a program need not keep all of the archive" sections_can_be_dropped
check "libbackoff cannot panic" cannot_panic
check "the SONAME is the version, as far as it is compatible" has_the_soname
check "libbackoff needs only libc" needs_only_libc
check "libbackoff needs no glibc after 2.17" needs_only_an_old_libc
summary
