/* Errors: members, messages, and unchanged outputs. */

#include "memory.h"

/* Params that break a rule fill the error and change nothing else. */
static void check_params(void) {
  static const struct {
    const char *id;
    uint32_t field;
    uint64_t value;
    struct {
      uint32_t code, field;
      uint64_t value, limit;
    } error;
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
      {"retry_after 4", BACKOFF_FIELD_RETRY_AFTER, 4,
       {BACKOFF_UNKNOWN_KIND, BACKOFF_FIELD_RETRY_AFTER, 4, 3}},
      {"max_attempts 0", BACKOFF_FIELD_MAX_ATTEMPTS, 0,
       {BACKOFF_TOO_SMALL, BACKOFF_FIELD_MAX_ATTEMPTS, 0, 1}},
      {"a cap below the base", BACKOFF_FIELD_CAP, 9,
       {BACKOFF_CAP_BELOW_BASE, BACKOFF_FIELD_CAP, 9, 10}},
      {"a slot without slotted jitter", BACKOFF_FIELD_JITTER_SLOT, 1,
       {BACKOFF_UNUSED, BACKOFF_FIELD_JITTER_SLOT, 1, BACKOFF_JITTER_NONE}},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    backoff_params params = memory.params;
    backoff_error unchanged = memory.error;
    check_code(rows[i].id, backoff_params_set(&params, rows[i].field, rows[i].value),
               BACKOFF_OK);
    remember();
    check_code(rows[i].id, backoff_policy_init(&memory.policy, &params, &memory.error),
               rows[i].error.code);
    check_number(rows[i].id, "code", memory.error.code, rows[i].error.code);
    check_number(rows[i].id, "field", memory.error.field, rows[i].error.field);
    check_number(rows[i].id, "value", memory.error.value, rows[i].error.value);
    check_number(rows[i].id, "limit", memory.error.limit, rows[i].error.limit);
    check_number(rows[i].id, "kind of text", memory.error.text_kind, BACKOFF_TEXT_KIND_NONE);
    check_number(rows[i].id, "at", memory.error.at, 0);
    check_number(rows[i].id, "length of the text found", memory.error.found_length, 0);
    check_text(rows[i].id, "text found", memory.error.found, "");
    memory.error = unchanged;
    check_unchanged(rows[i].id);
  }
  remember();
  check_code("no field set", backoff_policy_init(&memory.policy, &memory.empty_params, NULL),
             BACKOFF_MISSING);
  check_unchanged("no field set");
}

/* Whether the message of a code names the field of the error. */
static int names_field(uint32_t code) {
  return code != BACKOFF_UNKNOWN_HEAD && code != BACKOFF_UNKNOWN_KEY &&
         code != BACKOFF_REPEATED_KEY && code != BACKOFF_TEXT_TOO_LONG;
}

/* Every combination of members has a message that fits, or a code. */
static void check_messages(void) {
  static const uint64_t numbers[] = {0, 1, INDICES, BACKOFF_MAX_NS, UINT64_MAX};
  static const backoff_error unknown[] = {
      {.code = BACKOFF_OK, .field = BACKOFF_FIELD_CAP},
      {.code = BACKOFF_DOES_NOT_FIT + 1, .field = BACKOFF_FIELD_CAP},
      {.code = BACKOFF_NULL_POINTER, .field = BACKOFF_FIELD_CAP},
      {.code = BACKOFF_CAP_BELOW_BASE, .field = 0},
      {.code = BACKOFF_CAP_BELOW_BASE, .field = 24},
      {.code = BACKOFF_UNKNOWN_KEY, .field = 24, .text_kind = BACKOFF_TEXT_KIND_POLICY},
      {.code = BACKOFF_UNKNOWN_KEY, .field = 43, .text_kind = BACKOFF_TEXT_KIND_BUDGET},
      {.code = BACKOFF_UNKNOWN_KEY, .text_kind = BACKOFF_TEXT_KIND_BUDGET + 1},
      {.code = BACKOFF_UNKNOWN_KEY, .text_kind = UINT32_MAX},
      {.code = BACKOFF_OK, .text_kind = BACKOFF_TEXT_KIND_POLICY},
      {.code = BACKOFF_DOES_NOT_FIT + 1},
      {.code = BACKOFF_NULL_POINTER - 1},
      {.code = BACKOFF_UNKNOWN_EVENT + 1},
      {.code = UINT32_MAX},
  };
  for (uint32_t kind = BACKOFF_TEXT_KIND_NONE; kind <= BACKOFF_TEXT_KIND_BUDGET; kind++) {
    for (uint32_t code = BACKOFF_UNKNOWN_KIND; code <= BACKOFF_DOES_NOT_FIT; code++) {
      for (uint32_t field = 0; field <= BACKOFF_FIELD_MIN_CONCURRENT; field++) {
        const char *name = backoff_field_name(field);
        int is_field = strcmp(name, "unknown_field") != 0;
        if (!is_field && (field > 0 || kind == BACKOFF_TEXT_KIND_NONE)) continue;
        for (size_t i = 0; i < LENGTH(numbers); i++) {
          uint64_t number = numbers[i];
          backoff_error error = {.code = code,    .field = field,    .value = number,
                                 .limit = number, .text_kind = kind, .at = number,
                                 .found_length = number};
          memset(error.found, 0xFF, sizeof error.found);
          SUCCEEDS(backoff_error_message(&error, memory.text, BACKOFF_TEXT_SIZE));
          check_true(name, "the message is shorter than the longest text, so it is not cut",
                     strlen(memory.text) + 1 < BACKOFF_TEXT_SIZE);
          const char *start = names_field(code) ? name : "";
          if (kind != BACKOFF_TEXT_KIND_NONE) start = "at ";
          check_true(name, "start of the message",
                     strncmp(memory.text, start, strlen(start)) == 0);
        }
      }
    }
  }
  for (size_t i = 0; i < LENGTH(unknown); i++) {
    FAILS_EMPTY(BACKOFF_UNINITIALIZED,
                backoff_error_message(&unknown[i], memory.text, sizeof memory.text));
    FAILS_EMPTY(BACKOFF_UNINITIALIZED,
                backoff_error_message_with(&unknown[i], TEXT("5 ms"), memory.text,
                                           sizeof memory.text));
  }
}

/* The message with the value as a caller wrote it. */
static void check_shown(void) {
  static const backoff_error cap = {.code = BACKOFF_CAP_BELOW_BASE, .field = BACKOFF_FIELD_CAP,
                                    .value = 5, .limit = 10};
  static const backoff_error key = {.code = BACKOFF_UNKNOWN_UNIT, .field = BACKOFF_FIELD_BASE,
                                    .text_kind = BACKOFF_TEXT_KIND_POLICY, .at = 10,
                                    .found_length = 1, .found = "x"};
  static char long_text[200];
  static const struct {
    const char *id;
    const backoff_error *error;
    const char *shown;
    uint64_t length;
    const char *message;
  } rows[] = {
      {"a text", &cap, TEXT("0.005 us"), "cap 0.005 us is below base 10ns"},
      {"an empty text", &cap, TEXT(""), "cap  is below base 10ns"},
      {"text that is not UTF-8", &cap, TEXT("\xFF"), "cap \xFF is below base 10ns"},
      {"an error of a string", &key, TEXT("5 ms"),
       "at 10: base has the unknown unit \"x\"; the units are d, h, m, s, ms, us, ns"},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    char message[BACKOFF_TEXT_SIZE] = "";
    check_code(rows[i].id,
               backoff_error_message_with(rows[i].error, rows[i].shown, rows[i].length, message,
                                          sizeof message),
               BACKOFF_OK);
    check_text(rows[i].id, "message", message, rows[i].message);
  }
  memset(long_text, 'x', sizeof long_text);
  SUCCEEDS(backoff_error_message_with(&cap, long_text, sizeof long_text, memory.text,
                                      BACKOFF_TEXT_SIZE));
  check_number("a long text", "bytes shown", strspn(memory.text + strlen("cap "), "x"), 128);
  FAILS_EMPTY(BACKOFF_TOO_LONG, backoff_error_message_with(&cap, "5", UINT64_MAX, memory.text,
                                                           sizeof memory.text));
  FAILS_EMPTY(BACKOFF_BUFFER_TOO_SMALL,
              backoff_error_message_with(&cap, TEXT("5 ms"), memory.text, 4));
  FAILS_EMPTY(BACKOFF_BUFFER_TOO_SMALL,
              backoff_error_message_with(&cap, TEXT("5 ms"), memory.text, 1));
  FAILS(BACKOFF_BUFFER_TOO_SMALL, backoff_error_message_with(&cap, TEXT("5 ms"), memory.text, 0));
}

/* A long text that is not UTF-8: no byte of it begins a character at which it could be cut. */
static void check_shown_bytes(void) {
  static const size_t lengths[] = {128, 129, 200};
  static char bytes[200];
  memset(bytes, 0x80, sizeof bytes);
  for (size_t i = 0; i < LENGTH(lengths); i++) {
    char message[BACKOFF_TEXT_SIZE] = "";
    SUCCEEDS(backoff_error_message_with(&memory.error, bytes, lengths[i], message,
                                        sizeof message));
    check_true("bytes 0x80", "start of the message", strncmp(message, "cap \x80\x80", 6) == 0);
    check_true("bytes 0x80", "end of the message",
               strstr(message, " is below base 10ns") != NULL);
  }
}

/* Every code that a function returns without details, and its message. */
static void check_sentences(void) {
  static const struct {
    uint32_t code;
    const char *message;
  } rows[] = {
      {BACKOFF_OK, "no error"},
      {BACKOFF_ZERO_DENOMINATOR, "the ratio has a zero denominator"},
      {BACKOFF_RATIO_TOO_FINE, "the ratio has a term above 4294967295"},
      {BACKOFF_NOT_A_RATIO, "the text is not a ratio such as 2, 1.6, 8/5 or 20%"},
      {BACKOFF_NULL_POINTER, "a required pointer is NULL"},
      {BACKOFF_UNINITIALIZED, "a struct is not initialised"},
      {BACKOFF_UNKNOWN_FIELD, "the number is not a field of a policy"},
      {BACKOFF_WRONG_UNIT, "the value is a ratio and the field a plain number, or the reverse"},
      {BACKOFF_END, "there are no more delays or rows"},
      {BACKOFF_NO_ENTROPY, "the operating system cannot provide randomness"},
      {BACKOFF_BUFFER_TOO_SMALL, "the buffer cannot hold the text and its terminating zero"},
      {BACKOFF_NOT_A_RETRY_AFTER,
       "the value of Retry-After is neither a number of seconds nor a date, "
       "or is longer than 1024 bytes"},
      {BACKOFF_TOO_LONG, "the length is longer than any memory"},
      {BACKOFF_UNKNOWN_OUTCOME, "the number is not an outcome"},
      {BACKOFF_UNKNOWN_REASON, "the number is not a reason"},
      {BACKOFF_DAMAGED, "the memory of the budget was damaged, or the budget was copied or the "
                        "process forked while a thread used it"},
      {BACKOFF_NOT_A_STATE, "the text is not the state of a budget of this kind"},
      {BACKOFF_UNKNOWN_EVENT, "the number is not an event of a budget"},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    backoff_error error = {.code = rows[i].code};
    SUCCEEDS(backoff_error_message(&error, memory.text, sizeof memory.text));
    check_text(backoff_code_name(rows[i].code), "message", memory.text, rows[i].message);
    SUCCEEDS(backoff_error_message_with(&error, TEXT("5 ms"), memory.text, sizeof memory.text));
    check_text(backoff_code_name(rows[i].code), "message", memory.text, rows[i].message);
  }
  for (uint32_t code = BACKOFF_NULL_POINTER; code <= BACKOFF_UNKNOWN_EVENT; code++) {
    backoff_error error = {.code = code};
    SUCCEEDS(backoff_error_message(&error, memory.text, sizeof memory.text));
  }
}

/* The pattern of the README, with an error that holds another error: it shows the right one. */
static void check_pattern(void) {
  char message[BACKOFF_TEXT_SIZE];
  backoff_policy policy;
  backoff_error error = memory.error;
  check_code("NULL", backoff_policy_parse(&policy, NULL, 4, &error), BACKOFF_NULL_POINTER);
  SUCCEEDS(backoff_error_message(&error, message, sizeof message));
  check_text("NULL", "message", message, "a required pointer is NULL");
  check_code("no field", backoff_policy_init(&policy, &memory.empty_params, &error),
             BACKOFF_MISSING);
  SUCCEEDS(backoff_error_message(&error, message, sizeof message));
  check_text("no field", "message", message, "growth is missing");
  SUCCEEDS(backoff_policy_init(&policy, &memory.params, &error));
  SUCCEEDS(backoff_error_message(&error, message, sizeof message));
  check_text("success", "message", message, "no error");
}

/* A string that breaks a rule fills the error and changes nothing else, whatever its bytes. */
static void check_strings(void) {
  static const struct {
    const char *text;
    uint64_t length;
    uint32_t code;
    uint64_t at, found_length;
    const char *found, *message;
  } rows[] = {
      {"constant:base=1s", 0, BACKOFF_UNKNOWN_HEAD, 0, 0, "", "at 0: unknown name \"\"; "},
      {NULL, 0, BACKOFF_UNKNOWN_HEAD, 0, 0, "", "at 0: unknown name \"\"; "},
      {"none:b\xFF=1", 9, BACKOFF_UNKNOWN_KEY, 5, 2, "b\xFF", "at 5: unknown key \"b\\xff\"; "},
      {"none:base=\x80", 11, BACKOFF_NOT_A_DURATION, 10, 1, "\x80",
       "at 10: base \"\\x80\" is not a duration"},
      {"constant:base=1\xC3\xA4", 17, BACKOFF_UNKNOWN_UNIT, 15, 2, "\xC3\xA4",
       "at 15: base has the unknown unit \"\\xc3\\xa4\"; "},
      {"none\0more", 9, BACKOFF_UNKNOWN_HEAD, 0, 9, "none\0more",
       "at 0: unknown name \"none\\x00more\"; "},
      {"0123456789012345678901234567890123456789", 40, BACKOFF_UNKNOWN_HEAD, 0, 40,
       "01234567890123456789012345678901",
       "at 0: unknown name \"01234567890123456789012345678901...\"; "},
  };
  static char longest[1025];
  backoff_error unchanged = memory.error;
  for (size_t i = 0; i < LENGTH(rows); i++) {
    const char *id = rows[i].message;
    remember();
    check_code(id,
               backoff_policy_parse(&memory.policy, rows[i].text, rows[i].length, &memory.error),
               rows[i].code);
    check_number(id, "at", memory.error.at, rows[i].at);
    check_number(id, "length of the text found", memory.error.found_length, rows[i].found_length);
    check_true(id, "text found",
               memcmp(memory.error.found, rows[i].found,
                      rows[i].found_length < 32 ? rows[i].found_length : 32) == 0);
    for (size_t at = rows[i].found_length; at < sizeof memory.error.found; at++) {
      check_number(id, "a byte after the text found", (unsigned char)memory.error.found[at], 0);
    }
    check_number(id, "kind of text", memory.error.text_kind, BACKOFF_TEXT_KIND_POLICY);
    SUCCEEDS(backoff_error_message(&memory.error, memory.text, sizeof memory.text));
    check_true(id, "message", strncmp(memory.text, id, strlen(id)) == 0);
    memory.error = unchanged;
    memcpy(memory.text, before.text, sizeof memory.text);
    check_unchanged(id);
  }
  memset(longest, 'x', sizeof longest);
  FAILS(BACKOFF_UNKNOWN_HEAD, backoff_policy_parse(&memory.policy, longest, 1024, NULL));
  FAILS(BACKOFF_TEXT_TOO_LONG, backoff_policy_parse(&memory.policy, longest, 1025, NULL));
  FAILS(BACKOFF_TEXT_TOO_LONG, backoff_budget_parse(&memory.budget, longest, 1025, NULL));
}

int main(void) {
  start();
  check_params();
  check_messages();
  check_shown();
  check_shown_bytes();
  check_sentences();
  check_pattern();
  check_strings();
  return check_end();
}
