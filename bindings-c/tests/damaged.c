/* A budget whose lock is damaged, or held by nobody: every function that takes it says so at once,
 * or after a wait that ends, and changes nothing. */

#include <sched.h>
#include <time.h>

#include "memory.h"

static uint64_t yields, sleeps, free_after;
static size_t lock; /* the place of the lock */

/* What the library calls while it waits. It takes no time here, and can free the lock. */
static int paused(void) {
  if (yields + sleeps == free_after) memory.budget.opaque[lock] = 0;
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

static void find_lock(void) {
  size_t found = 0;
  for (size_t i = 1; i < LENGTH(memory.budget.opaque); i++) {
    backoff_budget budget = memory.budget;
    backoff_operation operation;
    budget.opaque[i] = 2;
    if (backoff_operation_begin(&operation, &memory.policy, 1, 0, BACKOFF_NONE, &budget) ==
        BACKOFF_DAMAGED) {
      lock = i;
      found++;
    }
  }
  check_number("the lock", "number of words", found, 1);
}

#define IS_DAMAGED(call) FAILS(BACKOFF_DAMAGED, call)

static void check_damaged(void) {
  backoff_operation operation = memory.operation;
  IS_DAMAGED(backoff_budget_print(&memory.budget, memory.text, sizeof memory.text));
  IS_DAMAGED(backoff_budget_get(&memory.budget, BACKOFF_FIELD_BUDGET, &memory.numbers[1]));
  IS_DAMAGED(backoff_budget_get_ratio(&memory.budget, BACKOFF_FIELD_RATIO, &memory.numerator,
                                      &memory.denominator));
  IS_DAMAGED(backoff_operation_begin(&memory.operation, &memory.policy, 1, 0, 1, &memory.budget));
  for (uint32_t outcome = BACKOFF_OUTCOME_SUCCESS; outcome <= BACKOFF_OUTCOME_PERMANENT;
       outcome++) {
    IS_DAMAGED(backoff_operation_decide(&memory.operation, outcome, BACKOFF_NONE, 0,
                                        &memory.budget, &memory.decision));
  }
  IS_DAMAGED(backoff_operation_cancel(&memory.operation, &memory.budget, &memory.numerator));
  IS_DAMAGED(
      backoff_operation_refuse_retry(&memory.operation, &memory.budget, &memory.numerator));
  IS_DAMAGED(backoff_budget_state_full(&memory.state, &memory.budget));
  IS_DAMAGED(backoff_budget_state_parse(&memory.state, &memory.budget, TEXT("0 2")));
  IS_DAMAGED(run_loop(&memory.policy, &memory.budget, &memory.stats));
  check_true("a damaged budget", "the operation is as before",
             memcmp(&operation, &memory.operation, sizeof operation) == 0);
}

static void check_locks(void) {
  static const uint64_t locks[] = {2,
                                   3,
                                   255,
                                   256,
                                   UINT64_C(1) << 32,
                                   (UINT64_C(1) << 32) + 1,
                                   UINT64_C(1) << 63,
                                   UINT64_C(0x0101010101010101),
                                   UINT64_MAX};
  for (size_t i = 0; i < LENGTH(locks); i++) {
    yields = 0;
    memory.budget.opaque[lock] = locks[i];
    check_damaged();
    check_number("a lock of no value", "calls of sched_yield", yields, 0);
  }
  /* Only the lock was wrong. */
  memory.budget.opaque[lock] = 0;
  for (int granted = 0; granted < 2; granted++) {
    SUCCEEDS(backoff_operation_decide(&memory.operation, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE,
                                      0, &memory.budget, &memory.decision));
    check_number("a repaired budget", "reason", memory.decision.reason, 0);
  }
  SUCCEEDS(backoff_operation_decide(&memory.operation, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE, 0,
                                    &memory.budget, &memory.decision));
  check_number("a repaired budget", "reason", memory.decision.reason, BACKOFF_REASON_BUDGET);
}

/* A lock that is never freed, as in a copy. */
static void check_held(void) {
  memory.budget.opaque[lock] = 1;
  yields = sleeps = free_after = 0;
  check_number("a lock that is held", "code",
               backoff_operation_cancel(&memory.operation, &memory.budget, &memory.numerator),
               BACKOFF_DAMAGED);
  /* Long for a thread that was only preempted. */
  check_number("a lock that is held", "yields", yields, 1000);
  check_number("a lock that is held", "milliseconds", sleeps, 5000);
  IS_DAMAGED(backoff_budget_print(&memory.budget, memory.text, sizeof memory.text));
  check_number("a lock that is held", "pauses in all", yields + sleeps, 6000);
  check_damaged();
}

/* A lock that is freed after a while. */
static void check_freed(void) {
  static const uint64_t pauses[] = {1, 1000, 1001, 6000};
  for (size_t i = 0; i < LENGTH(pauses); i++) {
    memory.budget.opaque[lock] = 1;
    yields = sleeps = 0;
    free_after = pauses[i];
    if (pauses[i] == 6000) {
      /* Freed too late for this call, in time for the next. */
      check_number("a lock that is freed", "code",
                   backoff_operation_begin(&memory.operation, &memory.policy, 1, 0, BACKOFF_NONE,
                                           &memory.budget),
                   BACKOFF_DAMAGED);
    }
    SUCCEEDS(backoff_operation_begin(&memory.operation, &memory.policy, 1, 0, BACKOFF_NONE,
                                     &memory.budget));
    check_number("a lock that is freed", "pauses", yields + sleeps, free_after);
  }
  free_after = 0;
}

/* Everything but the magic number is overwritten. Zeros look like a lock that is free. */
static void check_overwritten(void) {
  for (int byte = 0; byte <= 255; byte++) {
    start();
    memset(&memory.budget.opaque[1], byte, sizeof memory.budget - sizeof memory.budget.opaque[0]);
    if (byte > 0) {
      check_damaged();
      continue;
    }
    SUCCEEDS(backoff_budget_print(&memory.budget, memory.text, sizeof memory.text));
    SUCCEEDS(backoff_operation_begin(&memory.operation, &memory.policy, 1, 0, BACKOFF_NONE,
                                     &memory.budget));
    SUCCEEDS(backoff_operation_decide(&memory.operation, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE,
                                      0, &memory.budget, &memory.decision));
    SUCCEEDS(run_loop(&memory.policy, &memory.budget, NULL));
  }
}

/* Loops whose callbacks damage the budget. */

enum damage { IN_NOW, IN_ATTEMPT, IN_WAIT };

struct play {
  enum damage damage;
  uint32_t outcome, cancelled;
  uint64_t attempts, waits, events;
};

static void damage_in(struct play *play, enum damage damage) {
  if (play->damage == damage) memory.budget.opaque[lock] = 2;
}

static uint64_t play_now(void *context) {
  damage_in(context, IN_NOW);
  return 0;
}

static uint32_t play_attempt(void *context, uint64_t *retry_after_ns) {
  struct play *play = context;
  (void)retry_after_ns;
  play->attempts++;
  damage_in(play, IN_ATTEMPT);
  return play->outcome;
}

static uint32_t play_wait(void *context, uint64_t delay_ns) {
  struct play *play = context;
  (void)delay_ns;
  play->waits++;
  damage_in(play, IN_WAIT);
  return play->cancelled;
}

static void play_stop(void *context, const backoff_event *event) {
  (void)event;
  ((struct play *)context)->events++;
}

static void check_loops(void) {
  const backoff_loop loop = {.attempt = play_attempt, .now = play_now, .wait = play_wait,
                             .on_stop = play_stop, .policy = &memory.policy,
                             .budget = &memory.budget, .stats = &memory.stats};
  static const struct {
    const char *id;
    struct play play;
    uint32_t code;
    uint64_t attempts, waits;
  } rows[] = {
      {"damaged before the first attempt", {IN_NOW, 0, 0, 0, 0, 0}, BACKOFF_DAMAGED, 0, 0},
      {"damaged in an attempt that fails",
       {IN_ATTEMPT, BACKOFF_OUTCOME_TRANSIENT, 0, 0, 0, 0}, BACKOFF_DAMAGED, 1, 0},
      {"damaged in an attempt that succeeds",
       {IN_ATTEMPT, BACKOFF_OUTCOME_SUCCESS, 0, 0, 0, 0}, BACKOFF_DAMAGED, 1, 0},
      {"damaged in an attempt without an outcome",
       {IN_ATTEMPT, 6, 0, 0, 0, 0}, BACKOFF_UNKNOWN_OUTCOME, 1, 0},
      {"damaged in a wait",
       {IN_WAIT, BACKOFF_OUTCOME_TRANSIENT, 0, 0, 0, 0}, BACKOFF_DAMAGED, 2, 1},
      {"damaged in a wait that is cancelled",
       {IN_WAIT, BACKOFF_OUTCOME_TRANSIENT, 1, 0, 0, 0}, BACKOFF_DAMAGED, 1, 1},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    const char *id = rows[i].id;
    struct play play = rows[i].play;
    backoff_event end = memory.end;
    backoff_stats_counts counts;
    start();
    check_code(id, backoff_retry(&loop, 1, &play, &end), rows[i].code);
    check_number(id, "attempts", play.attempts, rows[i].attempts);
    check_number(id, "waits", play.waits, rows[i].waits);
    check_number(id, "calls of on_stop", play.events, 0);
    check_true(id, "the end is unchanged", memcmp(&end, &memory.end, sizeof end) == 0);
    SUCCEEDS(backoff_stats_read(&memory.stats, &counts));
    check_number(id, "attempts in the stats", counts.attempts, rows[i].attempts);
    check_number(id, "cancelled in the stats", counts.stops[BACKOFF_REASON_CANCELLED - 1],
                 rows[i].attempts > 0);
    check_number(id, "operations in the stats", counts.operations, rows[i].attempts > 0);
  }
}

int main(void) {
  start();
  find_lock();
  check_locks();
  start();
  check_held();
  start();
  check_freed();
  check_overwritten();
  check_loops();
  return check_end();
}
