/* A loop that prints what it sees. test_growth.py compiles it against today's header, and with LATER against the one of a
 * later version (grown.py), and runs it on both libraries.
 *
 * Usage: grown POLICY */

#include <backoff.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t clock_ns = 1000;

static backoff_outcome attempt(void *context, uint64_t *retry_after_ns) {
  (void)context;
  (void)retry_after_ns;
  return BACKOFF_OUTCOME_TRANSIENT;
}

static uint64_t now(void *context) {
  (void)context;
  return clock_ns;
}

static uint32_t wait_until(void *context, uint64_t delay_ns) {
  (void)context;
  clock_ns += delay_ns;
  return 0;
}

static void print_event(void *context, const backoff_loop_event *event) {
  /* An unknown reason is a stop. */
  const char *what = event->reason == BACKOFF_REASON_NONE ? "wait" : "stop";
  (void)context;
  printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %s", what, event->attempts, event->delay_ns,
         event->elapsed_ns, backoff_outcome_name(event->outcome), backoff_reason_name(event->reason));
#ifdef LATER
  printf(" began %" PRIu64, event->began_ns);
#endif
  printf("\n");
}

#ifdef LATER
static void print_begin(void *context) {
  (void)context;
  printf("begin\n");
}
#endif

/* The library must not write more than today's structs have. */
static struct {
  backoff_policy policy;
  uint64_t after_policy;
  backoff_stats stats;
  uint64_t after_stats;
  backoff_loop_event end;
  uint64_t after_end;
} memory;

int main(int count, char **arguments) {
  backoff_loop loop = {0};
  backoff_code code;
  uint64_t stopped;
  memset(&memory, 0xa5, sizeof memory);
  if (count != 2 || backoff_stats_init(&memory.stats) != BACKOFF_OK ||
      backoff_policy_parse(&memory.policy, arguments[1], strlen(arguments[1]), NULL) != BACKOFF_OK)
    return 2;
  loop.attempt = attempt;
  loop.now = now;
  loop.wait = wait_until;
  loop.on_retry = print_event;
  loop.on_stop = print_event;
  loop.policy = &memory.policy;
  loop.stats = &memory.stats;
#ifdef LATER
  loop.on_begin = print_begin;
#endif
  code = backoff_retry(&loop, 1, NULL, &memory.end);
  printf("%s\n", backoff_code_name(code));
  if (code == BACKOFF_OK) print_event(NULL, &memory.end);
  for (uint32_t reason = BACKOFF_REASON_SUCCESS;
       backoff_stats_stopped(&memory.stats, (backoff_reason)reason, &stopped) == BACKOFF_OK; reason++)
    if (stopped > 0) printf("%s %" PRIu64 "\n", backoff_reason_name((backoff_reason)reason), stopped);
#ifdef CALLS_LATER
  printf("%u\n", backoff_later());
#endif
  return (memory.after_policy & memory.after_stats & memory.after_end) == UINT64_C(0xa5a5a5a5a5a5a5a5) ? 0 : 3;
}
