/* The vectors of loops, on a clock that the test sets, and what only C and C++ have. */

#include <backoff.h>

#include "check.h"
#include "make.h"
#include "vectors.h"

/* The functions of C cannot fail. For C++ the Makefile compiles this file with wrapper_retry.cpp,
 * which throws if `caller_fails`, and returns CALLER_FAILED for what it catches. */
int caller_fails;
#define CALLER_FAILED UINT32_MAX
#ifdef backoff_retry
#define CALLERS_FAIL 1
#define PLAYED 87
#else
#define CALLERS_FAIL 0
#define PLAYED 76
#endif

/* An attempt makes its own classification: it returns an outcome. */
static const char *const skipped[] = {
    "unclassified-value",   /* there is no default outcome */
    "unclassified-failure", /* the same */
    "failure-success",      /* an outcome is all that the loop sees of a failure */
    "mark",                 /* there are no marks */
};

/* A loop under way. */
struct play {
  const char *id;
  const struct loop_script *script;
  size_t calls, waits, events;
  int is_cancelled;
  int wait_cancels;           /* what a wait that is cut short returns */
  const backoff_stats *stats; /* or NULL */
  uint64_t counted;           /* in the stats before the loop */
};

static uint64_t clock_ns;

static int reaches(const struct play *play, struct loop_point point, enum loop_where where) {
  return point.where == where && point.call + 1 == play->calls;
}

static uint32_t attempt(void *context, uint64_t *retry_after_ns) {
  struct play *play = context;
  check_number(play->id, "Retry-After on entry", *retry_after_ns, BACKOFF_NONE);
  check_number(play->id, "waits before a call", play->waits, play->calls);
  if (!check_true(play->id, "no more calls", play->calls < play->script->call_count)) {
    return BACKOFF_OUTCOME_PERMANENT;
  }
  struct loop_call call = play->script->calls[play->calls++];
  struct loop_point cancel = play->script->cancel;
  clock_ns += call.takes;
  *retry_after_ns = call.retry_after;
  play->is_cancelled |=
      reaches(play, cancel, LOOP_CALL) || reaches(play, cancel, LOOP_CLASSIFICATION);
  return call.outcome;
}

static uint64_t now(void *context) {
  (void)context;
  return clock_ns;
}

static uint32_t wait_for(void *context, uint64_t delay_ns) {
  struct play *play = context;
  const struct loop_script *script = play->script;
  caller_fails = reaches(play, script->fail, LOOP_WAIT);
  if (caller_fails) return 0;
  if (reaches(play, script->cancel, LOOP_WAIT)) {
    clock_ns += script->cancel.after;
    play->is_cancelled = !play->wait_cancels;
    return play->wait_cancels ? 7 : 0;
  }
  if (check_true(play->id, "no more waits", play->waits < script->wait_count)) {
    check_number(play->id, "wait", delay_ns, script->waits[play->waits]);
  }
  play->waits++;
  clock_ns += delay_ns;
  return 0;
}

static uint32_t cancelled(void *context) {
  return ((struct play *)context)->is_cancelled ? UINT32_MAX : 0;
}

static void check_same(const char *id, backoff_event got, backoff_event want) {
  check_number(id, "attempts", got.attempts, want.attempts);
  check_number(id, "delay", got.delay_ns, want.delay_ns);
  check_number(id, "elapsed", got.elapsed_ns, want.elapsed_ns);
  check_number(id, "outcome", got.outcome, want.outcome);
  check_number(id, "reason", got.reason, want.reason);
}

static uint64_t counted(const char *id, const backoff_stats *stats) {
  backoff_stats_counts counts;
  check_number(id, "code of the counts", backoff_stats_read(stats, &counts), BACKOFF_OK);
  return counts.operations;
}

static void on_event(struct play *play, const backoff_event *event) {
  check_number(play->id, "calls before an event", event->attempts, play->calls);
  if (check_true(play->id, "no more events", play->events < play->script->event_count)) {
    check_same(play->id, *event, play->script->events[play->events]);
  }
  play->events++;
  if (play->stats) {
    check_number(play->id, "loops counted", counted(play->id, play->stats) - play->counted,
                 event->reason != 0);
  }
}

static void on_retry(void *context, const backoff_event *event) {
  struct play *play = context;
  on_event(play, event);
  check_number(play->id, "reason before a wait", event->reason, 0);
  play->is_cancelled |= reaches(play, play->script->cancel, LOOP_RETRY_HOOK);
  caller_fails = reaches(play, play->script->fail, LOOP_RETRY_HOOK);
}

static void on_stop(void *context, const backoff_event *event) {
  struct play *play = context;
  on_event(play, event);
  check_true(play->id, "reason at the end", event->reason != 0);
  /* A loop without a call has its points at the call 0. */
  caller_fails = play->script->fail.where == LOOP_STOP_HOOK;
}

#define FUNCTIONS attempt, now, wait_for, cancelled, on_retry, on_stop

/* The arguments of loops that run one after the other. */
struct arguments {
  const char *id;
  uint64_t stream;
  backoff_loop loop;
  int wait_cancels;
};

static void run(struct arguments with, const struct loop_script *script, uint32_t code) {
  struct play play = {with.id, script, 0, 0, 0, script->cancel.where == LOOP_BEFORE,
                      with.wait_cancels, with.loop.stats, 0};
  backoff_event end, before;
  if (with.loop.stats) play.counted = counted(with.id, with.loop.stats);
  caller_fails = 0;
  memset(&end, 0xA5, sizeof end);
  before = end;
  /* 0 and BACKOFF_NONE are both no deadline. 1 stands for a deadline of 0, as no wait ends at 0. */
  with.loop.deadline_ns = script->deadline ? script->deadline : 1;
  if (script->deadline == BACKOFF_NONE && !with.wait_cancels) with.loop.deadline_ns = 0;
  check_number(with.id, "code", backoff_retry(&with.loop, with.stream, &play, &end), code);
  check_number(with.id, "calls", play.calls, script->call_count);
  check_number(with.id, "waits", play.waits, script->wait_count);
  if (with.loop.on_stop) check_number(with.id, "events", play.events, script->event_count);
  if (code == BACKOFF_OK) {
    check_same(with.id, end, script->events[script->event_count - 1]);
  } else {
    check_true(with.id, "the end is unchanged", memcmp(&end, &before, sizeof end) == 0);
  }
}

static void parse_policy(const char *id, backoff_policy *policy, struct text text) {
  check_number(id, "code of the policy",
               backoff_policy_parse(policy, text.bytes, text.length, NULL), BACKOFF_OK);
}

static void parse_budget(const char *id, backoff_budget *budget, const char *text) {
  check_number(id, "code of the budget", backoff_budget_parse(budget, text, strlen(text), NULL),
               BACKOFF_OK);
}

/* A budget that grants a retry to every two operations under way, and `other`, which is one. */
static void start_idle(const char *id, backoff_budget *budget, backoff_operation *other,
                       const backoff_policy *policy) {
  parse_budget(id, budget, "concurrent:min_concurrent=0,ratio=0.5");
  backoff_operation_begin(other, policy, 1, 0, BACKOFF_NONE, budget);
}

static uint64_t granted(const backoff_policy *policy, backoff_operation *operation,
                        backoff_budget *budget, int begins) {
  backoff_decision decision = {0};
  if (begins) backoff_operation_begin(operation, policy, 1, 0, BACKOFF_NONE, budget);
  backoff_operation_decide(operation, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE, 0, budget,
                           &decision);
  return decision.reason == 0;
}

/* The loops left nothing in the budget: it grants one retry to two operations, and none to one. */
static void check_idle(const char *id, backoff_budget *budget, backoff_operation *other) {
  backoff_policy policy;
  backoff_operation one, two;
  backoff_operation_cancel(other, budget, NULL);
  parse_policy(id, &policy, (struct text){16, "constant:base=0s"});
  check_number(id, "retries of one operation", granted(&policy, &one, budget, 1), 0);
  backoff_operation_begin(&one, &policy, 1, 0, BACKOFF_NONE, budget);
  check_number(id, "retries of the first of two", granted(&policy, &two, budget, 1), 1);
  check_number(id, "retries of the second", granted(&policy, &one, budget, 0), 0);
}

/* Plays a vector in one of two forms. 0: `cancelled` cancels a loop whose wait is cut short, and there
 * is no budget if the vector has none. 1: the wait cancels the loop, and there is a budget. */
static void check_vector(const struct loop_vector *row, int form) {
  backoff_policy policy;
  backoff_budget budget;
  backoff_operation other;
  backoff_stats stats;
  backoff_stats_counts counts;
  struct arguments with = {row->id, stream_of(row->id, row->seed, row->key),
                           {FUNCTIONS, &policy, NULL, &stats, 0}, form};
  parse_policy(row->id, &policy, row->policy);
  if (row->budget) parse_budget(row->id, &budget, row->budget);
  if (!row->budget) start_idle(row->id, &budget, &other, &policy);
  if (row->budget || form) with.loop.budget = &budget;
  backoff_stats_init(&stats);
  clock_ns = 0;
  for (size_t i = 0; i < row->script_count; i++) {
    const struct loop_script *script = &row->scripts[i];
    run(with, script, script->fail.where == LOOP_NOWHERE ? BACKOFF_OK : CALLER_FAILED);
  }
  backoff_stats_read(&stats, &counts);
  check_number(row->id, "operations", counts.operations, row->stats.operations);
  check_number(row->id, "attempts", counts.attempts, row->stats.attempts);
  for (size_t i = 0; i < LENGTH(counts.stops); i++) {
    check_number(row->id, "stops", counts.stops[i], row->stats.stops[i]);
  }
  if (!row->budget) check_idle(row->id, &budget, &other);
}

static int can_play(const struct loop_vector *row) {
  for (size_t i = 0; i < LENGTH(skipped); i++) {
    if (strcmp(row->id, skipped[i]) == 0) return 0;
  }
  for (size_t i = 0; i < row->script_count; i++) {
    enum loop_where fails = row->scripts[i].fail.where;
    /* What an attempt throws is not a failure of its classification (SPEC 18.5). */
    if (fails != LOOP_NOWHERE && (!CALLERS_FAIL || fails == LOOP_CLASSIFICATION)) return 0;
  }
  return 1;
}

static void check_vectors(void) {
  size_t played = 0;
  check_number("loops", "count", LENGTH(loops), LOOPS_COUNT);
  for (size_t i = 0; i < LENGTH(loops); i++) {
    if (!can_play(&loops[i])) continue;
    played++;
    for (int form = 0; form < 2; form++) check_vector(&loops[i], form);
  }
  check_number("loops", "played", played, PLAYED);
}

#define TRANSIENT {0, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE}

/* The default policy waits for the delays in the README, with three callbacks. */
static void check_defaults(void) {
  static const struct loop_call calls[] = {TRANSIENT, TRANSIENT, TRANSIENT, TRANSIENT};
  static const uint64_t waits[] = {11399434, 83043876, 229309811};
  static const backoff_event end = {4, 0, 323753121, BACKOFF_OUTCOME_TRANSIENT,
                                    BACKOFF_REASON_MAX_RETRIES};
  const struct loop_script script = {4, calls, BACKOFF_NONE, {0}, {0}, 3, waits, 1, &end};
  struct arguments with = {"defaults", 0, {.attempt = attempt, .now = now, .wait = wait_for}, 0};
  backoff_stream_from_key(42, "job-1", 5, &with.stream);
  run(with, &script, BACKOFF_OK);
}

#define CONSTANT ((struct text){19, "constant:base=100ns"})

static void check_clock_that_goes_back(void) {
  const uint64_t back = (uint64_t)-490, waits[] = {100};
  const struct loop_call calls[] = {{back, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE},
                                    {back, BACKOFF_OUTCOME_SUCCESS, BACKOFF_NONE}};
  static const backoff_event events[] = {
      {1, 100, 0, BACKOFF_OUTCOME_TRANSIENT, 0},
      {2, 0, 0, BACKOFF_OUTCOME_SUCCESS, BACKOFF_REASON_SUCCESS}};
  const struct loop_script script = {2, calls, BACKOFF_NONE, {0}, {0}, 1, waits, 2, events};
  backoff_policy policy;
  struct arguments with = {"a clock that goes back", 0, {FUNCTIONS, &policy, NULL, NULL, 0}, 0};
  parse_policy(with.id, &policy, CONSTANT);
  clock_ns = 1000;
  run(with, &script, BACKOFF_OK);
}

/* An attempt that returns a number that is not an outcome ends the loop without a hook. */
static void check_unknown_outcomes(void) {
  static const uint32_t unknown[] = {0, 6, 99, 1u << 31, UINT32_MAX};
  static const uint64_t waits[] = {100};
  static const backoff_event retry = {1, 100, 0, BACKOFF_OUTCOME_TRANSIENT, 0};
  for (size_t i = 0; i < LENGTH(unknown); i++) {
    const struct loop_call calls[] = {TRANSIENT, {0, unknown[i], BACKOFF_NONE}};
    const struct loop_script script = {2, calls, BACKOFF_NONE, {0}, {0}, 1, waits, 1, &retry};
    backoff_policy policy;
    backoff_budget budget;
    backoff_operation other;
    backoff_stats stats;
    backoff_stats_counts counts;
    struct arguments with = {"unknown outcome", 1, {FUNCTIONS, &policy, &budget, &stats, 0}, 0};
    parse_policy(with.id, &policy, CONSTANT);
    start_idle(with.id, &budget, &other, &policy);
    backoff_stats_init(&stats);
    run(with, &script, BACKOFF_UNKNOWN_OUTCOME);
    backoff_stats_read(&stats, &counts);
    check_number(with.id, "attempts counted", counts.attempts, 2);
    check_number(with.id, "cancelled", counts.stops[BACKOFF_REASON_CANCELLED - 1], 1);
    check_idle(with.id, &budget, &other);
  }
}

int main(void) {
  check_vectors();
  check_defaults();
  check_clock_that_goes_back();
  check_unknown_outcomes();
  return check_end();
}
