/* What is refused, with which code, and that a refusal leaves every byte as it was. */

#include <backoff.h>

#include "check.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define CANARY UINT64_C(0xA5A5A5A5A5A5A5A5)
#define INDICES (UINT64_C(1) << 32)

/* All the memory that a call here could write to, so that one comparison sees what it did. */
struct world {
  backoff_params params;       /* constant growth, base 10 ns */
  backoff_params wrong_params; /* and a cap of 5 ns */
  backoff_params empty_params, garbage_params;
  backoff_policy policy, garbage_policy;
  backoff iterator, garbage_iterator;
  backoff_error error; /* cap_below_base cap 5 10 */
  backoff_error garbage_error;
  uint64_t words[6];
  uint32_t numerator, denominator;
  char text[BACKOFF_TEXT_SIZE + 1];
};

static struct world now, then;

static void check_code(const char *id, uint32_t got, uint32_t want) {
  check_text(id, "code", backoff_code_name(got), backoff_code_name(want));
}

static void remember(void) { memcpy(&then, &now, sizeof now); }

static void check_untouched(const char *id) {
  check_true(id, "everything is as it was", memcmp(&now, &then, sizeof now) == 0);
}

/* The call is the name of its case. */
#define REFUSED(code, call)        \
  do {                             \
    remember();                    \
    check_code(#call, call, code); \
    check_untouched(#call);        \
  } while (0)

#define DONE(call) check_code(#call, call, BACKOFF_OK)

static void start(void) {
  memset(&now, 0xA5, sizeof now);
  now.params = now.empty_params = (backoff_params)BACKOFF_PARAMS_INIT;
  DONE(backoff_params_set(&now.params, BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_CONSTANT));
  DONE(backoff_params_set(&now.params, BACKOFF_FIELD_BASE, 10));
  now.wrong_params = now.params;
  DONE(backoff_params_set(&now.wrong_params, BACKOFF_FIELD_CAP, 5));
  DONE(backoff_policy_init(&now.policy, &now.params, NULL));
  DONE(backoff_init(&now.iterator, &now.policy, 42));
  now.error = (backoff_error){BACKOFF_CAP_BELOW_BASE, BACKOFF_FIELD_CAP, 5, 10};
}

static void check_null(void) {
  uint64_t *word = &now.words[1];
  REFUSED(BACKOFF_NULL_POINTER, backoff_params_set(NULL, BACKOFF_FIELD_BASE, 1));
  REFUSED(BACKOFF_NULL_POINTER, backoff_params_set_ratio(NULL, BACKOFF_FIELD_MULTIPLIER, 2, 1));
  REFUSED(BACKOFF_NULL_POINTER, backoff_ratio_parse(NULL, 1, &now.numerator, &now.denominator));
  REFUSED(BACKOFF_NULL_POINTER, backoff_ratio_parse(NULL, 0, &now.numerator, &now.denominator));
  REFUSED(BACKOFF_NULL_POINTER, backoff_ratio_parse("2", 1, NULL, &now.denominator));
  REFUSED(BACKOFF_NULL_POINTER, backoff_ratio_parse("2", 1, &now.numerator, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_policy_init(NULL, &now.params, &now.error));
  REFUSED(BACKOFF_NULL_POINTER, backoff_policy_init(&now.policy, NULL, &now.error));
  REFUSED(BACKOFF_NULL_POINTER, backoff_policy_init(NULL, NULL, NULL));
  REFUSED(BACKOFF_CAP_BELOW_BASE, backoff_policy_init(&now.policy, &now.wrong_params, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_delay_ns(NULL, 1, 0, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_delay_ns(&now.policy, 1, 0, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_window_ns(NULL, 0, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_window_ns(&now.policy, 0, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_fill_ns(NULL, 1, 0, word, 2));
  REFUSED(BACKOFF_NULL_POINTER, backoff_fill_ns(NULL, 1, 0, word, 0));
  REFUSED(BACKOFF_NULL_POINTER, backoff_fill_ns(&now.policy, 1, 0, NULL, 2));
  REFUSED(BACKOFF_NULL_POINTER, backoff_stream_from_key(1, NULL, 1, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_stream_from_key(1, "k", 1, NULL));
  REFUSED(BACKOFF_TOO_LONG, backoff_stream_from_key(1, "k", UINT64_MAX, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_stream_from_entropy(NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_init(NULL, &now.policy, 1));
  REFUSED(BACKOFF_NULL_POINTER, backoff_init(&now.iterator, NULL, 1));
  REFUSED(BACKOFF_NULL_POINTER, backoff_next_ns(NULL, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_next_ns(&now.iterator, NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_reset(NULL));
  REFUSED(BACKOFF_NULL_POINTER, backoff_position(NULL, word, word));
  REFUSED(BACKOFF_NULL_POINTER, backoff_error_message(NULL, now.text, sizeof now.text));
  REFUSED(BACKOFF_NULL_POINTER, backoff_error_message(&now.error, NULL, sizeof now.text));
}

/* Where NULL is welcome. */
static void check_optional(void) {
  uint64_t key_stream = 0, null_stream = 1;
  DONE(backoff_fill_ns(&now.policy, 1, 0, NULL, 0));
  DONE(backoff_position(&now.iterator, NULL, NULL));
  DONE(backoff_position(&now.iterator, &now.words[1], NULL));
  check_word("position without a stream", "index", now.words[1], 0);
  DONE(backoff_position(&now.iterator, NULL, &now.words[1]));
  check_word("position without an index", "stream", now.words[1], 42);
  DONE(backoff_stream_from_key(1, NULL, 0, &null_stream));
  DONE(backoff_stream_from_key(1, "k", 0, &key_stream));
  check_word("an empty key that is NULL", "stream", null_stream, key_stream);
  DONE(backoff_policy_init(&now.policy, &now.params, NULL));
}

/* Every function that takes a struct, with memory that nothing has filled. */
static void check_uninitialized(const char *memory) {
  unsigned long failed = check_failed;
  uint64_t *word = &now.words[1];
  REFUSED(BACKOFF_UNINITIALIZED, backoff_delay_ns(&now.garbage_policy, 1, 0, word));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_window_ns(&now.garbage_policy, 0, word));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_fill_ns(&now.garbage_policy, 1, 0, word, 2));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_fill_ns(&now.garbage_policy, 1, 0, NULL, 0));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_init(&now.iterator, &now.garbage_policy, 1));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_next_ns(&now.garbage_iterator, word));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_reset(&now.garbage_iterator));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_position(&now.garbage_iterator, word, word));
  REFUSED(BACKOFF_UNINITIALIZED,
          backoff_error_message(&now.garbage_error, now.text, sizeof now.text));
  if (check_failed > failed) printf("  in memory of %s\n", memory);
}

static void check_uninitialized_params(const char *memory) {
  unsigned long failed = check_failed;
  backoff_params *params = &now.garbage_params;
  REFUSED(BACKOFF_UNINITIALIZED, backoff_params_set(params, BACKOFF_FIELD_BASE, 1));
  REFUSED(BACKOFF_UNINITIALIZED,
          backoff_params_set_ratio(params, BACKOFF_FIELD_MULTIPLIER, 2, 1));
  REFUSED(BACKOFF_UNINITIALIZED, backoff_policy_init(&now.policy, params, &now.error));
  if (check_failed > failed) printf("  in memory of %s\n", memory);
}

static void check_garbage(void) {
  memset(&now.garbage_policy, 0, sizeof now.garbage_policy);
  memset(&now.garbage_iterator, 0, sizeof now.garbage_iterator);
  memset(&now.garbage_error, 0, sizeof now.garbage_error);
  check_uninitialized("zeros");

  memset(&now.garbage_policy, 0xFF, sizeof now.garbage_policy);
  memset(&now.garbage_iterator, 0xFF, sizeof now.garbage_iterator);
  memset(&now.garbage_error, 0xFF, sizeof now.garbage_error);
  check_uninitialized("ones");

  memcpy(&now.garbage_policy, &now.iterator, sizeof now.garbage_policy);
  memcpy(&now.garbage_iterator, &now.policy, sizeof now.policy);
  memcpy(&now.garbage_error, &now.policy, sizeof now.garbage_error);
  check_uninitialized("another type");

  memset(&now.garbage_params, 0xFF, sizeof now.garbage_params);
  check_uninitialized_params("ones");
  memcpy(&now.garbage_params, &now.iterator, sizeof now.garbage_params);
  check_uninitialized_params("another type");
  memset(&now.garbage_params, 0, sizeof now.garbage_params);
  now.garbage_params.opaque[0] = 1;
  check_uninitialized_params("the bit below those of the fields");
  now.garbage_params.opaque[0] = UINT64_C(1) << 17;
  check_uninitialized_params("the bit above those of the fields");
}

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
  };
  static const uint32_t unknown[] = {0, 17, 31, 32, 33, 64, 65, 0x80000000u, UINT32_MAX};
  for (size_t i = 0; i < LENGTH(rows); i++) {
    uint32_t field = rows[i].field;
    backoff_params params = BACKOFF_PARAMS_INIT;
    check_text(rows[i].name, "name", backoff_field_name(field), rows[i].name);
    if (rows[i].is_ratio) {
      REFUSED(BACKOFF_WRONG_UNIT, backoff_params_set(&now.params, field, 1));
      DONE(backoff_params_set_ratio(&params, field, 1, 1));
    } else {
      REFUSED(BACKOFF_WRONG_UNIT, backoff_params_set_ratio(&now.params, field, 1, 1));
      DONE(backoff_params_set(&params, field, 1));
    }
  }
  for (size_t i = 0; i < LENGTH(unknown); i++) {
    check_text("unknown field", "name", backoff_field_name(unknown[i]), "unknown_field");
    REFUSED(BACKOFF_UNKNOWN_FIELD, backoff_params_set(&now.params, unknown[i], 1));
    REFUSED(BACKOFF_UNKNOWN_FIELD, backoff_params_set_ratio(&now.params, unknown[i], 1, 1));
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
      {BACKOFF_NULL_POINTER, "null_pointer"},
      {BACKOFF_UNINITIALIZED, "uninitialized"},
      {BACKOFF_UNKNOWN_FIELD, "unknown_field"},
      {BACKOFF_WRONG_UNIT, "wrong_unit"},
      {BACKOFF_END, "end"},
      {BACKOFF_NO_ENTROPY, "no_entropy"},
      {BACKOFF_BUFFER_TOO_SMALL, "buffer_too_small"},
      {BACKOFF_NOT_A_RATIO, "not_a_ratio"},
      {BACKOFF_TOO_LONG, "too_long"},
  };
  static const uint32_t unknown[] = {13, 99, 109, UINT32_MAX};
  for (size_t i = 0; i < LENGTH(rows); i++) {
    check_text(rows[i].name, "name", backoff_code_name(rows[i].code), rows[i].name);
  }
  for (size_t i = 0; i < LENGTH(unknown); i++) {
    check_text("unknown code", "name", backoff_code_name(unknown[i]), "unknown_code");
  }
}

/* A refused policy fills the error, and nothing else. */
static void check_refused_policies(void) {
  static const struct {
    const char *id;
    uint32_t field;
    uint64_t given;
    backoff_error error;
  } rows[] = {
      {"growth 0", BACKOFF_FIELD_GROWTH, 0,
       {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_GROWTH, 0, 5}},
      {"growth 6", BACKOFF_FIELD_GROWTH, 6,
       {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_GROWTH, 6, 5}},
      {"growth 2^32 + 1", BACKOFF_FIELD_GROWTH, INDICES + 1,
       {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_GROWTH, INDICES + 1, 5}},
      {"jitter 8", BACKOFF_FIELD_JITTER, 8,
       {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_JITTER, 8, 7}},
      {"cap on 3", BACKOFF_FIELD_CAP_ON, 3,
       {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_CAP_ON, 3, 2}},
      {"a negative base", BACKOFF_FIELD_BASE, (uint64_t)-1,
       {BACKOFF_TOO_LARGE, BACKOFF_FIELD_BASE, UINT64_MAX, BACKOFF_MAX_NS}},
      {"a cap below the base", BACKOFF_FIELD_CAP, 9,
       {BACKOFF_CAP_BELOW_BASE, BACKOFF_FIELD_CAP, 9, 10}},
      {"a slot without slots", BACKOFF_FIELD_JITTER_SLOT, 1,
       {BACKOFF_UNUSED, BACKOFF_FIELD_JITTER_SLOT, 1, BACKOFF_JITTER_NONE}},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    backoff_params params = now.params;
    backoff_error untouched = now.error;
    check_code(rows[i].id, backoff_params_set(&params, rows[i].field, rows[i].given),
               BACKOFF_OK);
    remember();
    check_code(rows[i].id, backoff_policy_init(&now.policy, &params, &now.error),
               rows[i].error.code);
    check_word(rows[i].id, "code", now.error.code, rows[i].error.code);
    check_word(rows[i].id, "field", now.error.field, rows[i].error.field);
    check_word(rows[i].id, "value", now.error.value, rows[i].error.value);
    check_word(rows[i].id, "limit", now.error.limit, rows[i].error.limit);
    now.error = untouched;
    check_untouched(rows[i].id);
  }
  remember();
  check_code("no field given", backoff_policy_init(&now.policy, &now.empty_params, NULL),
             BACKOFF_MISSING);
  check_untouched("no field given");
}

/* The last value given counts, and a policy keeps none of the memory of its params. */
static void check_copies(void) {
  backoff_params params = now.params;
  backoff_policy policy, copied_policy;
  backoff iterator, copied_iterator;
  uint64_t delay = 0;
  DONE(backoff_params_set(&params, BACKOFF_FIELD_BASE, 11));
  DONE(backoff_params_set(&params, BACKOFF_FIELD_BASE, 12));
  DONE(backoff_policy_init(&policy, &params, NULL));
  memset(&params, 0, sizeof params);
  copied_policy = policy;
  DONE(backoff_init(&iterator, &policy, 1));
  memset(&policy, 0, sizeof policy);
  DONE(backoff_delay_ns(&copied_policy, 1, 0, &delay));
  check_word("a copy of a policy", "delay", delay, 12);
  DONE(backoff_next_ns(&iterator, &delay));
  check_word("an iterator without its policy", "delay", delay, 12);
  copied_iterator = iterator;
  DONE(backoff_next_ns(&iterator, &delay));
  DONE(backoff_position(&copied_iterator, &delay, NULL));
  check_word("a copy of an iterator", "index", delay, 1);
  DONE(backoff_init(&iterator, &copied_policy, 2));
  DONE(backoff_position(&iterator, &delay, NULL));
  check_word("an iterator made anew", "index", delay, 0);
}

/* There are 2^32 indices; a batch ends where they do and writes what was asked for. */
static void check_batch_ends(void) {
  static const struct {
    const char *id;
    uint32_t first;
    uint64_t count;
    uint32_t code;
  } rows[] = {
      {"the last index", UINT32_MAX, 1, BACKOFF_OK},
      {"one beyond the last index", UINT32_MAX, 2, BACKOFF_END},
      {"the last four", UINT32_MAX - 3, 4, BACKOFF_OK},
      {"four and one beyond", UINT32_MAX - 3, 5, BACKOFF_END},
      {"none at the last index", UINT32_MAX, 0, BACKOFF_OK},
      {"all and one", 0, INDICES + 1, BACKOFF_END},
      {"as many as there are, from 1", 1, INDICES, BACKOFF_END},
      {"a count of -1", 0, UINT64_MAX, BACKOFF_END},
      {"a count of -1 at the last index", UINT32_MAX, UINT64_MAX, BACKOFF_END},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    memset(now.words, 0xA5, sizeof now.words);
    remember();
    check_code(rows[i].id,
               backoff_fill_ns(&now.policy, 1, rows[i].first, &now.words[1], rows[i].count),
               rows[i].code);
    uint64_t written = rows[i].code == BACKOFF_OK ? rows[i].count : 0;
    for (uint64_t at = 1; at <= written; at++) then.words[at] = 10;
    check_untouched(rows[i].id);
  }
}

/* An iterator at its end. Its index is the one word that a delay of constant growth changes;
 * to write it spares 2^32 calls, and backoff_position says whether it was the right one. */
static void check_iterator_ends(void) {
  const char *id = "iterator at its end";
  backoff fresh, iterator;
  uint64_t delay = CANARY, index = 0, stream = 0;
  size_t changed = 0, place = 0;
  DONE(backoff_init(&fresh, &now.policy, 42));
  iterator = fresh;
  DONE(backoff_next_ns(&iterator, &delay));
  for (size_t i = 0; i < LENGTH(fresh.opaque); i++) {
    if (iterator.opaque[i] != fresh.opaque[i]) {
      place = i;
      changed++;
    }
  }
  check_word(id, "number of words that a delay changes", changed, 1);
  iterator.opaque[place] = UINT32_MAX;
  DONE(backoff_position(&iterator, &index, NULL));
  check_word(id, "index before the last delay", index, UINT32_MAX);
  delay = CANARY;
  DONE(backoff_next_ns(&iterator, &delay));
  check_word(id, "last delay", delay, 10);

  fresh = iterator;
  delay = CANARY;
  for (int twice = 0; twice < 2; twice++) {
    check_code(id, backoff_next_ns(&iterator, &delay), BACKOFF_END);
    check_word(id, "delay after the end", delay, CANARY);
    check_true(id, "it stays where it is", memcmp(&iterator, &fresh, sizeof fresh) == 0);
  }
  DONE(backoff_position(&iterator, &index, NULL));
  check_word(id, "index at the end", index, INDICES);

  DONE(backoff_reset(&iterator));
  DONE(backoff_position(&iterator, &index, &stream));
  check_word(id, "index after a reset", index, 0);
  check_word(id, "stream after a reset", stream, backoff_advance(42, INDICES));
  DONE(backoff_next_ns(&iterator, &delay));
  check_word(id, "delay after a reset", delay, 10);
}

static void check_message_sizes(void) {
  static const char message[] = "cap 5ns is below base 10ns";
  size_t needed = sizeof message;
  memset(now.text, 0x5A, sizeof now.text);
  for (size_t size = 0; size < needed; size++) {
    REFUSED(BACKOFF_BUFFER_TOO_SMALL, backoff_error_message(&now.error, now.text, size));
  }
  for (size_t size = needed; size <= needed + 1; size++) {
    memset(now.text, 0x5A, sizeof now.text);
    remember();
    DONE(backoff_error_message(&now.error, now.text, size));
    memcpy(then.text, message, needed);
    check_untouched("a message writes itself and its zero");
  }
}

/* Whatever an error holds: a whole message that fits, or a code. */
static void check_messages(void) {
  static const uint64_t words[] = {0, 1, INDICES, BACKOFF_MAX_NS, UINT64_MAX};
  static const backoff_error unknown[] = {
      {BACKOFF_OK, BACKOFF_FIELD_CAP, 5, 10},
      {13, BACKOFF_FIELD_CAP, 5, 10},
      {BACKOFF_NULL_POINTER, BACKOFF_FIELD_CAP, 5, 10},
      {BACKOFF_CAP_BELOW_BASE, 0, 5, 10},
      {BACKOFF_CAP_BELOW_BASE, 17, 5, 10},
  };
  for (uint32_t code = BACKOFF_UNKNOWN_KIND; code <= BACKOFF_GROWTH_STALLS; code++) {
    for (uint32_t field = BACKOFF_FIELD_GROWTH; field <= BACKOFF_FIELD_JITTER_SLOT; field++) {
      for (size_t i = 0; i < LENGTH(words); i++) {
        backoff_error error = {code, field, words[i], words[i]};
        const char *name = backoff_field_name(field);
        DONE(backoff_error_message(&error, now.text, BACKOFF_TEXT_SIZE));
        check_true(name, "its message is shorter than the longest text, so it was not cut",
                   strlen(now.text) + 1 < BACKOFF_TEXT_SIZE);
        check_true(name, "its message begins with its name",
                   strncmp(now.text, name, strlen(name)) == 0);
      }
    }
  }
  for (size_t i = 0; i < LENGTH(unknown); i++) {
    REFUSED(BACKOFF_UNINITIALIZED,
            backoff_error_message(&unknown[i], now.text, sizeof now.text));
  }
}

static void check_ratios(void) {
  static const struct {
    const char *text;
    size_t length;
    uint32_t code, numerator, denominator;
  } rows[] = {
      {"1.6", 3, BACKOFF_OK, 8, 5},
      {"8/5", 3, BACKOFF_OK, 8, 5},
      {"16/10", 5, BACKOFF_OK, 8, 5},
      {"1.600000000000000000000000", 26, BACKOFF_OK, 8, 5},
      {"1.6 and more", 3, BACKOFF_OK, 8, 5},
      {"2", 1, BACKOFF_OK, 2, 1},
      {"0", 1, BACKOFF_OK, 0, 1},
      {"0/7", 3, BACKOFF_OK, 0, 1},
      {"0.0", 3, BACKOFF_OK, 0, 1},
      {"0.000001", 8, BACKOFF_OK, 1, 1000000},
      {"1000000", 7, BACKOFF_OK, 1000000, 1},
      {"4294967296/8589934592", 21, BACKOFF_OK, 1, 2},
      {"1000001", 7, BACKOFF_OK, 1000001, 1},
      {"0.0000001", 9, BACKOFF_OK, 1, 10000000},
      {"4294967295", 10, BACKOFF_OK, 4294967295u, 1},
      {"4294967296", 10, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"0.0000000001", 12, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"1/4294967296", 12, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"18446744073709551616", 20, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"1/0", 3, BACKOFF_ZERO_DENOMINATOR, 0, 0},
      {"0/0", 3, BACKOFF_ZERO_DENOMINATOR, 0, 0},
      {"", 0, BACKOFF_NOT_A_RATIO, 0, 0},
      {"2", UINT64_MAX, BACKOFF_TOO_LONG, 0, 0},
      {"2", (uint64_t)INT64_MAX + 1, BACKOFF_TOO_LONG, 0, 0},
      {"2", 0, BACKOFF_NOT_A_RATIO, 0, 0},
      {"2\0", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1.", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {".5", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1.5.2", 5, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1/", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"/1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1/2/3", 5, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1.5/2", 5, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1,6", 3, BACKOFF_NOT_A_RATIO, 0, 0},
      {"-1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"+1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {" 1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1e3", 3, BACKOFF_NOT_A_RATIO, 0, 0},
      {"0x10", 4, BACKOFF_NOT_A_RATIO, 0, 0},
      {"nan", 3, BACKOFF_NOT_A_RATIO, 0, 0},
      {"\xFF", 1, BACKOFF_NOT_A_RATIO, 0, 0},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    remember();
    check_code(rows[i].text,
               backoff_ratio_parse(rows[i].text, rows[i].length, &now.numerator,
                                   &now.denominator),
               rows[i].code);
    if (rows[i].code == BACKOFF_OK) {
      then.numerator = rows[i].numerator;
      then.denominator = rows[i].denominator;
    }
    check_untouched(rows[i].text);
  }
}

static void check_entropy(void) {
  uint64_t one = 0, other = 0;
  DONE(backoff_stream_from_entropy(&one));
  DONE(backoff_stream_from_entropy(&other));
  check_true("entropy", "two streams differ", one != other);
}

int main(void) {
  start();
  check_null();
  check_optional();
  check_garbage();
  check_fields();
  check_codes();
  check_refused_policies();
  check_copies();
  check_batch_ends();
  check_iterator_ends();
  check_message_sizes();
  check_messages();
  check_ratios();
  check_entropy();
  return check_end();
}
