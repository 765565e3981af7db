/* The vectors of exchanges of shared budgets through the installed library, and arguments that are not valid. */

#include "memory.h"
#include "vectors.h"

static backoff_budget_member member_of(const struct exchange_vector *row) {
  backoff_budget budget, local;
  backoff_budget_member member;
  memset(&member, 0, sizeof member);
  check_number(row->id, "code of the budget",
               backoff_budget_parse(&budget, row->budget.bytes, row->budget.length, NULL),
               BACKOFF_OK);
  check_number(row->id, "code of the local budget",
               backoff_budget_parse(&local, row->local.bytes, row->local.length, NULL), BACKOFF_OK);
  check_number(row->id, "code of init",
               backoff_budget_member_init(&member, &budget, &local, row->lease,
                                          row->fallback, row->timeout, row->seed),
               BACKOFF_OK);
  return member;
}

static void check_steps(const char *id, const backoff_budget_member *member,
                        const struct member_step *step) {
  backoff_exchange_step found = {99, 99, 99, 99, 99};
  for (size_t i = 0; i < step->step_count; i++) {
    const backoff_exchange_step *want = &step->steps[i];
    check_number(id, "code of a step", backoff_budget_member_exchange_step(member, i, &found),
                 BACKOFF_OK);
    check_number(id, "event", found.event, want->event);
    check_number(id, "outcome", found.outcome, want->outcome);
    check_number(id, "held", found.held, want->held);
    check_number(id, "count", found.count, want->count);
    check_number(id, "granted", found.granted, want->granted);
  }
  check_number(id, "code after the last step",
               backoff_budget_member_exchange_step(member, step->step_count, &found), BACKOFF_END);
}

static void check_step(const char *id, backoff_budget_member *member,
                       const struct member_step *step) {
  char after[BACKOFF_TEXT_SIZE] = "";
  uint32_t changed = 99;
  uint64_t length = step->text == NULL ? 0 : strlen(step->text);
  uint32_t code = backoff_budget_member_step(member, step->text, length, step->store_now, after,
                                             sizeof after, &changed);
  check_text(id, "code of step", backoff_code_name(code),
             step->after == NULL ? "not_a_state" : "ok");
  if (step->after == NULL) return;
  check_text(id, "after", after, step->after);
  check_number(id, "changed", changed, step->is_changed);
  check_steps(id, member, step);
}

static void check_stored(const char *id, backoff_budget_member *member,
                         const struct member_step *step) {
  backoff_exchange_answers answers;
  check_number(id, "code of stored", backoff_budget_member_stored(member, step->now, &answers),
               BACKOFF_OK);
  for (size_t i = 0; i < 3; i++) {
    check_number(id, "granted", answers.granted[i], step->answers.granted[i]);
    check_number(id, "refused", answers.refused[i], step->answers.refused[i]);
    check_number(id, "held of a grant", answers.held[i], step->answers.held[i]);
  }
}

static void play(const char *id, backoff_budget_member *member, const struct member_step *step) {
  backoff_budget_event event = {step->event, 0, step->held};
  backoff_member_answer answer = {99, 99, CANARY};
  uint64_t wait = CANARY;
  uint32_t code = BACKOFF_OK;
  switch (step->action) {
    case MEMBER_NOTE:
      code = backoff_budget_member_note(member, &event, step->is_local, step->now);
      break;
    case MEMBER_REQUEST:
      code = backoff_budget_member_request(member, step->outcome, step->now, &answer);
      check_number(id, "answer", answer.answer, step->answer);
      check_number(id, "is_local", answer.is_local, step->is_local);
      check_number(id, "held", answer.held, step->held);
      break;
    case MEMBER_CANCEL:
      code = backoff_budget_member_cancel(member, step->outcome);
      break;
    case MEMBER_BEGIN:
      code = backoff_budget_member_begin(member, step->now);
      break;
    case MEMBER_STEP:
      check_step(id, member, step);
      break;
    case MEMBER_STORED:
      check_stored(id, member, step);
      break;
    case MEMBER_LOST:
      check_number(id, "code of lost", backoff_budget_member_lost(member, step->now, &wait),
                   step->has_wait ? BACKOFF_OK : BACKOFF_END);
      check_number(id, "wait", wait, step->has_wait ? step->wait : CANARY);
      break;
    case MEMBER_FAILED:
      code = backoff_budget_member_failed(member, step->may_be_stored, step->now);
      break;
    case MEMBER_LATE:
      code = backoff_budget_member_late(member, step->now);
      break;
  }
  check_number(id, "code", code, BACKOFF_OK);
}

static void check_stats(const char *id, const backoff_budget_member *member,
                        const backoff_shared_budget_stats *want) {
  backoff_shared_budget_stats stats;
  check_number(id, "code of stats", backoff_budget_member_stats(member, &stats), BACKOFF_OK);
  check_number(id, "exchanges", stats.exchanges, want->exchanges);
  check_number(id, "failed_exchanges", stats.failed_exchanges, want->failed_exchanges);
  check_number(id, "lost_swaps", stats.lost_swaps, want->lost_swaps);
  check_number(id, "local_decisions", stats.local_decisions, want->local_decisions);
  check_number(id, "processes", stats.processes, want->processes);
}

static void check_exchanges(void) {
  check_number("exchanges", "count", LENGTH(exchanges), EXCHANGES_COUNT);
  for (size_t i = 0; i < LENGTH(exchanges); i++) {
    const struct exchange_vector *row = &exchanges[i];
    backoff_budget_member member = member_of(row);
    for (size_t at = 0; at < row->step_count; at++) {
      const struct member_step *step = &row->steps[at];
      uint32_t is_away = 99, has_unsent = 99;
      uint64_t due_in_ns = CANARY, timeout_ns = CANARY;
      for (uint64_t time = 0; time < step->times; time++) play(row->id, &member, step);
      check_number(row->id, "code of the state",
                   backoff_budget_member_state(&member, step->now, &is_away, &due_in_ns, &has_unsent,
                                               &timeout_ns),
                   BACKOFF_OK);
      check_number(row->id, "is_away", is_away, step->is_away);
      check_number(row->id, "due_in_ns", due_in_ns, step->due_in_ns);
      check_number(row->id, "has_unsent", has_unsent, step->has_unsent);
      check_number(row->id, "timeout_ns", timeout_ns, step->timeout_ns);
    }
    check_stats(row->id, &member, &row->stats);
  }
}

static void check_misuse(void) {
  backoff_budget_member *member = &memory.member, *garbage = &memory.garbage_member;
  const backoff_budget *budget = &memory.budget;
  backoff_budget_event event = {BACKOFF_BUDGET_EVENT_OPERATION_BEGAN, 0, 0};
  backoff_budget_event unknown = {0, 0, 0};
  backoff_member_answer answer = {0, 0, 0};
  backoff_exchange_step step = {0, 0, 0, 0, 0};
  backoff_exchange_answers answers;
  backoff_shared_budget_stats stats;
  uint64_t wait = 0;
  uint32_t changed = 0;
  char text[BACKOFF_TEXT_SIZE] = "";
  SUCCEEDS(backoff_budget_member_init(member, budget, budget, 1, 1, BACKOFF_SECOND, 1));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_init(NULL, budget, budget, 1, 1, 1, 1));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_init(member, NULL, budget, 1, 1, 1, 1));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_init(member, budget, NULL, 1, 1, 1, 1));
  FAILS(BACKOFF_UNINITIALIZED,
        backoff_budget_member_init(member, budget, &memory.garbage_budget, 1, 1, 1, 1));
  FAILS(BACKOFF_TOO_SMALL, backoff_budget_member_init(member, budget, budget, 0, 1, 1, 1));
  FAILS(BACKOFF_TOO_LARGE, backoff_budget_member_init(member, budget, budget, 1001, 1, 1, 1));
  FAILS(BACKOFF_TOO_LARGE, backoff_budget_member_init(member, budget, budget, 1, 1000001, 1, 1));
  FAILS(BACKOFF_TOO_LARGE,
        backoff_budget_member_init(member, budget, budget, 1, BACKOFF_FALLBACK_REFUSE - 1, 1, 1));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_note(NULL, &event, 0, 1));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_note(member, NULL, 0, 1));
  FAILS(BACKOFF_UNINITIALIZED, backoff_budget_member_note(garbage, &event, 0, 1));
  FAILS(BACKOFF_UNKNOWN_EVENT, backoff_budget_member_note(member, &unknown, 0, 1));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_request(NULL, 2, 1, &answer));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_request(member, 2, 1, NULL));
  FAILS(BACKOFF_UNKNOWN_OUTCOME, backoff_budget_member_request(member, 0, 1, &answer));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_cancel(NULL, 2));
  FAILS(BACKOFF_UNKNOWN_OUTCOME, backoff_budget_member_cancel(member, 9));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_state(NULL, 1, NULL, NULL, NULL, NULL));
  FAILS(BACKOFF_UNINITIALIZED, backoff_budget_member_state(garbage, 1, NULL, NULL, NULL, NULL));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_stats(NULL, &stats));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_stats(member, NULL));
  FAILS(BACKOFF_UNINITIALIZED, backoff_budget_member_stats(garbage, &stats));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_begin(NULL, 1));
  FAILS(BACKOFF_NULL_POINTER,
        backoff_budget_member_step(NULL, NULL, 0, 1, text, sizeof text, &changed));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_step(member, NULL, 0, 1, text, sizeof text, NULL));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_step(member, NULL, 0, 1, NULL, 9, &changed));
  FAILS(BACKOFF_BUFFER_TOO_SMALL, backoff_budget_member_step(member, NULL, 0, 1, text, 3, &changed));
  FAILS(BACKOFF_NOT_A_STATE,
        backoff_budget_member_step(member, TEXT("x"), 1, text, sizeof text, &changed));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_exchange_step(NULL, 0, &step));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_exchange_step(member, 0, NULL));
  FAILS(BACKOFF_END, backoff_budget_member_exchange_step(member, 0, &step));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_stored(NULL, 1, &answers));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_stored(member, 1, NULL));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_lost(NULL, 1, &wait));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_lost(member, 1, NULL));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_failed(NULL, 0, 1));
  FAILS(BACKOFF_NULL_POINTER, backoff_budget_member_late(NULL, 1));
}

int main(void) {
  start();
  check_exchanges();
  check_misuse();
  return check_end();
}
