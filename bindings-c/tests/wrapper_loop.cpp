// The loop of backoff.hpp, with a clock that only waits move. loops.py plays the vectors of loops, and
// wrapper_cancel.cpp has what ends a loop early. Compiles with and without exceptions, from C++11 on.

#include <backoff.hpp>

#include <limits>
#include <memory>
#include <type_traits>

#include "check.hpp"

// A function of a user with the name of one in backoff.hpp.
namespace user {

struct Attempt {
  backoff::outcome operator()() const { return backoff::outcome::success; }
};

// Calls retry, and not itself.
template <class Function>
backoff::result<backoff::event> run(const backoff::policy &policy, const Function &function,
                                    const backoff::options &options) {
  return backoff::retry(policy, function, options);
}

}  // namespace user

namespace {

using backoff::outcome;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

const auto fails = [] { return outcome::transient; };

backoff::policy policy_of(const char *string) { return backoff::policy::parse(string).value(); }

// A loop whose clock only waits move, and what it printed.
struct Loop {
  backoff::clock::time_point now;
  std::ostringstream log;
  backoff::options options;

  Loop() {
    options.stream = backoff::stream::from_key(42, "job-1");
    options.now = [this] { return now; };
    options.sleep = [this](backoff::nanoseconds delay) { now += delay; };
    options.on_retry = [this](const backoff::event &event) {
      log << event.attempts << ' ' << event.outcome << ' ' << event.delay.count() << '\n';
    };
    options.on_stop = [this](const backoff::event &event) {
      log << event.attempts << ' ' << event.reason << ' ' << event.elapsed.count() << '\n';
    };
  }
  Loop(const Loop &) = delete;
  Loop &operator=(const Loop &) = delete;
};

// The same loop as in the README of the C library.
void check_retry() {
  backoff::retry_stats stats;
  Loop loop;
  loop.options.stats = &stats;
  int calls = 0;
  const auto attempt = [&]() -> backoff::verdict {
    calls++;
    if (calls == 2) return {outcome::throttled, seconds(2)};
    return calls < 3 ? outcome::throttled : outcome::success;
  };
  const backoff::event end = backoff::retry(backoff::policy(), attempt, loop.options).value();
  check_equal("retry", "log", loop.log.str(),
              "1 throttled 11399434\n2 throttled 2000000000\n3 success 2011399434\n");
  check_number("retry", "attempts", end.attempts, 3);
  check_equal("retry", "elapsed", end.elapsed, 2011399434);
  check_equal("retry", "outcome", printed(end.outcome), "success");
  check_number("retry", "retries in the stats", stats.retries(), 2);
  check_number("retry", "successes in the stats", stats.stopped(backoff::reason::success), 1);
}

// A response, which can be moved but not copied.
struct Response {
  uint32_t status;
  std::unique_ptr<std::string> body;
};

// A server that answers 503 until a call, with a Retry-After.
struct Server {
  int calls, is_up_at;
  backoff::attempt<Response> get() {
    const uint32_t status = ++calls < is_up_at ? 503 : 200;
    const auto verdict = backoff::http_verdict(status, status == 503 ? "Retry-After: 2\r\n" : "");
    return {verdict, Response{status, std::unique_ptr<std::string>(
                                          new std::string("page " + std::to_string(calls)))}};
  }
};

void check_values() {
  Loop loop;
  Server server = {0, 3};
  auto page = backoff::retry(backoff::policy(), [&] { return server.get(); }, loop.options);
  check_true("a response", "is a success", !!page);
  check_number("a response", "attempts", page.event().attempts, 3);
  check_equal("a response", "log", loop.log.str(),
              "1 throttled 2000000000\n2 throttled 2000000000\n3 success 4000000000\n");
  check_equal("a response", "body", *page.value().body, "page 3");
  const Response moved = std::move(page).value();
  check_equal("a response", "body that was moved", *moved.body, "page 3");

  // The last response of a server that stays away.
  Server down = {0, 99};
  const auto failed = backoff::retry(policy_of("constant:base=1s,max_retries=1"),
                                     [&] { return down.get(); }, loop.options);
  check_true("no success", "is false", !failed);
  check_equal("no success", "reason", printed(failed.event().reason), "max_retries");
  check_true("no success", "is no error", failed.error().code() == BACKOFF_OK);
  check_true("no success", "has the last response", failed.last() && failed.last()->status == 503);
}

// What is read from a temporary outlives it, and what was moved has no value.
template <class T>
auto has_last(int) -> decltype(std::declval<T>().last(), std::true_type());
template <class T>
std::false_type has_last(long);

void check_temporaries() {
  using backoff::retried;
  static_assert(!decltype(has_last<retried<int>>(0))::value, "a pointer into a temporary");
  static_assert(decltype(has_last<const retried<int> &>(0))::value, "a pointer");
  const auto one = []() -> backoff::attempt<int> { return 1; };
  const backoff::policy policy;
  const backoff::error &parsed = backoff::policy::parse("full:base=5").error();
  check_number("a temporary result", "code", parsed.code(), BACKOFF_ERROR_MISSING_UNIT);
  const backoff::event &end = backoff::retry(policy, one).event();
  check_number("a temporary", "attempts", end.attempts, 1);
  const backoff::error &none = backoff::retry(policy, one).error();
  check_number("a temporary", "code", none.code(), BACKOFF_OK);

  auto page = backoff::retry(policy, one);
  const auto moved = std::move(page);
  check_true("a page that was moved", "is false", !page && !!moved);
  check_true("a page that was moved", "has no value", page.last() == nullptr);
}

// A value is a success, and an outcome or a verdict a failure.
void check_attempts() {
  const auto policy = policy_of("immediate:max_retries=2");
  int calls = 0;
  const auto fetch = [&]() -> backoff::attempt<std::string> {
    if (++calls == 1) return outcome::timeout;
    if (calls == 2) return backoff::verdict(outcome::throttled, milliseconds(0));
    return "page";
  };
  const std::string page = backoff::retry(policy, fetch).value();
  check_equal("a value", "is that of the third attempt", page, "page");
  check_number("a value", "calls", static_cast<uint64_t>(calls), 3);
  calls = 0;
  const auto never = []() -> backoff::attempt<std::string> { return {outcome::transient, "busy"}; };
  check_equal("a success", "needs no fallback", backoff::retry(policy, fetch).value_or("none"), "page");
  const auto gave_up = backoff::retry(policy, never);
  check_equal("a failure", "has the fallback, not its value", gave_up.value_or("none"), "none");
  calls = 0;

  // What an earlier attempt returned is not the value of the last.
  calls = 0;
  const auto loses = [&]() -> backoff::attempt<int> {
    if (++calls == 1) return {outcome::transient, 5};
    return outcome::permanent;
  };
  const auto lost = backoff::retry(policy, loses);
  check_true("an attempt without a value", "has no last one", lost.last() == nullptr && !lost);
  check_equal("an attempt without a value", "outcome", printed(lost.event().outcome), "permanent");

  const auto empty = backoff::retry(policy, []() -> backoff::attempt<int> { return outcome::success; });
  check_number("a success without a value", "code", empty.error().code(),
               BACKOFF_ERROR_UNKNOWN_OUTCOME);
  check_true("a success without a value", "is false", !empty);
  const std::function<backoff::attempt<int>()> none;
  check_number("no function", "code", backoff::retry(policy, none).error().code(),
               BACKOFF_ERROR_NULL_POINTER);

  // A function object that keeps state, and one whose call is not constant.
  struct Counter {
    int calls;
    backoff::attempt<int> operator()() { return ++calls < 3 ? outcome::transient : outcome::none; }
  } counter = {0};
  ignore(backoff::retry(policy, std::ref(counter)));
  check_number("std::ref", "calls", static_cast<uint64_t>(counter.calls), 3);
  int value = 6;
  const auto one = backoff::retry(policy, [value]() mutable -> backoff::attempt<int> { return ++value; });
  check_number("a mutable lambda", "value", static_cast<uint64_t>(one.value()), 7);
  // A value of a base class, and one that can be made from everything.
  static_assert(std::is_convertible<const char *, backoff::attempt<std::string>>::value, "a text");
  static_assert(!std::is_convertible<int, backoff::attempt<std::string>>::value, "no text");
  static_assert(!std::is_copy_constructible<backoff::attempt<int>>::value, "one owner");
}

// An attempt may also return a reference, or from C++17 on a constant. Its value is copied.
void check_returned_references() {
  const backoff::policy policy;
  backoff::attempt<std::string> kept = std::string("kept");
  const auto reference = [&]() -> backoff::attempt<std::string> & { return kept; };
  check_equal("a reference", "value", backoff::retry(policy, reference).value(), "kept");
  check_true("a reference", "is left as it was", kept.value && *kept.value == "kept");
#if __cplusplus >= 201703L
  const auto constant = []() -> const backoff::attempt<std::string> { return "constant"; };
  check_equal("a constant", "value", backoff::retry(policy, constant).value(), "constant");
#endif
  const auto moved = [&]() -> backoff::attempt<std::string> && { return std::move(kept); };
  check_equal("a reference to move", "value", backoff::retry(policy, moved).value(), "kept");
  check_true("a reference to move", "has moved", !kept.value);
  const auto verdict = []() -> const backoff::verdict { return outcome::success; };
  check_number("a constant verdict", "attempts", backoff::retry(policy, verdict).value().attempts, 1);

  // A result can be used where it is.
  auto page = backoff::retry(policy, []() -> backoff::attempt<int> { return 7; });
  page.value()++;
  check_number("a value", "is changed", static_cast<uint64_t>(*page.last()), 8);
}

// A value that anything can be, such as std::any.
struct Any {
  template <class T>
  Any(const T &) {}
};

// A duration after an outcome is a Retry-After, unless it can only be the value.
void check_waits_of_attempts() {
  const backoff::attempt<std::string> text = {outcome::throttled, seconds(2)};
  check_number("a text", "Retry-After", text.verdict.retry_after_ns, 2000000000);
  const backoff::attempt<Any> any = {outcome::throttled, seconds(2)};
  check_number("any value", "Retry-After", any.verdict.retry_after_ns, 2000000000);
  check_true("any value", "is not the duration", !any.value);
  const backoff::attempt<Any> parsed = {outcome::throttled, backoff::parse_retry_after("3")};
  check_number("any value", "parsed Retry-After", parsed.verdict.retry_after_ns, 3000000000u);
  const backoff::attempt<Any> other = {outcome::throttled, std::string("busy")};
  check_true("any value", "is another", other.value && other.verdict.retry_after_ns == BACKOFF_NO_TIME);
  const backoff::attempt<milliseconds> time = {outcome::success, seconds(2)};
  check_true("a duration", "is a value", time.value && *time.value == milliseconds(2000));
}

// A compiler also looks for a function in the namespaces of its arguments' types.
void check_names_of_a_user() {
  const auto ended = user::run(backoff::policy(), user::Attempt(), backoff::options());
  check_number("run of a user", "attempts", ended.value().attempts, 1);
}

// The worst bug of the trial: a wait of 1 ms instead of an hour, because 10^10 s were less than 0 ns.
void check_long_retry_after() {
  const auto attempt = [] { return backoff::verdict(outcome::throttled, seconds(10000000000)); };
  Loop loop;
  ignore(backoff::retry(policy_of("constant:base=1ms,max_retries=1"), attempt, loop.options));
  check_equal("10^10 s", "log", loop.log.str(),
              "1 throttled 3600000000000\n2 max_retries 3600000000000\n");
}

void check_ends() {
  const auto policy = policy_of("constant:base=1s,max_retries=9");
  {
    Loop loop;
    auto from = backoff::budget::parse("ratio:max_tokens=1").value();
    auto budget = std::move(from);
    loop.options.budget = &from;
    const auto ended = backoff::retry(policy, fails, loop.options);
    check_equal("a moved budget", "error", ended.error().to_string(), "a struct is not initialised");
    check_equal("a moved budget", "string", printed(budget), "ratio:max_tokens=1");
  }
  Loop loop;
  const auto wrong = backoff::retry(policy, [] { return outcome::none; }, loop.options);
  check_true("an outcome that is none", "is an error", !wrong);
  check_equal("an outcome that is none", "code", wrong.error().name(),
              "unknown_outcome");
  const auto no_sleep = [&] {
    backoff::options options;
    options.sleep = nullptr;
    return backoff::retry(policy, fails, options).error();
  };
  check_equal("no sleep", "code", no_sleep().name(), "null_pointer");
  // The clock and the sleep that are the defaults.
  const auto quick = policy_of("constant:base=1ms,max_retries=2");
  check_number("defaults", "attempts", backoff::retry(quick, fails).value().attempts, 3);
}

// C has no negative times.
void check_negative_times() {
  const auto policy = policy_of("constant:base=5ns,max_retries=1");
  const backoff::nanoseconds past[] = {backoff::nanoseconds(-1), hours(-1),
                                       (backoff::nanoseconds::min)()};
  for (const auto time : past) {
    Loop loop;
    const auto attempt = [time] { return backoff::verdict(outcome::throttled, time); };
    const auto exact = policy_of("constant:base=5ns,retry_after=exact,max_retries=1");
    check_equal("a Retry-After in the past", "log",
                (ignore(backoff::retry(exact, attempt, loop.options)), loop.log.str()),
                "1 throttled 0\n2 max_retries 0\n");
  }
  for (const auto time : past) {
    Loop loop;
    loop.options.deadline = backoff::clock::time_point(time);
    check_equal("a deadline before the epoch", "reason",
                printed(backoff::retry(policy, fails, loop.options).value().reason), "deadline");
  }
}

// A deadline of a time that no clock reaches is none.
void check_deadlines() {
  const auto policy = policy_of("constant:base=1h,max_retries=2");
  Loop loop;
  loop.options.deadline = backoff::after((hours::max)(), loop.now + hours(1));
  check_equal("the last time", "reason",
              printed(backoff::retry(policy, fails, loop.options).value().reason), "max_retries");
  loop.options.deadline = backoff::after(std::chrono::duration<double>(1.5), loop.now);
  check_equal("1.5 s", "reason",
              printed(backoff::retry(policy, fails, loop.options).value().reason), "deadline");
}

// A fake clock may reach the last time, which as a deadline is none.
void check_last_time() {
  Loop loop;
  loop.options.sleep = [&](backoff::nanoseconds) { loop.now = (backoff::clock::time_point::max)(); };
  const auto end =
      backoff::retry(policy_of("constant:base=1s,max_retries=2"), fails, loop.options).value();
  check_equal("the last time", "elapsed", end.elapsed, INT64_MAX);
  check_equal("the last time", "reason", printed(end.reason), "max_retries");
}

// A loop needs neither hooks nor a cancellation.
void check_empty_functions() {
  Loop loop;
  loop.options.cancelled = nullptr;
  loop.options.on_retry = nullptr;
  loop.options.on_stop = std::function<void(const backoff::event &)>();
  check_number("empty functions", "attempts",
               backoff::retry(policy_of("constant:base=1s,max_retries=2"), fails, loop.options)
                   .value().attempts, 3);
}

// The options of a function that has ended still have its stream.
backoff::options made_elsewhere() {
  const auto stream = backoff::stream::from_key(42, "job-1");
  backoff::options options;
  options.stream = stream;
  return options;
}

void check_stream_of_options() {
  check_true("no stream", "is the default", !backoff::options().stream);
  auto options = made_elsewhere();
  backoff::nanoseconds waited(0);
  options.sleep = [&](backoff::nanoseconds delay) { waited = delay; };
  ignore(backoff::retry(policy_of("full:base=100ms,max_retries=1"), fails, options));
  check_equal("a stream", "delay", waited, 11399434);
}

// Also without exceptions, the text says how a loop ended.
void check_messages() {
  const auto policy = policy_of("immediate:max_retries=1");
  backoff::options options;
  std::string log;
  options.on_retry = [&](const backoff::event &event) { log = printed(event); };
  const auto message_of = [&](backoff::attempt<int> (*attempt)()) {
    return backoff::retry(policy, attempt, options).message();
  };
  check_equal("message", "of two failures",
              message_of([]() -> backoff::attempt<int> { return outcome::timeout; }),
              "gave up after 2 attempts: max_retries");
  check_equal("message", "before a wait", log, "attempt 1: timeout");
  check_equal("message", "of a failure",
              message_of([]() -> backoff::attempt<int> { return outcome::permanent; }),
              "gave up after 1 attempt: permanent");
  check_equal("message", "of a success", message_of([]() -> backoff::attempt<int> { return 1; }),
              "succeeded after 1 attempt");
  check_equal("message", "of an error",
              message_of([]() -> backoff::attempt<int> { return outcome::none; }),
              "the number is not an outcome");
  check_equal("message", "of a loop without a value",
              printed(backoff::retry(policy, fails, options).value()),
              "gave up after 2 attempts: max_retries");
}

void check_exceptions() {
#if defined(__cpp_exceptions)
  const auto policy = policy_of("constant:base=1s,max_retries=9");
  const auto throws = []() -> backoff::verdict { throw std::out_of_range("mine"); };
  backoff::retry_stats stats;
  Loop loop;
  loop.options.stats = &stats;
  check_equal("an exception", "of an attempt",
              thrown<std::out_of_range>([&] { ignore(backoff::retry(policy, throws, loop.options)); }),
              "mine");
  check_equal("an exception of an attempt", "log", loop.log.str(), "1 cancelled 0\n");
  check_number("an exception", "cancels the loop", stats.stopped(backoff::reason::cancelled), 1);

  const auto value_of = [&](backoff::attempt<int> (*attempt)()) {
    return backoff::retry(policy, attempt, loop.options).value();
  };
  const auto kept_value_of = [&](backoff::attempt<int> (*attempt)()) {
    const auto kept = backoff::retry(policy, attempt, loop.options);
    return kept.value();
  };
  const auto permanent = []() -> backoff::attempt<int> { return outcome::permanent; };
  const auto transient = []() -> backoff::attempt<int> { return {outcome::transient, 1}; };
  const auto none = []() -> backoff::attempt<int> { return outcome::none; };
  check_equal("no value", "of one attempt",
              thrown<backoff::retry_error>([&] { value_of(permanent); }),
              "gave up after 1 attempt: permanent");
  check_equal("no value", "that is kept",
              thrown<backoff::retry_error>([&] { kept_value_of(transient); }),
              "gave up after 10 attempts: max_retries");
  check_equal("no value", "of ten attempts",
              thrown<backoff::retry_error>([&] { value_of(transient); }),
              "gave up after 10 attempts: max_retries");
  check_equal("no value", "of an object that was moved", thrown<backoff::exception>([&] {
                auto page = backoff::retry(policy, []() -> backoff::attempt<int> { return 1; });
                const auto kept = std::move(page);
                ignore(page.value());
              }),
              "a struct is not initialised");
  check_equal("no value", "because of an error",
              thrown<backoff::exception>([&] { value_of(none); }),
              "the number is not an outcome");
#endif
}

// loops.py checks what they know.
void check_informed_attempts() {
  Loop loop;
  const auto fetch = [](const backoff::attempt_info &attempt) -> backoff::attempt<std::string> {
    if (attempt.number < 3) return outcome::throttled;
    return name(attempt.last_outcome) + std::string(attempt.time_left == seconds(7) ? ", 7 s" : "");
  };
  const auto policy = policy_of("constant:base=1s,attempt_timeout=7s");
  loop.options.delay = [](uint64_t index, outcome) {
    return index == 0 ? backoff::nanoseconds(seconds(5)) : backoff::nanoseconds(-1);
  };
  const auto ended = backoff::retry(policy, fetch, loop.options);
  check_equal("informed", "value", ended.value(), "throttled, 7 s");
  check_equal("informed", "log", loop.log.str(),
              "1 throttled 5000000000\n2 throttled 1000000000\n3 success 6000000000\n");
  int calls = 0;
  const auto counted = [calls](const backoff::attempt_info &) mutable {
    return ++calls < 3 ? outcome::transient : outcome::success;
  };
  check_number("informed", "of a function that changes itself",
               backoff::retry(policy, counted, loop.options).value().attempts, 3);
  check_number("informed", "of a copy", uint64_t(calls), 0);
  const std::function<backoff::verdict(const backoff::attempt_info &)> none;
  check_number("informed", "no function", backoff::retry(policy, none).error().code(),
               BACKOFF_ERROR_NULL_POINTER);
}

}  // namespace

int main() {
  check_informed_attempts();
  check_retry();
  check_values();
  check_attempts();
  check_returned_references();
  check_waits_of_attempts();
  check_temporaries();
  check_names_of_a_user();
  check_long_retry_after();
  check_ends();
  check_negative_times();
  check_deadlines();
  check_last_time();
  check_empty_functions();
  check_stream_of_options();
  check_messages();
  check_exceptions();
  return check_end();
}
