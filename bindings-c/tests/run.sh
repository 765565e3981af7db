# Runs commands whose last line is `N passed, N failed`, and prints the sum of these lines.
#
# Usage: run.sh COMMAND...
#
# A command that fails without counting a failure, or that counts nothing, is one failure.

passed=0
failed=0
for command in "$@"; do
  name=$(basename "${command%% *}")
  test "$name" = sh || test "$name" = "${name#python}" || name=examples
  test "$name" = sh && name=library
  output=$(sh -c "$command" 2>&1)
  status=$?
  counts=$(printf '%s\n' "$output" | sed -n '$s/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p')
  count_passed=${counts% *}
  count_failed=${counts#* }
  : "${count_passed:=0}" "${count_failed:=0}"
  if [ $((count_passed + count_failed)) -eq 0 ] || { [ $status -ne 0 ] && [ "$count_failed" -eq 0 ]; }; then
    count_failed=1
  fi
  passed=$((passed + count_passed))
  failed=$((failed + count_failed))
  if [ "$count_failed" -gt 0 ]; then
    printf 'FAILED: %s (exit code %s)\n%s\n' "$command" "$status" "$(printf '%s\n' "$output" | sed '$s/,/ and/')"
  else
    printf 'ok: %s, %s checks\n' "$name" "$count_passed"
  fi
done
printf '%s passed, %s failed\n' "$passed" "$failed"
test "$failed" -eq 0
