/* The names of numbers, and numbers that have none. */

#include "memory.h"

static void check_fields(void) {
  static const struct {
    uint32_t field;
    int is_ratio;
    const char *name;
  } rows[] = {
      {BACKOFF_FIELD_GROWTH, 0, "growth"},
      {BACKOFF_FIELD_BASE, 0, "base"},
      {BACKOFF_FIELD_INCREMENT, 0, "increment"},
      {BACKOFF_FIELD_MULTIPLIER, 1, "multiplier"},
      {BACKOFF_FIELD_POWER, 0, "power"},
      {BACKOFF_FIELD_ORIGIN, 0, "origin"},
      {BACKOFF_FIELD_OFFSET, 0, "offset"},
      {BACKOFF_FIELD_CAP, 0, "cap"},
      {BACKOFF_FIELD_CAP_ON, 0, "cap_on"},
      {BACKOFF_FIELD_FLOOR, 0, "floor"},
      {BACKOFF_FIELD_JITTER, 0, "jitter"},
      {BACKOFF_FIELD_JITTER_BELOW, 1, "jitter_below"},
      {BACKOFF_FIELD_JITTER_ABOVE, 1, "jitter_above"},
      {BACKOFF_FIELD_JITTER_MAX, 0, "jitter_max"},
      {BACKOFF_FIELD_JITTER_INCREMENT, 0, "jitter_increment"},
      {BACKOFF_FIELD_JITTER_SLOT, 0, "jitter_slot"},
      {BACKOFF_FIELD_MAX_RETRIES, 0, "max_retries"},
      {BACKOFF_FIELD_MAX_ATTEMPTS, 0, "max_attempts"},
      {BACKOFF_FIELD_MAX_ELAPSED, 0, "max_elapsed"},
      {BACKOFF_FIELD_THROTTLED_BASE, 0, "throttled_base"},
      {BACKOFF_FIELD_RETRY_AFTER, 0, "retry_after"},
      {BACKOFF_FIELD_RETRY_AFTER_MAX, 0, "retry_after_max"},
      {BACKOFF_FIELD_RETRY_AFTER_MAX_EXTRA, 0, "retry_after_max_extra"},
  };
  static const struct {
    uint32_t field;
    const char *name;
  } budget_fields[] = {
      {BACKOFF_FIELD_BUDGET, "budget"},
      {BACKOFF_FIELD_MAX_TOKENS, "max_tokens"},
      {BACKOFF_FIELD_COST, "cost"},
      {BACKOFF_FIELD_COST_THROTTLED, "cost_throttled"},
      {BACKOFF_FIELD_COST_TIMEOUT, "cost_timeout"},
      {BACKOFF_FIELD_RATIO, "ratio"},
      {BACKOFF_FIELD_PER, "per"},
      {BACKOFF_FIELD_TTL, "ttl"},
      {BACKOFF_FIELD_MIN_PER_SECOND, "min_per_second"},
      {BACKOFF_FIELD_MIN_CONCURRENT, "min_concurrent"},
  };
  static const uint32_t unknown[] = {0, 24, 31, 32, 43, 64, 65, 0x80000000u, UINT32_MAX};
  for (size_t i = 0; i < LENGTH(rows); i++) {
    uint32_t field = rows[i].field;
    backoff_params params = BACKOFF_PARAMS_INIT;
    check_text(rows[i].name, "name", backoff_field_name(field), rows[i].name);
    if (rows[i].is_ratio) {
      FAILS(BACKOFF_WRONG_UNIT, backoff_params_set(&memory.params, field, 1));
      SUCCEEDS(backoff_params_set_ratio(&params, field, 1, 1));
    } else {
      FAILS(BACKOFF_WRONG_UNIT, backoff_params_set_ratio(&memory.params, field, 1, 1));
      SUCCEEDS(backoff_params_set(&params, field, 1));
    }
  }
  /* The fields of a budget have names, but only a budget string can set them. */
  for (size_t i = 0; i < LENGTH(budget_fields); i++) {
    uint32_t field = budget_fields[i].field;
    check_text(budget_fields[i].name, "name", backoff_field_name(field), budget_fields[i].name);
    FAILS(BACKOFF_UNKNOWN_FIELD, backoff_params_set(&memory.params, field, 1));
    FAILS(BACKOFF_UNKNOWN_FIELD, backoff_params_set_ratio(&memory.params, field, 1, 1));
  }
  for (size_t i = 0; i < LENGTH(unknown); i++) {
    check_text("unknown field", "name", backoff_field_name(unknown[i]), "unknown_field");
    FAILS(BACKOFF_UNKNOWN_FIELD, backoff_params_set(&memory.params, unknown[i], 1));
    FAILS(BACKOFF_UNKNOWN_FIELD, backoff_params_set_ratio(&memory.params, unknown[i], 1, 1));
  }
}

static void check_codes(void) {
  static const struct {
    uint32_t code;
    const char *name;
  } rows[] = {
      {BACKOFF_OK, "ok"},
      {BACKOFF_UNKNOWN_KIND, "unknown_kind"},
      {BACKOFF_MISSING, "missing"},
      {BACKOFF_UNUSED, "unused"},
      {BACKOFF_TOO_LARGE, "too_large"},
      {BACKOFF_TOO_SMALL, "too_small"},
      {BACKOFF_ZERO_DENOMINATOR, "zero_denominator"},
      {BACKOFF_RATIO_TOO_FINE, "ratio_too_fine"},
      {BACKOFF_NOT_EXPONENTIAL, "not_exponential"},
      {BACKOFF_CAP_BELOW_BASE, "cap_below_base"},
      {BACKOFF_OFFSET_ABOVE_CAP, "offset_above_cap"},
      {BACKOFF_FLOOR_ABOVE_CAP, "floor_above_cap"},
      {BACKOFF_GROWTH_STALLS, "growth_stalls"},
      {BACKOFF_GIVEN_TWICE, "given_twice"},
      {BACKOFF_UNKNOWN_HEAD, "unknown_head"},
      {BACKOFF_UNKNOWN_KEY, "unknown_key"},
      {BACKOFF_REPEATED_KEY, "repeated_key"},
      {BACKOFF_MISSING_VALUE, "missing_value"},
      {BACKOFF_NOT_A_DURATION, "not_a_duration"},
      {BACKOFF_MISSING_UNIT, "missing_unit"},
      {BACKOFF_UNKNOWN_UNIT, "unknown_unit"},
      {BACKOFF_DURATION_TOO_FINE, "duration_too_fine"},
      {BACKOFF_NOT_A_RATIO, "not_a_ratio"},
      {BACKOFF_NOT_A_COUNT, "not_a_count"},
      {BACKOFF_TEXT_TOO_LONG, "text_too_long"},
      {BACKOFF_DOES_NOT_FIT, "does_not_fit"},
      {BACKOFF_NULL_POINTER, "null_pointer"},
      {BACKOFF_UNINITIALIZED, "uninitialized"},
      {BACKOFF_UNKNOWN_FIELD, "unknown_field"},
      {BACKOFF_WRONG_UNIT, "wrong_unit"},
      {BACKOFF_END, "end"},
      {BACKOFF_NO_ENTROPY, "no_entropy"},
      {BACKOFF_BUFFER_TOO_SMALL, "buffer_too_small"},
      {BACKOFF_NOT_A_RETRY_AFTER, "not_a_retry_after"},
      {BACKOFF_TOO_LONG, "too_long"},
      {BACKOFF_UNKNOWN_OUTCOME, "unknown_outcome"},
      {BACKOFF_UNKNOWN_REASON, "unknown_reason"},
      {BACKOFF_DAMAGED, "damaged"},
      {BACKOFF_NOT_A_STATE, "not_a_state"},
      {BACKOFF_UNKNOWN_EVENT, "unknown_event"},
  };
  static const char *const outcomes[] = {"success", "transient", "throttled", "timeout",
                                         "permanent"};
  static const char *const reasons[] = {"success",  "permanent", "max_retries", "max_elapsed",
                                        "deadline", "budget",    "cancelled"};
  static const uint32_t unknown[] = {26, 99, 114, UINT32_MAX};
  for (size_t i = 0; i < LENGTH(rows); i++) {
    check_text(rows[i].name, "name", backoff_code_name(rows[i].code), rows[i].name);
  }
  for (size_t i = 0; i < LENGTH(unknown); i++) {
    check_text("unknown code", "name", backoff_code_name(unknown[i]), "unknown_code");
  }
  for (uint32_t i = 0; i < LENGTH(outcomes); i++) {
    check_text(outcomes[i], "name", backoff_outcome_name(i + 1), outcomes[i]);
  }
  for (uint32_t i = 0; i < LENGTH(reasons); i++) {
    check_text(reasons[i], "name", backoff_reason_name(i + 1), reasons[i]);
  }
}

static void check_kinds(void) {
  static const struct {
    uint32_t field;
    uint64_t kind;
    const char *name;
  } rows[] = {
      {BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_CONSTANT, "constant"},
      {BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_LINEAR, "linear"},
      {BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_EXPONENTIAL, "exponential"},
      {BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_POLYNOMIAL, "polynomial"},
      {BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_FIBONACCI, "fibonacci"},
      {BACKOFF_FIELD_JITTER, BACKOFF_JITTER_NONE, "none"},
      {BACKOFF_FIELD_JITTER, BACKOFF_JITTER_FULL, "full"},
      {BACKOFF_FIELD_JITTER, BACKOFF_JITTER_EQUAL, "equal"},
      {BACKOFF_FIELD_JITTER, BACKOFF_JITTER_PROPORTIONAL, "proportional"},
      {BACKOFF_FIELD_JITTER, BACKOFF_JITTER_ADDITIVE, "additive"},
      {BACKOFF_FIELD_JITTER, BACKOFF_JITTER_DECORRELATED, "decorrelated"},
      {BACKOFF_FIELD_JITTER, BACKOFF_JITTER_SLOTTED, "slotted"},
      {BACKOFF_FIELD_CAP_ON, BACKOFF_CAP_ON_WINDOW, "window"},
      {BACKOFF_FIELD_CAP_ON, BACKOFF_CAP_ON_DELAY, "delay"},
      {BACKOFF_FIELD_RETRY_AFTER, BACKOFF_RETRY_AFTER_AT_LEAST, "at_least"},
      {BACKOFF_FIELD_RETRY_AFTER, BACKOFF_RETRY_AFTER_EXACT, "exact"},
      {BACKOFF_FIELD_RETRY_AFTER, BACKOFF_RETRY_AFTER_SPREAD, "spread"},
      {BACKOFF_FIELD_BUDGET, BACKOFF_BUDGET_KIND_QUOTA, "quota"},
      {BACKOFF_FIELD_BUDGET, BACKOFF_BUDGET_KIND_THROTTLE, "throttle"},
      {BACKOFF_FIELD_BUDGET, BACKOFF_BUDGET_KIND_RATIO, "ratio"},
      {BACKOFF_FIELD_BUDGET, BACKOFF_BUDGET_KIND_RATE, "rate"},
      {BACKOFF_FIELD_BUDGET, BACKOFF_BUDGET_KIND_TTL, "ttl"},
      {BACKOFF_FIELD_BUDGET, BACKOFF_BUDGET_KIND_CONCURRENT, "concurrent"},
      {BACKOFF_FIELD_GROWTH, 0, "unknown_kind"},
      {BACKOFF_FIELD_GROWTH, 6, "unknown_kind"},
      {BACKOFF_FIELD_GROWTH, INDICES + 1, "unknown_kind"},
      {BACKOFF_FIELD_GROWTH, UINT64_MAX, "unknown_kind"},
      {BACKOFF_FIELD_JITTER, 8, "unknown_kind"},
      {BACKOFF_FIELD_CAP_ON, 3, "unknown_kind"},
      {BACKOFF_FIELD_RETRY_AFTER, 4, "unknown_kind"},
      {BACKOFF_FIELD_BUDGET, 7, "unknown_kind"},
      {BACKOFF_FIELD_BASE, 1, "unknown_kind"},
      {0, 1, "unknown_kind"},
      {UINT32_MAX, 1, "unknown_kind"},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    check_text(backoff_field_name(rows[i].field), "kind",
               backoff_kind_name(rows[i].field, rows[i].kind), rows[i].name);
  }
}

/* Numbers that are not an outcome or a reason. */
static void check_unknown_numbers(void) {
  static const uint32_t outcomes[] = {0, 6, 256 + 1, UINT32_MAX};
  static const uint32_t reasons[] = {0, 8, 256 + 1, UINT32_MAX};
  const char *name;
  for (size_t i = 0; i < LENGTH(outcomes); i++) {
    FAILS(BACKOFF_UNKNOWN_OUTCOME,
          backoff_operation_decide(&memory.operation, outcomes[i], BACKOFF_NONE, 0,
                                   &memory.budget, &memory.decision));
    name = outcomes[i] == 0 ? "none" : "unknown_outcome";
    check_text("not an outcome", "name", backoff_outcome_name(outcomes[i]), name);
  }
  for (size_t i = 0; i < LENGTH(reasons); i++) {
    FAILS(BACKOFF_UNKNOWN_REASON, backoff_stats_record(&memory.stats, 1, reasons[i]));
    name = reasons[i] == 0 ? "none" : "unknown_reason";
    check_text("not a reason", "name", backoff_reason_name(reasons[i]), name);
  }
}

int main(void) {
  start();
  check_fields();
  check_codes();
  check_kinds();
  check_unknown_numbers();
  return check_end();
}
