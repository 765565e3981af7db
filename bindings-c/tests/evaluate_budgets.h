/* The forms of the evaluator about a budget that is kept elsewhere: its state, and the exchanges of a member. */

#ifndef BACKOFF_EVALUATE_BUDGETS_H
#define BACKOFF_EVALUATE_BUDGETS_H

#include "evaluate_read.h"

#define MAX_LEASE 1000
#define MAX_PROCESSES 1000000
#define MAX_TIMES 100000

/* Makes a budget, or answers why there is none. */
static int has_budget(struct text text, const char *of, backoff_budget *budget) {
  backoff_error error;
  if (backoff_budget_parse(budget, text.bytes, text.length, &error) == BACKOFF_OK) return 1;
  printf("{\"error\":\"%s\",\"at\":%" PRIu64 ",\"of\":\"%s\"}\n",
         backoff_code_name(error.code), error.at, of);
  return 0;
}

static void print_budget(const char *before, const backoff_budget *budget) {
  char text[BACKOFF_TEXT_SIZE];
  need(backoff_budget_print(budget, text, sizeof text));
  printf("%s\"%s\"", before, text);
}

/* A number as a string of digits, or null. */
static void print_number(const char *before, int is_number, uint64_t number) {
  if (is_number) {
    printf("%s\"%" PRIu64 "\"", before, number);
  } else {
    printf("%snull", before);
  }
}

/* An event, and the outcome of a request for a retry. */
static int event_of(const struct value *value, int has_outcome, backoff_budget_event *event) {
  struct text name;
  const struct value *held = member(value, "held");
  *event = (backoff_budget_event){0, 0, 0};
  if (!string(member(value, "event"), &name)) return 0;
  for (uint32_t i = 1; i <= BACKOFF_BUDGET_EVENT_OPERATION_ENDED; i++) {
    if (is_text(name, backoff_budget_event_name(i))) event->event = i;
  }
  if (event->event == BACKOFF_BUDGET_EVENT_RETRY_REQUESTED && has_outcome &&
      !outcome_of(member(value, "outcome"), &event->outcome)) {
    return 0;
  }
  return event->event != 0 && (held == NULL || decimal(held, UINT64_MAX, &event->held));
}

/* The state of a budget. */

struct timed_event {
  backoff_budget_event event;
  uint64_t now;
};

static void answer_events(struct text budget_text, struct text text,
                          const struct timed_event *events, size_t length) {
  backoff_budget budget;
  backoff_budget_state state;
  char after[BACKOFF_TEXT_SIZE];
  if (!has_budget(budget_text, "budget", &budget)) return;
  if (text.bytes == NULL) {
    need(backoff_budget_state_full(&state, &budget));
  } else if (backoff_budget_state_parse(&state, &budget, text.bytes, text.length) != BACKOFF_OK) {
    printf("{\"error\":\"not_a_state\",\"at\":0,\"of\":\"text\"}\n");
    return;
  }
  print_budget("{\"budget\":", &budget);
  printf(",\"answers\":[");
  for (size_t i = 0; i < length; i++) {
    const struct timed_event *event = &events[i];
    backoff_budget_answer answer;
    int is_request = event->event.event == BACKOFF_BUDGET_EVENT_RETRY_REQUESTED;
    need(backoff_budget_state_step(&state, &event->event, event->now, &answer));
    need(backoff_budget_state_print(&state, after, sizeof after));
    printf("%s{\"granted\":%s,\"holds\":\"%" PRIu64 "\",\"state\":\"%s\"}", i == 0 ? "" : ",",
           !is_request ? "null" : answer.granted ? "true" : "false", answer.held, after);
  }
  printf("]}\n");
}

static int answer_state(const struct value *request, const struct value *asked) {
  struct text budget, text;
  const struct value *list = asked->kind == OBJECT ? member(asked, "events") : NULL;
  if (!string(member(request, "budget"), &budget) || list == NULL || list->kind != LIST ||
      !optional_string(member(asked, "text"), &text)) {
    return 0;
  }
  struct timed_event *events = allocate(length_of(list) * sizeof *events), *end = events;
  int is_request = 1;
  for (const struct value *value = list->first; value != NULL && is_request; value = value->next) {
    is_request = value->kind == OBJECT && event_of(value, 1, &end->event) &&
                 decimal(member(value, "now"), BACKOFF_MAX_NS, &end->now);
    end++;
  }
  if (is_request) answer_events(budget, text, events, (size_t)(end - events));
  free(events);
  return is_request;
}

/* The exchanges of a member. */

enum member_action { NOTE, REQUEST, CANCEL_REQUEST, BEGIN_EXCHANGE, STEP, STORED, LOST, FAILED, LATE };

static const char *const member_actions[] = {"note",   "request", "cancel", "begin", "step",
                                             "stored", "lost",    "failed", "late"};

struct member_step {
  enum member_action action;
  uint32_t outcome;
  uint32_t is; /* the local budget gave what is held; the steps may be stored */
  backoff_budget_event event;
  uint64_t now, times, store_now;
  struct text text; /* NULL if the store has none */
};

/* A member, and how far its exchange is. */
struct player {
  backoff_budget_member member;
  int is_exchanging;
  int is_stepped; /* the exchange has made steps that could be stored */
};

static int action_of(const struct value *value, enum member_action *action) {
  struct text name;
  if (!string(value, &name)) return 0;
  for (*action = NOTE; *action <= LATE; ++*action) {
    if (is_text(name, member_actions[*action])) return 1;
  }
  return 0;
}

static int member_step_of(const struct value *value, struct member_step *step) {
  *step = (struct member_step){.now = 0};
  if (value->kind != OBJECT || !action_of(member(value, "do"), &step->action) ||
      !decimal(member(value, "now"), BACKOFF_MAX_NS, &step->now)) {
    return 0;
  }
  const struct value *local = member(value, "local");
  switch (step->action) {
    case NOTE:
      return event_of(value, 0, &step->event) && (local == NULL || boolean(local, &step->is)) &&
             count(member(value, "times"), MAX_TIMES, &step->times);
    case REQUEST:
      return outcome_of(member(value, "outcome"), &step->outcome) &&
             count(member(value, "times"), MAX_TIMES, &step->times);
    case CANCEL_REQUEST:
      return outcome_of(member(value, "outcome"), &step->outcome);
    case STEP:
      return optional_string(member(value, "text"), &step->text) &&
             decimal(member(value, "store_now"), BACKOFF_MAX_NS, &step->store_now);
    case FAILED:
      return boolean(member(value, "stored"), &step->is);
    default:
      return 1;
  }
}

/* One exchange at a time, and its end after its steps. */
static int is_now(const struct player *player, enum member_action action) {
  switch (action) {
    case BEGIN_EXCHANGE:
      return !player->is_exchanging;
    case STORED:
      return player->is_stepped;
    case STEP:
    case LOST:
    case FAILED:
      return player->is_exchanging;
    default:
      return 1;
  }
}

static void print_exchange_steps(const backoff_budget_member *member) {
  backoff_exchange_step step;
  for (uint64_t i = 0; backoff_budget_member_exchange_step(member, i, &step) == BACKOFF_OK; i++) {
    printf("%s{\"event\":\"%s\",\"outcome\":", i == 0 ? "" : ",",
           backoff_budget_event_name(step.event));
    if (step.outcome == 0) {
      printf("null");
    } else {
      printf("\"%s\"", backoff_outcome_name(step.outcome));
    }
    printf(",\"held\":\"%" PRIu64 "\",\"count\":\"%" PRIu64 "\",\"granted\":\"%" PRIu64 "\"}",
           step.held, step.count, step.granted);
  }
}

static void print_row(const char *name, const uint64_t row[3]) {
  printf("\"%s\":[\"%" PRIu64 "\",\"%" PRIu64 "\",\"%" PRIu64 "\"],", name, row[0], row[1],
         row[2]);
}

static void make_steps(struct player *player, const struct member_step *step) {
  char after[BACKOFF_TEXT_SIZE];
  uint32_t changed;
  player->is_stepped =
      backoff_budget_member_step(&player->member, step->text.bytes, step->text.length,
                                 step->store_now, after, sizeof after, &changed) == BACKOFF_OK;
  if (!player->is_stepped) {
    printf("\"after\":null,\"changed\":false,\"steps\":[],");
    return;
  }
  printf("\"after\":\"%s\",\"changed\":%s,\"steps\":[", after, changed ? "true" : "false");
  print_exchange_steps(&player->member);
  printf("],");
}

static void make_requests(backoff_budget_member *member, const struct member_step *step) {
  static const char *const names[] = {
      [BACKOFF_REQUEST_GRANTED] = "granted",
      [BACKOFF_REQUEST_REFUSED] = "refused",
      [BACKOFF_REQUEST_WAITS] = "waits",
  };
  backoff_member_answer answer = {0, 0, 0};
  for (uint64_t i = 0; i < step->times; i++) {
    need(backoff_budget_member_request(member, step->outcome, step->now, &answer));
  }
  printf("\"answer\":\"%s\",\"held\":\"%" PRIu64 "\",\"local\":%s,", names[answer.answer],
         answer.held, answer.is_local ? "true" : "false");
}

static void end_exchange(struct player *player, const struct member_step *step) {
  backoff_exchange_answers answers;
  player->is_exchanging = player->is_stepped = 0;
  if (step->action == FAILED) {
    need(backoff_budget_member_failed(&player->member, step->is, step->now));
    return;
  }
  need(backoff_budget_member_stored(&player->member, step->now, &answers));
  print_row("granted", answers.granted);
  print_row("refused", answers.refused);
  print_row("held", answers.held);
}

/* Plays an action, and prints the members of the answer that only this action has, each with a comma. */
static void play_member(struct player *player, const struct member_step *step) {
  backoff_budget_member *member = &player->member;
  uint64_t wait = 0;
  uint32_t code;
  switch (step->action) {
    case NOTE:
      for (uint64_t i = 0; i < step->times; i++) {
        need(backoff_budget_member_note(member, &step->event, step->is, step->now));
      }
      break;
    case REQUEST:
      make_requests(member, step);
      break;
    case CANCEL_REQUEST:
      need(backoff_budget_member_cancel(member, step->outcome));
      break;
    case BEGIN_EXCHANGE:
      need(backoff_budget_member_begin(member, step->now));
      player->is_exchanging = 1;
      break;
    case STEP:
      make_steps(player, step);
      break;
    case STORED:
    case FAILED:
      end_exchange(player, step);
      break;
    case LOST:
      player->is_stepped = 0;
      code = backoff_budget_member_lost(member, step->now, &wait);
      print_number("\"wait\":", code == BACKOFF_OK, wait);
      printf(",");
      break;
    case LATE:
      need(backoff_budget_member_late(member, step->now));
      break;
  }
}

static void answer_member_step(struct player *player, const struct member_step *step) {
  uint32_t is_away, has_unsent;
  uint64_t due_in, timeout;
  if (!is_now(player, step->action)) {
    printf("{\"error\":\"not_now\"}");
    return;
  }
  printf("{");
  play_member(player, step);
  need(backoff_budget_member_state(&player->member, step->now, &is_away, &due_in, &has_unsent,
                                   &timeout));
  printf("\"away\":%s", is_away ? "true" : "false");
  print_number(",\"due_in\":", due_in != BACKOFF_NONE, due_in);
  printf(",\"unsent\":%s,\"timeout\":\"%" PRIu64 "\"}", has_unsent ? "true" : "false", timeout);
}

struct exchange {
  struct text budget, local;
  uint64_t lease, fallback, timeout, seed;
};

static void answer_member_steps(const struct exchange *exchange, const struct member_step *steps,
                                size_t length) {
  backoff_budget budget, local;
  struct player player = {.is_exchanging = 0};
  backoff_shared_budget_stats stats;
  char text[BACKOFF_TEXT_SIZE];
  if (!has_budget(exchange->budget, "budget", &budget) ||
      !has_budget(exchange->local, "local", &local)) {
    return;
  }
  need(backoff_budget_print(&budget, text, sizeof text));
  if (strncmp(text, "concurrent", strlen("concurrent")) == 0) {
    printf("{\"error\":\"not_shared\",\"at\":0,\"of\":\"budget\"}\n");
    return;
  }
  need(backoff_budget_member_init(&player.member, &budget, &local, exchange->lease,
                                  exchange->fallback, exchange->timeout, exchange->seed));
  print_budget("{\"budget\":", &budget);
  print_budget(",\"local\":", &local);
  printf(",\"answers\":[");
  for (size_t i = 0; i < length; i++) {
    if (i > 0) printf(",");
    answer_member_step(&player, &steps[i]);
  }
  need(backoff_budget_member_stats(&player.member, &stats));
  printf("],\"stats\":{\"exchanges\":\"%" PRIu64 "\",\"failed_exchanges\":\"%" PRIu64
         "\",\"lost_swaps\":\"%" PRIu64 "\",\"local_decisions\":\"%" PRIu64
         "\",\"processes\":\"%" PRIu64 "\"}}\n",
         stats.exchanges, stats.failed_exchanges, stats.lost_swaps, stats.local_decisions,
         stats.processes);
}

static int answer_exchange(const struct value *request, const struct value *asked) {
  struct exchange exchange;
  if (!string(member(request, "budget"), &exchange.budget) || asked->kind != OBJECT) return 0;
  const struct value *lease = member(asked, "lease"), *list = member(asked, "steps");
  if (!string(member(asked, "local"), &exchange.local) || lease == NULL ||
      !count(lease, MAX_LEASE, &exchange.lease) ||
      !decimal(member(asked, "fallback"), UINT64_MAX, &exchange.fallback) ||
      (exchange.fallback > MAX_PROCESSES && exchange.fallback != BACKOFF_FALLBACK_REFUSE) ||
      !decimal(member(asked, "timeout"), BACKOFF_MAX_NS, &exchange.timeout) ||
      !decimal(member(asked, "seed"), UINT64_MAX, &exchange.seed) || list == NULL ||
      list->kind != LIST) {
    return 0;
  }
  struct member_step *steps = allocate(length_of(list) * sizeof *steps), *end = steps;
  int is_request = 1;
  for (const struct value *value = list->first; value != NULL && is_request; value = value->next) {
    is_request = member_step_of(value, end++);
  }
  if (is_request) answer_member_steps(&exchange, steps, (size_t)(end - steps));
  free(steps);
  return is_request;
}

#endif
