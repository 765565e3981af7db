/* Threads that share a budget and stats, for helgrind and drd. With an argument, the attempts also
 * count themselves without a lock, which is a race. */

#include <backoff.h>

#include <pthread.h>
#include <stddef.h>

#define THREADS 4
/* More for a tool that sees only what happens. */
#ifndef LOOPS
#define LOOPS 50
#endif

static backoff_budget budget;
static backoff_stats stats;
static backoff_policy policy;
static unsigned long attempts;

static backoff_outcome attempt(void *counts, uint64_t *retry_after_ns) {
  (void)retry_after_ns;
  if (counts != NULL) ++*(unsigned long *)counts;
  return BACKOFF_OUTCOME_TRANSIENT;
}

static uint64_t now(void *counts) { return (void)counts, 0; }

static uint32_t wait_for(void *counts, uint64_t delay_ns) {
  (void)counts, (void)delay_ns;
  return 0;
}

static void *work(void *counts) {
  const backoff_loop loop = {.attempt = attempt, .now = now, .wait = wait_for,
                             .policy = &policy, .budget = &budget, .stats = &stats};
  for (uint64_t stream = 0; stream < LOOPS; stream++) {
    backoff_loop_event end;
    if (backoff_retry(&loop, stream, counts, &end) != BACKOFF_OK) return &budget;
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  int failed = 0;
  (void)argv;
  if (backoff_policy_parse(&policy, "default", 7, NULL) != BACKOFF_OK ||
      backoff_budget_parse(&budget, "ratio", 5, NULL) != BACKOFF_OK ||
      backoff_stats_init(&stats) != BACKOFF_OK) {
    return 1;
  }
  for (int i = 0; i < THREADS; i++) {
    failed |= pthread_create(&threads[i], NULL, work, argc > 1 ? &attempts : NULL);
  }
  for (int i = 0; i < THREADS; i++) {
    void *wrong;
    failed |= pthread_join(threads[i], &wrong) != 0 || wrong != NULL;
  }
  return failed;
}
