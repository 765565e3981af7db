/* The evaluator (tests/README.md): writes one answer for each line of JSON on standard input. */

#include "evaluate_budgets.h"
#include "evaluate_read.h"

#define MAX_INDEX UINT32_MAX
#define MAX_FIRST 10000
#define MAX_COUNT 1000

/* The stream of the members `seed` and `key`. */
static int stream_of(const struct value *request, uint64_t *stream) {
  const struct value *seed = member(request, "seed"), *key = member(request, "key");
  *stream = 0;
  if (seed != NULL && !decimal(seed, UINT64_MAX, stream)) return 0;
  if (key == NULL || key->kind == NOTHING) return 1;
  if (key->kind != TEXT) return 0;
  need(backoff_stream_from_key(*stream, key->text.bytes, key->text.length, stream));
  return 1;
}

/* The parts of answers. */

static void print_policy(const backoff_policy *policy) {
  char text[BACKOFF_TEXT_SIZE];
  need(backoff_policy_print(policy, text, sizeof text));
  printf("{\"canonical\":\"%s\"", text);
}

/* Makes the policy, or answers why there is none. */
static int has_policy(struct text text, backoff_policy *policy) {
  backoff_error error;
  if (backoff_policy_parse(policy, text.bytes, text.length, &error) == BACKOFF_OK) return 1;
  printf("{\"error\":\"%s\",\"at\":%" PRIu64 "}\n", backoff_code_name(error.code), error.at);
  return 0;
}

/* The forms. Each function returns whether it is a request, and answers it. */

static int answer_delay(const struct value *request) {
  const struct value *given = member(request, "index");
  struct text text;
  backoff_policy policy;
  uint64_t stream, index = 0, delay;
  if (!string(member(request, "policy"), &text) || !stream_of(request, &stream) ||
      (given != NULL && !whole(given, MAX_INDEX, &index))) {
    return 0;
  }
  if (has_policy(text, &policy)) {
    need(backoff_policy_delay_ns(&policy, stream, (uint32_t)index, &delay));
    print_policy(&policy);
    printf(",\"delay_ns\":\"%" PRIu64 "\"}\n", delay);
  }
  return 1;
}

static int answer_preview(const struct value *request, const struct value *asked) {
  struct text text;
  backoff_policy policy;
  backoff_preview preview;
  backoff_preview_row row;
  uint64_t first, count;
  if (!string(member(request, "policy"), &text) || asked->kind != OBJECT ||
      !whole(member(asked, "first"), MAX_FIRST, &first) ||
      !whole(member(asked, "count"), MAX_COUNT, &count)) {
    return 0;
  }
  if (!has_policy(text, &policy)) return 1;
  need(backoff_preview_init(&preview, &policy));
  printf("{\"rows\":[");
  for (uint64_t i = 0; i < first + count; i++) {
    if (backoff_preview_next(&preview, &row) != BACKOFF_OK) break;
    if (i < first) continue;
    printf("%s[\"%" PRIu64 "\",\"%" PRIu64 "\",\"%" PRIu64 "\",\"%" PRIu64 "\",\"%" PRIu64
           "\",\"%" PRIu64 "\"]",
           i == first ? "" : ",", row.min_ns, row.mean_ns, row.max_ns, row.total_min_ns,
           row.total_mean_ns, row.total_max_ns);
  }
  printf("]}\n");
  return 1;
}

static int answer_fit(const struct value *request, const struct value *asked) {
  struct text text, field;
  backoff_policy policy, fitted;
  backoff_error error;
  uint64_t attempts, total;
  if (!string(member(request, "policy"), &text) || asked->kind != OBJECT ||
      !string(member(asked, "field"), &field) ||
      !whole(member(asked, "attempts"), UINT32_MAX, &attempts) ||
      !decimal(member(asked, "total"), BACKOFF_MAX_NS, &total)) {
    return 0;
  }
  int is_base = is_text(field, "base");
  if (!is_base && !is_text(field, "cap")) return 0;
  if (!has_policy(text, &policy)) return 1;
  if ((is_base ? backoff_policy_fit_base : backoff_policy_fit_cap)(
          &policy, attempts, total, &fitted, &error) == BACKOFF_OK) {
    print_policy(&fitted);
    printf("}\n");
  } else {
    printf("{\"error\":\"%s\",\"field\":\"%s\",\"value\":\"%" PRIu64 "\",\"limit\":\"%" PRIu64
           "\"}\n",
           backoff_code_name(error.code), backoff_field_name(error.field), error.value,
           error.limit);
  }
  return 1;
}

static int answer_retry_after(const struct value *asked) {
  struct text text;
  uint64_t now, retry_after;
  if (asked->kind != OBJECT || !string(member(asked, "value"), &text) ||
      !decimal(member(asked, "now"), BACKOFF_MAX_NS, &now)) {
    return 0;
  }
  uint32_t code = backoff_parse_retry_after(text.bytes, text.length, now, &retry_after);
  print_number("{\"retry_after\":", code == BACKOFF_OK, retry_after);
  printf("}\n");
  return 1;
}

static int answer_response(const struct value *asked) {
  struct text fields;
  uint64_t status, now, retry_after;
  if (asked->kind != OBJECT || !whole(member(asked, "status"), UINT16_MAX, &status) ||
      !string(member(asked, "fields"), &fields) ||
      !decimal(member(asked, "now"), BACKOFF_MAX_NS, &now)) {
    return 0;
  }
  uint32_t code = backoff_http_retry_after((uint32_t)status, fields.bytes, fields.length, now,
                                           &retry_after);
  printf("{\"outcome\":\"%s\"", backoff_outcome_name(backoff_http_outcome((uint32_t)status)));
  print_number(",\"retry_after\":", code == BACKOFF_OK, retry_after);
  printf("}\n");
  return 1;
}

/* Steps. */

enum action { BEGIN, OUTCOME, CANCEL };

struct running {
  uint64_t number;
  backoff_operation operation;
};

struct step {
  enum action action;
  size_t running; /* the place of the operation */
  uint64_t now, time; /* the deadline or the Retry-After */
  uint32_t outcome;
};

/* The steps of a request, and as many operations, of which `count` have begun. */
struct scene {
  struct step *steps, *end;
  struct running *running;
  size_t count;
};

static int add_step(struct scene *scene, const struct value *value) {
  struct step *step = scene->end++;
  struct text name;
  uint64_t number;
  if (value->kind != OBJECT || !whole(member(value, "operation"), UINT32_MAX, &number) ||
      !decimal(member(value, "now"), BACKOFF_MAX_NS, &step->now) ||
      !string(member(value, "do"), &name)) {
    return 0;
  }
  step->running = 0;
  while (step->running < scene->count && scene->running[step->running].number != number) {
    step->running++;
  }
  int has_begun = step->running < scene->count;
  if (is_text(name, "begin")) {
    step->action = BEGIN;
    scene->running[step->running].number = number;
    scene->count = step->running + 1;
    return !has_begun && optional_time(member(value, "deadline"), &step->time);
  }
  if (is_text(name, "outcome")) {
    step->action = OUTCOME;
    return has_begun && outcome_of(member(value, "outcome"), &step->outcome) &&
           optional_time(member(value, "retry_after"), &step->time);
  }
  step->action = CANCEL;
  return has_begun && is_text(name, "cancel");
}

static int add_steps(struct scene *scene, const struct value *list) {
  for (const struct value *value = list->first; value != NULL; value = value->next) {
    if (!add_step(scene, value)) return 0;
  }
  return 1;
}

/* Plays a step. Returns whether it has an answer. */
static int play(struct step step, backoff_operation *operation, const backoff_policy *policy,
                uint64_t stream, backoff_budget *budget, backoff_decision *decision) {
  *decision = (backoff_decision){0, 0, 0};
  switch (step.action) {
    case BEGIN:
      need(backoff_operation_begin(operation, policy, stream, step.now, step.time, budget));
      return 0;
    case OUTCOME:
      need(backoff_operation_decide(operation, step.outcome, step.time, step.now, budget,
                                    decision));
      return 1;
    case CANCEL:
      need(backoff_operation_cancel(operation, budget, &decision->reason));
      return 1;
  }
  return 0;
}

static void answer_played(struct scene *scene, const backoff_policy *policy, uint64_t stream,
                          backoff_budget *budget) {
  const char *separator = "";
  printf(",\"answers\":[");
  for (const struct step *step = scene->steps; step != scene->end; step++) {
    backoff_operation *operation = &scene->running[step->running].operation;
    backoff_decision decision;
    uint64_t retries;
    if (!play(*step, operation, policy, stream, budget, &decision)) continue;
    need(backoff_operation_state(operation, &retries, NULL, NULL));
    if (decision.reason == 0) {
      printf("%s{\"wait\":\"%" PRIu64 "\"", separator, decision.delay_ns);
    } else {
      printf("%s{\"stop\":\"%s\",\"delay\":\"%" PRIu64 "\"", separator,
             backoff_reason_name(decision.reason), decision.delay_ns);
    }
    printf(",\"retries\":%" PRIu64 "}", retries);
    separator = ",";
  }
  printf("]}\n");
}

/* Answers after all of the request has been read. `text` is NULL for no budget. */
static void answer_scene(struct scene *scene, struct text policy_text, uint64_t stream,
                         const struct text *text) {
  backoff_policy policy;
  backoff_budget budget;
  if (!has_policy(policy_text, &policy)) return;
  if (text != NULL && !has_budget(*text, "budget", &budget)) return;
  print_policy(&policy);
  if (text == NULL) {
    printf(",\"budget\":null");
  } else {
    print_budget(",\"budget\":", &budget);
  }
  answer_played(scene, &policy, stream, text == NULL ? NULL : &budget);
}

static int answer_steps(const struct value *request, const struct value *list) {
  const struct value *budget = member(request, "budget");
  struct text policy;
  uint64_t stream;
  if (!string(member(request, "policy"), &policy) || !stream_of(request, &stream) ||
      (budget != NULL && budget->kind != NOTHING && budget->kind != TEXT) ||
      list->kind != LIST) {
    return 0;
  }
  size_t length = length_of(list);
  struct step *steps = allocate(length * sizeof *steps);
  struct scene scene = {steps, steps, allocate(length * sizeof *scene.running), 0};
  int is_request = add_steps(&scene, list);
  if (is_request) {
    answer_scene(&scene, policy, stream,
                 budget != NULL && budget->kind == TEXT ? &budget->text : NULL);
  }
  free(scene.running);
  free(steps);
  return is_request;
}

static int answer_request(const struct value *request) {
  const struct value *form;
  if (request == NULL) return 0;
  if ((form = member(request, "retry_after")) != NULL) return answer_retry_after(form);
  if ((form = member(request, "response")) != NULL) return answer_response(form);
  if ((form = member(request, "state")) != NULL) return answer_state(request, form);
  if ((form = member(request, "exchange")) != NULL) return answer_exchange(request, form);
  if ((form = member(request, "steps")) != NULL) return answer_steps(request, form);
  if ((form = member(request, "fit")) != NULL) return answer_fit(request, form);
  if ((form = member(request, "preview")) != NULL) return answer_preview(request, form);
  return answer_delay(request);
}

int main(void) {
  char *line = NULL;
  struct value *values = NULL;
  size_t size = 0, room = 0;
  ssize_t read;
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  while ((read = getline(&line, &size, stdin)) >= 0) {
    size_t length = (size_t)read;
    if (length > 0 && line[length - 1] == '\n') length--;
    if (room < MOST_VALUES(length)) {
      room = 2 * MOST_VALUES(length);
      free(values);
      values = allocate(room * sizeof *values);
    }
    if (!answer_request(object_of(line, length, values))) {
      printf("{\"error\":\"not_a_request\",\"at\":0}\n");
    }
  }
  if (ferror(stdin)) fail("cannot read");
  if (fflush(stdout) != 0 || ferror(stdout)) fail("cannot write");
  free(values);
  free(line);
  return 0;
}
