/* Making what a vector gives, and checking what it says of a refusal. */

#ifndef BACKOFF_GIVEN_H
#define BACKOFF_GIVEN_H

#include <backoff.h>

#include "check.h"
#include "vectors.h"

/* Gives the fields of a vector and makes the policy; the code of whatever failed. */
static inline uint32_t make(backoff_policy *policy, struct policy_vector vector, backoff_error *error) {
  backoff_params params = BACKOFF_PARAMS_INIT;
  for (size_t i = 0; i < vector.count; i++) {
    struct given field = vector.given[i];
    uint32_t code =
        field.is_ratio
            ? backoff_params_set_ratio(&params, field.field, field.numerator, field.denominator)
            : backoff_params_set(&params, field.field, field.value);
    if (code != BACKOFF_OK) return code;
  }
  return backoff_policy_init(policy, &params, error);
}

/* The stream of a seed, or of a seed and a key. */
static inline uint64_t stream_of(const char *id, uint64_t seed, struct key_vector key) {
  uint64_t stream = seed;
  if (key.given) {
    check_word(id, "code of the key",
               backoff_stream_from_key(seed, key.bytes, key.length, &stream), BACKOFF_OK);
  }
  return stream;
}

/* What was found in a line: its first 32 bytes, then zeros. */
static inline void check_found(const char *id, const backoff_error *error, struct text found) {
  char want[sizeof error->found] = {0};
  memcpy(want, found.bytes, found.length < 32 ? found.length : 32);
  check_true(id, "what was found", memcmp(error->found, want, sizeof want) == 0);
  check_word(id, "length of what was found", error->found_length, found.length);
}

static inline void check_refusal(const char *id, uint32_t code, const backoff_error *error,
                                 struct refusal want) {
  char message[BACKOFF_TEXT_SIZE] = "";
  check_text(id, "code", backoff_code_name(code), want.code);
  check_word(id, "code in the error", error->code, code);
  check_word(id, "field", error->field, want.field);
  check_word(id, "value", error->value, want.value);
  check_word(id, "limit", error->limit, want.limit);
  check_word(id, "code of the message", backoff_error_message(error, message, sizeof message),
             BACKOFF_OK);
  check_text(id, "message", message, want.message);
}

#endif
