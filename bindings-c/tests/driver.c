/* Answers request lines from standard input (tests/README.md), one line each. */

#include <backoff.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAST_FIELD BACKOFF_FIELD_RETRY_AFTER_MAX_EXTRA

struct request {
  backoff_params params;
  uint64_t seed;
  unsigned char *key; /* NULL for none */
  size_t key_length;
  const char *via;
  uint32_t index;
  uint64_t count;
};

static void fail(const char *what, const char *text) {
  fprintf(stderr, "driver: %s: %s\n", what, text);
  exit(2);
}

static void need(uint32_t code, const char *what) {
  if (code != BACKOFF_OK) fail(what, backoff_code_name(code));
}

static void *allocate(size_t size) {
  void *memory = malloc(size > 0 ? size : 1);
  if (memory == NULL) fail("memory", "none left");
  return memory;
}

static uint64_t number(const char *text) {
  char *end;
  uint64_t number = strtoull(text, &end, 10);
  if (end == text || *end != '\0') fail("not a number", text);
  return number;
}

/* The number of a kind, or 0, which is not a kind. */
static uint64_t kind(uint32_t field, const char *name) {
  for (uint64_t number = 1;; number++) {
    const char *known = backoff_kind_name(field, number);
    if (strcmp(known, name) == 0) return number;
    if (strcmp(known, "unknown_kind") == 0) return 0;
  }
}

static void read_key(struct request *request, const char *hex) {
  request->key_length = strlen(hex) / 2;
  request->key = allocate(request->key_length);
  for (size_t i = 0; i < request->key_length; i++) {
    char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
    request->key[i] = (unsigned char)strtoul(digits, NULL, 16);
  }
}

static void read_ratio(backoff_params *params, uint32_t field, char *text) {
  char *slash = strchr(text, '/');
  if (slash == NULL) fail("not a ratio", text);
  *slash = '\0';
  need(backoff_params_set_ratio(params, field, (uint32_t)number(text),
                                (uint32_t)number(slash + 1)),
       "a ratio");
}

static void read_field(backoff_params *params, const char *name, char *value) {
  uint32_t field = 1;
  while (field <= LAST_FIELD && strcmp(backoff_field_name(field), name) != 0) field++;
  switch (field) {
    case BACKOFF_FIELD_GROWTH:
    case BACKOFF_FIELD_JITTER:
    case BACKOFF_FIELD_CAP_ON:
    case BACKOFF_FIELD_RETRY_AFTER:
      need(backoff_params_set(params, field, kind(field, value)), name);
      break;
    case BACKOFF_FIELD_MULTIPLIER:
    case BACKOFF_FIELD_JITTER_BELOW:
    case BACKOFF_FIELD_JITTER_ABOVE:
      read_ratio(params, field, value);
      break;
    default:
      need(backoff_params_set(params, field, number(value)), name);
  }
}

static struct request read_request(char *line) {
  struct request request = {BACKOFF_PARAMS_INIT, 0, NULL, 0, "", 0, 0};
  char *rest = NULL;
  for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
    char *value = strchr(word, '=');
    if (value == NULL) fail("not name=value", word);
    *value++ = '\0';
    if (strcmp(word, "seed") == 0) {
      request.seed = number(value);
    } else if (strcmp(word, "key") == 0) {
      read_key(&request, value);
    } else if (strcmp(word, "via") == 0) {
      request.via = value;
    } else if (strcmp(word, "index") == 0) {
      request.index = (uint32_t)number(value);
    } else if (strcmp(word, "count") == 0) {
      request.count = number(value);
    } else {
      read_field(&request.params, word, value);
    }
  }
  return request;
}

static uint64_t stream_of(const struct request *request) {
  uint64_t stream = request->seed;
  if (request->key != NULL) {
    need(backoff_stream_from_key(request->seed, request->key, request->key_length, &stream),
         "the key");
  }
  return stream;
}

/* Takes delays from an iterator until it ends. Returns their number. */
static uint64_t take(backoff_iter *iterator, uint64_t count, uint64_t *delays) {
  for (uint64_t i = 0; i < count; i++) {
    uint32_t code = backoff_iter_next_ns(iterator, &delays[i]);
    if (code == BACKOFF_END) return i;
    need(code, "next");
  }
  return count;
}

static uint64_t iterate(const struct request *request, const backoff_policy *policy,
                        uint64_t *delays) {
  backoff_iter iterator;
  need(backoff_iter_init(&iterator, policy, stream_of(request)), "the iterator");
  if (strcmp(request->via, "reset") == 0) {
    uint64_t skipped;
    for (uint32_t i = 0; i < request->index; i++) {
      if (take(&iterator, 1, &skipped) == 0) break;
    }
    need(backoff_iter_reset(&iterator), "the reset");
  }
  return take(&iterator, request->count, delays);
}

/* Returns the number of delays. */
static uint64_t compute(const struct request *request, const backoff_policy *policy,
                        uint64_t *delays) {
  uint64_t stream = stream_of(request);
  if (strcmp(request->via, "at") == 0) {
    for (uint64_t i = 0; i < request->count; i++) {
      need(backoff_policy_delay_ns(policy, stream, request->index + (uint32_t)i, &delays[i]), "at");
    }
  } else if (strcmp(request->via, "fill") == 0) {
    uint64_t written;
    need(backoff_policy_fill_ns(policy, stream, request->index, delays, request->count, &written),
         "fill");
    if (written != request->count) fail("fill", "some indices are above 2^32 - 1");
  } else if (strcmp(request->via, "next") == 0 || strcmp(request->via, "reset") == 0) {
    return iterate(request, policy, delays);
  } else {
    fail("via", request->via);
  }
  return request->count;
}

static void answer(const struct request *request) {
  backoff_policy policy;
  backoff_error error;
  if (backoff_policy_init(&policy, &request->params, &error) != BACKOFF_OK) {
    printf("error %s %s %" PRIu64 " %" PRIu64 "\n", backoff_code_name(error.code),
           backoff_field_name(error.field), error.value, error.limit);
    return;
  }
  uint64_t *delays = allocate(request->count * sizeof *delays);
  uint64_t count = compute(request, &policy, delays);
  printf("ok");
  for (uint64_t i = 0; i < count; i++) printf(" %" PRIu64, delays[i]);
  printf("\n");
  free(delays);
}

int main(void) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) != -1) {
    struct request request = read_request(line);
    answer(&request);
    free(request.key);
  }
  free(line);
  return 0;
}
