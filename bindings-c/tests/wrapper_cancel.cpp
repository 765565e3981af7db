// Loops of backoff.hpp that an exception or pthread_cancel ends: they leave nothing in a budget. The
// address sanitizer does not know that pthread_cancel unwinds, so this test is not sanitized.

#include <backoff.hpp>

#include <pthread.h>
#include <sstream>
#include <unistd.h>

#include "check.h"

namespace {

// Whether another operation is under way: this budget then grants a retry.
bool is_busy(backoff::budget &budget) {
  backoff::options options;
  options.budget = &budget;
  const auto policy = backoff::policy::parse("immediate:max_retries=1").value();
  const auto fails = [] { return backoff::outcome::transient; };
  return backoff::retry(policy, fails, options).value().attempts > 1;
}

// What a loop shares with its test.
struct Shared {
  backoff::budget budget = backoff::budget::parse("concurrent:min_concurrent=0,ratio=0.5").value();
  backoff::retry_stats stats;
  std::ostringstream log;
  bool is_slow = true;  // an attempt takes an hour; otherwise the wait after it does
  bool is_unwound = false;
};

// Waits for an hour, unless pthread_cancel ends the thread.
void *wait_an_hour(void *argument) {
  struct Unwound {
    bool &is;
    ~Unwound() { is = true; }
  };
  auto &shared = *static_cast<Shared *>(argument);
  const Unwound unwound{shared.is_unwound};
  backoff::options options;
  const backoff::stream stream(1);  // so that nothing before the hour can be cancelled
  options.stream = &stream;
  // It grants no retry to a single operation.
  if (shared.is_slow) options.budget = &shared.budget;
  options.stats = &shared.stats;
  options.on_stop = [&](const backoff::event &event) { shared.log << event.reason; };
  const auto policy = backoff::policy::parse("constant:base=1h").value();
  auto waits = [&] {
    if (shared.is_slow) sleep(3600);
    return backoff::outcome::transient;
  };
  static_cast<void>(backoff::retry(policy, waits, options));
  return nullptr;
}

void check_exceptions() {
  Shared shared;
  backoff::options options;
  options.budget = &shared.budget;
  const auto policy = backoff::policy::parse("immediate").value();
  const auto throws = [&]() -> backoff::verdict {
    check_true("an attempt", "is counted by the budget", is_busy(shared.budget));
    throw 1;
  };
  int caught = 0;
  try {
    static_cast<void>(backoff::retry(policy, throws, options));
  } catch (int thrown) {
    caught = thrown;
  }
  check_number("an exception", "is passed on", static_cast<uint64_t>(caught), 1);
  check_true("an exception", "leaves nothing in the budget", !is_busy(shared.budget));
}

// The clock is read again at the end, unless it is what has failed.
void check_clock() {
  Shared shared;
  backoff::options options;
  int reads = 0, stops = 0, caught = 0;
  options.now = [&]() -> backoff::clock::time_point {
    if (++reads > 1) throw reads;
    return backoff::clock::now();
  };
  options.on_stop = [&](const backoff::event &) { stops++; };
  const auto policy = backoff::policy::parse("immediate").value();
  try {
    static_cast<void>(
        backoff::retry(policy, [] { return backoff::outcome::transient; }, options));
  } catch (int thrown) {
    caught = thrown;
  }
  check_number("a clock that throws", "is passed on", static_cast<uint64_t>(caught), 2);
  check_number("a clock that throws", "stops", static_cast<uint64_t>(stops), 1);
}

void check_thread(bool is_slow) {
  Shared shared;
  shared.is_slow = is_slow;
  pthread_t thread;
  const int code = pthread_create(&thread, nullptr, wait_an_hour, &shared);
  if (!check_number("a thread", "code", static_cast<uint64_t>(code), 0)) return;
  pthread_cancel(thread);
  void *returned = nullptr;
  pthread_join(thread, &returned);
  check_true("a cancelled thread", "ends", returned == PTHREAD_CANCELED);
  check_true("a cancelled thread", "is unwound", shared.is_unwound);
  check_text("a cancelled thread", "log", shared.log.str().c_str(), "cancelled");
  check_true("a cancelled thread", "is counted",
             shared.stats.to_string().find("{reason=\"cancelled\"} 1\n") != std::string::npos);
  check_true("a cancelled thread", "leaves nothing in the budget", !is_busy(shared.budget));
}

}  // namespace

int main() {
  check_exceptions();
  check_clock();
  check_thread(true);
  check_thread(false);
  return check_end();
}
