/* A main loop without an operating system and without a libc. It connects to a server that answers the third time. A
 * wait is a time at which to try again, and the loop does its other work meanwhile. docs/embedded.md compiles it. */

#include "board.h"

#include <backoff.h>
#include <stddef.h>

/* A time that never goes back. Call it at least once in 49 days. */
static uint64_t now(void) {
  static uint64_t total_ms;
  total_ms += (uint32_t)(board_ticks_ms() - (uint32_t)total_ms);
  return total_ms * BACKOFF_MILLISECOND;
}

static void print_number(uint64_t number) {
  char text[21], *at = text + sizeof text - 1;
  *at = '\0';
  do {
    *--at = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  board_print(at);
}

static backoff_outcome connect(void) {
  static int calls;
  return ++calls < 3 ? BACKOFF_OUTCOME_TRANSIENT : BACKOFF_OUTCOME_SUCCESS;
}

/* Decides what follows an attempt, and when. */
static backoff_reason end_attempt(backoff_operation *operation, backoff_outcome outcome, uint64_t *due_ns) {
  backoff_decision decision;
  uint64_t now_ns = now();
  if (backoff_operation_decide(operation, outcome, BACKOFF_NO_TIME, now_ns, NULL, &decision) != BACKOFF_OK) {
    return BACKOFF_REASON_PERMANENT;
  }
  board_print(backoff_outcome_name(outcome));
  if (decision.reason == BACKOFF_REASON_NONE) {
    board_print(", wait ");
    print_number(decision.delay_ns);
    board_print(" ns");
  }
  board_print("\n");
  *due_ns = now_ns + decision.delay_ns;
  return decision.reason;
}

int main(void) {
  static const char text[] = "full:base=100ms,cap=20s,max_retries=4";
  /* A key that no other device has, or a fleet retries in step. */
  static const char chip[] = "job-1";
  backoff_policy policy;
  backoff_operation operation;
  backoff_reason reason = BACKOFF_REASON_NONE;
  uint64_t stream, due_ns = now();
  if (backoff_policy_parse(&policy, text, sizeof text - 1, NULL) != BACKOFF_OK ||
      backoff_stream_from_key(42, chip, sizeof chip - 1, &stream) != BACKOFF_OK ||
      backoff_operation_begin(&operation, &policy, stream, due_ns, BACKOFF_NO_TIME, NULL) != BACKOFF_OK) {
    return 1;
  }
  while (reason == BACKOFF_REASON_NONE) {
    if (now() >= due_ns) reason = end_attempt(&operation, connect(), &due_ns);
    board_idle(); /* or other work */
  }
  return reason != BACKOFF_REASON_SUCCESS;
}
