typedef struct backoff_params backoff_params;
typedef struct backoff_policy backoff_policy;
typedef struct backoff_iter backoff_iter;
typedef struct backoff_preview backoff_preview;
typedef struct backoff_preview_row backoff_preview_row;
typedef struct backoff_loop_event backoff_loop_event;
typedef struct backoff_loop_attempt_info backoff_loop_attempt_info;
typedef struct backoff_loop backoff_loop;
typedef struct backoff_operation backoff_operation;
typedef struct backoff_decision backoff_decision;
typedef struct backoff_budget backoff_budget;
typedef struct backoff_budget_level backoff_budget_level;
typedef struct backoff_stats backoff_stats;
typedef struct backoff_stats_counts backoff_stats_counts;
typedef struct backoff_label backoff_label;
typedef struct backoff_error backoff_error;
typedef struct backoff_budget_state backoff_budget_state;
typedef struct backoff_budget_event backoff_budget_event;
typedef struct backoff_budget_answer backoff_budget_answer;
typedef struct backoff_budget_member backoff_budget_member;
typedef struct backoff_member_answer backoff_member_answer;
typedef struct backoff_shared_budget_stats backoff_shared_budget_stats;
typedef struct backoff_exchange_step backoff_exchange_step;
typedef struct backoff_exchange_answers backoff_exchange_answers;
enum {
  BACKOFF_VERSION_MAJOR = 0,
  BACKOFF_VERSION_MINOR = 1,
  BACKOFF_VERSION_PATCH = 0,
  BACKOFF_VERSION = 1000,
  BACKOFF_STATS_SIZE = 4096,
  BACKOFF_TEXT_SIZE = 769,
  BACKOFF_FALLBACK_SHARE = 0,
  BACKOFF_FALLBACK_WHOLE = 1
};
uint32_t backoff_version(void);
typedef enum backoff_code {
  BACKOFF_OK = 0,
  BACKOFF_ERROR_UNKNOWN_KIND = 1,
  BACKOFF_ERROR_MISSING = 2,
  BACKOFF_ERROR_UNUSED = 3,
  BACKOFF_ERROR_TOO_LARGE = 4,
  BACKOFF_ERROR_TOO_SMALL = 5,
  BACKOFF_ERROR_ZERO_DENOMINATOR = 6,
  BACKOFF_ERROR_RATIO_TOO_FINE = 7,
  BACKOFF_ERROR_NOT_EXPONENTIAL = 8,
  BACKOFF_ERROR_CAP_BELOW_BASE = 9,
  BACKOFF_ERROR_OFFSET_ABOVE_CAP = 10,
  BACKOFF_ERROR_FLOOR_ABOVE_CAP = 11,
  BACKOFF_ERROR_GROWTH_STALLS = 12,
  BACKOFF_ERROR_GIVEN_TWICE = 13,
  BACKOFF_ERROR_UNKNOWN_HEAD = 14,
  BACKOFF_ERROR_UNKNOWN_KEY = 15,
  BACKOFF_ERROR_REPEATED_KEY = 16,
  BACKOFF_ERROR_MISSING_VALUE = 17,
  BACKOFF_ERROR_NOT_A_DURATION = 18,
  BACKOFF_ERROR_MISSING_UNIT = 19,
  BACKOFF_ERROR_UNKNOWN_UNIT = 20,
  BACKOFF_ERROR_DURATION_TOO_FINE = 21,
  BACKOFF_ERROR_NOT_A_RATIO = 22,
  BACKOFF_ERROR_NOT_A_COUNT = 23,
  BACKOFF_ERROR_TEXT_TOO_LONG = 24,
  BACKOFF_ERROR_DOES_NOT_FIT = 25,
  BACKOFF_ERROR_TOO_MANY = 26,
  BACKOFF_ERROR_NULL_POINTER = 100,
  BACKOFF_ERROR_UNINITIALIZED = 101,
  BACKOFF_ERROR_UNKNOWN_FIELD = 102,
  BACKOFF_ERROR_WRONG_UNIT = 103,
  BACKOFF_ERROR_END = 104,
  BACKOFF_ERROR_NO_ENTROPY = 105,
  BACKOFF_ERROR_BUFFER_TOO_SMALL = 106,
  BACKOFF_ERROR_NOT_A_RETRY_AFTER = 107,
  BACKOFF_ERROR_TOO_LONG = 108,
  BACKOFF_ERROR_UNKNOWN_OUTCOME = 109,
  BACKOFF_ERROR_UNKNOWN_REASON = 110,
  BACKOFF_ERROR_DAMAGED = 111,
  BACKOFF_ERROR_NOT_A_STATE = 112,
  BACKOFF_ERROR_UNKNOWN_EVENT = 113,
  BACKOFF_ERROR_WRONG_BUDGET = 114,
  BACKOFF_ERROR_UNSUPPORTED = 115,
  BACKOFF_ERROR_UNKNOWN_NAME = 116,
  BACKOFF_ERROR_NOT_A_PREFIX = 117,
  BACKOFF_ERROR_NOT_A_LABEL = 118
} backoff_code;
typedef enum backoff_field {
  BACKOFF_FIELD_NONE = 0,
  BACKOFF_FIELD_GROWTH = 1,
  BACKOFF_FIELD_BASE = 2,
  BACKOFF_FIELD_INCREMENT = 3,
  BACKOFF_FIELD_MULTIPLIER = 4,
  BACKOFF_FIELD_POWER = 5,
  BACKOFF_FIELD_ORIGIN = 6,
  BACKOFF_FIELD_OFFSET = 7,
  BACKOFF_FIELD_CAP = 8,
  BACKOFF_FIELD_CAP_ON = 9,
  BACKOFF_FIELD_FLOOR = 10,
  BACKOFF_FIELD_JITTER = 11,
  BACKOFF_FIELD_JITTER_BELOW = 12,
  BACKOFF_FIELD_JITTER_ABOVE = 13,
  BACKOFF_FIELD_JITTER_MAX = 14,
  BACKOFF_FIELD_JITTER_INCREMENT = 15,
  BACKOFF_FIELD_JITTER_SLOT = 16,
  BACKOFF_FIELD_MAX_RETRIES = 17,
  BACKOFF_FIELD_MAX_ATTEMPTS = 18,
  BACKOFF_FIELD_MAX_ELAPSED = 19,
  BACKOFF_FIELD_THROTTLED_BASE = 20,
  BACKOFF_FIELD_RETRY_AFTER = 21,
  BACKOFF_FIELD_RETRY_AFTER_MAX = 22,
  BACKOFF_FIELD_RETRY_AFTER_MAX_EXTRA = 23,
  BACKOFF_FIELD_WAITS = 24,
  BACKOFF_FIELD_ATTEMPT_TIMEOUT = 25,
  BACKOFF_FIELD_RESET_AFTER = 26,
  BACKOFF_FIELD_ELAPSED_FROM = 27,
  BACKOFF_FIELD_BUDGET = 33,
  BACKOFF_FIELD_MAX_TOKENS = 34,
  BACKOFF_FIELD_COST = 35,
  BACKOFF_FIELD_COST_THROTTLED = 36,
  BACKOFF_FIELD_COST_TIMEOUT = 37,
  BACKOFF_FIELD_RATIO = 38,
  BACKOFF_FIELD_PER = 39,
  BACKOFF_FIELD_TTL = 40,
  BACKOFF_FIELD_MIN_PER_SECOND = 41,
  BACKOFF_FIELD_MIN_CONCURRENT = 42
} backoff_field;
typedef enum backoff_growth {
  BACKOFF_GROWTH_CONSTANT = 1,
  BACKOFF_GROWTH_LINEAR = 2,
  BACKOFF_GROWTH_EXPONENTIAL = 3,
  BACKOFF_GROWTH_POLYNOMIAL = 4,
  BACKOFF_GROWTH_FIBONACCI = 5,
  BACKOFF_GROWTH_STEPS = 6
} backoff_growth;
typedef enum backoff_jitter {
  BACKOFF_JITTER_NONE = 1,
  BACKOFF_JITTER_FULL = 2,
  BACKOFF_JITTER_EQUAL = 3,
  BACKOFF_JITTER_PROPORTIONAL = 4,
  BACKOFF_JITTER_ADDITIVE = 5,
  BACKOFF_JITTER_DECORRELATED = 6,
  BACKOFF_JITTER_SLOTTED = 7
} backoff_jitter;
typedef enum backoff_cap_on {
  BACKOFF_CAP_ON_WINDOW = 1,
  BACKOFF_CAP_ON_DELAY = 2
} backoff_cap_on;
typedef enum backoff_retry_after_mode {
  BACKOFF_RETRY_AFTER_AT_LEAST = 1,
  BACKOFF_RETRY_AFTER_EXACT = 2,
  BACKOFF_RETRY_AFTER_SPREAD = 3
} backoff_retry_after_mode;
typedef enum backoff_elapsed_from {
  BACKOFF_ELAPSED_FROM_BEGIN = 1,
  BACKOFF_ELAPSED_FROM_FAILURE = 2
} backoff_elapsed_from;
typedef enum backoff_budget_kind {
  BACKOFF_BUDGET_KIND_QUOTA = 1,
  BACKOFF_BUDGET_KIND_THROTTLE = 2,
  BACKOFF_BUDGET_KIND_RATIO = 3,
  BACKOFF_BUDGET_KIND_RATE = 4,
  BACKOFF_BUDGET_KIND_TTL = 5,
  BACKOFF_BUDGET_KIND_CONCURRENT = 6
} backoff_budget_kind;
const char *backoff_field_name(backoff_field field);
const char *backoff_kind_name(backoff_field field, uint64_t kind);
struct backoff_params {
  uint64_t opaque[64];
};
backoff_code backoff_params_set(backoff_params *params, backoff_field field, uint64_t value);
backoff_code backoff_params_set_ratio(backoff_params *params, backoff_field field, uint32_t numerator, uint32_t denominator);
backoff_code backoff_params_set_waits(backoff_params *params, const uint64_t *waits_ns, uint64_t count);
backoff_code backoff_ratio_parse(const char *text, uint64_t length, uint32_t *numerator, uint32_t *denominator);
backoff_code backoff_duration_parse(const char *text, uint64_t length, uint64_t *duration_ns);
struct backoff_policy {
  uint64_t opaque[48];
};
backoff_code backoff_policy_init(backoff_policy *policy, const backoff_params *params, backoff_error *error);
backoff_code backoff_policy_parse(backoff_policy *policy, const char *text, uint64_t length, backoff_error *error);
backoff_code backoff_policy_print(const backoff_policy *policy, char *buffer, uint64_t size, uint64_t *length);
backoff_code backoff_policy_get(const backoff_policy *policy, backoff_field field, uint64_t *value);
backoff_code backoff_policy_get_ratio(const backoff_policy *policy, backoff_field field, uint32_t *numerator, uint32_t *denominator);
backoff_code backoff_policy_get_waits(const backoff_policy *policy, uint64_t *waits_ns, uint64_t size, uint64_t *count);
backoff_code backoff_policy_max_retries(const backoff_policy *policy, uint64_t *max_retries);
backoff_code backoff_policy_change_text(const backoff_policy *policy, const char *text, uint64_t length, backoff_policy *changed, backoff_error *error);
backoff_code backoff_policy_change(const backoff_policy *policy, backoff_field field, uint64_t value, backoff_policy *changed, backoff_error *error);
backoff_code backoff_policy_change_ratio(const backoff_policy *policy, backoff_field field, uint32_t numerator, uint32_t denominator, backoff_policy *changed, backoff_error *error);
backoff_code backoff_stream_from_key(uint64_t seed, const void *key, uint64_t length, uint64_t *stream);
backoff_code backoff_stream_from_entropy(uint64_t *stream);
backoff_code backoff_stream_nth(uint64_t seed, uint64_t n, uint64_t *stream);
backoff_code backoff_policy_delay_ns(const backoff_policy *policy, uint64_t stream, uint32_t index, uint64_t *delay_ns);
backoff_code backoff_policy_window_ns(const backoff_policy *policy, uint32_t index, uint64_t *window_ns);
backoff_code backoff_policy_fill_ns(const backoff_policy *policy, uint64_t stream, uint32_t first, uint64_t *delays_ns, uint64_t count, uint64_t *written);
struct backoff_iter {
  uint64_t opaque[64];
};
backoff_code backoff_iter_init(backoff_iter *iter, const backoff_policy *policy, uint64_t stream);
backoff_code backoff_iter_next_ns(backoff_iter *iter, uint64_t *delay_ns);
backoff_code backoff_iter_reset(backoff_iter *iter);
backoff_code backoff_iter_index(const backoff_iter *iter, uint64_t *index, uint64_t *stream);
struct backoff_preview {
  uint64_t opaque[96];
};
struct backoff_preview_row {
  uint64_t min_ns;
  uint64_t mean_ns;
  uint64_t max_ns;
  uint64_t total_min_ns;
  uint64_t total_mean_ns;
  uint64_t total_max_ns;
  uint64_t reserved[2];
};
backoff_code backoff_preview_init(backoff_preview *preview, const backoff_policy *policy);
backoff_code backoff_preview_next(backoff_preview *preview, backoff_preview_row *row);
backoff_code backoff_policy_fit_base(const backoff_policy *policy, uint64_t attempts, uint64_t total_ns, backoff_policy *fitted, backoff_error *error);
backoff_code backoff_policy_fit_cap(const backoff_policy *policy, uint64_t attempts, uint64_t total_ns, backoff_policy *fitted, backoff_error *error);
typedef enum backoff_outcome {
  BACKOFF_OUTCOME_NONE = 0,
  BACKOFF_OUTCOME_SUCCESS = 1,
  BACKOFF_OUTCOME_TRANSIENT = 2,
  BACKOFF_OUTCOME_THROTTLED = 3,
  BACKOFF_OUTCOME_TIMEOUT = 4,
  BACKOFF_OUTCOME_PERMANENT = 5
} backoff_outcome;
typedef enum backoff_reason {
  BACKOFF_REASON_NONE = 0,
  BACKOFF_REASON_SUCCESS = 1,
  BACKOFF_REASON_PERMANENT = 2,
  BACKOFF_REASON_MAX_RETRIES = 3,
  BACKOFF_REASON_MAX_ELAPSED = 4,
  BACKOFF_REASON_DEADLINE = 5,
  BACKOFF_REASON_BUDGET = 6,
  BACKOFF_REASON_CANCELLED = 7
} backoff_reason;
const char *backoff_outcome_name(backoff_outcome outcome);
const char *backoff_reason_name(backoff_reason reason);
backoff_outcome backoff_outcome_from_name(const char *name, uint64_t length);
backoff_reason backoff_reason_from_name(const char *name, uint64_t length);
struct backoff_loop_event {
  uint64_t attempts;
  uint64_t delay_ns;
  uint64_t elapsed_ns;
  backoff_outcome outcome;
  backoff_reason reason;
  uint64_t reserved[4];
};
struct backoff_loop_attempt_info {
  uint64_t number;
  uint64_t time_left_ns;
  backoff_outcome last_outcome;
  uint32_t reserved32;
  uint64_t reserved[4];
};
struct backoff_loop {
  backoff_outcome (*attempt)(void *context, uint64_t *retry_after_ns);
  uint64_t (*now)(void *context);
  uint32_t (*wait)(void *context, uint64_t delay_ns);
  uint32_t (*cancelled)(void *context);
  void (*on_retry)(void *context, const backoff_loop_event *event);
  void (*on_stop)(void *context, const backoff_loop_event *event);
  const backoff_policy *policy;
  backoff_budget *budget;
  backoff_stats *stats;
  uint64_t deadline_ns;
  backoff_outcome (*attempt_with)(void *context, const backoff_loop_attempt_info *attempt, uint64_t *retry_after_ns);
  uint64_t (*delay)(void *context, uint64_t index, backoff_outcome outcome);
  uint64_t reserved[4];
};
backoff_code backoff_retry(const backoff_loop *loop, uint64_t stream, void *context, backoff_loop_event *end);
struct backoff_operation {
  uint64_t opaque[64];
};
struct backoff_decision {
  backoff_reason reason;
  uint32_t reserved32;
  uint64_t delay_ns;
  uint64_t reserved[2];
};
backoff_code backoff_operation_begin(backoff_operation *operation, const backoff_policy *policy, uint64_t stream, uint64_t now_ns, uint64_t deadline_ns, backoff_budget *budget);
backoff_code backoff_operation_resume(backoff_operation *operation, const backoff_policy *policy, uint64_t stream, uint64_t retries, uint64_t began_ns, uint64_t deadline_ns);
backoff_code backoff_operation_decide(backoff_operation *operation, backoff_outcome outcome, uint64_t retry_after_ns, uint64_t now_ns, backoff_budget *budget, backoff_decision *decision);
backoff_code backoff_operation_decide_with_delay(backoff_operation *operation, backoff_outcome outcome, uint64_t delay_ns, uint64_t retry_after_ns, uint64_t now_ns, backoff_budget *budget, backoff_decision *decision);
backoff_code backoff_operation_attempt_limit(const backoff_operation *operation, uint64_t now_ns, uint64_t *limit_ns);
backoff_code backoff_operation_time_left(const backoff_operation *operation, uint64_t now_ns, uint64_t *left_ns);
backoff_code backoff_operation_retry_index(const backoff_operation *operation, uint64_t now_ns, uint64_t *index);
backoff_code backoff_operation_refuse_retry(backoff_operation *operation, backoff_budget *budget, backoff_reason *reason);
backoff_code backoff_operation_cancel(backoff_operation *operation, backoff_budget *budget, backoff_reason *reason);
backoff_code backoff_operation_state(const backoff_operation *operation, uint64_t *retries, uint64_t *attempts, backoff_reason *reason);
struct backoff_budget {
  uint64_t opaque[32];
};
struct backoff_budget_level {
  uint64_t level;
  uint64_t max;
  uint64_t unit;
  uint64_t reserved;
};
backoff_code backoff_budget_parse(backoff_budget *budget, const char *text, uint64_t length, backoff_error *error);
backoff_code backoff_budget_print(const backoff_budget *budget, char *buffer, uint64_t size, uint64_t *length);
backoff_code backoff_budget_get(const backoff_budget *budget, backoff_field field, uint64_t *value);
backoff_code backoff_budget_get_ratio(const backoff_budget *budget, backoff_field field, uint32_t *numerator, uint32_t *denominator);
backoff_code backoff_budget_get_level(const backoff_budget *budget, uint64_t now_ns, backoff_budget_level *level);
backoff_outcome backoff_http_outcome(uint32_t status);
uint32_t backoff_is_idempotent_method(const char *method, uint64_t length);
backoff_code backoff_parse_retry_after(const char *text, uint64_t length, uint64_t now_ns, uint64_t *retry_after_ns);
backoff_code backoff_http_retry_after(uint32_t status, const char *fields, uint64_t length, uint64_t now_ns, uint64_t *retry_after_ns);
struct backoff_stats {
  uint64_t opaque[40];
};
struct backoff_stats_counts {
  uint64_t operations;
  uint64_t attempts;
  uint64_t retries;
  uint64_t reserved[5];
};
backoff_code backoff_stats_init(backoff_stats *stats);
backoff_code backoff_stats_record(backoff_stats *stats, uint64_t attempts, backoff_reason reason);
backoff_code backoff_stats_merge(backoff_stats *stats, const backoff_stats *other);
backoff_code backoff_stats_read(const backoff_stats *stats, backoff_stats_counts *counts);
backoff_code backoff_stats_stopped(const backoff_stats *stats, backoff_reason reason, uint64_t *count);
backoff_code backoff_stats_bucket(const backoff_stats *stats, uint64_t index, uint64_t *max_attempts, uint64_t *count);
backoff_code backoff_stats_print(const backoff_stats *stats, char *buffer, uint64_t size, uint64_t *length);
struct backoff_label {
  const char *name;
  uint64_t name_length;
  const char *value;
  uint64_t value_length;
};
backoff_code backoff_stats_print_with(const backoff_stats *stats, const char *prefix, uint64_t prefix_length, const backoff_label *labels, uint64_t count, char *buffer, uint64_t size, uint64_t *length);
typedef enum backoff_text_kind {
  BACKOFF_TEXT_KIND_NONE = 0,
  BACKOFF_TEXT_KIND_POLICY = 1,
  BACKOFF_TEXT_KIND_BUDGET = 2
} backoff_text_kind;
struct backoff_error {
  backoff_code code;
  backoff_field field;
  uint64_t value;
  uint64_t limit;
  uint64_t at;
  uint64_t found_length;
  backoff_text_kind text_kind;
  char found[36];
  uint64_t reserved[4];
};
backoff_code backoff_error_message(const backoff_error *error, char *buffer, uint64_t size, uint64_t *length);
const char *backoff_code_name(backoff_code code);
typedef enum backoff_budget_event_kind {
  BACKOFF_BUDGET_EVENT_OPERATION_BEGAN = 1,
  BACKOFF_BUDGET_EVENT_ATTEMPT_OVER = 2,
  BACKOFF_BUDGET_EVENT_ATTEMPT_FAILED = 3,
  BACKOFF_BUDGET_EVENT_RETRY_REQUESTED = 4,
  BACKOFF_BUDGET_EVENT_OPERATION_SUCCEEDED = 5,
  BACKOFF_BUDGET_EVENT_OPERATION_ENDED = 6
} backoff_budget_event_kind;
struct backoff_budget_state {
  uint64_t opaque[32];
};
struct backoff_budget_event {
  backoff_budget_event_kind event;
  backoff_outcome outcome;
  uint64_t held;
  uint64_t reserved[2];
};
struct backoff_budget_answer {
  uint32_t granted;
  uint32_t changed;
  uint64_t held;
  uint64_t reserved[2];
};
backoff_code backoff_budget_state_full(backoff_budget_state *state, const backoff_budget *budget);
backoff_code backoff_budget_state_parse(backoff_budget_state *state, const backoff_budget *budget, const char *text, uint64_t length);
backoff_code backoff_budget_state_print(const backoff_budget_state *state, char *buffer, uint64_t size, uint64_t *length);
backoff_code backoff_budget_state_step(backoff_budget_state *state, const backoff_budget_event *event, uint64_t now_ns, backoff_budget_answer *answer);
const char *backoff_budget_event_name(backoff_budget_event_kind event);
typedef enum backoff_request {
  BACKOFF_REQUEST_GRANTED = 1,
  BACKOFF_REQUEST_REFUSED = 2,
  BACKOFF_REQUEST_WAITS = 3
} backoff_request;
struct backoff_budget_member {
  uint64_t opaque[128];
};
struct backoff_member_answer {
  backoff_request answer;
  uint32_t is_local;
  uint64_t held;
  uint64_t reserved[2];
};
struct backoff_shared_budget_stats {
  uint64_t exchanges;
  uint64_t failed_exchanges;
  uint64_t lost_swaps;
  uint64_t local_decisions;
  uint64_t processes;
  uint64_t reserved[3];
};
struct backoff_exchange_step {
  backoff_budget_event_kind event;
  backoff_outcome outcome;
  uint64_t held;
  uint64_t count;
  uint64_t granted;
  uint64_t reserved[2];
};
struct backoff_exchange_answers {
  uint64_t granted[8];
  uint64_t refused[8];
  uint64_t held[8];
};
backoff_code backoff_budget_member_init(backoff_budget_member *member, const backoff_budget *budget, const backoff_budget *local, uint64_t lease, uint64_t fallback, uint64_t timeout_ns, uint64_t seed);
backoff_code backoff_budget_member_note(backoff_budget_member *member, const backoff_budget_event *event, uint32_t is_local, uint64_t now_ns);
backoff_code backoff_budget_member_request(backoff_budget_member *member, backoff_outcome outcome, uint64_t now_ns, backoff_member_answer *answer);
backoff_code backoff_budget_member_cancel(backoff_budget_member *member, backoff_outcome outcome);
backoff_code backoff_budget_member_state(const backoff_budget_member *member, uint64_t now_ns, uint32_t *is_away, uint64_t *due_in_ns, uint32_t *has_unsent, uint64_t *timeout_ns);
backoff_code backoff_budget_member_stats(const backoff_budget_member *member, backoff_shared_budget_stats *stats);
backoff_code backoff_budget_member_get_level(const backoff_budget_member *member, const char *text, uint64_t length, uint64_t store_ns, backoff_budget_level *level);
backoff_code backoff_budget_member_begin(backoff_budget_member *member, uint64_t now_ns);
backoff_code backoff_budget_member_step(backoff_budget_member *member, const char *text, uint64_t length, uint64_t store_ns, char *buffer, uint64_t size, uint64_t *text_length, uint32_t *changed);
backoff_code backoff_budget_member_exchange_step(const backoff_budget_member *member, uint64_t index, backoff_exchange_step *step);
backoff_code backoff_budget_member_stored(backoff_budget_member *member, uint64_t now_ns, backoff_exchange_answers *answers);
backoff_code backoff_budget_member_lost(backoff_budget_member *member, uint64_t now_ns, uint64_t *wait_ns);
backoff_code backoff_budget_member_failed(backoff_budget_member *member, uint32_t may_be_stored, uint64_t now_ns);
backoff_code backoff_budget_member_late(backoff_budget_member *member, uint64_t now_ns);
backoff_code backoff_constant(const char *name, uint64_t length, uint64_t *value);
backoff_code backoff_constant_at(uint64_t index, const char **name, uint64_t *value);
uint64_t backoff_stream_draw(uint64_t stream, uint32_t index);
uint64_t backoff_stream_advance(uint64_t stream, uint64_t draws);
backoff_code backoff_error_message_with(const backoff_error *error, const char *shown, uint64_t shown_length, char *buffer, uint64_t size, uint64_t *length);
