/* Sends the request of a case of tests/vectors/http_requests.json by curl_retry.h: curl_requests URL METHOD POLICY
 * OPTION... For tests/curl_requests.py, which writes the options and reads the output. */

#define _POSIX_C_SOURCE 200112L

#include <curl/curl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

static CURLcode forced_code; /* what a transfer ends with, without being made; CURLE_OK: it is made */
static long longest_sleep_ms;

static CURLcode perform(CURL *curl) { return forced_code != CURLE_OK ? forced_code : curl_easy_perform(curl); }

static int sleep_for(const struct timespec *time, struct timespec *left) {
  const long ms = (long)time->tv_sec * 1000 + time->tv_nsec / 1000000;
  if (ms > longest_sleep_ms) longest_sleep_ms = ms;
  return nanosleep(time, left);
}

#define curl_easy_perform perform
#define nanosleep sleep_for
#include "curl_retry.h"

struct response {
  char body[200];
  size_t length;
};

struct request {
  struct response response;
  struct curl_slist *fields;
  const char *methods[9];
  struct curl_retry_status statuses[9];
  const char *once;
  const char *proxy;         /* the URL of a proxy through which a tunnel goes */
  const char *first;         /* a URL to get before the request, on the same handle */
  int calls_until_cancelled; /* 0: never */
};

static size_t keep(char *bytes, size_t size, size_t count, void *context) {
  struct response *response = (struct response *)context;
  for (size_t i = 0; i < size * count && response->length + 1 < sizeof response->body; i++) {
    response->body[response->length++] = bytes[i];
  }
  return size * count;
}

/* A body that can be read once. */
static size_t read_once(char *bytes, size_t size, size_t count, void *context) {
  struct request *request = (struct request *)context;
  size_t length = strlen(request->once);
  if (length > size * count) return CURL_READFUNC_ABORT;
  memcpy(bytes, request->once, length);
  request->once = "";
  return length;
}

static int restart(void *context) {
  struct request *request = (struct request *)context;
  memset(&request->response, 0, sizeof request->response);
  return 0;
}

static uint32_t cancelled(void *context) {
  struct request *request = (struct request *)context;
  return request->calls_until_cancelled > 0 && --request->calls_until_cancelled == 0;
}

static void on_retry(void *context, const struct curl_retry *transfer, const backoff_loop_event *event) {
  (void)context;
  printf("event %" PRIu64 " %s %ld %s\n", event->attempts, transfer->sent_method, transfer->status, transfer->url);
  printf("delay %" PRIu64 "\n", event->delay_ns);
}

static int starts(const char *option, const char *name, const char **value) {
  size_t length = strlen(name);
  *value = option + length;
  return strncmp(option, name, length) == 0;
}

static void set(struct curl_retry *transfer, struct request *request, const char *option) {
  const char *value;
  if (starts(option, "field=", &value)) {
    request->fields = curl_slist_append(request->fields, value);
  } else if (starts(option, "text=", &value)) {
    curl_easy_setopt(transfer->curl, CURLOPT_POSTFIELDS, value);
  } else if (starts(option, "once=", &value)) {
    request->once = value;
    transfer->has_body_for_once = 1;
    curl_easy_setopt(transfer->curl, CURLOPT_POST, 1L);
    curl_easy_setopt(transfer->curl, CURLOPT_POSTFIELDSIZE, (long)strlen(value));
    curl_easy_setopt(transfer->curl, CURLOPT_READFUNCTION, read_once);
    curl_easy_setopt(transfer->curl, CURLOPT_READDATA, request);
  } else if (starts(option, "no_restart", &value)) {
    transfer->restart = NULL;
  } else if (starts(option, "may_repeat=", &value)) {
    transfer->may_repeat = atoi(value);
  } else if (starts(option, "methods", &value)) {
    transfer->methods = request->methods;
  } else if (starts(option, "method=", &value)) {
    const char **last = request->methods;
    while (*last != NULL) last++;
    *last = value;
  } else if (starts(option, "proxy_statuses", &value)) {
    transfer->statuses = curl_retry_proxy_statuses;
  } else if (starts(option, "status=", &value)) {
    struct curl_retry_status *last = request->statuses;
    while (last->status != 0) last++;
    last->status = atol(value);
    const char *name = strchr(value, ':') + 1;
    last->outcome = backoff_outcome_from_name(name, strlen(name));
    transfer->statuses = request->statuses;
  } else if (starts(option, "cancel_at_call=", &value)) {
    request->calls_until_cancelled = atoi(value);
    transfer->cancelled = cancelled;
  } else if (starts(option, "first=", &value)) {
    request->first = value;
  } else if (starts(option, "proxy=", &value)) {
    request->proxy = value;
  } else if (starts(option, "code=", &value)) {
    forced_code = (CURLcode)atoi(value);
  } else if (starts(option, "timeout_ms=", &value)) {
    transfer->timeout_ms = atol(value);
  } else if (starts(option, "timeout=", &value)) {
    curl_easy_setopt(transfer->curl, CURLOPT_TIMEOUT_MS, atol(value));
  } else {
    fprintf(stderr, "unknown option %s\n", option);
    exit(2);
  }
}

int main(int argc, char **argv) {
  struct request request;
  struct curl_retry transfer;
  backoff_policy policy;
  backoff_loop_event end;
  memset(&request, 0, sizeof request);
  memset(&transfer, 0, sizeof transfer);
  if (argc < 4 || backoff_policy_parse(&policy, argv[3], strlen(argv[3]), NULL) != BACKOFF_OK) return 2;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  transfer.curl = curl_easy_init();
  transfer.policy = &policy;
  transfer.restart = restart;
  transfer.on_retry = on_retry;
  transfer.context = &request;
  for (int i = 4; i < argc; i++) set(&transfer, &request, argv[i]);
  transfer.headers = request.fields;
  if (request.first != NULL) {
    struct curl_retry warm;
    memset(&warm, 0, sizeof warm);
    warm.curl = transfer.curl;
    curl_easy_setopt(transfer.curl, CURLOPT_URL, request.first);
    curl_easy_setopt(transfer.curl, CURLOPT_HTTPGET, 1L);
    if (curl_retry_perform(&warm, &end) != BACKOFF_OK || warm.status != 200) return 3;
    curl_easy_setopt(transfer.curl, CURLOPT_POST, 1L);
  }
  curl_easy_setopt(transfer.curl, CURLOPT_URL, argv[1]);
  curl_easy_setopt(transfer.curl, CURLOPT_NOBODY, (long)(strcmp(argv[2], "HEAD") == 0));
  if (strcmp(argv[2], "HEAD") != 0) curl_easy_setopt(transfer.curl, CURLOPT_CUSTOMREQUEST, argv[2]);
  curl_easy_setopt(transfer.curl, CURLOPT_HTTPHEADER, request.fields);
  curl_easy_setopt(transfer.curl, CURLOPT_NOPROXY, request.proxy == NULL ? "*" : "");
  curl_easy_setopt(transfer.curl, CURLOPT_PROXY, request.proxy);
  curl_easy_setopt(transfer.curl, CURLOPT_HTTPPROXYTUNNEL, (long)(request.proxy != NULL));
  curl_easy_setopt(transfer.curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(transfer.curl, CURLOPT_WRITEFUNCTION, keep);
  curl_easy_setopt(transfer.curl, CURLOPT_WRITEDATA, &request.response);

  if (curl_retry_perform(&transfer, &end) != BACKOFF_OK) return 2;
  printf("attempts %" PRIu64 "\noutcome %s\nreason %s\n", end.attempts, backoff_outcome_name(end.outcome),
         backoff_reason_name(end.reason));
  printf("method %s\nurl %s\nsent_once %s\n", transfer.sent_method, transfer.url,
         transfer.sent_once == NULL ? "" : transfer.sent_once);
  printf("code %d\nstatus %ld\nbody %s\n", (int)transfer.code, transfer.status, request.response.body);
  printf("longest_sleep_ms %ld\n", longest_sleep_ms);
  curl_easy_cleanup(transfer.curl);
  curl_slist_free_all(request.fields);
  curl_global_cleanup();
  return 0;
}
