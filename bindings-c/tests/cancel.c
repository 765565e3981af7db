/* Loops that another thread cancels at random moments: before the loop begins, during an attempt,
 * and during a wait. They end at once, and leave no file open and nothing in the budget. */

#include <backoff.h>

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define THREADS 4
#define LOOPS 250 /* per thread */
/* Far above the delays of a busy machine, far below the minutes that a loop would take. */
#define PROMPT (2 * BACKOFF_SECOND)

static backoff_budget budget; /* shared by all loops */
static backoff_stats stats;   /* shared by all loops */

/* A loop and its cancellation. */
struct cancelled_loop {
  int pipe[2];           /* contains a byte after the cancellation */
  uint64_t moment_ns;    /* the time of the cancellation after the loop begins */
  uint64_t cancelled_ns; /* the actual time on the clock */
  uint64_t attempts, retries, stops;
  backoff_event last;
};

/* The findings of a thread. Only the first thread prints. */
struct findings {
  unsigned seed;
  unsigned long before, in_attempt, in_wait, wrong;
  uint64_t slowest_ns;
};

static uint64_t now(void *context) {
  struct timespec time;
  (void)context;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * BACKOFF_SECOND + (uint64_t)time.tv_nsec;
}

/* Returns 0 after the delay, or 1 as soon as the pipe contains a byte. */
static uint32_t wait_for(void *context, uint64_t delay_ns) {
  struct cancelled_loop *loop = context;
  struct pollfd fd = {.fd = loop->pipe[0], .events = POLLIN};
  uint64_t until_ns = now(NULL) + delay_ns, now_ns;
  while ((now_ns = now(NULL)) < until_ns) {
    uint64_t ms = (until_ns - now_ns - 1) / BACKOFF_MILLISECOND + 1;
    if (poll(&fd, 1, ms < 1000 ? (int)ms : 1000) > 0) return 1;
  }
  return 0;
}

static uint32_t cancelled(void *context) {
  struct cancelled_loop *loop = context;
  struct pollfd fd = {.fd = loop->pipe[0], .events = POLLIN};
  return poll(&fd, 1, 0) > 0;
}

/* Takes a millisecond, and allocates memory so that a leak would show. */
static uint32_t attempt(void *context, uint64_t *retry_after_ns) {
  struct cancelled_loop *loop = context;
  char *answer = malloc(64);
  (void)retry_after_ns;
  loop->attempts++;
  wait_for(context, BACKOFF_MILLISECOND);
  free(answer);
  return BACKOFF_OUTCOME_TRANSIENT;
}

static void on_retry(void *context, const backoff_event *event) {
  struct cancelled_loop *loop = context;
  loop->retries++;
  loop->last = *event;
}

static void on_stop(void *context, const backoff_event *event) {
  struct cancelled_loop *loop = context;
  loop->stops++;
  loop->last = *event;
}

static void *cancel(void *argument) {
  struct cancelled_loop *loop = argument;
  struct timespec moment = {0, (long)loop->moment_ns};
  nanosleep(&moment, NULL);
  loop->cancelled_ns = now(NULL);
  if (write(loop->pipe[1], "", 1) != 1) abort();
  return NULL;
}

static uint32_t run_loop(struct cancelled_loop *loop, backoff_event *end) {
  /* Every second wait is far longer than the test. */
  static const char text[] = "exponential:base=1ms,multiplier=1000";
  backoff_policy policy;
  backoff_policy_parse(&policy, text, sizeof text - 1, NULL);
  const backoff_loop functions = {attempt, now, wait_for, cancelled, on_retry, on_stop,
                                  &policy, &budget, &stats, 0};
  return backoff_retry(&functions, 1, loop, end);
}

/* One loop, cancelled within its first 4 ms, in which its second wait begins. */
static void run_once(struct findings *findings, int before) {
  struct cancelled_loop loop = {.moment_ns = (uint64_t)rand_r(&findings->seed) % 4000000};
  backoff_event end = {0};
  pthread_t thread;
  if (pipe(loop.pipe) != 0) abort();
  if (before) {
    loop.moment_ns = 0;
    cancel(&loop);
  } else if (pthread_create(&thread, NULL, cancel, &loop) != 0) {
    abort();
  }
  uint32_t code = run_loop(&loop, &end);
  uint64_t ended_ns = now(NULL);
  if (!before) pthread_join(thread, NULL);
  close(loop.pipe[0]);
  close(loop.pipe[1]);

  uint64_t took_ns = ended_ns - loop.cancelled_ns;
  if (took_ns > findings->slowest_ns) findings->slowest_ns = took_ns;
  if (end.attempts == 0) {
    findings->before++;
  } else if (loop.retries == end.attempts) {
    findings->in_wait++;
  } else {
    findings->in_attempt++;
  }
  findings->wrong += code != BACKOFF_OK || end.reason != BACKOFF_REASON_CANCELLED ||
                     loop.stops != 1 || end.attempts != loop.attempts ||
                     loop.retries + 1 < end.attempts || end.outcome != 0 ||
                     end.delay_ns != 0 || memcmp(&end, &loop.last, sizeof end) != 0 ||
                     ended_ns < loop.cancelled_ns;
}

static void *run(void *argument) {
  for (int i = 0; i < LOOPS; i++) run_once(argument, i % 10 == 0);
  return NULL;
}

static unsigned open_files(void) {
  unsigned count = 0;
  DIR *folder = opendir("/dev/fd");
  if (folder == NULL) abort();
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

/* The budget grants no retry to one operation, and one to two operations. */
static void check_idle(void) {
  backoff_policy policy;
  backoff_operation one, two;
  backoff_decision decisions[3];
  backoff_policy_parse(&policy, "constant:base=0s", 16, NULL);
  backoff_operation_begin(&one, &policy, 1, 0, BACKOFF_NONE, &budget);
  backoff_operation_decide(&one, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE, 0, &budget,
                           &decisions[0]);
  backoff_operation_begin(&one, &policy, 1, 0, BACKOFF_NONE, &budget);
  backoff_operation_begin(&two, &policy, 1, 0, BACKOFF_NONE, &budget);
  backoff_operation_decide(&one, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE, 0, &budget,
                           &decisions[1]);
  backoff_operation_decide(&two, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE, 0, &budget,
                           &decisions[2]);
  check_number("budget", "stop of one operation", decisions[0].reason, BACKOFF_REASON_BUDGET);
  check_number("budget", "stop of the first of two", decisions[1].reason, 0);
  check_number("budget", "stop of the second", decisions[2].reason, BACKOFF_REASON_BUDGET);
}

/* Waits are never shorter than their delay on the clock of the loop. */
static void check_waits(void) {
  static const uint64_t delays_ns[] = {0, 1, 999, 1000001, 2999999, 12345678};
  struct cancelled_loop loop = {.pipe = {-1, -1}};
  for (size_t i = 0; i < LENGTH(delays_ns); i++) {
    uint64_t began_ns = now(NULL);
    check_number("wait", "cancelled", wait_for(&loop, delays_ns[i]), 0);
    check_true("wait", "it is not shorter", now(NULL) - began_ns >= delays_ns[i]);
  }
}

int main(void) {
  static const char text[] = "concurrent:min_concurrent=0,ratio=0.5";
  struct findings findings[THREADS] = {{0}}, all = {0};
  backoff_policy policy;
  backoff_operation others[2 * THREADS];
  backoff_stats_counts counts;
  pthread_t threads[THREADS];
  unsigned open = open_files();
  check_waits();
  check_number("budget", "code", backoff_budget_parse(&budget, text, sizeof text - 1, NULL),
               BACKOFF_OK);
  check_number("stats", "code", backoff_stats_init(&stats), BACKOFF_OK);
  backoff_policy_parse(&policy, "default", 7, NULL);
  /* Operations under way, so that the budget has retries to grant. */
  for (size_t i = 0; i < LENGTH(others); i++) {
    backoff_operation_begin(&others[i], &policy, 1, 0, BACKOFF_NONE, &budget);
  }
  for (unsigned i = 0; i < THREADS; i++) {
    findings[i].seed = i + 1;
    if (pthread_create(&threads[i], NULL, run, &findings[i]) != 0) abort();
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    all.before += findings[i].before;
    all.in_attempt += findings[i].in_attempt;
    all.in_wait += findings[i].in_wait;
    all.wrong += findings[i].wrong;
    if (findings[i].slowest_ns > all.slowest_ns) all.slowest_ns = findings[i].slowest_ns;
  }
  for (size_t i = 0; i < LENGTH(others); i++) {
    backoff_operation_cancel(&others[i], &budget, NULL);
  }
  check_number("loops", "wrong ends", all.wrong, 0);
  check_true("loops", "every moment occurs",
             all.before >= THREADS * LOOPS / 10 && all.in_attempt > 10 && all.in_wait > 10);
  check_true("loops", "all ended promptly", all.slowest_ns < PROMPT);
  check_number("stats", "code", backoff_stats_read(&stats, &counts), BACKOFF_OK);
  check_number("stats", "loops", counts.operations, THREADS * LOOPS);
  check_number("stats", "cancelled", counts.stops[BACKOFF_REASON_CANCELLED - 1], THREADS * LOOPS);
  check_idle();
  check_number("files", "open", open_files(), open);
  printf("cancelled before %lu, in an attempt %lu, in a wait %lu; slowest %" PRIu64 " us\n",
         all.before, all.in_attempt, all.in_wait, all.slowest_ns / 1000);
  return check_end();
}
