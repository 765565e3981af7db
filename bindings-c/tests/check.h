/* Checks that count passes and failures, and print the case of each failure. */

#ifndef BACKOFF_CHECK_H
#define BACKOFF_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
/* A number that no function writes by chance. */
#define CANARY UINT64_C(0xA5A5A5A5A5A5A5A5)

static unsigned long check_passed, check_failed;

static inline int check_true(const char *id, const char *what, int holds) {
  if (holds) {
    check_passed++;
  } else {
    check_failed++;
    printf("FAIL %s: %s\n", id, what);
  }
  return holds;
}

static inline int check_number(const char *id, const char *what, uint64_t got, uint64_t want) {
  if (got == want) return check_true(id, what, 1);
  check_failed++;
  printf("FAIL %s: %s is %" PRIu64 ", expected %" PRIu64 "\n", id, what, got, want);
  return 0;
}

static inline int check_text(const char *id, const char *what, const char *got,
                             const char *want) {
  if (strcmp(got, want) == 0) return check_true(id, what, 1);
  check_failed++;
  printf("FAIL %s: %s is \"%s\", expected \"%s\"\n", id, what, got, want);
  return 0;
}

/* The last line and the exit code of a test program. A program without checks fails. */
static inline int check_end(void) {
  printf("%lu passed, %lu failed\n", check_passed, check_failed);
  return check_failed > 0 || check_passed == 0;
}

#endif
