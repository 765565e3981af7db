/* Output texts in buffers of every size, and ratios as text. */

#include "memory.h"

/* Every function that writes a text, in the form that check_sizes calls. */
static uint32_t write_message(char *buffer, uint64_t size) {
  return backoff_error_message(&memory.error, buffer, size);
}
static uint32_t write_policy(char *buffer, uint64_t size) {
  return backoff_policy_print(&memory.policy, buffer, size);
}
static uint32_t write_budget(char *buffer, uint64_t size) {
  return backoff_budget_print(&memory.budget, buffer, size);
}
static uint32_t write_stats(char *buffer, uint64_t size) {
  return backoff_stats_print(&memory.stats, buffer, size);
}

/* A buffer receives the text and its terminating zero. If it is too small, it receives nothing, or
 * an empty string in place of a message. */
static void check_sizes(uint32_t (*write)(char *, uint64_t), const char *text) {
  size_t needed = strlen(text) + 1;
  for (size_t size = 0; size < needed; size++) {
    memset(memory.page, 0x5A, sizeof memory.page);
    remember();
    check_code(text, write(memory.page, size), BACKOFF_BUFFER_TOO_SMALL);
    if (write == write_message && size > 0) before.page[0] = '\0';
    check_unchanged(text);
  }
  for (size_t size = needed; size <= needed + 1; size++) {
    memset(memory.page, 0x5A, sizeof memory.page);
    remember();
    SUCCEEDS(write(memory.page, size));
    memcpy(before.page, text, needed);
    check_unchanged(text);
  }
  remember();
  SUCCEEDS(write(memory.page, UINT64_MAX));
  check_unchanged(text);
}

static void check_text_sizes(void) {
  char page[BACKOFF_STATS_SIZE] = "";
  check_sizes(write_message, "cap 5ns is below base 10ns");
  check_sizes(write_policy, "constant:base=10ns");
  check_sizes(write_budget, "quota:max_tokens=2,cost=1");
  SUCCEEDS(backoff_stats_print(&memory.stats, page, sizeof page));
  check_sizes(write_stats, page);
}

static void check_ratios(void) {
  static const struct {
    const char *text;
    size_t length;
    uint32_t code, numerator, denominator;
  } rows[] = {
      {"1.6", 3, BACKOFF_OK, 8, 5},
      {"8/5", 3, BACKOFF_OK, 8, 5},
      {"160%", 4, BACKOFF_OK, 8, 5},
      {"16/10", 5, BACKOFF_OK, 8, 5},
      {"1.600000000000000000000000", 26, BACKOFF_OK, 8, 5},
      {"1.6 and more", 3, BACKOFF_OK, 8, 5},
      {"2", 1, BACKOFF_OK, 2, 1},
      {"16e-1", 5, BACKOFF_OK, 8, 5},
      {"0.16E+1", 7, BACKOFF_OK, 8, 5},
      {"1e3", 3, BACKOFF_OK, 1000, 1},
      {"1e-07", 5, BACKOFF_OK, 1, 10000000},
      {"0e999999999999999999999", 23, BACKOFF_OK, 0, 1},
      {"0", 1, BACKOFF_OK, 0, 1},
      {"0/7", 3, BACKOFF_OK, 0, 1},
      {"0.0", 3, BACKOFF_OK, 0, 1},
      {"0.000001", 8, BACKOFF_OK, 1, 1000000},
      {"1000000", 7, BACKOFF_OK, 1000000, 1},
      {"4294967296/8589934592", 21, BACKOFF_OK, 1, 2},
      {"1000001", 7, BACKOFF_OK, 1000001, 1},
      {"0.0000001", 9, BACKOFF_OK, 1, 10000000},
      {"4294967295", 10, BACKOFF_OK, 4294967295u, 1},
      {"4294967296", 10, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"0.0000000001", 12, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"1e10", 4, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"1e-10", 5, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"1/4294967296", 12, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"18446744073709551616", 20, BACKOFF_RATIO_TOO_FINE, 0, 0},
      {"1/0", 3, BACKOFF_ZERO_DENOMINATOR, 0, 0},
      {"0/0", 3, BACKOFF_ZERO_DENOMINATOR, 0, 0},
      {"", 0, BACKOFF_NOT_A_RATIO, 0, 0},
      {"2", UINT64_MAX, BACKOFF_TOO_LONG, 0, 0},
      {"2", (uint64_t)INT64_MAX + 1, BACKOFF_TOO_LONG, 0, 0},
      {"2", 0, BACKOFF_NOT_A_RATIO, 0, 0},
      {"2\0", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1.", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {".5", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1.5.2", 5, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1/", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"/1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1/2/3", 5, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1.5/2", 5, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1,6", 3, BACKOFF_NOT_A_RATIO, 0, 0},
      {"-1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"+1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {" 1", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1e", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"e3", 2, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1e-", 3, BACKOFF_NOT_A_RATIO, 0, 0},
      {"1e1.5", 5, BACKOFF_NOT_A_RATIO, 0, 0},
      {"3/2e1", 5, BACKOFF_NOT_A_RATIO, 0, 0},
      {"5e1%", 4, BACKOFF_NOT_A_RATIO, 0, 0},
      {"0x10", 4, BACKOFF_NOT_A_RATIO, 0, 0},
      {"nan", 3, BACKOFF_NOT_A_RATIO, 0, 0},
      {"\xFF", 1, BACKOFF_NOT_A_RATIO, 0, 0},
  };
  for (size_t i = 0; i < LENGTH(rows); i++) {
    remember();
    check_code(rows[i].text,
               backoff_ratio_parse(rows[i].text, rows[i].length, &memory.numerator,
                                   &memory.denominator),
               rows[i].code);
    if (rows[i].code == BACKOFF_OK) {
      before.numerator = rows[i].numerator;
      before.denominator = rows[i].denominator;
    }
    check_unchanged(rows[i].text);
  }
}

int main(void) {
  start();
  check_text_sizes();
  check_ratios();
  return check_end();
}
