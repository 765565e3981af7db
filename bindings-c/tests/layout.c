/* What a caller compiles into itself and what therefore never changes: sizes, alignments and
 * offsets, numbers, and the version that says so.
 *
 * Usage: layout "$(pkg-config --modversion backoff)" */

#include <backoff.h>

#include <stddef.h>

#include "check.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

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
    {"size of backoff", sizeof(backoff), 256},
    {"size of backoff_error", sizeof(backoff_error), 24},
    {"alignment of backoff_params", ALIGNMENT(backoff_params), 8},
    {"alignment of backoff_policy", ALIGNMENT(backoff_policy), 8},
    {"alignment of backoff", ALIGNMENT(backoff), 8},
    {"alignment of backoff_error", ALIGNMENT(backoff_error), 8},
    {"offset of backoff_params.opaque", offsetof(backoff_params, opaque), 0},
    {"offset of backoff_policy.opaque", offsetof(backoff_policy, opaque), 0},
    {"offset of backoff.opaque", offsetof(backoff, opaque), 0},
    {"offset of backoff_error.code", offsetof(backoff_error, code), 0},
    {"offset of backoff_error.field", offsetof(backoff_error, field), 4},
    {"offset of backoff_error.value", offsetof(backoff_error, value), 8},
    {"offset of backoff_error.limit", offsetof(backoff_error, limit), 16},
    {"size of backoff_error.code", sizeof(((backoff_error *)0)->code), 4},
    {"size of backoff_error.field", sizeof(((backoff_error *)0)->field), 4},
    {"size of backoff_error.value", sizeof(((backoff_error *)0)->value), 8},
    {"size of backoff_error.limit", sizeof(((backoff_error *)0)->limit), 8},
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
    {"BACKOFF_NULL_POINTER", BACKOFF_NULL_POINTER, 100},
    {"BACKOFF_UNINITIALIZED", BACKOFF_UNINITIALIZED, 101},
    {"BACKOFF_UNKNOWN_FIELD", BACKOFF_UNKNOWN_FIELD, 102},
    {"BACKOFF_WRONG_UNIT", BACKOFF_WRONG_UNIT, 103},
    {"BACKOFF_END", BACKOFF_END, 104},
    {"BACKOFF_NO_ENTROPY", BACKOFF_NO_ENTROPY, 105},
    {"BACKOFF_BUFFER_TOO_SMALL", BACKOFF_BUFFER_TOO_SMALL, 106},
    {"BACKOFF_NOT_A_RATIO", BACKOFF_NOT_A_RATIO, 107},
    {"BACKOFF_TOO_LONG", BACKOFF_TOO_LONG, 108},
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
    {"BACKOFF_CAP_ON_RESULT", BACKOFF_CAP_ON_RESULT, 2},
    {"BACKOFF_TEXT_SIZE", BACKOFF_TEXT_SIZE, 161},
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
    check_word(facts[i].id, "number", facts[i].is, facts[i].fact);
  }
}

/* The macros, the library that is linked and its pkg-config file agree. */
static void check_version(const char *package) {
  char macros[40];
  snprintf(macros, sizeof macros, "%d.%d.%d", BACKOFF_VERSION_MAJOR, BACKOFF_VERSION_MINOR,
           BACKOFF_VERSION_PATCH);
  check_text("version", "pkg-config", package, macros);
  check_word("version", "BACKOFF_VERSION", BACKOFF_VERSION,
             BACKOFF_VERSION_MAJOR * 1000000 + BACKOFF_VERSION_MINOR * 1000 +
                 BACKOFF_VERSION_PATCH);
  check_word("version", "backoff_version()", backoff_version(), BACKOFF_VERSION);
}

int main(int argc, char **argv) {
  check_facts(layouts, LENGTH(layouts));
  check_facts(numbers, LENGTH(numbers));
  check_facts(durations, LENGTH(durations));
  check_version(argc == 2 ? argv[1] : "not given");
  return check_end();
}
