/* Transfers of libcurl (7.84 or later) with retries. Copy this file into your program: curl.c uses it for one transfer,
 * curl_multi.c for many at the same time. It is C99 and C++11, for POSIX systems. Include it before any header of the
 * system, or define _POSIX_C_SOURCE: it needs clock_gettime.
 *
 * - A request may be repeated if its method is idempotent (GET, HEAD, OPTIONS, TRACE, PUT, DELETE), or if its
 *   header fields have an Idempotency-Key or X-Idempotency-Key that is not empty. Any other request is sent once.
 *   A request that was surely never sent, because there was no connection, is repeated whatever its method: the
 *   server has seen nothing of it, so nothing can happen twice.
 *   A request whose body was sent is repeated only if there is a `restart`, which may have to rewind the body.
 * - The status and the header fields of a response decide, also with CURLOPT_FAILONERROR, and the codes of
 *   libcurl: timeouts and failures of the network are retried, also the body of a success that is cut off. Bad URLs and
 *   certificates are not.
 * - If the retries end, the handle has the last response, or the last error. The write function of the
 *   handle gets the body of each response: `restart` must forget the one before. Without a `restart`, an attempt that
 *   received bytes of a body is not repeated. (With CURLOPT_FAILONERROR, failures have no body.)
 * - libcurl itself repeats a request if a connection that it kept ends without an answer. A request that is
 *   sent once fails with CURLE_GOT_NOTHING instead. This needs the handle's CURLOPT_PREREQFUNCTION, which is
 *   NULL afterwards.
 * - libcurl takes an answer that is cut off within its header fields for a whole one.
 * - libcurl reads the whole body of every attempt, so a limit of an attempt includes its body. Set `timeout_ms`, or
 *   attempt_timeout in the policy, because without one an attempt may take for ever. With attempt_timeout, what is
 *   left of max_elapsed and of the deadline limits the attempt, too (SPEC 13.10). Both set CURLOPT_TIMEOUT_MS of the
 *   handle, which libcurl cannot read. The other timeouts of the handle stay as they are.
 */

#ifndef CURL_RETRY_H
#define CURL_RETRY_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L
#endif

#include <backoff.h>
#include <curl/curl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* The outcome of a status. */
struct curl_retry_status {
  long status; /* 0 ends a list of them */
  backoff_outcome outcome;
};

/* Statuses of proxies and of overloaded services that no standard has. They are permanent unless `statuses` has
 * them. */
static const struct curl_retry_status curl_retry_proxy_statuses[] = {
    {520, BACKOFF_OUTCOME_TRANSIENT}, {521, BACKOFF_OUTCOME_TRANSIENT}, {522, BACKOFF_OUTCOME_TIMEOUT},
    {523, BACKOFF_OUTCOME_TRANSIENT}, {524, BACKOFF_OUTCOME_TIMEOUT},   {529, BACKOFF_OUTCOME_THROTTLED},
    {0, BACKOFF_OUTCOME_NONE}};

struct curl_retry {
  CURL *curl; /* ready for curl_easy_perform, and used by nobody else */
  /* The method of the request. NULL: the one that libcurl reports. It reports the method of the last redirect,
   * so a request that was redirected is then sent once. */
  const char *method;
  const struct curl_slist *headers; /* those of CURLOPT_HTTPHEADER, or NULL */
  const backoff_policy *policy;     /* NULL is the preset `default` */
  uint64_t stream;
  uint64_t deadline_ns;   /* a time of CLOCK_MONOTONIC; 0: none */
  backoff_budget *budget; /* one for each server, such as "finagle", or NULL */
  backoff_stats *stats;   /* NULL: none */
  /* What the caller says about this request: 1 that it may be repeated whatever its method, -1 that it is sent
   * once, 0 nothing. */
  int may_repeat;
  int has_body_for_once; /* not 0: `restart` cannot rewind the body that a read function sends. See `restart` */
  const char *const *methods;               /* the methods that may be repeated, then NULL; NULL: see above */
  const struct curl_retry_status *statuses; /* come before backoff_http_outcome; NULL: none */
  /* Returns the outcome of an attempt, or BACKOFF_OUTCOME_NONE where the other rules decide. `code` and `status` say
   * how the attempt ended. NULL: the other rules decide. */
  backoff_outcome (*classify)(void *context, const struct curl_retry *transfer, uint64_t *retry_after_ns);
  /* Runs before each attempt: forgets the body of the attempt before, and rewinds what a read function
   * sends. Returns 0, or anything else if it cannot: the transfer then ends as it is. libcurl itself sends
   * CURLOPT_POSTFIELDS again. NULL: a request is not repeated once a body was sent or received. */
  int (*restart)(void *context);
  /* Runs before each wait. The results below are those of the attempt. NULL: none. */
  void (*on_retry)(void *context, const struct curl_retry *transfer, const backoff_loop_event *event);
  /* Returns not 0 to give up. It is called between attempts, and every CURL_RETRY_SLICE_MS in a wait. NULL: never. A
   * transfer that CURLOPT_XFERINFOFUNCTION ends is permanent, unless this then returns not 0. */
  uint32_t (*cancelled)(void *context);
  void *context;
  /* Your own limit of one attempt, in place of CURLOPT_TIMEOUT_MS. The policy can only make it shorter. 0: none. */
  long timeout_ms;
  /* Results, of the last attempt. */
  CURLcode code;
  long status;             /* 0 if there was no response */
  const char *sent_method; /* the method */
  char url[1024];          /* the URL without user information, query and fragment; after redirects the last one */
  const char *sent_once;   /* why the request is to be sent once: "caller", "body", "method"; NULL if it may be repeated. One that was never sent is repeated all the same. */
  /* For its own use: the bytes of header fields that had arrived when libcurl last sent the request, or one of
   * the numbers below. */
  long answered;
};

enum { CURL_RETRY_NOT_SENT = -1, CURL_RETRY_NOT_REPEATED = -2 };

/* CURLE_TOO_LARGE, the code of trailers without an end, which libcurl has had since 8.6. */
enum { CURL_RETRY_TOO_LARGE = 100 };

/* How long a wait may take to see that it is cancelled. */
enum { CURL_RETRY_SLICE_MS = 25 };

/* The outcome of a transfer without a whole response. */
static backoff_outcome curl_retry_outcome(const struct curl_retry *transfer, long request_size) {
  switch (transfer->code) {
    case CURLE_OPERATION_TIMEDOUT:
      return BACKOFF_OUTCOME_TIMEOUT;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR: /* the connection was cut, or the versions of TLS do not fit */
    case CURLE_QUIC_CONNECT_ERROR:
    case CURLE_PROXY:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_HTTP3:
      return BACKOFF_OUTCOME_TRANSIENT;
    case CURLE_UNSUPPORTED_PROTOCOL: /* of the URL, or the answer is not HTTP */
      return request_size > 0 && transfer->status == 0 ? BACKOFF_OUTCOME_TRANSIENT : BACKOFF_OUTCOME_PERMANENT;
    default:
      return BACKOFF_OUTCOME_PERMANENT;
  }
}

/* The status with which a proxy refused a tunnel to the host, or 0. libcurl has had two codes for that. */
static uint32_t curl_retry_proxy_refusal(const struct curl_retry *transfer) {
  long status = 0;
  if (transfer->code != CURLE_COULDNT_CONNECT && transfer->code != CURLE_RECV_ERROR) return 0;
  if (transfer->answered != CURL_RETRY_NOT_SENT) return 0;
  curl_easy_getinfo(transfer->curl, CURLINFO_HTTP_CONNECTCODE, &status);
  return status >= 300 ? (uint32_t)status : 0;
}

/* Whether there was no connection on which the request could be sent. */
static int curl_retry_was_never_sent(const struct curl_retry *transfer, long request_size) {
  if (curl_retry_proxy_refusal(transfer) != 0) return 1;
  switch (transfer->code) {
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_QUIC_CONNECT_ERROR:
    case CURLE_PROXY:
      return request_size == 0;
    default:
      return 0;
  }
}

static int curl_retry_has_key(const struct curl_slist *line) {
  static const char name[] = "idempotency-key:";
  for (; line != NULL; line = line->next) {
    const char *field = strncasecmp(line->data, "x-", 2) == 0 ? line->data + 2 : line->data;
    if (strncasecmp(field, name, sizeof name - 1) != 0) continue;
    field += sizeof name - 1;
    if (field[strspn(field, " \t")] != '\0') return 1;
  }
  return 0;
}

static int curl_retry_allows(const struct curl_retry *transfer, const char *method) {
  const char *const *allowed = transfer->methods;
  if (method == NULL) return 0;
  if (allowed == NULL) return backoff_is_idempotent_method(method, strlen(method)) != 0;
  for (; *allowed != NULL; allowed++) {
    if (strcmp(*allowed, method) == 0) return 1;
  }
  return 0;
}

/* Why the request is sent once (SPEC 19.2), or NULL. */
static const char *curl_retry_sent_once(const struct curl_retry *transfer, const char *last_method) {
  long redirects = 0;
  curl_off_t uploaded = 0;
  if (transfer->may_repeat < 0) return "caller";
  if (transfer->has_body_for_once != 0) return "body";
  curl_easy_getinfo(transfer->curl, CURLINFO_SIZE_UPLOAD_T, &uploaded);
  if (uploaded > 0 && transfer->restart == NULL) return "body";
  if (transfer->may_repeat > 0 || curl_retry_has_key(transfer->headers)) return NULL;
  curl_easy_getinfo(transfer->curl, CURLINFO_REDIRECT_COUNT, &redirects);
  if (!curl_retry_allows(transfer, last_method)) return "method";
  if (transfer->method == NULL) return redirects == 0 ? NULL : "method";
  return curl_retry_allows(transfer, transfer->method) ? NULL : "method";
}

/* libcurl calls this before it sends a request: the first one, that of a redirect, or one that it repeats because
 * the connection ended without an answer. Only in the last case has nothing arrived since the previous call. */
static int curl_retry_is_sent(void *context, char *to, char *from, int to_port, int from_port) {
  struct curl_retry *transfer = (struct curl_retry *)context;
  const long before = transfer->answered;
  char *method = NULL;
  (void)to, (void)from, (void)to_port, (void)from_port;
  curl_easy_getinfo(transfer->curl, CURLINFO_HEADER_SIZE, &transfer->answered);
  curl_easy_getinfo(transfer->curl, CURLINFO_EFFECTIVE_METHOD, &method);
  if (transfer->answered != before) return CURL_PREREQFUNC_OK;
  if (transfer->may_repeat >= 0 && transfer->has_body_for_once == 0) {
    if (transfer->may_repeat > 0 || curl_retry_has_key(transfer->headers)) return CURL_PREREQFUNC_OK;
    if (curl_retry_allows(transfer, transfer->method != NULL ? transfer->method : method)) return CURL_PREREQFUNC_OK;
  }
  transfer->answered = CURL_RETRY_NOT_REPEATED;
  return CURL_PREREQFUNC_ABORT;
}

/* Writes a URL without user information, query and fragment. A URL that libcurl cannot parse becomes the empty
 * text, and one that is too long is cut. */
static void curl_retry_write_url(char *text, size_t size, const char *url) {
  static const CURLUPart hidden[] = {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_QUERY,
                                     CURLUPART_FRAGMENT};
  CURLU *parts = curl_url();
  char *shown = NULL;
  text[0] = '\0';
  if (parts != NULL && curl_url_set(parts, CURLUPART_URL, url, CURLU_GUESS_SCHEME) == CURLUE_OK) {
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) curl_url_set(parts, hidden[i], NULL, 0);
    if (curl_url_get(parts, CURLUPART_URL, &shown, 0) == CURLUE_OK) snprintf(text, size, "%s", shown);
  }
  curl_free(shown);
  curl_url_cleanup(parts);
}

/* Reads how long the server asked to wait. Fields longer than any valid one are left out. */
static void curl_retry_read_wait(const struct curl_retry *transfer, uint64_t *retry_after_ns) {
  static const char *const names[] = {"retry-after-ms", "retry-after", "ratelimit-reset", "x-ratelimit-reset",
                                      "ratelimit"};
  char fields[16 * 1100];
  size_t length = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct curl_header *field;
    for (size_t n = 0; length + 1100 < sizeof fields; n++) {
      if (curl_easy_header(transfer->curl, names[i], n, CURLH_HEADER, -1, &field) != CURLHE_OK) break;
      int is_long = strlen(field->value) > 1024;
      length += (size_t)snprintf(fields + length, 1100, "%s:%s\n", names[i], is_long ? "" : field->value);
      if (i < 4) break; /* of RateLimit all lines count */
    }
  }
  uint64_t unix_ns = (uint64_t)time(NULL) * BACKOFF_SECOND;
  /* Without such a field nothing is written. */
  backoff_http_retry_after((uint32_t)transfer->status, fields, length, unix_ns, retry_after_ns);
}

static backoff_outcome curl_retry_of_status(const struct curl_retry *transfer) {
  const struct curl_retry_status *known = transfer->statuses;
  for (; known != NULL && known->status != 0; known++) {
    if (known->status == transfer->status) return known->outcome;
  }
  return backoff_http_outcome((uint32_t)transfer->status);
}

/* The outcome of an attempt of a request that may be repeated (SPEC 19.3). */
static backoff_outcome curl_retry_judge(const struct curl_retry *transfer, long request_size,
                                        uint64_t *retry_after_ns) {
  if (transfer->classify != NULL) {
    backoff_outcome outcome = transfer->classify(transfer->context, transfer, retry_after_ns);
    if (outcome != BACKOFF_OUTCOME_NONE) return outcome;
  }
  uint32_t refusal = curl_retry_proxy_refusal(transfer);
  if (refusal != 0) {
    backoff_outcome outcome = backoff_http_outcome(refusal);
    return outcome == BACKOFF_OUTCOME_SUCCESS ? BACKOFF_OUTCOME_PERMANENT : outcome;
  }
  if (transfer->code != CURLE_OK && transfer->code != CURLE_HTTP_RETURNED_ERROR) {
    backoff_outcome outcome = curl_retry_outcome(transfer, request_size);
    /* The status of a failure decides although its body is missing or broken, unless the caller ended the transfer. */
    const int is_broken = transfer->code == CURLE_BAD_CONTENT_ENCODING || (int)transfer->code == CURL_RETRY_TOO_LARGE;
    if ((outcome == BACKOFF_OUTCOME_PERMANENT && !is_broken) || transfer->status == 0 ||
        curl_retry_of_status(transfer) == BACKOFF_OUTCOME_SUCCESS) {
      return outcome;
    }
  }
  if (transfer->status == 0) return BACKOFF_OUTCOME_SUCCESS; /* of a protocol without a status, such as file */
  curl_retry_read_wait(transfer, retry_after_ns);
  return curl_retry_of_status(transfer);
}

/* Comes before an attempt. Returns 0 if `restart` cannot: the transfer then ends as it is. A loop of your own, such as
 * one over libcurl's multi interface, calls curl_retry_limit_attempt, this and curl_retry_end_attempt. They use neither the members from `policy`
 * to `stats` nor `on_retry` and `cancelled`. */
static inline int curl_retry_begin_attempt(struct curl_retry *transfer) {
  if (transfer->restart != NULL && transfer->restart(transfer->context) != 0) {
    if (transfer->code == CURLE_OK && transfer->status == 0) transfer->code = CURLE_SEND_FAIL_REWIND;
    return 0;
  }
  transfer->status = 0;
  transfer->answered = CURL_RETRY_NOT_SENT;
  curl_easy_setopt(transfer->curl, CURLOPT_PREREQFUNCTION, curl_retry_is_sent);
  curl_easy_setopt(transfer->curl, CURLOPT_PREREQDATA, transfer);
  return 1;
}

/* Comes after an attempt, which ended with this code. Returns its outcome. */
static inline backoff_outcome curl_retry_end_attempt(struct curl_retry *transfer, CURLcode code,
                                                     uint64_t *retry_after_ns) {
  char *method = NULL, *url = NULL;
  long request_size = 0;
  curl_off_t received = 0;
  curl_easy_setopt(transfer->curl, CURLOPT_PREREQFUNCTION, NULL);
  transfer->code = transfer->answered == CURL_RETRY_NOT_REPEATED ? CURLE_GOT_NOTHING : code;
  curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &transfer->status);
  curl_easy_getinfo(transfer->curl, CURLINFO_REQUEST_SIZE, &request_size);
  curl_easy_getinfo(transfer->curl, CURLINFO_EFFECTIVE_METHOD, &method);
  curl_easy_getinfo(transfer->curl, CURLINFO_EFFECTIVE_URL, &url);
  transfer->sent_method = transfer->method != NULL ? transfer->method : method;
  transfer->sent_once = curl_retry_sent_once(transfer, method);
  curl_retry_write_url(transfer->url, sizeof transfer->url, url != NULL ? url : "");
  backoff_outcome outcome = curl_retry_judge(transfer, request_size, retry_after_ns);
  if (outcome == BACKOFF_OUTCOME_SUCCESS) return outcome;
  curl_easy_getinfo(transfer->curl, CURLINFO_SIZE_DOWNLOAD_T, &received);
  if (transfer->sent_once == NULL && transfer->restart == NULL && received > 0) transfer->sent_once = "body";
  if (transfer->sent_once == NULL) return outcome;
  if (strcmp(transfer->sent_once, "method") == 0 && curl_retry_was_never_sent(transfer, request_size)) {
    return outcome;
  }
  return BACKOFF_OUTCOME_PERMANENT;
}

/* Limits the next attempt to the shorter of `timeout_ms` and `limit_ns`, which is that of
 * backoff_operation_attempt_limit. Without both, CURLOPT_TIMEOUT_MS of the handle stays as it is. */
static inline void curl_retry_limit_attempt(struct curl_retry *transfer, uint64_t limit_ns) {
  /* Rounded up: 0 would be no limit. */
  const uint64_t limit_ms = limit_ns / BACKOFF_MILLISECOND + (limit_ns % BACKOFF_MILLISECOND != 0 || limit_ns == 0);
  long timeout_ms = transfer->timeout_ms;
  if (limit_ns != BACKOFF_NO_TIME && (timeout_ms <= 0 || limit_ms < (uint64_t)timeout_ms)) {
    timeout_ms = limit_ms < INT_MAX ? (long)limit_ms : INT_MAX;
  }
  if (timeout_ms > 0) curl_easy_setopt(transfer->curl, CURLOPT_TIMEOUT_MS, timeout_ms);
}

/* The limit of an attempt (SPEC 13.10): there is none without attempt_timeout, and an end that has passed is none. */
static uint64_t curl_retry_limit(const backoff_policy *policy, uint64_t left_ns) {
  uint64_t timeout_ns = BACKOFF_MAX_NS;
  if (backoff_policy_get(policy, BACKOFF_FIELD_ATTEMPT_TIMEOUT, &timeout_ns) != BACKOFF_OK) return BACKOFF_NO_TIME;
  if (timeout_ns == BACKOFF_MAX_NS) return BACKOFF_NO_TIME;
  return left_ns > 0 ? left_ns : timeout_ns;
}

static backoff_outcome curl_retry_attempt(void *context, const backoff_loop_attempt_info *info,
                                          uint64_t *retry_after_ns) {
  struct curl_retry *transfer = (struct curl_retry *)context;
  curl_retry_limit_attempt(transfer, curl_retry_limit(transfer->policy, info->time_left_ns));
  if (!curl_retry_begin_attempt(transfer)) return BACKOFF_OUTCOME_PERMANENT;
  return curl_retry_end_attempt(transfer, curl_easy_perform(transfer->curl), retry_after_ns);
}

static uint64_t curl_retry_now(void *context) {
  struct timespec time;
  (void)context;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * BACKOFF_SECOND + (uint64_t)time.tv_nsec;
}

static uint32_t curl_retry_cancelled(void *context) {
  const struct curl_retry *transfer = (const struct curl_retry *)context;
  return transfer->cancelled == NULL ? 0 : transfer->cancelled(transfer->context);
}

/* Sleeps until a time, also if signals interrupt it, and looks whether it is cancelled meanwhile. */
static uint32_t curl_retry_wait(void *context, uint64_t delay_ns) {
  const struct curl_retry *transfer = (const struct curl_retry *)context;
  const uint64_t slice_ns = transfer->cancelled == NULL ? delay_ns : CURL_RETRY_SLICE_MS * BACKOFF_MILLISECOND;
  const uint64_t until_ns = curl_retry_now(context) + delay_ns;
  uint64_t now_ns;
  while ((now_ns = curl_retry_now(context)) < until_ns) {
    uint64_t left_ns = until_ns - now_ns < slice_ns ? until_ns - now_ns : slice_ns;
    struct timespec left = {(time_t)(left_ns / BACKOFF_SECOND), (long)(left_ns % BACKOFF_SECOND)};
    nanosleep(&left, NULL);
    if (curl_retry_cancelled(context) != 0) return 1;
  }
  return 0;
}

static void curl_retry_event(void *context, const backoff_loop_event *event) {
  const struct curl_retry *transfer = (const struct curl_retry *)context;
  if (transfer->on_retry != NULL) transfer->on_retry(transfer->context, transfer, event);
}

/* Performs the transfer. Returns what backoff_retry returns; `code`, `status` and the other results say how the
 * last attempt ended, and `end` why it was the last. */
static inline backoff_code curl_retry_perform(struct curl_retry *transfer, backoff_loop_event *end) {
  backoff_loop loop;
  memset(&loop, 0, sizeof loop);
  loop.attempt_with = curl_retry_attempt;
  loop.now = curl_retry_now;
  loop.wait = curl_retry_wait;
  loop.cancelled = curl_retry_cancelled;
  loop.on_retry = curl_retry_event;
  loop.policy = transfer->policy;
  loop.budget = transfer->budget;
  loop.stats = transfer->stats;
  loop.deadline_ns = transfer->deadline_ns;
  transfer->code = CURLE_OK;
  transfer->status = 0;
  transfer->sent_method = transfer->method;
  transfer->sent_once = NULL;
  transfer->url[0] = '\0';
  return backoff_retry(&loop, transfer->stream, transfer, end);
}

#endif
