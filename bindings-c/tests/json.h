/* JSON (RFC 8259): the values of a line. */

#ifndef BACKOFF_JSON_H
#define BACKOFF_JSON_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Deeper nesting is rejected. */
#define MAX_DEPTH 200

enum kind { TEXT, NUMBER, BOOLEAN, NOTHING, OBJECT, LIST, OTHER };

struct text {
  const char *bytes;
  size_t length;
};

struct value {
  enum kind kind;
  struct text text;
  double number; /* of a boolean 1 or 0 */
  struct value *first; /* of an object or a list */
  /* In an object or a list: */
  struct text name;
  struct value *next;
};

/* The unread rest of a line, in front of a byte that is no part of a number. Texts are decoded in
 * place, as decoding never makes them longer. `free` has room for every value of the line. */
struct scanner {
  char *at, *end;
  struct value *free;
};

/* The largest number of values in a line: each but the first needs a byte and a comma. */
#define MAX_VALUES(length) ((length) / 2 + 2)

/* Each of these functions returns whether it read the element in its name. */

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
static int text(struct scanner *in, struct text *text) {
  char *out = in->at;
  text->bytes = out;
  while (in->at < in->end) {
    unsigned char byte = (unsigned char)*in->at;
    if (byte == '"') {
      text->length = (size_t)(out - text->bytes);
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

static int number(struct scanner *in, double *number) {
  const char *start = in->at;
  next_is(in, '-');
  if (!next_is(in, '0') && !digits(in)) return 0;
  if (next_is(in, '.') && !digits(in)) return 0;
  if (next_is(in, 'e') || next_is(in, 'E')) {
    if (!next_is(in, '+')) next_is(in, '-');
    if (!digits(in)) return 0;
  }
  *number = strtod(start, NULL);
  return 1;
}

static int any_value(struct scanner *in, int depth, struct value *value);

/* The members of an object with their names, or the values of a list, after its opening bracket. */
static int members(struct scanner *in, int depth, struct value *of) {
  char closing = of->kind == OBJECT ? '}' : ']';
  struct value **next = &of->first;
  skip_space(in);
  if (next_is(in, closing)) return 1;
  do {
    struct value *value = *next = in->free++;
    *value = (struct value){.kind = OTHER};
    next = &value->next;
    if (of->kind == OBJECT) {
      skip_space(in);
      if (!next_is(in, '"') || !text(in, &value->name)) return 0;
      skip_space(in);
      if (!next_is(in, ':')) return 0;
    }
    if (!any_value(in, depth, value)) return 0;
  } while (next_is(in, ','));
  return next_is(in, closing);
}

/* A value with the space around it. */
static int any_value(struct scanner *in, int depth, struct value *value) {
  int is_read;
  skip_space(in);
  if (next_is(in, '"')) {
    value->kind = TEXT;
    is_read = text(in, &value->text);
  } else if (next_is(in, '{') || next_is(in, '[')) {
    value->kind = in->at[-1] == '{' ? OBJECT : LIST;
    is_read = depth < MAX_DEPTH && members(in, depth + 1, value);
  } else if (word(in, "null")) {
    value->kind = NOTHING;
    is_read = 1;
  } else if (word(in, "true") || word(in, "false")) {
    value->kind = BOOLEAN;
    value->number = in->at[-2] == 'u'; /* "true", not "false" */
    is_read = 1;
  } else {
    value->kind = NUMBER;
    is_read = number(in, &value->number);
  }
  skip_space(in);
  return is_read;
}

static int is_text(struct text text, const char *other) {
  return text.length == strlen(other) && memcmp(text.bytes, other, text.length) == 0;
}

/* The last member of an object with a name, or NULL if there is none. */
static struct value *member(const struct value *object, const char *name) {
  struct value *found = NULL;
  for (struct value *value = object->first; value != NULL; value = value->next) {
    if (is_text(value->name, name)) found = value;
  }
  return found;
}

/* Reads a line of values into memory for MAX_VALUES of its length. Returns its only value, an
 * object, or NULL if the line is anything else. The byte behind the line must be readable. */
static struct value *object_of(char *line, size_t length, struct value *values) {
  struct scanner in = {line, line + length, values + 1};
  values[0] = (struct value){.kind = OTHER};
  if (!any_value(&in, 0, values) || in.at != in.end || values->kind != OBJECT) return NULL;
  return values;
}

#endif
