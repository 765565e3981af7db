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
