/* Sends requests by curl_retry.h, for tests/hostile of the project: a request for each line of JSON, and a line for how
 * it ended. libcurl reads the body of every response; the program keeps a few bytes of it. */

#define _POSIX_C_SOURCE 200809L

#include "curl_retry.h"
#include "json.h"

#include <inttypes.h>

enum { MAX_DELAYS = 16 };

struct client {
  char body[100];
  size_t length;
  double delays_ms[MAX_DELAYS];
  size_t delays;
};

static size_t keep(char *bytes, size_t size, size_t count, void *context) {
  struct client *client = (struct client *)context;
  for (size_t i = 0; i < size * count && client->length < sizeof client->body; i++) {
    client->body[client->length++] = bytes[i];
  }
  return size * count;
}

static int restart(void *context) {
  ((struct client *)context)->length = 0;
  return 0;
}

static void on_retry(void *context, const struct curl_retry *transfer, const backoff_loop_event *event) {
  struct client *client = (struct client *)context;
  (void)transfer;
  if (client->delays < MAX_DELAYS) client->delays_ms[client->delays++] = (double)event->delay_ns / 1e6;
}

/* A text of a request with a zero at its end. */
static const char *text_of(const struct value *asked, const char *name, char *copy, size_t size) {
  struct text text = member(asked, name)->text;
  if (text.length >= size) exit(2);
  memcpy(copy, text.bytes, text.length);
  copy[text.length] = '\0';
  return copy;
}

static void print_end(const struct client *client, const struct curl_retry *transfer) {
  if (transfer->code != CURLE_OK) {
    printf("{\"error\":\"%s\"", curl_easy_strerror(transfer->code));
  } else {
    /* The bodies of the test are letters. */
    const int length = transfer->status == 200 ? (int)client->length : 0;
    printf("{\"status\":%ld,\"body\":\"%.*s\"", transfer->status, length, client->body);
  }
  printf(",\"delays_ms\":[");
  for (size_t i = 0; i < client->delays; i++) printf("%s%.6f", i > 0 ? "," : "", client->delays_ms[i]);
  printf("]}\n");
  fflush(stdout);
}

static int send_request(CURL *curl, const struct value *asked) {
  struct client client;
  struct curl_retry transfer;
  backoff_policy policy;
  backoff_loop_event end;
  struct curl_slist *fields = NULL;
  char url[1000], method[20], given[1000];
  text_of(asked, "policy", given, sizeof given);
  if (backoff_policy_parse(&policy, given, strlen(given), NULL) != BACKOFF_OK) return 0;
  for (const struct value *field = member(asked, "fields")->first; field != NULL; field = field->next) {
    char line[1000];
    const struct text *name = &field->name, *text = &field->text;
    snprintf(line, sizeof line, "%.*s: %.*s", (int)name->length, name->bytes, (int)text->length, text->bytes);
    fields = curl_slist_append(fields, line);
  }
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_URL, text_of(asked, "url", url, sizeof url));
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, text_of(asked, "method", method, sizeof method));
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fields);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 20L);
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)member(asked, "timeout_ms")->number);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &client);
  const long upload = (long)member(asked, "upload")->number;
  char *const body = (char *)calloc((size_t)upload + 1, 1);
  if (upload > 0) {
    fields = curl_slist_append(fields, "Expect:");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, upload);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
  }
  for (double times = member(asked, "times")->number; times > 0; times--) {
    memset(&client, 0, sizeof client);
    memset(&transfer, 0, sizeof transfer);
    transfer.curl = curl;
    transfer.method = method;
    transfer.headers = fields;
    transfer.policy = &policy;
    transfer.restart = restart;
    transfer.on_retry = on_retry;
    transfer.context = &client;
    if (curl_retry_perform(&transfer, &end) != BACKOFF_OK) return 0;
  }
  print_end(&client, &transfer);
  curl_slist_free_all(fields);
  free(body);
  return 1;
}

int main(void) {
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURL *curl = curl_easy_init();
  while ((length = getline(&line, &size, stdin)) > 0) {
    length -= line[length - 1] == '\n';
    struct value *values = (struct value *)calloc(MAX_VALUES((size_t)length), sizeof *values);
    struct value *asked = object_of(line, (size_t)length, values);
    if (asked == NULL || !send_request(curl, asked)) return 2;
    free(values);
  }
  free(line);
  curl_easy_cleanup(curl);
  curl_global_cleanup();
  return 0;
}
