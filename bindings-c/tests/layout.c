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

struct fact {
  const char *id;
  uint64_t is, fact;
};

static const struct fact layouts[] = {
    {"size of backoff_params", sizeof(backoff_params), 256},
    {"size of backoff_policy", sizeof(backoff_policy), 192},
    {"size of backoff_iter", sizeof(backoff_iter), 256},
    {"size of backoff_preview", sizeof(backoff_preview), 512},
    {"size of backoff_budget", sizeof(backoff_budget), 256},
    {"size of backoff_operation", sizeof(backoff_operation), 320},
    {"size of backoff_stats", sizeof(backoff_stats), 192},
    {"size of backoff_error", sizeof(backoff_error), 80},
    {"size of backoff_preview_row", sizeof(backoff_preview_row), 48},
    {"size of backoff_decision", sizeof(backoff_decision), 16},
    {"size of backoff_stats_counts", sizeof(backoff_stats_counts), 264},
    {"size of backoff_event", sizeof(backoff_event), 32},
    {"size of backoff_callbacks", sizeof(backoff_callbacks), 6 * sizeof(void (*)(void))},
    {"alignment of backoff_params", ALIGNMENT(backoff_params), 8},
    {"alignment of backoff_policy", ALIGNMENT(backoff_policy), 8},
    {"alignment of backoff_iter", ALIGNMENT(backoff_iter), 8},
    {"alignment of backoff_preview", ALIGNMENT(backoff_preview), 8},
    {"alignment of backoff_budget", ALIGNMENT(backoff_budget), 8},
    {"alignment of backoff_operation", ALIGNMENT(backoff_operation), 8},
    {"alignment of backoff_stats", ALIGNMENT(backoff_stats), 8},
    {"alignment of backoff_error", ALIGNMENT(backoff_error), 8},
    {"alignment of backoff_preview_row", ALIGNMENT(backoff_preview_row), 8},
    {"alignment of backoff_decision", ALIGNMENT(backoff_decision), 8},
    {"alignment of backoff_stats_counts", ALIGNMENT(backoff_stats_counts), 8},
    {"alignment of backoff_event", ALIGNMENT(backoff_event), 8},
    {"alignment of backoff_callbacks", ALIGNMENT(backoff_callbacks), sizeof(void (*)(void))},
    {"offset of backoff_params.opaque", offsetof(backoff_params, opaque), 0},
    {"offset of backoff_policy.opaque", offsetof(backoff_policy, opaque), 0},
    {"offset of backoff_iter.opaque", offsetof(backoff_iter, opaque), 0},
    {"offset of backoff_preview.opaque", offsetof(backoff_preview, opaque), 0},
    {"offset of backoff_budget.opaque", offsetof(backoff_budget, opaque), 0},
    {"offset of backoff_operation.opaque", offsetof(backoff_operation, opaque), 0},
    {"offset of backoff_stats.opaque", offsetof(backoff_stats, opaque), 0},
    {"offset of backoff_error.code", offsetof(backoff_error, code), 0},
    {"offset of backoff_error.field", offsetof(backoff_error, field), 4},
    {"offset of backoff_error.value", offsetof(backoff_error, value), 8},
    {"offset of backoff_error.limit", offsetof(backoff_error, limit), 16},
    {"offset of backoff_error.at", offsetof(backoff_error, at), 24},
    {"offset of backoff_error.found_length", offsetof(backoff_error, found_length), 32},
    {"offset of backoff_error.text_kind", offsetof(backoff_error, text_kind), 40},
    {"offset of backoff_error.found", offsetof(backoff_error, found), 44},
    {"size of backoff_error.code", sizeof(((backoff_error *)0)->code), 4},
    {"size of backoff_error.field", sizeof(((backoff_error *)0)->field), 4},
    {"size of backoff_error.value", sizeof(((backoff_error *)0)->value), 8},
    {"size of backoff_error.limit", sizeof(((backoff_error *)0)->limit), 8},
    {"size of backoff_error.at", sizeof(((backoff_error *)0)->at), 8},
    {"size of backoff_error.found_length", sizeof(((backoff_error *)0)->found_length), 8},
    {"size of backoff_error.text_kind", sizeof(((backoff_error *)0)->text_kind), 4},
    {"size of backoff_error.found", sizeof(((backoff_error *)0)->found), 36},
    {"offset of backoff_preview_row.min_ns", offsetof(backoff_preview_row, min_ns), 0},
    {"offset of backoff_preview_row.mean_ns", offsetof(backoff_preview_row, mean_ns), 8},
    {"offset of backoff_preview_row.max_ns", offsetof(backoff_preview_row, max_ns), 16},
    {"offset of backoff_preview_row.total_min_ns", offsetof(backoff_preview_row, total_min_ns), 24},
    {"offset of backoff_preview_row.total_mean_ns", offsetof(backoff_preview_row, total_mean_ns), 32},
    {"offset of backoff_preview_row.total_max_ns", offsetof(backoff_preview_row, total_max_ns), 40},
    {"size of backoff_preview_row.min_ns", sizeof(((backoff_preview_row *)0)->min_ns), 8},
    {"size of backoff_preview_row.mean_ns", sizeof(((backoff_preview_row *)0)->mean_ns), 8},
    {"size of backoff_preview_row.max_ns", sizeof(((backoff_preview_row *)0)->max_ns), 8},
    {"size of backoff_preview_row.total_min_ns", sizeof(((backoff_preview_row *)0)->total_min_ns), 8},
    {"size of backoff_preview_row.total_mean_ns", sizeof(((backoff_preview_row *)0)->total_mean_ns), 8},
    {"size of backoff_preview_row.total_max_ns", sizeof(((backoff_preview_row *)0)->total_max_ns), 8},
    {"offset of backoff_decision.reason", offsetof(backoff_decision, reason), 0},
    {"offset of backoff_decision.reserved", offsetof(backoff_decision, reserved), 4},
    {"offset of backoff_decision.delay_ns", offsetof(backoff_decision, delay_ns), 8},
    {"size of backoff_decision.reason", sizeof(((backoff_decision *)0)->reason), 4},
    {"size of backoff_decision.reserved", sizeof(((backoff_decision *)0)->reserved), 4},
    {"size of backoff_decision.delay_ns", sizeof(((backoff_decision *)0)->delay_ns), 8},
    {"offset of backoff_stats_counts.operations", offsetof(backoff_stats_counts, operations), 0},
    {"offset of backoff_stats_counts.attempts", offsetof(backoff_stats_counts, attempts), 8},
    {"offset of backoff_stats_counts.retries", offsetof(backoff_stats_counts, retries), 16},
    {"offset of backoff_stats_counts.bounds", offsetof(backoff_stats_counts, bounds), 24},
    {"offset of backoff_stats_counts.buckets", offsetof(backoff_stats_counts, buckets), 112},
    {"offset of backoff_stats_counts.stops", offsetof(backoff_stats_counts, stops), 208},
    {"size of backoff_stats_counts.operations", sizeof(((backoff_stats_counts *)0)->operations), 8},
    {"size of backoff_stats_counts.attempts", sizeof(((backoff_stats_counts *)0)->attempts), 8},
    {"size of backoff_stats_counts.retries", sizeof(((backoff_stats_counts *)0)->retries), 8},
    {"size of backoff_stats_counts.bounds", sizeof(((backoff_stats_counts *)0)->bounds), 88},
    {"size of backoff_stats_counts.buckets", sizeof(((backoff_stats_counts *)0)->buckets), 96},
    {"size of backoff_stats_counts.stops", sizeof(((backoff_stats_counts *)0)->stops), 56},
    {"offset of backoff_event.attempts", offsetof(backoff_event, attempts), 0},
    {"offset of backoff_event.delay_ns", offsetof(backoff_event, delay_ns), 8},
    {"offset of backoff_event.elapsed_ns", offsetof(backoff_event, elapsed_ns), 16},
    {"offset of backoff_event.outcome", offsetof(backoff_event, outcome), 24},
    {"offset of backoff_event.reason", offsetof(backoff_event, reason), 28},
    {"size of backoff_event.attempts", sizeof(((backoff_event *)0)->attempts), 8},
    {"size of backoff_event.delay_ns", sizeof(((backoff_event *)0)->delay_ns), 8},
    {"size of backoff_event.elapsed_ns", sizeof(((backoff_event *)0)->elapsed_ns), 8},
    {"size of backoff_event.outcome", sizeof(((backoff_event *)0)->outcome), 4},
    {"size of backoff_event.reason", sizeof(((backoff_event *)0)->reason), 4},
    {"offset of backoff_callbacks.attempt", offsetof(backoff_callbacks, attempt), 0},
    {"offset of backoff_callbacks.now", offsetof(backoff_callbacks, now), 1 * sizeof(void (*)(void))},
    {"offset of backoff_callbacks.wait", offsetof(backoff_callbacks, wait), 2 * sizeof(void (*)(void))},
    {"offset of backoff_callbacks.cancelled", offsetof(backoff_callbacks, cancelled), 3 * sizeof(void (*)(void))},
    {"offset of backoff_callbacks.on_retry", offsetof(backoff_callbacks, on_retry), 4 * sizeof(void (*)(void))},
    {"offset of backoff_callbacks.on_stop", offsetof(backoff_callbacks, on_stop), 5 * sizeof(void (*)(void))},
};

static const struct fact numbers[] = {
    {"BACKOFF_OK", BACKOFF_OK, 0},
    {"BACKOFF_UNKNOWN_KIND", BACKOFF_UNKNOWN_KIND, 1},
    {"BACKOFF_MISSING", BACKOFF_MISSING, 2},
    {"BACKOFF_UNUSED", BACKOFF_UNUSED, 3},
    {"BACKOFF_TOO_LARGE", BACKOFF_TOO_LARGE, 4},
    {"BACKOFF_TOO_SMALL", BACKOFF_TOO_SMALL, 5},
    {"BACKOFF_ZERO_DENOMINATOR", BACKOFF_ZERO_DENOMINATOR, 6},
    {"BACKOFF_RATIO_TOO_FINE", BACKOFF_RATIO_TOO_FINE, 7},
    {"BACKOFF_NOT_EXPONENTIAL", BACKOFF_NOT_EXPONENTIAL, 8},
    {"BACKOFF_CAP_BELOW_BASE", BACKOFF_CAP_BELOW_BASE, 9},
    {"BACKOFF_OFFSET_ABOVE_CAP", BACKOFF_OFFSET_ABOVE_CAP, 10},
    {"BACKOFF_FLOOR_ABOVE_CAP", BACKOFF_FLOOR_ABOVE_CAP, 11},
    {"BACKOFF_GROWTH_STALLS", BACKOFF_GROWTH_STALLS, 12},
    {"BACKOFF_GIVEN_TWICE", BACKOFF_GIVEN_TWICE, 13},
    {"BACKOFF_UNKNOWN_HEAD", BACKOFF_UNKNOWN_HEAD, 14},
    {"BACKOFF_UNKNOWN_KEY", BACKOFF_UNKNOWN_KEY, 15},
    {"BACKOFF_REPEATED_KEY", BACKOFF_REPEATED_KEY, 16},
    {"BACKOFF_MISSING_VALUE", BACKOFF_MISSING_VALUE, 17},
    {"BACKOFF_NOT_A_DURATION", BACKOFF_NOT_A_DURATION, 18},
    {"BACKOFF_MISSING_UNIT", BACKOFF_MISSING_UNIT, 19},
    {"BACKOFF_UNKNOWN_UNIT", BACKOFF_UNKNOWN_UNIT, 20},
    {"BACKOFF_DURATION_TOO_FINE", BACKOFF_DURATION_TOO_FINE, 21},
    {"BACKOFF_NOT_A_RATIO", BACKOFF_NOT_A_RATIO, 22},
    {"BACKOFF_NOT_A_COUNT", BACKOFF_NOT_A_COUNT, 23},
    {"BACKOFF_TEXT_TOO_LONG", BACKOFF_TEXT_TOO_LONG, 24},
    {"BACKOFF_DOES_NOT_FIT", BACKOFF_DOES_NOT_FIT, 25},
    {"BACKOFF_NULL_POINTER", BACKOFF_NULL_POINTER, 100},
    {"BACKOFF_UNINITIALIZED", BACKOFF_UNINITIALIZED, 101},
    {"BACKOFF_UNKNOWN_FIELD", BACKOFF_UNKNOWN_FIELD, 102},
    {"BACKOFF_WRONG_UNIT", BACKOFF_WRONG_UNIT, 103},
    {"BACKOFF_END", BACKOFF_END, 104},
    {"BACKOFF_NO_ENTROPY", BACKOFF_NO_ENTROPY, 105},
    {"BACKOFF_BUFFER_TOO_SMALL", BACKOFF_BUFFER_TOO_SMALL, 106},
    {"BACKOFF_NOT_A_RETRY_AFTER", BACKOFF_NOT_A_RETRY_AFTER, 107},
    {"BACKOFF_TOO_LONG", BACKOFF_TOO_LONG, 108},
    {"BACKOFF_UNKNOWN_OUTCOME", BACKOFF_UNKNOWN_OUTCOME, 109},
    {"BACKOFF_UNKNOWN_REASON", BACKOFF_UNKNOWN_REASON, 110},
    {"BACKOFF_FIELD_GROWTH", BACKOFF_FIELD_GROWTH, 1},
    {"BACKOFF_FIELD_BASE", BACKOFF_FIELD_BASE, 2},
    {"BACKOFF_FIELD_INCREMENT", BACKOFF_FIELD_INCREMENT, 3},
    {"BACKOFF_FIELD_MULTIPLIER", BACKOFF_FIELD_MULTIPLIER, 4},
    {"BACKOFF_FIELD_POWER", BACKOFF_FIELD_POWER, 5},
    {"BACKOFF_FIELD_ORIGIN", BACKOFF_FIELD_ORIGIN, 6},
    {"BACKOFF_FIELD_OFFSET", BACKOFF_FIELD_OFFSET, 7},
    {"BACKOFF_FIELD_CAP", BACKOFF_FIELD_CAP, 8},
    {"BACKOFF_FIELD_CAP_ON", BACKOFF_FIELD_CAP_ON, 9},
    {"BACKOFF_FIELD_FLOOR", BACKOFF_FIELD_FLOOR, 10},
    {"BACKOFF_FIELD_JITTER", BACKOFF_FIELD_JITTER, 11},
    {"BACKOFF_FIELD_JITTER_BELOW", BACKOFF_FIELD_JITTER_BELOW, 12},
    {"BACKOFF_FIELD_JITTER_ABOVE", BACKOFF_FIELD_JITTER_ABOVE, 13},
    {"BACKOFF_FIELD_JITTER_MAX", BACKOFF_FIELD_JITTER_MAX, 14},
    {"BACKOFF_FIELD_JITTER_INCREMENT", BACKOFF_FIELD_JITTER_INCREMENT, 15},
    {"BACKOFF_FIELD_JITTER_SLOT", BACKOFF_FIELD_JITTER_SLOT, 16},
    {"BACKOFF_FIELD_MAX_RETRIES", BACKOFF_FIELD_MAX_RETRIES, 17},
    {"BACKOFF_FIELD_MAX_ATTEMPTS", BACKOFF_FIELD_MAX_ATTEMPTS, 18},
    {"BACKOFF_FIELD_MAX_ELAPSED", BACKOFF_FIELD_MAX_ELAPSED, 19},
    {"BACKOFF_FIELD_THROTTLED_BASE", BACKOFF_FIELD_THROTTLED_BASE, 20},
    {"BACKOFF_FIELD_RETRY_AFTER", BACKOFF_FIELD_RETRY_AFTER, 21},
    {"BACKOFF_FIELD_RETRY_AFTER_MAX", BACKOFF_FIELD_RETRY_AFTER_MAX, 22},
    {"BACKOFF_FIELD_RETRY_AFTER_MAX_EXTRA", BACKOFF_FIELD_RETRY_AFTER_MAX_EXTRA, 23},
    {"BACKOFF_FIELD_BUDGET", BACKOFF_FIELD_BUDGET, 33},
    {"BACKOFF_FIELD_MAX_TOKENS", BACKOFF_FIELD_MAX_TOKENS, 34},
    {"BACKOFF_FIELD_COST", BACKOFF_FIELD_COST, 35},
    {"BACKOFF_FIELD_COST_THROTTLED", BACKOFF_FIELD_COST_THROTTLED, 36},
    {"BACKOFF_FIELD_COST_TIMEOUT", BACKOFF_FIELD_COST_TIMEOUT, 37},
    {"BACKOFF_FIELD_RATIO", BACKOFF_FIELD_RATIO, 38},
    {"BACKOFF_FIELD_PER", BACKOFF_FIELD_PER, 39},
    {"BACKOFF_FIELD_TTL", BACKOFF_FIELD_TTL, 40},
    {"BACKOFF_FIELD_MIN_PER_SECOND", BACKOFF_FIELD_MIN_PER_SECOND, 41},
    {"BACKOFF_FIELD_MIN_CONCURRENT", BACKOFF_FIELD_MIN_CONCURRENT, 42},
    {"BACKOFF_GROWTH_CONSTANT", BACKOFF_GROWTH_CONSTANT, 1},
    {"BACKOFF_GROWTH_LINEAR", BACKOFF_GROWTH_LINEAR, 2},
    {"BACKOFF_GROWTH_EXPONENTIAL", BACKOFF_GROWTH_EXPONENTIAL, 3},
    {"BACKOFF_GROWTH_POLYNOMIAL", BACKOFF_GROWTH_POLYNOMIAL, 4},
    {"BACKOFF_GROWTH_FIBONACCI", BACKOFF_GROWTH_FIBONACCI, 5},
    {"BACKOFF_JITTER_NONE", BACKOFF_JITTER_NONE, 1},
    {"BACKOFF_JITTER_FULL", BACKOFF_JITTER_FULL, 2},
    {"BACKOFF_JITTER_EQUAL", BACKOFF_JITTER_EQUAL, 3},
    {"BACKOFF_JITTER_PROPORTIONAL", BACKOFF_JITTER_PROPORTIONAL, 4},
    {"BACKOFF_JITTER_ADDITIVE", BACKOFF_JITTER_ADDITIVE, 5},
    {"BACKOFF_JITTER_DECORRELATED", BACKOFF_JITTER_DECORRELATED, 6},
    {"BACKOFF_JITTER_SLOTTED", BACKOFF_JITTER_SLOTTED, 7},
    {"BACKOFF_CAP_ON_WINDOW", BACKOFF_CAP_ON_WINDOW, 1},
    {"BACKOFF_CAP_ON_DELAY", BACKOFF_CAP_ON_DELAY, 2},
    {"BACKOFF_RETRY_AFTER_AT_LEAST", BACKOFF_RETRY_AFTER_AT_LEAST, 1},
    {"BACKOFF_RETRY_AFTER_EXACT", BACKOFF_RETRY_AFTER_EXACT, 2},
    {"BACKOFF_RETRY_AFTER_SPREAD", BACKOFF_RETRY_AFTER_SPREAD, 3},
    {"BACKOFF_OUTCOME_SUCCESS", BACKOFF_OUTCOME_SUCCESS, 1},
    {"BACKOFF_OUTCOME_TRANSIENT", BACKOFF_OUTCOME_TRANSIENT, 2},
    {"BACKOFF_OUTCOME_THROTTLED", BACKOFF_OUTCOME_THROTTLED, 3},
    {"BACKOFF_OUTCOME_TIMEOUT", BACKOFF_OUTCOME_TIMEOUT, 4},
    {"BACKOFF_OUTCOME_PERMANENT", BACKOFF_OUTCOME_PERMANENT, 5},
    {"BACKOFF_REASON_SUCCESS", BACKOFF_REASON_SUCCESS, 1},
    {"BACKOFF_REASON_PERMANENT", BACKOFF_REASON_PERMANENT, 2},
    {"BACKOFF_REASON_MAX_RETRIES", BACKOFF_REASON_MAX_RETRIES, 3},
    {"BACKOFF_REASON_MAX_ELAPSED", BACKOFF_REASON_MAX_ELAPSED, 4},
    {"BACKOFF_REASON_DEADLINE", BACKOFF_REASON_DEADLINE, 5},
    {"BACKOFF_REASON_BUDGET", BACKOFF_REASON_BUDGET, 6},
    {"BACKOFF_REASON_CANCELLED", BACKOFF_REASON_CANCELLED, 7},
    {"BACKOFF_TEXT_KIND_NONE", BACKOFF_TEXT_KIND_NONE, 0},
    {"BACKOFF_TEXT_KIND_POLICY", BACKOFF_TEXT_KIND_POLICY, 1},
    {"BACKOFF_TEXT_KIND_BUDGET", BACKOFF_TEXT_KIND_BUDGET, 2},
    {"BACKOFF_TEXT_SIZE", BACKOFF_TEXT_SIZE, 769},
    {"BACKOFF_STATS_SIZE", BACKOFF_STATS_SIZE, 4096},
    {"BACKOFF_NONE", BACKOFF_NONE, UINT64_MAX},
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
