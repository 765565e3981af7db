# For scripts of checks: a folder for their files, `check`, and the last line that run.sh reads.

folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
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

summary() {
  echo "$passed passed, $failed failed"
  test "$failed" -eq 0
}

# Warnings that are easily caused and that some users turn on, as far as the compiler knows them.
more_warnings() { # COMPILER LANGUAGE
  for flag in -Wconversion -Wsign-conversion -Wshadow -Wuseless-cast -Weffc++ -Wcomma \
    -Wconditional-uninitialized; do
    ! echo 'int x;' | "$1" -Werror "$flag" -fsyntax-only -x "$2" - 2> "$folder/unknown" ||
      printf '%s ' "$flag"
  done
}

# Every program of the pages. A block that includes nothing only shows declarations.
pages_compile() { # COMPILER PREFIX
  awk -v folder="$folder" '
    /^```c$/ { count++; open = 1; next }
    /^```/ { open = 0 }
    open { print > (folder "/" count ".c") }
  ' "$tests/../README.md" "$tests"/../docs/*.md
  programs=$(grep -l '^#include' "$folder"/[0-9]*.c) || return 1
  status=0
  for program in $programs; do
    "$1" -std=c99 -O1 -Wall -Wextra -Wpedantic $(more_warnings "$1" c) -Werror \
      -I"$2/include" -c "$program" -o "$folder/page.o" || status=1
  done
  return $status
}

# The wrapper, in a program that defines the macros of windows.h.
wrapper_compiles() { # COMPILER PREFIX ARGUMENT...
  compiler=$1
  include=$2/include
  shift 2
  "$compiler" -Wall -Wextra -Wpedantic $(more_warnings "$compiler" c++) -Werror -I"$include" \
    -c "$tests/mixed.cpp" "$@"
}
