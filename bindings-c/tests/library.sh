# Checks of the installed files: the header alone, and the symbols of the shared library.
#
# Usage: library.sh PREFIX VERSION, with the compilers in CC and CXX

prefix=$1
version=$2
library=$prefix/lib/libbackoff.so
header=$prefix/include/backoff.h
tests=$(dirname "$0")
passed=0
failed=0

check() { # NAME COMMAND...
  name=$1
  shift
  if output=$("$@" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL %s\n%s\n' "$name" "$output"
  fi
}

compiles() { # COMPILER STANDARD LANGUAGE
  "$1" -std="$2" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x "$3" "$header"
}

exports_the_list() {
  nm -D --defined-only "$library" | awk '{ print $NF }' | LC_ALL=C sort | diff "$tests/symbols.txt" -
}

# Every function that could panic would link the panic machinery of Rust.
cannot_panic() {
  names=$(nm -C "$library") && case $names in
    *panicking*) echo "$names" | grep panicking; return 1 ;;
    *backoff_policy_delay_ns*) ;;
    *) echo "no symbols to search"; return 1 ;;
  esac
}

has_the_soname() {
  readelf -d "$library" | grep SONAME | grep -F "[libbackoff.so.${version%%.*}]"
}

needs_only_libc() {
  needed=$(readelf -d "$library" | grep NEEDED)
  echo "$needed"
  test "$(echo "$needed" | wc -l)" -eq 1 && echo "$needed" | grep -qF "[libc.so"
}

check "the header in C99" compiles "${CC:-cc}" c99 c
check "the header in C++11" compiles "${CXX:-c++}" c++11 c++
check "the header in C++20" compiles "${CXX:-c++}" c++20 c++
check "the exported symbols are those of symbols.txt" exports_the_list
check "libbackoff cannot panic" cannot_panic
check "the SONAME is the major version" has_the_soname
check "libbackoff needs only libc" needs_only_libc
echo "$passed passed, $failed failed"
test "$failed" -eq 0
