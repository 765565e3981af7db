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

# Every program of README.md, without flags that a reader would not know of.
readme_compiles() {
  folder=$(mktemp -d) || return 1
  awk -v folder="$folder" '
    /^```c$/ { count++; open = 1; next }
    /^```/ { open = 0 }
    open { print > (folder "/" count ".c") }
  ' "$tests/../README.md"
  status=0
  for program in "$folder"/*.c; do
    "${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" \
      "$program" || status=1
  done
  rm -r "$folder"
  return $status
}

# Where uint64_t is aligned to 4 bytes, as on i686, the structs are aligned to 8 all the same.
aligned_on_32_bits() {
  for type in params policy iter preview budget operation stats; do
    echo "_Static_assert(_Alignof(backoff_$type) == 8, \"backoff_$type\");"
  done | "${CC:-cc}" -m32 -ffreestanding -std=c11 -Werror -fsyntax-only -include "$header" -x c -
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
check "the programs of README.md in C99" readme_compiles
# Compilers for other processors do not have -m32.
if "${CC:-cc}" -m32 -ffreestanding -fsyntax-only -x c /dev/null 2>/dev/null; then
  check "the opaque structs are aligned to 8 on 32 bits" aligned_on_32_bits
fi
check "the exported symbols are those of symbols.txt" exports_the_list
check "libbackoff cannot panic" cannot_panic
check "the SONAME is the major version" has_the_soname
check "libbackoff needs only libc" needs_only_libc
echo "$passed passed, $failed failed"
test "$failed" -eq 0
