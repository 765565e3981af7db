/* Polls a service on the loopback interface until it is ready: poll PORT
 *
 * The program has its own loop around backoff_operation_decide. backoff_retry is a ready-made loop.
 */

#define _POSIX_C_SOURCE 200112L

#include <arpa/inet.h>
#include <backoff.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * BACKOFF_SECOND + (uint64_t)time.tv_nsec;
}

/* Sleeps until a time, not for a duration, so that signals do not change the wait. */
static void wait_for(uint64_t delay_ns) {
  uint64_t until_ns = now() + delay_ns;
  struct timespec until = {(time_t)(until_ns / BACKOFF_SECOND), (long)(until_ns % BACKOFF_SECOND)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
}

/* A service that is absent or not yet ready may be polled again. */
static backoff_outcome outcome_of(const char *answer) {
  if (strcmp(answer, "ready\n") == 0) return BACKOFF_OUTCOME_SUCCESS;
  if (strcmp(answer, "starting\n") == 0) return BACKOFF_OUTCOME_TRANSIENT;
  if (strcmp(answer, "busy\n") == 0) return BACKOFF_OUTCOME_THROTTLED;
  return answer[0] == '\0' ? BACKOFF_OUTCOME_TRANSIENT : BACKOFF_OUTCOME_PERMANENT;
}

/* Polls once, and waits at most five seconds for each byte. */
static backoff_outcome ask(uint16_t port) {
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons(port),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const struct timeval patience = {5, 0};
  char answer[32];
  size_t length = 0;
  ssize_t got = -1;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return BACKOFF_OUTCOME_PERMANENT;
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) {
    do {
      got = recv(fd, answer + length, sizeof answer - 1 - length, 0);
      if (got > 0) length += (size_t)got;
    } while ((got > 0 && length < sizeof answer - 1) || (got < 0 && errno == EINTR));
  }
  int timed_out = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  close(fd);
  answer[length] = '\0';
  return timed_out ? BACKOFF_OUTCOME_TIMEOUT : outcome_of(answer);
}

int main(int argc, char **argv) {
  static const char text[] = "equal:base=20ms,cap=1s,throttled_base=100ms,max_retries=9";
  long port = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
  if (port < 1 || port > 65535) {
    fprintf(stderr, "usage: poll PORT\n");
    return 2;
  }
  backoff_policy policy;
  backoff_operation operation;
  backoff_decision decision;
  uint64_t stream;
  if (backoff_policy_parse(&policy, text, sizeof text - 1, NULL) != BACKOFF_OK) return 2;
  if (backoff_stream_from_entropy(&stream) != BACKOFF_OK) return 2;
  uint64_t deadline_ns = now() + 60 * BACKOFF_SECOND;
  if (backoff_operation_begin(&operation, &policy, stream, now(), deadline_ns, NULL) !=
      BACKOFF_OK) {
    return 2;
  }
  for (int attempt = 1;; attempt++) {
    backoff_outcome outcome = ask((uint16_t)port);
    if (backoff_operation_decide(&operation, outcome, BACKOFF_NO_TIME, now(), NULL, &decision) !=
        BACKOFF_OK) {
      return 2;
    }
    if (decision.reason != 0) {
      printf("attempt %d: stop, %s\n", attempt, backoff_reason_name(decision.reason));
      return decision.reason != BACKOFF_REASON_SUCCESS;
    }
    printf("attempt %d: %s, wait %" PRIu64 " ns\n", attempt, backoff_outcome_name(outcome),
           decision.delay_ns);
    wait_for(decision.delay_ns);
  }
}
