/* The vectors of Retry-After headers, HTTP statuses and stats through the installed library. */

#include <backoff.h>

#include "check.h"
#include "vectors.h"

static void check_retry_after(void) {
  check_number("retry_after", "count", LENGTH(retry_after), RETRY_AFTER_COUNT);
  for (size_t i = 0; i < LENGTH(retry_after); i++) {
    struct retry_after_vector row = retry_after[i];
    uint64_t retry_after_ns = CANARY;
    uint32_t code = backoff_parse_retry_after(row.value.bytes, row.value.length, row.now,
                                              &retry_after_ns);
    check_text(row.id, "code", backoff_code_name(code), row.is_valid ? "ok" : "not_a_retry_after");
    check_number(row.id, "Retry-After", retry_after_ns,
                 row.is_valid ? row.retry_after : CANARY);
  }
}

static void check_http_statuses(void) {
  static const uint32_t above[] = {1000, 65535, 65536 + 200, 65536 + 503, 1u << 31, UINT32_MAX};
  check_number("http_statuses", "count", LENGTH(http_statuses), HTTP_STATUSES_COUNT);
  for (size_t i = 0; i < LENGTH(http_statuses); i++) {
    struct http_status_vector row = http_statuses[i];
    check_number(row.id, "outcome of the status", backoff_http_outcome(row.status), row.outcome);
  }
  for (size_t i = 0; i < LENGTH(above); i++) {
    check_number("above all statuses", "outcome", backoff_http_outcome(above[i]),
                 BACKOFF_OUTCOME_PERMANENT);
  }
}

static void check_http_responses(void) {
  check_number("http_responses", "count", LENGTH(http_responses), HTTP_RESPONSES_COUNT);
  for (size_t i = 0; i < LENGTH(http_responses); i++) {
    struct http_response_vector row = http_responses[i];
    uint64_t retry_after_ns = CANARY;
    uint32_t code = backoff_http_retry_after(row.status, row.fields.bytes, row.fields.length,
                                             row.now, &retry_after_ns);
    check_text(row.id, "code", backoff_code_name(code), row.is_valid ? "ok" : "not_a_retry_after");
    check_number(row.id, "retry_after", retry_after_ns,
                 row.is_valid ? row.retry_after : CANARY);
  }
}

static void check_http_methods(void) {
  check_number("http_methods", "count", LENGTH(http_methods), HTTP_METHODS_COUNT);
  for (size_t i = 0; i < LENGTH(http_methods); i++) {
    struct http_method_vector row = http_methods[i];
    check_number(row.id, "idempotent",
                 backoff_is_idempotent_method(row.method.bytes, row.method.length),
                 (uint64_t)row.is_idempotent);
  }
}

static uint64_t add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* Records rows in stats, and adds them up by hand. */
static void record(const char *id, backoff_stats *recorded, struct records records,
                   backoff_stats_counts *sums) {
  for (size_t i = 0; i < records.count; i++) {
    struct record row = records.records[i];
    for (uint64_t time = 0; time < row.times; time++) {
      check_number(id, "code of record",
                   backoff_stats_record(recorded, row.attempts, row.reason), BACKOFF_OK);
      sums->operations++;
      sums->retries = add(sums->retries, row.attempts > 0 ? row.attempts - 1 : 0);
      sums->stops[row.reason - 1]++;
    }
  }
}

static void check_counts(const char *id, const backoff_stats *recorded,
                         backoff_stats_counts want) {
  static const uint64_t bounds[] = {1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50}; /* SPEC 17.1 */
  backoff_stats_counts counts;
  uint64_t operations = 0;
  memset(&counts, 0xA5, sizeof counts);
  check_number(id, "code of read", backoff_stats_read(recorded, &counts), BACKOFF_OK);
  check_number(id, "operations", counts.operations, want.operations);
  check_number(id, "retries", counts.retries, want.retries);
  check_number(id, "attempts", counts.attempts, add(want.operations, want.retries));
  for (size_t i = 0; i < LENGTH(counts.buckets); i++) operations += counts.buckets[i];
  for (size_t i = 0; i < LENGTH(bounds); i++) {
    check_number(id, "bound", counts.bounds[i], bounds[i]);
  }
  check_number(id, "operations in buckets", operations, want.operations);
  for (size_t i = 0; i < LENGTH(counts.stops); i++) {
    check_number(id, backoff_reason_name((uint32_t)i + 1), counts.stops[i], want.stops[i]);
  }
}

static void check_stats(void) {
  check_number("stats", "count", LENGTH(stats), STATS_COUNT);
  for (size_t i = 0; i < LENGTH(stats); i++) {
    struct stats_vector row = stats[i];
    backoff_stats recorded, more;
    backoff_stats_counts counts;
    char text[BACKOFF_STATS_SIZE] = "";
    memset(&counts, 0, sizeof counts);
    check_number(row.id, "code of init", backoff_stats_init(&recorded), BACKOFF_OK);
    check_number(row.id, "code of init", backoff_stats_init(&more), BACKOFF_OK);
    record(row.id, &recorded, row.records, &counts);
    record(row.id, &more, row.more, &counts);
    check_number(row.id, "code of merge", backoff_stats_merge(&recorded, &more), BACKOFF_OK);
    check_counts(row.id, &recorded, counts);
    check_number(row.id, "code of print", backoff_stats_print(&recorded, text, sizeof text),
                 BACKOFF_OK);
    check_text(row.id, "print", text, row.text);
  }
}

int main(void) {
  check_retry_after();
  check_http_statuses();
  check_http_responses();
  check_http_methods();
  check_stats();
  return check_end();
}
