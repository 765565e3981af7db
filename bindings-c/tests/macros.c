/* The types of the macros. The compiler checks each format, because warnings are errors. */

#include <backoff.h>

#include "check.h"

#define PRINTS(format, macro)                                \
  do {                                                       \
    char text[32];                                           \
    snprintf(text, sizeof text, "%" format, macro);          \
    check_true(#macro, "it is unsigned", (macro)*0 - 1 > 0); \
  } while (0)

int main(void) {
  uint64_t delay_ns = 90 * BACKOFF_SECOND;
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64 " s", delay_ns / BACKOFF_SECOND);
  check_text("a quotient", "text", text, "90 s");

  PRINTS(PRIu64, BACKOFF_NANOSECOND);
  PRINTS(PRIu64, BACKOFF_MICROSECOND);
  PRINTS(PRIu64, BACKOFF_MILLISECOND);
  PRINTS(PRIu64, BACKOFF_SECOND);
  PRINTS(PRIu64, BACKOFF_MAX_NS);
  PRINTS(PRIu64, BACKOFF_NONE);
  PRINTS(PRIu32, BACKOFF_VERSION);
  PRINTS(PRIu32, BACKOFF_FIELD_GROWTH);
  PRINTS(PRIu32, BACKOFF_GROWTH_CONSTANT);
  PRINTS(PRIu32, BACKOFF_JITTER_FULL);
  PRINTS(PRIu32, BACKOFF_CAP_ON_DELAY);
  PRINTS(PRIu32, BACKOFF_RETRY_AFTER_EXACT);
  PRINTS(PRIu32, BACKOFF_OUTCOME_SUCCESS);
  PRINTS(PRIu32, BACKOFF_OUTCOME_PERMANENT);
  PRINTS(PRIu32, BACKOFF_REASON_SUCCESS);
  PRINTS(PRIu32, BACKOFF_REASON_CANCELLED);
  PRINTS(PRIu32, BACKOFF_OK);
  PRINTS(PRIu32, BACKOFF_UNKNOWN_REASON);
  PRINTS(PRIu32, BACKOFF_TEXT_KIND_POLICY);
  PRINTS(PRIu32, BACKOFF_TEXT_SIZE);
  PRINTS(PRIu32, BACKOFF_STATS_SIZE);
  return check_end();
}
