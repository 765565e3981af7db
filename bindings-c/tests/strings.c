/* The vectors of policy strings, budget strings, presets, previews and fits through the installed
 * library. */

#include <backoff.h>

#include "check.h"
#include "make.h"
#include "vectors.h"


/* A policy or a budget. Tests set all of its memory first, so that they can compare bytes. */
union made {
  backoff_policy policy;
  backoff_budget budget;
};

static uint32_t parse(union made *made, uint32_t kind, struct text text, backoff_error *error) {
  return kind == BACKOFF_TEXT_KIND_POLICY
             ? backoff_policy_parse(&made->policy, text.bytes, text.length, error)
             : backoff_budget_parse(&made->budget, text.bytes, text.length, error);
}

static void check_print(const char *id, const char *what, uint32_t kind, const union made *made,
                        const char *want) {
  char text[BACKOFF_TEXT_SIZE] = "";
  check_number(id, what,
               kind == BACKOFF_TEXT_KIND_POLICY
                   ? backoff_policy_print(&made->policy, text, sizeof text)
                   : backoff_budget_print(&made->budget, text, sizeof text),
               BACKOFF_OK);
  check_text(id, what, text, want);
}

/* The error of a call that succeeded. */
static void check_no_error(const char *id, const backoff_error *error) {
  static const backoff_error none = {.code = BACKOFF_OK};
  check_true(id, "the error is that of a success", memcmp(error, &none, sizeof none) == 0);
}

/* Parses a string, and checks the string that is printed. */
static void check_parse(const char *id, union made *made, uint32_t kind, struct text text,
                        const char *canonical) {
  backoff_error error;
  memset(made, 0, sizeof *made);
  memset(&error, 0xA5, sizeof error);
  check_number(id, "code of the string", parse(made, kind, text, &error), BACKOFF_OK);
  check_no_error(id, &error);
  check_print(id, "printed string", kind, made, canonical);
}

static void check_texts(void) {
  check_number("texts", "count", LENGTH(texts), TEXTS_COUNT);
  for (size_t i = 0; i < LENGTH(texts); i++) {
    struct text_vector row = texts[i];
    struct text canonical = {strlen(row.canonical), row.canonical};
    union made made, again;
    check_parse(row.id, &made, row.kind, row.text, row.canonical);
    check_parse(row.id, &again, row.kind, canonical, row.canonical);
    check_true(row.id, "the printed string parses to an equal one",
               memcmp(&made, &again, sizeof made) == 0);
    if (row.kind == BACKOFF_TEXT_KIND_POLICY) {
      memset(&again, 0, sizeof again);
      check_number(row.id, "code of the fields", make(&again.policy, row.policy, NULL), BACKOFF_OK);
      check_true(row.id, "the fields make an equal one", memcmp(&made, &again, sizeof made) == 0);
    }
  }
}

static void check_text_errors(void) {
  check_number("text_errors", "count", LENGTH(text_errors), TEXT_ERRORS_COUNT);
  for (size_t i = 0; i < LENGTH(text_errors); i++) {
    struct text_error_vector row = text_errors[i];
    union made made, before;
    backoff_error error;
    memset(&made, 0xA5, sizeof made);
    before = made;
    memset(&error, 0xA5, sizeof error);
    uint32_t code = parse(&made, row.kind, row.text, &error);
    check_error(row.id, code, &error, row.error);
    check_number(row.id, "kind of text", error.text_kind, row.kind);
    check_number(row.id, "at", error.at, row.at);
    check_found(row.id, &error, row.found);
    check_number(row.id, "code without an error to fill", parse(&made, row.kind, row.text, NULL),
                 code);
    check_true(row.id, "the output is unchanged",
               memcmp(&made, &before, sizeof made) == 0);
  }
}

static void check_presets(void) {
  check_number("presets", "count", LENGTH(presets), PRESETS_COUNT);
  for (size_t i = 0; i < LENGTH(presets); i++) {
    struct preset_vector row = presets[i];
    union made made, same;
    check_parse(row.id, &made, row.kind, row.preset, row.canonical);
    check_parse(row.id, &same, row.kind, row.string, row.canonical);
    check_true(row.id, "its string makes an equal one", memcmp(&made, &same, sizeof made) == 0);
    for (size_t at = 0; at < row.windows.count; at++) {
      uint64_t window = UINT64_MAX;
      check_number(row.id, "code of a window",
                   backoff_policy_window_ns(&made.policy, (uint32_t)at, &window), BACKOFF_OK);
      check_number(row.id, "window", window, row.windows.numbers[at]);
    }
  }
}

static void check_row(const char *id, backoff_preview_row row, backoff_preview_row want) {
  check_number(id, "min", row.min_ns, want.min_ns);
  check_number(id, "mean", row.mean_ns, want.mean_ns);
  check_number(id, "max", row.max_ns, want.max_ns);
  check_number(id, "total min", row.total_min_ns, want.total_min_ns);
  check_number(id, "total mean", row.total_mean_ns, want.total_mean_ns);
  check_number(id, "total max", row.total_max_ns, want.total_max_ns);
}

static void check_previews(void) {
  check_number("previews", "count", LENGTH(previews), PREVIEWS_COUNT);
  for (size_t i = 0; i < LENGTH(previews); i++) {
    struct preview_vector row = previews[i];
    backoff_policy policy;
    backoff_preview preview;
    backoff_preview_row retry;
    check_number(row.id, "code of the policy",
                 backoff_policy_parse(&policy, row.policy.bytes, row.policy.length, NULL),
                 BACKOFF_OK);
    check_number(row.id, "code of the preview", backoff_preview_init(&preview, &policy),
                 BACKOFF_OK);
    for (size_t at = 0; at < row.first; at++) {
      check_number(row.id, "code of a skipped row", backoff_preview_next(&preview, &retry),
                   BACKOFF_OK);
    }
    for (size_t at = 0; at < row.row_count; at++) {
      memset(&retry, 0xA5, sizeof retry);
      check_number(row.id, "code of a row", backoff_preview_next(&preview, &retry), BACKOFF_OK);
      check_row(row.id, retry, row.rows[at]);
    }
    if (row.row_count < row.row_limit) {
      backoff_preview_row before = retry;
      check_number(row.id, "code after the last", backoff_preview_next(&preview, &retry),
                   BACKOFF_END);
      check_row(row.id, retry, before);
    }
  }
}

static uint32_t fit(struct fit_vector row, const backoff_policy *policy, backoff_policy *fitted,
                    backoff_error *error) {
  return row.field == BACKOFF_FIELD_BASE
             ? backoff_policy_fit_base(policy, row.attempts, row.total, fitted, error)
             : backoff_policy_fit_cap(policy, row.attempts, row.total, fitted, error);
}

static void check_fits(void) {
  check_number("fits", "count", LENGTH(fits), FITS_COUNT);
  for (size_t i = 0; i < LENGTH(fits); i++) {
    struct fit_vector row = fits[i];
    union made made, before;
    backoff_error error;
    backoff_policy policy;
    memset(&made, 0xA5, sizeof made);
    before = made;
    memset(&error, 0xA5, sizeof error);
    check_number(row.id, "code of the policy",
                 backoff_policy_parse(&policy, row.policy.bytes, row.policy.length, NULL),
                 BACKOFF_OK);
    uint32_t code = fit(row, &policy, &made.policy, &error);
    if (row.canonical != NULL) {
      check_number(row.id, "code", code, BACKOFF_OK);
      check_no_error(row.id, &error);
      check_print(row.id, "fitted", BACKOFF_TEXT_KIND_POLICY, &made, row.canonical);
    } else {
      check_error(row.id, code, &error, row.error);
      check_number(row.id, "kind of text", error.text_kind, BACKOFF_TEXT_KIND_NONE);
      check_found(row.id, &error, (struct text){0, ""});
      check_number(row.id, "code without an error to fill", fit(row, &policy, &made.policy, NULL),
                   code);
      check_true(row.id, "the output is unchanged",
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
