/* What a row of each layer of vectors.h holds. */

#ifndef BACKOFF_VECTOR_TYPES_H
#define BACKOFF_VECTOR_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <backoff.h>

/* Bytes, which may be any and end without a zero. */
struct text {
  size_t length;
  const char *bytes;
};

struct given {
  uint32_t field;
  int is_ratio;
  uint64_t value; /* of a field that is no ratio */
  uint32_t numerator;
  uint32_t denominator;
};

struct policy_vector {
  size_t count;
  const struct given *given;
};

struct key_vector {
  int given;
  size_t length;
  const unsigned char *bytes;
};

struct words {
  size_t count;
  const uint64_t *words;
};

struct refusal {
  const char *code; /* NULL if nothing is refused */
  uint32_t field;   /* 0 if it is of none */
  uint64_t value;
  uint64_t limit;
  const char *message;
};

struct draw_vector {
  const char *id;
  uint64_t stream;
  uint32_t index;
  uint64_t draw;
};

struct stream_vector {
  const char *id;
  uint64_t seed;
  struct key_vector key;
  uint64_t stream;
};

struct sequence_vector {
  const char *id;
  struct policy_vector policy;
  uint64_t seed;
  struct key_vector key;
  uint32_t first;
  struct words windows;
  struct words delays;
};

struct reset_vector {
  const char *id;
  struct policy_vector policy;
  uint64_t seed;
  struct key_vector key;
  size_t run_count;
  const struct words *runs;
  uint64_t stream;
};

struct error_vector {
  const char *id;
  struct policy_vector policy;
  struct refusal error;
};

struct text_vector {
  const char *id;
  uint32_t line; /* a BACKOFF_LINE */
  struct text text;
  const char *canonical;
  struct policy_vector policy; /* empty for a budget */
};

struct text_error_vector {
  const char *id;
  uint32_t line;
  struct text text;
  uint64_t at;
  struct text found;
  struct refusal error;
};

struct preset_vector {
  const char *id;
  uint32_t line;
  struct text preset;
  struct text stands_for;
  const char *canonical;
  struct words windows; /* empty for a budget */
};

struct preview_vector {
  const char *id;
  struct text policy;
  size_t asked_for;
  size_t row_count;
  const backoff_preview_row *rows;
};

struct fit_vector {
  const char *id;
  struct text policy;
  uint32_t field;
  uint64_t attempts;
  uint64_t total;
  const char *canonical; /* NULL if nothing fits */
  struct refusal error;
};

enum action { BEGIN, TELL, CANCEL };

struct step {
  size_t operation;
  enum action action;
  uint64_t now;
  int has_time;
  uint64_t time; /* the deadline, or the hint */
  uint32_t outcome;
  uint32_t reason; /* 0 is to wait */
  uint64_t delay;
  uint64_t retries;
};

struct decision_vector {
  const char *id;
  struct text policy;
  int has_budget;
  struct text budget;
  uint64_t seed;
  struct key_vector key;
  size_t step_count;
  const struct step *steps;
};

struct retry_after_vector {
  const char *id;
  struct text value;
  uint64_t now;
  int is_hint;
  uint64_t hint;
};

struct http_status_vector {
  const char *id;
  uint32_t status;
  uint32_t outcome;
};

struct record {
  uint64_t attempts;
  uint32_t reason;
  uint64_t times;
};

struct records {
  size_t count;
  const struct record *records;
};

struct history_vector {
  const char *id;
  struct records records;
  struct records more;
  const char *text;
};

#endif
