/* The vectors of lines, presets, previews and fits through the installed library. */

#include <backoff.h>

#include "check.h"
#include "given.h"
#include "vectors.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* A policy or a budget, as the line says, with all of its memory known. */
union made {
  backoff_policy policy;
  backoff_budget budget;
};

static uint32_t parse(union made *made, uint32_t line, struct text text, backoff_error *error) {
  return line == BACKOFF_LINE_POLICY
             ? backoff_policy_parse(&made->policy, text.bytes, text.length, error)
             : backoff_budget_parse(&made->budget, text.bytes, text.length, error);
}

static void check_line(const char *id, const char *what, uint32_t line, const union made *made,
                       const char *want) {
  char text[BACKOFF_TEXT_SIZE] = "";
  check_word(id, what,
             line == BACKOFF_LINE_POLICY ? backoff_policy_print(&made->policy, text, sizeof text)
                                         : backoff_budget_print(&made->budget, text, sizeof text),
             BACKOFF_OK);
  check_text(id, what, text, want);
}

/* Makes what a line says, and checks how it is printed. */
static void check_parse(const char *id, union made *made, uint32_t line, struct text text,
                        const char *canonical) {
  backoff_error error, before;
  memset(made, 0, sizeof *made);
  memset(&error, 0xA5, sizeof error);
  before = error;
  check_word(id, "code of a line", parse(made, line, text, &error), BACKOFF_OK);
  check_true(id, "the error is as it was", memcmp(&error, &before, sizeof error) == 0);
  check_line(id, "printed line", line, made, canonical);
}

static void check_texts(void) {
  check_word("texts", "count", LENGTH(texts), TEXTS_COUNT);
  for (size_t i = 0; i < LENGTH(texts); i++) {
    struct text_vector row = texts[i];
    struct text canonical = {strlen(row.canonical), row.canonical};
    union made made, again;
    check_parse(row.id, &made, row.line, row.text, row.canonical);
    check_parse(row.id, &again, row.line, canonical, row.canonical);
    check_true(row.id, "the printed line makes its equal", memcmp(&made, &again, sizeof made) == 0);
    if (row.line == BACKOFF_LINE_POLICY) {
      memset(&again, 0, sizeof again);
      check_word(row.id, "code of the fields", make(&again.policy, row.policy, NULL), BACKOFF_OK);
      check_true(row.id, "the fields make its equal", memcmp(&made, &again, sizeof made) == 0);
    }
  }
}

static void check_text_errors(void) {
  check_word("text_errors", "count", LENGTH(text_errors), TEXT_ERRORS_COUNT);
  for (size_t i = 0; i < LENGTH(text_errors); i++) {
    struct text_error_vector row = text_errors[i];
    union made made, before;
    backoff_error error;
    memset(&made, 0xA5, sizeof made);
    before = made;
    memset(&error, 0xA5, sizeof error);
    uint32_t code = parse(&made, row.line, row.text, &error);
    check_refusal(row.id, code, &error, row.error);
    check_word(row.id, "line", error.line, row.line);
    check_word(row.id, "at", error.at, row.at);
    check_found(row.id, &error, row.found);
    check_word(row.id, "code without an error to fill", parse(&made, row.line, row.text, NULL),
               code);
    check_true(row.id, "what was to be made is as it was",
               memcmp(&made, &before, sizeof made) == 0);
  }
}

static void check_presets(void) {
  check_word("presets", "count", LENGTH(presets), PRESETS_COUNT);
  for (size_t i = 0; i < LENGTH(presets); i++) {
    struct preset_vector row = presets[i];
    union made made, stood_for;
    check_parse(row.id, &made, row.line, row.preset, row.canonical);
    check_parse(row.id, &stood_for, row.line, row.stands_for, row.canonical);
    check_true(row.id, "its line makes its equal", memcmp(&made, &stood_for, sizeof made) == 0);
    for (size_t at = 0; at < row.windows.count; at++) {
      uint64_t window = UINT64_MAX;
      check_word(row.id, "code of a window",
                 backoff_window_ns(&made.policy, (uint32_t)at, &window), BACKOFF_OK);
      check_word(row.id, "window", window, row.windows.words[at]);
    }
  }
}

static void check_row(const char *id, backoff_preview_row row, backoff_preview_row want) {
  check_word(id, "smallest", row.smallest, want.smallest);
  check_word(id, "mean", row.mean, want.mean);
  check_word(id, "largest", row.largest, want.largest);
  check_word(id, "total of the smallest", row.total_smallest, want.total_smallest);
  check_word(id, "total of the means", row.total_mean, want.total_mean);
  check_word(id, "total of the largest", row.total_largest, want.total_largest);
}

static void check_previews(void) {
  check_word("previews", "count", LENGTH(previews), PREVIEWS_COUNT);
  for (size_t i = 0; i < LENGTH(previews); i++) {
    struct preview_vector row = previews[i];
    backoff_policy policy;
    backoff_preview preview;
    backoff_preview_row retry;
    check_word(row.id, "code of the policy",
               backoff_policy_parse(&policy, row.policy.bytes, row.policy.length, NULL),
               BACKOFF_OK);
    check_word(row.id, "code of the preview", backoff_preview_init(&preview, &policy), BACKOFF_OK);
    for (size_t at = 0; at < row.row_count; at++) {
      memset(&retry, 0xA5, sizeof retry);
      check_word(row.id, "code of a row", backoff_preview_next(&preview, &retry), BACKOFF_OK);
      check_row(row.id, retry, row.rows[at]);
    }
    if (row.row_count < row.asked_for) {
      backoff_preview_row before = retry;
      check_word(row.id, "code after the last", backoff_preview_next(&preview, &retry),
                 BACKOFF_END);
      check_row(row.id, retry, before);
    }
  }
}

static uint32_t fit(struct fit_vector row, const backoff_policy *policy, backoff_policy *fitted,
                    backoff_error *error) {
  return row.field == BACKOFF_FIELD_BASE
             ? backoff_fit_base(policy, row.attempts, row.total, fitted, error)
             : backoff_fit_cap(policy, row.attempts, row.total, fitted, error);
}

static void check_fits(void) {
  check_word("fits", "count", LENGTH(fits), FITS_COUNT);
  for (size_t i = 0; i < LENGTH(fits); i++) {
    struct fit_vector row = fits[i];
    union made made, before;
    backoff_error error;
    backoff_policy policy;
    memset(&made, 0xA5, sizeof made);
    before = made;
    memset(&error, 0xA5, sizeof error);
    check_word(row.id, "code of the policy",
               backoff_policy_parse(&policy, row.policy.bytes, row.policy.length, NULL),
               BACKOFF_OK);
    uint32_t code = fit(row, &policy, &made.policy, &error);
    if (row.canonical != NULL) {
      check_word(row.id, "code", code, BACKOFF_OK);
      check_line(row.id, "fitted", BACKOFF_LINE_POLICY, &made, row.canonical);
    } else {
      check_refusal(row.id, code, &error, row.error);
      check_word(row.id, "line", error.line, BACKOFF_LINE_NONE);
      check_found(row.id, &error, (struct text){0, ""});
      check_word(row.id, "code without an error to fill", fit(row, &policy, &made.policy, NULL),
                 code);
      check_true(row.id, "what was to be made is as it was",
                 memcmp(&made, &before, sizeof made) == 0);
    }
  }
}

int main(void) {
  check_texts();
  check_text_errors();
  check_presets();
  check_previews();
  check_fits();
  return check_end();
}
