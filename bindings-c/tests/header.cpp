// The header as C++: compiled with every warning an error, linked and called.

#include <backoff.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "check.h"

static_assert(std::is_same<decltype(BACKOFF_SECOND), uint64_t>::value, "a unit");
static_assert(std::is_same<decltype(BACKOFF_MAX_NS), uint64_t>::value, "the longest duration");
static_assert(std::is_same<decltype(BACKOFF_NONE), uint64_t>::value, "no deadline");
static_assert(std::is_same<decltype(BACKOFF_OUTCOME_SUCCESS), uint32_t>::value, "an outcome");
static_assert(std::is_same<decltype(BACKOFF_REASON_BUDGET), uint32_t>::value, "a reason");
static_assert(std::is_same<decltype(BACKOFF_FIELD_CAP), uint32_t>::value, "a field");
static_assert(std::is_same<decltype(BACKOFF_OK), uint32_t>::value, "a code");
static_assert(std::is_same<decltype(BACKOFF_TEXT_SIZE), uint32_t>::value, "a size");

#if BACKOFF_VERSION < 1000
#error "The preprocessor cannot compare versions."
#endif

int main() {
  backoff_params params = BACKOFF_PARAMS_INIT;
  check_number("params", "growth",
               backoff_params_set(&params, BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_EXPONENTIAL),
               BACKOFF_OK);
  check_number("params", "base",
               backoff_params_set(&params, BACKOFF_FIELD_BASE, 100 * BACKOFF_MILLISECOND),
               BACKOFF_OK);
  check_number("params", "cap",
               backoff_params_set(&params, BACKOFF_FIELD_CAP, 10 * BACKOFF_SECOND), BACKOFF_OK);
  check_number("params", "multiplier",
               backoff_params_set_ratio(&params, BACKOFF_FIELD_MULTIPLIER, 2, 1), BACKOFF_OK);
  check_number("params", "jitter",
               backoff_params_set(&params, BACKOFF_FIELD_JITTER, BACKOFF_JITTER_FULL),
               BACKOFF_OK);

  backoff_policy policy;
  backoff_error error = {};
  check_number("policy", "code", backoff_policy_init(&policy, &params, &error), BACKOFF_OK);

  uint64_t stream = 0, delay_ns = 0;
  check_number("stream", "code", backoff_stream_from_key(42, "job-1", 5, &stream), BACKOFF_OK);
  check_number("macros", "min", std::min(2 * BACKOFF_SECOND + delay_ns, BACKOFF_SECOND),
               BACKOFF_SECOND);
  backoff_iter iterator;
  check_number("iterator", "code", backoff_iter_init(&iterator, &policy, stream), BACKOFF_OK);
  check_number("delay", "code", backoff_iter_next_ns(&iterator, &delay_ns), BACKOFF_OK);
  // The case ts-full of tests/vectors/articles.json.
  check_number("delay", "ns", delay_ns, 11399434);

  const std::string text = "full:base=100ms,cap=10s,max_retries=1";
  backoff_policy parsed;
  check_number("string", "code", backoff_policy_parse(&parsed, text.data(), text.size(), &error),
               BACKOFF_OK);
  backoff_operation operation;
  backoff_decision decision = {};
  check_number("operation", "begin",
               backoff_operation_begin(&operation, &parsed, stream, 0, BACKOFF_NONE, nullptr),
               BACKOFF_OK);
  check_number("operation", "decide",
               backoff_operation_decide(&operation, BACKOFF_OUTCOME_TRANSIENT, BACKOFF_NONE, 0,
                                        nullptr, &decision),
               BACKOFF_OK);
  check_number("operation", "delay", decision.delay_ns, 11399434);

  backoff_loop loop{};
  loop.policy = &parsed;
  loop.attempt = [](void *, uint64_t *) -> uint32_t { return BACKOFF_OUTCOME_TRANSIENT; };
  loop.now = [](void *context) { return *static_cast<uint64_t *>(context); };
  loop.wait = [](void *context, uint64_t ns) -> uint32_t {
    *static_cast<uint64_t *>(context) += ns;
    return 0;
  };
  uint64_t now_ns = 0;
  backoff_event end = {};
  check_number("loop", "code", backoff_retry(&loop, stream, &now_ns, &end), BACKOFF_OK);
  check_number("loop", "attempts", end.attempts, 2);
  check_number("loop", "elapsed", end.elapsed_ns, 11399434);
  check_text("code", "name", backoff_code_name(BACKOFF_OK), "ok");
  check_number("version", "number", backoff_version(), BACKOFF_VERSION);
  return check_end();
}
