/* Many threads: on one policy each gets the delays of the vectors, whatever the others do; what
 * they do with one budget and one history adds up exactly. */

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

static backoff_policy policies[LENGTH(jitters)];
static pthread_barrier_t together;

/* What the threads share, and the rules that they make operations by. */
static backoff_policy at_once;
static backoff_budget ratio, quota, concurrent;
static backoff_history history;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static unsigned long retrying, most_retrying;

/* What one thread found: it owns these while it runs. */
struct findings {
  unsigned long right, wrong;
  unsigned long granted;
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

int main(void) {
  pthread_t threads[THREADS];
  struct findings findings[THREADS] = {{0, 0, 0}};
  unsigned long expected = OPERATIONS, retries = 0;
  check_word("jitters", "count", LENGTH(jitters), JITTERS_COUNT);
  check_start();
  for (size_t i = 0; i < LENGTH(jitters); i++) {
    expected += 2 * ROUNDS * jitters[i].delays.count;
  }
  check_word("threads", "barrier", (uint64_t)pthread_barrier_init(&together, NULL, THREADS), 0);
  for (int i = 0; i < THREADS; i++) {
    int failed = pthread_create(&threads[i], NULL, run, &findings[i]);
    if (!check_word("threads", "error of pthread_create", (uint64_t)failed, 0)) {
      return check_end(); /* the others would wait for it */
    }
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    check_word("threads", "answers of a thread that are right", findings[i].right, expected);
    check_word("threads", "answers of a thread that are wrong", findings[i].wrong, 0);
    retries += findings[i].granted;
  }
  check_sums(retries);
  return check_end();
}
