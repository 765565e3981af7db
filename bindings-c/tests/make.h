/* Policies and streams of vectors, and the comparison of an error with its vector. */

#ifndef BACKOFF_MAKE_H
#define BACKOFF_MAKE_H

#include <backoff.h>

#include "check.h"
#include "vectors.h"

/* Sets the fields of a vector and makes the policy. Returns the first code that is not OK. */
static inline uint32_t make(backoff_policy *policy, struct policy_vector vector,
                            backoff_error *error) {
  backoff_params params = BACKOFF_PARAMS_INIT;
  for (size_t i = 0; i < vector.count; i++) {
    struct field_vector field = vector.fields[i];
    uint32_t code =
        field.is_ratio
            ? backoff_params_set_ratio(&params, field.field, field.numerator, field.denominator)
            : backoff_params_set(&params, field.field, field.value);
    if (code != BACKOFF_OK) return code;
  }
  return backoff_policy_init(policy, &params, error);
}

/* The number of delays after which an iterator ends (SPEC 9.1). */
static inline uint64_t max_retries_of(struct policy_vector vector) {
  uint64_t max_retries = UINT64_C(1) << 32;
  for (size_t i = 0; i < vector.count; i++) {
    struct field_vector field = vector.fields[i];
    if (field.field == BACKOFF_FIELD_MAX_RETRIES) max_retries = field.value;
    if (field.field == BACKOFF_FIELD_MAX_ATTEMPTS) max_retries = field.value - 1;
  }
  return max_retries;
}

static inline uint64_t stream_of(const char *id, uint64_t seed, struct key_vector key) {
  uint64_t stream = seed;
  if (key.is_set) {
    check_number(id, "code of the key",
                 backoff_stream_from_key(seed, key.bytes, key.length, &stream), BACKOFF_OK);
  }
  return stream;
}

/* The text found in a string: its first 32 bytes, then zeros. */
static inline void check_found(const char *id, const backoff_error *error, struct text found) {
  char want[sizeof error->found] = {0};
  memcpy(want, found.bytes, found.length < 32 ? found.length : 32);
  check_true(id, "text found", memcmp(error->found, want, sizeof want) == 0);
  check_number(id, "length of the text found", error->found_length, found.length);
}

static inline void check_error(const char *id, uint32_t code, const backoff_error *error,
                               struct expected_error want) {
  char message[BACKOFF_TEXT_SIZE] = "";
  check_text(id, "code", backoff_code_name(code), want.code);
  check_number(id, "code in the error", error->code, code);
  check_number(id, "field", error->field, want.field);
  check_number(id, "value", error->value, want.value);
  check_number(id, "limit", error->limit, want.limit);
  check_number(id, "code of the message", backoff_error_message(error, message, sizeof message),
               BACKOFF_OK);
  check_text(id, "message", message, want.message);
}

#endif
