/* Loops that are given up from another thread, at random moments: before they begin, during an
 * attempt and during a wait. They end at once and leave nothing behind. */

#include <backoff.h>

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define THREADS 4
#define LOOPS 250 /* of a thread */
/* Far beyond what a busy machine adds, far below what a loop would go on for: minutes. */
#define PROMPT (2 * BACKOFF_SECOND)

static backoff_budget budget;   /* of all loops */
static backoff_history history; /* of all loops */

/* A loop, and who gives it up. */
struct given_up {
  int pipe[2];          /* has a byte once it is given up */
  uint64_t moment_ns;   /* when, after the loop begins */
  uint64_t given_up_ns; /* when it was */
  uint64_t attempts, retries, stops;
  backoff_event last;
};

/* What a thread has found, as only the first thread prints. */
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

/* Waits so long and returns 0, or anything else as soon as there is a byte in the pipe. */
static uint32_t wait_for(void *context, uint64_t delay_ns) {
  struct given_up *given_up = context;
  struct pollfd fd = {.fd = given_up->pipe[0], .events = POLLIN};
  uint64_t until_ns = now(NULL) + delay_ns, now_ns;
  while ((now_ns = now(NULL)) < until_ns) {
    uint64_t ms = (until_ns - now_ns - 1) / BACKOFF_MILLISECOND + 1;
    if (poll(&fd, 1, ms < 1000 ? (int)ms : 1000) > 0) return 1;
  }
  return 0;
}

static uint32_t cancelled(void *context) {
  struct given_up *given_up = context;
  struct pollfd fd = {.fd = given_up->pipe[0], .events = POLLIN};
  return poll(&fd, 1, 0) > 0;
}

/* Takes a millisecond, and allocates what it frees. */
static uint32_t attempt(void *context, uint64_t *hint_ns) {
  struct given_up *given_up = context;
  char *answer = malloc(64);
  (void)hint_ns;
  given_up->attempts++;
  wait_for(context, BACKOFF_MILLISECOND);
  free(answer);
  return BACKOFF_OUTCOME_TRANSIENT;
}

static void on_retry(void *context, const backoff_event *event) {
  struct given_up *given_up = context;
  given_up->retries++;
  given_up->last = *event;
}

static void on_stop(void *context, const backoff_event *event) {
  struct given_up *given_up = context;
  given_up->stops++;
  given_up->last = *event;
}

static void *give_up(void *argument) {
  struct given_up *given_up = argument;
  struct timespec moment = {0, (long)given_up->moment_ns};
  nanosleep(&moment, NULL);
  given_up->given_up_ns = now(NULL);
  if (write(given_up->pipe[1], "", 1) != 1) abort();
  return NULL;
}

static uint32_t run_loop(struct given_up *given_up, backoff_event *end) {
  static const backoff_calls calls = {attempt, now, wait_for, cancelled, on_retry, on_stop};
  /* Every other wait is far longer than the test. */
  static const char line[] = "exponential:base=1ms,multiplier=1000";
  backoff_policy policy;
  backoff_policy_parse(&policy, line, sizeof line - 1, NULL);
  return backoff_retry(&policy, 1, BACKOFF_NONE, &budget, &history, &calls, given_up, end);
}

/* One loop, given up at a moment of its first 4 ms: by then it waits for the second time. */
static void run_once(struct findings *findings, int before) {
  struct given_up given_up = {.moment_ns = (uint64_t)rand_r(&findings->seed) % 4000000};
  backoff_event end = {0};
  pthread_t thread;
  if (pipe(given_up.pipe) != 0) abort();
  if (before) {
    given_up.moment_ns = 0;
    give_up(&given_up);
  } else if (pthread_create(&thread, NULL, give_up, &given_up) != 0) {
    abort();
  }
  uint32_t code = run_loop(&given_up, &end);
  uint64_t ended_ns = now(NULL);
  if (!before) pthread_join(thread, NULL);
  close(given_up.pipe[0]);
  close(given_up.pipe[1]);

  uint64_t took_ns = ended_ns - given_up.given_up_ns;
  if (took_ns > findings->slowest_ns) findings->slowest_ns = took_ns;
  if (end.attempts == 0) {
    findings->before++;
  } else if (given_up.retries == end.attempts) {
    findings->in_wait++;
  } else {
    findings->in_attempt++;
  }
  findings->wrong += code != BACKOFF_OK || end.reason != BACKOFF_REASON_CANCELLED ||
                     given_up.stops != 1 || end.attempts != given_up.attempts ||
                     given_up.retries + 1 < end.attempts || end.outcome != 0 ||
                     end.delay_ns != 0 || memcmp(&end, &given_up.last, sizeof end) != 0 ||
                     ended_ns < given_up.given_up_ns;
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

/* This budget grants no retry to one operation alone, and one to two. */
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
  check_word("budget", "stop of one operation", decisions[0].reason, BACKOFF_REASON_BUDGET);
  check_word("budget", "stop of the first of two", decisions[1].reason, 0);
  check_word("budget", "stop of the second", decisions[2].reason, BACKOFF_REASON_BUDGET);
}

/* The clock that waits are held against has passed the whole of each. */
static void check_waits(void) {
  static const uint64_t delays_ns[] = {0, 1, 999, 1000001, 2999999, 12345678};
  struct given_up given_up = {.pipe = {-1, -1}};
  for (size_t i = 0; i < LENGTH(delays_ns); i++) {
    uint64_t began_ns = now(NULL);
    check_word("wait", "given up", wait_for(&given_up, delays_ns[i]), 0);
    check_true("wait", "it is not shorter", now(NULL) - began_ns >= delays_ns[i]);
  }
}

int main(void) {
  static const char line[] = "concurrent:min_concurrent=0,ratio=0.5";
  struct findings findings[THREADS] = {{0}}, all = {0};
  backoff_policy policy;
  backoff_operation others[2 * THREADS];
  backoff_history_counts counts;
  pthread_t threads[THREADS];
  unsigned open = open_files();
  check_waits();
  check_word("budget", "code", backoff_budget_parse(&budget, line, sizeof line - 1, NULL),
             BACKOFF_OK);
  check_word("history", "code", backoff_history_init(&history), BACKOFF_OK);
  backoff_policy_parse(&policy, "default", 7, NULL);
  /* So that the budget has retries to grant. */
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
  check_word("loops", "wrong ends", all.wrong, 0);
  check_true("loops", "there were some of each moment",
             all.before >= THREADS * LOOPS / 10 && all.in_attempt > 10 && all.in_wait > 10);
  check_true("loops", "all ended promptly", all.slowest_ns < PROMPT);
  check_word("history", "code", backoff_history_read(&history, &counts), BACKOFF_OK);
  check_word("history", "loops", counts.operations, THREADS * LOOPS);
  check_word("history", "cancelled", counts.stops[BACKOFF_REASON_CANCELLED - 1], THREADS * LOOPS);
  check_idle();
  check_word("files", "open", open_files(), open);
  printf("given up before %lu, in an attempt %lu, in a wait %lu; slowest %" PRIu64 " us\n",
         all.before, all.in_attempt, all.in_wait, all.slowest_ns / 1000);
  return check_end();
}
