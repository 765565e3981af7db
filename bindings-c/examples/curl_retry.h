/* Transfers of libcurl (7.84 or later) with retries. Copy this file into your program; curl.c uses it. It is C,
 * for systems with clock_nanosleep, which macOS has not.
 *
 * - A request is repeated if its method is idempotent (GET, HEAD, OPTIONS, TRACE, PUT, DELETE), or if its
 *   header fields have an Idempotency-Key that is not empty. Any other request is sent once.
 * - The status and the header fields of a response decide, also with CURLOPT_FAILONERROR, and the codes of
 *   libcurl: timeouts and failures of the network are retried, also a body that is cut off. Bad URLs and
 *   certificates are not.
 * - If the retries end, the handle has the last response, or the last error. The write function of the
 *   handle gets the body of each response: `restart` must forget the one before.
 * - CURLOPT_TIMEOUT_MS and the other timeouts of the handle limit one attempt, with its body.
 */

#ifndef CURL_RETRY_H
#define CURL_RETRY_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L
#endif

#include <backoff.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

struct curl_retry {
  CURL *curl;                       /* ready for curl_easy_perform, and used by nobody else */
  /* The method of the request. NULL: the one that libcurl reports. It reports the method of the last redirect,
   * so a request that was redirected is then sent once. */
  const char *method;
  const struct curl_slist *headers; /* those of CURLOPT_HTTPHEADER, or NULL */
  const backoff_policy *policy;     /* NULL is the preset `default` */
  uint64_t stream;
  uint64_t deadline_ns; /* a time of CLOCK_MONOTONIC, or BACKOFF_NONE */
  backoff_budget *budget; /* one for each server, such as "grpc-retry", or NULL */
  backoff_stats *stats;   /* NULL: none */
  /* Runs before each attempt: forgets the body of the attempt before, and rewinds what a read function
   * sends. Returns 0, or anything else if it cannot: the transfer then ends as it is. NULL: nothing to do,
   * as with CURLOPT_POSTFIELDS and a write function that keeps nothing. */
  int (*restart)(void *context);
  void (*on_retry)(void *context, const backoff_event *event); /* before each wait, or NULL */
  uint32_t (*cancelled)(void *context);                        /* not 0 to give up, or NULL */
  void *context;
  /* Results, of the last attempt. */
  CURLcode code;
  long status; /* 0 if there was no response */
};

/* The outcome of a transfer without a whole response. */
static uint32_t curl_retry_outcome(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return BACKOFF_OUTCOME_TIMEOUT;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return BACKOFF_OUTCOME_TRANSIENT;
    default:
      return BACKOFF_OUTCOME_PERMANENT;
  }
}

static int curl_retry_is_idempotent(const char *method) {
  return method != NULL && backoff_is_idempotent_method(method, strlen(method)) != 0;
}

static int curl_retry_may_repeat(const struct curl_retry *transfer) {
  static const char name[] = "idempotency-key:";
  char *sent = NULL;
  long redirects = 0;
  const struct curl_slist *line = transfer->headers;
  for (; line != NULL; line = line->next) {
    if (strncasecmp(line->data, name, sizeof name - 1) != 0) continue;
    const char *value = line->data + sizeof name - 1;
    if (value[strspn(value, " \t")] != '\0') return 1;
  }
  curl_easy_getinfo(transfer->curl, CURLINFO_EFFECTIVE_METHOD, &sent);
  curl_easy_getinfo(transfer->curl, CURLINFO_REDIRECT_COUNT, &redirects);
  if (!curl_retry_is_idempotent(sent)) return 0;
  return transfer->method == NULL ? redirects == 0 : curl_retry_is_idempotent(transfer->method);
}

/* Reads how long the server asked to wait. Fields longer than any valid one are left out. */
static void curl_retry_read_wait(const struct curl_retry *transfer, uint64_t *retry_after_ns) {
  static const char *const names[] = {"retry-after-ms", "retry-after", "ratelimit-reset"};
  char fields[3 * 1100];
  size_t length = 0;
  struct curl_header *field;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (curl_easy_header(transfer->curl, names[i], 0, CURLH_HEADER, -1, &field) != CURLHE_OK) continue;
    if (strlen(field->value) > 1024) continue;
    length += (size_t)sprintf(fields + length, "%s:%s\n", names[i], field->value);
  }
  uint64_t unix_ns = (uint64_t)time(NULL) * BACKOFF_SECOND;
  /* Without such a field nothing is written. */
  backoff_http_retry_after((uint32_t)transfer->status, fields, length, unix_ns, retry_after_ns);
}

static uint32_t curl_retry_attempt(void *context, uint64_t *retry_after_ns) {
  struct curl_retry *transfer = context;
  uint32_t outcome;
  if (transfer->restart != NULL && transfer->restart(transfer->context) != 0) {
    if (transfer->code == CURLE_OK && transfer->status == 0) transfer->code = CURLE_SEND_FAIL_REWIND;
    return BACKOFF_OUTCOME_PERMANENT;
  }
  transfer->status = 0;
  transfer->code = curl_easy_perform(transfer->curl);
  curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &transfer->status);
  if (transfer->code != CURLE_OK && transfer->code != CURLE_HTTP_RETURNED_ERROR) {
    outcome = curl_retry_outcome(transfer->code);
  } else if (transfer->status == 0) {
    outcome = BACKOFF_OUTCOME_SUCCESS; /* of a protocol without a status, such as file */
  } else {
    outcome = backoff_http_outcome((uint32_t)transfer->status);
    curl_retry_read_wait(transfer, retry_after_ns);
  }
  if (outcome == BACKOFF_OUTCOME_SUCCESS || curl_retry_may_repeat(transfer)) return outcome;
  return BACKOFF_OUTCOME_PERMANENT;
}

static uint64_t curl_retry_now(void *context) {
  struct timespec time;
  (void)context;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * BACKOFF_SECOND + (uint64_t)time.tv_nsec;
}

/* Sleeps until a time, not for a duration, so that signals do not change the wait. */
static uint32_t curl_retry_wait(void *context, uint64_t delay_ns) {
  uint64_t until_ns = curl_retry_now(context) + delay_ns;
  struct timespec until = {(time_t)(until_ns / BACKOFF_SECOND), (long)(until_ns % BACKOFF_SECOND)};
  const struct curl_retry *transfer = context;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    if (transfer->cancelled != NULL && transfer->cancelled(transfer->context) != 0) return 1;
  }
  return 0;
}

static uint32_t curl_retry_cancelled(void *context) {
  const struct curl_retry *transfer = context;
  return transfer->cancelled == NULL ? 0 : transfer->cancelled(transfer->context);
}

static void curl_retry_event(void *context, const backoff_event *event) {
  const struct curl_retry *transfer = context;
  if (transfer->on_retry != NULL) transfer->on_retry(transfer->context, event);
}

/* Performs the transfer. Returns what backoff_retry returns; `code` and `status` say how the last attempt
 * ended, and `end` why it was the last. */
static uint32_t curl_retry_perform(struct curl_retry *transfer, backoff_event *end) {
  static const backoff_callbacks callbacks = {.attempt = curl_retry_attempt,
                                              .now = curl_retry_now,
                                              .wait = curl_retry_wait,
                                              .cancelled = curl_retry_cancelled,
                                              .on_retry = curl_retry_event};
  transfer->code = CURLE_OK;
  transfer->status = 0;
  return backoff_retry(transfer->policy, transfer->stream, transfer->deadline_ns, transfer->budget,
                       transfer->stats, &callbacks, transfer, end);
}

#endif
