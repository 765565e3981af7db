/* One policy, many threads: each gets the delays of the vectors, whatever the others do. */

#include <backoff.h>

#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "vectors.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define THREADS 8
#define ROUNDS 50
#define LONGEST 8192

static backoff_policy policies[LENGTH(jitters)];
static pthread_barrier_t together;

/* What one thread found: it owns these while it runs. */
struct findings {
  unsigned long right, wrong;
};

static void make(backoff_policy *policy, const struct sequence_vector *row) {
  backoff_params params = BACKOFF_PARAMS_INIT;
  for (size_t i = 0; i < row->policy.count; i++) {
    struct given field = row->policy.given[i];
    if (field.is_ratio) {
      backoff_params_set_ratio(&params, field.field, field.numerator, field.denominator);
    } else {
      backoff_params_set(&params, field.field, field.value);
    }
  }
  check_word(row->id, "code of the policy", backoff_policy_init(policy, &params, NULL),
             BACKOFF_OK);
}

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

static void *run(void *argument) {
  struct findings *findings = argument;
  uint64_t *delays = malloc(LONGEST * sizeof *delays);
  pthread_barrier_wait(&together);
  for (int round = 0; delays && round < ROUNDS; round++) {
    for (size_t i = 0; i < LENGTH(jitters); i++) {
      ask(findings, &policies[i], &jitters[i], delays);
    }
  }
  free(delays);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  struct findings findings[THREADS] = {{0, 0}};
  unsigned long expected = 0;
  check_word("jitters", "count", LENGTH(jitters), JITTERS_COUNT);
  for (size_t i = 0; i < LENGTH(jitters); i++) {
    make(&policies[i], &jitters[i]);
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
    check_word("threads", "delays of a thread that are right", findings[i].right, expected);
    check_word("threads", "delays of a thread that are wrong", findings[i].wrong, 0);
  }
  return check_end();
}
