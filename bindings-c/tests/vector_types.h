/* The rows of each layer in vectors.h, which vectors.py writes. */

#ifndef BACKOFF_VECTOR_TYPES_H
#define BACKOFF_VECTOR_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <backoff.h>

/* Any bytes, without a terminating zero. */
struct text {
  size_t length;
  const char *bytes;
};

struct field_vector {
  uint32_t field;
  int is_ratio;
  uint64_t value; /* of a field that is not a ratio */
  uint32_t numerator;
  uint32_t denominator;
};

struct policy_vector {
  size_t count;
  const struct field_vector *fields;
};

struct key_vector {
  int is_set;
  size_t length;
  const unsigned char *bytes;
};

struct u64s {
  size_t count;
  const uint64_t *numbers;
};

struct expected_error {
  const char *code; /* NULL if no error is expected */
  uint32_t field;   /* 0 for an error of no field */
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
  struct u64s windows;
  struct u64s delays;
};

struct reset_vector {
  const char *id;
  struct policy_vector policy;
  uint64_t seed;
  struct key_vector key;
  struct u64s asked; /* for each run, at least its length; more if the iterator has ended */
  size_t run_count;
  const struct u64s *runs;
  uint64_t stream;
};

struct error_vector {
  const char *id;
  struct policy_vector policy;
  struct expected_error error;
};

struct text_vector {
  const char *id;
  uint32_t kind; /* a BACKOFF_TEXT_KIND */
  struct text text;
  const char *canonical;
  struct policy_vector policy; /* empty for a budget */
};

struct text_error_vector {
  const char *id;
  uint32_t kind;
  struct text text;
  uint64_t at;
  struct text found;
  struct expected_error error;
};

struct preset_vector {
  const char *id;
  uint32_t kind;
  struct text preset;
  struct text string; /* equal to the preset */
  const char *canonical;
  struct u64s windows; /* empty for a budget */
};

struct preview_vector {
  const char *id;
  struct text policy;
  size_t first;     /* the number of rows to skip */
  size_t row_limit; /* the preview ends early if there are fewer rows */
  size_t row_count;
  const backoff_preview_row *rows;
};

struct fit_vector {
  const char *id;
  struct text policy;
  uint32_t field;
  uint64_t attempts;
  uint64_t total;
  const char *canonical; /* NULL if an error is expected */
  struct expected_error error;
};

enum action { BEGIN, DECIDE, CANCEL };

struct step {
  size_t operation;
  enum action action;
  uint64_t now;
  int has_time;
  uint64_t time; /* the deadline, or the Retry-After */
  uint32_t outcome;
  uint32_t reason; /* 0 for a wait */
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

struct resumption_vector {
  const char *id;
  struct text policy;
  uint64_t stream, retries, begun, deadline, now;
  uint32_t outcome;
  uint64_t retry_after;
  uint32_t reason; /* 0 for a wait */
  uint64_t delay, retries_after;
  uint32_t refused;
  uint64_t retries_refused;
};

struct state_step {
  uint32_t event, outcome;
  uint64_t held, now;
  int is_granted;
  uint64_t holds;
  const char *state;
};

struct budget_state_vector {
  const char *id;
  struct text budget;
  const char *start; /* NULL for a full budget */
  size_t step_count;
  const struct state_step *steps;
};

struct budget_state_text_vector {
  const char *id;
  struct text budget, text;
  int is_valid;
};

enum member_action {
  MEMBER_NOTE,
  MEMBER_REQUEST,
  MEMBER_CANCEL,
  MEMBER_BEGIN,
  MEMBER_STEP,
  MEMBER_STORED,
  MEMBER_LOST,
  MEMBER_FAILED,
  MEMBER_LATE
};

struct member_step {
  enum member_action action;
  uint64_t now, times;
  uint32_t is_away, has_unsent; /* afterwards, as the next one */
  uint64_t due_in_ns, timeout_ns;
  uint32_t event, outcome;
  uint64_t held;
  uint32_t is_local, answer;
  const char *text; /* NULL for none */
  uint64_t store_now;
  const char *after; /* NULL if the text is no account */
  uint32_t is_changed;
  size_t step_count;
  const backoff_exchange_step *steps;
  uint32_t may_be_stored;
  backoff_exchange_answers answers;
  int has_wait;
  uint64_t wait;
};

struct exchange_vector {
  const char *id;
  struct text budget, local;
  uint64_t lease, fallback, timeout, seed;
  size_t step_count;
  const struct member_step *steps;
  backoff_shared_budget_stats stats;
};

struct retry_after_vector {
  const char *id;
  struct text value;
  uint64_t now;
  int is_valid;
  uint64_t retry_after;
};

struct http_status_vector {
  const char *id;
  uint32_t status;
  uint32_t outcome;
};

struct http_response_vector {
  const char *id;
  uint32_t status;
  struct text fields;
  uint64_t now;
  int is_valid;
  uint64_t retry_after;
};

struct http_method_vector {
  const char *id;
  struct text method;
  int is_idempotent;
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

struct stats_vector {
  const char *id;
  struct records records;
  struct records more; /* recorded in other stats, which are then merged */
  const char *text;
};

struct loop_call {
  uint64_t takes;
  uint32_t outcome;
  uint64_t retry_after;
};

enum loop_where {
  LOOP_NOWHERE,
  LOOP_BEFORE,
  LOOP_CALL,
  LOOP_CLASSIFICATION,
  LOOP_RETRY_HOOK,
  LOOP_WAIT,
  LOOP_STOP_HOOK
};

struct loop_point {
  enum loop_where where;
  size_t call;
  uint64_t after;
};

struct loop_script {
  size_t call_count;
  const struct loop_call *calls;
  uint64_t deadline;
  struct loop_point cancel, fail;
  size_t wait_count;
  const uint64_t *waits; /* the complete ones */
  size_t event_count;
  const backoff_event *events;
};

struct loop_vector {
  const char *id;
  struct text policy;
  const char *budget; /* NULL for none */
  uint64_t seed;
  struct key_vector key;
  size_t script_count;
  const struct loop_script *scripts;
  backoff_stats_counts stats; /* operations, attempts and stops */
};

#endif
