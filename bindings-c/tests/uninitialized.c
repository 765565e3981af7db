/* Structs that no function initialised, passed to every function that takes one. */

#include "memory.h"

#define IS_UNINITIALIZED(call) FAILS(BACKOFF_UNINITIALIZED, call)

/* Every function that takes a struct, with memory that no function initialised. */
static void check_uninitialized(const char *content) {
  unsigned long failed = check_failed;
  uint64_t *number = &memory.numbers[1], *written = &memory.written;
  IS_UNINITIALIZED(backoff_policy_delay_ns(&memory.garbage_policy, 1, 0, number));
  IS_UNINITIALIZED(backoff_policy_get(&memory.garbage_policy, BACKOFF_FIELD_BASE, number));
  IS_UNINITIALIZED(backoff_policy_get_ratio(&memory.garbage_policy, BACKOFF_FIELD_MULTIPLIER,
                                            &memory.numerator, &memory.denominator));
  IS_UNINITIALIZED(backoff_policy_max_retries(&memory.garbage_policy, number));
  IS_UNINITIALIZED(backoff_policy_window_ns(&memory.garbage_policy, 0, number));
  IS_UNINITIALIZED(backoff_policy_fill_ns(&memory.garbage_policy, 1, 0, number, 2, written));
  IS_UNINITIALIZED(backoff_policy_fill_ns(&memory.garbage_policy, 1, 0, NULL, 0, written));
  IS_UNINITIALIZED(backoff_iter_init(&memory.iter, &memory.garbage_policy, 1));
  IS_UNINITIALIZED(backoff_iter_next_ns(&memory.garbage_iter, number));
  IS_UNINITIALIZED(backoff_iter_reset(&memory.garbage_iter));
  IS_UNINITIALIZED(backoff_iter_index(&memory.garbage_iter, number, number));
  backoff_policy *policy = &memory.garbage_policy;
  IS_UNINITIALIZED(backoff_policy_print(policy, memory.text, sizeof memory.text));
  FAILS_FILLED(BACKOFF_UNINITIALIZED,
               backoff_policy_fit_base(policy, 2, 1, &memory.policy, &memory.error));
  FAILS_FILLED(BACKOFF_UNINITIALIZED,
               backoff_policy_fit_cap(policy, 2, 1, &memory.policy, &memory.error));
  IS_UNINITIALIZED(backoff_preview_init(&memory.preview, policy));
  IS_UNINITIALIZED(backoff_preview_next(&memory.garbage_preview, &memory.row));
  backoff_budget *budget = &memory.garbage_budget;
  backoff_operation *operation = &memory.garbage_operation;
  uint32_t outcome = BACKOFF_OUTCOME_TRANSIENT, *reason = &memory.numerator;
  IS_UNINITIALIZED(backoff_budget_print(budget, memory.text, sizeof memory.text));
  IS_UNINITIALIZED(backoff_budget_get(budget, BACKOFF_FIELD_COST, &memory.numbers[1]));
  IS_UNINITIALIZED(backoff_budget_get_ratio(budget, BACKOFF_FIELD_RATIO, &memory.numerator,
                                            &memory.denominator));
  IS_UNINITIALIZED(backoff_operation_begin(&memory.operation, policy, 1, 0, 1, &memory.budget));
  IS_UNINITIALIZED(backoff_operation_begin(&memory.operation, &memory.policy, 1, 0, 1, budget));
  backoff_decision *decision = &memory.decision;
  IS_UNINITIALIZED(
      backoff_operation_decide(operation, outcome, 0, 0, &memory.budget, decision));
  IS_UNINITIALIZED(
      backoff_operation_decide(&memory.operation, outcome, 0, 0, budget, decision));
  IS_UNINITIALIZED(backoff_operation_cancel(operation, &memory.budget, reason));
  IS_UNINITIALIZED(backoff_operation_cancel(&memory.operation, budget, reason));
  IS_UNINITIALIZED(backoff_operation_resume(&memory.operation, policy, 1, 0, 0, BACKOFF_NONE));
  IS_UNINITIALIZED(backoff_operation_refuse_retry(operation, &memory.budget, reason));
  IS_UNINITIALIZED(backoff_operation_refuse_retry(&memory.operation, budget, reason));
  IS_UNINITIALIZED(backoff_operation_state(operation, number, number, reason));
  backoff_stats *stats = &memory.garbage_stats;
  IS_UNINITIALIZED(backoff_stats_record(stats, 1, BACKOFF_REASON_SUCCESS));
  IS_UNINITIALIZED(backoff_stats_merge(stats, &memory.stats));
  IS_UNINITIALIZED(backoff_stats_merge(&memory.stats, stats));
  IS_UNINITIALIZED(backoff_stats_read(stats, &memory.counts));
  IS_UNINITIALIZED(backoff_stats_print(stats, memory.page, sizeof memory.page));
  IS_UNINITIALIZED(run_loop(policy, &memory.budget, &memory.stats));
  IS_UNINITIALIZED(run_loop(NULL, budget, &memory.stats));
  IS_UNINITIALIZED(run_loop(NULL, NULL, stats));
  if (check_failed > failed) printf("  in memory with %s\n", content);
}

static void check_uninitialized_params(const char *content) {
  unsigned long failed = check_failed;
  backoff_params *params = &memory.garbage_params;
  IS_UNINITIALIZED(backoff_params_set(params, BACKOFF_FIELD_BASE, 1));
  IS_UNINITIALIZED(backoff_params_set_ratio(params, BACKOFF_FIELD_MULTIPLIER, 2, 1));
  FAILS_FILLED(BACKOFF_UNINITIALIZED,
               backoff_policy_init(&memory.policy, params, &memory.error));
  if (check_failed > failed) printf("  in memory with %s\n", content);
}

/* Zeroed memory is not among these: it is an error of BACKOFF_OK. */
static void check_uninitialized_error(const char *content) {
  unsigned long failed = check_failed;
  const backoff_error *error = &memory.garbage_error;
  FAILS_EMPTY(BACKOFF_UNINITIALIZED,
              backoff_error_message(error, memory.text, sizeof memory.text));
  FAILS_EMPTY(
      BACKOFF_UNINITIALIZED,
      backoff_error_message_with(error, TEXT("5 ms"), memory.text, sizeof memory.text));
  if (check_failed > failed) printf("  in memory with %s\n", content);
}

static void fill_garbage(int byte) {
  memset(&memory.garbage_policy, byte, sizeof memory.garbage_policy);
  memset(&memory.garbage_iter, byte, sizeof memory.garbage_iter);
  memset(&memory.garbage_preview, byte, sizeof memory.garbage_preview);
  memset(&memory.garbage_budget, byte, sizeof memory.garbage_budget);
  memset(&memory.garbage_operation, byte, sizeof memory.garbage_operation);
  memset(&memory.garbage_stats, byte, sizeof memory.garbage_stats);
  memset(&memory.garbage_error, byte, sizeof memory.garbage_error);
}

static void check_structs(void) {
  fill_garbage(0);
  check_uninitialized("all bits 0");
  fill_garbage(0xFF);
  check_uninitialized("all bits 1");
  check_uninitialized_error("all bits 1");

  memcpy(&memory.garbage_policy, &memory.iter, sizeof memory.garbage_policy);
  memcpy(&memory.garbage_iter, &memory.policy, sizeof memory.policy);
  memcpy(&memory.garbage_preview, &memory.iter, sizeof memory.iter);
  memcpy(&memory.garbage_budget, &memory.operation, sizeof memory.garbage_budget);
  memcpy(&memory.garbage_operation, &memory.budget, sizeof memory.budget);
  memcpy(&memory.garbage_stats, &memory.preview, sizeof memory.garbage_stats);
  memcpy(&memory.garbage_error, &memory.policy, sizeof memory.garbage_error);
  check_uninitialized("structs of other types");
  check_uninitialized_error("structs of other types");
}

static void check_params(void) {
  memset(&memory.garbage_params, 0xFF, sizeof memory.garbage_params);
  check_uninitialized_params("all bits 1");
  memcpy(&memory.garbage_params, &memory.iter, sizeof memory.garbage_params);
  check_uninitialized_params("a struct of another type");
  memset(&memory.garbage_params, 0, sizeof memory.garbage_params);
  memory.garbage_params.opaque[0] = UINT64_C(1) << BACKOFF_FIELD_RETRY_AFTER_MAX_EXTRA;
  check_uninitialized_params("the bit above those of the fields");
  memory.garbage_params.opaque[0] = UINT64_C(1) << 63;
  check_uninitialized_params("the highest bit");
}

int main(void) {
  start();
  check_structs();
  check_params();
  return check_end();
}
