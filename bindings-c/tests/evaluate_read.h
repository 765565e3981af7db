/* The members of requests to the evaluator, and the text of its answer. */

#ifndef BACKOFF_EVALUATE_READ_H
#define BACKOFF_EVALUATE_READ_H

#include <backoff.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"

/* The answer so far. A line that is no request, or an invalid policy, drops it. */
static struct {
  char *bytes;
  size_t length, room;
} answer;

static jmp_buf not_a_request;

static void fail(const char *what) {
  fprintf(stderr, "evaluate: %s\n", what);
  exit(2);
}

/* For a call that no request can make fail. */
static void need(uint32_t code) {
  if (code != BACKOFF_OK) fail(backoff_code_name(code));
}

static void *allocate(void *memory, size_t size) {
  memory = realloc(memory, size > 0 ? size : 1);
  if (memory == NULL) fail("no memory");
  return memory;
}

static void say(const char *format, ...) {
  for (;;) {
    va_list values;
    va_start(values, format);
    size_t rest = answer.room - answer.length;
    int written = vsnprintf(answer.bytes + answer.length, rest, format, values);
    va_end(values);
    if (written < 0) fail("cannot write");
    if ((size_t)written < rest) {
      answer.length += (size_t)written;
      return;
    }
    answer.room = 2 * answer.room + (size_t)written + 1;
    answer.bytes = allocate(answer.bytes, answer.room);
  }
}

/* A number as a string of digits, or null. */
static void say_number(const char *before, int is_number, uint64_t number) {
  if (is_number) {
    say("%s\"%" PRIu64 "\"", before, number);
  } else {
    say("%snull", before);
  }
}

static void check(int is_request) {
  if (!is_request) longjmp(not_a_request, 1);
}

/* Each of these functions returns only if the value is valid; a value that is not there is NULL. */

static int is_none(const struct value *value) { return value == NULL || value->kind == NOTHING; }

/* The member of an object that must be there. */
static const struct value *given(const struct value *object, const char *name) {
  check(object->kind == OBJECT);
  const struct value *value = member(object, name);
  check(value != NULL);
  return value;
}

static uint64_t whole(const struct value *value, uint64_t limit) {
  check(value->kind == NUMBER && value->number >= 0 && value->number <= (double)limit);
  uint64_t number = (uint64_t)value->number;
  check((double)number == value->number);
  return number;
}

static uint64_t digits_of(struct text text, uint64_t limit) {
  uint64_t number = 0;
  check(text.length > 0);
  for (size_t i = 0; i < text.length; i++) {
    uint64_t digit = (uint64_t)(unsigned char)text.bytes[i] - '0';
    check(digit <= 9 && number <= (limit - digit) / 10);
    number = number * 10 + digit;
  }
  return number;
}

static struct text string(const struct value *value) {
  check(value->kind == TEXT);
  return value->text;
}

static uint64_t word_of(const struct value *value) { return digits_of(string(value), UINT64_MAX); }

static uint64_t time_of(const struct value *value) {
  return digits_of(string(value), BACKOFF_MAX_NS);
}

/* A deadline or a Retry-After. */
static uint64_t time_or_none(const struct value *value) {
  return is_none(value) ? BACKOFF_NO_TIME : time_of(value);
}

/* A text whose bytes are NULL if there is none. */
static struct text string_or_none(const struct value *value) {
  return is_none(value) ? (struct text){NULL, 0} : string(value);
}

static uint32_t boolean(const struct value *value) {
  check(value->kind == BOOLEAN);
  return value->number > 0;
}

/* The first value of a list of objects. */
static const struct value *objects(const struct value *list) {
  check(list->kind == LIST);
  return list->first;
}

static backoff_outcome outcome_of(const struct value *step) {
  struct text name = string(given(step, "outcome"));
  backoff_outcome outcome = backoff_outcome_from_name(name.bytes, name.length);
  check(outcome != BACKOFF_OUTCOME_NONE);
  return outcome;
}

/* An event without the outcome of a request for a retry. */
static backoff_budget_event event_of(const struct value *step) {
  struct text name = string(given(step, "event"));
  const struct value *held = member(step, "held");
  backoff_budget_event event = {.held = held == NULL ? 0 : word_of(held)};
  for (uint32_t i = 1; i <= BACKOFF_BUDGET_EVENT_OPERATION_ENDED; i++) {
    if (is_text(name, backoff_budget_event_name(i))) event.event = i;
  }
  check(event.event != 0);
  return event;
}

#endif
