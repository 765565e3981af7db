/* The vectors of decisions through the installed library: step by step, and through loops. */

#include <backoff.h>

#include "check.h"
#include "make.h"
#include "vectors.h"

#define OPERATIONS 64

/* The state of a case. */
struct scene {
  const char *id;
  backoff_policy policy;
  backoff_budget *budget; /* NULL for none */
  uint64_t stream;
  backoff_operation operations[OPERATIONS];
};

static void begin(struct scene *scene, struct step step) {
  uint64_t deadline = step.has_time ? step.time : BACKOFF_NONE;
  check_number(scene->id, "code of begin",
               backoff_operation_begin(&scene->operations[step.operation], &scene->policy,
                                       scene->stream, step.now, deadline, scene->budget),
               BACKOFF_OK);
}

static void decide(struct scene *scene, struct step step) {
  backoff_operation *operation = &scene->operations[step.operation];
  backoff_decision decision = {99, 99, CANARY};
  uint64_t retries = CANARY, attempts = CANARY, retry_after = BACKOFF_NONE;
  uint32_t reason = 99;
  /* A longer time counts as BACKOFF_MAX_NS, and the longest of all, BACKOFF_NONE, means none. */
  if (step.has_time) retry_after = step.time < BACKOFF_MAX_NS ? step.time : BACKOFF_MAX_NS;
  check_number(scene->id, "code of decide",
               backoff_operation_decide(operation, step.outcome, retry_after, step.now,
                                        scene->budget, &decision),
               BACKOFF_OK);
  check_number(scene->id, "reason", decision.reason, step.reason);
  check_number(scene->id, "delay", decision.delay_ns, step.delay);
  check_number(scene->id, "reserved", decision.reserved, 0);
  check_number(scene->id, "code of the state",
               backoff_operation_state(operation, &retries, &attempts, &reason), BACKOFF_OK);
  check_number(scene->id, "retries", retries, step.retries);
  check_number(scene->id, "attempts", attempts, step.retries + 1);
  check_number(scene->id, "reason in the state", reason, step.reason);
}

static void cancel(struct scene *scene, struct step step) {
  backoff_operation *operation = &scene->operations[step.operation];
  uint32_t reason = 99, stopped = 99;
  check_number(scene->id, "code of cancel",
               backoff_operation_cancel(operation, scene->budget, &reason), BACKOFF_OK);
  check_number(scene->id, "reason of a cancellation", reason, step.reason);
  check_number(scene->id, "code of the state",
               backoff_operation_state(operation, NULL, NULL, &stopped), BACKOFF_OK);
  check_number(scene->id, "reason in the state", stopped, step.reason);
}

static void check_decision(struct decision_vector row) {
  struct scene scene = {0};
  backoff_budget budget;
  scene.id = row.id;
  scene.stream = stream_of(row.id, row.seed, row.key);
  check_number(row.id, "code of the policy",
               backoff_policy_parse(&scene.policy, row.policy.bytes, row.policy.length, NULL),
               BACKOFF_OK);
  if (row.has_budget) {
    scene.budget = &budget;
    check_number(row.id, "code of the budget",
                 backoff_budget_parse(&budget, row.budget.bytes, row.budget.length, NULL),
                 BACKOFF_OK);
  }
  for (size_t i = 0; i < row.step_count; i++) {
    struct step step = row.steps[i];
    if (!check_true(row.id, "OPERATIONS is large enough", step.operation < OPERATIONS)) return;
    switch (step.action) {
      case BEGIN:
        begin(&scene, step);
        break;
      case DECIDE:
        decide(&scene, step);
        break;
      case CANCEL:
        cancel(&scene, step);
        break;
    }
  }
}

/* The steps of one operation, which callbacks return to a loop. */
struct play {
  const char *id;
  const struct step *step, *end; /* the next step */
  uint64_t now, attempts, waits, stops;
  uint32_t cancelled;
  struct step last;
};

static uint32_t play_attempt(void *context, uint64_t *retry_after_ns) {
  struct play *play = context;
  play->attempts++;
  if (play->step == play->end || play->step->action == CANCEL) {
    play->cancelled = 1;
    return BACKOFF_OUTCOME_TRANSIENT;
  }
  play->last = *play->step++;
  play->now = play->last.now;
  if (play->last.has_time) {
    *retry_after_ns = play->last.time < BACKOFF_MAX_NS ? play->last.time : BACKOFF_MAX_NS;
  }
  return play->last.outcome;
}

static uint64_t play_now(void *context) { return ((struct play *)context)->now; }

static uint32_t play_cancelled(void *context) { return ((struct play *)context)->cancelled; }

static uint32_t play_wait(void *context, uint64_t delay_ns) {
  struct play *play = context;
  play->waits++;
  check_number(play->id, "reason of a step that waits", play->last.reason, 0);
  check_number(play->id, "wait", delay_ns, play->last.delay);
  check_number(play->id, "retries", play->waits, play->last.retries);
  return play->step == play->end || play->step->action == CANCEL;
}

static void play_stop(void *context, const backoff_event *event) {
  struct play *play = context;
  int cancelled = event->reason == BACKOFF_REASON_CANCELLED;
  play->stops++;
  check_number(play->id, "attempts at the end", event->attempts, play->attempts);
  if (cancelled) {
    check_true(play->id, "the steps end here",
               play->step == play->end || play->step->action == CANCEL);
  } else {
    check_number(play->id, "reason at the end", event->reason, play->last.reason);
  }
  check_number(play->id, "delay at the end", event->delay_ns, cancelled ? 0 : play->last.delay);
  check_number(play->id, "outcome at the end", event->outcome, cancelled ? 0 : play->last.outcome);
}

/* Plays the steps of a case through loops, one after another. Returns 0 for a case in which
 * operations take turns or have a deadline of 0, which loops cannot do. */
static int check_loops(struct decision_vector row) {
  backoff_policy policy;
  backoff_budget budget;
  backoff_loop loop = {.attempt = play_attempt, .now = play_now, .wait = play_wait,
                       .cancelled = play_cancelled, .on_stop = play_stop, .policy = &policy,
                       .budget = row.has_budget ? &budget : NULL};
  for (size_t i = 0; i < row.step_count; i++) {
    int begins = row.steps[i].action == BEGIN;
    if (begins && row.steps[i].has_time && row.steps[i].time == 0) return 0;
    if (i == 0) continue;
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
    loop.deadline_ns = step->has_time ? step->time : BACKOFF_NONE;
    check_number(row.id, "code of a loop",
                 backoff_retry(&loop, stream_of(row.id, row.seed, row.key), &play, &event),
                 BACKOFF_OK);
    check_number(row.id, "calls of on_stop", play.stops, 1);
    step = play.end;
  }
  return 1;
}

static void check_decisions(void) {
  check_number("decisions", "count", LENGTH(decisions), DECISIONS_COUNT);
  size_t through_loops = 0;
  for (size_t i = 0; i < LENGTH(decisions); i++) {
    check_decision(decisions[i]);
    through_loops += (size_t)check_loops(decisions[i]);
  }
  check_true("decisions", "most go through loops", through_loops * 2 > DECISIONS_COUNT);
}

int main(void) {
  check_decisions();
  return check_end();
}
