/* Transfers of curl_retry.h whose handles have other options than those of examples/curl.c, without a `method`:
 * curl_options URL FILE_URL. tests/examples.py knows what the server saw. It prints how each transfer ended. */

#include "curl_retry.h"

#include <inttypes.h>

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes, (void)context;
  return size * count;
}

static void perform(const char *name, CURL *curl, const char *url) {
  static const char text[] = "constant:base=1ms,max_retries=2";
  backoff_policy policy;
  backoff_loop_event end;
  struct curl_retry transfer = {.curl = curl, .policy = &policy};
  if (backoff_policy_parse(&policy, text, strlen(text), NULL) != BACKOFF_OK) return;
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, discard);
  if (curl_retry_perform(&transfer, &end) != BACKOFF_OK) return;
  printf("%s: %s after %" PRIu64 "\n", name, backoff_reason_name(end.reason), end.attempts);
  curl_easy_reset(curl);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURL *curl = curl_easy_init();
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  perform("FAILONERROR", curl, argv[1]);
  curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  perform("NOBODY", curl, argv[1]);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "order");
  perform("POSTFIELDS", curl, argv[1]);
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, "PATCH");
  perform("CUSTOMREQUEST", curl, argv[1]);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "order");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  perform("FOLLOWLOCATION", curl, argv[1]);
  perform("file", curl, argv[2]);
  curl_easy_cleanup(curl);
  curl_global_cleanup();
  return 0;
}
