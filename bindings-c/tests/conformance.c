/* The vectors of delays through the installed library: one by one, as a batch and by an
 * iterator; resets; and the errors of invalid policies with their messages. */

#include <backoff.h>

#include "check.h"
#include "make.h"
#include "vectors.h"

/* No vector has more delays. */
#define LONGEST 8192

static void check_draws(void) {
  check_number("draws", "count", LENGTH(draws), DRAWS_COUNT);
  for (size_t i = 0; i < LENGTH(draws); i++) {
    struct draw_vector row = draws[i];
    check_number(row.id, "draw", backoff_stream_draw(row.stream, row.index), row.draw);
    check_number(row.id, "draw after advancing to it",
                 backoff_stream_draw(backoff_stream_advance(row.stream, row.index), 0), row.draw);
  }
}

static void check_streams(void) {
  check_number("streams", "count", LENGTH(streams), STREAMS_COUNT);
  for (size_t i = 0; i < LENGTH(streams); i++) {
    struct stream_vector row = streams[i];
    check_number(row.id, "stream", stream_of(row.id, row.seed, row.key), row.stream);
  }
}

static void check_one_by_one(struct sequence_vector row, const backoff_policy *policy,
                             uint64_t stream) {
  for (size_t i = 0; i < row.delays.count; i++) {
    uint64_t delay = CANARY;
    check_number(row.id, "code of a delay",
                 backoff_policy_delay_ns(policy, stream, row.first + (uint32_t)i, &delay),
                 BACKOFF_OK);
    check_number(row.id, "delay", delay, row.delays.numbers[i]);
  }
  for (size_t i = 0; i < row.windows.count; i++) {
    uint64_t window = CANARY;
    check_number(row.id, "code of a window",
                 backoff_policy_window_ns(policy, row.first + (uint32_t)i, &window), BACKOFF_OK);
    check_number(row.id, "window", window, row.windows.numbers[i]);
  }
}

static void check_batch(struct sequence_vector row, const backoff_policy *policy,
                        uint64_t stream) {
  static uint64_t delays[LONGEST + 1];
  size_t count = row.delays.count;
  uint64_t written = CANARY;
  if (!check_true(row.id, "the delays fit", count > 0 && count <= LONGEST)) return;
  memset(delays, 0xA5, sizeof delays);
  check_number(row.id, "code of the batch",
               backoff_policy_fill_ns(policy, stream, row.first, delays, count, &written),
               BACKOFF_OK);
  check_number(row.id, "number of delays written", written, count);
  for (size_t i = 0; i < count; i++) {
    check_number(row.id, "delay of the batch", delays[i], row.delays.numbers[i]);
  }
  check_number(row.id, "number after the batch", delays[count], CANARY);
}

/* Asks an iterator for delays. It ends after those of the run. */
static void check_run(const char *id, backoff_iter *iterator, uint64_t asked, struct u64s run) {
  for (uint64_t i = 0; i < asked; i++) {
    int is_end = i >= run.count;
    uint64_t delay = CANARY;
    check_number(id, "code of the next delay", backoff_iter_next_ns(iterator, &delay),
                 is_end ? BACKOFF_END : BACKOFF_OK);
    check_number(id, "next delay", delay, is_end ? CANARY : run.numbers[i]);
  }
}

static void check_iterator(struct sequence_vector row, const backoff_policy *policy,
                           uint64_t stream) {
  backoff_iter iterator;
  uint64_t limit = max_retries_of(row.policy), max_retries = CANARY;
  struct u64s run = row.delays;
  if (limit < run.count) run.count = (size_t)limit;
  check_number(row.id, "code of max_retries", backoff_policy_max_retries(policy, &max_retries),
               BACKOFF_OK);
  check_number(row.id, "max_retries", max_retries, limit);
  check_number(row.id, "code of the iterator", backoff_iter_init(&iterator, policy, stream),
               BACKOFF_OK);
  check_run(row.id, &iterator, row.delays.count, run);
}

static void check_sequences(const char *name, const struct sequence_vector *rows, size_t length,
                            size_t count) {
  check_number(name, "count", length, count);
  for (size_t i = 0; i < length; i++) {
    struct sequence_vector row = rows[i];
    backoff_policy policy;
    if (!check_number(row.id, "code of the policy", make(&policy, row.policy, NULL), BACKOFF_OK)) {
      continue;
    }
    uint64_t stream = stream_of(row.id, row.seed, row.key);
    check_one_by_one(row, &policy, stream);
    check_batch(row, &policy, stream);
    if (row.first == 0) check_iterator(row, &policy, stream);
  }
}

static void check_resets(void) {
  check_number("resets", "count", LENGTH(resets), RESETS_COUNT);
  for (size_t i = 0; i < LENGTH(resets); i++) {
    struct reset_vector row = resets[i];
    backoff_policy policy;
    backoff_iter iterator;
    uint64_t index = CANARY, stream = CANARY;
    if (!check_number(row.id, "code of the policy", make(&policy, row.policy, NULL), BACKOFF_OK)) {
      continue;
    }
    check_number(row.id, "code of the iterator",
                 backoff_iter_init(&iterator, &policy, stream_of(row.id, row.seed, row.key)),
                 BACKOFF_OK);
    check_number(row.id, "number of runs", row.asked.count, row.run_count);
    for (size_t run = 0; run < row.run_count; run++) {
      check_run(row.id, &iterator, row.asked.numbers[run], row.runs[run]);
      check_number(row.id, "code of the index", backoff_iter_index(&iterator, &index, NULL),
                   BACKOFF_OK);
      check_number(row.id, "index after a run", index, row.runs[run].count);
      check_number(row.id, "code of the reset", backoff_iter_reset(&iterator), BACKOFF_OK);
    }
    check_number(row.id, "code of the index", backoff_iter_index(&iterator, &index, &stream),
                 BACKOFF_OK);
    check_number(row.id, "index after a reset", index, 0);
    check_number(row.id, "stream after the last reset", stream, row.stream);
  }
}

static void check_errors(void) {
  check_number("errors", "count", LENGTH(errors), ERRORS_COUNT);
  for (size_t i = 0; i < LENGTH(errors); i++) {
    struct error_vector row = errors[i];
    backoff_policy policy, before;
    backoff_error error;
    memset(&policy, 0xA5, sizeof policy);
    before = policy;
    memset(&error, 0xA5, sizeof error);
    uint32_t code = make(&policy, row.policy, &error);
    check_error(row.id, code, &error, row.error);
    check_number(row.id, "kind of text", error.text_kind, BACKOFF_TEXT_KIND_NONE);
    check_number(row.id, "at", error.at, 0);
    check_found(row.id, &error, (struct text){0, ""});
    check_true(row.id, "the policy is unchanged", memcmp(&policy, &before, sizeof policy) == 0);
    check_number(row.id, "code without an error to fill", make(&policy, row.policy, NULL), code);
  }
}

int main(void) {
  check_draws();
  check_streams();
  check_sequences("samples", samples, LENGTH(samples), SAMPLES_COUNT);
  check_sequences("growths", growths, LENGTH(growths), GROWTHS_COUNT);
  check_sequences("jitters", jitters, LENGTH(jitters), JITTERS_COUNT);
  check_sequences("caps", caps, LENGTH(caps), CAPS_COUNT);
  check_sequences("articles", articles, LENGTH(articles), ARTICLES_COUNT);
  check_resets();
  check_errors();
  return check_end();
}
