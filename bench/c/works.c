#include "works.h"

#include <backoff.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "empty.h"

enum { DELAYS = 8, SHORT = 16, LONG = 1000000 };

static const uint64_t BASE = 100 * BACKOFF_MILLISECOND, CAP = 20 * BACKOFF_SECOND;
static const char LIMITED[] = "full:base=100ms,cap=20s,max_retries=5";

static backoff_policy full, decorrelated, limited, at_once;
static backoff_iter full_delays, decorrelated_delays;
static uint64_t stream, delays[LONG];
static backoff_budget budget;

static uint64_t next(uint64_t times) {
  uint64_t sum = 0, delay = 0;
  for (uint64_t i = 1; i <= times; i++) {
    backoff_iter_next_ns(&full_delays, &delay);
    sum += delay;
    if (i % DELAYS == 0) backoff_iter_reset(&full_delays);
  }
  return sum;
}

static uint64_t next_empty(uint64_t times) {
  uint64_t sum = 0, delay = 0;
  for (uint64_t i = 1; i <= times; i++) {
    empty_next(&full_delays, &delay);
    sum += delay;
    if (i % DELAYS == 0) empty_reset(&full_delays);
  }
  return sum;
}

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static const uint64_t GAMMA = UINT64_C(0x9E3779B97F4A7C15);

/* From 0 to the window. */
static uint64_t sample(uint64_t draw, uint64_t window) {
  __extension__ typedef unsigned __int128 u128;
  return (uint64_t)(((u128)draw * (window + 1)) >> 64);
}

static uint64_t doubled(uint64_t window) { return window < CAP / 2 ? window * 2 : CAP; }

static uint64_t next_by_hand(uint64_t times) {
  static uint64_t state;
  if (state == 0) state = stream;
  uint64_t sum = 0, window = BASE;
  for (uint64_t i = 1; i <= times; i++) {
    state += GAMMA;
    sum += sample(mix(state), window);
    window = i % DELAYS == 0 ? BASE : doubled(window);
  }
  return sum;
}

static uint64_t next_rand(uint64_t times) {
  uint64_t sum = 0, window = BASE;
  for (uint64_t i = 1; i <= times; i++) {
    sum += (uint64_t)((double)rand() / ((double)RAND_MAX + 1) * (double)window);
    window = i % DELAYS == 0 ? BASE : doubled(window);
  }
  return sum;
}

static uint64_t next_decorrelated(uint64_t times) {
  uint64_t sum = 0, delay = 0;
  for (uint64_t i = 1; i <= times; i++) {
    backoff_iter_next_ns(&decorrelated_delays, &delay);
    sum += delay;
    if (i % DELAYS == 0) backoff_iter_reset(&decorrelated_delays);
  }
  return sum;
}

static uint64_t next_decorrelated_by_hand(uint64_t times) {
  static uint64_t state;
  if (state == 0) state = stream;
  uint64_t sum = 0, last = BASE;
  for (uint64_t i = 1; i <= times; i++) {
    state += GAMMA;
    uint64_t delay = BASE + sample(mix(state), 3 * last - BASE);
    last = delay < CAP ? delay : CAP;
    sum += last;
    if (i % DELAYS == 0) last = BASE;
  }
  return sum;
}

static uint64_t random_access(uint64_t times) {
  uint64_t sum = 0, delay = 0;
  for (uint64_t i = 0; i < times; i++) {
    backoff_policy_delay_ns(&full, stream, i % DELAYS, &delay);
    sum += delay;
  }
  return sum;
}

static uint64_t delay_by_hand(uint64_t base_stream, uint64_t index) {
  uint64_t window = index < 8 && BASE << index < CAP ? BASE << index : CAP;
  return sample(mix(base_stream + (index + 1) * GAMMA), window);
}

static uint64_t random_access_by_hand(uint64_t times) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < times; i++) sum += delay_by_hand(stream, i % DELAYS);
  return sum;
}

static uint64_t new_and_8(uint64_t times) {
  uint64_t sum = 0, delay = 0;
  for (uint64_t i = 0; i < times; i++) {
    backoff_iter iter;
    backoff_iter_init(&iter, &full, stream + i);
    for (int index = 0; index < DELAYS; index++) {
      backoff_iter_next_ns(&iter, &delay);
      sum += delay;
    }
  }
  return sum;
}

static uint64_t new_and_8_by_hand(uint64_t times) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < times; i++) {
    uint64_t state = stream + i, window = BASE;
    for (int index = 0; index < DELAYS; index++) {
      state += GAMMA;
      sum += sample(mix(state), window);
      window = doubled(window);
    }
  }
  return sum;
}

static uint64_t batch(uint64_t times, uint64_t count) {
  uint64_t sum = 0, written = 0;
  for (uint64_t i = 0; i < times; i++) {
    backoff_policy_fill_ns(&full, stream + i, 0, delays, count, &written);
    sum += written + delays[count - 1];
  }
  return sum;
}

static uint64_t batch_by_hand(uint64_t times, uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < times; i++) {
    uint64_t state = stream + i, window = BASE;
    for (uint64_t index = 0; index < count; index++) {
      state += GAMMA;
      delays[index] = sample(mix(state), window);
      window = doubled(window);
    }
    sum += count + delays[count - 1];
  }
  return sum;
}

static uint64_t batch_of_16(uint64_t times) { return batch(times, SHORT); }
static uint64_t batch_of_16_by_hand(uint64_t times) { return batch_by_hand(times, SHORT); }
static uint64_t batch_of_1000000(uint64_t times) { return batch(times, LONG); }
static uint64_t batch_of_1000000_by_hand(uint64_t times) { return batch_by_hand(times, LONG); }

static uint64_t parse(uint64_t times) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < times; i++) {
    backoff_policy policy;
    sum += backoff_policy_parse(&policy, LIMITED, sizeof LIMITED - 1, NULL) == BACKOFF_OK;
  }
  return sum;
}

static uint64_t print(uint64_t times) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < times; i++) {
    char text[BACKOFF_TEXT_SIZE];
    backoff_policy_print(&limited, text, sizeof text, NULL);
    sum += (unsigned char)text[0];
  }
  return sum;
}

/* Operations that wait five times and then stop. */
static uint64_t decisions(uint64_t times, backoff_budget *shared) {
  uint64_t sum = 0;
  backoff_operation operation;
  backoff_decision decision = {.reason = BACKOFF_REASON_MAX_RETRIES};
  for (uint64_t i = 0; i < times; i++) {
    if (decision.reason != 0) {
      backoff_operation_begin(&operation, &limited, stream, 0, BACKOFF_NO_TIME, shared);
    }
    backoff_operation_decide(&operation, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NO_TIME, 0, shared,
                             &decision);
    sum += decision.delay_ns;
  }
  return sum;
}

static uint64_t decide(uint64_t times) { return decisions(times, NULL); }
static uint64_t decide_with_budget(uint64_t times) { return decisions(times, &budget); }

struct job {
  uint64_t calls, failures;
};

static uint32_t attempt(void *context, uint64_t *retry_after_ns) {
  struct job *job = context;
  (void)retry_after_ns;
  return ++job->calls > job->failures ? BACKOFF_OUTCOME_SUCCESS : BACKOFF_OUTCOME_TRANSIENT;
}

static uint64_t now(void *context) {
  (void)context;
  return 0;
}

static uint32_t wait(void *context, uint64_t delay_ns) {
  (void)context;
  return delay_ns != 0;
}

static uint64_t loops(uint64_t times, uint64_t failures) {
  const backoff_loop loop = {.attempt = attempt, .now = now, .wait = wait, .policy = &at_once};
  uint64_t sum = 0;
  for (uint64_t i = 0; i < times; i++) {
    struct job job = {.failures = failures};
    backoff_loop_event end;
    backoff_retry(&loop, stream, &job, &end);
    sum += job.calls;
  }
  return sum;
}

static uint64_t success_at_once(uint64_t times) { return loops(times, 0); }
static uint64_t one_failure(uint64_t times) { return loops(times, 1); }
static uint64_t two_failures(uint64_t times) { return loops(times, 2); }

static uint64_t loops_by_hand(uint64_t times, uint64_t failures) {
  uint32_t (*volatile call)(void *, uint64_t *) = attempt;
  uint32_t (*volatile sleep)(void *, uint64_t) = wait;
  uint64_t sum = 0, retry_after = 0;
  for (uint64_t i = 0; i < times; i++) {
    struct job job = {.failures = failures};
    for (int retry = 0; retry <= 5; retry++) {
      if (call(&job, &retry_after) == BACKOFF_OUTCOME_SUCCESS || sleep(&job, 0) != 0) break;
    }
    sum += job.calls;
  }
  return sum;
}

static uint64_t success_at_once_by_hand(uint64_t times) { return loops_by_hand(times, 0); }
static uint64_t one_failure_by_hand(uint64_t times) { return loops_by_hand(times, 1); }
static uint64_t two_failures_by_hand(uint64_t times) { return loops_by_hand(times, 2); }

const struct entry entries[] = {
    {"next", "ours", next},
    {"next", "an empty call", next_empty},
    {"next", "by hand (inline)", next_by_hand},
    {"next", "by hand (rand())", next_rand},
    {"next, decorrelated", "ours", next_decorrelated},
    {"next, decorrelated", "by hand (inline)", next_decorrelated_by_hand},
    {"random access", "ours", random_access},
    {"random access", "by hand (inline)", random_access_by_hand},
    {"new and 8 delays", "ours", new_and_8},
    {"new and 8 delays", "by hand (inline)", new_and_8_by_hand},
    {"batch of 16", "ours", batch_of_16},
    {"batch of 16", "by hand (inline)", batch_of_16_by_hand},
    {"batch of 1000000", "ours", batch_of_1000000},
    {"batch of 1000000", "by hand (inline)", batch_of_1000000_by_hand},
    {"parse", "ours", parse},
    {"print", "ours", print},
    {"decide", "ours", decide},
    {"decide with a budget", "ours", decide_with_budget},
    {"loop, success at once", "ours", success_at_once},
    {"loop, success at once", "by hand (inline)", success_at_once_by_hand},
    {"loop, one failure", "ours", one_failure},
    {"loop, one failure", "by hand (inline)", one_failure_by_hand},
    {"loop, two failures", "ours", two_failures},
    {"loop, two failures", "by hand (inline)", two_failures_by_hand},
    {NULL, NULL, NULL},
};

static void must(uint32_t code, const char *what) {
  if (code != BACKOFF_OK) {
    fprintf(stderr, "%s: %s\n", what, backoff_code_name(code));
    exit(1);
  }
}

static void policy_of(backoff_policy *policy, const char *text) {
  must(backoff_policy_parse(policy, text, strlen(text), NULL), text);
}

/* The first delays of the README of the project. */
static void check_delays(void) {
  static const uint64_t expected[] = {11399434, 83043876, 229309811};
  for (uint32_t index = 0; index < 3; index++) {
    uint64_t ours = 0;
    must(backoff_policy_delay_ns(&full, stream, index, &ours), "delay");
    if (ours != expected[index]) {
      fprintf(stderr, "delay %" PRIu32 ": %" PRIu64 "\n", index, ours);
      exit(1);
    }
  }
}

void prepare(void) {
  static const char concurrent[] = "concurrent";
  policy_of(&full, "full:base=100ms,cap=20s");
  policy_of(&decorrelated, "decorrelated:base=100ms,cap=20s");
  policy_of(&limited, LIMITED);
  policy_of(&at_once, "constant:base=0s,max_retries=5");
  must(backoff_budget_parse(&budget, concurrent, sizeof concurrent - 1, NULL), concurrent);
  must(backoff_stream_from_key(42, "job-1", 5, &stream), "stream");
  must(backoff_iter_init(&full_delays, &full, stream), "iterator");
  must(backoff_iter_init(&decorrelated_delays, &decorrelated, stream), "iterator");
  check_delays();
}
