#include <backoff.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A clock that the program sets, in place of CLOCK_MONOTONIC, and a server that succeeds at the
 * third attempt. With the second response it sends the header "Retry-After: 2". */
static uint64_t now_ns = 0;

static backoff_outcome call(int attempt, const char **header) {
  now_ns += 50 * BACKOFF_MILLISECOND;
  *header = attempt == 2 ? "2" : NULL;
  if (attempt == 1) return BACKOFF_OUTCOME_TIMEOUT;
  return attempt == 2 ? BACKOFF_OUTCOME_THROTTLED : BACKOFF_OUTCOME_SUCCESS;
}

/* Prints the reason why a string is invalid. */
static int fail(const backoff_error *error) {
  char message[BACKOFF_TEXT_SIZE];
  backoff_error_message(error, message, sizeof message, NULL);
  fprintf(stderr, "%s\n", message);
  return 1;
}

int main(void) {
  static const char policy_text[] = "full:base=100ms,cap=20s,max_retries=5,retry_after_max=1m";
  static const char budget_text[] = "aws-sdk-2026";
  backoff_policy policy;
  backoff_budget budget; /* one per server, shared by all operations that call it */
  backoff_error error;
  if (backoff_policy_parse(&policy, policy_text, sizeof policy_text - 1, &error) != BACKOFF_OK ||
      backoff_budget_parse(&budget, budget_text, sizeof budget_text - 1, &error) != BACKOFF_OK) {
    return fail(&error);
  }

  uint64_t stream;
  if (backoff_stream_from_key(42, "job-1", 5, &stream) != BACKOFF_OK) return 1;

  backoff_operation operation;
  uint64_t deadline_ns = now_ns + 30 * BACKOFF_SECOND;
  if (backoff_operation_begin(&operation, &policy, stream, now_ns, deadline_ns, &budget) !=
      BACKOFF_OK) {
    return 1;
  }
  for (int attempt = 1;; attempt++) {
    const char *header;
    backoff_outcome outcome = call(attempt, &header);
    uint64_t retry_after_ns = BACKOFF_NO_TIME;
    uint64_t unix_ns = 0; /* the time of day, which only dates need */
    if (header != NULL) { /* a header that cannot be read leaves BACKOFF_NO_TIME */
      backoff_parse_retry_after(header, strlen(header), unix_ns, &retry_after_ns);
    }
    backoff_decision decision;
    if (backoff_operation_decide(&operation, outcome, retry_after_ns, now_ns, &budget, &decision) !=
        BACKOFF_OK) {
      return 1; /* such as for an outcome of 0; `decision` is not written */
    }
    if (decision.reason != 0) {
      printf("attempt %d: stop, %s\n", attempt, backoff_reason_name(decision.reason));
      return decision.reason != BACKOFF_REASON_SUCCESS;
    }
    printf("attempt %d: %s, wait %" PRIu64 " ns\n", attempt, backoff_outcome_name(outcome),
           decision.delay_ns);
    now_ns += decision.delay_ns; /* in place of sleeping */
  }
}
