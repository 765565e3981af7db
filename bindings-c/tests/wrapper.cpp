// backoff.hpp: the vectors through the wrapper, and the loop with a clock that only waits move.
// Compiles with and without exceptions, from C++11 on.

#include <backoff.hpp>

#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

#include "check.h"
#include "wrapper_vectors.h"

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

std::string string_of(const struct text &text) { return {text.bytes, text.length}; }

backoff::stream stream_of(uint64_t seed, const key_vector &key) {
  if (!key.is_set) return backoff::stream(seed);
  const std::string bytes(reinterpret_cast<const char *>(key.bytes), key.length);
  return backoff::stream::from_key(seed, bytes);
}

backoff::result<backoff::policy> make(const policy_vector &vector) {
  backoff_params params = BACKOFF_PARAMS_INIT;
  for (size_t i = 0; i < vector.count; i++) {
    const field_vector &field = vector.fields[i];
    if (field.is_ratio) {
      backoff_params_set_ratio(&params, field.field, field.numerator, field.denominator);
    } else {
      backoff_params_set(&params, field.field, field.value);
    }
  }
  return backoff::policy::from(params);
}

void check_streams() {
  for (size_t i = 0; i < wrapper_vectors.draw_count; i++) {
    const draw_vector &row = wrapper_vectors.draws[i];
    const backoff::stream stream(row.stream);
    check_number(row.id, "draw", stream.draw(row.index), row.draw);
    check_number(row.id, "draw after advancing", stream.advance(row.index).draw(0), row.draw);
  }
  for (size_t i = 0; i < wrapper_vectors.stream_count; i++) {
    const stream_vector &row = wrapper_vectors.streams[i];
    check_number(row.id, "stream", stream_of(row.seed, row.key).number, row.stream);
  }
  check_true("entropy", "two streams differ",
             backoff::stream::from_entropy().value().number !=
                 backoff::stream::from_entropy().value().number);
}

void check_sequence(const sequence_vector &row) {
  const backoff::policy policy = make(row.policy).value();
  const backoff::stream stream = stream_of(row.seed, row.key);
  backoff::iter iter(policy, stream);
  for (size_t i = 0; i < row.delays.count; i++) {
    const uint64_t want = row.delays.numbers[i];
    check_equal(row.id, "delay", policy.delay(stream, row.first + static_cast<uint32_t>(i)), want);
    backoff::nanoseconds next(-1);
    if (row.first == 0 && iter.next(next)) check_equal(row.id, "next delay", next, want);
  }
  const auto again = backoff::policy::parse(policy.to_string()).value();
  check_true(row.id, "the printed policy is equal", again == policy && !(again != policy));
}

void check_error(const char *id, const backoff::error &error, const expected_error &want) {
  check_equal(id, "code", backoff_code_name(error.code()), want.code);
  check_equal(id, "message", printed(error), want.message);
  check_number(id, "field", error.raw.field, want.field);
  check_number(id, "value", error.raw.value, want.value);
}

void check_fields(const char *id, const backoff::policy &policy, const policy_vector &vector) {
  for (size_t i = 0; i < vector.count; i++) {
    const field_vector &field = vector.fields[i];
    uint64_t value = 0;
    uint32_t numerator = 0, denominator = 0;
    check_true(id, "the field has one unit",
               policy.get(field.field, value) != policy.get_ratio(field.field, numerator,
                                                                  denominator));
    check_number(id, "value", value, field.value);
    check_number(id, "numerator", numerator, field.numerator);
    check_number(id, "denominator", denominator, field.denominator);
  }
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

void check_vectors() {
  for (const auto &sequences : wrapper_vectors.sequences) {
    check_true("sequences", "there are some", sequences.count > 0);
    for (size_t i = 0; i < sequences.count; i++) check_sequence(sequences.rows[i]);
  }
  for (size_t i = 0; i < wrapper_vectors.error_count; i++) {
    const error_vector &row = wrapper_vectors.errors[i];
    check_error(row.id, make(row.policy).error(), row.error);
  }
  for (size_t i = 0; i < wrapper_vectors.text_count; i++) {
    const text_vector &row = wrapper_vectors.texts[i];
    const std::string string = string_of(row.text);
    const bool is_policy = row.kind == BACKOFF_TEXT_KIND_POLICY;
    check_equal(row.id, "canonical string",
                is_policy ? printed(backoff::policy::parse(string).value())
                          : printed(backoff::budget::parse(string).value()),
                row.canonical);
    if (is_policy) check_fields(row.id, backoff::policy::parse(string).value(), row.policy);
  }
  for (size_t i = 0; i < wrapper_vectors.text_error_count; i++) {
    const text_error_vector &row = wrapper_vectors.text_errors[i];
    const std::string string = string_of(row.text);
    check_error(row.id,
                row.kind == BACKOFF_TEXT_KIND_POLICY ? backoff::policy::parse(string).error()
                                                     : backoff::budget::parse(string).error(),
                row.error);
  }
  for (size_t i = 0; i < wrapper_vectors.http_status_count; i++) {
    const http_status_vector &row = wrapper_vectors.http_statuses[i];
    check_number(row.id, "outcome", static_cast<uint64_t>(backoff::http_outcome(row.status)),
                 row.outcome);
  }
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
  const auto policy = backoff::policy::parse("constant:base=1s,max_retries=1").value();
  const auto fails = [] { return backoff::outcome::transient; };
  check_equal("the last time", "elapsed", backoff::retry(policy, fails, loop.options).value().elapsed,
              INT64_MAX);
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
  check_vectors();
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
