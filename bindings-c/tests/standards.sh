# Users' programs in every standard of C and C++, with more warnings than usual as errors, and the
# C++ wrapper with and without exceptions.
#
# Usage: standards.sh PREFIX, with the compilers in CC and CXX

prefix=$1
tests=$(dirname "$0")
. "$tests/checks.sh"

# The header must not cause a warning, even where it is no system header.
compile() { # COMPILER ARGUMENT...
  compiler=$1
  shift
  "$compiler" -O1 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual \
    -Wundef -Werror -I"$prefix/include" -I"$tests" "$@" "$prefix/lib/libbackoff.a"
}

c() { # STANDARD
  for example in retry decide; do
    compile "$CC" -std="$1" "$tests/../examples/$example.c" -o "$folder/$example" &&
      "$folder/$example" || return 1
  done
}

wrapper() { # STANDARD ARGUMENT...
  standard=$1
  shift
  for program in wrapper wrapper_loop; do
    compile "$CXX" -std="$standard" "$@" "$tests/$program.cpp" -pthread -o "$folder/$program" &&
      "$folder/$program" || return 1
  done
}

cpp() { # STANDARD
  compile "$CXX" -std="$1" "$tests/../examples/loop.cpp" -pthread -o "$folder/loop" &&
    "$folder/loop"
}

# Compilers call a standard by an older name before they have all of it.
known() { # COMPILER LANGUAGE STANDARD OLDER
  for standard in "$3" "$4"; do
    echo | "$1" -std="$standard" -fsyntax-only -x "$2" - 2> "$folder/unknown" &&
      { echo "$standard"; return; }
  done
  cat "$folder/unknown" >&2
  return 1
}

# With the warnings of this compiler, too.
check "the C++ wrapper causes no warning" \
  wrapper_compiles "$CXX" "$prefix" -std=c++11 -o "$folder/wrapper.o"
check "the C++ wrapper causes no warning without exceptions" \
  wrapper_compiles "$CXX" "$prefix" -std=c++17 -fno-exceptions -o "$folder/wrapper.o"
check "the programs of the pages in C99" pages_compile "$CC" "$prefix"
c23=$(known "$CC" c c23 c2x) && cpp23=$(known "$CXX" c++ c++23 c++2b) || exit 1
for standard in c99 c11 c17 "$c23"; do
  check "$standard" c "$standard"
done
for standard in c++11 c++14 c++17 c++20 "$cpp23"; do
  check "$standard" cpp "$standard"
  check "the wrapper in $standard" wrapper "$standard"
done
check "the wrapper without exceptions in C++11" wrapper c++11 -fno-exceptions -fno-rtti
check "the wrapper without exceptions in C++20" wrapper c++20 -fno-exceptions -fno-rtti
summary
