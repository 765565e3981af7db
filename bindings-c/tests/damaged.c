/* A budget whose lock nobody frees, as in a copy, or somebody frees late: each call waits, and says so when the wait
 * ends. calls.py checks locks that have no value of one. */

#include <backoff.h>

#include <sched.h>
#include <time.h>

#include "check.h"

static backoff_budget budget, before;
static backoff_policy policy;
static uint64_t yields, sleeps, free_after;
static size_t lock; /* the place of the lock */

/* What the library calls while it waits. It takes no time here, and can free the lock. */
static int paused(void) {
  if (yields + sleeps == free_after) budget.opaque[lock] = 0;
  return 0;
}

int sched_yield(void) {
  yields++;
  return paused();
}

int nanosleep(const struct timespec *time, struct timespec *rest) {
  check_true("a sleep", "it is of a millisecond",
             time->tv_sec == 0 && time->tv_nsec == 1000000 && rest == NULL);
  sleeps++;
  return paused();
}

static uint32_t begin(void) {
  backoff_operation operation;
  return backoff_operation_begin(&operation, &policy, 1, 0, BACKOFF_NO_TIME, &budget);
}

static void find_lock(void) {
  for (size_t i = 1; i < LENGTH(budget.opaque) && lock == 0; i++) {
    budget.opaque[i] = 2;
    if (begin() == BACKOFF_ERROR_DAMAGED) lock = i;
    budget = before;
  }
  check_true("the lock", "it is there", lock > 0);
}

static void check_held(void) {
  char text[BACKOFF_TEXT_SIZE];
  budget.opaque[lock] = 1;
  check_number("a lock that is held", "code", begin(), BACKOFF_ERROR_DAMAGED);
  /* Long for a thread that was only preempted. */
  check_number("a lock that is held", "yields", yields, 1000);
  check_number("a lock that is held", "milliseconds", sleeps, 5000);
  check_number("a lock that is held", "code of the next call",
               backoff_budget_print(&budget, text, sizeof text, NULL), BACKOFF_ERROR_DAMAGED);
  check_number("a lock that is held", "pauses in all", yields + sleeps, 6000);
}

static void check_freed(void) {
  /* The last is after the last look. */
  static const uint64_t pauses[] = {1, 1000, 1001, 6000};
  for (size_t i = 0; i < LENGTH(pauses); i++) {
    budget = before;
    budget.opaque[lock] = 1;
    yields = sleeps = 0;
    free_after = pauses[i];
    check_number("a lock that is freed", "code", begin(), BACKOFF_OK);
    check_number("a lock that is freed", "pauses", yields + sleeps, free_after);
  }
}

int main(void) {
  check_number("the policy", "code", backoff_policy_parse(&policy, "none", 4, NULL), BACKOFF_OK);
  check_number("the budget", "code", backoff_budget_parse(&before, "quota", 5, NULL), BACKOFF_OK);
  budget = before;
  find_lock();
  check_held();
  check_freed();
  return check_end();
}
