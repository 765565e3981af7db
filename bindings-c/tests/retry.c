/* The calls that a loop makes, in their order, and its counts, on a clock that the test sets. */

#include <backoff.h>

#include "check.h"

#define NEVER 0
#define NO_RETRY_AFTER BACKOFF_NONE

/* The end of an attempt. */
struct answer {
  uint32_t outcome;
  uint64_t takes, retry_after;
};

/* A scripted loop, and the trace of its calls. */
struct play {
  const struct answer *answers; /* the last one repeats */
  size_t answer_count, attempts, cancelled_calls, waits, stops;
  size_t cancelled_from; /* the first call of `cancelled` that returns yes, from 1; NEVER */
  size_t cancelled_wait; /* the wait that returns early, from 1; NEVER */
  uint64_t now;
  uint64_t back; /* the time by which the clock goes back in an attempt */
  backoff_stats *stats;
  char trace[600];
};

static const char *name_of_outcome(uint32_t outcome) {
  return outcome == 0 ? "-" : backoff_outcome_name(outcome);
}

static void note(struct play *play, const char *text) {
  size_t used = strlen(play->trace);
  snprintf(play->trace + used, sizeof play->trace - used, "%s%s", used > 0 ? " " : "", text);
}

static uint32_t attempt(void *context, uint64_t *retry_after_ns) {
  struct play *play = context;
  size_t last = play->answer_count - 1, at = play->attempts++;
  struct answer answer = play->answers[at < last ? at : last];
  check_number("attempt", "Retry-After on entry", *retry_after_ns, BACKOFF_NONE);
  note(play, "attempt");
  play->now += answer.takes - play->back;
  if (answer.retry_after != NO_RETRY_AFTER) *retry_after_ns = answer.retry_after;
  return answer.outcome;
}

static uint64_t now(void *context) { return ((struct play *)context)->now; }

static uint32_t wait_for(void *context, uint64_t delay_ns) {
  struct play *play = context;
  char text[40];
  snprintf(text, sizeof text, "wait:%" PRIu64, delay_ns);
  note(play, text);
  if (++play->waits == play->cancelled_wait) {
    play->now += 1;
    return 7;
  }
  play->now += delay_ns;
  return 0;
}

static uint32_t cancelled(void *context) {
  struct play *play = context;
  int yes = play->cancelled_from != NEVER && ++play->cancelled_calls >= play->cancelled_from;
  if (play->cancelled_from != NEVER) note(play, yes ? "yes" : "no");
  return yes ? UINT32_MAX : 0;
}

static void trace_event(struct play *play, const char *what, const backoff_event *event) {
  char text[120];
  snprintf(text, sizeof text, "%s:%" PRIu64 ",%s,%s,%" PRIu64 ",%" PRIu64, what, event->attempts,
           name_of_outcome(event->outcome),
           event->reason == 0 ? "-" : backoff_reason_name(event->reason), event->delay_ns,
           event->elapsed_ns);
  note(play, text);
}

static uint64_t counted(const backoff_stats *stats) {
  backoff_stats_counts counts;
  check_number("stats", "code", backoff_stats_read(stats, &counts), BACKOFF_OK);
  return counts.operations;
}

static void on_retry(void *context, const backoff_event *event) {
  struct play *play = context;
  trace_event(play, "retry", event);
  if (play->stats) check_number("on_retry", "loops counted", counted(play->stats), 0);
}

static void on_stop(void *context, const backoff_event *event) {
  struct play *play = context;
  trace_event(play, "stop", event);
  play->stops++;
  if (play->stats) check_number("on_stop", "loops counted", counted(play->stats), 1);
}

static const backoff_callbacks callbacks = {attempt, now, wait_for, cancelled, on_retry, on_stop};

#define TRANSIENT {BACKOFF_OUTCOME_TRANSIENT, 10, NO_RETRY_AFTER}
#define THROTTLED {BACKOFF_OUTCOME_THROTTLED, 10, NO_RETRY_AFTER}
#define TIMEOUT {BACKOFF_OUTCOME_TIMEOUT, 10, NO_RETRY_AFTER}
#define PERMANENT {BACKOFF_OUTCOME_PERMANENT, 10, NO_RETRY_AFTER}
#define SUCCESS {BACKOFF_OUTCOME_SUCCESS, 10, NO_RETRY_AFTER}
#define RETRY_AFTER(ns) {BACKOFF_OUTCOME_THROTTLED, 10, ns}
#define ANSWERS(...) {__VA_ARGS__}, sizeof((struct answer[]){__VA_ARGS__}) / sizeof(struct answer)

/* Waits are 100 ns unless the policy says otherwise; the clock starts at 1000. */
struct row {
  const char *id, *policy;
  uint64_t deadline;
  size_t cancelled_from, cancelled_wait;
  struct answer answers[5];
  size_t answer_count;
  const char *trace;
  uint32_t reason;
  uint64_t attempts; /* in the stats */
};

#define CONSTANT "constant:base=100ns"

static const struct row rows[] = {
    {"success at once", CONSTANT, BACKOFF_NONE, 0, 0, ANSWERS(SUCCESS),
     "attempt stop:1,success,success,0,10", BACKOFF_REASON_SUCCESS, 1},
    {"success after two retries", CONSTANT, BACKOFF_NONE, 0, 0,
     ANSWERS(TRANSIENT, TIMEOUT, SUCCESS),
     "attempt retry:1,transient,-,100,10 wait:100 attempt retry:2,timeout,-,100,120 wait:100 "
     "attempt stop:3,success,success,0,230",
     BACKOFF_REASON_SUCCESS, 3},
    {"a permanent failure at once", CONSTANT, BACKOFF_NONE, 0, 0, ANSWERS(PERMANENT),
     "attempt stop:1,permanent,permanent,0,10", BACKOFF_REASON_PERMANENT, 1},
    {"a permanent failure later", CONSTANT, BACKOFF_NONE, 0, 0, ANSWERS(TRANSIENT, PERMANENT),
     "attempt retry:1,transient,-,100,10 wait:100 attempt stop:2,permanent,permanent,0,120",
     BACKOFF_REASON_PERMANENT, 2},
    {"max_retries=0 makes one attempt", CONSTANT ",max_retries=0", BACKOFF_NONE, 0, 0,
     ANSWERS(TRANSIENT),
     "attempt stop:1,transient,max_retries,0,10", BACKOFF_REASON_MAX_RETRIES, 1},
    {"no wait follows the last failure", CONSTANT ",max_retries=1", BACKOFF_NONE, 0, 0,
     ANSWERS(TRANSIENT, TIMEOUT),
     "attempt retry:1,transient,-,100,10 wait:100 attempt stop:2,timeout,max_retries,0,120",
     BACKOFF_REASON_MAX_RETRIES, 2},
    {"a throttled server", CONSTANT ",throttled_base=300ns", BACKOFF_NONE, 0, 0,
     ANSWERS(THROTTLED, TRANSIENT, SUCCESS),
     "attempt retry:1,throttled,-,300,10 wait:300 attempt retry:2,transient,-,100,320 wait:100 "
     "attempt stop:3,success,success,0,430",
     BACKOFF_REASON_SUCCESS, 3},
    {"a Retry-After applies to its own wait", CONSTANT ",retry_after_max=1us", BACKOFF_NONE, 0, 0,
     ANSWERS(RETRY_AFTER(500), TRANSIENT, RETRY_AFTER(5000), SUCCESS),
     "attempt retry:1,throttled,-,500,10 wait:500 attempt retry:2,transient,-,100,520 wait:100 "
     "attempt retry:3,throttled,-,1000,630 wait:1000 attempt stop:4,success,success,0,1640",
     BACKOFF_REASON_SUCCESS, 4},
    {"a wait to the deadline", CONSTANT, 1110, 0, 0, ANSWERS(TRANSIENT, SUCCESS),
     "attempt retry:1,transient,-,100,10 wait:100 attempt stop:2,success,success,0,120",
     BACKOFF_REASON_SUCCESS, 2},
    {"a wait that would pass the deadline", CONSTANT, 1109, 0, 0, ANSWERS(TRANSIENT),
     "attempt stop:1,transient,deadline,100,10", BACKOFF_REASON_DEADLINE, 1},
    {"a deadline in the past still allows one attempt", CONSTANT, 0, 0, 0, ANSWERS(TRANSIENT),
     "attempt stop:1,transient,deadline,100,10", BACKOFF_REASON_DEADLINE, 1},
    {"max_elapsed", CONSTANT ",max_elapsed=220ns", BACKOFF_NONE, 0, 0,
     ANSWERS(TRANSIENT),
     "attempt retry:1,transient,-,100,10 wait:100 attempt retry:2,transient,-,100,120 wait:100 "
     "attempt stop:3,transient,max_elapsed,100,230",
     BACKOFF_REASON_MAX_ELAPSED, 3},
    {"a delay of 0 is a wait of 0", "constant:base=0s", BACKOFF_NONE, 0, 0,
     ANSWERS(TRANSIENT, SUCCESS),
     "attempt retry:1,transient,-,0,10 wait:0 attempt stop:2,success,success,0,20",
     BACKOFF_REASON_SUCCESS, 2},
    {"cancelled before it begins", CONSTANT, BACKOFF_NONE, 1, 0, ANSWERS(SUCCESS),
     "yes stop:0,-,cancelled,0,0", BACKOFF_REASON_CANCELLED, 1},
    {"cancelled during the first attempt", CONSTANT, BACKOFF_NONE, 2, 0, ANSWERS(TRANSIENT),
     "no attempt yes stop:1,-,cancelled,0,10", BACKOFF_REASON_CANCELLED, 1},
    {"cancelled during an attempt that fails permanently", CONSTANT, BACKOFF_NONE, 2, 0,
     ANSWERS(PERMANENT), "no attempt yes stop:1,-,cancelled,0,10", BACKOFF_REASON_CANCELLED, 1},
    {"a success wins over a cancellation", CONSTANT, BACKOFF_NONE, 2, 0,
     ANSWERS(SUCCESS), "no attempt stop:1,success,success,0,10", BACKOFF_REASON_SUCCESS, 1},
    {"cancelled by the hook", CONSTANT, BACKOFF_NONE, 3, 0, ANSWERS(TRANSIENT),
     "no attempt no retry:1,transient,-,100,10 yes stop:1,-,cancelled,0,10",
     BACKOFF_REASON_CANCELLED, 1},
    {"cancelled as the wait ends", CONSTANT, BACKOFF_NONE, 4, 0, ANSWERS(TRANSIENT),
     "no attempt no retry:1,transient,-,100,10 no wait:100 yes stop:1,-,cancelled,0,110",
     BACKOFF_REASON_CANCELLED, 1},
    {"cancelled during the second attempt", CONSTANT, BACKOFF_NONE, 5, 0, ANSWERS(TRANSIENT),
     "no attempt no retry:1,transient,-,100,10 no wait:100 no attempt yes stop:2,-,cancelled,0,120",
     BACKOFF_REASON_CANCELLED, 2},
    {"cancelled during the first wait", CONSTANT, BACKOFF_NONE, 0, 1, ANSWERS(TRANSIENT),
     "attempt retry:1,transient,-,100,10 wait:100 stop:1,-,cancelled,0,11",
     BACKOFF_REASON_CANCELLED, 1},
    {"cancelled during the second wait", CONSTANT, BACKOFF_NONE, 0, 2, ANSWERS(TRANSIENT),
     "attempt retry:1,transient,-,100,10 wait:100 attempt retry:2,transient,-,100,120 wait:100 "
     "stop:2,-,cancelled,0,121",
     BACKOFF_REASON_CANCELLED, 2},
};

static uint64_t granted(const backoff_policy *policy, backoff_operation *operation,
                        backoff_budget *budget, int begins) {
  backoff_decision decision = {0};
  if (begins) backoff_operation_begin(operation, policy, 1, 0, BACKOFF_NONE, budget);
  backoff_operation_decide(operation, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE, 0, budget,
                           &decision);
  return decision.reason == 0;
}

/* The budget counts no operation and no retry: it grants one retry to two operations, and none to
 * one. */
static void check_idle(const char *id, backoff_budget *budget) {
  backoff_policy policy;
  backoff_operation one, two;
  check_number(id, "code", backoff_policy_parse(&policy, "constant:base=0s", 16, NULL), BACKOFF_OK);
  check_number(id, "retries of one operation", granted(&policy, &one, budget, 1), 0);
  backoff_operation_begin(&one, &policy, 1, 0, BACKOFF_NONE, budget);
  check_number(id, "retries of the first of two", granted(&policy, &two, budget, 1), 1);
  check_number(id, "retries of the second", granted(&policy, &one, budget, 0), 0);
  backoff_operation_cancel(&two, budget, NULL);
}

static void parse_budget(const char *id, backoff_budget *budget, const char *text) {
  check_number(id, "code of the budget", backoff_budget_parse(budget, text, strlen(text), NULL),
               BACKOFF_OK);
}

static void check_counts(const char *id, const backoff_stats *stats, uint64_t attempts,
                         uint32_t reason) {
  backoff_stats_counts counts;
  check_number(id, "code of the counts", backoff_stats_read(stats, &counts), BACKOFF_OK);
  check_number(id, "loops counted", counts.operations, 1);
  check_number(id, "attempts counted", counts.attempts, attempts);
  check_number(id, "reason counted", counts.stops[reason - 1], 1);
}

static void check_row(const struct row *row) {
  backoff_policy policy;
  backoff_budget budget;
  backoff_stats stats;
  backoff_event end;
  struct play play = {row->answers, row->answer_count, 0, 0, 0, 0, row->cancelled_from,
                      row->cancelled_wait, 1000, 0, &stats, ""};
  memset(&end, 0xA5, sizeof end);
  check_number(row->id, "code of the policy",
               backoff_policy_parse(&policy, row->policy, strlen(row->policy), NULL), BACKOFF_OK);
  parse_budget(row->id, &budget, "concurrent:min_concurrent=1,ratio=0.5");
  backoff_stats_init(&stats);
  check_number(row->id, "code",
               backoff_retry(&policy, 1, row->deadline, &budget, &stats, &callbacks, &play, &end),
               BACKOFF_OK);
  check_text(row->id, "trace", play.trace, row->trace);
  check_number(row->id, "reason", end.reason, row->reason);
  /* The written end equals the event of the hook. */
  struct play again = {0};
  trace_event(&again, "stop", &end);
  check_text(row->id, "end", again.trace, strstr(row->trace, "stop:"));
  check_counts(row->id, &stats, row->attempts, row->reason);
}

/* The same loop on a budget that shows whether the loop left something in it. */
static void check_idle_after(const struct row *row) {
  backoff_policy policy;
  backoff_budget budget;
  backoff_event end;
  /* Another operation is under way, so that the budget has a retry to grant. */
  backoff_operation other;
  struct play play = {row->answers, row->answer_count, 0, 0, 0, 0, row->cancelled_from,
                      row->cancelled_wait, 1000, 0, NULL, ""};
  backoff_policy_parse(&policy, row->policy, strlen(row->policy), NULL);
  parse_budget(row->id, &budget, "concurrent:min_concurrent=0,ratio=0.5");
  backoff_operation_begin(&other, &policy, 1, 0, BACKOFF_NONE, &budget);
  check_number(row->id, "code",
               backoff_retry(&policy, 1, row->deadline, &budget, NULL, &callbacks, &play, &end),
               BACKOFF_OK);
  check_text(row->id, "trace of the loop on a budget", play.trace, row->trace);
  backoff_operation_cancel(&other, &budget, NULL);
  check_idle(row->id, &budget);
}

/* Two loops on one budget of three retries. */
static void check_shared_budget(void) {
  static const struct answer answers[] = {TRANSIENT};
  backoff_policy policy;
  backoff_budget budget;
  backoff_event end;
  static const char text[] = CONSTANT ",max_retries=2";
  backoff_policy_parse(&policy, text, sizeof text - 1, NULL);
  parse_budget("shared", &budget, "quota:max_tokens=3,cost=1");
  struct play first = {answers, 1, 0, 0, 0, 0, 0, 0, 1000, 0, NULL, ""}, second = first,
              third = first;
  backoff_retry(&policy, 1, BACKOFF_NONE, &budget, NULL, &callbacks, &first, &end);
  check_number("shared", "attempts of the first", end.attempts, 3);
  check_text("shared", "reason of the first", backoff_reason_name(end.reason), "max_retries");
  backoff_retry(&policy, 1, BACKOFF_NONE, &budget, NULL, &callbacks, &second, &end);
  check_text("shared", "trace of the second", second.trace,
             "attempt retry:1,transient,-,100,10 wait:100 attempt "
             "stop:2,transient,budget,100,120");
  backoff_retry(&policy, 1, BACKOFF_NONE, &budget, NULL, &callbacks, &third, &end);
  check_text("shared", "trace of the third", third.trace,
             "attempt stop:1,transient,budget,100,10");
}

/* The default policy waits for the delays in the README, three times. */
static void check_defaults(void) {
  static const struct answer answers[] = {TRANSIENT};
  struct play play = {answers, 1, 0, 0, 0, 0, 0, 0, 0, 0, NULL, ""};
  backoff_callbacks few = {.attempt = attempt, .now = now, .wait = wait_for};
  backoff_event end;
  uint64_t stream;
  backoff_stream_from_key(42, "job-1", 5, &stream);
  check_number("defaults", "code",
               backoff_retry(NULL, stream, BACKOFF_NONE, NULL, NULL, &few, &play, &end),
               BACKOFF_OK);
  check_text("defaults", "trace", play.trace,
             "attempt wait:11399434 attempt wait:83043876 attempt wait:229309811 attempt");
  check_number("defaults", "attempts", end.attempts, 4);
  check_text("defaults", "reason", backoff_reason_name(end.reason), "max_retries");
}

static void check_clock_that_goes_back(void) {
  static const struct answer answers[] = {TRANSIENT, SUCCESS};
  struct play play = {answers, 2, 0, 0, 0, 0, 0, 0, 1000, 500, NULL, ""};
  backoff_policy policy;
  backoff_event end;
  backoff_policy_parse(&policy, CONSTANT, sizeof CONSTANT - 1, NULL);
  backoff_retry(&policy, 1, BACKOFF_NONE, NULL, NULL, &callbacks, &play, &end);
  check_text("a clock that goes back", "trace", play.trace,
             "attempt retry:1,transient,-,100,0 wait:100 attempt stop:2,success,success,0,0");
}

/* An attempt that returns a number that is not an outcome ends the loop without a hook. */
static void check_unknown_outcomes(void) {
  static const uint32_t unknown[] = {0, 6, 99, 1u << 31, UINT32_MAX};
  for (size_t i = 0; i < LENGTH(unknown); i++) {
    struct answer answers[] = {TRANSIENT, {unknown[i], 10, NO_RETRY_AFTER}};
    backoff_policy policy;
    backoff_budget budget;
    backoff_stats stats;
    backoff_event end, before;
    struct play play = {answers, 2, 0, 0, 0, 0, 0, 0, 1000, 0, NULL, ""};
    backoff_operation other;
    memset(&end, 0xA5, sizeof end);
    before = end;
    backoff_policy_parse(&policy, CONSTANT, sizeof CONSTANT - 1, NULL);
    parse_budget("unknown outcome", &budget, "concurrent:min_concurrent=0,ratio=0.5");
    backoff_operation_begin(&other, &policy, 1, 0, BACKOFF_NONE, &budget);
    backoff_stats_init(&stats);
    check_text("unknown outcome", "code",
               backoff_code_name(backoff_retry(&policy, 1, BACKOFF_NONE, &budget, &stats,
                                               &callbacks, &play, &end)),
               "unknown_outcome");
    check_true("unknown outcome", "the end is unchanged", memcmp(&end, &before, sizeof end) == 0);
    check_text("unknown outcome", "trace", play.trace,
               "attempt retry:1,transient,-,100,10 wait:100 attempt");
    check_counts("unknown outcome", &stats, 2, BACKOFF_REASON_CANCELLED);
    backoff_operation_cancel(&other, &budget, NULL);
    check_idle("unknown outcome", &budget);
  }
}

int main(void) {
  for (size_t i = 0; i < LENGTH(rows); i++) {
    check_row(&rows[i]);
    check_idle_after(&rows[i]);
  }
  check_shared_budget();
  check_defaults();
  check_clock_that_goes_back();
  check_unknown_outcomes();
  return check_end();
}
