/* The exchanges of a member of a shared budget. */

#ifndef BACKOFF_EVALUATE_MEMBER_H
#define BACKOFF_EVALUATE_MEMBER_H

#include "evaluate_read.h"

#define MAX_TIMES 100000

/* A member, and how far its exchange is. */
struct player {
  backoff_budget_member member;
  int is_exchanging;
  int is_stepped; /* the exchange has made steps that could be stored */
};

static uint64_t times_of(const struct value *step) {
  const struct value *value = member(step, "times");
  uint64_t times = value == NULL ? 1 : whole(value, MAX_TIMES);
  check(times > 0);
  return times;
}

/* Numbers by outcome: those of the outcomes that are retried. */
static void say_row(const char *name, const uint64_t row[8]) {
  say("\"%s\":[\"%" PRIu64 "\",\"%" PRIu64 "\",\"%" PRIu64 "\"],", name,
      row[BACKOFF_OUTCOME_TRANSIENT], row[BACKOFF_OUTCOME_THROTTLED], row[BACKOFF_OUTCOME_TIMEOUT]);
}

static void make_notes(struct player *player, const struct value *step, uint64_t now) {
  backoff_budget_event event = event_of(step);
  const struct value *local = member(step, "local");
  uint32_t is_local = local == NULL ? 0 : boolean(local);
  for (uint64_t i = times_of(step); i > 0; i--) {
    need(backoff_budget_member_note(&player->member, &event, is_local, now));
  }
}

static void make_requests(struct player *player, const struct value *step, uint64_t now) {
  static const char *const names[] = {
      [BACKOFF_REQUEST_GRANTED] = "granted",
      [BACKOFF_REQUEST_REFUSED] = "refused",
      [BACKOFF_REQUEST_WAITS] = "waits",
  };
  backoff_outcome outcome = outcome_of(step);
  backoff_member_answer found = {0};
  for (uint64_t i = times_of(step); i > 0; i--) {
    need(backoff_budget_member_request(&player->member, outcome, now, &found));
  }
  say("\"answer\":\"%s\",\"held\":\"%" PRIu64 "\",\"local\":%s,", names[found.answer], found.held,
      found.is_local ? "true" : "false");
}

static void make_steps(struct player *player, struct text text, uint64_t store_now) {
  char after[BACKOFF_TEXT_SIZE];
  backoff_exchange_step step;
  uint32_t changed;
  player->is_stepped =
      backoff_budget_member_step(&player->member, text.bytes, text.length, store_now, after,
                                 sizeof after, NULL, &changed) == BACKOFF_OK;
  if (!player->is_stepped) {
    say("\"after\":null,\"changed\":false,\"steps\":[],");
    return;
  }
  say("\"after\":\"%s\",\"changed\":%s,\"steps\":[", after, changed ? "true" : "false");
  for (uint64_t i = 0;
       backoff_budget_member_exchange_step(&player->member, i, &step) == BACKOFF_OK; i++) {
    const char *quote = step.outcome == 0 ? "" : "\"";
    say("%s{\"event\":\"%s\",\"outcome\":%s%s%s", i == 0 ? "" : ",",
        backoff_budget_event_name(step.event), quote,
        step.outcome == 0 ? "null" : backoff_outcome_name(step.outcome), quote);
    say(",\"held\":\"%" PRIu64 "\",\"count\":\"%" PRIu64 "\",\"granted\":\"%" PRIu64 "\"}",
        step.held, step.count, step.granted);
  }
  say("],");
}

static void end_stored(struct player *player, uint64_t now) {
  backoff_exchange_answers answers;
  need(backoff_budget_member_stored(&player->member, now, &answers));
  say_row("granted", answers.granted);
  say_row("refused", answers.refused);
  say_row("held", answers.held);
  player->is_exchanging = player->is_stepped = 0;
}

/* Reads an action, plays it, and says the members of the answer that only this action has, each with a
 * comma. Returns 0 if it may not come now: one exchange at a time, and its end after its steps. */
static int play_action(struct player *player, const struct value *step, uint64_t now) {
  struct text name = string(given(step, "do"));
  if (is_text(name, "note")) {
    make_notes(player, step, now);
  } else if (is_text(name, "request")) {
    make_requests(player, step, now);
  } else if (is_text(name, "cancel")) {
    need(backoff_budget_member_cancel(&player->member, outcome_of(step)));
  } else if (is_text(name, "begin")) {
    if (player->is_exchanging) return 0;
    need(backoff_budget_member_begin(&player->member, now));
    player->is_exchanging = 1;
  } else if (is_text(name, "step")) {
    struct text text = string_or_none(member(step, "text"));
    uint64_t store_now = word_of(given(step, "store_now"));
    if (!player->is_exchanging) return 0;
    make_steps(player, text, store_now);
  } else if (is_text(name, "stored")) {
    if (!player->is_stepped) return 0;
    end_stored(player, now);
  } else if (is_text(name, "lost")) {
    uint64_t wait = 0;
    if (!player->is_exchanging) return 0;
    player->is_stepped = 0;
    uint32_t code = backoff_budget_member_lost(&player->member, now, &wait);
    say_number("\"wait\":", code == BACKOFF_OK, wait);
    say(",");
  } else if (is_text(name, "failed")) {
    uint32_t stored = boolean(given(step, "stored"));
    if (!player->is_exchanging) return 0;
    need(backoff_budget_member_failed(&player->member, stored, now));
    player->is_exchanging = player->is_stepped = 0;
  } else {
    check(is_text(name, "late"));
    need(backoff_budget_member_late(&player->member, now));
  }
  return 1;
}

static void play(struct player *player, const struct value *step) {
  uint32_t is_away, has_unsent;
  uint64_t due_in, timeout, now = word_of(given(step, "now"));
  say("{");
  if (!play_action(player, step, now)) {
    say("\"error\":\"not_now\"}");
    return;
  }
  need(backoff_budget_member_state(&player->member, now, &is_away, &due_in, &has_unsent,
                                   &timeout));
  say("\"away\":%s", is_away ? "true" : "false");
  say_number(",\"due_in\":", due_in != BACKOFF_NO_TIME, due_in);
  say(",\"unsent\":%s,\"timeout\":\"%" PRIu64 "\"}", has_unsent ? "true" : "false", timeout);
}

#endif
