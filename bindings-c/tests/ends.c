/* The ends of batches, iterators, previews and counts; copies; and streams without a key. */

#include "memory.h"

/* Setting a field again replaces its value, and policies and iterators are independent copies. */
static void check_copies(void) {
  backoff_params params = memory.params;
  backoff_policy policy, copied_policy;
  backoff_iter iterator, copied_iterator;
  uint64_t delay = 0;
  SUCCEEDS(backoff_params_set(&params, BACKOFF_FIELD_BASE, 11));
  SUCCEEDS(backoff_params_set(&params, BACKOFF_FIELD_BASE, 12));
  SUCCEEDS(backoff_policy_init(&policy, &params, NULL));
  memset(&params, 0, sizeof params);
  copied_policy = policy;
  SUCCEEDS(backoff_iter_init(&iterator, &policy, 1));
  memset(&policy, 0, sizeof policy);
  SUCCEEDS(backoff_policy_delay_ns(&copied_policy, 1, 0, &delay));
  check_number("a copy of a policy", "delay", delay, 12);
  SUCCEEDS(backoff_iter_next_ns(&iterator, &delay));
  check_number("an iterator without its policy", "delay", delay, 12);
  copied_iterator = iterator;
  SUCCEEDS(backoff_iter_next_ns(&iterator, &delay));
  SUCCEEDS(backoff_iter_index(&copied_iterator, &delay, NULL));
  check_number("a copy of an iterator", "index", delay, 1);
  SUCCEEDS(backoff_iter_init(&iterator, &copied_policy, 2));
  SUCCEEDS(backoff_iter_index(&iterator, &delay, NULL));
  check_number("an iterator after a second init", "index", delay, 0);
}

/* There are 2^32 indices. A batch beyond them is cut. */
static void check_batches(void) {
  static const struct {
    const char *id;
    uint32_t first;
    uint64_t count, written;
  } rows[] = {
      {"the last index", UINT32_MAX, 1, 1},
      {"the last index and one more", UINT32_MAX, 2, 1},
      {"the last four", UINT32_MAX - 3, 4, 4},
      {"the last four and one more", UINT32_MAX - 3, 5, 4},
      {"none at the last index", UINT32_MAX, 0, 0},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    memset(memory.numbers, 0xA5, sizeof memory.numbers);
    remember();
    check_code(rows[i].id,
               backoff_policy_fill_ns(&memory.policy, 1, rows[i].first, &memory.numbers[1],
                                      rows[i].count, &memory.written),
               BACKOFF_OK);
    before.written = rows[i].written;
    for (uint64_t at = 1; at <= rows[i].written; at++) before.numbers[at] = 10;
    check_unchanged(rows[i].id);
  }
  /* Counts that no memory has. */
  FAILS(BACKOFF_TOO_LONG, backoff_policy_fill_ns(&memory.policy, 1, 0, &memory.numbers[1],
                                                 UINT64_MAX, &memory.written));
  FAILS(BACKOFF_TOO_LONG, backoff_policy_fill_ns(&memory.policy, 1, UINT32_MAX, &memory.numbers[1],
                                                 UINT64_C(1) << 60, &memory.written));
}

/* An iterator at its end. A delay of constant growth changes one word of it, the index. Writing
 * that word avoids 2^32 calls; backoff_iter_index confirms that it is the index. */
static void check_iterators(void) {
  const char *id = "iterator at its end";
  backoff_iter fresh, iterator;
  uint64_t delay = CANARY, index = 0, stream = 0;
  size_t changed = 0, place = 0;
  SUCCEEDS(backoff_iter_init(&fresh, &memory.policy, 42));
  iterator = fresh;
  SUCCEEDS(backoff_iter_next_ns(&iterator, &delay));
  for (size_t i = 0; i < LENGTH(fresh.opaque); i++) {
    if (iterator.opaque[i] != fresh.opaque[i]) {
      place = i;
      changed++;
    }
  }
  check_number(id, "number of words that a delay changes", changed, 1);
  iterator.opaque[place] = UINT32_MAX;
  SUCCEEDS(backoff_iter_index(&iterator, &index, NULL));
  check_number(id, "index before the last delay", index, UINT32_MAX);
  delay = CANARY;
  SUCCEEDS(backoff_iter_next_ns(&iterator, &delay));
  check_number(id, "last delay", delay, 10);

  fresh = iterator;
  delay = CANARY;
  for (int twice = 0; twice < 2; twice++) {
    check_code(id, backoff_iter_next_ns(&iterator, &delay), BACKOFF_END);
    check_number(id, "delay after the end", delay, CANARY);
    check_true(id, "it is unchanged", memcmp(&iterator, &fresh, sizeof fresh) == 0);
  }
  SUCCEEDS(backoff_iter_index(&iterator, &index, NULL));
  check_number(id, "index at the end", index, INDICES);

  SUCCEEDS(backoff_iter_reset(&iterator));
  SUCCEEDS(backoff_iter_index(&iterator, &index, &stream));
  check_number(id, "index after a reset", index, 0);
  check_number(id, "stream after a reset", stream, backoff_stream_advance(42, INDICES));
  SUCCEEDS(backoff_iter_next_ns(&iterator, &delay));
  check_number(id, "delay after a reset", delay, 10);
}

/* An iterator ends after max_retries delays, and again after a reset. */
static void check_limits(void) {
  static const struct {
    const char *text;
    uint64_t limit;
  } rows[] = {
      {"constant:base=10ns,max_retries=3", 3},
      {"constant:base=10ns,max_attempts=4", 3},
      {"constant:base=10ns,max_retries=0", 0},
      {"constant:base=10ns,max_retries=70,max_elapsed=0s", 70},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    const char *id = rows[i].text;
    uint64_t limit = rows[i].limit, index = CANARY, stream = CANARY;
    memory.numbers[1] = CANARY;
    SUCCEEDS(backoff_policy_parse(&memory.policy, id, strlen(id), NULL));
    SUCCEEDS(backoff_policy_max_retries(&memory.policy, &memory.numbers[1]));
    check_number(id, "max_retries", memory.numbers[1], limit);
    SUCCEEDS(backoff_iter_init(&memory.iter, &memory.policy, 42));
    for (uint64_t run = 1; run <= 3; run++) {
      for (uint64_t taken = 0; taken < limit; taken++) {
        SUCCEEDS(backoff_iter_next_ns(&memory.iter, &memory.numbers[1]));
        check_number(id, "delay", memory.numbers[1], 10);
      }
      for (int twice = 0; twice < 2; twice++) {
        FAILS(BACKOFF_END, backoff_iter_next_ns(&memory.iter, &memory.numbers[1]));
      }
      SUCCEEDS(backoff_iter_index(&memory.iter, &index, NULL));
      check_number(id, "index at the end", index, limit);
      SUCCEEDS(backoff_iter_reset(&memory.iter));
      SUCCEEDS(backoff_iter_index(&memory.iter, &index, &stream));
      check_number(id, "index after a reset", index, 0);
      check_number(id, "stream after a reset", stream, backoff_stream_advance(42, run * limit));
    }
    /* Other functions take any index. */
    SUCCEEDS(backoff_policy_delay_ns(&memory.policy, 42, UINT32_MAX, &memory.numbers[1]));
    SUCCEEDS(backoff_policy_fill_ns(&memory.policy, 42, 80, &memory.numbers[1], 4,
                                    &memory.written));
    check_number(id, "length of a batch after the end", memory.written, 4);
  }
  start();
  SUCCEEDS(backoff_policy_max_retries(&memory.policy, &memory.numbers[1]));
  check_number("no limit", "max_retries", memory.numbers[1], INDICES);
}

/* A preview at its end is unchanged. */
static void check_previews(void) {
  static const char *const strings[] = {"constant:base=10ns,max_retries=1",
                                      "constant:base=10ns,max_elapsed=19ns"};
  for (size_t i = 0; i < LENGTH(strings); i++) {
    backoff_policy policy;
    SUCCEEDS(backoff_policy_parse(&policy, strings[i], strlen(strings[i]), NULL));
    SUCCEEDS(backoff_preview_init(&memory.preview, &policy));
    SUCCEEDS(backoff_preview_next(&memory.preview, &memory.row));
    check_number(strings[i], "total", memory.row.total_max_ns, 10);
    for (int twice = 0; twice < 2; twice++) {
      FAILS(BACKOFF_END, backoff_preview_next(&memory.preview, &memory.row));
    }
  }
}

/* A policy may be fitted in place, and stats may be merged with themselves. */
static void check_same_memory(void) {
  backoff_policy policy = memory.policy;
  char text[BACKOFF_TEXT_SIZE] = "";
  SUCCEEDS(backoff_policy_fit_base(&policy, 3, 100, &policy, NULL));
  SUCCEEDS(backoff_policy_print(&policy, text, sizeof text));
  check_text("fitted in place", "string", text, "constant:base=50ns");

  backoff_stats stats;
  SUCCEEDS(backoff_stats_init(&stats));
  SUCCEEDS(backoff_stats_record(&stats, 3, BACKOFF_REASON_DEADLINE));
  SUCCEEDS(backoff_stats_merge(&stats, &stats));
  SUCCEEDS(backoff_stats_read(&stats, &memory.counts));
  check_number("merged with itself", "operations", memory.counts.operations, 2);
  check_number("merged with itself", "attempts", memory.counts.attempts, 6);
  check_number("merged with itself", "stops", memory.counts.stops[BACKOFF_REASON_DEADLINE - 1], 2);
}

/* Counts stop at 2^64 - 1, and the page holds such counts. */
static void check_full_counts(void) {
  backoff_stats stats;
  SUCCEEDS(backoff_stats_init(&stats));
  for (uint32_t reason = BACKOFF_REASON_SUCCESS; reason <= BACKOFF_REASON_CANCELLED; reason++) {
    SUCCEEDS(backoff_stats_record(&stats, reason, reason));
  }
  for (int doubled = 0; doubled < 65; doubled++) SUCCEEDS(backoff_stats_merge(&stats, &stats));
  SUCCEEDS(backoff_stats_record(&stats, UINT64_MAX, BACKOFF_REASON_SUCCESS));
  SUCCEEDS(backoff_stats_read(&stats, &memory.counts));
  check_number("full counts", "operations", memory.counts.operations, UINT64_MAX);
  check_number("full counts", "attempts", memory.counts.attempts, UINT64_MAX);
  check_number("full counts", "retries", memory.counts.retries, UINT64_MAX);
  check_number("full counts", "first bucket", memory.counts.buckets[0], UINT64_MAX);
  check_number("full counts", "last bucket", memory.counts.buckets[11], 1);
  check_number("full counts", "stops", memory.counts.stops[6], UINT64_MAX);
  SUCCEEDS(backoff_stats_print(&stats, memory.page, BACKOFF_STATS_SIZE));
  check_true("full counts", "the last line is complete",
             strstr(memory.page, "{reason=\"cancelled\"} 18446744073709551615\n") != NULL);
  SUCCEEDS(backoff_stats_init(&stats));
  SUCCEEDS(backoff_stats_read(&stats, &memory.counts));
  check_number("stats after a second init", "operations", memory.counts.operations, 0);
}

/* An operation that ended made at least one attempt. */
static void check_no_attempts(void) {
  backoff_stats stats;
  SUCCEEDS(backoff_stats_init(&stats));
  SUCCEEDS(backoff_stats_record(&stats, 0, BACKOFF_REASON_CANCELLED));
  SUCCEEDS(backoff_stats_read(&stats, &memory.counts));
  check_number("no attempts", "operations", memory.counts.operations, 1);
  check_number("no attempts", "attempts", memory.counts.attempts, 1);
  check_number("no attempts", "retries", memory.counts.retries, 0);
  check_number("no attempts", "first bucket", memory.counts.buckets[0], 1);
}

/* Stream n of a seed is the stream of the key LE64(n) (SPEC 3.4). */
static void check_nth(void) {
  static const unsigned char keys[][8] = {
      {0}, {1}, {0, 1}, {255, 255, 255, 255, 255, 255, 255, 255}};
  static const uint64_t numbers[] = {0, 1, 256, UINT64_MAX};
  for (size_t i = 0; i < LENGTH(numbers); i++) {
    uint64_t nth = 0, of_key = 1;
    SUCCEEDS(backoff_stream_nth(42, numbers[i], &nth));
    SUCCEEDS(backoff_stream_from_key(42, keys[i], sizeof keys[i], &of_key));
    check_number("stream of a number", "stream", nth, of_key);
  }
}

static void check_entropy(void) {
  uint64_t one = 0, other = 0;
  SUCCEEDS(backoff_stream_from_entropy(&one));
  SUCCEEDS(backoff_stream_from_entropy(&other));
  check_true("entropy", "two streams differ", one != other);
}

int main(void) {
  start();
  check_copies();
  check_batches();
  check_iterators();
  check_limits();
  check_previews();
  check_same_memory();
  check_full_counts();
  check_no_attempts();
  check_nth();
  check_entropy();
  return check_end();
}
