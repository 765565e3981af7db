/* Required pointers that are NULL, of every function, and pointers that may be NULL. */

#include "memory.h"

#define IS_NULL(call) FAILS(BACKOFF_NULL_POINTER, call)
#define IS_NULL_FILLED(call) FAILS_FILLED(BACKOFF_NULL_POINTER, call)
#define IS_NULL_EMPTY(call) FAILS_EMPTY(BACKOFF_NULL_POINTER, call)

static void check_policies(void) {
  uint64_t *number = &memory.numbers[1];
  IS_NULL(backoff_params_set(NULL, BACKOFF_FIELD_BASE, 1));
  IS_NULL(backoff_params_set_ratio(NULL, BACKOFF_FIELD_MULTIPLIER, 2, 1));
  IS_NULL(backoff_ratio_parse(NULL, 1, &memory.numerator, &memory.denominator));
  FAILS(BACKOFF_NOT_A_RATIO,
        backoff_ratio_parse(NULL, 0, &memory.numerator, &memory.denominator));
  IS_NULL(backoff_ratio_parse("2", 1, NULL, &memory.denominator));
  IS_NULL(backoff_ratio_parse("2", 1, &memory.numerator, NULL));
  IS_NULL_FILLED(backoff_policy_init(NULL, &memory.params, &memory.error));
  IS_NULL_FILLED(backoff_policy_init(&memory.policy, NULL, &memory.error));
  IS_NULL(backoff_policy_init(NULL, NULL, NULL));
  FAILS(BACKOFF_CAP_BELOW_BASE, backoff_policy_init(&memory.policy, &memory.wrong_params, NULL));
  IS_NULL(backoff_policy_delay_ns(NULL, 1, 0, number));
  IS_NULL(backoff_policy_delay_ns(&memory.policy, 1, 0, NULL));
  IS_NULL(backoff_policy_get(NULL, BACKOFF_FIELD_BASE, number));
  IS_NULL(backoff_policy_get(&memory.policy, BACKOFF_FIELD_BASE, NULL));
  IS_NULL(backoff_policy_get_ratio(NULL, BACKOFF_FIELD_MULTIPLIER, &memory.numerator,
                                   &memory.denominator));
  IS_NULL(backoff_policy_get_ratio(&memory.policy, BACKOFF_FIELD_MULTIPLIER, NULL,
                                   &memory.denominator));
  IS_NULL(backoff_policy_get_ratio(&memory.policy, BACKOFF_FIELD_MULTIPLIER, &memory.numerator,
                                   NULL));
  IS_NULL(backoff_policy_max_retries(NULL, number));
  IS_NULL(backoff_policy_max_retries(&memory.policy, NULL));
  IS_NULL(backoff_policy_window_ns(NULL, 0, number));
  IS_NULL(backoff_policy_window_ns(&memory.policy, 0, NULL));
  IS_NULL(backoff_policy_fill_ns(NULL, 1, 0, number, 2, &memory.written));
  IS_NULL(backoff_policy_fill_ns(NULL, 1, 0, number, 0, &memory.written));
  IS_NULL(backoff_policy_fill_ns(&memory.policy, 1, 0, NULL, 2, &memory.written));
  IS_NULL(backoff_policy_fill_ns(&memory.policy, 1, 0, number, 2, NULL));
  IS_NULL(backoff_stream_from_key(1, NULL, 1, number));
  IS_NULL(backoff_stream_from_key(1, "k", 1, NULL));
  FAILS(BACKOFF_TOO_LONG, backoff_stream_from_key(1, "k", UINT64_MAX, number));
  IS_NULL(backoff_stream_from_entropy(NULL));
  IS_NULL(backoff_stream_nth(1, 0, NULL));
  IS_NULL(backoff_iter_init(NULL, &memory.policy, 1));
  IS_NULL(backoff_iter_init(&memory.iter, NULL, 1));
  IS_NULL(backoff_iter_next_ns(NULL, number));
  IS_NULL(backoff_iter_next_ns(&memory.iter, NULL));
  IS_NULL(backoff_iter_reset(NULL));
  IS_NULL(backoff_iter_index(NULL, number, number));
  IS_NULL_EMPTY(backoff_error_message(NULL, memory.text, sizeof memory.text));
  IS_NULL(backoff_error_message(&memory.error, NULL, sizeof memory.text));
  IS_NULL_EMPTY(backoff_error_message_with(NULL, TEXT("5 ms"), memory.text, sizeof memory.text));
  IS_NULL(backoff_error_message(&memory.error, NULL, 0));
  IS_NULL_EMPTY(
      backoff_error_message_with(&memory.error, NULL, 1, memory.text, sizeof memory.text));
  IS_NULL(backoff_error_message_with(&memory.error, TEXT("5 ms"), NULL, sizeof memory.text));
}

static void check_texts(void) {
  backoff_policy *policy = &memory.policy;
  backoff_budget *budget = &memory.budget;
  IS_NULL_FILLED(backoff_policy_parse(NULL, TEXT("constant:base=1s"), &memory.error));
  IS_NULL_FILLED(backoff_policy_parse(policy, NULL, 1, &memory.error));
  FAILS(BACKOFF_UNKNOWN_HEAD, backoff_policy_parse(policy, NULL, 0, NULL));
  FAILS_FILLED(BACKOFF_TOO_LONG, backoff_policy_parse(policy, "none", UINT64_MAX, &memory.error));
  FAILS_FILLED(BACKOFF_TOO_LONG,
               backoff_policy_parse(policy, "none", INT64_MAX + 1ull, &memory.error));
  FAILS(BACKOFF_UNKNOWN_HEAD, backoff_policy_parse(policy, TEXT("no"), NULL));
  IS_NULL(backoff_policy_print(NULL, memory.text, sizeof memory.text));
  IS_NULL(backoff_policy_print(policy, NULL, sizeof memory.text));
  IS_NULL_FILLED(backoff_budget_parse(NULL, TEXT("ratio"), &memory.error));
  IS_NULL_FILLED(backoff_budget_parse(budget, NULL, 1, &memory.error));
  FAILS(BACKOFF_UNKNOWN_HEAD, backoff_budget_parse(budget, NULL, 0, NULL));
  FAILS_FILLED(BACKOFF_TOO_LONG, backoff_budget_parse(budget, "ratio", UINT64_MAX, &memory.error));
  FAILS(BACKOFF_UNKNOWN_HEAD, backoff_budget_parse(budget, TEXT("no"), NULL));
  IS_NULL(backoff_budget_print(NULL, memory.text, sizeof memory.text));
  IS_NULL(backoff_budget_print(budget, NULL, sizeof memory.text));
  IS_NULL(backoff_budget_get(NULL, BACKOFF_FIELD_COST, &memory.numbers[1]));
  IS_NULL(backoff_budget_get(budget, BACKOFF_FIELD_COST, NULL));
  IS_NULL(backoff_budget_get_ratio(NULL, BACKOFF_FIELD_RATIO, &memory.numerator,
                                   &memory.denominator));
  IS_NULL(backoff_budget_get_ratio(budget, BACKOFF_FIELD_RATIO, NULL, &memory.denominator));
  IS_NULL(backoff_budget_get_ratio(budget, BACKOFF_FIELD_RATIO, &memory.numerator, NULL));
  IS_NULL(backoff_parse_retry_after(NULL, 1, 0, &memory.numbers[1]));
  FAILS(BACKOFF_NOT_A_RETRY_AFTER, backoff_parse_retry_after(NULL, 0, 0, &memory.numbers[1]));
  IS_NULL(backoff_parse_retry_after("1", 1, 0, NULL));
  FAILS(BACKOFF_TOO_LONG, backoff_parse_retry_after("1", UINT64_MAX, 0, &memory.numbers[1]));
  IS_NULL(backoff_http_retry_after(503, NULL, 1, 0, &memory.numbers[1]));
  FAILS(BACKOFF_NOT_A_RETRY_AFTER, backoff_http_retry_after(503, NULL, 0, 0, &memory.numbers[1]));
  IS_NULL(backoff_http_retry_after(503, TEXT("Retry-After: 1"), 0, NULL));
  FAILS(BACKOFF_TOO_LONG,
        backoff_http_retry_after(503, "Retry-After: 1", UINT64_MAX, 0, &memory.numbers[1]));
  IS_NULL(backoff_preview_init(NULL, policy));
  IS_NULL(backoff_preview_init(&memory.preview, NULL));
  IS_NULL(backoff_preview_next(NULL, &memory.row));
  IS_NULL(backoff_preview_next(&memory.preview, NULL));
  IS_NULL_FILLED(backoff_policy_fit_base(NULL, 2, 1, policy, &memory.error));
  IS_NULL_FILLED(backoff_policy_fit_base(policy, 2, 1, NULL, &memory.error));
  FAILS(BACKOFF_DOES_NOT_FIT, backoff_policy_fit_base(policy, 2, 0, policy, NULL));
  IS_NULL_FILLED(backoff_policy_fit_cap(NULL, 2, 1, policy, &memory.error));
  IS_NULL_FILLED(backoff_policy_fit_cap(policy, 2, 1, NULL, &memory.error));
  FAILS(BACKOFF_DOES_NOT_FIT, backoff_policy_fit_cap(policy, 2, 0, policy, NULL));
}

static void check_operations(void) {
  backoff_operation *operation = &memory.operation;
  backoff_decision *decision = &memory.decision;
  backoff_budget *budget = &memory.budget;
  uint64_t *number = memory.numbers;
  uint32_t success = BACKOFF_OUTCOME_SUCCESS;
  IS_NULL(backoff_operation_begin(NULL, &memory.policy, 1, 0, BACKOFF_NONE, budget));
  IS_NULL(backoff_operation_begin(operation, NULL, 1, 0, 1, budget));
  IS_NULL(backoff_operation_decide(NULL, success, 0, 0, budget, decision));
  IS_NULL(backoff_operation_decide(operation, success, 0, 0, budget, NULL));
  IS_NULL(backoff_operation_cancel(NULL, budget, &memory.numerator));
  IS_NULL(backoff_operation_resume(NULL, &memory.policy, 1, 0, 0, BACKOFF_NONE));
  IS_NULL(backoff_operation_resume(operation, NULL, 1, 0, 0, BACKOFF_NONE));
  IS_NULL(backoff_operation_refuse_retry(NULL, budget, &memory.numerator));
  IS_NULL(backoff_operation_state(NULL, number, number, &memory.numerator));
  IS_NULL(backoff_stats_init(NULL));
  IS_NULL(backoff_stats_record(NULL, 1, BACKOFF_REASON_SUCCESS));
  IS_NULL(backoff_stats_merge(NULL, &memory.stats));
  IS_NULL(backoff_stats_merge(&memory.stats, NULL));
  IS_NULL(backoff_stats_read(NULL, &memory.counts));
  IS_NULL(backoff_stats_read(&memory.stats, NULL));
  IS_NULL(backoff_stats_print(NULL, memory.page, sizeof memory.page));
  IS_NULL(backoff_stats_print(&memory.stats, NULL, sizeof memory.page));
}

/* A loop that lacks something calls nothing. */
static void check_loops(void) {
  uint64_t *called = &memory.called;
  backoff_event *end = &memory.end;
  backoff_loop none = {0}, no_attempt = memory.loop, no_now = memory.loop, no_wait = memory.loop;
  no_attempt.attempt = NULL;
  no_now.now = NULL;
  no_wait.wait = NULL;
  IS_NULL(backoff_retry(NULL, 1, called, end));
  IS_NULL(backoff_retry(&none, 1, called, end));
  IS_NULL(backoff_retry(&no_attempt, 1, called, end));
  IS_NULL(backoff_retry(&no_now, 1, called, end));
  IS_NULL(backoff_retry(&no_wait, 1, called, end));
  IS_NULL(backoff_retry(&memory.loop, 1, called, NULL));
  IS_NULL(backoff_retry(NULL, 1, NULL, NULL));
}

/* Pointers that may be NULL. */
static void check_optional(void) {
  uint64_t key_stream = 0, null_stream = 1;
  SUCCEEDS(backoff_policy_fill_ns(&memory.policy, 1, 0, NULL, 0, &memory.written));
  check_number("a batch of none", "number of delays written", memory.written, 0);
  SUCCEEDS(backoff_iter_index(&memory.iter, NULL, NULL));
  SUCCEEDS(backoff_iter_index(&memory.iter, &memory.numbers[1], NULL));
  check_number("no stream", "index", memory.numbers[1], 0);
  SUCCEEDS(backoff_iter_index(&memory.iter, NULL, &memory.numbers[1]));
  check_number("no index", "stream", memory.numbers[1], 42);
  SUCCEEDS(backoff_stream_from_key(1, NULL, 0, &null_stream));
  SUCCEEDS(backoff_stream_from_key(1, "k", 0, &key_stream));
  check_number("an empty key that is NULL", "stream", null_stream, key_stream);
  SUCCEEDS(backoff_policy_init(&memory.policy, &memory.params, NULL));
  SUCCEEDS(backoff_error_message_with(&memory.error, NULL, 0, memory.text, sizeof memory.text));
  check_text("an empty text that is NULL", "message", memory.text, "cap  is below base 10ns");

  backoff_operation operation = memory.operation;
  backoff_budget budget = memory.budget;
  uint64_t retries = CANARY, attempts = CANARY;
  uint32_t reason = 99;
  SUCCEEDS(backoff_operation_state(&operation, NULL, NULL, NULL));
  SUCCEEDS(backoff_operation_state(&operation, &retries, NULL, NULL));
  check_number("state of retries only", "retries", retries, 0);
  SUCCEEDS(backoff_operation_state(&operation, NULL, &attempts, NULL));
  check_number("state of attempts only", "attempts", attempts, 1);
  SUCCEEDS(backoff_operation_state(&operation, NULL, NULL, &reason));
  check_number("state of the reason only", "reason", reason, 0);
  SUCCEEDS(backoff_operation_cancel(&operation, &budget, NULL));
  SUCCEEDS(backoff_operation_state(&operation, NULL, NULL, &reason));
  check_number("a cancellation without a reason", "reason", reason, BACKOFF_REASON_CANCELLED);
  SUCCEEDS(backoff_operation_begin(&operation, &memory.policy, 1, 0, BACKOFF_NONE, NULL));
  SUCCEEDS(backoff_operation_decide(&operation, BACKOFF_OUTCOME_TIMEOUT, BACKOFF_NONE, 0, NULL,
                                    &memory.decision));
  check_number("an operation without a budget", "reason", memory.decision.reason, 0);
  check_number("an operation without a budget", "delay", memory.decision.delay_ns, 10);
  SUCCEEDS(backoff_operation_cancel(&operation, NULL, &reason));

  const backoff_loop few = {.attempt = count_attempt, .now = count_now, .wait = count_wait};
  backoff_event end;
  SUCCEEDS(backoff_retry(&few, 1, &memory.called, &end));
  check_number("a loop without optional pointers", "attempts", end.attempts, 1);
}

int main(void) {
  start();
  check_policies();
  check_texts();
  check_operations();
  check_loops();
  check_optional();
  return check_end();
}
