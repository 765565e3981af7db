/* Sends the request of a case of tests/vectors/http_requests.json by curl_retry.h: curl_requests URL METHOD POLICY
 * OPTION... For tests/curl_requests.py, which writes the options and reads the output. */

#include "curl_retry.h"

#include <inttypes.h>
#include <stdlib.h>

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

static uint32_t outcome_of(const char *name) {
  uint32_t outcome = BACKOFF_OUTCOME_SUCCESS;
  while (strcmp(backoff_outcome_name(outcome), name) != 0) outcome++;
  return outcome;
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
    last->outcome = outcome_of(strchr(value, ':') + 1);
    transfer->statuses = request->statuses;
  } else if (starts(option, "cancel_at_call=", &value)) {
    request->calls_until_cancelled = atoi(value);
    transfer->cancelled = cancelled;
  } else if (starts(option, "first=", &value)) {
    request->first = value;
  } else if (starts(option, "proxy=", &value)) {
    request->proxy = value;
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
  transfer.deadline_ns = BACKOFF_NO_TIME;
  transfer.restart = restart;
  transfer.on_retry = on_retry;
  transfer.context = &request;
  for (int i = 4; i < argc; i++) set(&transfer, &request, argv[i]);
  transfer.headers = request.fields;
  if (request.first != NULL) {
    struct curl_retry warm;
    memset(&warm, 0, sizeof warm);
    warm.curl = transfer.curl;
    warm.deadline_ns = BACKOFF_NO_TIME;
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
  curl_easy_cleanup(transfer.curl);
  curl_slist_free_all(request.fields);
  curl_global_cleanup();
  return 0;
}
