// backoff.hpp: each function of the wrapper, and its loop with a clock that only waits move. loops.py
// plays the vectors of loops. Compiles with and without exceptions, from C++11 on.

#include <backoff.hpp>

#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

#include "check.h"

// Types of a user that name types of backoff.
namespace user {

template <class T>
struct Own {
  std::string to_string() const { return "own"; }
};

template <class Stream, class T>
Stream &operator<<(Stream &out, const Own<T> &) {
  out << "<own>";
  return out;
}

}  // namespace user

namespace {

static_assert(uint32_t(backoff::outcome::permanent) == BACKOFF_OUTCOME_PERMANENT, "an outcome");
static_assert(uint32_t(backoff::reason::cancelled) == BACKOFF_REASON_CANCELLED, "a reason");
static_assert(!std::is_constructible<backoff::error, uint32_t>::value,
              "a code without a field can have no message");
static_assert(!std::is_copy_constructible<backoff::budget>::value, "two would grant the same");

template <class T>
std::string printed(const T &value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

template <class T>
void ignore(const T &) {}

void check_equal(const char *id, const char *what, const std::string &got,
                 const std::string &want) {
  check_text(id, what, got.c_str(), want.c_str());
}

void check_equal(const char *id, const char *what, backoff::nanoseconds got, uint64_t want) {
  check_number(id, what, static_cast<uint64_t>(got.count()), want);
}

void check_streams() {
  const auto stream = backoff::stream::from_key(42, "job-1");
  check_number("key", "delay", backoff::stream(0).draw(4095), 13142190088612651344u);
  check_number("seed", "draw after advancing", backoff::stream(0).advance(4095).draw(0),
               13142190088612651344u);
  const auto policy = backoff::policy::parse("full:base=100ms,cap=20s,max_retries=2").value();
  check_equal("policy", "delay", policy.delay(stream, 1), 83043876);
  backoff::iter iter(policy, stream);
  backoff::nanoseconds delay(-1);
  for (const uint64_t want : {11399434u, 83043876u}) {
    check_true("iter", "there is a delay", iter.next(delay));
    check_equal("iter", "delay", delay, want);
  }
  check_true("iter", "it ends", !iter.next(delay));
  check_equal("iter", "delay after the end", delay, 83043876);
  iter.reset();
  check_true("iter", "it starts again", iter.next(delay));
  check_equal("iter", "delay", delay, 57327453);
  const auto one = backoff::stream::from_entropy(), other = backoff::stream::from_entropy();
  check_true("entropy", "two streams differ", one.value().number != other.value().number);
}

void check_policies() {
  backoff_params params = BACKOFF_PARAMS_INIT;
  backoff_params_set(&params, BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_EXPONENTIAL);
  backoff_params_set(&params, BACKOFF_FIELD_BASE, 100 * BACKOFF_MILLISECOND);
  backoff_params_set_ratio(&params, BACKOFF_FIELD_MULTIPLIER, 8, 5);
  const auto policy = backoff::policy::from(params).value();
  check_equal("params", "string", printed(policy), "exponential:base=100ms,multiplier=1.6");
  const auto same = backoff::policy::parse("exponential:base=0.1s,multiplier=160%").value();
  const auto other = backoff::policy::parse("exponential:base=0.1s").value();
  check_true("params", "they make an equal policy", policy == same && !(policy != same));
  check_true("params", "another policy is not equal", policy != other && !(policy == other));
  uint64_t value = 0;
  uint32_t numerator = 0, denominator = 0;
  check_true("base", "it is a number", policy.get(BACKOFF_FIELD_BASE, value));
  check_number("base", "value", value, 100000000);
  check_true("base", "it is no ratio",
             !policy.get_ratio(BACKOFF_FIELD_BASE, numerator, denominator));
  check_true("multiplier", "it is no number", !policy.get(BACKOFF_FIELD_MULTIPLIER, value));
  check_true("multiplier", "it is a ratio",
             policy.get_ratio(BACKOFF_FIELD_MULTIPLIER, numerator, denominator));
  check_number("multiplier", "numerator", numerator, 8);
  check_number("multiplier", "denominator", denominator, 5);

  backoff_params_set(&params, BACKOFF_FIELD_CAP, 5);
  const auto error = backoff::policy::from(params).error();
  check_number("cap", "code", error.code(), BACKOFF_ERROR_CAP_BELOW_BASE);
  check_equal("cap", "message", printed(error), "cap 5ns is below base 100ms");
  check_number("cap", "field", error.raw.field, BACKOFF_FIELD_CAP);
  check_equal("string", "error", printed(backoff::policy::parse("constant:base=1sec").error()),
              "at 15: base has the unknown unit \"sec\"; the units are d, h, m, s, ms, us, ns");
  check_equal("budget", "error", printed(backoff::budget::parse("ratio:ratio=x").error()),
              "at 12: ratio \"x\" is not a ratio such as 2, 1.6, 8/5 or 20%");
  check_equal("status", "outcome", printed(backoff::http_outcome(503)), "throttled");
}

void check_budget_fields() {
  const auto throttle = backoff::budget::parse("throttle:max_tokens=20,ratio=0.16").value();
  uint64_t tokens = 0;
  uint32_t numerator = 0, denominator = 0;
  check_text("throttle", "kind", throttle.kind(), "throttle");
  check_true("throttle", "it has tokens", throttle.get(BACKOFF_FIELD_MAX_TOKENS, tokens));
  check_number("throttle", "tokens", tokens, 20);
  check_true("throttle", "it has a ratio",
             throttle.get_ratio(BACKOFF_FIELD_RATIO, numerator, denominator));
  check_number("throttle", "numerator", numerator, 4);
  check_number("throttle", "denominator", denominator, 25);
  check_true("throttle", "it has no cost", !throttle.get(BACKOFF_FIELD_COST, tokens));
}

// A loop whose clock only waits move, and what it printed.
struct Loop {
  backoff::clock::time_point now;
  std::ostringstream log;
  backoff::stream stream = backoff::stream::from_key(42, "job-1");
  backoff::options options;

  Loop() {
    options.stream = &stream;
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
  const auto policy = backoff::policy::parse("default").value();
  backoff::retry_stats stats;
  Loop loop;
  loop.options.stats = &stats;
  int calls = 0;
  const auto attempt = [&]() -> backoff::verdict {
    calls++;
    if (calls == 2) return {backoff::outcome::throttled, std::chrono::seconds(2)};
    return calls < 3 ? backoff::outcome::throttled : backoff::outcome::success;
  };
  const backoff::event end = backoff::retry(policy, attempt, loop.options).value();
  check_equal("retry", "log", loop.log.str(),
              "1 throttled 11399434\n2 throttled 2000000000\n3 success 2011399434\n");
  check_number("retry", "attempts", end.attempts, 3);
  check_equal("retry", "elapsed", end.elapsed, 2011399434);
  check_equal("retry", "outcome", printed(end.outcome), "success");
  check_true("retry", "the stats count the loop",
             printed(stats).find("backoff_retries_total 2\n") != std::string::npos);
}

void check_ends() {
  const auto policy = backoff::policy::parse("constant:base=1s,max_retries=9").value();
  const auto fails = [] { return backoff::outcome::transient; };
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
  const auto wrong = backoff::retry(policy, [] { return backoff::outcome::none; }, loop.options);
  check_true("an outcome that is none", "is an error", !wrong);
  check_equal("an outcome that is none", "code", backoff_code_name(wrong.error().code()),
              "unknown_outcome");
  const auto no_sleep = [&] {
    backoff::options options;
    options.sleep = nullptr;
    return backoff::retry(policy, fails, options).error();
  };
  check_equal("no sleep", "code", backoff_code_name(no_sleep().code()), "null_pointer");
  // The clock and the sleep that are the defaults.
  const auto quick = backoff::policy::parse("constant:base=1ms,max_retries=2").value();
  check_number("defaults", "attempts", backoff::retry(quick, fails).value().attempts, 3);
}

// C has no negative times.
void check_negative_times() {
  const auto policy = backoff::policy::parse("constant:base=5ns,max_retries=1").value();
  const backoff::nanoseconds past[] = {backoff::nanoseconds(-1), std::chrono::hours(-1),
                                       backoff::nanoseconds(std::numeric_limits<int64_t>::min())};
  for (const auto time : past) {
    Loop loop;
    const auto attempt = [time] { return backoff::verdict(backoff::outcome::throttled, time); };
    const auto exact = backoff::policy::parse("constant:base=5ns,retry_after=exact,max_retries=1");
    check_equal("a Retry-After in the past", "log",
                (ignore(backoff::retry(exact.value(), attempt, loop.options)), loop.log.str()),
                "1 throttled 0\n2 max_retries 0\n");
  }
  for (const auto time : past) {
    Loop loop;
    loop.options.deadline = backoff::clock::time_point(time);
    const auto fails = [] { return backoff::outcome::transient; };
    check_equal("a deadline before the epoch", "reason",
                printed(backoff::retry(policy, fails, loop.options).value().reason), "deadline");
  }
}

// The time of a header may have any unit, and be longer than nanoseconds can hold.
void check_long_times() {
  const auto ns = [](backoff::verdict of) { return of.retry_after_ns; };
  const auto throttled = backoff::outcome::throttled;
  using seconds = std::chrono::duration<double>;
  const uint64_t most = BACKOFF_MAX_NS;
  check_number("10^10 s", "ns", ns({throttled, std::chrono::seconds(10000000000)}), most);
  check_number("long hours", "ns", ns({throttled, (std::chrono::hours::max)()}), most);
  check_number("infinite", "ns", ns({throttled, seconds(HUGE_VAL)}), most);
  check_number("the last second", "ns", ns({throttled, std::chrono::seconds(9223372035)}),
               9223372035000000000u);
  check_number("half a second", "ns", ns({throttled, seconds(0.5)}), 500000000);
  check_number("the last of float", "ns", ns({throttled, std::chrono::duration<float>(9223371900.f)}),
               9223371776000000000u);
  check_number("not a number", "ns", ns({throttled, seconds(NAN)}), 0);
  check_number("the least hours", "ns", ns({throttled, (std::chrono::hours::min)()}), 0);
  check_number("minus infinity", "ns", ns({throttled, seconds(-HUGE_VAL)}), 0);
}

// A fake clock may reach the last time, which as a deadline is none.
void check_last_time() {
  Loop loop;
  loop.options.sleep = [&](backoff::nanoseconds) { loop.now = (backoff::clock::time_point::max)(); };
  const auto policy = backoff::policy::parse("constant:base=1s,max_retries=2").value();
  const auto fails = [] { return backoff::outcome::transient; };
  const auto end = backoff::retry(policy, fails, loop.options).value();
  check_equal("the last time", "elapsed", end.elapsed, INT64_MAX);
  check_equal("the last time", "reason", printed(end.reason), "max_retries");
}

// A loop needs neither hooks nor a cancellation.
void check_empty_functions() {
  Loop loop;
  loop.options.cancelled = nullptr;
  loop.options.on_retry = nullptr;
  loop.options.on_stop = std::function<void(const backoff::event &)>();
  const auto policy = backoff::policy::parse("constant:base=1s,max_retries=2").value();
  const auto fails = [] { return backoff::outcome::transient; };
  check_number("empty functions", "attempts",
               backoff::retry(policy, fails, loop.options).value().attempts, 3);
}

void check_printing() {
  const auto policy = backoff::policy::parse("constant:base=1s").value();
  check_equal("printed", "a policy", printed(policy), "constant:base=1s");
  check_equal("printed", "no error", printed(backoff::error()), "no error");
  check_equal("printed", "a type of a user", printed(user::Own<backoff::policy>()), "<own>");
  check_equal("printed", "a type of a user", printed(user::Own<backoff::outcome>()), "<own>");
}

void check_results() {
  const auto made = backoff::policy::parse("constant:base=1s");
  check_equal("a constant result", "value", printed(made.value()), "constant:base=1s");
  check_true("a constant result", "is the same again", made.value() == made.value());
  auto long_one = backoff::result<std::string>(std::string(99, 'x'), backoff::error());
  const std::string copy = long_one.value();
  check_number("a result", "length after its value was read", long_one.value().size(), 99);
  const std::string moved = std::move(long_one).value();
  check_true("a result", "that is moved", moved == copy);
}

void check_texts() {
  const std::string string = "full:base=1s";
  check_true("text", "of a std::string", !!backoff::policy::parse(string));
  check_true("text", "of a literal", !!backoff::policy::parse("full:base=1s"));
#if defined(__cpp_lib_string_view)
  check_true("text", "of a part", !!backoff::policy::parse(std::string_view("full:base=1s!", 12)));
#endif
}

#if defined(__cpp_exceptions)
// What a function throws, if it throws the right type.
template <class Exception, class Function>
std::string thrown(Function function) {
  try {
    function();
  } catch (const Exception &exception) {
    return exception.what();
  }
  return "nothing";
}

void check_exceptions() {
  check_equal("value", "of an error",
              thrown<backoff::exception>([] { ignore(backoff::policy::parse("full:base=5").value()); }),
              "at 11: base has no unit; the units are d, h, m, s, ms, us, ns");
  const auto policy = backoff::policy::parse("constant:base=1s,max_retries=9").value();
  const auto throws = []() -> backoff::verdict { throw std::out_of_range("mine"); };
  backoff::retry_stats stats;
  Loop loop;
  loop.options.stats = &stats;
  check_equal("an exception", "of an attempt",
              thrown<std::out_of_range>([&] { ignore(backoff::retry(policy, throws, loop.options)); }),
              "mine");
  check_equal("an exception of an attempt", "log", loop.log.str(), "1 cancelled 0\n");
  check_true("an exception", "cancels the loop",
             printed(stats).find("{reason=\"cancelled\"} 1\n") != std::string::npos);
}
#else
void check_exceptions() {}
#endif

}  // namespace

int main() {
  check_streams();
  check_policies();
  check_budget_fields();
  check_retry();
  check_ends();
  check_negative_times();
  check_long_times();
  check_last_time();
  check_empty_functions();
  check_printing();
  check_results();
  check_texts();
  check_exceptions();
  return check_end();
}
