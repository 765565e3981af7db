// Loops of backoff.hpp that an exception, pthread_cancel or a lack of entropy ends: they leave nothing in
// a budget. The address sanitizer does not know that pthread_cancel unwinds, so this test is not sanitized.

#define backoff_stream_from_entropy stream_or_none
#include <backoff.hpp>

#include <algorithm>
#include <mutex>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.hpp"

namespace {

backoff_code code_of_entropy = BACKOFF_ERROR_NO_ENTROPY;
uint64_t seeds = 0;

}  // namespace

// A seed that differs each time, and in each process.
extern "C" backoff_code stream_or_none(uint64_t *stream) {
  seeds++;
  *stream = static_cast<uint64_t>(getpid()) * 1000 + seeds;
  return code_of_entropy;
}

namespace {

// Whether another operation is under way: this budget then grants a retry.
bool is_busy(backoff::budget &budget) {
  backoff::options options;
  options.stream = backoff::stream(1);
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
  options.stream = backoff::stream(1);
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
  options.stream = backoff::stream(1);
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

// The clock is read again at the end. If it fails there, on_stop is called all the same, and the first
// exception is the one that is passed on.
void check_clock(const char *id, bool attempt_throws, bool is_cancelled, int passed_on) {
  backoff::retry_stats stats;
  backoff::options options;
  options.stream = backoff::stream(1);
  options.stats = &stats;
  int reads = 0, calls = 0, stops = 0, caught = 0;
  options.now = [&]() -> backoff::clock::time_point {
    if (++reads > 1) throw reads;
    return backoff::clock::now();
  };
  options.cancelled = [&] { return is_cancelled && calls > 0; };
  options.on_stop = [&](const backoff::event &event) {
    stops++;
    check_equal(id, "elapsed", event.elapsed, 0);
  };
  const auto attempt = [&] {
    if (calls++, attempt_throws) throw 99;
    return backoff::outcome::transient;
  };
  const auto policy = backoff::policy::parse("immediate").value();
  try {
    static_cast<void>(backoff::retry(policy, attempt, options));
  } catch (int thrown) {
    caught = thrown;
  }
  check_number(id, "is passed on", static_cast<uint64_t>(caught), static_cast<uint64_t>(passed_on));
  check_number(id, "stops", static_cast<uint64_t>(stops), 1);
  check_number(id, "is counted", stats.stopped(backoff::reason::cancelled), 1);
}

// A hook can read the exception that ends the loop, and keep it in its own.
void check_nested() {
  backoff::options options;
  options.stream = backoff::stream(1);
  options.on_stop = [](const backoff::event &) { std::throw_with_nested(std::logic_error("hook")); };
  const auto throws = []() -> backoff::verdict { throw std::logic_error("attempt"); };
  std::string caught, inner;
  try {
    static_cast<void>(backoff::retry(backoff::policy::parse("off").value(), throws, options));
  } catch (const std::logic_error &thrown) {
    caught = thrown.what();
    try {
      std::rethrow_if_nested(thrown);
    } catch (const std::logic_error &nested) {
      inner = nested.what();
    }
  }
  check_text("a hook that throws", "is passed on", caught.c_str(), "hook");
  check_text("a hook that throws", "keeps the exception of the attempt", inner.c_str(), "attempt");
}

// Without entropy the first attempt is the last. Its failure is an error if it could have been retried.
void check_no_entropy(backoff::outcome outcome, const char *reason, backoff_code code) {
  Shared shared;
  const auto policy = backoff::policy::parse("constant:base=1h").value();
  int calls = 0;
  const auto attempt = [&] { return calls++, outcome; };
  backoff::options options;
  options.budget = &shared.budget;
  options.stats = &shared.stats;
  options.on_stop = [&](const backoff::event &event) { shared.log << event.reason; };
  const auto ended = backoff::retry(policy, attempt, options);
  check_number(reason, "calls without entropy", static_cast<uint64_t>(calls), 1);
  check_text(reason, "log without entropy", shared.log.str().c_str(), reason);
  check_number(reason, "code without entropy", ended.error().code(), code);
  check_number(reason, "is counted without entropy",
               shared.stats.stopped(backoff::reason_from_name(reason)), 1);
  check_true(reason, "leaves nothing in the budget", !is_busy(shared.budget));
}

// The first delay of a loop that has no stream of its own.
uint64_t default_delay() {
  backoff::options options;
  uint64_t delay = 0;
  options.sleep = [&](backoff::nanoseconds time) { delay = static_cast<uint64_t>(time.count()); };
  const auto policy = backoff::policy::parse("full:base=1h,max_retries=1").value();
  ignore(backoff::retry(policy, [] { return backoff::outcome::transient; }, options));
  return delay;
}

// The first delays of the streams of these numbers under a seed.
std::vector<uint64_t> delays_of(uint64_t seed, uint64_t first, uint64_t count) {
  const auto policy = backoff::policy::parse("full:base=1h").value();
  std::vector<uint64_t> delays;
  for (uint64_t n = first; n < first + count; n++) {
    const auto stream = backoff::stream::nth(seed, n);
    delays.push_back(static_cast<uint64_t>(policy.delay(stream, 0).count()));
  }
  return delays;
}

std::vector<uint64_t> of_threads() {
  std::vector<uint64_t> delays;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; thread++) {
    threads.emplace_back([&] {
      for (int loop = 0; loop < 25; loop++) {
        const uint64_t delay = default_delay();
        const std::lock_guard<std::mutex> held(mutex);
        delays.push_back(delay);
      }
    });
  }
  for (auto &thread : threads) thread.join();
  return delays;
}

// A process asks for entropy until it gets it, then numbers its loops under this seed (SPEC 18.1). A
// forked child has a seed of its own.
void check_numbers_of_loops() {
  const uint64_t own = static_cast<uint64_t>(getpid()) * 1000;
  check_number("each loop without entropy", "asks", seeds, 3);
  const auto begin = [] { return backoff::operation::begin(backoff::policy()); };
  check_number("an operation without entropy", "code", begin().error().code(),
               BACKOFF_ERROR_NO_ENTROPY);
  code_of_entropy = BACKOFF_OK;
  auto delays = of_threads(), wanted = delays_of(own + 5, 0, 100);
  std::sort(delays.begin(), delays.end());
  std::sort(wanted.begin(), wanted.end());
  check_true("the loops of all threads", "have the numbers from 0", delays == wanted);
  check_number("a process", "asks once", seeds, 5);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const uint64_t seed = static_cast<uint64_t>(getpid()) * 1000 + 6;
    std::vector<uint64_t> first;
    for (int loop = 0; loop < 3; loop++) first.push_back(default_delay());
    _exit(first == delays_of(seed, 0, 3) && seeds == 6 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  check_true("a forked child", "numbers its loops under its own seed", status == 0);
  check_true("an operation", "has the next number", !!begin());
  check_true("a parent", "goes on", default_delay() == delays_of(own + 5, 101, 1)[0]);
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
  check_number("a cancelled thread", "is counted",
               shared.stats.stopped(backoff::reason::cancelled), 1);
  check_true("a cancelled thread", "leaves nothing in the budget", !is_busy(shared.budget));
}

}  // namespace

int main() {
  check_exceptions();
  check_clock("a clock that throws", false, false, 2);
  check_clock("a clock that throws after an attempt that does", true, false, 99);
  check_clock("a clock that throws after a cancellation", false, true, 2);
  check_nested();
  check_no_entropy(backoff::outcome::success, "success", BACKOFF_OK);
  check_no_entropy(backoff::outcome::permanent, "permanent", BACKOFF_OK);
  check_no_entropy(backoff::outcome::throttled, "max_retries", BACKOFF_ERROR_NO_ENTROPY);
  check_numbers_of_loops();
  check_thread(true);
  check_thread(false);
  return check_end();
}
