/* The evaluator (tests/README.md): writes one answer for each line of JSON on standard input. */

#include "evaluate_member.h"
#include "evaluate_read.h"

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

#define MAX_INDEX UINT32_MAX
#define MAX_FIRST 10000
#define MAX_ROWS 1000
#define MAX_DELAYS 10000
#define MAX_LEASE 1000
#define MAX_PROCESSES 1000000
#define LAST_FIELD BACKOFF_FIELD_ELAPSED_FROM

/* The answer to the first policy or budget of a request that is invalid. A valid one takes its place, because
 * the rest of the request is read, too. */
static char refused[512];

static void refuse(const char *format, ...) {
  va_list values;
  if (refused[0] != '\0') return;
  va_start(values, format);
  vsnprintf(refused, sizeof refused, format, values);
  va_end(values);
}

static void refuse_details(const backoff_error *error) {
  refuse("{\"error\":\"%s\",\"field\":\"%s\",\"value\":\"%" PRIu64 "\",\"limit\":\"%" PRIu64 "\"}",
         backoff_code_name(error->code), backoff_field_name(error->field), error->value,
         error->limit);
}

static backoff_policy parse_policy(const char *bytes, size_t length) {
  backoff_policy policy;
  backoff_error error;
  if (backoff_policy_parse(&policy, bytes, length, &error) == BACKOFF_OK) return policy;
  refuse("{\"error\":\"%s\",\"at\":%" PRIu64 "}", backoff_code_name(error.code), error.at);
  return parse_policy("none", 4);
}

static backoff_policy policy_of(const struct value *request) {
  struct text text = string(given(request, "policy"));
  return parse_policy(text.bytes, text.length);
}

static void budget_of(const struct value *value, const char *of, backoff_budget *budget) {
  struct text text = string(value);
  backoff_error error;
  if (backoff_budget_parse(budget, text.bytes, text.length, &error) == BACKOFF_OK) return;
  refuse("{\"error\":\"%s\",\"at\":%" PRIu64 ",\"of\":\"%s\"}", backoff_code_name(error.code),
         error.at, of);
  need(backoff_budget_parse(budget, "rate", 4, NULL));
}

/* The stream of the members `seed` and `key`. */
static uint64_t stream_of(const struct value *request) {
  const struct value *seed = member(request, "seed"), *key = member(request, "key");
  uint64_t stream = seed == NULL ? 0 : word_of(seed);
  if (!is_none(key)) {
    need(backoff_stream_from_key(stream, string(key).bytes, key->text.length, &stream));
  }
  return stream;
}

static void say_policy(const backoff_policy *policy) {
  char text[BACKOFF_TEXT_SIZE];
  need(backoff_policy_print(policy, text, sizeof text, NULL));
  say("{\"canonical\":\"%s\"", text);
}

static void say_budget(const char *before, const backoff_budget *budget) {
  char text[BACKOFF_TEXT_SIZE];
  need(backoff_budget_print(budget, text, sizeof text, NULL));
  say("%s\"%s\"", before, text);
}

/* The forms. Each says its answer. */

static void answer_delay(const struct value *request) {
  backoff_policy policy = policy_of(request);
  const struct value *index = member(request, "index");
  uint32_t place = index == NULL ? 0 : (uint32_t)whole(index, MAX_INDEX);
  uint64_t delay;
  need(backoff_policy_delay_ns(&policy, stream_of(request), place, &delay));
  say_policy(&policy);
  say(",\"delay_ns\":\"%" PRIu64 "\"}", delay);
}

/* The number of a kind, or 0, which is not a kind. */
static uint64_t kind_of(uint32_t field, struct text name) {
  for (uint64_t number = 1;; number++) {
    const char *known = backoff_kind_name(field, number);
    if (strcmp(known, "unknown_kind") == 0) return 0;
    if (is_text(name, known)) return number;
  }
}

static void set_ratio(backoff_params *params, uint32_t field, struct text text) {
  const char *slash = text.length == 0 ? NULL : memchr(text.bytes, '/', text.length);
  check(slash != NULL);
  size_t before = (size_t)(slash - text.bytes);
  struct text n = {text.bytes, before}, d = {slash + 1, text.length - before - 1};
  need(backoff_params_set_ratio(params, field, (uint32_t)digits_of(n, UINT32_MAX),
                                (uint32_t)digits_of(d, UINT32_MAX)));
}

static void set_waits(backoff_params *params, const struct value *list) {
  uint64_t waits[BACKOFF_MAX_WAITS + 1], count = 0;
  check(list->kind == LIST);
  for (const struct value *wait = list->first; wait != NULL; wait = wait->next) {
    uint64_t ns = word_of(wait);
    if (count <= BACKOFF_MAX_WAITS) waits[count++] = ns;
  }
  need(backoff_params_set_waits(params, waits, count));
}

static backoff_policy policy_of_fields(const struct value *fields) {
  backoff_params params = BACKOFF_PARAMS_INIT;
  backoff_policy policy;
  backoff_error error;
  check(fields->kind == OBJECT);
  for (uint32_t field = 1; field <= LAST_FIELD; field++) {
    const struct value *value = member(fields, backoff_field_name(field));
    if (value == NULL) continue;
    switch (field) {
      case BACKOFF_FIELD_GROWTH:
      case BACKOFF_FIELD_JITTER:
      case BACKOFF_FIELD_CAP_ON:
      case BACKOFF_FIELD_RETRY_AFTER:
      case BACKOFF_FIELD_ELAPSED_FROM:
        need(backoff_params_set(&params, field, kind_of(field, string(value))));
        break;
      case BACKOFF_FIELD_MULTIPLIER:
      case BACKOFF_FIELD_JITTER_BELOW:
      case BACKOFF_FIELD_JITTER_ABOVE:
        set_ratio(&params, field, string(value));
        break;
      case BACKOFF_FIELD_WAITS:
        set_waits(&params, value);
        break;
      default:
        need(backoff_params_set(&params, field, word_of(value)));
    }
  }
  if (backoff_policy_init(&policy, &params, &error) == BACKOFF_OK) return policy;
  refuse_details(&error);
  return parse_policy("none", 4);
}

static void answer_delays(const struct value *request) {
  const struct value *asked = given(request, "delays");
  backoff_policy policy = policy_of_fields(given(request, "policy"));
  struct text via = string(given(asked, "via"));
  uint64_t stream = stream_of(request), delays[MAX_DELAYS], taken = 0, skipped;
  uint64_t index = whole(given(asked, "index"), MAX_INDEX);
  uint64_t count = whole(given(asked, "count"), MAX_DELAYS);
  backoff_iter iterator;
  check(index + count <= UINT64_C(1) << 32);
  need(backoff_iter_init(&iterator, &policy, stream));
  if (is_text(via, "window")) {
    for (; taken < count; taken++) {
      need(backoff_policy_window_ns(&policy, (uint32_t)(index + taken), &delays[taken]));
    }
  } else if (is_text(via, "at")) {
    for (; taken < count; taken++) {
      need(backoff_policy_delay_ns(&policy, stream, (uint32_t)(index + taken), &delays[taken]));
    }
  } else if (is_text(via, "fill")) {
    need(backoff_policy_fill_ns(&policy, stream, (uint32_t)index, delays, count, &taken));
  } else {
    if (!is_text(via, "next")) {
      check(is_text(via, "reset"));
      while (index-- > 0 && backoff_iter_next_ns(&iterator, &skipped) == BACKOFF_OK) continue;
      need(backoff_iter_reset(&iterator));
    }
    while (taken < count && backoff_iter_next_ns(&iterator, &delays[taken]) == BACKOFF_OK) taken++;
  }
  say("{\"delays\":[");
  for (uint64_t i = 0; i < taken; i++) say("%s\"%" PRIu64 "\"", i == 0 ? "" : ",", delays[i]);
  say("]}");
}

static void answer_preview(const struct value *request) {
  const struct value *asked = given(request, "preview");
  backoff_policy policy = policy_of(request);
  uint64_t first = whole(given(asked, "first"), MAX_FIRST);
  uint64_t end = first + whole(given(asked, "count"), MAX_ROWS);
  backoff_preview preview;
  backoff_preview_row row;
  need(backoff_preview_init(&preview, &policy));
  say("{\"rows\":[");
  for (uint64_t i = 0; i < end && backoff_preview_next(&preview, &row) == BACKOFF_OK; i++) {
    if (i < first) continue;
    say("%s[\"%" PRIu64 "\",\"%" PRIu64 "\",\"%" PRIu64 "\",", i == first ? "" : ",", row.min_ns,
        row.mean_ns, row.max_ns);
    say("\"%" PRIu64 "\",\"%" PRIu64 "\",\"%" PRIu64 "\"]", row.total_min_ns, row.total_mean_ns,
        row.total_max_ns);
  }
  say("]}");
}

static void answer_fit(const struct value *request) {
  const struct value *asked = given(request, "fit");
  backoff_policy policy = policy_of(request), fitted;
  backoff_error error;
  struct text field = string(given(asked, "field"));
  uint64_t attempts = whole(given(asked, "attempts"), UINT32_MAX);
  uint64_t total = time_of(given(asked, "total"));
  int is_base = is_text(field, "base");
  check(is_base || is_text(field, "cap"));
  if ((is_base ? backoff_policy_fit_base : backoff_policy_fit_cap)(
          &policy, attempts, total, &fitted, &error) == BACKOFF_OK) {
    say_policy(&fitted);
    say("}");
  } else {
    refuse_details(&error);
  }
}

static void answer_retry_after(const struct value *request) {
  const struct value *asked = given(request, "retry_after");
  struct text text = string(given(asked, "value"));
  uint64_t retry_after, now = time_of(given(asked, "now"));
  uint32_t code = backoff_parse_retry_after(text.bytes, text.length, now, &retry_after);
  say_number("{\"retry_after\":", code == BACKOFF_OK, retry_after);
  say("}");
}

static void answer_response(const struct value *request) {
  const struct value *asked = given(request, "response");
  uint32_t status = (uint32_t)whole(given(asked, "status"), UINT16_MAX);
  struct text fields = string(given(asked, "fields"));
  uint64_t retry_after, now = time_of(given(asked, "now"));
  uint32_t code = backoff_http_retry_after(status, fields.bytes, fields.length, now, &retry_after);
  say("{\"outcome\":\"%s\"", backoff_outcome_name(backoff_http_outcome(status)));
  say_number(",\"retry_after\":", code == BACKOFF_OK, retry_after);
  say("}");
}

struct running {
  uint64_t number;
  backoff_operation operation;
};

/* Says what an operation answers to a step that does not begin it. */
static void answer_step(backoff_operation *operation, const struct value *step, struct text name,
                        uint64_t now, backoff_budget *budget) {
  backoff_decision decision = {0};
  uint64_t retries;
  if (is_text(name, "limit")) {
    uint64_t limit, index;
    need(backoff_operation_attempt_limit(operation, now, &limit));
    need(backoff_operation_retry_index(operation, now, &index));
    say_number("{\"limit\":", limit != BACKOFF_NO_TIME, limit);
    say(",\"index\":%" PRIu64 "}", index);
    return;
  }
  if (is_text(name, "outcome")) {
    uint32_t outcome = outcome_of(step);
    uint64_t retry_after = time_or_none(member(step, "retry_after"));
    const struct value *own = member(step, "own_delay");
    if (is_none(own)) {
      need(backoff_operation_decide(operation, outcome, retry_after, now, budget, &decision));
    } else {
      need(backoff_operation_decide_with_delay(operation, outcome, time_or_none(own), retry_after,
                                               now, budget, &decision));
    }
  } else {
    check(is_text(name, "cancel"));
    need(backoff_operation_cancel(operation, budget, &decision.reason));
  }
  need(backoff_operation_state(operation, &retries, NULL, NULL));
  if (decision.reason == 0) {
    say("{\"wait\":\"%" PRIu64 "\"", decision.delay_ns);
  } else {
    say("{\"stop\":\"%s\",\"delay\":\"%" PRIu64 "\"", backoff_reason_name(decision.reason),
        decision.delay_ns);
  }
  say(",\"retries\":%" PRIu64 "}", retries);
}

static void answer_steps(const struct value *request) {
  /* Kept, because a line that is no request leaves it behind. */
  static struct running *running;
  backoff_policy policy = policy_of(request);
  const struct value *text = member(request, "budget"), *list = given(request, "steps");
  uint64_t stream = stream_of(request);
  backoff_budget place, *budget = is_none(text) ? NULL : &place;
  size_t length = 0, count = 0;
  const char *separator = "";
  say_policy(&policy);
  if (budget == NULL) {
    say(",\"budget\":null");
  } else {
    budget_of(text, "budget", budget);
    say_budget(",\"budget\":", budget);
  }
  say(",\"answers\":[");
  for (const struct value *step = objects(list); step != NULL; step = step->next) length++;
  running = allocate(running, length * sizeof *running);
  for (const struct value *step = list->first; step != NULL; step = step->next) {
    uint64_t number = whole(given(step, "operation"), UINT32_MAX);
    uint64_t now = word_of(given(step, "now"));
    struct text name = string(given(step, "do"));
    size_t found = 0;
    while (found < count && running[found].number != number) found++;
    check((found == count) == is_text(name, "begin"));
    if (found == count) {
      const struct value *deadline = member(step, "deadline");
      uint64_t deadline_ns = is_none(deadline) ? BACKOFF_NO_TIME : word_of(deadline);
      running[count].number = number;
      need(backoff_operation_begin(&running[count++].operation, &policy, stream, now, deadline_ns,
                                   budget));
      continue;
    }
    say("%s", separator);
    answer_step(&running[found].operation, step, name, now, budget);
    separator = ",";
  }
  say("]}");
}

static void answer_state(const struct value *request) {
  const struct value *asked = given(request, "state"), *list = given(asked, "events");
  backoff_budget budget;
  backoff_budget_state state;
  backoff_budget_answer found;
  char after[BACKOFF_TEXT_SIZE];
  struct text text = string_or_none(member(asked, "text"));
  budget_of(given(request, "budget"), "budget", &budget);
  need(backoff_budget_state_full(&state, &budget));
  if (text.bytes != NULL &&
      backoff_budget_state_parse(&state, &budget, text.bytes, text.length) != BACKOFF_OK) {
    refuse("{\"error\":\"not_a_state\",\"at\":0,\"of\":\"text\"}");
  }
  say_budget("{\"budget\":", &budget);
  say(",\"answers\":[");
  for (const struct value *step = objects(list); step != NULL; step = step->next) {
    check(step->kind == OBJECT);
    backoff_budget_event event = event_of(step);
    int is_request = event.event == BACKOFF_BUDGET_EVENT_RETRY_REQUESTED;
    if (is_request) event.outcome = outcome_of(step);
    need(backoff_budget_state_step(&state, &event, word_of(given(step, "now")), &found));
    need(backoff_budget_state_print(&state, after, sizeof after, NULL));
    say("%s{\"granted\":%s,\"holds\":\"%" PRIu64 "\",\"state\":\"%s\"}",
        step == list->first ? "" : ",", !is_request ? "null" : found.granted ? "true" : "false",
        found.held, after);
  }
  say("]}");
}

static void answer_exchange(const struct value *request) {
  const struct value *asked = given(request, "exchange"), *list = given(asked, "steps");
  backoff_budget budget, local;
  struct player player = {.is_exchanging = 0};
  backoff_shared_budget_stats stats;
  char text[BACKOFF_TEXT_SIZE];
  budget_of(given(request, "budget"), "budget", &budget);
  budget_of(given(asked, "local"), "local", &local);
  need(backoff_budget_print(&budget, text, sizeof text, NULL));
  if (strncmp(text, "concurrent", strlen("concurrent")) == 0) {
    refuse("{\"error\":\"not_shared\",\"at\":0,\"of\":\"budget\"}");
    need(backoff_budget_parse(&budget, "rate", 4, NULL));
  }
  uint64_t lease = whole(given(asked, "lease"), MAX_LEASE);
  uint64_t fallback = word_of(given(asked, "fallback"));
  check(lease > 0 && (fallback <= MAX_PROCESSES || fallback == BACKOFF_FALLBACK_REFUSE));
  uint64_t timeout = time_of(given(asked, "timeout")), seed = word_of(given(asked, "seed"));
  need(backoff_budget_member_init(&player.member, &budget, &local, lease, fallback, timeout, seed));
  say_budget("{\"budget\":", &budget);
  say_budget(",\"local\":", &local);
  say(",\"answers\":[");
  for (const struct value *step = objects(list); step != NULL; step = step->next) {
    if (step != list->first) say(",");
    play(&player, step);
  }
  need(backoff_budget_member_stats(&player.member, &stats));
  say("],\"stats\":{\"exchanges\":\"%" PRIu64 "\",\"failed_exchanges\":\"%" PRIu64 "\",",
      stats.exchanges, stats.failed_exchanges);
  say("\"lost_swaps\":\"%" PRIu64 "\",\"local_decisions\":\"%" PRIu64 "\",\"processes\":\"%" PRIu64
      "\"}}",
      stats.lost_swaps, stats.local_decisions, stats.processes);
}

/* In the order in which they are looked for. */
static const struct {
  const char *name;
  void (*answer)(const struct value *request);
} forms[] = {
    {"retry_after", answer_retry_after}, {"response", answer_response}, {"state", answer_state},
    {"exchange", answer_exchange},       {"steps", answer_steps},       {"fit", answer_fit},
    {"preview", answer_preview},         {"delays", answer_delays},
};

static void answer_request(const struct value *request) {
  answer.length = 0;
  refused[0] = '\0';
  if (setjmp(not_a_request) != 0) {
    printf("{\"error\":\"not_a_request\",\"at\":0}\n");
    return;
  }
  check(request != NULL);
  size_t form = 0, count = sizeof forms / sizeof *forms;
  while (form < count && member(request, forms[form].name) == NULL) form++;
  (form < count ? forms[form].answer : answer_delay)(request);
  printf("%s\n", refused[0] != '\0' ? refused : answer.bytes);
}

int main(void) {
  char *input = NULL;
  struct value *values = NULL;
  size_t length = 0, room = 0, size = 0;
#ifdef _WIN32 /* in a text a byte 26 ends the input */
  _setmode(0, _O_BINARY);
#endif
  do {
    if (length + 1 >= room) input = allocate(input, room = 2 * room + 65536);
    size = fread(input + length, 1, room - length - 1, stdin);
    length += size;
  } while (size > 0);
  if (ferror(stdin)) fail("cannot read");
  if (length > 0 && input[length - 1] != '\n') input[length++] = '\n';
  room = 0;
  for (char *line = input, *end; line < input + length; line = end + 1) {
    end = memchr(line, '\n', length - (size_t)(line - input));
    size = MAX_VALUES((size_t)(end - line));
    if (room < size) values = allocate(values, (room = 2 * size) * sizeof *values);
    answer_request(object_of(line, (size_t)(end - line), values));
  }
  if (fflush(stdout) != 0 || ferror(stdout)) fail("cannot write");
  free(values);
  free(input);
  return 0;
}
