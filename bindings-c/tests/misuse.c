/* What is refused, with which code, and that a refusal leaves every byte as it was. */

#include <backoff.h>

#include "check.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define CANARY UINT64_C(0xA5A5A5A5A5A5A5A5)
#define INDICES (UINT64_C(1) << 32)

/* All the memory that a call here could write to, so that one comparison sees what it did. */
struct world {
  backoff_params params;       /* constant growth, base 10 ns */
  backoff_params wrong_params; /* and a cap of 5 ns */
  backoff_params empty_params, garbage_params;
  backoff_policy policy, garbage_policy;
  backoff iterator, garbage_iterator;
  backoff_preview preview, garbage_preview;
  backoff_preview_row row;
  backoff_budget budget, garbage_budget; /* two tokens, one a retry */
  backoff_operation operation, garbage_operation;
  backoff_decision decision;
  backoff_history history, garbage_history;
  backoff_history_counts counts;
  backoff_calls calls; /* that say that they were called */
  backoff_event end;
  uint64_t called;
  backoff_error error; /* cap_below_base cap 5 10 */
  backoff_error garbage_error;
  uint64_t words[6];
  uint32_t numerator, denominator;
  char text[BACKOFF_TEXT_SIZE + 1];
  char page[BACKOFF_HISTORY_SIZE + 1];
};

static struct world now, then;

static void check_code(const char *id, uint32_t got, uint32_t want) {
  check_text(id, "code", backoff_code_name(got), backoff_code_name(want));
}

static void remember(void) { memcpy(&then, &now, sizeof now); }

static void check_untouched(const char *id) {
  check_true(id, "everything is as it was", memcmp(&now, &then, sizeof now) == 0);
}

/* The call is the name of its case. */
#define REFUSED(code, call)        \
  do {                             \
    remember();                    \
    check_code(#call, call, code); \
    check_untouched(#call);        \
  } while (0)

/* A literal and its length. */
#define LINE(text) text, sizeof text - 1

#define DONE(call) check_code(#call, call, BACKOFF_OK)

/* The context is the count of the calls. */
static uint32_t called_attempt(void *context, uint64_t *hint_ns) {
  (void)hint_ns;
  ++*(uint64_t *)context;
  return BACKOFF_OUTCOME_SUCCESS;
}

static uint64_t called_now(void *context) { return ++*(uint64_t *)context; }

static uint32_t called_wait(void *context, uint64_t delay_ns) {
  (void)delay_ns;
  ++*(uint64_t *)context;
  return 0;
}

static uint32_t called_cancelled(void *context) {
  ++*(uint64_t *)context;
  return 0;
}

static void called_hook(void *context, const backoff_event *event) {
  (void)event;
  ++*(uint64_t *)context;
}

static void start(void) {
  memset(&now, 0xA5, sizeof now);
  now.called = 0;
  now.calls = (backoff_calls){called_attempt,   called_now,  called_wait,
                              called_cancelled, called_hook, called_hook};
  now.params = now.empty_params = (backoff_params)BACKOFF_PARAMS_INIT;
  DONE(backoff_params_set(&now.params, BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_CONSTANT));
  DONE(backoff_params_set(&now.params, BACKOFF_FIELD_BASE, 10));
  now.wrong_params = now.params;
  DONE(backoff_params_set(&now.wrong_params, BACKOFF_FIELD_CAP, 5));
  DONE(backoff_policy_init(&now.policy, &now.params, NULL));
  DONE(backoff_init(&now.iterator, &now.policy, 42));
  DONE(backoff_preview_init(&now.preview, &now.policy));
  DONE(backoff_budget_parse(&now.budget, LINE("quota:max_tokens=2,cost=1"), NULL));
  DONE(backoff_operation_begin(&now.operation, &now.policy, 1, 0, BACKOFF_NONE, &now.budget));
  DONE(backoff_history_init(&now.history));
  now.error = (backoff_error){.code = BACKOFF_CAP_BELOW_BASE, .field = BACKOFF_FIELD_CAP,
                              .value = 5, .limit = 10};
}

static void check_null(void) {
  uint64_t *word = &now.words[1];
  REFUSED(BACKOFF_NULL_POINTER, backoff_params_set(NULL, BACKOFF_FIELD_BASE, 1));
  REFUSED(BACKOFF_NULL_POINTER, backoff_params_set_ratio(NULL, BACKOFF_FIELD_MULTIPLIER, 2, 1));
  REFUSED(BACKOFF_NULL_POINTER, backoff_ratio_parse(NULL, 1, &now.numerator, &now.denominator));
  REFUSED(BACKOFF_NULL_POINTER, backoff_ratio_parse(NULL, 0, &now.numerator, &now.denominator));
  REFUSED(BACKOFF_NULL_POINTER, backoff_ratio_parse("2", 1, NULL, &now.denominator));
  REFUSED(BACKOFF_NULL_POINTER, backoff_ratio_parse("2", 1, &now.numerator, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_policy_init(NULL, &now.params, &now.error));
  REFUSED(BACKOFF_NULL_POINTER, backoff_policy_init(&now.policy, NULL, &now.error));
  REFUSED(BACKOFF_NULL_POINTER, backoff_policy_init(NULL, NULL, NULL));
  REFUSED(BACKOFF_CAP_BELOW_BASE, backoff_policy_init(&now.policy, &now.wrong_params, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_delay_ns(NULL, 1, 0, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_delay_ns(&now.policy, 1, 0, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_window_ns(NULL, 0, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_window_ns(&now.policy, 0, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_fill_ns(NULL, 1, 0, word, 2));
  REFUSED(BACKOFF_NULL_POINTER, backoff_fill_ns(NULL, 1, 0, word, 0));
  REFUSED(BACKOFF_NULL_POINTER, backoff_fill_ns(&now.policy, 1, 0, NULL, 2));
  REFUSED(BACKOFF_NULL_POINTER, backoff_stream_from_key(1, NULL, 1, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_stream_from_key(1, "k", 1, NULL));
  REFUSED(BACKOFF_TOO_LONG, backoff_stream_from_key(1, "k", UINT64_MAX, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_stream_from_entropy(NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_init(NULL, &now.policy, 1));
  REFUSED(BACKOFF_NULL_POINTER, backoff_init(&now.iterator, NULL, 1));
  REFUSED(BACKOFF_NULL_POINTER, backoff_next_ns(NULL, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_next_ns(&now.iterator, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_reset(NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_position(NULL, word, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_error_message(NULL, now.text, sizeof now.text));
  REFUSED(BACKOFF_NULL_POINTER, backoff_error_message(&now.error, NULL, sizeof now.text));
}

static void check_null_lines(void) {
  backoff_policy *policy = &now.policy;
  backoff_budget *budget = &now.budget;
  REFUSED(BACKOFF_NULL_POINTER, backoff_policy_parse(NULL, LINE("constant:base=1s"), &now.error));
  REFUSED(BACKOFF_NULL_POINTER, backoff_policy_parse(policy, NULL, 1, &now.error));
  REFUSED(BACKOFF_NULL_POINTER, backoff_policy_parse(policy, NULL, 0, &now.error));
  REFUSED(BACKOFF_TOO_LONG, backoff_policy_parse(policy, "none", UINT64_MAX, &now.error));
  REFUSED(BACKOFF_TOO_LONG, backoff_policy_parse(policy, "none", INT64_MAX + 1ull, &now.error));
  REFUSED(BACKOFF_UNKNOWN_HEAD, backoff_policy_parse(policy, LINE("no"), NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_policy_print(NULL, now.text, sizeof now.text));
  REFUSED(BACKOFF_NULL_POINTER, backoff_policy_print(policy, NULL, sizeof now.text));
  REFUSED(BACKOFF_NULL_POINTER, backoff_budget_parse(NULL, LINE("ratio"), &now.error));
  REFUSED(BACKOFF_NULL_POINTER, backoff_budget_parse(budget, NULL, 1, &now.error));
  REFUSED(BACKOFF_NULL_POINTER, backoff_budget_parse(budget, NULL, 0, &now.error));
  REFUSED(BACKOFF_TOO_LONG, backoff_budget_parse(budget, "ratio", UINT64_MAX, &now.error));
  REFUSED(BACKOFF_UNKNOWN_HEAD, backoff_budget_parse(budget, LINE("no"), NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_budget_print(NULL, now.text, sizeof now.text));
  REFUSED(BACKOFF_NULL_POINTER, backoff_budget_print(budget, NULL, sizeof now.text));
  REFUSED(BACKOFF_NULL_POINTER, backoff_retry_after(NULL, 1, 0, &now.words[1]));
  REFUSED(BACKOFF_NULL_POINTER, backoff_retry_after(NULL, 0, 0, &now.words[1]));
  REFUSED(BACKOFF_NULL_POINTER, backoff_retry_after("1", 1, 0, NULL));
  REFUSED(BACKOFF_TOO_LONG, backoff_retry_after("1", UINT64_MAX, 0, &now.words[1]));
  REFUSED(BACKOFF_NULL_POINTER, backoff_preview_init(NULL, policy));
  REFUSED(BACKOFF_NULL_POINTER, backoff_preview_init(&now.preview, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_preview_next(NULL, &now.row));
  REFUSED(BACKOFF_NULL_POINTER, backoff_preview_next(&now.preview, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_fit_base(NULL, 2, 1, policy, &now.error));
  REFUSED(BACKOFF_NULL_POINTER, backoff_fit_base(policy, 2, 1, NULL, &now.error));
  REFUSED(BACKOFF_DOES_NOT_FIT, backoff_fit_base(policy, 2, 0, policy, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_fit_cap(NULL, 2, 1, policy, &now.error));
  REFUSED(BACKOFF_NULL_POINTER, backoff_fit_cap(policy, 2, 1, NULL, &now.error));
  REFUSED(BACKOFF_DOES_NOT_FIT, backoff_fit_cap(policy, 2, 0, policy, NULL));
}

static void check_null_operations(void) {
  backoff_operation *operation = &now.operation;
  backoff_decision *decision = &now.decision;
  backoff_budget *budget = &now.budget;
  uint32_t success = BACKOFF_OUTCOME_SUCCESS;
  REFUSED(BACKOFF_NULL_POINTER,
          backoff_operation_begin(NULL, &now.policy, 1, 0, BACKOFF_NONE, budget));
  REFUSED(BACKOFF_NULL_POINTER, backoff_operation_begin(operation, NULL, 1, 0, 1, budget));
  REFUSED(BACKOFF_NULL_POINTER, backoff_operation_decide(NULL, success, 0, 0, budget, decision));
  REFUSED(BACKOFF_NULL_POINTER,
          backoff_operation_decide(operation, success, 0, 0, budget, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_operation_cancel(NULL, budget, &now.numerator));
  REFUSED(BACKOFF_NULL_POINTER, backoff_operation_state(NULL, now.words, &now.numerator));
  REFUSED(BACKOFF_NULL_POINTER, backoff_history_init(NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_history_record(NULL, 1, BACKOFF_REASON_SUCCESS));
  REFUSED(BACKOFF_NULL_POINTER, backoff_history_merge(NULL, &now.history));
  REFUSED(BACKOFF_NULL_POINTER, backoff_history_merge(&now.history, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_history_read(NULL, &now.counts));
  REFUSED(BACKOFF_NULL_POINTER, backoff_history_read(&now.history, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_history_print(NULL, now.page, sizeof now.page));
  REFUSED(BACKOFF_NULL_POINTER, backoff_history_print(&now.history, NULL, sizeof now.page));
}

/* A loop with these, and otherwise with all that it needs. */
static uint32_t loop(const backoff_policy *policy, backoff_budget *budget,
                     backoff_history *history, const backoff_calls *calls, backoff_event *end) {
  return backoff_retry(policy, 1, BACKOFF_NONE, budget, history, calls, &now.called, end);
}

/* A loop without what it needs calls nothing. */
static void check_null_loops(void) {
  backoff_policy *policy = &now.policy;
  backoff_budget *budget = &now.budget;
  backoff_history *history = &now.history;
  backoff_event *end = &now.end;
  backoff_calls none = {0}, no_attempt = now.calls, no_now = now.calls, no_wait = now.calls;
  no_attempt.attempt = NULL;
  no_now.now = NULL;
  no_wait.wait = NULL;
  REFUSED(BACKOFF_NULL_POINTER, loop(policy, budget, history, NULL, end));
  REFUSED(BACKOFF_NULL_POINTER, loop(policy, budget, history, &none, end));
  REFUSED(BACKOFF_NULL_POINTER, loop(policy, budget, history, &no_attempt, end));
  REFUSED(BACKOFF_NULL_POINTER, loop(policy, budget, history, &no_now, end));
  REFUSED(BACKOFF_NULL_POINTER, loop(policy, budget, history, &no_wait, end));
  REFUSED(BACKOFF_NULL_POINTER, loop(policy, budget, history, &now.calls, NULL));
  REFUSED(BACKOFF_NULL_POINTER, loop(NULL, NULL, NULL, NULL, NULL));
}

/* Numbers that name nothing. */
static void check_unknown_numbers(void) {
  static const uint32_t outcomes[] = {0, 6, 256 + 1, UINT32_MAX};
  static const uint32_t reasons[] = {0, 8, 256 + 1, UINT32_MAX};
  for (size_t i = 0; i < LENGTH(outcomes); i++) {
    REFUSED(BACKOFF_UNKNOWN_OUTCOME,
            backoff_operation_decide(&now.operation, outcomes[i], BACKOFF_NONE, 0, &now.budget,
                                     &now.decision));
    check_text("unknown outcome", "name", backoff_outcome_name(outcomes[i]), "unknown_outcome");
  }
  for (size_t i = 0; i < LENGTH(reasons); i++) {
    REFUSED(BACKOFF_UNKNOWN_REASON, backoff_history_record(&now.history, 1, reasons[i]));
    check_text("unknown reason", "name", backoff_reason_name(reasons[i]), "unknown_reason");
  }
}

/* Where NULL is welcome. */
static void check_optional(void) {
  uint64_t key_stream = 0, null_stream = 1;
  DONE(backoff_fill_ns(&now.policy, 1, 0, NULL, 0));
  DONE(backoff_position(&now.iterator, NULL, NULL));
  DONE(backoff_position(&now.iterator, &now.words[1], NULL));
  check_word("position without a stream", "index", now.words[1], 0);
  DONE(backoff_position(&now.iterator, NULL, &now.words[1]));
  check_word("position without an index", "stream", now.words[1], 42);
  DONE(backoff_stream_from_key(1, NULL, 0, &null_stream));
  DONE(backoff_stream_from_key(1, "k", 0, &key_stream));
  check_word("an empty key that is NULL", "stream", null_stream, key_stream);
  DONE(backoff_policy_init(&now.policy, &now.params, NULL));

  backoff_operation operation = now.operation;
  backoff_budget budget = now.budget;
  uint64_t retries = CANARY;
  uint32_t reason = 99;
  DONE(backoff_operation_state(&operation, NULL, NULL));
  DONE(backoff_operation_state(&operation, &retries, NULL));
  check_word("state without a reason", "retries", retries, 0);
  DONE(backoff_operation_state(&operation, NULL, &reason));
  check_word("state without retries", "reason", reason, 0);
  DONE(backoff_operation_cancel(&operation, &budget, NULL));
  DONE(backoff_operation_state(&operation, NULL, &reason));
  check_word("a cancellation without a reason", "reason", reason, BACKOFF_REASON_CANCELLED);
  DONE(backoff_operation_begin(&operation, &now.policy, 1, 0, BACKOFF_NONE, NULL));
  DONE(backoff_operation_decide(&operation, BACKOFF_OUTCOME_TIMEOUT, BACKOFF_NONE, 0, NULL,
                                &now.decision));
  check_word("an operation without a budget", "reason", now.decision.reason, 0);
  check_word("an operation without a budget", "delay", now.decision.delay_ns, 10);
  DONE(backoff_operation_cancel(&operation, NULL, &reason));

  backoff_calls few = now.calls;
  backoff_event end;
  few.cancelled = NULL;
  few.on_retry = few.on_stop = NULL;
  DONE(loop(NULL, NULL, NULL, &few, &end));
  check_word("a loop with what it needs and no more", "attempts", end.attempts, 1);
}

/* Every function that takes a struct, with memory that nothing has filled. */
static void check_uninitialized(const char *memory) {
  unsigned long failed = check_failed;
  uint64_t *word = &now.words[1];
  REFUSED(BACKOFF_UNINITIALIZED, backoff_delay_ns(&now.garbage_policy, 1, 0, word));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_window_ns(&now.garbage_policy, 0, word));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_fill_ns(&now.garbage_policy, 1, 0, word, 2));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_fill_ns(&now.garbage_policy, 1, 0, NULL, 0));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_init(&now.iterator, &now.garbage_policy, 1));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_next_ns(&now.garbage_iterator, word));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_reset(&now.garbage_iterator));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_position(&now.garbage_iterator, word, word));
  REFUSED(BACKOFF_UNINITIALIZED,
          backoff_error_message(&now.garbage_error, now.text, sizeof now.text));
  backoff_policy *policy = &now.garbage_policy;
  REFUSED(BACKOFF_UNINITIALIZED, backoff_policy_print(policy, now.text, sizeof now.text));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_fit_base(policy, 2, 1, &now.policy, &now.error));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_fit_cap(policy, 2, 1, &now.policy, &now.error));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_preview_init(&now.preview, policy));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_preview_next(&now.garbage_preview, &now.row));
  backoff_budget *budget = &now.garbage_budget;
  backoff_operation *operation = &now.garbage_operation;
  uint32_t outcome = BACKOFF_OUTCOME_TRANSIENT, *reason = &now.numerator;
  REFUSED(BACKOFF_UNINITIALIZED, backoff_budget_print(budget, now.text, sizeof now.text));
  REFUSED(BACKOFF_UNINITIALIZED,
          backoff_operation_begin(&now.operation, policy, 1, 0, 1, &now.budget));
  REFUSED(BACKOFF_UNINITIALIZED,
          backoff_operation_begin(&now.operation, &now.policy, 1, 0, 1, budget));
  REFUSED(BACKOFF_UNINITIALIZED,
          backoff_operation_decide(operation, outcome, 0, 0, &now.budget, &now.decision));
  REFUSED(BACKOFF_UNINITIALIZED,
          backoff_operation_decide(&now.operation, outcome, 0, 0, budget, &now.decision));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_operation_cancel(operation, &now.budget, reason));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_operation_cancel(&now.operation, budget, reason));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_operation_state(operation, word, reason));
  backoff_history *history = &now.garbage_history;
  REFUSED(BACKOFF_UNINITIALIZED, backoff_history_record(history, 1, BACKOFF_REASON_SUCCESS));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_history_merge(history, &now.history));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_history_merge(&now.history, history));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_history_read(history, &now.counts));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_history_print(history, now.page, sizeof now.page));
  const backoff_calls *calls = &now.calls;
  backoff_event *end = &now.end;
  REFUSED(BACKOFF_UNINITIALIZED, loop(policy, &now.budget, &now.history, calls, end));
  REFUSED(BACKOFF_UNINITIALIZED, loop(NULL, budget, &now.history, calls, end));
  REFUSED(BACKOFF_UNINITIALIZED, loop(NULL, NULL, history, calls, end));
  if (check_failed > failed) printf("  in memory of %s\n", memory);
}

static void check_uninitialized_params(const char *memory) {
  unsigned long failed = check_failed;
  backoff_params *params = &now.garbage_params;
  REFUSED(BACKOFF_UNINITIALIZED, backoff_params_set(params, BACKOFF_FIELD_BASE, 1));
  REFUSED(BACKOFF_UNINITIALIZED,
          backoff_params_set_ratio(params, BACKOFF_FIELD_MULTIPLIER, 2, 1));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_policy_init(&now.policy, params, &now.error));
  if (check_failed > failed) printf("  in memory of %s\n", memory);
}

static void fill_garbage(int byte) {
  memset(&now.garbage_policy, byte, sizeof now.garbage_policy);
  memset(&now.garbage_iterator, byte, sizeof now.garbage_iterator);
  memset(&now.garbage_preview, byte, sizeof now.garbage_preview);
  memset(&now.garbage_budget, byte, sizeof now.garbage_budget);
  memset(&now.garbage_operation, byte, sizeof now.garbage_operation);
  memset(&now.garbage_history, byte, sizeof now.garbage_history);
  memset(&now.garbage_error, byte, sizeof now.garbage_error);
}

static void check_garbage(void) {
  fill_garbage(0);
  check_uninitialized("zeros");
  fill_garbage(0xFF);
  check_uninitialized("ones");

  memcpy(&now.garbage_policy, &now.iterator, sizeof now.garbage_policy);
  memcpy(&now.garbage_iterator, &now.policy, sizeof now.policy);
  memcpy(&now.garbage_preview, &now.iterator, sizeof now.iterator);
  memcpy(&now.garbage_budget, &now.operation, sizeof now.garbage_budget);
  memcpy(&now.garbage_operation, &now.budget, sizeof now.budget);
  memcpy(&now.garbage_history, &now.preview, sizeof now.garbage_history);
  memcpy(&now.garbage_error, &now.policy, sizeof now.garbage_error);
  check_uninitialized("another type");

  memset(&now.garbage_params, 0xFF, sizeof now.garbage_params);
  check_uninitialized_params("ones");
  memcpy(&now.garbage_params, &now.iterator, sizeof now.garbage_params);
  check_uninitialized_params("another type");
  memset(&now.garbage_params, 0, sizeof now.garbage_params);
  now.garbage_params.opaque[0] = 1;
  check_uninitialized_params("the bit below those of the fields");
  now.garbage_params.opaque[0] = UINT64_C(1) << 24;
  check_uninitialized_params("the bit above those of the fields");
}

static void check_fields(void) {
  static const struct {
    uint32_t field;
    int is_ratio;
    const char *name;
  } rows[] = {
      {BACKOFF_FIELD_GROWTH, 0, "growth"},
      {BACKOFF_FIELD_BASE, 0, "base"},
      {BACKOFF_FIELD_INCREMENT, 0, "increment"},
      {BACKOFF_FIELD_MULTIPLIER, 1, "multiplier"},
      {BACKOFF_FIELD_POWER, 0, "power"},
      {BACKOFF_FIELD_ORIGIN, 0, "origin"},
      {BACKOFF_FIELD_OFFSET, 0, "offset"},
      {BACKOFF_FIELD_CAP, 0, "cap"},
      {BACKOFF_FIELD_CAP_ON, 0, "cap_on"},
      {BACKOFF_FIELD_FLOOR, 0, "floor"},
      {BACKOFF_FIELD_JITTER, 0, "jitter"},
      {BACKOFF_FIELD_JITTER_BELOW, 1, "jitter_below"},
      {BACKOFF_FIELD_JITTER_ABOVE, 1, "jitter_above"},
      {BACKOFF_FIELD_JITTER_MAX, 0, "jitter_max"},
      {BACKOFF_FIELD_JITTER_INCREMENT, 0, "jitter_increment"},
      {BACKOFF_FIELD_JITTER_SLOT, 0, "jitter_slot"},
      {BACKOFF_FIELD_MAX_RETRIES, 0, "max_retries"},
      {BACKOFF_FIELD_MAX_ATTEMPTS, 0, "max_attempts"},
      {BACKOFF_FIELD_MAX_ELAPSED, 0, "max_elapsed"},
      {BACKOFF_FIELD_THROTTLED_BASE, 0, "throttled_base"},
      {BACKOFF_FIELD_HINT, 0, "hint"},
      {BACKOFF_FIELD_HINT_MAX, 0, "hint_max"},
      {BACKOFF_FIELD_HINT_MAX_EXTRA, 0, "hint_max_extra"},
  };
  static const struct {
    uint32_t field;
    const char *name;
  } of_budgets[] = {
      {BACKOFF_FIELD_BUDGET, "budget"},
      {BACKOFF_FIELD_MAX_TOKENS, "max_tokens"},
      {BACKOFF_FIELD_COST, "cost"},
      {BACKOFF_FIELD_COST_THROTTLED, "cost_throttled"},
      {BACKOFF_FIELD_COST_TIMEOUT, "cost_timeout"},
      {BACKOFF_FIELD_RATIO, "ratio"},
      {BACKOFF_FIELD_PER, "per"},
      {BACKOFF_FIELD_TTL, "ttl"},
      {BACKOFF_FIELD_MIN_PER_SECOND, "min_per_second"},
      {BACKOFF_FIELD_MIN_CONCURRENT, "min_concurrent"},
  };
  static const uint32_t unknown[] = {0, 24, 31, 32, 43, 64, 65, 0x80000000u, UINT32_MAX};
  for (size_t i = 0; i < LENGTH(rows); i++) {
    uint32_t field = rows[i].field;
    backoff_params params = BACKOFF_PARAMS_INIT;
    check_text(rows[i].name, "name", backoff_field_name(field), rows[i].name);
    if (rows[i].is_ratio) {
      REFUSED(BACKOFF_WRONG_UNIT, backoff_params_set(&now.params, field, 1));
      DONE(backoff_params_set_ratio(&params, field, 1, 1));
    } else {
      REFUSED(BACKOFF_WRONG_UNIT, backoff_params_set_ratio(&now.params, field, 1, 1));
      DONE(backoff_params_set(&params, field, 1));
    }
  }
  /* A budget is made of a line: its fields have names, and cannot be given. */
  for (size_t i = 0; i < LENGTH(of_budgets); i++) {
    uint32_t field = of_budgets[i].field;
    check_text(of_budgets[i].name, "name", backoff_field_name(field), of_budgets[i].name);
    REFUSED(BACKOFF_UNKNOWN_FIELD, backoff_params_set(&now.params, field, 1));
    REFUSED(BACKOFF_UNKNOWN_FIELD, backoff_params_set_ratio(&now.params, field, 1, 1));
  }
  for (size_t i = 0; i < LENGTH(unknown); i++) {
    check_text("unknown field", "name", backoff_field_name(unknown[i]), "unknown_field");
    REFUSED(BACKOFF_UNKNOWN_FIELD, backoff_params_set(&now.params, unknown[i], 1));
    REFUSED(BACKOFF_UNKNOWN_FIELD, backoff_params_set_ratio(&now.params, unknown[i], 1, 1));
  }
}

static void check_codes(void) {
  static const struct {
    uint32_t code;
    const char *name;
  } rows[] = {
      {BACKOFF_OK, "ok"},
      {BACKOFF_UNKNOWN_KIND, "unknown_kind"},
      {BACKOFF_MISSING, "missing"},
      {BACKOFF_UNUSED, "unused"},
      {BACKOFF_TOO_LARGE, "too_large"},
      {BACKOFF_TOO_SMALL, "too_small"},
      {BACKOFF_ZERO_DENOMINATOR, "zero_denominator"},
      {BACKOFF_RATIO_TOO_FINE, "ratio_too_fine"},
      {BACKOFF_NOT_EXPONENTIAL, "not_exponential"},
      {BACKOFF_CAP_BELOW_BASE, "cap_below_base"},
      {BACKOFF_OFFSET_ABOVE_CAP, "offset_above_cap"},
      {BACKOFF_FLOOR_ABOVE_CAP, "floor_above_cap"},
      {BACKOFF_GROWTH_STALLS, "growth_stalls"},
      {BACKOFF_GIVEN_TWICE, "given_twice"},
      {BACKOFF_UNKNOWN_HEAD, "unknown_head"},
      {BACKOFF_UNKNOWN_KEY, "unknown_key"},
      {BACKOFF_REPEATED_KEY, "repeated_key"},
      {BACKOFF_MISSING_VALUE, "missing_value"},
      {BACKOFF_NOT_A_DURATION, "not_a_duration"},
      {BACKOFF_MISSING_UNIT, "missing_unit"},
      {BACKOFF_UNKNOWN_UNIT, "unknown_unit"},
      {BACKOFF_DURATION_TOO_FINE, "duration_too_fine"},
      {BACKOFF_NOT_A_RATIO, "not_a_ratio"},
      {BACKOFF_NOT_A_COUNT, "not_a_count"},
      {BACKOFF_TEXT_TOO_LONG, "text_too_long"},
      {BACKOFF_DOES_NOT_FIT, "does_not_fit"},
      {BACKOFF_NULL_POINTER, "null_pointer"},
      {BACKOFF_UNINITIALIZED, "uninitialized"},
      {BACKOFF_UNKNOWN_FIELD, "unknown_field"},
      {BACKOFF_WRONG_UNIT, "wrong_unit"},
      {BACKOFF_END, "end"},
      {BACKOFF_NO_ENTROPY, "no_entropy"},
      {BACKOFF_BUFFER_TOO_SMALL, "buffer_too_small"},
      {BACKOFF_NOT_A_HINT, "not_a_hint"},
      {BACKOFF_TOO_LONG, "too_long"},
      {BACKOFF_UNKNOWN_OUTCOME, "unknown_outcome"},
      {BACKOFF_UNKNOWN_REASON, "unknown_reason"},
  };
  static const char *const outcomes[] = {"success", "transient", "throttled", "timeout",
                                         "permanent"};
  static const char *const reasons[] = {"success",  "permanent", "max_retries", "max_elapsed",
                                        "deadline", "budget",    "cancelled"};
  static const uint32_t unknown[] = {26, 99, 111, UINT32_MAX};
  for (size_t i = 0; i < LENGTH(rows); i++) {
    check_text(rows[i].name, "name", backoff_code_name(rows[i].code), rows[i].name);
  }
  for (size_t i = 0; i < LENGTH(unknown); i++) {
    check_text("unknown code", "name", backoff_code_name(unknown[i]), "unknown_code");
  }
  for (uint32_t i = 0; i < LENGTH(outcomes); i++) {
    check_text(outcomes[i], "name", backoff_outcome_name(i + 1), outcomes[i]);
  }
  for (uint32_t i = 0; i < LENGTH(reasons); i++) {
    check_text(reasons[i], "name", backoff_reason_name(i + 1), reasons[i]);
  }
}

/* A refused policy fills the error, and nothing else. */
static void check_refused_policies(void) {
  static const struct {
    const char *id;
    uint32_t field;
    uint64_t given;
    struct {
      uint32_t code, field;
      uint64_t value, limit;
    } error;
  } rows[] = {
      {"growth 0", BACKOFF_FIELD_GROWTH, 0,
       {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_GROWTH, 0, 5}},
      {"growth 6", BACKOFF_FIELD_GROWTH, 6,
       {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_GROWTH, 6, 5}},
      {"growth 2^32 + 1", BACKOFF_FIELD_GROWTH, INDICES + 1,
       {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_GROWTH, INDICES + 1, 5}},
      {"jitter 8", BACKOFF_FIELD_JITTER, 8,
       {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_JITTER, 8, 7}},
      {"cap on 3", BACKOFF_FIELD_CAP_ON, 3,
       {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_CAP_ON, 3, 2}},
      {"a negative base", BACKOFF_FIELD_BASE, (uint64_t)-1,
       {BACKOFF_TOO_LARGE, BACKOFF_FIELD_BASE, UINT64_MAX, BACKOFF_MAX_NS}},
      {"hint 4", BACKOFF_FIELD_HINT, 4, {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_HINT, 4, 3}},
      {"no attempt", BACKOFF_FIELD_MAX_ATTEMPTS, 0,
       {BACKOFF_TOO_SMALL, BACKOFF_FIELD_MAX_ATTEMPTS, 0, 1}},
      {"a cap below the base", BACKOFF_FIELD_CAP, 9,
       {BACKOFF_CAP_BELOW_BASE, BACKOFF_FIELD_CAP, 9, 10}},
      {"a slot without slots", BACKOFF_FIELD_JITTER_SLOT, 1,
       {BACKOFF_UNUSED, BACKOFF_FIELD_JITTER_SLOT, 1, BACKOFF_JITTER_NONE}},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    backoff_params params = now.params;
    backoff_error untouched = now.error;
    check_code(rows[i].id, backoff_params_set(&params, rows[i].field, rows[i].given),
               BACKOFF_OK);
    remember();
    check_code(rows[i].id, backoff_policy_init(&now.policy, &params, &now.error),
               rows[i].error.code);
    check_word(rows[i].id, "code", now.error.code, rows[i].error.code);
    check_word(rows[i].id, "field", now.error.field, rows[i].error.field);
    check_word(rows[i].id, "value", now.error.value, rows[i].error.value);
    check_word(rows[i].id, "limit", now.error.limit, rows[i].error.limit);
    check_word(rows[i].id, "line", now.error.line, BACKOFF_LINE_NONE);
    check_word(rows[i].id, "at", now.error.at, 0);
    check_word(rows[i].id, "length of what was found", now.error.found_length, 0);
    check_text(rows[i].id, "what was found", now.error.found, "");
    now.error = untouched;
    check_untouched(rows[i].id);
  }
  remember();
  check_code("no field given", backoff_policy_init(&now.policy, &now.empty_params, NULL),
             BACKOFF_MISSING);
  check_untouched("no field given");
}

/* The last value given counts, and a policy keeps none of the memory of its params. */
static void check_copies(void) {
  backoff_params params = now.params;
  backoff_policy policy, copied_policy;
  backoff iterator, copied_iterator;
  uint64_t delay = 0;
  DONE(backoff_params_set(&params, BACKOFF_FIELD_BASE, 11));
  DONE(backoff_params_set(&params, BACKOFF_FIELD_BASE, 12));
  DONE(backoff_policy_init(&policy, &params, NULL));
  memset(&params, 0, sizeof params);
  copied_policy = policy;
  DONE(backoff_init(&iterator, &policy, 1));
  memset(&policy, 0, sizeof policy);
  DONE(backoff_delay_ns(&copied_policy, 1, 0, &delay));
  check_word("a copy of a policy", "delay", delay, 12);
  DONE(backoff_next_ns(&iterator, &delay));
  check_word("an iterator without its policy", "delay", delay, 12);
  copied_iterator = iterator;
  DONE(backoff_next_ns(&iterator, &delay));
  DONE(backoff_position(&copied_iterator, &delay, NULL));
  check_word("a copy of an iterator", "index", delay, 1);
  DONE(backoff_init(&iterator, &copied_policy, 2));
  DONE(backoff_position(&iterator, &delay, NULL));
  check_word("an iterator made anew", "index", delay, 0);
}

/* There are 2^32 indices; a batch ends where they do and writes what was asked for. */
static void check_batch_ends(void) {
  static const struct {
    const char *id;
    uint32_t first;
    uint64_t count;
    uint32_t code;
  } rows[] = {
      {"the last index", UINT32_MAX, 1, BACKOFF_OK},
      {"one beyond the last index", UINT32_MAX, 2, BACKOFF_END},
      {"the last four", UINT32_MAX - 3, 4, BACKOFF_OK},
      {"four and one beyond", UINT32_MAX - 3, 5, BACKOFF_END},
      {"none at the last index", UINT32_MAX, 0, BACKOFF_OK},
      {"all and one", 0, INDICES + 1, BACKOFF_END},
      {"as many as there are, from 1", 1, INDICES, BACKOFF_END},
      {"a count of -1", 0, UINT64_MAX, BACKOFF_END},
      {"a count of -1 at the last index", UINT32_MAX, UINT64_MAX, BACKOFF_END},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    memset(now.words, 0xA5, sizeof now.words);
    remember();
    check_code(rows[i].id,
               backoff_fill_ns(&now.policy, 1, rows[i].first, &now.words[1], rows[i].count),
               rows[i].code);
    uint64_t written = rows[i].code == BACKOFF_OK ? rows[i].count : 0;
    for (uint64_t at = 1; at <= written; at++) then.words[at] = 10;
    check_untouched(rows[i].id);
  }
}

/* An iterator at its end. Its index is the one word that a delay of constant growth changes;
 * to write it spares 2^32 calls, and backoff_position says whether it was the right one. */
static void check_iterator_ends(void) {
  const char *id = "iterator at its end";
  backoff fresh, iterator;
  uint64_t delay = CANARY, index = 0, stream = 0;
  size_t changed = 0, place = 0;
  DONE(backoff_init(&fresh, &now.policy, 42));
  iterator = fresh;
  DONE(backoff_next_ns(&iterator, &delay));
  for (size_t i = 0; i < LENGTH(fresh.opaque); i++) {
    if (iterator.opaque[i] != fresh.opaque[i]) {
      place = i;
      changed++;
    }
  }
  check_word(id, "number of words that a delay changes", changed, 1);
  iterator.opaque[place] = UINT32_MAX;
  DONE(backoff_position(&iterator, &index, NULL));
  check_word(id, "index before the last delay", index, UINT32_MAX);
  delay = CANARY;
  DONE(backoff_next_ns(&iterator, &delay));
  check_word(id, "last delay", delay, 10);

  fresh = iterator;
  delay = CANARY;
  for (int twice = 0; twice < 2; twice++) {
    check_code(id, backoff_next_ns(&iterator, &delay), BACKOFF_END);
    check_word(id, "delay after the end", delay, CANARY);
    check_true(id, "it stays where it is", memcmp(&iterator, &fresh, sizeof fresh) == 0);
  }
  DONE(backoff_position(&iterator, &index, NULL));
  check_word(id, "index at the end", index, INDICES);

  DONE(backoff_reset(&iterator));
  DONE(backoff_position(&iterator, &index, &stream));
  check_word(id, "index after a reset", index, 0);
  check_word(id, "stream after a reset", stream, backoff_advance(42, INDICES));
  DONE(backoff_next_ns(&iterator, &delay));
  check_word(id, "delay after a reset", delay, 10);
}

/* Every function that writes a text, as it is called by check_sizes. */
static uint32_t write_message(char *buffer, uint64_t size) {
  return backoff_error_message(&now.error, buffer, size);
}
static uint32_t write_policy(char *buffer, uint64_t size) {
  return backoff_policy_print(&now.policy, buffer, size);
}
static uint32_t write_budget(char *buffer, uint64_t size) {
  return backoff_budget_print(&now.budget, buffer, size);
}
static uint32_t write_history(char *buffer, uint64_t size) {
  return backoff_history_print(&now.history, buffer, size);
}

/* A text writes itself and its zero, or nothing. */
static void check_sizes(uint32_t (*write)(char *, uint64_t), const char *text) {
  size_t needed = strlen(text) + 1;
  memset(now.page, 0x5A, sizeof now.page);
  for (size_t size = 0; size < needed; size++) {
    REFUSED(BACKOFF_BUFFER_TOO_SMALL, write(now.page, size));
  }
  for (size_t size = needed; size <= needed + 1; size++) {
    memset(now.page, 0x5A, sizeof now.page);
    remember();
    DONE(write(now.page, size));
    memcpy(then.page, text, needed);
    check_untouched(text);
  }
  remember();
  DONE(write(now.page, UINT64_MAX));
  check_untouched(text);
}

static void check_text_sizes(void) {
  char page[BACKOFF_HISTORY_SIZE] = "";
  check_sizes(write_message, "cap 5ns is below base 10ns");
  check_sizes(write_policy, "constant:base=10ns");
  check_sizes(write_budget, "quota:max_tokens=2,cost=1");
  DONE(backoff_history_print(&now.history, page, sizeof page));
  check_sizes(write_history, page);
}

/* Whether the message of a code names its field, if there is one: it is not of the line as such. */
static int names_field(uint32_t code) {
  return code != BACKOFF_UNKNOWN_HEAD && code != BACKOFF_UNKNOWN_KEY &&
         code != BACKOFF_REPEATED_KEY && code != BACKOFF_TEXT_TOO_LONG;
}

/* Whatever an error holds: a whole message that fits, or a code. */
static void check_messages(void) {
  static const uint64_t words[] = {0, 1, INDICES, BACKOFF_MAX_NS, UINT64_MAX};
  static const backoff_error unknown[] = {
      {.code = BACKOFF_OK, .field = BACKOFF_FIELD_CAP},
      {.code = BACKOFF_DOES_NOT_FIT + 1, .field = BACKOFF_FIELD_CAP},
      {.code = BACKOFF_NULL_POINTER, .field = BACKOFF_FIELD_CAP},
      {.code = BACKOFF_CAP_BELOW_BASE, .field = 0},
      {.code = BACKOFF_CAP_BELOW_BASE, .field = 24},
      {.code = BACKOFF_UNKNOWN_KEY, .field = 24, .line = BACKOFF_LINE_POLICY},
      {.code = BACKOFF_UNKNOWN_KEY, .field = 43, .line = BACKOFF_LINE_BUDGET},
      {.code = BACKOFF_UNKNOWN_KEY, .line = BACKOFF_LINE_BUDGET + 1},
      {.code = BACKOFF_UNKNOWN_KEY, .line = UINT32_MAX},
  };
  for (uint32_t line = BACKOFF_LINE_NONE; line <= BACKOFF_LINE_BUDGET; line++) {
    for (uint32_t code = BACKOFF_UNKNOWN_KIND; code <= BACKOFF_DOES_NOT_FIT; code++) {
      for (uint32_t field = 0; field <= BACKOFF_FIELD_MIN_CONCURRENT; field++) {
        const char *name = backoff_field_name(field);
        int is_field = strcmp(name, "unknown_field") != 0;
        if (!is_field && (field > 0 || line == BACKOFF_LINE_NONE)) continue;
        for (size_t i = 0; i < LENGTH(words); i++) {
          uint64_t word = words[i];
          backoff_error error = {.code = code,     .field = field, .value = word,
                                 .limit = word,    .line = line,   .at = word,
                                 .found_length = word};
          memset(error.found, 0xFF, sizeof error.found);
          DONE(backoff_error_message(&error, now.text, BACKOFF_TEXT_SIZE));
          check_true(name, "its message is shorter than the longest text, so it was not cut",
                     strlen(now.text) + 1 < BACKOFF_TEXT_SIZE);
          const char *begins = line != BACKOFF_LINE_NONE ? "at " : names_field(code) ? name : "";
          check_true(name, "its message begins as it has to",
                     strncmp(now.text, begins, strlen(begins)) == 0);
        }
      }
    }
  }
  for (size_t i = 0; i < LENGTH(unknown); i++) {
    REFUSED(BACKOFF_UNINITIALIZED,
            backoff_error_message(&unknown[i], now.text, sizeof now.text));
  }
}

/* A refused line fills the error, and nothing else, whatever bytes it has. */
static void check_refused_lines(void) {
  static const struct {
    const char *text;
    uint64_t length;
    uint32_t code;
    uint64_t at, found_length;
    const char *found, *message;
  } rows[] = {
      {"constant:base=1s", 0, BACKOFF_UNKNOWN_HEAD, 0, 0, "", "at 0: unknown name \"\"; "},
      {"none:b\xFF=1", 9, BACKOFF_UNKNOWN_KEY, 5, 2, "b\xFF", "at 5: unknown key \"b\\xff\"; "},
      {"none:base=\x80", 11, BACKOFF_NOT_A_DURATION, 10, 1, "\x80",
       "at 10: base \"\\x80\" is not a duration"},
      {"constant:base=1\xC3\xA4", 17, BACKOFF_UNKNOWN_UNIT, 15, 2, "\xC3\xA4",
       "at 15: base has the unknown unit \"\\xc3\\xa4\"; "},
      {"none\0more", 9, BACKOFF_UNKNOWN_HEAD, 0, 9, "none\0more",
       "at 0: unknown name \"none\\x00more\"; "},
      {"0123456789012345678901234567890123456789", 40, BACKOFF_UNKNOWN_HEAD, 0, 40,
       "01234567890123456789012345678901",
       "at 0: unknown name \"01234567890123456789012345678901...\"; "},
  };
  static char longest[1025];
  backoff_error untouched = now.error;
  for (size_t i = 0; i < LENGTH(rows); i++) {
    const char *id = rows[i].message;
    remember();
    check_code(id, backoff_policy_parse(&now.policy, rows[i].text, rows[i].length, &now.error),
               rows[i].code);
    check_word(id, "at", now.error.at, rows[i].at);
    check_word(id, "length of what was found", now.error.found_length, rows[i].found_length);
    check_true(id, "what was found",
               memcmp(now.error.found, rows[i].found,
                      rows[i].found_length < 32 ? rows[i].found_length : 32) == 0);
    for (size_t at = rows[i].found_length; at < sizeof now.error.found; at++) {
      check_word(id, "a byte after what was found", (unsigned char)now.error.found[at], 0);
    }
    check_word(id, "line", now.error.line, BACKOFF_LINE_POLICY);
    DONE(backoff_error_message(&now.error, now.text, sizeof now.text));
    check_true(id, "message", strncmp(now.text, id, strlen(id)) == 0);
    now.error = untouched;
    memcpy(now.text, then.text, sizeof now.text);
    check_untouched(id);
  }
  memset(longest, 'x', sizeof longest);
  REFUSED(BACKOFF_UNKNOWN_HEAD, backoff_policy_parse(&now.policy, longest, 1024, NULL));
  REFUSED(BACKOFF_TEXT_TOO_LONG, backoff_policy_parse(&now.policy, longest, 1025, NULL));
  REFUSED(BACKOFF_TEXT_TOO_LONG, backoff_budget_parse(&now.budget, longest, 1025, NULL));
}

/* A preview at its end stays there. */
static void check_preview_ends(void) {
  static const char *const lines[] = {"constant:base=10ns,max_retries=1",
                                      "constant:base=10ns,max_elapsed=19ns"};
  for (size_t i = 0; i < LENGTH(lines); i++) {
    backoff_policy policy;
    DONE(backoff_policy_parse(&policy, lines[i], strlen(lines[i]), NULL));
    DONE(backoff_preview_init(&now.preview, &policy));
    DONE(backoff_preview_next(&now.preview, &now.row));
    check_word(lines[i], "total", now.row.total_largest, 10);
    for (int twice = 0; twice < 2; twice++) {
      REFUSED(BACKOFF_END, backoff_preview_next(&now.preview, &now.row));
    }
  }
}

/* A policy may be fitted in place, and a history merged with itself. */
static void check_same_memory(void) {
  backoff_policy policy = now.policy;
  char text[BACKOFF_TEXT_SIZE] = "";
  DONE(backoff_fit_base(&policy, 3, 100, &policy, NULL));
  DONE(backoff_policy_print(&policy, text, sizeof text));
  check_text("fitted in place", "line", text, "constant:base=50ns");

  backoff_history history;
  DONE(backoff_history_init(&history));
  DONE(backoff_history_record(&history, 3, BACKOFF_REASON_DEADLINE));
  DONE(backoff_history_merge(&history, &history));
  DONE(backoff_history_read(&history, &now.counts));
  check_word("merged with itself", "operations", now.counts.operations, 2);
  check_word("merged with itself", "attempts", now.counts.attempts, 6);
  check_word("merged with itself", "stops", now.counts.stops[BACKOFF_REASON_DEADLINE - 1], 2);
}

/* No count goes beyond 2^64 - 1, and the largest fit the page. */
static void check_largest_history(void) {
  backoff_history history;
  DONE(backoff_history_init(&history));
  for (uint32_t reason = BACKOFF_REASON_SUCCESS; reason <= BACKOFF_REASON_CANCELLED; reason++) {
    DONE(backoff_history_record(&history, reason, reason));
  }
  for (int doubled = 0; doubled < 65; doubled++) DONE(backoff_history_merge(&history, &history));
  DONE(backoff_history_record(&history, UINT64_MAX, BACKOFF_REASON_SUCCESS));
  DONE(backoff_history_read(&history, &now.counts));
  check_word("largest history", "operations", now.counts.operations, UINT64_MAX);
  check_word("largest history", "attempts", now.counts.attempts, UINT64_MAX);
  check_word("largest history", "retries", now.counts.retries, UINT64_MAX);
  check_word("largest history", "first bucket", now.counts.buckets[0], UINT64_MAX);
  check_word("largest history", "last bucket", now.counts.buckets[11], 1);
  check_word("largest history", "stops", now.counts.stops[6], UINT64_MAX);
  DONE(backoff_history_print(&history, now.page, BACKOFF_HISTORY_SIZE));
  check_true("largest history", "it is not cut: it ends with its last line",
             strstr(now.page, "{reason=\"cancelled\"} 18446744073709551615\n") != NULL);
  DONE(backoff_history_init(&history));
  DONE(backoff_history_read(&history, &now.counts));
  check_word("a history made anew", "operations", now.counts.operations, 0);
}

/* An operation that has ended made an attempt, whatever is said. */
static void check_no_attempts(void) {
  backoff_history history;
  DONE(backoff_history_init(&history));
  DONE(backoff_history_record(&history, 0, BACKOFF_REASON_CANCELLED));
  DONE(backoff_history_read(&history, &now.counts));
  check_word("no attempts", "operations", now.counts.operations, 1);
  check_word("no attempts", "attempts", now.counts.attempts, 1);
  check_word("no attempts", "retries", now.counts.retries, 0);
  check_word("no attempts", "first bucket", now.counts.buckets[0], 1);
}

static void check_ratios(void) {
  static const struct {
    const char *text;
    size_t length;
    uint32_t code, numerator, denominator;
  } rows[] = {
      {"1.6", 3, BACKOFF_OK, 8, 5},
      {"8/5", 3, BACKOFF_OK, 8, 5},
      {"160%", 4, BACKOFF_OK, 8, 5},
      {"16/10", 5, BACKOFF_OK, 8, 5},
      {"1.600000000000000000000000", 26, BACKOFF_OK, 8, 5},
      {"1.6 and more", 3, BACKOFF_OK, 8, 5},
      {"2", 1, BACKOFF_OK, 2, 1},
      {"0", 1, BACKOFF_OK, 0, 1},
      {"0/7", 3, BACKOFF_OK, 0, 1},
      {"0.0", 3, BACKOFF_OK, 0, 1},
      {"0.000001", 8, BACKOFF_OK, 1, 1000000},
      {"1000000", 7, BACKOFF_OK, 1000000, 1},
      {"4294967296/8589934592", 21, BACKOFF_OK, 1, 2},
      {"1000001", 7, BACKOFF_OK, 1000001, 1},
      {"0.0000001", 9, BACKOFF_OK, 1, 10000000},
      {"4294967295", 10, BACKOFF_OK, 4294967295u, 1},
      {"4294967296", 10, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"0.0000000001", 12, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"1/4294967296", 12, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"18446744073709551616", 20, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"1/0", 3, BACKOFF_ZERO_DENOMINATOR, 0, 0},
      {"0/0", 3, BACKOFF_ZERO_DENOMINATOR, 0, 0},
      {"", 0, BACKOFF_NOT_A_RATIO, 0, 0},
      {"2", UINT64_MAX, BACKOFF_TOO_LONG, 0, 0},
      {"2", (uint64_t)INT64_MAX + 1, BACKOFF_TOO_LONG, 0, 0},
      {"2", 0, BACKOFF_NOT_A_RATIO, 0, 0},
      {"2\0", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1.", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {".5", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1.5.2", 5, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1/", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"/1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1/2/3", 5, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1.5/2", 5, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1,6", 3, BACKOFF_NOT_A_RATIO, 0, 0},
      {"-1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"+1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {" 1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1e3", 3, BACKOFF_NOT_A_RATIO, 0, 0},
      {"0x10", 4, BACKOFF_NOT_A_RATIO, 0, 0},
      {"nan", 3, BACKOFF_NOT_A_RATIO, 0, 0},
      {"\xFF", 1, BACKOFF_NOT_A_RATIO, 0, 0},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    remember();
    check_code(rows[i].text,
               backoff_ratio_parse(rows[i].text, rows[i].length, &now.numerator,
                                   &now.denominator),
               rows[i].code);
    if (rows[i].code == BACKOFF_OK) {
      then.numerator = rows[i].numerator;
      then.denominator = rows[i].denominator;
    }
    check_untouched(rows[i].text);
  }
}

static void check_entropy(void) {
  uint64_t one = 0, other = 0;
  DONE(backoff_stream_from_entropy(&one));
  DONE(backoff_stream_from_entropy(&other));
  check_true("entropy", "two streams differ", one != other);
}

int main(void) {
  start();
  check_null();
  check_null_lines();
  check_null_operations();
  check_null_loops();
  check_unknown_numbers();
  check_optional();
  check_garbage();
  check_fields();
  check_codes();
  check_refused_policies();
  check_copies();
  check_batch_ends();
  check_iterator_ends();
  check_text_sizes();
  check_messages();
  check_refused_lines();
  check_preview_ends();
  check_same_memory();
  check_largest_history();
  check_no_attempts();
  check_ratios();
  check_entropy();
  return check_end();
}
