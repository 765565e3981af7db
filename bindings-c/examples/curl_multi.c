/* Gets many URLs at the same time in one thread, each with retries, by curl_retry.h: curl_multi POLICY URL...
 *
 * A wait is a time at which to begin the next attempt. The timeout of curl_multi_poll is the earliest of these times. */

#include "curl_retry.h"

#include <inttypes.h>

#define MOST 64

/* A transfer: an attempt is under way, a wait is, or it is done. */
struct fetch {
  struct curl_retry transfer;
  backoff_operation operation;
  uint64_t due_ns; /* the end of the wait; BACKOFF_NO_TIME: no wait is under way */
  uint64_t attempts;
  uint64_t bytes; /* of the body */
  backoff_reason reason;
};

static size_t count_bytes(char *bytes, size_t size, size_t count, void *context) {
  struct fetch *fetch = context;
  (void)bytes;
  fetch->bytes += size * count;
  return size * count;
}

static int restart(void *context) {
  struct fetch *fetch = context;
  fetch->bytes = 0;
  return 0;
}

/* Decides whether to wait or to stop. Returns 0 if the budget is damaged. */
static int end_attempt(struct fetch *fetch, backoff_outcome outcome, uint64_t retry_after_ns, backoff_budget *budget) {
  backoff_decision decision;
  uint64_t now_ns = curl_retry_now(NULL);
  if (backoff_operation_decide(&fetch->operation, outcome, retry_after_ns, now_ns, budget, &decision) != BACKOFF_OK) {
    return 0;
  }
  fetch->attempts++;
  fetch->reason = decision.reason;
  if (decision.reason == BACKOFF_REASON_NONE) {
    fetch->due_ns = now_ns + decision.delay_ns;
    printf("%s, attempt %" PRIu64 ": %s, waiting %" PRIu64 " ns\n", fetch->transfer.url, fetch->attempts,
           backoff_outcome_name(outcome), decision.delay_ns);
  } else {
    printf("%s: %s after %" PRIu64 " attempts: %s, HTTP %ld, %" PRIu64 " bytes\n", fetch->transfer.url,
           backoff_reason_name(decision.reason), fetch->attempts, curl_easy_strerror(fetch->transfer.code),
           fetch->transfer.status, fetch->bytes);
  }
  return 1;
}

/* Begins the attempts whose waits are over. Returns how long libcurl may wait for the next one, or -1. */
static int begin_attempts(struct fetch *fetches, int count, CURLM *multi) {
  uint64_t now_ns = curl_retry_now(NULL), next_ns = now_ns + INT_MAX * BACKOFF_MILLISECOND;
  for (int i = 0; i < count; i++) {
    if (fetches[i].due_ns <= now_ns) {
      uint64_t limit_ns;
      fetches[i].due_ns = BACKOFF_NO_TIME;
      if (backoff_operation_attempt_limit(&fetches[i].operation, now_ns, &limit_ns) != BACKOFF_OK) return -1;
      curl_retry_limit_attempt(&fetches[i].transfer, limit_ns);
      curl_retry_begin_attempt(&fetches[i].transfer); /* our `restart` always can */
      if (curl_multi_add_handle(multi, fetches[i].transfer.curl) != CURLM_OK) return -1;
      next_ns = now_ns;
    } else if (fetches[i].due_ns < next_ns) {
      next_ns = fetches[i].due_ns;
    }
  }
  /* Rounded up: a wait must not be shorter than its delay. */
  return (int)((next_ns - now_ns + BACKOFF_MILLISECOND - 1) / BACKOFF_MILLISECOND);
}

/* Returns 0 if it cannot go on. */
static int run(struct fetch *fetches, int count, CURLM *multi, backoff_budget *budget) {
  for (int left = count; left > 0;) {
    int running, queued, timeout_ms = begin_attempts(fetches, count, multi);
    CURLMsg *message;
    if (timeout_ms < 0 || curl_multi_poll(multi, NULL, 0, timeout_ms, NULL) != CURLM_OK) return 0;
    if (curl_multi_perform(multi, &running) != CURLM_OK) return 0;
    while ((message = curl_multi_info_read(multi, &queued)) != NULL) {
      const CURLcode code = message->data.result; /* removing the handle ends the message */
      uint64_t retry_after_ns = BACKOFF_NO_TIME;
      struct fetch *fetch;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &fetch);
      curl_multi_remove_handle(multi, fetch->transfer.curl);
      backoff_outcome outcome = curl_retry_end_attempt(&fetch->transfer, code, &retry_after_ns);
      if (!end_attempt(fetch, outcome, retry_after_ns, budget)) return 0;
      if (fetch->reason != BACKOFF_REASON_NONE) left--;
    }
  }
  return 1;
}

static int make(struct fetch *fetch, const char *url, const backoff_policy *policy, backoff_budget *budget) {
  uint64_t stream;
  fetch->transfer.curl = curl_easy_init();
  fetch->transfer.restart = restart;
  fetch->transfer.context = fetch;
  fetch->transfer.timeout_ms = 5000; /* of one attempt */
  if (fetch->transfer.curl == NULL || backoff_stream_from_entropy(&stream) != BACKOFF_OK) return 0;
  curl_easy_setopt(fetch->transfer.curl, CURLOPT_URL, url);
  curl_easy_setopt(fetch->transfer.curl, CURLOPT_PRIVATE, fetch);
  curl_easy_setopt(fetch->transfer.curl, CURLOPT_WRITEFUNCTION, count_bytes);
  curl_easy_setopt(fetch->transfer.curl, CURLOPT_WRITEDATA, fetch);
  fetch->due_ns = curl_retry_now(NULL);
  return backoff_operation_begin(&fetch->operation, policy, stream, fetch->due_ns, BACKOFF_NO_TIME, budget) ==
         BACKOFF_OK;
}

int main(int argc, char **argv) {
  static struct fetch fetches[MOST];
  static backoff_budget budget; /* all URLs are of one server; otherwise each server has its own */
  backoff_policy policy;
  int count = argc - 2, failed = 0;
  if (count < 1 || count > MOST || backoff_policy_parse(&policy, argv[1], strlen(argv[1]), NULL) != BACKOFF_OK ||
      backoff_budget_parse(&budget, "finagle", strlen("finagle"), NULL) != BACKOFF_OK) {
    fprintf(stderr, "usage: curl_multi POLICY URL... (at most %d)\n", MOST);
    return 2;
  }
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  for (int i = 0; i < count; i++) failed |= !make(&fetches[i], argv[i + 2], &policy, &budget);
  failed = failed || multi == NULL || !run(fetches, count, multi, &budget);
  for (int i = 0; i < count; i++) {
    backoff_operation_cancel(&fetches[i].operation, &budget, NULL); /* changes nothing for one that is done */
    failed |= fetches[i].reason != BACKOFF_REASON_SUCCESS;
    if (multi != NULL) curl_multi_remove_handle(multi, fetches[i].transfer.curl);
    curl_easy_cleanup(fetches[i].transfer.curl);
  }
  curl_multi_cleanup(multi);
  curl_global_cleanup();
  return failed;
}
