/* Facts that callers compile into their programs, so they never change: sizes, alignments, offsets
 * and numbers; and the version.
 *
 * Usage: layout "$(pkg-config --modversion backoff)" */

#include <backoff.h>

#include <stddef.h>

#include "check.h"

#define ALIGNMENT(type) \
  offsetof(struct {     \
    char first;         \
    type second;        \
  }, second)
#define POINTER sizeof(void (*)(void))

struct fact {
  const char *id;
  uint64_t is, fact;
};

#define TYPE(type, size, alignment) \
  {"size of " #type, sizeof(type), size}, {"alignment of " #type, ALIGNMENT(type), alignment}
#define MEMBER(type, member, offset, size)                          \
  {"offset of " #type "." #member, offsetof(type, member), offset}, \
      {"size of " #type "." #member, sizeof(((type *)0)->member), size}
#define NUMBER(constant, number) {#constant, constant, number}

static const struct fact layouts[] = {
    TYPE(backoff_params, 256, 8),
    TYPE(backoff_policy, 192, 8),
    TYPE(backoff_iter, 256, 8),
    TYPE(backoff_preview, 512, 8),
    TYPE(backoff_budget, 256, 8),
    TYPE(backoff_operation, 320, 8),
    TYPE(backoff_budget_state, 192, 8),
    TYPE(backoff_budget_event, 16, 8),
    TYPE(backoff_budget_answer, 16, 8),
    TYPE(backoff_stats, 192, 8),
    TYPE(backoff_error, 80, 8),
    TYPE(backoff_preview_row, 48, 8),
    TYPE(backoff_decision, 16, 8),
    TYPE(backoff_stats_counts, 264, 8),
    TYPE(backoff_event, 32, 8),
    TYPE(backoff_loop, 9 * POINTER + 8 + (POINTER == 4 ? 4 : 0), 8),
    MEMBER(backoff_params, opaque, 0, 256),
    MEMBER(backoff_policy, opaque, 0, 192),
    MEMBER(backoff_iter, opaque, 0, 256),
    MEMBER(backoff_preview, opaque, 0, 512),
    MEMBER(backoff_budget, opaque, 0, 256),
    MEMBER(backoff_operation, opaque, 0, 320),
    MEMBER(backoff_budget_state, opaque, 0, 192),
    MEMBER(backoff_budget_event, event, 0, 4),
    MEMBER(backoff_budget_event, outcome, 4, 4),
    MEMBER(backoff_budget_event, held, 8, 8),
    MEMBER(backoff_budget_answer, granted, 0, 4),
    MEMBER(backoff_budget_answer, changed, 4, 4),
    MEMBER(backoff_budget_answer, held, 8, 8),
    MEMBER(backoff_stats, opaque, 0, 192),
    MEMBER(backoff_error, code, 0, 4),
    MEMBER(backoff_error, field, 4, 4),
    MEMBER(backoff_error, value, 8, 8),
    MEMBER(backoff_error, limit, 16, 8),
    MEMBER(backoff_error, at, 24, 8),
    MEMBER(backoff_error, found_length, 32, 8),
    MEMBER(backoff_error, text_kind, 40, 4),
    MEMBER(backoff_error, found, 44, 36),
    MEMBER(backoff_preview_row, min_ns, 0, 8),
    MEMBER(backoff_preview_row, mean_ns, 8, 8),
    MEMBER(backoff_preview_row, max_ns, 16, 8),
    MEMBER(backoff_preview_row, total_min_ns, 24, 8),
    MEMBER(backoff_preview_row, total_mean_ns, 32, 8),
    MEMBER(backoff_preview_row, total_max_ns, 40, 8),
    MEMBER(backoff_decision, reason, 0, 4),
    MEMBER(backoff_decision, reserved, 4, 4),
    MEMBER(backoff_decision, delay_ns, 8, 8),
    MEMBER(backoff_stats_counts, operations, 0, 8),
    MEMBER(backoff_stats_counts, attempts, 8, 8),
    MEMBER(backoff_stats_counts, retries, 16, 8),
    MEMBER(backoff_stats_counts, bounds, 24, 88),
    MEMBER(backoff_stats_counts, buckets, 112, 96),
    MEMBER(backoff_stats_counts, stops, 208, 56),
    MEMBER(backoff_event, attempts, 0, 8),
    MEMBER(backoff_event, delay_ns, 8, 8),
    MEMBER(backoff_event, elapsed_ns, 16, 8),
    MEMBER(backoff_event, outcome, 24, 4),
    MEMBER(backoff_event, reason, 28, 4),
    MEMBER(backoff_loop, attempt, 0, POINTER),
    MEMBER(backoff_loop, now, 1 * POINTER, POINTER),
    MEMBER(backoff_loop, wait, 2 * POINTER, POINTER),
    MEMBER(backoff_loop, cancelled, 3 * POINTER, POINTER),
    MEMBER(backoff_loop, on_retry, 4 * POINTER, POINTER),
    MEMBER(backoff_loop, on_stop, 5 * POINTER, POINTER),
    MEMBER(backoff_loop, policy, 6 * POINTER, POINTER),
    MEMBER(backoff_loop, budget, 7 * POINTER, POINTER),
    MEMBER(backoff_loop, stats, 8 * POINTER, POINTER),
    MEMBER(backoff_loop, deadline_ns, 9 * POINTER + (POINTER == 4 ? 4 : 0), 8),
};

static const struct fact numbers[] = {
    NUMBER(BACKOFF_OK, 0),
    NUMBER(BACKOFF_UNKNOWN_KIND, 1),
    NUMBER(BACKOFF_MISSING, 2),
    NUMBER(BACKOFF_UNUSED, 3),
    NUMBER(BACKOFF_TOO_LARGE, 4),
    NUMBER(BACKOFF_TOO_SMALL, 5),
    NUMBER(BACKOFF_ZERO_DENOMINATOR, 6),
    NUMBER(BACKOFF_RATIO_TOO_FINE, 7),
    NUMBER(BACKOFF_NOT_EXPONENTIAL, 8),
    NUMBER(BACKOFF_CAP_BELOW_BASE, 9),
    NUMBER(BACKOFF_OFFSET_ABOVE_CAP, 10),
    NUMBER(BACKOFF_FLOOR_ABOVE_CAP, 11),
    NUMBER(BACKOFF_GROWTH_STALLS, 12),
    NUMBER(BACKOFF_GIVEN_TWICE, 13),
    NUMBER(BACKOFF_UNKNOWN_HEAD, 14),
    NUMBER(BACKOFF_UNKNOWN_KEY, 15),
    NUMBER(BACKOFF_REPEATED_KEY, 16),
    NUMBER(BACKOFF_MISSING_VALUE, 17),
    NUMBER(BACKOFF_NOT_A_DURATION, 18),
    NUMBER(BACKOFF_MISSING_UNIT, 19),
    NUMBER(BACKOFF_UNKNOWN_UNIT, 20),
    NUMBER(BACKOFF_DURATION_TOO_FINE, 21),
    NUMBER(BACKOFF_NOT_A_RATIO, 22),
    NUMBER(BACKOFF_NOT_A_COUNT, 23),
    NUMBER(BACKOFF_TEXT_TOO_LONG, 24),
    NUMBER(BACKOFF_DOES_NOT_FIT, 25),
    NUMBER(BACKOFF_NULL_POINTER, 100),
    NUMBER(BACKOFF_UNINITIALIZED, 101),
    NUMBER(BACKOFF_UNKNOWN_FIELD, 102),
    NUMBER(BACKOFF_WRONG_UNIT, 103),
    NUMBER(BACKOFF_END, 104),
    NUMBER(BACKOFF_NO_ENTROPY, 105),
    NUMBER(BACKOFF_BUFFER_TOO_SMALL, 106),
    NUMBER(BACKOFF_NOT_A_RETRY_AFTER, 107),
    NUMBER(BACKOFF_TOO_LONG, 108),
    NUMBER(BACKOFF_UNKNOWN_OUTCOME, 109),
    NUMBER(BACKOFF_UNKNOWN_REASON, 110),
    NUMBER(BACKOFF_DAMAGED, 111),
    NUMBER(BACKOFF_NOT_A_STATE, 112),
    NUMBER(BACKOFF_UNKNOWN_EVENT, 113),
    NUMBER(BACKOFF_BUDGET_EVENT_OPERATION_BEGAN, 1),
    NUMBER(BACKOFF_BUDGET_EVENT_ATTEMPT_OVER, 2),
    NUMBER(BACKOFF_BUDGET_EVENT_ATTEMPT_FAILED, 3),
    NUMBER(BACKOFF_BUDGET_EVENT_RETRY_REQUESTED, 4),
    NUMBER(BACKOFF_BUDGET_EVENT_OPERATION_SUCCEEDED, 5),
    NUMBER(BACKOFF_BUDGET_EVENT_OPERATION_ENDED, 6),
    NUMBER(BACKOFF_FIELD_GROWTH, 1),
    NUMBER(BACKOFF_FIELD_BASE, 2),
    NUMBER(BACKOFF_FIELD_INCREMENT, 3),
    NUMBER(BACKOFF_FIELD_MULTIPLIER, 4),
    NUMBER(BACKOFF_FIELD_POWER, 5),
    NUMBER(BACKOFF_FIELD_ORIGIN, 6),
    NUMBER(BACKOFF_FIELD_OFFSET, 7),
    NUMBER(BACKOFF_FIELD_CAP, 8),
    NUMBER(BACKOFF_FIELD_CAP_ON, 9),
    NUMBER(BACKOFF_FIELD_FLOOR, 10),
    NUMBER(BACKOFF_FIELD_JITTER, 11),
    NUMBER(BACKOFF_FIELD_JITTER_BELOW, 12),
    NUMBER(BACKOFF_FIELD_JITTER_ABOVE, 13),
    NUMBER(BACKOFF_FIELD_JITTER_MAX, 14),
    NUMBER(BACKOFF_FIELD_JITTER_INCREMENT, 15),
    NUMBER(BACKOFF_FIELD_JITTER_SLOT, 16),
    NUMBER(BACKOFF_FIELD_MAX_RETRIES, 17),
    NUMBER(BACKOFF_FIELD_MAX_ATTEMPTS, 18),
    NUMBER(BACKOFF_FIELD_MAX_ELAPSED, 19),
    NUMBER(BACKOFF_FIELD_THROTTLED_BASE, 20),
    NUMBER(BACKOFF_FIELD_RETRY_AFTER, 21),
    NUMBER(BACKOFF_FIELD_RETRY_AFTER_MAX, 22),
    NUMBER(BACKOFF_FIELD_RETRY_AFTER_MAX_EXTRA, 23),
    NUMBER(BACKOFF_FIELD_BUDGET, 33),
    NUMBER(BACKOFF_FIELD_MAX_TOKENS, 34),
    NUMBER(BACKOFF_FIELD_COST, 35),
    NUMBER(BACKOFF_FIELD_COST_THROTTLED, 36),
    NUMBER(BACKOFF_FIELD_COST_TIMEOUT, 37),
    NUMBER(BACKOFF_FIELD_RATIO, 38),
    NUMBER(BACKOFF_FIELD_PER, 39),
    NUMBER(BACKOFF_FIELD_TTL, 40),
    NUMBER(BACKOFF_FIELD_MIN_PER_SECOND, 41),
    NUMBER(BACKOFF_FIELD_MIN_CONCURRENT, 42),
    NUMBER(BACKOFF_BUDGET_KIND_QUOTA, 1),
    NUMBER(BACKOFF_BUDGET_KIND_THROTTLE, 2),
    NUMBER(BACKOFF_BUDGET_KIND_RATIO, 3),
    NUMBER(BACKOFF_BUDGET_KIND_RATE, 4),
    NUMBER(BACKOFF_BUDGET_KIND_TTL, 5),
    NUMBER(BACKOFF_BUDGET_KIND_CONCURRENT, 6),
    NUMBER(BACKOFF_GROWTH_CONSTANT, 1),
    NUMBER(BACKOFF_GROWTH_LINEAR, 2),
    NUMBER(BACKOFF_GROWTH_EXPONENTIAL, 3),
    NUMBER(BACKOFF_GROWTH_POLYNOMIAL, 4),
    NUMBER(BACKOFF_GROWTH_FIBONACCI, 5),
    NUMBER(BACKOFF_JITTER_NONE, 1),
    NUMBER(BACKOFF_JITTER_FULL, 2),
    NUMBER(BACKOFF_JITTER_EQUAL, 3),
    NUMBER(BACKOFF_JITTER_PROPORTIONAL, 4),
    NUMBER(BACKOFF_JITTER_ADDITIVE, 5),
    NUMBER(BACKOFF_JITTER_DECORRELATED, 6),
    NUMBER(BACKOFF_JITTER_SLOTTED, 7),
    NUMBER(BACKOFF_CAP_ON_WINDOW, 1),
    NUMBER(BACKOFF_CAP_ON_DELAY, 2),
    NUMBER(BACKOFF_RETRY_AFTER_AT_LEAST, 1),
    NUMBER(BACKOFF_RETRY_AFTER_EXACT, 2),
    NUMBER(BACKOFF_RETRY_AFTER_SPREAD, 3),
    NUMBER(BACKOFF_OUTCOME_SUCCESS, 1),
    NUMBER(BACKOFF_OUTCOME_TRANSIENT, 2),
    NUMBER(BACKOFF_OUTCOME_THROTTLED, 3),
    NUMBER(BACKOFF_OUTCOME_TIMEOUT, 4),
    NUMBER(BACKOFF_OUTCOME_PERMANENT, 5),
    NUMBER(BACKOFF_REASON_SUCCESS, 1),
    NUMBER(BACKOFF_REASON_PERMANENT, 2),
    NUMBER(BACKOFF_REASON_MAX_RETRIES, 3),
    NUMBER(BACKOFF_REASON_MAX_ELAPSED, 4),
    NUMBER(BACKOFF_REASON_DEADLINE, 5),
    NUMBER(BACKOFF_REASON_BUDGET, 6),
    NUMBER(BACKOFF_REASON_CANCELLED, 7),
    NUMBER(BACKOFF_TEXT_KIND_NONE, 0),
    NUMBER(BACKOFF_TEXT_KIND_POLICY, 1),
    NUMBER(BACKOFF_TEXT_KIND_BUDGET, 2),
    NUMBER(BACKOFF_TEXT_SIZE, 769),
    NUMBER(BACKOFF_STATS_SIZE, 4096),
    NUMBER(BACKOFF_NONE, UINT64_MAX),
    {"size of BACKOFF_NONE", sizeof(BACKOFF_NONE), 8},
};

/* Products of a plain int and a unit must not overflow an int. */
static const struct fact durations[] = {
    {"BACKOFF_NANOSECOND", BACKOFF_NANOSECOND, 1},
    {"BACKOFF_MICROSECOND", BACKOFF_MICROSECOND, 1000},
    {"BACKOFF_MILLISECOND", BACKOFF_MILLISECOND, 1000000},
    {"BACKOFF_SECOND", BACKOFF_SECOND, 1000000000},
    {"BACKOFF_MAX_NS", BACKOFF_MAX_NS, INT64_MAX},
    {"100 s", 100 * BACKOFF_SECOND, UINT64_C(100000000000)},
    {"a day of ms", 86400000 * BACKOFF_MILLISECOND, UINT64_C(86400000000000)},
    {"an hour of us", 3600000000u * BACKOFF_MICROSECOND, UINT64_C(3600000000000)},
    {"ten times 2^31 - 1 ns", 10 * (INT32_MAX * BACKOFF_NANOSECOND), UINT64_C(21474836470)},
    {"BACKOFF_MAX_NS + 1", BACKOFF_MAX_NS + 1, UINT64_C(9223372036854775808)},
    {"size of BACKOFF_NANOSECOND", sizeof(BACKOFF_NANOSECOND), 8},
    {"size of BACKOFF_MICROSECOND", sizeof(BACKOFF_MICROSECOND), 8},
    {"size of BACKOFF_MILLISECOND", sizeof(BACKOFF_MILLISECOND), 8},
    {"size of BACKOFF_SECOND", sizeof(BACKOFF_SECOND), 8},
    {"size of BACKOFF_MAX_NS", sizeof(BACKOFF_MAX_NS), 8},
};

static void check_facts(const struct fact *facts, size_t length) {
  for (size_t i = 0; i < length; i++) {
    check_number(facts[i].id, "number", facts[i].is, facts[i].fact);
  }
}

/* The macros, the library that is linked and its pkg-config file agree. */
static void check_version(const char *package) {
  char macros[40];
  snprintf(macros, sizeof macros, "%d.%d.%d", BACKOFF_VERSION_MAJOR, BACKOFF_VERSION_MINOR,
           BACKOFF_VERSION_PATCH);
  check_text("version", "pkg-config", package, macros);
  check_number("version", "BACKOFF_VERSION", BACKOFF_VERSION,
               BACKOFF_VERSION_MAJOR * 1000000 + BACKOFF_VERSION_MINOR * 1000 +
               BACKOFF_VERSION_PATCH);
  check_number("version", "backoff_version()", backoff_version(), BACKOFF_VERSION);
}

int main(int argc, char **argv) {
  check_facts(layouts, LENGTH(layouts));
  check_facts(numbers, LENGTH(numbers));
  check_facts(durations, LENGTH(durations));
  check_version(argc == 2 ? argv[1] : "no argument");
  return check_end();
}
