/* Many threads: on one policy each gets the delays of the vectors, whatever the others do; what
 * they do with one budget and one history adds up exactly, also where far more threads than
 * processors crowd at one budget; and no count of a history that is read meanwhile goes down. */

#include <backoff.h>

#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "given.h"
#include "vectors.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define THREADS 8
#define ROUNDS 50
#define LONGEST 8192
/* A thread's: a multiple of ten, and of the number of reasons. */
#define OPERATIONS 70000
/* Those that crowd at one budget, and the operations of each. */
#define CROWD 32
#define CROWD_OPERATIONS 4000
/* How often the reader of a history sees it changed before it has seen enough. */
#define CHANGES 100000

static backoff_policy policies[LENGTH(jitters)];
static pthread_barrier_t together;

/* What the threads share, and the rules that they make operations by. */
static backoff_policy at_once;
static backoff_budget ratio, quota, concurrent;
static backoff_history history;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static unsigned long retrying, most_retrying;
static backoff_budget crowded;
static backoff_history watched;
static int seen_enough;

/* What one thread found: it owns these while it runs. */
struct findings {
  unsigned long right, wrong;
  unsigned long granted; /* or recorded */
};

static void count(struct findings *findings, uint64_t got, uint64_t want) {
  if (got == want) {
    findings->right++;
  } else {
    findings->wrong++;
  }
}

static void ask(struct findings *findings, const backoff_policy *policy,
                const struct sequence_vector *row, uint64_t *delays) {
  uint64_t stream = row->seed;
  if (row->key.given) {
    backoff_stream_from_key(row->seed, row->key.bytes, row->key.length, &stream);
  }
  backoff_fill_ns(policy, stream, row->first, delays, row->delays.count);
  for (size_t i = 0; i < row->delays.count; i++) {
    uint64_t delay = UINT64_MAX;
    backoff_delay_ns(policy, stream, row->first + (uint32_t)i, &delay);
    count(findings, delay, row->delays.words[i]);
    count(findings, delays[i], row->delays.words[i]);
  }
}

static void begin(backoff_operation *operation, backoff_budget *budget) {
  backoff_operation_begin(operation, &at_once, 0, 0, BACKOFF_NONE, budget);
}

/* Whether a retry is granted after a failure. */
static int fails(backoff_operation *operation, backoff_budget *budget) {
  backoff_decision decision = {99, 0, 0};
  backoff_operation_decide(operation, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE, 0, budget,
                           &decision);
  return decision.reason == 0;
}

static void succeeds(backoff_operation *operation, backoff_budget *budget) {
  backoff_decision decision;
  backoff_operation_decide(operation, BACKOFF_OUTCOME_SUCCESS, BACKOFF_NONE, 0, budget, &decision);
}

/* The retries that a budget grants to an operation that only fails. */
static unsigned long granted(backoff_budget *budget) {
  backoff_operation operation;
  unsigned long retries = 0;
  begin(&operation, budget);
  while (fails(&operation, budget)) retries++;
  return retries;
}

/* Holds a retry of the budget `concurrent` for as long as others may look. */
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
  backoff_history own;
  findings->granted += granted(&ratio);
  begin(&operation, &quota);
  /* Never more than THREADS of its 100 retries are held at once. */
  count(findings, (uint64_t)fails(&operation, &quota), 1);
  succeeds(&operation, &quota);
  retry_alone();
  backoff_history_record(&history, reason, reason);
  backoff_history_init(&own);
  backoff_history_record(&own, 51, reason);
  backoff_history_merge(&history, &own);
}

static void *run(void *argument) {
  struct findings *findings = argument;
  uint64_t *delays = malloc(LONGEST * sizeof *delays);
  pthread_barrier_wait(&together);
  for (int round = 0; delays && round < ROUNDS; round++) {
    for (size_t i = 0; i < LENGTH(jitters); i++) {
      ask(findings, &policies[i], &jitters[i], delays);
    }
  }
  for (uint32_t i = 0; i < OPERATIONS; i++) {
    operate(findings, i % BACKOFF_REASON_CANCELLED + 1);
  }
  free(delays);
  return NULL;
}

/* One of the crowd: it is always granted its retry, as there are never more than CROWD. */
static void *push(void *argument) {
  struct findings *findings = argument;
  pthread_barrier_wait(&together);
  for (int i = 0; i < CROWD_OPERATIONS; i++) {
    backoff_operation operation;
    begin(&operation, &crowded);
    findings->granted += (unsigned long)fails(&operation, &crowded);
    succeeds(&operation, &crowded);
  }
  return NULL;
}

/* That each count is as it was or larger, and that the sums are right. */
static void compare(struct findings *findings, const backoff_history_counts *was,
                    const backoff_history_counts *is) {
  uint64_t operations = 0;
  for (size_t i = 0; i < LENGTH(is->buckets); i++) {
    operations += is->buckets[i];
    count(findings, was->buckets[i] <= is->buckets[i], 1);
  }
  for (size_t i = 0; i < LENGTH(is->stops); i++) {
    count(findings, was->stops[i] <= is->stops[i], 1);
  }
  count(findings, was->retries <= is->retries, 1);
  count(findings, is->operations, operations);
  count(findings, is->attempts, operations + is->retries);
}

static void watch(struct findings *findings) {
  backoff_history_counts was, is;
  backoff_history_read(&watched, &was);
  for (int changes = 0; changes < CHANGES; was = is) {
    backoff_history_read(&watched, &is);
    compare(findings, &was, &is);
    changes += memcmp(&was, &is, sizeof is) != 0;
  }
  pthread_mutex_lock(&counting);
  seen_enough = 1;
  pthread_mutex_unlock(&counting);
}

/* One of the threads reads, and the others record until it has seen enough. */
static void *watch_or_record(void *argument) {
  struct findings *findings = argument;
  if (pthread_barrier_wait(&together) == PTHREAD_BARRIER_SERIAL_THREAD) {
    watch(findings);
    return NULL;
  }
  for (int enough = 0; !enough;) {
    for (uint64_t i = 0; i < 1000; i++) {
      backoff_history_record(&watched, 1 + i % 2 * 2, BACKOFF_REASON_SUCCESS);
      findings->granted++;
    }
    pthread_mutex_lock(&counting);
    enough = seen_enough;
    pthread_mutex_unlock(&counting);
  }
  return NULL;
}

/* Runs so many threads to their end. */
static int all(unsigned number, void *(*routine)(void *), struct findings *findings) {
  pthread_t threads[CROWD];
  check_word("threads", "barrier", (uint64_t)pthread_barrier_init(&together, NULL, number), 0);
  for (unsigned i = 0; i < number; i++) {
    int failed = pthread_create(&threads[i], NULL, routine, &findings[i]);
    if (!check_word("threads", "error of pthread_create", (uint64_t)failed, 0)) {
      return 0; /* the others would wait for it */
    }
  }
  for (unsigned i = 0; i < number; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&together);
  return 1;
}

static void share(const char *line, backoff_budget *budget) {
  check_word(line, "code", backoff_budget_parse(budget, line, strlen(line), NULL), BACKOFF_OK);
}

static void check_start(void) {
  static const char line[] = "constant:base=0s";
  for (size_t i = 0; i < LENGTH(jitters); i++) {
    check_word(jitters[i].id, "code", make(&policies[i], jitters[i].policy, NULL), BACKOFF_OK);
  }
  check_word(line, "code", backoff_policy_parse(&at_once, line, sizeof line - 1, NULL),
             BACKOFF_OK);
  share("ratio:max_tokens=100,ratio=0.1", &ratio);
  share("quota:max_tokens=500,cost=5", &quota);
  share("concurrent:min_concurrent=3,ratio=0", &concurrent);
  check_word("history", "code", backoff_history_init(&history), BACKOFF_OK);
  check_word("ratio", "retries that it begins with", granted(&ratio), 100);
}

/* What was granted, returned and counted by all threads together. */
static void check_sums(unsigned long retries) {
  static const uint64_t each = THREADS * OPERATIONS / BACKOFF_REASON_CANCELLED;
  backoff_operation operations[4];
  backoff_history_counts counts;
  char id[40];
  /* Every operation earned a tenth of a retry, and the last of all left less than one. */
  check_word("ratio", "retries that were granted", retries, THREADS * OPERATIONS / 10);
  check_word("quota", "retries of a budget to which all was returned", granted(&quota), 100);
  check_true("concurrent", "there were retries", most_retrying > 0);
  check_true("concurrent", "there were never more than 3 at once", most_retrying <= 3);
  for (size_t i = 0; i < LENGTH(operations); i++) {
    begin(&operations[i], &concurrent);
    check_word("concurrent", "a retry is granted", (uint64_t)fails(&operations[i], &concurrent),
               i < 3);
  }
  check_word("history", "code", backoff_history_read(&history, &counts), BACKOFF_OK);
  check_word("history", "operations", counts.operations, 2 * THREADS * OPERATIONS);
  check_word("history", "attempts", counts.attempts,
             51 * THREADS * OPERATIONS + (1 + 2 + 3 + 4 + 5 + 6 + 7) * each);
  for (size_t i = 0; i < LENGTH(counts.stops); i++) {
    snprintf(id, sizeof id, "history, reason %zu", i + 1);
    check_word(id, "stops", counts.stops[i], 2 * each);
    check_word(id, "bucket", counts.buckets[i], each);
  }
  check_word("history", "last bucket", counts.buckets[11], THREADS * OPERATIONS);
}

/* No retry of the crowd was refused, and the budget counts none of its operations any more. */
static int check_crowd(void) {
  struct findings findings[CROWD] = {{0, 0, 0}};
  backoff_operation operations[99];
  unsigned long retries = 0;
  share("concurrent:min_concurrent=32,ratio=0.5", &crowded);
  if (!all(CROWD, push, findings)) return 0;
  for (int i = 0; i < CROWD; i++) retries += findings[i].granted;
  check_word("crowd", "retries that were granted", retries, CROWD * CROWD_OPERATIONS);
  for (size_t i = 0; i < LENGTH(operations); i++) begin(&operations[i], &crowded);
  retries = 0;
  for (size_t i = 0; i < LENGTH(operations); i++) {
    retries += (unsigned long)fails(&operations[i], &crowded);
  }
  check_word("crowd", "retries of 99 operations, one for two", retries, 49);
  return 1;
}

/* What is read while others record. Those make one attempt and three by turns. */
static void check_watched(void) {
  struct findings findings[THREADS] = {{0, 0, 0}};
  backoff_history_counts counts;
  unsigned long operations = 0, wrong = 0;
  check_word("watched", "code", backoff_history_init(&watched), BACKOFF_OK);
  if (!all(THREADS, watch_or_record, findings)) return;
  for (int i = 0; i < THREADS; i++) {
    operations += findings[i].granted;
    wrong += findings[i].wrong;
  }
  check_word("watched", "counts that went down, and sums that are wrong", wrong, 0);
  check_word("watched", "code", backoff_history_read(&watched, &counts), BACKOFF_OK);
  check_word("watched", "operations", counts.operations, operations);
  check_word("watched", "retries", counts.retries, operations);
}

int main(void) {
  struct findings findings[THREADS] = {{0, 0, 0}};
  unsigned long expected = OPERATIONS, retries = 0;
  check_word("jitters", "count", LENGTH(jitters), JITTERS_COUNT);
  check_start();
  for (size_t i = 0; i < LENGTH(jitters); i++) {
    expected += 2 * ROUNDS * jitters[i].delays.count;
  }
  if (!all(THREADS, run, findings)) return check_end();
  for (int i = 0; i < THREADS; i++) {
    check_word("threads", "answers of a thread that are right", findings[i].right, expected);
    check_word("threads", "answers of a thread that are wrong", findings[i].wrong, 0);
    retries += findings[i].granted;
  }
  check_sums(retries);
  if (check_crowd()) check_watched();
  return check_end();
}
