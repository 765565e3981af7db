// backoff.hpp: each function of the wrapper but the loop, which is in wrapper_loop.cpp. Compiles with
// and without exceptions, from C++11 on.

#include <backoff.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <type_traits>

#include "check.hpp"

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

using std::chrono::duration;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

static_assert(uint32_t(backoff::outcome::permanent) == BACKOFF_OUTCOME_PERMANENT, "an outcome");
static_assert(uint32_t(backoff::reason::cancelled) == BACKOFF_REASON_CANCELLED, "a reason");
static_assert(uint32_t(backoff::budget_event::operation_ended) ==
                  BACKOFF_BUDGET_EVENT_OPERATION_ENDED,
              "an event of a budget");
static_assert(!std::is_constructible<backoff::error, uint32_t>::value,
              "a code without a field can have no message");
static_assert(!std::is_copy_constructible<backoff::budget>::value, "two would grant the same");
static_assert(!std::is_copy_constructible<backoff::operation>::value,
              "both would return the same retry");

// Whether params and a policy take a value of a type.
template <class T>
auto set(int) -> decltype(backoff::params().set(BACKOFF_FIELD_BASE, T()), std::true_type());
template <class T>
std::false_type set(long);
template <class T>
auto change(int) -> decltype(backoff::policy().change(BACKOFF_FIELD_BASE, T()), std::true_type());
template <class T>
std::false_type change(long);

static_assert(decltype(set<int>(0))::value && decltype(set<duration<double>>(0))::value, "values");
static_assert(!decltype(set<double>(0))::value && !decltype(set<bool>(0))::value, "0.5 would be 0");
static_assert(decltype(change<int>(0))::value && decltype(change<uint64_t>(0))::value, "values");
static_assert(!decltype(change<float>(0))::value && !decltype(change<bool>(0))::value,
              "0.5 would be 0");

uint64_t ns(backoff::verdict of) { return of.retry_after_ns; }

template <class Rep, class Period>
uint64_t ns(duration<Rep, Period> time) {
  return ns(backoff::verdict(backoff::outcome::throttled, time));
}

// A duration may have any unit and any type of number, and be longer than nanoseconds can hold.
void check_durations() {
  const uint64_t most = BACKOFF_MAX_NS;
  check_number("10^10 s", "ns", ns(seconds(10000000000)), most);
  check_number("2^64 ns and more", "ns", ns(seconds(18446744074)), most);
  check_number("the last second", "ns", ns(seconds(9223372036)), 9223372036000000000u);
  check_number("a second more", "ns", ns(seconds(9223372037)), most);
  check_number("the last ms", "ns", ns(milliseconds(9223372036854)), 9223372036854000000u);
  check_number("a ms more", "ns", ns(milliseconds(9223372036855)), most);
  check_number("no double", "ns", ns(std::chrono::microseconds(9007199254740993)),
               9007199254740993000u);
  check_number("the most ns", "ns", ns((backoff::nanoseconds::max)()), most);
  check_number("the most hours", "ns", ns((hours::max)()), most);
  check_number("the least hours", "ns", ns((hours::min)()), 0);
  check_number("the least ns", "ns", ns((backoff::nanoseconds::min)()), 0);

  check_number("short", "ns", ns(duration<short>(30000)), 30000000000000u);
  check_number("int", "ns", ns(duration<int>(INT32_MAX)), 2147483647000000000u);
  check_number("int of weeks", "ns", ns(duration<int, std::ratio<604800>>(INT32_MAX)), most);
  check_number("a negative int", "ns", ns(duration<int>(-1)), 0);
  check_number("unsigned", "ns", ns(duration<unsigned>(UINT32_MAX)), 4294967295000000000u);
  check_number("the most unsigned", "ns", ns(duration<uint64_t>(UINT64_MAX)), most);
  check_number("the most unsigned ns", "ns", ns(duration<uint64_t, std::nano>(UINT64_MAX)), most);
  check_number("unsigned ns", "ns", ns(duration<uint64_t, std::nano>(5)), 5);

  check_number("a third", "ns", ns(duration<int, std::ratio<1, 3>>(2)), 666666666);
  check_number("the last seventh", "ns", ns(duration<int64_t, std::ratio<1, 7>>(64563604258)), most);
  check_number("a seventh less", "ns", ns(duration<int64_t, std::ratio<1, 7>>(64563604257)),
               9223372036714285714u);
  check_number("a third of 2^62 s", "ns", ns(duration<int, std::ratio<INT64_C(1) << 62, 3>>(1)), most);
  check_number("frames", "ns", ns(duration<int64_t, std::ratio<1001, 30000>>(30000)), 1001000000000u);
  check_number("picoseconds", "ns", ns(duration<int64_t, std::pico>(1999)), 1);
  check_number("attoseconds", "ns", ns(duration<int64_t, std::atto>(INT64_MAX)), 9223372036u);
  check_number("exaseconds", "ns", ns(duration<int, std::exa>(1)), most);
  check_number("no exaseconds", "ns", ns(duration<int, std::exa>(0)), 0);

  check_number("half a second", "ns", ns(duration<double>(0.5)), 500000000);
  check_number("0.3 s", "ns", ns(duration<double>(0.3)), 300000000);
  check_number("half a minute", "ns", ns(duration<float, std::ratio<60>>(0.5f)), 30000000000u);
  check_number("the last of float", "ns", ns(duration<float>(9223371900.f)),
               9223371776000000000u);
  check_number("1e300 days", "ns", ns(duration<double, std::ratio<86400>>(1e300)), most);
  check_number("9.5 * 10^9 s", "ns", ns(duration<double>(9.5e9)), most);
  check_number("infinite", "ns", ns(duration<double>(HUGE_VAL)), most);
  check_number("long double", "ns", ns(duration<long double, std::milli>(1e30L)), most);
  check_number("not a number", "ns", ns(duration<double>(NAN)), 0);
  check_number("float is not a number", "ns", ns(duration<float>(NAN)), 0);
  check_number("minus infinity", "ns", ns(duration<double>(-HUGE_VAL)), 0);
#if defined(__SIZEOF_INT128__)
  __extension__ using wide = __int128;
  check_number("wide", "ns", ns(duration<wide>(wide(INT64_MAX) * 4)), most);
  check_number("a narrow wide", "ns", ns(duration<wide>(3)), 3000000000u);
#endif
}

// No time point is beyond the last of the clock.
void check_after() {
  using backoff::clock;
  const clock::time_point zero, last = (clock::time_point::max)(), now = zero + hours(1);
  const auto at = [](clock::time_point time) { return backoff::nanoseconds(time.time_since_epoch()); };
  check_equal("after", "a second", at(backoff::after(seconds(1), now)), 3601000000000u);
  check_true("after", "the most hours", backoff::after((hours::max)(), now) == last);
  check_true("after", "10^10 s at a negative time",
             backoff::after(seconds(10000000000), zero - hours(1)) == last - hours(1));
  check_true("after", "a negative time", backoff::after(hours(-1), now) == now);
  check_true("after", "the end of time", backoff::after(seconds(1), last) == last);
  check_true("after", "now", backoff::after(hours(1)) > clock::now());
}

void check_streams() {
  const auto stream = backoff::stream::from_key(42, "job-1");
  check_number("key", "delay", backoff::stream(0).draw(4095), 13142190088612651344u);
  check_number("seed", "draw after advancing", backoff::stream(0).advance(4095).draw(0),
               13142190088612651344u);
  // Number 7 is the key of its 8 bytes (SPEC 3.4).
  check_number("nth", "number", backoff::stream::nth(42, 7).number,
               backoff::stream::from_key(42, std::string("\x07\0\0\0\0\0\0\0", 8)).number);
  const auto policy = backoff::policy::parse("full:base=100ms,cap=20s,max_retries=2").value();
  check_equal("policy", "delay", policy.delay(stream, 1), 83043876);
  check_equal("policy", "window", policy.window(1), 200000000);
  const auto delays = policy.delays(stream, 1, 3);
  check_number("delays", "number", delays.size(), 3);
  check_equal("delays", "first", delays[0], 83043876);
  check_equal("delays", "last", delays[2], 83486434);
  check_number("delays", "after the last index", policy.delays(stream, UINT32_MAX, 3).size(), 1);
  backoff::iter iter(policy, stream);
  backoff::nanoseconds delay(-1);
  for (const uint64_t want : {11399434u, 83043876u}) {
    check_true("iter", "there is a delay", iter.next(delay));
    check_equal("iter", "delay", delay, want);
  }
  check_true("iter", "it ends", !iter.next(delay));
  check_number("iter", "index", iter.index(), 2);
  check_equal("iter", "delay after the end", delay, 83043876);
  iter.reset();
  check_true("iter", "it starts again", iter.next(delay));
  check_equal("iter", "delay", delay, 57327453);
  const auto one = backoff::stream::from_entropy(), other = backoff::stream::from_entropy();
  check_true("entropy", "two streams differ", one.value().number != other.value().number);
}

void check_policies() {
  const auto policy = backoff::policy::parse("exponential:base=0.1s,multiplier=160%").value();
  const auto other = backoff::policy::parse("exponential:base=0.1s").value();
  check_true("policy", "another policy is not equal", policy != other && !(policy == other));
  uint64_t value = 0;
  backoff::nanoseconds time(0);
  backoff::ratio ratio = {0, 0};
  check_true("base", "it is a number", policy.get(BACKOFF_FIELD_BASE, value));
  check_number("base", "value", value, 100000000);
  check_true("base", "it is a time", policy.get(BACKOFF_FIELD_BASE, time));
  check_equal("base", "time", time, 100000000);
  check_true("base", "it is no ratio", !policy.get(BACKOFF_FIELD_BASE, ratio));
  check_true("multiplier", "it is no number", !policy.get(BACKOFF_FIELD_MULTIPLIER, value));
  check_true("multiplier", "it is no time", !policy.get(BACKOFF_FIELD_MULTIPLIER, time));
  check_equal("multiplier", "what is no time leaves", time, 100000000);
  check_true("multiplier", "it is a ratio", policy.get(BACKOFF_FIELD_MULTIPLIER, ratio));
  check_number("multiplier", "numerator", ratio.numerator, 8);
  check_number("multiplier", "denominator", ratio.denominator, 5);
  check_text("growth", "kind", policy.kind(BACKOFF_FIELD_GROWTH), "exponential");
  check_text("base", "kind", policy.kind(BACKOFF_FIELD_BASE), "unknown_kind");
  check_number("no limit", "retries", policy.max_retries(), UINT64_C(1) << 32);

  check_equal("string", "error", printed(backoff::policy::parse("constant:base=1sec").error()),
              "at 15: base has the unknown unit \"sec\"; the units are d, h, m, s, ms, us, ns");
  check_equal("budget", "error", printed(backoff::budget::parse("ratio:ratio=x").error()),
              "at 12: ratio \"x\" is not a ratio such as 2, 1.6, 8/5 or 20%");
}

// A policy is a member of a user's struct, and a value of a map.
void check_default_policy() {
  struct Config {
    std::string url;
    backoff::policy policy;
  };
  check_true("a config", "has the preset",
             Config().policy == backoff::policy::parse("default").value());
  std::map<std::string, backoff::policy> policies;
  policies["slow"] = backoff::policy::parse("constant:base=1h").value();
  check_equal("a map", "string", printed(policies["slow"]), "constant:base=1h");
  check_number("a map", "retries of a new one", policies["new"].max_retries(), 3);
}

backoff::params exponential() {
  return backoff::params()
      .set(BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_EXPONENTIAL)
      .set(BACKOFF_FIELD_BASE, milliseconds(100))
      .set(BACKOFF_FIELD_MULTIPLIER, backoff::ratio{16, 10});
}

void check_params() {
  const auto policy = exponential().set(BACKOFF_FIELD_MAX_RETRIES, 4).build().value();
  const char *string = "exponential:base=100ms,multiplier=1.6,max_retries=4";
  check_equal("params", "string", printed(policy), string);
  check_true("params", "make an equal policy", policy == backoff::policy::parse(string).value());

  const auto steps = backoff::params()
                         .set(BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_STEPS)
                         .set_waits({milliseconds(5), milliseconds(7)})
                         .build()
                         .value();
  check_equal("waits", "string", printed(steps), "steps:waits=5ms/7ms");
  check_true("waits", "are read back", steps.waits() == backoff::policy::parse("steps:waits=5ms/7ms")
                                                            .value()
                                                            .waits());
  check_number("waits", "number", steps.waits().size(), 2);
  check_number("waits", "the last", steps.waits()[1].count(), 7000000);
  check_true("waits", "of another growth", policy.waits().empty());

  const auto error = exponential().set(BACKOFF_FIELD_CAP, backoff::nanoseconds(5)).build().error();
  check_number("cap", "code", error.code(), BACKOFF_ERROR_CAP_BELOW_BASE);
  check_equal("cap", "message", printed(error), "cap 5ns is below base 100ms");
  check_number("cap", "field", error.raw.field, BACKOFF_FIELD_CAP);
  const auto code = [](backoff::params params) { return params.build().error().code(); };
  // The first that is wrong is told, although a later one is right.
  check_number("a ratio as a number", "code",
               code(exponential().set(BACKOFF_FIELD_MULTIPLIER, 2).set(BACKOFF_FIELD_MAX_RETRIES, 1)),
               BACKOFF_ERROR_WRONG_UNIT);
  check_number("a field of a budget", "code", code(exponential().set(BACKOFF_FIELD_TTL, seconds(1))),
               BACKOFF_ERROR_UNKNOWN_FIELD);
  for (const auto wrong : {-1.0, -HUGE_VAL, double(NAN)}) {
    const auto base = duration<double>(wrong);
    check_number("no duration", "code", code(exponential().set(BACKOFF_FIELD_BASE, base)),
                 BACKOFF_ERROR_TOO_LARGE);
    check_number("no duration to change to", "code",
                 policy.change(BACKOFF_FIELD_BASE, duration<double>(base)).error().code(), BACKOFF_ERROR_TOO_LARGE);
  }
}

void check_changes() {
  const auto policy = backoff::policy::parse("full:base=100ms,max_retries=3").value();
  const auto text = [](const backoff::result<backoff::policy> &of) { return printed(of.value()); };
  check_equal("change", "a count", text(policy.change(BACKOFF_FIELD_MAX_RETRIES, 5)),
              "exponential:base=100ms,jitter=full,max_retries=5");
  check_equal("change", "a time", text(policy.change(BACKOFF_FIELD_CAP, seconds(20))),
              "exponential:base=100ms,cap=20s,jitter=full,max_retries=3");
  check_equal("change", "the longest time", text(policy.change(BACKOFF_FIELD_CAP, (hours::max)())),
              "exponential:base=100ms,jitter=full,max_retries=3");
  check_equal("change", "a ratio",
              text(policy.change(BACKOFF_FIELD_MULTIPLIER, backoff::ratio{3, 2})),
              "exponential:base=100ms,multiplier=1.5,jitter=full,max_retries=3");
  check_equal("change", "an error",
              printed(policy.change(BACKOFF_FIELD_CAP, milliseconds(1)).error()),
              "cap 1ms is below base 100ms");
}

void check_fits() {
  const auto policy = backoff::policy::parse("full:base=100ms,cap=20s,max_retries=3").value();
  // Waits of at most 300, 600 and 1200 ms.
  check_equal("fit", "base", printed(policy.fit_base(4, duration<double>(2.1)).value()),
              "exponential:base=300ms,cap=20s,jitter=full,max_retries=3");
  check_equal("fit", "cap", printed(policy.fit_cap(4, milliseconds(500)).value()),
              "exponential:base=100ms,cap=200ms,jitter=full,max_retries=3");
  check_equal("fit", "error", printed(policy.fit_base(0, seconds(1)).error()),
              "max_attempts 0 is below 1");
  for (const double base : {-1.0, double(NAN)}) {
    check_equal("change", "a time that C does not have",
                policy.change(BACKOFF_FIELD_BASE, duration<double>(base)).error().to_string(), "base is negative or not a number");
  }
  check_equal("change", "a count",
              policy.change(BACKOFF_FIELD_MAX_RETRIES, uint64_t(-1)).error().to_string(),
              "max_retries 18446744073709551615 is above 4294967296");
  check_number("fit", "a negative time", policy.fit_cap(4, seconds(-1)).error().code(),
               BACKOFF_ERROR_TOO_LARGE);
}

void check_previews() {
  const auto policy = backoff::policy::parse("equal:base=100ms,max_retries=3").value();
  const uint64_t most[] = {100, 200, 400}, totals[] = {100, 300, 700};
  std::size_t rows = 0;
  for (const auto &row : policy.preview()) {
    if (!check_true("preview", "has three rows", rows < 3)) return;
    check_equal("preview", "max", row.max, most[rows] * 1000000);
    check_equal("preview", "min", row.min, most[rows] * 500000);
    check_equal("preview", "mean", row.mean, most[rows] * 750000);
    check_equal("preview", "total max", row.total_max, totals[rows] * 1000000);
    check_equal("preview", "total min", row.total_min, totals[rows] * 500000);
    check_equal("preview", "total mean", row.total_mean, totals[rows] * 750000);
    rows++;
  }
  check_number("preview", "rows", rows, 3);
  const auto endless = backoff::policy::parse("constant:base=1s").value().preview(5);
  for (int time = 0; time < 2; time++) {
    check_number("an endless preview", "rows",
                 static_cast<uint64_t>(std::distance(endless.begin(), endless.end())), 5);
  }
  check_true("preview", "of no row", policy.preview(0).begin() == policy.preview(0).end());
  check_equal("preview", "the row before",
              (*endless.begin()++).total_max, 1000000000);
}

void check_texts_of_numbers() {
  check_equal("duration", "1.5s", backoff::parse_duration("1.5s").value(), 1500000000);
  check_number("duration", "code", backoff::parse_duration("1.5").error().code(),
               BACKOFF_ERROR_MISSING_UNIT);
  const auto ratio = backoff::ratio::parse("160%").value();
  check_number("ratio", "numerator", ratio.numerator, 8);
  check_number("ratio", "denominator", ratio.denominator, 5);
  check_number("ratio", "code", backoff::ratio::parse("1/0").error().code(),
               BACKOFF_ERROR_ZERO_DENOMINATOR);
  for (const auto of : {backoff::outcome::success, backoff::outcome::timeout}) {
    check_true(name(of), "has this name", backoff::outcome_from_name(name(of)) == of);
  }
  check_true("503", "is no outcome", backoff::outcome_from_name("503") == backoff::outcome::none);
  check_true("deadline", "is a reason",
             backoff::reason_from_name("deadline") == backoff::reason::deadline);
  check_true("nothing", "is no reason", backoff::reason_from_name("") == backoff::reason::none);
}

void check_http() {
  const auto epoch = std::chrono::system_clock::time_point();
  const auto parsed = [&](const char *value) {
    return backoff::parse_retry_after(value, epoch + seconds(784111770));
  };
  check_equal("Retry-After", "seconds", parsed("120").value(), 120000000000);
  // The date of RFC 9110 is 784111777.
  check_equal("Retry-After", "a date", parsed("Sun, 06 Nov 1994 08:49:37 GMT").value(), 7000000000);
  check_number("Retry-After", "an error", parsed("soon").error().code(),
               BACKOFF_ERROR_NOT_A_RETRY_AFTER);
  check_equal("Retry-After", "a date in the past, by the clock",
              backoff::parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT").value(), 0);
  const auto throttled = backoff::outcome::throttled;
  check_number("a verdict", "of a header", ns({throttled, parsed("1000000000")}),
               1000000000000000000u);
  check_number("a verdict", "of no header", ns({throttled, parsed("soon")}), BACKOFF_NO_TIME);

  const auto verdict = backoff::http_verdict(
      429, "Date: now\r\nRATELIMIT: \"a\";r=0;t=7\r\nRetry-After: soon\r\n", epoch);
  check_equal("429", "outcome", printed(verdict.outcome), "throttled");
  check_number("429", "Retry-After", ns(verdict), 7000000000u);
  check_number("503", "RateLimit", ns(backoff::http_verdict(503, "RateLimit: \"a\";r=0;t=7")),
               BACKOFF_NO_TIME);
  check_equal("200", "outcome", printed(backoff::http_verdict(200, "").outcome), "success");
  check_equal("504", "outcome", printed(backoff::http_outcome(504)), "timeout");

  const std::multimap<std::string, std::string> fields = {
      {"Date", "a\nRetry-After: 9"}, {"retry-after", "3"}};
  check_equal("fields", "lines", backoff::header_fields(fields), "retry-after:3\r\n");
  check_number("fields", "verdict", ns(backoff::http_verdict(503, backoff::header_fields(fields))),
               3000000000u);
  check_true("PUT", "is idempotent", backoff::is_idempotent_method("PUT"));
  check_true("POST", "is not idempotent", !backoff::is_idempotent_method("POST"));
}

void check_budgets() {
  const auto throttle = backoff::budget::parse("throttle:max_tokens=20,ratio=0.16").value();
  uint64_t tokens = 0;
  backoff::ratio ratio = {0, 0};
  check_text("throttle", "kind", throttle.kind(), "throttle");
  check_true("throttle", "it has tokens", throttle.get(BACKOFF_FIELD_MAX_TOKENS, tokens));
  check_number("throttle", "tokens", tokens, 20);
  check_true("throttle", "it has a ratio", throttle.get(BACKOFF_FIELD_RATIO, ratio));
  check_number("throttle", "numerator", ratio.numerator, 4);
  check_number("throttle", "denominator", ratio.denominator, 25);
  check_true("throttle", "it has no cost", !throttle.get(BACKOFF_FIELD_COST, tokens));

  auto quota = backoff::budget::parse("quota:max_tokens=12,cost=5").value();
  const auto now = backoff::clock::time_point();
  const auto policy = backoff::policy::parse("immediate").value();
  auto operation = backoff::operation::begin(policy, backoff::stream(1), now,
                                             backoff::no_deadline(), &quota);
  ignore(operation.value().decide(backoff::outcome::transient, now));
  const auto level = quota.level(now).value();
  check_number("quota", "tokens left", level.level / level.unit, 7);
  check_number("quota", "most tokens", level.max / level.unit, 12);
  ignore(backoff::budget(std::move(quota)));
  check_number("a moved budget", "level", quota.level().error().code(),
               BACKOFF_ERROR_UNINITIALIZED);
}

// Two processes with one token, and a store that is a text.
void check_budget_states() {
  using backoff::budget_event;
  const auto budget = backoff::budget::parse("quota:max_tokens=1,cost=1").value();
  auto state = backoff::budget_state::full(budget).value();
  const auto granted = state.step(budget_event::retry_requested, hours(1),
                                  backoff::outcome::transient).value();
  check_true("state", "grants the first", granted.granted && granted.changed);
  check_number("state", "holds", granted.held, 1);
  const std::string text = printed(state);
  auto other = backoff::budget_state::parse(budget, text).value();
  const auto refused = other.step(budget_event::retry_requested, hours(1),
                                  backoff::outcome::transient).value();
  check_true("state", "refuses the second", !refused.granted && !refused.changed);
  check_number("state", "an event without an outcome",
               other.step(budget_event::retry_requested, hours(1)).error().code(),
               BACKOFF_ERROR_UNKNOWN_OUTCOME);
  const auto back = other.step(budget_event::operation_succeeded, hours(1), backoff::outcome::none, 1);
  check_true("state", "takes the token back", back.value().changed);
  check_true("state", "grants it again",
             other.step(budget_event::retry_requested, hours(1), backoff::outcome::timeout)
                 .value().granted);
  check_number("state", "another text", backoff::budget_state::parse(budget, "full").error().code(),
               BACKOFF_ERROR_NOT_A_STATE);
  check_equal("event", "name", printed(budget_event::attempt_over), "attempt_over");
}

void check_stats() {
  backoff::retry_stats stats, more;
  stats.record(1, backoff::reason::success);
  stats.record(7, backoff::reason::max_retries);
  more.record(1000, backoff::reason::max_retries);
  stats.merge(more);
  check_number("stats", "operations", stats.operations(), 3);
  check_number("stats", "attempts", stats.attempts(), 1008);
  check_number("stats", "retries", stats.retries(), 1005);
  check_number("stats", "stopped", stats.stopped(backoff::reason::max_retries), 2);
  check_number("stats", "not stopped", stats.stopped(backoff::reason::none), 0);
  const auto buckets = stats.buckets();
  check_number("stats", "buckets", buckets.size(), 12);
  check_number("stats", "attempts of a bucket", buckets[6].max_attempts, 8);
  check_number("stats", "with 1 attempt", buckets[0].count, 1);
  check_number("stats", "with 7 or 8 attempts", buckets[6].count, 1);
  check_number("stats", "with 4 attempts", buckets[3].count, 0);
  check_number("stats", "with more than 50", buckets[11].count, 1);
  check_number("stats", "the last bucket", buckets[11].max_attempts, UINT64_MAX);
  const auto text = stats.to_text("shop", {{"zone", "b\"c"}, {"app", ""}}).value();
  const std::string line = "\nshop_retries_total{zone=\"b\\\"c\",app=\"\"} 1005\n";
  check_number("stats", "a line with labels", text.find(line) != std::string::npos, 1);
  check_number("stats", "without labels", stats.to_text("backoff").value() == stats.to_string(), 1);
  check_number("stats", "a prefix", stats.to_text("").error().code(), BACKOFF_ERROR_NOT_A_PREFIX);
  check_number("stats", "a label", stats.to_text("a", {{"le", ""}}).error().code(),
               BACKOFF_ERROR_NOT_A_LABEL);
}

// As decide.c does with the functions of C.
void check_operations() {
  const auto policy =
      backoff::policy::parse("full:base=100ms,cap=20s,max_retries=5,retry_after_max=1m").value();
  const auto stream = backoff::stream::from_key(42, "job-1");
  auto now = backoff::clock::time_point() + hours(1);
  auto budget = backoff::budget::parse("aws-sdk-2026").value();
  auto begun = backoff::operation::begin(policy, stream, now, now + seconds(30), &budget);
  auto operation = std::move(begun).value();
  auto next = operation.decide(backoff::outcome::timeout, now).value();
  check_true("decide", "waits", !!next);
  check_equal("decide", "delay", next.delay, 11399434);
  next = operation.decide({backoff::outcome::throttled, seconds(2)}, now += next.delay).value();
  check_equal("decide", "Retry-After", next.delay, 2000000000);
  check_number("state", "retries", operation.state().retries, 2);
  check_number("state", "attempts", operation.state().attempts, 3);
  check_equal("state", "reason", printed(operation.state().reason), "none");
  check_number("decide", "no outcome", operation.decide(backoff::outcome::none).error().code(),
               BACKOFF_ERROR_UNKNOWN_OUTCOME);
  // The longest Retry-After that is honoured would end after the deadline.
  next = operation.decide({backoff::outcome::throttled, (hours::max)()}, now += next.delay).value();
  check_true("decide", "stops", !next);
  check_equal("decide", "reason", printed(next.reason), "deadline");
  check_equal("decide", "the wait that would have been", next.delay, 60000000000);
  check_equal("cancel", "is too late", printed(operation.cancel()), "deadline");

  auto refused = backoff::operation::begin(policy, stream, now).value();
  check_true("refuse", "a retry", !!refused.decide(backoff::outcome::transient, now).value());
  check_equal("refuse", "reason", printed(refused.refuse_retry()), "budget");
  check_number("refuse", "retries", refused.state().retries, 0);
  // At 1 h + 1 s, the third of five retries was waited for.
  auto resumed = backoff::operation::resume(policy, stream, 3, now, now + hours(1)).value();
  check_equal("resume", "the fourth delay", resumed.decide(backoff::outcome::transient, now).value().delay,
              83486434);
}

void check_times_of_operations() {
  const auto policy =
      backoff::policy::parse("constant:base=1s,attempt_timeout=7s,reset_after=1h,max_retries=9").value();
  auto now = backoff::clock::time_point() + hours(1);
  auto operation =
      backoff::operation::begin(policy, backoff::stream(1), now, now + seconds(20)).value();
  check_equal("own delay", "delay",
              operation.decide(backoff::outcome::transient, seconds(15), now).value().delay, 15000000000);
  now += seconds(15);
  check_number("index", "of the second", operation.retry_index(now), 1);
  check_number("index", "after a long attempt", operation.retry_index(now + hours(1)), 0);
  check_equal("attempt", "limit", operation.attempt_limit(now), 5000000000);
  check_equal("attempt", "time left", operation.time_left(now), 5000000000);
  auto unlimited = backoff::operation::begin(backoff::policy(), backoff::stream(1), now).value();
  check_true("attempt", "no limit", unlimited.attempt_limit(now) == (backoff::nanoseconds::max)());
  check_true("attempt", "no end", unlimited.time_left(now) == (backoff::nanoseconds::max)());
}

bool is_granted(backoff::operation &operation) {
  return !!operation.decide(backoff::outcome::transient, backoff::clock::time_point()).value();
}

// An operation that nobody finished is no longer active after its end.
void check_ends_of_operations() {
  const auto policy = backoff::policy::parse("immediate").value();
  auto budget = backoff::budget::parse("concurrent:min_concurrent=0,ratio=0.5").value();
  const auto begun = [&] {
    return backoff::operation::begin(policy, backoff::stream(1), backoff::clock::time_point(),
                                     backoff::no_deadline(), &budget).value();
  };
  {
    auto first = begun(), second = begun();
    auto moved = std::move(first);
    check_equal("a moved operation", "cancel", printed(first.cancel()), "none");
    check_number("a moved operation", "attempts", first.state().attempts, 0);
    check_true("two operations", "grant a retry", is_granted(moved));
  }
  ignore(begun());
  ignore(begun());
  {
    auto alone = begun();
    check_true("one operation", "grants none", !is_granted(alone));
  }
  auto replaced = begun();
  replaced = begun();
  check_true("one operation after another", "grants none", !is_granted(replaced));
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

void check_exceptions() {
#if defined(__cpp_exceptions)
  check_equal("value", "of an error",
              thrown<backoff::exception>([] { ignore(backoff::policy::parse("full:base=5").value()); }),
              "at 11: base has no unit; the units are d, h, m, s, ms, us, ns");
  check_equal("value", "of an error without a string",
              thrown<backoff::exception>([] { ignore(backoff::parse_retry_after("soon").value()); }),
              "the value of Retry-After is neither a number of seconds nor a date, or is longer than "
              "1024 bytes");
#endif
}

}  // namespace

int main() {
  check_durations();
  check_after();
  check_streams();
  check_policies();
  check_default_policy();
  check_params();
  check_changes();
  check_fits();
  check_previews();
  check_texts_of_numbers();
  check_http();
  check_budgets();
  check_budget_states();
  check_stats();
  check_operations();
  check_times_of_operations();
  check_ends_of_operations();
  check_printing();
  check_results();
  check_texts();
  check_exceptions();
  return check_end();
}
