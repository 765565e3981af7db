/* All memory that a call in a test could write to, so that one comparison shows every change. */

#ifndef BACKOFF_MEMORY_H
#define BACKOFF_MEMORY_H

#include <backoff.h>

#include "check.h"

#define INDICES (UINT64_C(1) << 32)

struct memory {
  backoff_params params;       /* constant growth, base 10 ns */
  backoff_params wrong_params; /* with a cap of 5 ns */
  backoff_params empty_params, garbage_params;
  backoff_policy policy, garbage_policy;
  backoff_iter iter, garbage_iter;
  backoff_preview preview, garbage_preview;
  backoff_preview_row row;
  backoff_budget budget, garbage_budget; /* two tokens, one per retry */
  backoff_budget_state state, garbage_state;
  backoff_budget_answer answer;
  backoff_budget_member member, garbage_member;
  backoff_operation operation, garbage_operation;
  backoff_decision decision;
  backoff_stats stats, garbage_stats;
  backoff_stats_counts counts;
  backoff_loop loop; /* its functions count their calls in `called` */
  backoff_event end;
  uint64_t called;
  backoff_error error; /* cap 5ns is below base 10ns */
  backoff_error garbage_error;
  uint64_t numbers[6], written;
  uint32_t numerator, denominator;
  char text[BACKOFF_TEXT_SIZE + 1];
  char page[BACKOFF_STATS_SIZE + 1];
};

static struct memory memory, before;

/* A literal and its length. */
#define TEXT(text) text, sizeof text - 1

#define SUCCEEDS(call) check_code(#call, call, BACKOFF_OK)

/* The call returns the code and changes nothing. The call is the name of its case. */
#define FAILS(code, call)          \
  do {                             \
    remember();                    \
    check_code(#call, call, code); \
    check_unchanged(#call);        \
  } while (0)

/* The call returns the code, fills the error with nothing else, and changes nothing else. */
#define FAILS_FILLED(code_, call)                     \
  do {                                                \
    backoff_error saved = memory.error;               \
    remember();                                       \
    before.error = (backoff_error){.code = code_};    \
    check_code(#call, call, code_);                   \
    check_unchanged(#call);                           \
    memory.error = saved;                             \
  } while (0)

/* The call returns the code, writes an empty string to `memory.text`, and changes nothing else. */
#define FAILS_EMPTY(code, call)    \
  do {                             \
    memory.text[0] = 'x';          \
    remember();                    \
    before.text[0] = '\0';         \
    check_code(#call, call, code); \
    check_unchanged(#call);        \
  } while (0)

static inline void check_code(const char *id, uint32_t got, uint32_t want) {
  check_text(id, "code", backoff_code_name(got), backoff_code_name(want));
}

static inline void remember(void) { memcpy(&before, &memory, sizeof memory); }

static inline void check_unchanged(const char *id) {
  check_true(id, "everything is unchanged", memcmp(&memory, &before, sizeof memory) == 0);
}

static inline uint32_t count_attempt(void *context, uint64_t *retry_after_ns) {
  (void)retry_after_ns;
  ++*(uint64_t *)context;
  return BACKOFF_OUTCOME_SUCCESS;
}

static inline uint64_t count_now(void *context) { return ++*(uint64_t *)context; }

static inline uint32_t count_wait(void *context, uint64_t delay_ns) {
  (void)delay_ns;
  ++*(uint64_t *)context;
  return 0;
}

static inline uint32_t count_cancelled(void *context) {
  ++*(uint64_t *)context;
  return 0;
}

static inline void count_hook(void *context, const backoff_event *event) {
  (void)event;
  ++*(uint64_t *)context;
}

/* A loop with these, and valid values for everything else. */
static inline uint32_t run_loop(const backoff_policy *policy, backoff_budget *budget,
                                backoff_stats *stats) {
  backoff_loop loop = memory.loop;
  loop.policy = policy;
  loop.budget = budget;
  loop.stats = stats;
  return backoff_retry(&loop, 1, &memory.called, &memory.end);
}

static inline void start(void) {
  memset(&memory, 0xA5, sizeof memory);
  memory.called = 0;
  memory.loop = (backoff_loop){
      count_attempt, count_now,      count_wait,     count_cancelled, count_hook,
      count_hook,    &memory.policy, &memory.budget, &memory.stats,   0};
  memory.params = memory.empty_params = (backoff_params)BACKOFF_PARAMS_INIT;
  SUCCEEDS(backoff_params_set(&memory.params, BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_CONSTANT));
  SUCCEEDS(backoff_params_set(&memory.params, BACKOFF_FIELD_BASE, 10));
  memory.wrong_params = memory.params;
  SUCCEEDS(backoff_params_set(&memory.wrong_params, BACKOFF_FIELD_CAP, 5));
  SUCCEEDS(backoff_policy_init(&memory.policy, &memory.params, NULL));
  SUCCEEDS(backoff_iter_init(&memory.iter, &memory.policy, 42));
  SUCCEEDS(backoff_preview_init(&memory.preview, &memory.policy));
  SUCCEEDS(backoff_budget_parse(&memory.budget, TEXT("quota:max_tokens=2,cost=1"), NULL));
  SUCCEEDS(backoff_operation_begin(&memory.operation, &memory.policy, 1, 0, BACKOFF_NONE,
                                   &memory.budget));
  SUCCEEDS(backoff_budget_state_full(&memory.state, &memory.budget));
  SUCCEEDS(backoff_stats_init(&memory.stats));
  memory.error = (backoff_error){.code = BACKOFF_CAP_BELOW_BASE, .field = BACKOFF_FIELD_CAP,
                                 .value = 5, .limit = 10};
}

#endif
