/* The harness of C: see ../README.md for its arguments. */

#include <backoff.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "works.h"

enum { SAMPLES = 20 };

static volatile uint64_t sink;

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static uint64_t run_ns(const struct entry *entry, uint64_t times) {
  uint64_t begin = now_ns();
  sink = entry->run(times);
  return now_ns() - begin;
}

static int ascending(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

/* The median of samples that last for some milliseconds together. */
static double measure_ns(const struct entry *entry, uint64_t milliseconds) {
  uint64_t least = milliseconds * UINT64_C(1000000) / SAMPLES, times = 1;
  while (run_ns(entry, times) < least) times *= 2;
  double samples[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) samples[i] = (double)run_ns(entry, times) / (double)times;
  qsort(samples, SAMPLES, sizeof samples[0], ascending);
  return (samples[SAMPLES / 2 - 1] + samples[SAMPLES / 2]) / 2;
}

static void measure(const struct entry *entry) {
  const char *time = getenv("BENCH_TIME_MS");
  double ns = measure_ns(entry, time != NULL ? strtoull(time, NULL, 10) : 100);
  printf("{\"work\": \"%s\", \"by\": \"%s\", \"ns\": %.4f}\n", entry->work, entry->by, ns);
}

static int measure_all(const char *work) {
  const struct entry *first = entries, *last;
  while (first->work != NULL && strcmp(first->work, work) != 0) first++;
  if (first->work == NULL) return 1;
  for (last = first; last[1].work != NULL && strcmp(last[1].work, work) == 0; last++) {}
  if (getenv("BENCH_REVERSED") == NULL) {
    for (const struct entry *entry = first; entry <= last; entry++) measure(entry);
  } else {
    for (const struct entry *entry = last + 1; entry-- > first;) measure(entry);
  }
  return 0;
}

static int count(const char *work, const char *by, const char *times) {
  for (const struct entry *entry = entries; entry->work != NULL; entry++) {
    if (strcmp(entry->work, work) == 0 && strcmp(entry->by, by) == 0) {
      sink = entry->run(strtoull(times, NULL, 10));
      return 0;
    }
  }
  return 1;
}

static void works(void) {
  const char *last = "";
  for (const struct entry *entry = entries; entry->work != NULL; entry++) {
    if (strcmp(entry->work, last) != 0) puts(entry->work);
    last = entry->work;
  }
}

/* What is written by hand without rand() computes what we compute. */
static int check(void) {
  uint64_t ours = 0;
  for (const struct entry *entry = entries; entry->work != NULL; entry++) {
    uint64_t sum = entry->run(1000);
    if (strcmp(entry->by, "ours") == 0) ours = sum;
    if (ours == 0 || (strcmp(entry->by, "by hand (inline)") == 0 && sum != ours)) {
      fprintf(stderr, "%s, %s: %" PRIu64 ", ours %" PRIu64 "\n", entry->work, entry->by, sum, ours);
      return 1;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *verb = argc > 1 ? argv[1] : "";
  prepare();
  if (strcmp(verb, "works") == 0) return works(), 0;
  if (strcmp(verb, "measure") == 0 && argc == 3) return measure_all(argv[2]);
  if (strcmp(verb, "count") == 0 && argc == 5) return count(argv[2], argv[3], argv[4]);
  if (strcmp(verb, "check") == 0) return check();
  if (strcmp(verb, "versions") == 0) {
    printf("{\"name\": \"compiler\", \"version\": \"%s\"}\n", __VERSION__);
    return 0;
  }
  fprintf(stderr, "usage: works | measure WORK | count WORK BY N | check | versions\n");
  return 2;
}
