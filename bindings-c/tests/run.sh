# Runs test commands, and prints the sum of the lines `N passed, N failed` with which they end.
#
# Usage: run.sh COMMAND...
#
# A command counts as one failure if it counts nothing, or exits with an error without a failure.

passed=0
failed=0
for command in "$@"; do
  output=$(sh -c "$command" 2>&1)
  status=$?
  set -- $(printf '%s\n' "$output" | sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
  own_passed=${1:-0}
  own_failed=${2:-0}
  if [ "$own_failed" -eq 0 ] && { [ "$own_passed" -eq 0 ] || [ "$status" -ne 0 ]; }; then
    own_failed=1
  fi
  passed=$((passed + own_passed))
  failed=$((failed + own_failed))
  if [ "$own_failed" -eq 0 ]; then
    echo "ok: $command ($own_passed checks)"
  else
    # Without its own summary, so that the last line of all is the only one.
    printf '%s\n' "$output" | sed '$s/^[0-9]* passed, [0-9]* failed$//'
    echo "FAILED: $command (exit code $status)"
  fi
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0
