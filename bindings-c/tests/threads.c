/* Many threads on one budget and one stats: they add up exactly, even with far more threads than processors; and no
 * count decreases between two reads. */

#include <backoff.h>

#include <pthread.h>
#include <stdlib.h>

#include "check.h"

/* Far more than processors. */
#define THREADS 32
/* Per thread: a multiple of ten, and of the number of reasons. `cargo xtask harden` sets fewer for tools that are slow. */
#ifndef OPERATIONS
#define OPERATIONS 17500
#endif
/* One that reads stats, and those that record. */
#define WATCHERS 8
/* The number of changes after which the reader of the stats stops. */
#define CHANGES (6 * OPERATIONS)

static pthread_barrier_t together;

/* Shared by the threads. */
static backoff_policy at_once;
static backoff_budget ratio, quota, concurrent;
static backoff_stats shared_stats;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static unsigned long retrying, most_retrying;
static backoff_stats watched;
static int seen_enough;

/* The findings of one thread, which it owns while it runs. */
struct findings {
  unsigned long wrong, granted; /* or recorded */
};

/* Checks count without a lock, so threads exit. */
static void need(uint32_t code) {
  if (code == BACKOFF_OK) return;
  fprintf(stderr, "threads: %s\n", backoff_code_name((backoff_code)code));
  exit(2);
}

static void begin(backoff_operation *operation, backoff_budget *budget) {
  need(backoff_operation_begin(operation, &at_once, 0, 0, BACKOFF_NO_TIME, budget));
}

/* Whether a retry is granted after a failure. */
static int fails(backoff_operation *operation, backoff_budget *budget) {
  backoff_decision decision;
  need(backoff_operation_decide(operation, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NO_TIME, 0, budget,
                                &decision));
  return decision.reason == 0;
}

static void succeeds(backoff_operation *operation, backoff_budget *budget) {
  backoff_decision decision;
  need(backoff_operation_decide(operation, BACKOFF_OUTCOME_SUCCESS, BACKOFF_NO_TIME, 0, budget,
                                &decision));
}

/* The number of retries that a budget grants to an operation that always fails. */
static unsigned long granted(backoff_budget *budget) {
  backoff_operation operation;
  unsigned long retries = 0;
  begin(&operation, budget);
  while (fails(&operation, budget)) retries++;
  return retries;
}

/* Holds a retry of the budget `concurrent` while other threads run. */
static void retry_alone(void) {
  backoff_operation operation;
  begin(&operation, &concurrent);
  if (!fails(&operation, &concurrent)) return;
  pthread_mutex_lock(&counting);
  if (++retrying > most_retrying) most_retrying = retrying;
  pthread_mutex_unlock(&counting);
  pthread_mutex_lock(&counting);
  retrying--;
  pthread_mutex_unlock(&counting);
  succeeds(&operation, &concurrent);
}

static void operate(struct findings *findings, uint32_t reason) {
  backoff_operation operation;
  backoff_stats own;
  findings->granted += granted(&ratio);
  begin(&operation, &quota);
  /* Never more than THREADS of its 100 retries are held at once. */
  findings->wrong += !fails(&operation, &quota);
  succeeds(&operation, &quota);
  retry_alone();
  backoff_stats_record(&shared_stats, reason, reason);
  backoff_stats_init(&own);
  backoff_stats_record(&own, 51, reason);
  backoff_stats_merge(&shared_stats, &own);
}

static void *run(void *argument) {
  struct findings *findings = argument;
  pthread_barrier_wait(&together);
  for (uint32_t i = 0; i < OPERATIONS; i++) {
    operate(findings, i % BACKOFF_REASON_CANCELLED + 1);
  }
  return NULL;
}

static uint64_t in_bucket(const backoff_stats *stats, uint64_t index) {
  uint64_t max_attempts, count = 0;
  return backoff_stats_bucket(stats, index, &max_attempts, &count) == BACKOFF_OK ? count : 0;
}

static uint64_t stopped(const backoff_stats *stats, backoff_reason reason) {
  uint64_t count = 0;
  return backoff_stats_stopped(stats, reason, &count) == BACKOFF_OK ? count : 0;
}

/* The counts of one moment. */
static backoff_stats copied(void) {
  backoff_stats copy;
  backoff_stats_init(&copy);
  backoff_stats_merge(&copy, &watched);
  return copy;
}

/* No count has decreased, and the sums agree. */
static void compare(struct findings *findings, const backoff_stats *was, const backoff_stats *is) {
  uint64_t operations = 0;
  for (uint64_t i = 0; i < 12; i++) {
    operations += in_bucket(is, i);
    findings->wrong += in_bucket(was, i) > in_bucket(is, i);
  }
  for (backoff_reason i = BACKOFF_REASON_SUCCESS; i <= BACKOFF_REASON_CANCELLED; i++) {
    findings->wrong += stopped(was, i) > stopped(is, i);
  }
  backoff_stats_counts before, after;
  findings->wrong += backoff_stats_read(was, &before) + backoff_stats_read(is, &after);
  findings->wrong += before.retries > after.retries || after.operations != operations ||
                     after.attempts != operations + after.retries;
}

static void watch(struct findings *findings) {
  backoff_stats was = copied(), is;
  for (int changes = 0; changes < CHANGES; was = is) {
    is = copied();
    compare(findings, &was, &is);
    changes += memcmp(&was, &is, sizeof is) != 0;
  }
  pthread_mutex_lock(&counting);
  seen_enough = 1;
  pthread_mutex_unlock(&counting);
}

/* One thread reads, and the others record until it has seen enough. */
static void *watch_or_record(void *argument) {
  struct findings *findings = argument;
  if (pthread_barrier_wait(&together) == PTHREAD_BARRIER_SERIAL_THREAD) {
    watch(findings);
    return NULL;
  }
  for (int enough = 0; !enough;) {
    for (uint64_t i = 0; i < 1000; i++) {
      backoff_stats_record(&watched, 1 + i % 2 * 2, BACKOFF_REASON_SUCCESS);
      findings->granted++;
    }
    pthread_mutex_lock(&counting);
    enough = seen_enough;
    pthread_mutex_unlock(&counting);
  }
  return NULL;
}

/* Runs threads to their end, and adds up what they found. */
static struct findings all(unsigned number, void *(*routine)(void *)) {
  struct findings findings[THREADS] = {{0, 0}}, sum = {0, 0};
  pthread_t threads[THREADS];
  check_number("threads", "barrier", (uint64_t)pthread_barrier_init(&together, NULL, number), 0);
  for (unsigned i = 0; i < number; i++) {
    int failed = pthread_create(&threads[i], NULL, routine, &findings[i]);
    /* The others would wait for it. */
    if (!check_number("threads", "error of pthread_create", (uint64_t)failed, 0)) exit(check_end());
  }
  for (unsigned i = 0; i < number; i++) {
    pthread_join(threads[i], NULL);
    sum.wrong += findings[i].wrong;
    sum.granted += findings[i].granted;
  }
  pthread_barrier_destroy(&together);
  check_number("threads", "wrong results", sum.wrong, 0);
  return sum;
}

static void share(const char *text, backoff_budget *budget) {
  check_number(text, "code", backoff_budget_parse(budget, text, strlen(text), NULL), BACKOFF_OK);
}

static void check_start(void) {
  static const char text[] = "constant:base=0s";
  check_number(text, "code", backoff_policy_parse(&at_once, text, sizeof text - 1, NULL),
               BACKOFF_OK);
  share("ratio:max_tokens=100,ratio=0.1", &ratio);
  share("quota:max_tokens=500,cost=5", &quota);
  share("concurrent:min_concurrent=3,ratio=0", &concurrent);
  check_number("stats", "code", backoff_stats_init(&shared_stats), BACKOFF_OK);
  check_number("ratio", "retries of a new budget", granted(&ratio), 100);
}

/* The retries and counts of all threads together. */
static void check_sums(unsigned long retries) {
  static const uint64_t each = THREADS * OPERATIONS / BACKOFF_REASON_CANCELLED;
  backoff_operation operations[4];
  backoff_stats_counts counts;
  char id[40];
  /* Every operation earned a tenth of a retry, and less than one is left. */
  check_number("ratio", "retries granted", retries, THREADS * OPERATIONS / 10);
  check_number("quota", "retries after every token was returned", granted(&quota), 100);
  check_true("concurrent", "some retries are concurrent", most_retrying > 0);
  check_true("concurrent", "at most 3 at once", most_retrying <= 3);
  for (size_t i = 0; i < LENGTH(operations); i++) {
    begin(&operations[i], &concurrent);
    check_number("concurrent", "a retry is granted", (uint64_t)fails(&operations[i], &concurrent),
                 i < 3);
  }
  check_number("stats", "code", backoff_stats_read(&shared_stats, &counts), BACKOFF_OK);
  check_number("stats", "operations", counts.operations, 2 * THREADS * OPERATIONS);
  check_number("stats", "attempts", counts.attempts,
               51 * THREADS * OPERATIONS + (1 + 2 + 3 + 4 + 5 + 6 + 7) * each);
  for (backoff_reason i = BACKOFF_REASON_SUCCESS; i <= BACKOFF_REASON_CANCELLED; i++) {
    snprintf(id, sizeof id, "stats, reason %d", (int)i);
    check_number(id, "stopped", stopped(&shared_stats, i), 2 * each);
    check_number(id, "bucket", in_bucket(&shared_stats, i - 1), each);
  }
  check_number("stats", "last bucket", in_bucket(&shared_stats, 11), THREADS * OPERATIONS);
}

/* Reads while other threads record operations of one attempt and of three in turn. */
static void check_watched(void) {
  backoff_stats_counts counts;
  check_number("watched", "code", backoff_stats_init(&watched), BACKOFF_OK);
  unsigned long operations = all(WATCHERS, watch_or_record).granted;
  check_number("watched", "code", backoff_stats_read(&watched, &counts), BACKOFF_OK);
  check_number("watched", "operations", counts.operations, operations);
  check_number("watched", "retries", counts.retries, operations);
}

int main(void) {
  check_start();
  check_sums(all(THREADS, run).granted);
  check_watched();
  return check_end();
}
