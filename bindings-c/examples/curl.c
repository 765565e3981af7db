/* Sends a request with retries, by curl_retry.h: curl METHOD URL POLICY SEED KEY [BODY [FIELD]]
 *
 * FIELD is a line of the header, such as "Idempotency-Key: 7". It prints the status and the body. */

#include "curl_retry.h"

#include <inttypes.h>
#include <stdlib.h>

struct body {
  char *bytes;
  size_t length;
};

static size_t append(char *bytes, size_t size, size_t count, void *context) {
  struct body *body = context;
  char *longer = realloc(body->bytes, body->length + size * count);
  if (longer == NULL) return 0; /* makes curl fail */
  memcpy(longer + body->length, bytes, size * count);
  body->bytes = longer;
  body->length += size * count;
  return size * count;
}

/* What is sent are bytes, which libcurl sends again by itself. */
static int restart(void *context) {
  struct body *body = context;
  body->length = 0;
  return 0;
}

static void on_retry(void *context, const struct curl_retry *transfer, const backoff_loop_event *event) {
  (void)context;
  printf("%s %s, attempt %" PRIu64 ": %s, waiting %" PRIu64 " ns\n", transfer->sent_method, transfer->url,
         event->attempts, backoff_outcome_name(event->outcome), event->delay_ns);
}

static int send_request(char **arguments, int count, const backoff_policy *policy, uint64_t stream,
                        backoff_budget *budget) {
  struct body body = {NULL, 0};
  struct curl_slist *fields = count > 7 ? curl_slist_append(NULL, arguments[7]) : NULL;
  struct curl_retry transfer = {.curl = curl_easy_init(),
                                .method = arguments[1],
                                .headers = fields,
                                .policy = policy,
                                .stream = stream,
                                .budget = budget,
                                .restart = restart,
                                .on_retry = on_retry,
                                .context = &body,
                                .timeout_ms = 5000}; /* of one attempt */
  backoff_loop_event end;
  curl_easy_setopt(transfer.curl, CURLOPT_URL, arguments[2]);
  curl_easy_setopt(transfer.curl, CURLOPT_CUSTOMREQUEST, arguments[1]);
  /* Or libcurl would wait for the body that an answer to HEAD has not. */
  if (strcmp(arguments[1], "HEAD") == 0) curl_easy_setopt(transfer.curl, CURLOPT_NOBODY, 1L);
  if (count > 6) curl_easy_setopt(transfer.curl, CURLOPT_POSTFIELDS, arguments[6]);
  curl_easy_setopt(transfer.curl, CURLOPT_HTTPHEADER, fields);
  curl_easy_setopt(transfer.curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(transfer.curl, CURLOPT_MAXREDIRS, 20L); /* older versions of libcurl have no limit */
  curl_easy_setopt(transfer.curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(transfer.curl, CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(transfer.curl, CURLOPT_WRITEDATA, &body);

  backoff_code code = curl_retry_perform(&transfer, &end);
  if (code != BACKOFF_OK) { /* `end` is not written */
    fprintf(stderr, "curl_retry_perform: %s\n", backoff_code_name(code));
  } else if (transfer.code != CURLE_OK) {
    printf("%s after %" PRIu64 " attempts: %s\n", backoff_reason_name(end.reason), end.attempts,
           curl_easy_strerror(transfer.code));
  } else {
    printf("%s after %" PRIu64 " attempts: HTTP %ld: %.*s\n", backoff_reason_name(end.reason),
           end.attempts, transfer.status, (int)body.length, body.length > 0 ? body.bytes : "");
  }
  int failed = code != BACKOFF_OK || end.reason != BACKOFF_REASON_SUCCESS;
  curl_easy_cleanup(transfer.curl);
  curl_slist_free_all(fields);
  free(body.bytes);
  return failed;
}

int main(int argc, char **argv) {
  static backoff_budget budget; /* of the server: all requests to it share one, which lives as long as the program */
  backoff_policy policy;
  backoff_error error;
  uint64_t stream;
  if (argc < 6 || argc > 8) {
    fprintf(stderr, "usage: curl METHOD URL POLICY SEED KEY [BODY [FIELD]]\n");
    return 2;
  }
  if (backoff_policy_parse(&policy, argv[3], strlen(argv[3]), &error) != BACKOFF_OK) {
    char message[BACKOFF_TEXT_SIZE];
    backoff_error_message(&error, message, sizeof message, NULL);
    fprintf(stderr, "policy %s: %s\n", argv[3], message);
    return 2;
  }
  if (backoff_budget_parse(&budget, "finagle", strlen("finagle"), NULL) != BACKOFF_OK ||
      backoff_stream_from_key(strtoull(argv[4], NULL, 10), argv[5], strlen(argv[5]), &stream) != BACKOFF_OK) {
    return 2;
  }
  curl_global_init(CURL_GLOBAL_DEFAULT);
  int failed = send_request(argv, argc, &policy, stream, &budget);
  curl_global_cleanup();
  return failed;
}
