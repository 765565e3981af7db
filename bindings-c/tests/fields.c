/* Policies and budgets field by field: those of the vectors, and fields that have no value. */

#include "make.h"
#include "memory.h"

#define FIRST_OF_BUDGETS BACKOFF_FIELD_BUDGET
#define LAST_OF_POLICIES BACKOFF_FIELD_RETRY_AFTER_MAX_EXTRA
#define LAST_OF_BUDGETS BACKOFF_FIELD_MIN_CONCURRENT

static void parse_policy(struct text text) {
  SUCCEEDS(backoff_policy_parse(&memory.policy, text.bytes, text.length, NULL));
}

static void parse_budget(struct text text) {
  SUCCEEDS(backoff_budget_parse(&memory.budget, text.bytes, text.length, NULL));
}

/* The fields of a policy make an equal one, with either limit of the retries. */
static void check_policy(const char *id, const char *canonical) {
  static const uint32_t twice[] = {BACKOFF_FIELD_MAX_ATTEMPTS, BACKOFF_FIELD_MAX_RETRIES};
  for (size_t i = 0; i < LENGTH(twice); i++) {
    backoff_params params = BACKOFF_PARAMS_INIT;
    for (uint32_t field = BACKOFF_FIELD_GROWTH; field <= LAST_OF_POLICIES; field++) {
      uint64_t value;
      uint32_t numerator, denominator;
      if (field == twice[i]) continue;
      if (backoff_policy_get(&memory.policy, field, &value) == BACKOFF_OK) {
        SUCCEEDS(backoff_params_set(&params, field, value));
      } else if (backoff_policy_get_ratio(&memory.policy, field, &numerator, &denominator) ==
                 BACKOFF_OK) {
        SUCCEEDS(backoff_params_set_ratio(&params, field, numerator, denominator));
      }
    }
    backoff_policy policy;
    SUCCEEDS(backoff_policy_init(&policy, &params, NULL));
    SUCCEEDS(backoff_policy_print(&policy, memory.text, sizeof memory.text));
    check_text(id, "string of the fields", memory.text, canonical);
  }
}

/* The fields of a budget, written as a budget string, make an equal one. */
static void check_budget(const char *id, const char *canonical) {
  char string[BACKOFF_TEXT_SIZE];
  const char *separator = ":";
  uint64_t value;
  SUCCEEDS(backoff_budget_get(&memory.budget, BACKOFF_FIELD_BUDGET, &value));
  int length =
      snprintf(string, sizeof string, "%s", backoff_kind_name(BACKOFF_FIELD_BUDGET, value));
  for (uint32_t field = FIRST_OF_BUDGETS + 1; field <= LAST_OF_BUDGETS; field++) {
    uint32_t numerator, denominator;
    int is_duration = field == BACKOFF_FIELD_PER || field == BACKOFF_FIELD_TTL;
    char *end = string + length;
    size_t room = sizeof string - (size_t)length;
    if (backoff_budget_get(&memory.budget, field, &value) == BACKOFF_OK) {
      length += snprintf(end, room, "%s%s=%" PRIu64 "%s", separator, backoff_field_name(field),
                         value, is_duration ? "ns" : "");
    } else if (backoff_budget_get_ratio(&memory.budget, field, &numerator, &denominator) ==
               BACKOFF_OK) {
      length += snprintf(end, room, "%s%s=%" PRIu32 "/%" PRIu32, separator,
                         backoff_field_name(field), numerator, denominator);
    } else {
      continue;
    }
    separator = ",";
  }
  parse_budget((struct text){(size_t)length, string});
  SUCCEEDS(backoff_budget_print(&memory.budget, memory.text, sizeof memory.text));
  check_text(id, "string of the fields", memory.text, canonical);
}

static void check_any(const char *id, uint32_t kind, struct text text, const char *canonical) {
  if (kind == BACKOFF_TEXT_KIND_POLICY) {
    parse_policy(text);
    check_policy(id, canonical);
  } else {
    parse_budget(text);
    check_budget(id, canonical);
  }
}

static void check_vectors(void) {
  for (size_t i = 0; i < LENGTH(texts); i++) {
    struct text_vector row = texts[i];
    check_any(row.id, row.kind, row.text, row.canonical);
    for (size_t at = 0; at < row.policy.count; at++) {
      struct field_vector field = row.policy.fields[at];
      uint64_t value = CANARY;
      uint32_t numerator = 0, denominator = 0;
      const char *name = backoff_field_name(field.field);
      if (field.is_ratio) {
        SUCCEEDS(
            backoff_policy_get_ratio(&memory.policy, field.field, &numerator, &denominator));
        check_number(row.id, name, numerator, field.numerator);
        check_number(row.id, name, denominator, field.denominator);
      } else {
        SUCCEEDS(backoff_policy_get(&memory.policy, field.field, &value));
        check_number(row.id, name, value, field.value);
      }
    }
  }
  for (size_t i = 0; i < LENGTH(presets); i++) {
    struct preset_vector row = presets[i];
    check_any(row.id, row.kind, row.preset, row.canonical);
  }
}

/* Fields with defaults, and the kinds of budgets. */
static void check_defaults(void) {
  static const struct {
    const char *budget;
    uint32_t kind;
  } rows[] = {
      {"quota", BACKOFF_BUDGET_KIND_QUOTA}, {"throttle", BACKOFF_BUDGET_KIND_THROTTLE},
      {"ratio", BACKOFF_BUDGET_KIND_RATIO}, {"rate", BACKOFF_BUDGET_KIND_RATE},
      {"ttl", BACKOFF_BUDGET_KIND_TTL},     {"concurrent", BACKOFF_BUDGET_KIND_CONCURRENT},
  };
  uint64_t value;
  for (size_t i = 0; i < LENGTH(rows); i++) {
    parse_budget((struct text){strlen(rows[i].budget), rows[i].budget});
    SUCCEEDS(backoff_budget_get(&memory.budget, BACKOFF_FIELD_BUDGET, &value));
    check_number(rows[i].budget, "kind", value, rows[i].kind);
  }
  SUCCEEDS(backoff_policy_parse(&memory.policy, TEXT("constant:base=1s"), NULL));
  SUCCEEDS(backoff_policy_get(&memory.policy, BACKOFF_FIELD_CAP, &value));
  check_number("no cap", "cap", value, BACKOFF_MAX_NS);
  SUCCEEDS(backoff_policy_get(&memory.policy, BACKOFF_FIELD_MAX_ATTEMPTS, &value));
  check_number("no limit", "max_attempts", value, INDICES + 1);
  SUCCEEDS(backoff_policy_get(&memory.policy, BACKOFF_FIELD_RETRY_AFTER_MAX, &value));
  check_number("the default", "retry_after_max", value, 3600 * BACKOFF_SECOND);
}

static uint32_t get_ratio(uint32_t field) {
  return backoff_policy_get_ratio(&memory.policy, field, &memory.numerator, &memory.denominator);
}

static uint32_t get_budget_ratio(uint32_t field) {
  return backoff_budget_get_ratio(&memory.budget, field, &memory.numerator, &memory.denominator);
}

/* A failed call changes nothing. */
static void check_errors(void) {
  uint64_t *value = &memory.numbers[1];
  FAILS(BACKOFF_UNUSED, backoff_policy_get(&memory.policy, BACKOFF_FIELD_INCREMENT, value));
  FAILS(BACKOFF_UNUSED, get_ratio(BACKOFF_FIELD_MULTIPLIER));
  FAILS(BACKOFF_WRONG_UNIT, backoff_policy_get(&memory.policy, BACKOFF_FIELD_MULTIPLIER, value));
  FAILS(BACKOFF_WRONG_UNIT, get_ratio(BACKOFF_FIELD_BASE));
  FAILS(BACKOFF_UNUSED, backoff_budget_get(&memory.budget, BACKOFF_FIELD_TTL, value));
  FAILS(BACKOFF_UNUSED, get_budget_ratio(BACKOFF_FIELD_RATIO));
  FAILS(BACKOFF_WRONG_UNIT, backoff_budget_get(&memory.budget, BACKOFF_FIELD_RATIO, value));
  FAILS(BACKOFF_WRONG_UNIT, get_budget_ratio(BACKOFF_FIELD_MAX_TOKENS));
  for (uint32_t field = 0; field < 64; field++) {
    if (field == 0 || field > LAST_OF_POLICIES) {
      FAILS(BACKOFF_UNKNOWN_FIELD, backoff_policy_get(&memory.policy, field, value));
      FAILS(BACKOFF_UNKNOWN_FIELD, get_ratio(field));
    }
    if (field < FIRST_OF_BUDGETS || field > LAST_OF_BUDGETS) {
      FAILS(BACKOFF_UNKNOWN_FIELD, backoff_budget_get(&memory.budget, field, value));
      FAILS(BACKOFF_UNKNOWN_FIELD, get_budget_ratio(field));
    }
  }
}

int main(void) {
  start();
  check_errors();
  check_defaults();
  check_vectors();
  return check_end();
}
