/* The evaluator (tests/README.md): writes one answer for each line of JSON on standard input. */

#include <backoff.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of bytes read and written at once. */
#define BLOCK (1 << 16)
/* An answer is shorter: a policy string, a number and some names. */
#define LONGEST_ANSWER (BACKOFF_TEXT_SIZE + 256)

enum kind { ABSENT, TEXT, NUMBER, NOTHING, OTHER };

struct value {
  enum kind kind;
  const char *text;
  size_t length;
  double number;
};

struct request {
  struct value policy, seed, key, index;
};

/* The unread rest of a line. Texts are decoded in place, as decoding never makes them longer. */
struct scanner {
  char *at, *end;
};

static void fail(const char *what) {
  fprintf(stderr, "evaluate: %s\n", what);
  exit(2);
}

/* JSON (RFC 8259). Each function returns whether it read the element in its name. */

static void skip_space(struct scanner *in) {
  while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == '\r')) in->at++;
}

static int next_is(struct scanner *in, char byte) {
  if (in->at == in->end || *in->at != byte) return 0;
  in->at++;
  return 1;
}

static int word(struct scanner *in, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(in->end - in->at) < length || memcmp(in->at, word, length) != 0) return 0;
  in->at += length;
  return 1;
}

static int hex(struct scanner *in, unsigned long *unit) {
  *unit = 0;
  for (int i = 0; i < 4; i++) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *digit = in->at < in->end ? memchr(digits, *in->at, 32) : NULL;
    if (digit == NULL) return 0;
    *unit = *unit << 4 | ((unsigned long)(digit - digits) & 15);
    in->at++;
  }
  return 1;
}

static char *put_utf8(char *out, unsigned long scalar) {
  if (scalar < 0x80) {
    *out++ = (char)scalar;
    return out;
  }
  if (scalar < 0x800) {
    *out++ = (char)(0xC0 | scalar >> 6);
  } else {
    if (scalar < 0x10000) {
      *out++ = (char)(0xE0 | scalar >> 12);
    } else {
      *out++ = (char)(0xF0 | scalar >> 18);
      *out++ = (char)(0x80 | (scalar >> 12 & 63));
    }
    *out++ = (char)(0x80 | (scalar >> 6 & 63));
  }
  *out++ = (char)(0x80 | (scalar & 63));
  return out;
}

/* After a backslash. */
static int escape(struct scanner *in, char **out) {
  static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
  unsigned long unit, low;
  if (in->at == in->end) return 0;
  const char *name = memchr(names, *in->at, sizeof names - 1);
  if (name != NULL) {
    in->at++;
    *(*out)++ = bytes[name - names];
    return 1;
  }
  if (!next_is(in, 'u') || !hex(in, &unit)) return 0;
  if (unit >= 0xD800 && unit <= 0xDFFF) {
    if (unit >= 0xDC00 || !word(in, "\\u") || !hex(in, &low) || low < 0xDC00 || low > 0xDFFF) {
      return 0;
    }
    unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  }
  *out = put_utf8(*out, unit);
  return 1;
}

/* A character of more than one byte, at its first. */
static int utf8(struct scanner *in, char **out) {
  unsigned char first = (unsigned char)*in->at;
  size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4 || (size_t)(in->end - in->at) <= more) return 0;
  unsigned char second = (unsigned char)in->at[1];
  /* Overlong forms, surrogates, and code points above U+10FFFF. */
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  for (size_t i = 1; i <= more; i++) {
    if (((unsigned char)in->at[i] & 0xC0) != 0x80) return 0;
  }
  memmove(*out, in->at, more + 1);
  *out += more + 1;
  in->at += more + 1;
  return 1;
}

/* After the quotation mark. */
static int text(struct scanner *in, struct value *value) {
  char *out = in->at;
  value->kind = TEXT;
  value->text = out;
  while (in->at < in->end) {
    unsigned char byte = (unsigned char)*in->at;
    if (byte == '"') {
      value->length = (size_t)(out - value->text);
      in->at++;
      return 1;
    }
    if (byte == '\\') {
      in->at++;
      if (!escape(in, &out)) return 0;
    } else if (byte >= 0x80) {
      if (!utf8(in, &out)) return 0;
    } else if (byte >= 0x20) {
      *out++ = *in->at++;
    } else {
      return 0;
    }
  }
  return 0;
}

static int digits(struct scanner *in) {
  const char *start = in->at;
  while (in->at < in->end && *in->at >= '0' && *in->at <= '9') in->at++;
  return in->at > start;
}

static int number(struct scanner *in, struct value *value) {
  const char *start = in->at;
  next_is(in, '-');
  if (!next_is(in, '0') && !digits(in)) return 0;
  if (next_is(in, '.') && !digits(in)) return 0;
  if (next_is(in, 'e') || next_is(in, 'E')) {
    if (!next_is(in, '+')) next_is(in, '-');
    if (!digits(in)) return 0;
  }
  value->kind = NUMBER;
  value->number = strtod(start, NULL);
  return 1;
}

static int scalar(struct scanner *in, struct value *value) {
  value->kind = OTHER;
  if (next_is(in, '"')) return text(in, value);
  if (word(in, "null")) {
    value->kind = NOTHING;
    return 1;
  }
  return word(in, "true") || word(in, "false") || number(in, value);
}

/* The name of a member, and its colon. */
static int name(struct scanner *in, struct value *name) {
  skip_space(in);
  if (!next_is(in, '"') || !text(in, name)) return 0;
  skip_space(in);
  return next_is(in, ':');
}

/* A value of any depth with the space around it. The stack of expected closing brackets overwrites
 * the opening brackets, which have been read. */
static int any_value(struct scanner *in, struct value *value) {
  char *open = in->at, *top = open;
  struct value inner;
  value->kind = OTHER;
  for (;;) {
    skip_space(in);
    int is_object = next_is(in, '{');
    if (is_object || next_is(in, '[')) {
      *top++ = is_object ? '}' : ']';
      skip_space(in);
      int is_empty = in->at < in->end && *in->at == top[-1];
      if (!is_empty && is_object && !name(in, &inner)) return 0;
      if (!is_empty) continue;
    } else if (!scalar(in, top == open ? value : &inner)) {
      return 0;
    }
    for (skip_space(in); top > open && next_is(in, top[-1]); skip_space(in)) top--;
    if (top == open) return 1;
    if (!next_is(in, ',') || (top[-1] == '}' && !name(in, &inner))) return 0;
  }
}

static int is_named(struct value name, const char *text) {
  return name.length == strlen(text) && memcmp(name.text, text, name.length) == 0;
}

/* The member of a request with this name, or `other` for an unknown name. */
static struct value *member(struct request *request, struct value name, struct value *other) {
  if (is_named(name, "policy")) return &request->policy;
  if (is_named(name, "seed")) return &request->seed;
  if (is_named(name, "key")) return &request->key;
  if (is_named(name, "index")) return &request->index;
  return other;
}

/* An object, and nothing else. */
static int object(struct scanner *in, struct request *request) {
  struct value named, other;
  skip_space(in);
  if (!next_is(in, '{')) return 0;
  skip_space(in);
  if (!next_is(in, '}')) {
    do {
      if (!name(in, &named) || !any_value(in, member(request, named, &other))) return 0;
    } while (next_is(in, ','));
    if (!next_is(in, '}')) return 0;
  }
  skip_space(in);
  return in->at == in->end;
}

/* Requests and their answers. */

static int seed_of(struct value value, uint64_t *seed) {
  *seed = 0;
  if (value.kind == ABSENT) return 1;
  if (value.kind != TEXT || value.length == 0) return 0;
  for (size_t i = 0; i < value.length; i++) {
    uint64_t digit = (uint64_t)(unsigned char)value.text[i] - '0';
    if (digit > 9 || *seed > (UINT64_MAX - digit) / 10) return 0;
    *seed = *seed * 10 + digit;
  }
  return 1;
}

static int stream_of(struct value key, uint64_t seed, uint64_t *stream) {
  *stream = seed;
  if (key.kind == ABSENT || key.kind == NOTHING) return 1;
  return key.kind == TEXT &&
         backoff_stream_from_key(seed, key.text, key.length, stream) == BACKOFF_OK;
}

static int index_of(struct value value, uint32_t *index) {
  *index = 0;
  if (value.kind == ABSENT) return 1;
  if (value.kind != NUMBER || !(value.number >= 0 && value.number <= UINT32_MAX)) return 0;
  *index = (uint32_t)value.number;
  return *index == value.number;
}

/* Writes the answer to a line, and returns where it ends. */
static char *answer(char *out, struct scanner in) {
  struct request request = {{ABSENT, NULL, 0, 0},
                            {ABSENT, NULL, 0, 0},
                            {ABSENT, NULL, 0, 0},
                            {ABSENT, NULL, 0, 0}};
  uint64_t seed, stream, delay;
  uint32_t index;
  if (!object(&in, &request) || request.policy.kind != TEXT ||
      !seed_of(request.seed, &seed) || !stream_of(request.key, seed, &stream) ||
      !index_of(request.index, &index)) {
    return out + sprintf(out, "{\"error\":\"not_a_request\",\"at\":0}\n");
  }
  backoff_policy policy;
  backoff_error error;
  uint32_t code =
      backoff_policy_parse(&policy, request.policy.text, request.policy.length, &error);
  if (code != BACKOFF_OK) {
    return out + sprintf(out, "{\"error\":\"%s\",\"at\":%llu}\n", backoff_code_name(code),
                         (unsigned long long)error.at);
  }
  char string[BACKOFF_TEXT_SIZE];
  if (backoff_policy_print(&policy, string, sizeof string) != BACKOFF_OK ||
      backoff_policy_delay_ns(&policy, stream, index, &delay) != BACKOFF_OK) {
    fail("a valid policy has no string or no delay");
  }
  return out + sprintf(out, "{\"canonical\":\"%s\",\"delay_ns\":\"%llu\"}\n", string,
                       (unsigned long long)delay);
}

/* Collects answers, which are written in blocks. */
static char answers[BLOCK];
static char *answers_end = answers;

static void flush(void) {
  size_t length = (size_t)(answers_end - answers);
  if (fwrite(answers, 1, length, stdout) != length || fflush(stdout) != 0) fail("cannot write");
  answers_end = answers;
}

static void answer_line(char *line, char *end) {
  struct scanner in = {line, end};
  if (answers + BLOCK - answers_end < LONGEST_ANSWER) flush();
  answers_end = answer(answers_end, in);
}

int main(void) {
  size_t size = 4 * BLOCK, held = 0, count;
  char *input = malloc(size + 1);
  if (input == NULL) fail("no memory");
  while ((count = fread(input + held, 1, size - held, stdin)) > 0) {
    char *line = input, *unseen = input + held, *feed;
    held += count;
    while ((feed = memchr(unseen, '\n', (size_t)(input + held - unseen))) != NULL) {
      answer_line(line, feed);
      line = unseen = feed + 1;
    }
    /* Keep the start of an incomplete line. */
    held = (size_t)(input + held - line);
    memmove(input, line, held);
    if (held == size) {
      size *= 2;
      input = realloc(input, size + 1);
      if (input == NULL) fail("no memory");
    }
  }
  if (ferror(stdin)) fail("cannot read");
  input[held] = '\n'; /* strtod needs an end */
  if (held > 0) answer_line(input, input + held);
  flush();
  free(input);
  return 0;
}
