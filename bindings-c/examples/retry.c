/* Delays one after another, from an iterator. The loop and the waiting are the program's own. */

#include <backoff.h>
#include <inttypes.h>
#include <stdio.h>

/* A job that succeeds at the fifth attempt. */
static int job(int attempt) { return attempt == 5; }

int main(void) {
  backoff_params params = BACKOFF_PARAMS_INIT;
  if (backoff_params_set(&params, BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_EXPONENTIAL) != BACKOFF_OK ||
      backoff_params_set(&params, BACKOFF_FIELD_BASE, 100 * BACKOFF_MILLISECOND) != BACKOFF_OK ||
      backoff_params_set(&params, BACKOFF_FIELD_CAP, 20 * BACKOFF_SECOND) != BACKOFF_OK ||
      backoff_params_set(&params, BACKOFF_FIELD_JITTER, BACKOFF_JITTER_FULL) != BACKOFF_OK) {
    return 1;
  }

  backoff_policy policy;
  backoff_error error;
  if (backoff_policy_init(&policy, &params, &error) != BACKOFF_OK) {
    char message[BACKOFF_TEXT_SIZE];
    backoff_error_message(&error, message, sizeof message, NULL);
    fprintf(stderr, "%s\n", message);
    return 1;
  }

  /* Each job has its own key; otherwise all jobs would retry in lockstep. */
  uint64_t stream;
  if (backoff_stream_from_key(42, "job-1", 5, &stream) != BACKOFF_OK) return 1;

  backoff_iter retries;
  if (backoff_iter_init(&retries, &policy, stream) != BACKOFF_OK) return 1;
  for (int attempt = 1; !job(attempt); attempt++) {
    uint64_t delay_ns;
    if (backoff_iter_next_ns(&retries, &delay_ns) != BACKOFF_OK) return 1;
    printf("attempt %d failed, wait %" PRIu64 " ns\n", attempt, delay_ns);
  }
  printf("done\n");
  return 0;
}
