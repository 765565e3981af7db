/* Gets a URL, and retries the failures that may pass: http URL POLICY SEED KEY */

#define _POSIX_C_SOURCE 200112L

#include <backoff.h>
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct request {
  CURL *curl;
  char *body;
  size_t length;
  char error[CURL_ERROR_SIZE]; /* of the last attempt */
};

static size_t append(char *bytes, size_t size, size_t count, void *context) {
  struct request *request = context;
  char *body = realloc(request->body, request->length + size * count + 1);
  if (body == NULL) return 0; /* makes curl fail */
  memcpy(body + request->length, bytes, size * count);
  request->body = body;
  request->length += size * count;
  body[request->length] = '\0';
  return size * count;
}

/* The outcome of a failure without a response. A GET may be repeated. */
static backoff_outcome outcome_of(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return BACKOFF_OUTCOME_TIMEOUT;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR: /* cut in the handshake; a wrong certificate has another code */
    case CURLE_QUIC_CONNECT_ERROR:
    case CURLE_PROXY:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
      return BACKOFF_OUTCOME_TRANSIENT;
    default:
      return BACKOFF_OUTCOME_PERMANENT;
  }
}

static backoff_outcome attempt(void *context, const backoff_loop_attempt_info *info, uint64_t *retry_after_ns) {
  struct request *request = context;
  struct curl_header *after;
  long status = 0, limit_ms = 5000;
  request->length = 0;
  if (info->time_left_ns / 1000000 < (uint64_t)limit_ms) limit_ms = (long)(info->time_left_ns / 1000000) + 1;
  curl_easy_setopt(request->curl, CURLOPT_TIMEOUT_MS, limit_ms); /* of one attempt */
  CURLcode code = curl_easy_perform(request->curl);
  if (code != CURLE_OK) {
    snprintf(request->error, sizeof request->error, "%s", curl_easy_strerror(code));
    return outcome_of(code);
  }
  curl_easy_getinfo(request->curl, CURLINFO_RESPONSE_CODE, &status);
  snprintf(request->error, sizeof request->error, "HTTP %ld", status);
  if (curl_easy_header(request->curl, "Retry-After", 0, CURLH_HEADER, -1, &after) == CURLHE_OK) {
    uint64_t unix_ns = (uint64_t)time(NULL) * BACKOFF_SECOND;
    if (backoff_parse_retry_after(after->value, strlen(after->value), unix_ns, retry_after_ns) !=
        BACKOFF_OK) {
      *retry_after_ns = BACKOFF_NO_TIME;
    }
  }
  return backoff_http_outcome((uint32_t)status);
}

static uint64_t now(void *context) {
  struct timespec time;
  (void)context;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * BACKOFF_SECOND + (uint64_t)time.tv_nsec;
}

/* Sleeps until a time, not for a duration, so that signals do not change the wait. */
static uint32_t wait_for(void *context, uint64_t delay_ns) {
  uint64_t until_ns = now(context) + delay_ns;
  struct timespec until = {(time_t)(until_ns / BACKOFF_SECOND), (long)(until_ns % BACKOFF_SECOND)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
  return 0;
}

static void on_retry(void *context, const backoff_loop_event *event) {
  (void)context;
  printf("attempt %" PRIu64 ": %s, waiting %" PRIu64 " ns\n", event->attempts,
         backoff_outcome_name(event->outcome), event->delay_ns);
}

static const char *trim(struct request *request) {
  static const char spaces[] = " \t\r\n";
  if (request->length == 0) return "";
  char *end = request->body + request->length;
  while (end > request->body && strchr(spaces, end[-1]) != NULL) *--end = '\0';
  return request->body + strspn(request->body, spaces);
}

static int get(const char *url, const backoff_policy *policy, uint64_t stream) {
  const backoff_loop loop = {.attempt_with = attempt, .now = now, .wait = wait_for,
                             .on_retry = on_retry, .policy = policy};
  struct request request = {.curl = curl_easy_init()};
  backoff_loop_event end;
  if (request.curl == NULL) return 1;
  curl_easy_setopt(request.curl, CURLOPT_URL, url);
  curl_easy_setopt(request.curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(request.curl, CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(request.curl, CURLOPT_WRITEDATA, &request);

  backoff_code code = backoff_retry(&loop, stream, &request, &end);
  int failed = code != BACKOFF_OK || end.reason != BACKOFF_REASON_SUCCESS;
  if (code != BACKOFF_OK) { /* `end` is not written */
    fprintf(stderr, "backoff_retry: %s\n", backoff_code_name(code));
  } else if (!failed) {
    printf("done after %" PRIu64 " attempts: %s\n", end.attempts, trim(&request));
  } else {
    fprintf(stderr, "gave up after %" PRIu64 " attempts: %s: %s\n", end.attempts,
            backoff_reason_name(end.reason), request.error);
  }
  curl_easy_cleanup(request.curl);
  free(request.body);
  return failed;
}

int main(int argc, char **argv) {
  backoff_policy policy;
  backoff_error error;
  uint64_t stream;
  char *rest;
  if (argc != 5) {
    fprintf(stderr, "usage: http URL POLICY SEED KEY\n");
    return 2;
  }
  if (backoff_policy_parse(&policy, argv[2], strlen(argv[2]), &error) != BACKOFF_OK) {
    char message[BACKOFF_TEXT_SIZE];
    backoff_error_message(&error, message, sizeof message, NULL);
    fprintf(stderr, "policy %s: %s\n", argv[2], message);
    return 2;
  }
  errno = 0;
  uint64_t seed = strtoull(argv[3], &rest, 10);
  if (argv[3][0] < '0' || argv[3][0] > '9' || *rest != '\0' || errno != 0) {
    fprintf(stderr, "seed %s is not a number from 0 to 18446744073709551615\n", argv[3]);
    return 2;
  }
  if (backoff_stream_from_key(seed, argv[4], strlen(argv[4]), &stream) != BACKOFF_OK) return 2;

  curl_global_init(CURL_GLOBAL_DEFAULT);
  int failed = get(argv[1], &policy, stream);
  curl_global_cleanup();
  return failed;
}
