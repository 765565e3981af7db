// backoff.hpp: backoff.h for C++11 and later. It has only inline functions over libbackoff.
//
//     auto policy = backoff::policy::parse("full:base=100ms,cap=20s,max_retries=5").value();
//     auto end = backoff::retry(policy, [] { return backoff::outcome::transient; }).value();
//     std::cout << end.reason << " after " << end.attempts << " attempts\n";
//
// A function that can fail returns a value or an error. value() of an error throws an exception, or
// with -fno-exceptions prints the message and aborts. The types have no destructors. Each has a
// struct of backoff.h, `raw`, whose comment says whether it may be copied and shared by threads.

#ifndef BACKOFF_HPP
#define BACKOFF_HPP

#include <backoff.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#if __cplusplus >= 201703L
#include <string_view>
#define BACKOFF_NODISCARD [[nodiscard]]
#else
#define BACKOFF_NODISCARD
#endif
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define BACKOFF_TRY(body, at_exception) try { body; } catch (...) { at_exception; throw; }
#define BACKOFF_THROW(of) throw exception(of);
#define BACKOFF_MODE throwing
#else
#define BACKOFF_TRY(body, at_exception) body;
#define BACKOFF_THROW(of) { std::fprintf(stderr, "%s\n", of.to_string().c_str()); std::abort(); }
#define BACKOFF_MODE aborting
#endif

namespace backoff {
inline namespace BACKOFF_MODE {  // or code with and without exceptions would share functions

using nanoseconds = std::chrono::nanoseconds;
using clock = std::chrono::steady_clock;
#if defined(__cpp_lib_string_view)
using text = std::string_view;
#else
using text = const std::string &;
#endif

// How an attempt ended; `none` is for a cancelled loop.
enum class outcome : uint32_t { none, success, transient, throttled, timeout, permanent };

// Why an operation stopped.
enum class reason : uint32_t {
  none, success, permanent, max_retries, max_elapsed, deadline, budget, cancelled
};

inline const char *name(outcome of) { return backoff_outcome_name(uint32_t(of)); }
inline const char *name(reason of) { return backoff_reason_name(uint32_t(of)); }
inline outcome http_outcome(uint32_t status) { return outcome(backoff_http_outcome(status)); }

namespace detail {
// C has no negative times: a date in the past, a deadline before the epoch, or NaN is at 0.
inline uint64_t ns(nanoseconds of) { return of.count() < 0 ? 0 : uint64_t(of.count()); }
inline uint64_t ns(clock::time_point of) {
  return ns(std::chrono::duration_cast<nanoseconds>(of.time_since_epoch()));
}
// A time too long for nanoseconds, such as 300 years, is the longest of C.
template <class Rep, class Period> uint64_t ns(std::chrono::duration<Rep, Period> of) {
  const long double ns = std::chrono::duration<long double, std::nano>(of).count();
  return !(ns > 0) ? 0 : ns < 9223372036854775807.0L ? uint64_t(ns) : BACKOFF_MAX_NS;
}
inline nanoseconds time(uint64_t ns) { return nanoseconds(nanoseconds::rep(ns)); }
// A struct of C that can be printed.
template <class Raw, uint32_t (*print)(const Raw *, char *, uint64_t), std::size_t size>
struct printed {
  Raw raw = Raw();
  std::string to_string() const {
    char buffer[size] = {0};  // with "", clang 18 takes the size of another instance
    print(&raw, buffer, size);
    return buffer;
  }
  friend std::ostream &operator<<(std::ostream &out, const printed &of) {
    return out << of.to_string();
  }
};
}  // namespace detail

// What went wrong: a code, and for a broken rule its field, value and limit.
struct error : detail::printed<backoff_error, backoff_error_message, BACKOFF_TEXT_SIZE> {
  uint32_t code() const noexcept { return raw.code; }
};

// An error as an exception, whose what() is its message.
struct exception : std::runtime_error {
  backoff::error error;
  explicit exception(const backoff::error &of) : runtime_error(of.to_string()), error(of) {}
};

// A value, or an error.
template <class T>
class BACKOFF_NODISCARD result {
  T value_;
  backoff::error error_;

 public:
  result(T value, const backoff::error &error) : value_(std::move(value)), error_(error) {}
  explicit operator bool() const noexcept { return error_.code() == BACKOFF_OK; }
  const backoff::error &error() const noexcept { return error_; }
  const T &value() const & {
    if (!*this) BACKOFF_THROW(error_)
    return value_;
  }
  T value() && {
    if (!*this) BACKOFF_THROW(error_)
    return std::move(value_);
  }
};

// A source of random numbers. Clients that share one wait for the same times.
struct stream {
  uint64_t number;
  explicit stream(uint64_t of) : number(of) {}
  static stream from_key(uint64_t seed, text key) {
    stream made(seed);
    backoff_stream_from_key(seed, key.data(), key.size(), &made.number);
    return made;
  }
  static result<stream> from_entropy() {
    stream made(0);
    error failed;
    failed.raw.code = backoff_stream_from_entropy(&made.number);
    return {made, failed};
  }
  uint64_t draw(uint32_t index) const { return backoff_stream_draw(number, index); }
  stream advance(uint64_t draws) const { return stream(backoff_stream_advance(number, draws)); }
};

// How long to wait before each retry, and how often to retry.
class policy : public detail::printed<backoff_policy, backoff_policy_print, BACKOFF_TEXT_SIZE> {
  policy() = default;

 public:
  // From a policy string or a preset.
  static result<policy> parse(text string) {
    policy made;
    error failed;
    backoff_policy_parse(&made.raw, string.data(), string.size(), &failed.raw);
    return {made, failed};
  }
  // From fields that backoff_params_set has set one by one.
  static result<policy> from(const backoff_params &params) {
    policy made;
    error failed;
    backoff_policy_init(&made.raw, &params, &failed.raw);
    return {made, failed};
  }
  // The value of a BACKOFF_FIELD: nanoseconds, a count, or the number of a kind. Returns false for a
  // field that is a ratio, that is not used, or that is not one of a policy.
  bool get(uint32_t field, uint64_t &value) const {
    return backoff_policy_get(&raw, field, &value) == BACKOFF_OK;
  }
  // The same for a field that is a ratio.
  bool get_ratio(uint32_t field, uint32_t &numerator, uint32_t &denominator) const {
    return backoff_policy_get_ratio(&raw, field, &numerator, &denominator) == BACKOFF_OK;
  }
  // The delay before a retry; the first has the index 0.
  nanoseconds delay(stream of, uint32_t index) const {
    uint64_t delay_ns = 0;
    backoff_policy_delay_ns(&raw, of.number, index, &delay_ns);
    return detail::time(delay_ns);
  }
};
inline bool operator==(const policy &a, const policy &b) { return a.to_string() == b.to_string(); }
inline bool operator!=(const policy &a, const policy &b) { return !(a == b); }

// The delays of a policy one after another. After max_retries of them next() returns false.
struct iter {
  backoff_iter raw;
  iter(const policy &policy, stream of) : raw() { backoff_iter_init(&raw, &policy.raw, of.number); }
  bool next(nanoseconds &delay) {
    uint64_t delay_ns = 0;
    const bool is_one = backoff_iter_next_ns(&raw, &delay_ns) == BACKOFF_OK;
    if (is_one) delay = detail::time(delay_ns);
    return is_one;
  }
  void reset() { backoff_iter_reset(&raw); }
};

// A limit on the retries of many operations together. Do not move it while it is in use.
class budget : public detail::printed<backoff_budget, backoff_budget_print, BACKOFF_TEXT_SIZE> {
  budget() = default;

 public:
  budget(budget &&from) noexcept : printed(from) { from.raw = backoff_budget(); }
  static result<budget> parse(text string) {
    budget made;
    error failed;
    backoff_budget_parse(&made.raw, string.data(), string.size(), &failed.raw);
    return {std::move(made), failed};
  }
  // The name of the kind, such as "concurrent".
  const char *kind() const {
    uint64_t number = 0;
    get(BACKOFF_FIELD_BUDGET, number);
    return backoff_kind_name(BACKOFF_FIELD_BUDGET, number);
  }
  // The value of a BACKOFF_FIELD of a budget, as of a policy.
  bool get(uint32_t field, uint64_t &value) const {
    return backoff_budget_get(&raw, field, &value) == BACKOFF_OK;
  }
  bool get_ratio(uint32_t field, uint32_t &numerator, uint32_t &denominator) const {
    return backoff_budget_get_ratio(&raw, field, &numerator, &denominator) == BACKOFF_OK;
  }
};

// Counts of operations; printed in the Prometheus format.
struct retry_stats : detail::printed<backoff_stats, backoff_stats_print, BACKOFF_STATS_SIZE> {
  retry_stats() { backoff_stats_init(&raw); }
};

inline std::ostream &operator<<(std::ostream &out, outcome of) { return out << name(of); }
inline std::ostream &operator<<(std::ostream &out, reason of) { return out << name(of); }

// What an attempt returns: its outcome, and perhaps the time that the server asked to wait.
struct verdict {
  backoff::outcome outcome;
  uint64_t retry_after_ns;
  verdict(backoff::outcome of) : outcome(of), retry_after_ns(BACKOFF_NO_TIME) {}
  template <class Rep, class Period>
  verdict(backoff::outcome of, std::chrono::duration<Rep, Period> time)
      : outcome(of), retry_after_ns(detail::ns(time)) {}
};

// The state of a loop before a wait, or at its end (backoff_loop_event).
struct event {
  uint64_t attempts;
  nanoseconds delay, elapsed;
  backoff::outcome outcome;
  backoff::reason reason;
};

// What a loop need not be told. What a pointer points to has to outlive the loop.
struct options {
  const backoff::stream *stream = nullptr;  // of the delays; by default a new one from entropy
  clock::time_point deadline = (clock::time_point::max)();  // by default none
  backoff::budget *budget = nullptr;
  retry_stats *stats = nullptr;
  std::function<clock::time_point()> now = clock::now;
  std::function<void(nanoseconds)> sleep = std::this_thread::sleep_for<int64_t, std::nano>;
  std::function<bool()> cancelled = nullptr;
  std::function<void(const event &)> on_retry = nullptr, on_stop = nullptr;
};

namespace detail {
// A loop by the rules of SPEC 18. It is not that of C, through which no exception may pass.
struct loop {
  const options &with;
  backoff_budget *budget = with.budget ? &with.budget->raw : nullptr;
  backoff_operation operation = backoff_operation();
  uint64_t began = 0;
  event end = {0, nanoseconds(0), nanoseconds(0), outcome::none, reason::cancelled};
  error failed = error();
  bool is_in_hook = false, is_in_clock = false;  // a sleep counts as a hook
  explicit loop(const options &of) : with(of) {}
  bool is_cancelled() const { return with.cancelled && with.cancelled(); }
  uint64_t now() {
    is_in_clock = true;
    const uint64_t now = ns(with.now());
    is_in_clock = false;
    return now;
  }
  nanoseconds elapsed(uint64_t now) const { return time(now > began ? now - began : 0); }
  // Makes attempts until `end` or `failed` says how the loop ended.
  void run(const policy &policy, uint64_t stream, const std::function<verdict()> &attempt) {
    if (is_cancelled()) return;
    began = now();
    const bool is_limited = with.deadline != (clock::time_point::max)();
    const uint64_t deadline = is_limited ? ns(with.deadline) : BACKOFF_NO_TIME;
    failed.raw.code =
        backoff_operation_begin(&operation, &policy.raw, stream, began, deadline, budget);
    while (failed.code() == BACKOFF_OK) {
      end.attempts++;
      const verdict given = attempt();
      if (given.outcome != outcome::success && is_cancelled()) return;
      const uint64_t now = this->now();
      backoff_decision next = backoff_decision();
      failed.raw.code = backoff_operation_decide(
          &operation, uint32_t(given.outcome), given.retry_after_ns, now, budget, &next);
      if (failed.code() != BACKOFF_OK) return;
      const event at = {end.attempts, time(next.delay_ns), elapsed(now), given.outcome,
                        reason(next.reason)};
      if (next.reason != 0) return void(end = at);
      is_in_hook = true;
      if (with.on_retry) with.on_retry(at);
      is_in_hook = false;
      if (is_cancelled()) return;
      is_in_hook = true;
      with.sleep(at.delay);
      is_in_hook = false;
      if (is_cancelled()) return;
    }
  }
  // Ends the operation, unless it has stopped, and reports the end.
  void stop() {
    const uint32_t code = backoff_operation_cancel(&operation, budget, nullptr);
    if (code == BACKOFF_ERROR_DAMAGED) failed.raw.code = code;
    if (with.stats) backoff_stats_record(&with.stats->raw, end.attempts, uint32_t(end.reason));
    // pthread_cancel, which is no exception, cancels the loop like an attempt that throws.
    if (failed.code() != BACKOFF_OK || (is_in_hook && std::current_exception())) return;
    // A clock that has thrown may throw again, and on_stop would not be called.
    const bool is_late = end.reason == reason::cancelled && end.attempts > 0 && !is_in_clock;
    if (is_late) end.elapsed = elapsed(now());
    if (with.on_stop) with.on_stop(end);
  }
};
}  // namespace detail

// Calls `attempt` until it succeeds or the loop has to stop, and returns how the loop ended. An
// exception of `attempt` or of an option cancels the loop and is passed on; so `attempt` catches
// what is to be retried, and returns an outcome for it. No hook follows one of a hook or `sleep`.
// Without entropy the first attempt is the last, and the error of its failure BACKOFF_ERROR_NO_ENTROPY.
template <class Attempt>
result<event> retry(const policy &policy, const Attempt &attempt, const options &with = options()) {
  static_assert(std::is_convertible<const Attempt &, std::function<verdict()>>::value,
                "an attempt returns a backoff::outcome or a backoff::verdict");
  const std::function<verdict()> &call = attempt;
  detail::loop loop(with);
  error entropy;
  if (!call || !with.now || !with.sleep) entropy.raw.code = BACKOFF_ERROR_NULL_POINTER;
  if (entropy.code() != BACKOFF_OK) return {event(), entropy};
  uint64_t stream = with.stream ? with.stream->number : 0;
  if (!with.stream) entropy.raw.code = backoff_stream_from_entropy(&stream);
  const bool is_random = entropy.code() == BACKOFF_OK;
  const auto used = is_random ? policy : policy::parse("off").value();
  BACKOFF_TRY(loop.run(used, stream, call), loop.stop())
  loop.stop();
  if (!is_random && loop.end.reason == reason::max_retries) return {loop.end, entropy};
  return {loop.end, loop.failed};
}

}  // namespace BACKOFF_MODE
}  // namespace backoff

#endif
