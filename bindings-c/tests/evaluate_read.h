/* The members of requests to the evaluator. */

#ifndef BACKOFF_EVALUATE_READ_H
#define BACKOFF_EVALUATE_READ_H

#include <backoff.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"

static void fail(const char *what) {
  fprintf(stderr, "evaluate: %s\n", what);
  exit(2);
}

/* For a call that no request can make fail. */
static void need(uint32_t code) {
  if (code != BACKOFF_OK) fail(backoff_code_name(code));
}

static void *allocate(size_t size) {
  void *memory = malloc(size > 0 ? size : 1);
  if (memory == NULL) fail("no memory");
  return memory;
}

/* Each of these functions returns whether the value is valid; a value that is not there is NULL. */

static int whole(const struct value *value, uint64_t limit, uint64_t *number) {
  if (value == NULL || value->kind != NUMBER) return 0;
  if (!(value->number >= 0 && value->number <= (double)limit)) return 0;
  *number = (uint64_t)value->number;
  return (double)*number == value->number;
}

static int decimal(const struct value *value, uint64_t limit, uint64_t *number) {
  *number = 0;
  if (value == NULL || value->kind != TEXT || value->text.length == 0) return 0;
  for (size_t i = 0; i < value->text.length; i++) {
    uint64_t digit = (uint64_t)(unsigned char)value->text.bytes[i] - '0';
    if (digit > 9 || *number > (limit - digit) / 10) return 0;
    *number = *number * 10 + digit;
  }
  return 1;
}

/* A deadline or a Retry-After. */
static int optional_time(const struct value *value, uint64_t *ns) {
  *ns = BACKOFF_NONE;
  return value == NULL || value->kind == NOTHING || decimal(value, BACKOFF_MAX_NS, ns);
}

static int string(const struct value *value, struct text *text) {
  if (value == NULL || value->kind != TEXT) return 0;
  *text = value->text;
  return 1;
}

/* A whole number from 1; a value that is not there is 1. */
static int count(const struct value *value, uint64_t limit, uint64_t *number) {
  *number = 1;
  return value == NULL || (whole(value, limit, number) && *number > 0);
}

static int boolean(const struct value *value, uint32_t *is) {
  if (value == NULL || value->kind != BOOLEAN) return 0;
  *is = value->number > 0;
  return 1;
}

/* A text whose bytes are NULL if there is none. */
static int optional_string(const struct value *value, struct text *text) {
  *text = (struct text){NULL, 0};
  return value == NULL || value->kind == NOTHING || string(value, text);
}

static int outcome_of(const struct value *value, uint32_t *outcome) {
  struct text name;
  if (!string(value, &name)) return 0;
  for (*outcome = BACKOFF_OUTCOME_SUCCESS; *outcome <= BACKOFF_OUTCOME_PERMANENT; ++*outcome) {
    if (is_text(name, backoff_outcome_name(*outcome))) return 1;
  }
  return 0;
}

static size_t length_of(const struct value *list) {
  size_t length = 0;
  for (const struct value *value = list->first; value != NULL; value = value->next) length++;
  return length;
}

#endif
