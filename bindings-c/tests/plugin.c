/* A plugin that has libbackoff.a inside: tests/library.sh builds it, and load.c loads it. */

#include <backoff.h>

#include <stddef.h>

/* The first delay of a policy; 0 after an error. */
uint64_t first_delay(void);

uint64_t first_delay(void) {
  static const char text[] = "full:base=100ms,cap=20s";
  backoff_policy policy;
  uint64_t stream, delay_ns;
  if (backoff_policy_parse(&policy, text, sizeof text - 1, NULL) != BACKOFF_OK ||
      backoff_stream_from_key(42, "job-1", 5, &stream) != BACKOFF_OK ||
      backoff_policy_delay_ns(&policy, stream, 0, &delay_ns) != BACKOFF_OK) {
    return 0;
  }
  return delay_ns;
}
