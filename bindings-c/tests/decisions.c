/* The vectors of decisions, hints, HTTP statuses and histories through the installed library. */

#include <backoff.h>

#include "check.h"
#include "given.h"
#include "vectors.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define OPERATIONS 64
#define CANARY UINT64_C(0xA5A5A5A5A5A5A5A5)

/* What goes on in a case. */
struct scene {
  const char *id;
  backoff_policy policy;
  backoff_budget *budget; /* NULL for none */
  uint64_t stream;
  backoff_operation operations[OPERATIONS];
};

static void begin(struct scene *scene, struct step step) {
  uint64_t deadline = step.has_time ? step.time : BACKOFF_NONE;
  check_word(scene->id, "code of a beginning",
             backoff_operation_begin(&scene->operations[step.operation], &scene->policy,
                                     scene->stream, step.now, deadline, scene->budget),
             BACKOFF_OK);
}

static void tell(struct scene *scene, struct step step) {
  backoff_operation *operation = &scene->operations[step.operation];
  backoff_decision decision = {99, 99, CANARY};
  uint64_t retries = CANARY, hint = BACKOFF_NONE;
  uint32_t reason = 99;
  /* Every hint above BACKOFF_MAX_NS counts as that; BACKOFF_NONE would be none. */
  if (step.has_time) hint = step.time < BACKOFF_MAX_NS ? step.time : BACKOFF_MAX_NS;
  check_word(scene->id, "code of a decision",
             backoff_operation_decide(operation, step.outcome, hint, step.now, scene->budget,
                                      &decision),
             BACKOFF_OK);
  check_word(scene->id, "reason", decision.reason, step.reason);
  check_word(scene->id, "delay", decision.delay_ns, step.delay);
  check_word(scene->id, "reserved", decision.reserved, 0);
  check_word(scene->id, "code of the state",
             backoff_operation_state(operation, &retries, &reason), BACKOFF_OK);
  check_word(scene->id, "retries", retries, step.retries);
  check_word(scene->id, "reason in the state", reason, step.reason);
}

static void cancel(struct scene *scene, struct step step) {
  backoff_operation *operation = &scene->operations[step.operation];
  uint32_t reason = 99, stopped = 99;
  check_word(scene->id, "code of a cancellation",
             backoff_operation_cancel(operation, scene->budget, &reason), BACKOFF_OK);
  check_word(scene->id, "reason of a cancellation", reason, step.reason);
  check_word(scene->id, "code of the state", backoff_operation_state(operation, NULL, &stopped),
             BACKOFF_OK);
  check_word(scene->id, "reason in the state", stopped, step.reason);
}

static void check_decision(struct decision_vector row) {
  struct scene scene = {0};
  backoff_budget budget;
  scene.id = row.id;
  scene.stream = stream_of(row.id, row.seed, row.key);
  check_word(row.id, "code of the policy",
             backoff_policy_parse(&scene.policy, row.policy.bytes, row.policy.length, NULL),
             BACKOFF_OK);
  if (row.has_budget) {
    scene.budget = &budget;
    check_word(row.id, "code of the budget",
               backoff_budget_parse(&budget, row.budget.bytes, row.budget.length, NULL),
               BACKOFF_OK);
  }
  for (size_t i = 0; i < row.step_count; i++) {
    struct step step = row.steps[i];
    if (!check_true(row.id, "there is room for the operation", step.operation < OPERATIONS)) return;
    switch (step.action) {
      case BEGIN:
        begin(&scene, step);
        break;
      case TELL:
        tell(&scene, step);
        break;
      case CANCEL:
        cancel(&scene, step);
        break;
    }
  }
}

/* The steps of one operation, played to a loop. */
struct play {
  const char *id;
  const struct step *step, *end; /* the next step */
  uint64_t now, attempts, waits, stops;
  uint32_t gives_up;
  struct step last;
};

static uint32_t play_attempt(void *context, uint64_t *hint_ns) {
  struct play *play = context;
  play->attempts++;
  if (play->step == play->end || play->step->action == CANCEL) {
    play->gives_up = 1;
    return BACKOFF_OUTCOME_TRANSIENT;
  }
  play->last = *play->step++;
  play->now = play->last.now;
  if (play->last.has_time) {
    *hint_ns = play->last.time < BACKOFF_MAX_NS ? play->last.time : BACKOFF_MAX_NS;
  }
  return play->last.outcome;
}

static uint64_t play_now(void *context) { return ((struct play *)context)->now; }

static uint32_t play_cancelled(void *context) { return ((struct play *)context)->gives_up; }

static uint32_t play_wait(void *context, uint64_t delay_ns) {
  struct play *play = context;
  play->waits++;
  check_word(play->id, "reason of a step that waits", play->last.reason, 0);
  check_word(play->id, "wait", delay_ns, play->last.delay);
  check_word(play->id, "retries", play->waits, play->last.retries);
  return play->step == play->end || play->step->action == CANCEL;
}

static void play_stop(void *context, const backoff_event *event) {
  struct play *play = context;
  int cancelled = event->reason == BACKOFF_REASON_CANCELLED;
  play->stops++;
  check_word(play->id, "attempts at the end", event->attempts, play->attempts);
  if (cancelled) {
    check_true(play->id, "it was given up", play->step == play->end || play->step->action == CANCEL);
  } else {
    check_word(play->id, "reason at the end", event->reason, play->last.reason);
  }
  check_word(play->id, "delay at the end", event->delay_ns, cancelled ? 0 : play->last.delay);
  check_word(play->id, "outcome at the end", event->outcome, cancelled ? 0 : play->last.outcome);
}

/* The decisions once more, through loops, one after another; not where operations take turns. */
static int check_loops(struct decision_vector row) {
  static const backoff_calls calls = {.attempt = play_attempt, .now = play_now, .wait = play_wait,
                                      .cancelled = play_cancelled, .on_stop = play_stop};
  backoff_policy policy;
  backoff_budget budget;
  for (size_t i = 1; i < row.step_count; i++) {
    int begins = row.steps[i].action == BEGIN;
    if (begins != (row.steps[i].operation != row.steps[i - 1].operation)) return 0;
    if (begins && row.steps[i - 1].reason == 0) return 0;
  }
  backoff_policy_parse(&policy, row.policy.bytes, row.policy.length, NULL);
  if (row.has_budget) {
    backoff_budget_parse(&budget, row.budget.bytes, row.budget.length, NULL);
  }
  for (const struct step *step = row.steps, *end = step + row.step_count; step != end;) {
    struct play play = {0};
    backoff_event event;
    play.id = row.id;
    play.now = step->now;
    play.step = step + 1;
    for (play.end = play.step; play.end != end && play.end->action != BEGIN;) play.end++;
    check_word(row.id, "code of a loop",
               backoff_retry(&policy, stream_of(row.id, row.seed, row.key),
                             step->has_time ? step->time : BACKOFF_NONE,
                             row.has_budget ? &budget : NULL, NULL, &calls, &play, &event),
               BACKOFF_OK);
    check_word(row.id, "ends that were told", play.stops, 1);
    step = play.end;
  }
  return 1;
}

static void check_decisions(void) {
  check_word("decisions", "count", LENGTH(decisions), DECISIONS_COUNT);
  size_t through_loops = 0;
  for (size_t i = 0; i < LENGTH(decisions); i++) {
    check_decision(decisions[i]);
    through_loops += (size_t)check_loops(decisions[i]);
  }
  check_true("decisions", "most go through loops", through_loops * 2 > DECISIONS_COUNT);
}

static void check_retry_after(void) {
  check_word("retry_after", "count", LENGTH(retry_after), RETRY_AFTER_COUNT);
  for (size_t i = 0; i < LENGTH(retry_after); i++) {
    struct retry_after_vector row = retry_after[i];
    uint64_t hint = CANARY;
    uint32_t code = backoff_retry_after(row.value.bytes, row.value.length, row.now, &hint);
    check_text(row.id, "code", backoff_code_name(code), row.is_hint ? "ok" : "not_a_hint");
    check_word(row.id, "hint", hint, row.is_hint ? row.hint : CANARY);
  }
}

static void check_http_statuses(void) {
  static const uint32_t beyond[] = {1000, 65535, 65536 + 200, 65536 + 503, 1u << 31, UINT32_MAX};
  check_word("http_statuses", "count", LENGTH(http_statuses), HTTP_STATUSES_COUNT);
  for (size_t i = 0; i < LENGTH(http_statuses); i++) {
    struct http_status_vector row = http_statuses[i];
    check_word(row.id, "outcome of the status", backoff_http_outcome(row.status), row.outcome);
  }
  for (size_t i = 0; i < LENGTH(beyond); i++) {
    check_word("beyond all statuses", "outcome", backoff_http_outcome(beyond[i]),
               BACKOFF_OUTCOME_PERMANENT);
  }
}

static uint64_t add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* Records into a history, and into counts by hand. */
static void record(const char *id, backoff_history *history, struct records records,
                   backoff_history_counts *counts) {
  for (size_t i = 0; i < records.count; i++) {
    struct record row = records.records[i];
    for (uint64_t time = 0; time < row.times; time++) {
      check_word(id, "code of a record",
                 backoff_history_record(history, row.attempts, row.reason), BACKOFF_OK);
      counts->operations++;
      counts->retries = add(counts->retries, row.attempts > 0 ? row.attempts - 1 : 0);
      counts->stops[row.reason - 1]++;
    }
  }
}

static void check_counts(const char *id, const backoff_history *history,
                         backoff_history_counts want) {
  backoff_history_counts counts;
  uint64_t operations = 0;
  memset(&counts, 0xA5, sizeof counts);
  check_word(id, "code of the counts", backoff_history_read(history, &counts), BACKOFF_OK);
  check_word(id, "operations", counts.operations, want.operations);
  check_word(id, "retries", counts.retries, want.retries);
  check_word(id, "attempts", counts.attempts, add(want.operations, want.retries));
  for (size_t i = 0; i < LENGTH(counts.buckets); i++) operations += counts.buckets[i];
  check_word(id, "operations in buckets", operations, want.operations);
  for (size_t i = 0; i < LENGTH(counts.stops); i++) {
    check_word(id, backoff_reason_name((uint32_t)i + 1), counts.stops[i], want.stops[i]);
  }
}

static void check_histories(void) {
  check_word("histories", "count", LENGTH(histories), HISTORIES_COUNT);
  for (size_t i = 0; i < LENGTH(histories); i++) {
    struct history_vector row = histories[i];
    backoff_history history, more;
    backoff_history_counts counts;
    char text[BACKOFF_HISTORY_SIZE] = "";
    memset(&counts, 0, sizeof counts);
    check_word(row.id, "code of a history", backoff_history_init(&history), BACKOFF_OK);
    check_word(row.id, "code of a history", backoff_history_init(&more), BACKOFF_OK);
    record(row.id, &history, row.records, &counts);
    record(row.id, &more, row.more, &counts);
    check_word(row.id, "code of the merger", backoff_history_merge(&history, &more), BACKOFF_OK);
    check_counts(row.id, &history, counts);
    check_word(row.id, "code of the print", backoff_history_print(&history, text, sizeof text),
               BACKOFF_OK);
    check_text(row.id, "print", text, row.text);
  }
}

int main(void) {
  check_decisions();
  check_retry_after();
  check_http_statuses();
  check_histories();
  return check_end();
}
