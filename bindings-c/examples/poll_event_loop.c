/* Polls many services on the loopback interface until all are ready, in one thread that never
 * blocks on one service: poll_event_loop PORT...
 *
 * A wait is a time at which to continue. The event loop is poll(2), and its timeout is the earliest
 * of these times. SIGINT cancels everything at once. */

#define _POSIX_C_SOURCE 200112L

#include <arpa/inet.h>
#include <backoff.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST 64

/* A service: an attempt is open (it has a socket), a wait is under way, or it is done. */
struct service {
  uint16_t port;
  backoff_operation operation;
  int attempts, fd; /* -1 for none */
  uint64_t due_ns;  /* the end of the wait, or the timeout of the attempt */
  char answer[32];
  size_t length;
  backoff_reason reason; /* BACKOFF_REASON_NONE until it is done */
};

/* A pipe, so that poll(2) also returns for a signal that came before it. */
static int interrupted[2];

static void on_signal(int signal) {
  int saved = errno;
  (void)signal;
  if (write(interrupted[1], "", 1) < 0) { /* full: the signal is known already */
  }
  errno = saved;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * BACKOFF_SECOND + (uint64_t)time.tv_nsec;
}

/* Ends an attempt: decides whether to wait or to stop. */
static void end_attempt(struct service *service, backoff_outcome outcome, backoff_budget *budget) {
  backoff_decision decision;
  uint64_t now_ns = now();
  if (service->fd >= 0) close(service->fd);
  service->fd = -1;
  if (backoff_operation_decide(&service->operation, outcome, BACKOFF_NO_TIME, now_ns, budget,
                               &decision) != BACKOFF_OK) {
    fprintf(stderr, "the budget is damaged\n");
    exit(2);
  }
  service->reason = decision.reason;
  service->due_ns = now_ns + decision.delay_ns;
  if (decision.reason != 0) {
    printf("port %u, attempt %d: stop, %s\n", service->port, service->attempts,
           backoff_reason_name(decision.reason));
  } else {
    printf("port %u, attempt %d: %s, wait %" PRIu64 " ns\n", service->port, service->attempts,
           backoff_outcome_name(outcome), decision.delay_ns);
  }
}

static void begin_attempt(struct service *service, backoff_budget *budget) {
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons(service->port),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  service->attempts++;
  service->length = 0;
  service->due_ns = now() + 5 * BACKOFF_SECOND;
  service->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (service->fd < 0 || fcntl(service->fd, F_SETFL, O_NONBLOCK) < 0) {
    end_attempt(service, BACKOFF_OUTCOME_PERMANENT, budget);
  } else if (connect(service->fd, (const struct sockaddr *)&address, sizeof address) < 0 &&
             errno != EINPROGRESS && errno != EINTR) {
    end_attempt(service, BACKOFF_OUTCOME_TRANSIENT, budget);
  }
}

/* A service that is absent or not yet ready may be polled again. */
static backoff_outcome outcome_of(const char *answer) {
  if (strcmp(answer, "ready\n") == 0) return BACKOFF_OUTCOME_SUCCESS;
  if (strcmp(answer, "starting\n") == 0) return BACKOFF_OUTCOME_TRANSIENT;
  if (strcmp(answer, "busy\n") == 0) return BACKOFF_OUTCOME_THROTTLED;
  return answer[0] == '\0' ? BACKOFF_OUTCOME_TRANSIENT : BACKOFF_OUTCOME_PERMANENT;
}

static void read_answer(struct service *service, backoff_budget *budget) {
  size_t room = sizeof service->answer - 1 - service->length;
  ssize_t got = recv(service->fd, service->answer + service->length, room, 0);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  if (got > 0) service->length += (size_t)got;
  if (got > 0 && (size_t)got < room) return; /* more may come */
  service->answer[service->length] = '\0';
  end_attempt(service, outcome_of(service->answer), budget);
}

/* The timeout of poll(2), rounded up: a wait must not be shorter than its delay. */
static int timeout_ms(uint64_t due_ns) {
  uint64_t now_ns = now();
  uint64_t ms = due_ns <= now_ns ? 0 : (due_ns - now_ns - 1) / BACKOFF_MILLISECOND + 1;
  return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* Runs until all services are done, or until an interrupt. */
static void run(struct service *services, nfds_t count, backoff_budget *budget) {
  for (;;) {
    struct pollfd fds[MOST + 1] = {{.fd = interrupted[0], .events = POLLIN}};
    uint64_t next_ns = UINT64_MAX;
    for (nfds_t i = 0; i < count; i++) {
      fds[i + 1] = (struct pollfd){.fd = services[i].fd, .events = POLLIN};
      if (services[i].reason == 0 && services[i].due_ns < next_ns) next_ns = services[i].due_ns;
    }
    if (next_ns == UINT64_MAX) return;
    if (poll(fds, count + 1, timeout_ms(next_ns)) < 0 && errno != EINTR) return;
    if (fds[0].revents != 0) return;
    for (nfds_t i = 0; i < count; i++) {
      struct service *service = &services[i];
      if (service->reason != 0) continue;
      if (service->fd >= 0 && fds[i + 1].revents != 0) {
        read_answer(service, budget);
      } else if (now() >= service->due_ns) {
        if (service->fd >= 0) {
          end_attempt(service, BACKOFF_OUTCOME_TIMEOUT, budget);
        } else {
          begin_attempt(service, budget);
        }
      }
    }
  }
}

int main(int argc, char **argv) {
  static const char policy_text[] = "equal:base=20ms,cap=1s,throttled_base=100ms,max_retries=9";
  static const char budget_text[] = "quota";
  static struct service services[MOST];
  nfds_t count = (nfds_t)(argc - 1);
  backoff_policy policy;
  backoff_budget budget;
  int failed = 0;
  if (argc < 2 || argc > MOST + 1) {
    fprintf(stderr, "usage: poll_event_loop PORT... (at most %d)\n", MOST);
    return 2;
  }
  if (backoff_policy_parse(&policy, policy_text, sizeof policy_text - 1, NULL) != BACKOFF_OK ||
      backoff_budget_parse(&budget, budget_text, sizeof budget_text - 1, NULL) != BACKOFF_OK ||
      pipe(interrupted) < 0 || fcntl(interrupted[1], F_SETFL, O_NONBLOCK) < 0) {
    return 2;
  }
  sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
  for (nfds_t i = 0; i < count; i++) {
    uint64_t stream;
    long port = strtol(argv[i + 1], NULL, 10);
    if (port < 1 || port > 65535) {
      fprintf(stderr, "%s is not a port\n", argv[i + 1]);
      return 2;
    }
    if (backoff_stream_from_entropy(&stream) != BACKOFF_OK) return 2;
    services[i].port = (uint16_t)port;
    services[i].fd = -1;
    services[i].due_ns = now();
    if (backoff_operation_begin(&services[i].operation, &policy, stream, now(),
                                now() + 60 * BACKOFF_SECOND, &budget) != BACKOFF_OK) {
      return 2;
    }
  }
  run(services, count, &budget);
  for (nfds_t i = 0; i < count; i++) {
    if (services[i].fd >= 0) close(services[i].fd);
    /* This changes nothing for a service that is done. */
    if (backoff_operation_cancel(&services[i].operation, &budget, &services[i].reason) !=
        BACKOFF_OK) {
      return 2;
    }
    if (services[i].reason == BACKOFF_REASON_CANCELLED) {
      printf("port %u: cancelled\n", services[i].port);
    }
    failed |= services[i].reason != BACKOFF_REASON_SUCCESS;
  }
  return failed;
}
