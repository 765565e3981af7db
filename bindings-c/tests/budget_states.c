/* The vectors of states of budgets and of resumed operations through the installed library, and
 * arguments that are not valid. */

#include "memory.h"
#include "vectors.h"

static backoff_budget budget_of(const char *id, struct text text) {
  backoff_budget budget;
  check_number(id, "code of the budget",
               backoff_budget_parse(&budget, text.bytes, text.length, NULL), BACKOFF_OK);
  return budget;
}

static void check_print(const char *id, const backoff_budget_state *state, const char *want) {
  char text[BACKOFF_TEXT_SIZE] = "";
  check_number(id, "code of print", backoff_budget_state_print(state, text, sizeof text),
               BACKOFF_OK);
  check_text(id, "state", text, want);
}

static void check_states(void) {
  check_number("budget_states", "count", LENGTH(budget_states), BUDGET_STATES_COUNT);
  for (size_t i = 0; i < LENGTH(budget_states); i++) {
    struct budget_state_vector row = budget_states[i];
    backoff_budget budget = budget_of(row.id, row.budget);
    backoff_budget_state state;
    uint32_t code = row.start == NULL ? backoff_budget_state_full(&state, &budget)
                                      : backoff_budget_state_parse(&state, &budget, row.start,
                                                                   strlen(row.start));
    check_number(row.id, "code of the start", code, BACKOFF_OK);
    for (size_t at = 0; at < row.step_count; at++) {
      struct state_step step = row.steps[at];
      backoff_budget_event event = {step.event, step.outcome, step.held};
      backoff_budget_answer answer = {99, 99, CANARY};
      char last[BACKOFF_TEXT_SIZE];
      check_number(row.id, "code of print", backoff_budget_state_print(&state, last, sizeof last),
                   BACKOFF_OK);
      check_number(row.id, "code of the step",
                   backoff_budget_state_step(&state, &event, step.now, &answer), BACKOFF_OK);
      check_number(row.id, "granted", answer.granted, (uint64_t)step.is_granted);
      check_number(row.id, "held", answer.held, step.holds);
      check_number(row.id, "changed", answer.changed, strcmp(last, step.state) != 0);
      check_print(row.id, &state, step.state);
    }
  }
}

static void check_state_texts(void) {
  check_number("budget_state_texts", "count", LENGTH(budget_state_texts),
               BUDGET_STATE_TEXTS_COUNT);
  for (size_t i = 0; i < LENGTH(budget_state_texts); i++) {
    struct budget_state_text_vector row = budget_state_texts[i];
    backoff_budget budget = budget_of(row.id, row.budget);
    backoff_budget_state state;
    uint32_t code =
        backoff_budget_state_parse(&state, &budget, row.text.bytes, row.text.length);
    check_text(row.id, "code", backoff_code_name(code), row.is_valid ? "ok" : "not_a_state");
    if (row.is_valid) check_print(row.id, &state, row.text.bytes);
  }
}

static void check_resumptions(void) {
  check_number("resumptions", "count", LENGTH(resumptions), RESUMPTIONS_COUNT);
  for (size_t i = 0; i < LENGTH(resumptions); i++) {
    struct resumption_vector row = resumptions[i];
    backoff_policy policy;
    backoff_operation operation;
    backoff_decision decision = {99, 99, CANARY};
    uint64_t retries = CANARY;
    uint32_t reason = 99;
    check_number(row.id, "code of the policy",
                 backoff_policy_parse(&policy, row.policy.bytes, row.policy.length, NULL),
                 BACKOFF_OK);
    check_number(row.id, "code of resume",
                 backoff_operation_resume(&operation, &policy, row.stream, row.retries, row.begun,
                                          row.deadline),
                 BACKOFF_OK);
    check_number(row.id, "code of decide",
                 backoff_operation_decide(&operation, row.outcome, row.retry_after, row.now, NULL,
                                          &decision),
                 BACKOFF_OK);
    check_number(row.id, "reason", decision.reason, row.reason);
    check_number(row.id, "delay", decision.delay_ns, row.delay);
    backoff_operation_state(&operation, &retries, NULL, NULL);
    check_number(row.id, "retries", retries, row.retries_after);
    check_number(row.id, "code of the refusal",
                 backoff_operation_refuse_retry(&operation, NULL, &reason), BACKOFF_OK);
    check_number(row.id, "reason of the refusal", reason, row.refused);
    backoff_operation_state(&operation, &retries, NULL, &reason);
    check_number(row.id, "retries after the refusal", retries, row.retries_refused);
    check_number(row.id, "reason in the state", reason, row.refused);
  }
}

static void check_misuse(void) {
  backoff_budget_state *state = &memory.state, *garbage = &memory.garbage_state;
  backoff_budget_answer *answer = &memory.answer;
  backoff_budget_event retry = {BACKOFF_BUDGET_EVENT_RETRY_REQUESTED, 0, 0};
  backoff_budget_event unknown = {0, BACKOFF_OUTCOME_TRANSIENT, 0};
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_state_full(NULL, &memory.budget));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_state_full(state, NULL));
  FAILS(BACKOFF_UNINITIALIZED, backoff_budget_state_full(state, &memory.garbage_budget));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_state_parse(NULL, &memory.budget, TEXT("0 2")));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_state_parse(state, NULL, TEXT("0 2")));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_state_parse(state, &memory.budget, NULL, 3));
  FAILS(BACKOFF_TOO_LONG, backoff_budget_state_parse(state, &memory.budget, "0 2", UINT64_MAX));
  FAILS(BACKOFF_UNINITIALIZED,
        backoff_budget_state_parse(state, &memory.garbage_budget, TEXT("0 2")));
  FAILS(BACKOFF_NOT_A_STATE, backoff_budget_state_parse(state, &memory.budget, TEXT("2")));
  FAILS(BACKOFF_NULL_POINTER,
        backoff_budget_state_print(NULL, memory.text, sizeof memory.text));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_state_print(state, NULL, 10));
  FAILS(BACKOFF_BUFFER_TOO_SMALL, backoff_budget_state_print(state, memory.text, 3));
  FAILS(BACKOFF_UNINITIALIZED,
        backoff_budget_state_print(garbage, memory.text, sizeof memory.text));
  FAILS(BACKOFF_UNKNOWN_OUTCOME, backoff_budget_state_step(state, &retry, 0, answer));
  retry.outcome = BACKOFF_OUTCOME_PERMANENT + 1;
  FAILS(BACKOFF_UNKNOWN_OUTCOME, backoff_budget_state_step(state, &retry, 0, answer));
  FAILS(BACKOFF_UNKNOWN_EVENT, backoff_budget_state_step(state, &unknown, 0, answer));
  unknown.event = BACKOFF_BUDGET_EVENT_OPERATION_ENDED + 1;
  FAILS(BACKOFF_UNKNOWN_EVENT, backoff_budget_state_step(state, &unknown, 0, answer));
  retry.outcome = BACKOFF_OUTCOME_TRANSIENT;
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_state_step(NULL, &retry, 0, answer));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_state_step(state, NULL, 0, answer));
  FAILS(BACKOFF_UNINITIALIZED, backoff_budget_state_step(garbage, &retry, 0, answer));
  SUCCEEDS(backoff_budget_state_print(state, memory.text, 4));
  check_text("a buffer of the right size", "state", memory.text, "0 2");
  SUCCEEDS(backoff_budget_state_step(state, &retry, 0, NULL));
  check_print("no answer is wanted", state, "1 1");
}

static void check_names(void) {
  static const char *const names[] = {"operation_began", "attempt_over",        "attempt_failed",
                                      "retry_requested", "operation_succeeded", "operation_ended"};
  for (uint32_t i = 0; i < LENGTH(names); i++) {
    check_text(names[i], "name", backoff_budget_event_name(i + 1), names[i]);
  }
  check_text("0", "name", backoff_budget_event_name(0), "unknown_event");
  check_text("7", "name", backoff_budget_event_name(7), "unknown_event");
}

int main(void) {
  start();
  check_states();
  check_state_texts();
  check_resumptions();
  check_misuse();
  check_names();
  return check_end();
}
