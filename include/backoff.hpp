// backoff.hpp: backoff.h for C++11 and later. It has only inline functions over libbackoff.
//
//     auto policy = backoff::policy::parse("full:base=100ms,cap=20s,max_retries=5").value();
//     auto page = backoff::retry(policy, []() -> backoff::attempt<std::string> {
//       response got = get("https://example.org/");
//       return {backoff::http_verdict(got.status, got.fields), got.body};
//     });
//     if (page) use(page.value());
//
// Contents
//
//   1. Times: any std::chrono::duration, as nanoseconds
//   2. Errors: error, exception, result
//   3. Outcomes: outcome, reason, verdict; HTTP
//   4. Streams: stream, optional_stream
//   5. Policies: policy, params; iter, preview
//   6. Budgets: budget, budget_state
//   7. Stats: retry_stats
//   8. Operations: operation, for event loops
//   9. Loops: retry, with options; attempt and retried, for calls that have a value
//
// Conventions
//
// - A function that can fail returns a value or an error. value() of an error throws an exception,
//   or with -fno-exceptions prints the message and aborts.
// - A duration may have any unit and any type of number. One that is negative or not a number is 0
//   ns, and one beyond 2^63 - 1 ns, about 292 years, is that long. As a field of a policy, one that is
//   negative or not a number is an error instead.
// - Each object has a struct of backoff.h, `raw`, whose comment says whether it may be copied and
//   shared by threads. Only an operation has a destructor.

#ifndef BACKOFF_HPP
#define BACKOFF_HPP

#include <backoff.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <ostream>
#include <ratio>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif
#if __cplusplus >= 201703L
#include <string_view>
#define BACKOFF_NODISCARD [[nodiscard]]
#else
#define BACKOFF_NODISCARD
#endif
#if defined(__GNUC__) && !defined(_WIN32)
#define BACKOFF_VISIBLE __attribute__((visibility("default")))
#else
#define BACKOFF_VISIBLE
#endif
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define BACKOFF_TRY(body, at_exception) try { body; } catch (...) { at_exception; throw; }
#define BACKOFF_THROW(exception) throw exception
#define BACKOFF_MODE throwing
#else
#define BACKOFF_TRY(body, at_exception) body;
#define BACKOFF_THROW(exception) (std::fprintf(stderr, "%s\n", exception.what()), std::abort())
#define BACKOFF_MODE aborting
#endif

namespace backoff {

// Shared by code with and without exceptions, or a process would have two seeds.
namespace internal {

// Elsewhere than on Unix a process cannot fork.
inline uint64_t id() {
#if defined(__unix__) || defined(__APPLE__)
  return uint64_t(getpid());
#else
  return 1;
#endif
}

// Writes the stream of the next loop of this process that has none of its own (SPEC 18.1): number 0,
// 1, 2, ... under a seed that the process takes once from the operating system. A forked child has a
// copy of its parent's memory, so a seed counts only with the process for which it was drawn. A lock
// would not do: the child would copy it while another thread holds it, and wait for ever.
inline backoff_code next_stream(uint64_t *stream) {
  // The process that draws the seed, as twice its ID; one more once it is drawn.
  static std::atomic<uint64_t> state(0), seed(0), loops(0);
  const uint64_t drawing = id() << 1, drawn = drawing | 1;
  for (uint64_t found; (found = state.load(std::memory_order_acquire)) != drawn;) {
    if (found == drawing) {
      std::this_thread::yield();
    } else if (state.compare_exchange_strong(found, drawing)) {
      uint64_t entropy = 0;
      const backoff_code code = backoff_stream_from_entropy(&entropy);
      seed.store(entropy, std::memory_order_relaxed);
      loops.store(0, std::memory_order_relaxed);
      state.store(code == BACKOFF_OK ? drawn : 0, std::memory_order_release);
      if (code != BACKOFF_OK) return code;
    }
  }
  const uint64_t number = loops.fetch_add(1, std::memory_order_relaxed);
  return backoff_stream_nth(seed.load(std::memory_order_relaxed), number, stream);
}

}  // namespace internal

inline namespace BACKOFF_MODE {  // or code with and without exceptions would share functions

// 1. Times ----------------------------------------------------------------------------------------

using nanoseconds = std::chrono::nanoseconds;
using clock = std::chrono::steady_clock;

// The time that is no deadline.
inline clock::time_point no_deadline() { return (clock::time_point::max)(); }

// A call with a type of the user names this namespace. Otherwise a function of the user's namespace
// could be chosen.
namespace detail {

// The nanoseconds of a whole number of ticks, exactly where a long double could not hold them.
template <class Period> uint64_t ns_of_ticks(uint64_t count) {
  using per_second = std::ratio<1000000000, Period::den>;  // a tick is Period::num of them
  const uint64_t num = uint64_t(per_second::num), den = uint64_t(per_second::den);
  const uint64_t factor = uint64_t(Period::num), whole = count / den;
  if (whole > BACKOFF_MAX_NS / num / factor) return BACKOFF_MAX_NS;
  const long double part = static_cast<long double>(count % den) * per_second::num * Period::num /
                           per_second::den;
  if (!(part < 9223372036854775807.0L)) return BACKOFF_MAX_NS;
  const uint64_t ns = whole * num * factor + uint64_t(part);
  return ns < BACKOFF_MAX_NS ? ns : BACKOFF_MAX_NS;
}

template <class Rep, class Period>
uint64_t positive_ns(std::chrono::duration<Rep, Period> of, std::true_type) {
  return ns_of_ticks<Period>(uint64_t(of.count()));
}

// To the nearest nanosecond: 0.3 s is a little less as a binary fraction.
template <class Rep, class Period>
uint64_t positive_ns(std::chrono::duration<Rep, Period> of, std::false_type) {
  using per_second = std::ratio<1000000000, Period::den>;
  const long double count = std::chrono::duration<long double, Period>(of).count();
  const long double ns = count * per_second::num * Period::num / per_second::den + 0.5L;
  return ns < 9223372036854775807.0L ? uint64_t(ns) : BACKOFF_MAX_NS;
}

// `otherwise` is for a duration that is negative or not a number, which C does not have.
template <class Rep, class Period>
uint64_t ns(std::chrono::duration<Rep, Period> of, uint64_t otherwise = 0) {
  using fits = std::integral_constant<bool, std::is_integral<Rep>::value && sizeof(Rep) <= 8>;
  const auto zero = std::chrono::duration<Rep, Period>::zero();
  if (of > zero) return detail::positive_ns(of, fits());
  return of == zero ? 0 : otherwise;
}

template <class Clock, class Duration>
uint64_t ns(std::chrono::time_point<Clock, Duration> of) {
  return detail::ns(of.time_since_epoch());
}

inline uint64_t deadline_ns(clock::time_point of) {
  return of == no_deadline() ? BACKOFF_NO_TIME : ns(of);
}

inline nanoseconds time(uint64_t ns) { return nanoseconds(nanoseconds::rep(ns)); }

}  // namespace detail

// The time after a wait, such as a deadline: `after(std::chrono::seconds(30))`. It is at most the
// last time of the clock, where adding would overflow.
template <class Rep, class Period>
clock::time_point after(std::chrono::duration<Rep, Period> wait,
                        clock::time_point now = clock::now()) {
  const auto delay = std::chrono::duration_cast<clock::duration>(detail::time(detail::ns(wait)));
  const auto last = (clock::time_point::max)();
  return now > clock::time_point() && delay > last - now ? last : now + delay;
}

// 2. Errors ---------------------------------------------------------------------------------------

#if defined(__cpp_lib_string_view)
using text = std::string_view;
#else
using text = const std::string &;
#endif

namespace detail {
// A struct of C that can be printed.
template <class Raw, backoff_code (*print)(const Raw *, char *, uint64_t, uint64_t *),
          std::size_t size>
struct printed {
  Raw raw = Raw();
  std::string to_string() const {
    char buffer[size] = {0};  // with "", clang 18 takes the size of another instance
    print(&raw, buffer, size, nullptr);
    return buffer;
  }
  friend std::ostream &operator<<(std::ostream &out, const printed &of) {
    return out << of.to_string();
  }
};
}  // namespace detail

namespace detail {
// A duration that C does not have arrives there as this number (`ns`), which says nothing.
inline backoff_code print_error(const backoff_error *of, char *buffer, uint64_t size, uint64_t *length) {
  const bool is_duration = of->code == BACKOFF_ERROR_TOO_LARGE && of->limit == BACKOFF_MAX_NS;
  if (!is_duration || of->value != UINT64_MAX || of->text_kind != BACKOFF_TEXT_KIND_NONE) {
    return backoff_error_message(of, buffer, size, length);
  }
  std::snprintf(buffer, BACKOFF_TEXT_SIZE, "%s is negative or not a number", backoff_field_name(of->field));
  return BACKOFF_OK;
}
}  // namespace detail

// What went wrong: a code, and for a broken rule its field, value and limit.
struct error : detail::printed<backoff_error, detail::print_error, BACKOFF_TEXT_SIZE> {
  backoff_code code() const noexcept { return raw.code; }
  // The name of the code, such as "cap_below_base".
  const char *name() const noexcept { return backoff_code_name(raw.code); }
};

namespace detail {
inline error error_of(backoff_code code) {
  error made;
  made.raw.code = code;
  return made;
}
inline void ignore(backoff_code) {}
}  // namespace detail

// An error as an exception, whose what() is its message. It is visible, or with -fvisibility=hidden a
// program could not catch it by its type from a shared library.
struct BACKOFF_VISIBLE exception : std::runtime_error {
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
  result(T value, backoff_code code) : result(std::move(value), detail::error_of(code)) {}
  explicit operator bool() const noexcept { return error_.code() == BACKOFF_OK; }
  const backoff::error &error() const & noexcept { return error_; }
  backoff::error error() const && noexcept { return error_; }
  const T &value() const & {
    if (!*this) BACKOFF_THROW(exception(error_));
    return value_;
  }
  T &value() & {
    if (!*this) BACKOFF_THROW(exception(error_));
    return value_;
  }
  T value() && {
    if (!*this) BACKOFF_THROW(exception(error_));
    return std::move(value_);
  }
};

// A duration as policy strings write it, such as "1.5s" (SPEC 11.4).
inline result<nanoseconds> parse_duration(text string) {
  uint64_t ns = 0;
  const backoff_code code = backoff_duration_parse(string.data(), string.size(), &ns);
  return {detail::time(ns), code};
}

// 3. Outcomes -------------------------------------------------------------------------------------

// How an attempt ended; `none` is for a cancelled loop.
enum class outcome : uint32_t {
  none = BACKOFF_OUTCOME_NONE,
  success = BACKOFF_OUTCOME_SUCCESS,
  transient = BACKOFF_OUTCOME_TRANSIENT,
  throttled = BACKOFF_OUTCOME_THROTTLED,
  timeout = BACKOFF_OUTCOME_TIMEOUT,
  permanent = BACKOFF_OUTCOME_PERMANENT
};

// Why an operation stopped. A later version may add reasons.
enum class reason : uint32_t {
  none = BACKOFF_REASON_NONE,
  success = BACKOFF_REASON_SUCCESS,
  permanent = BACKOFF_REASON_PERMANENT,
  max_retries = BACKOFF_REASON_MAX_RETRIES,
  max_elapsed = BACKOFF_REASON_MAX_ELAPSED,
  deadline = BACKOFF_REASON_DEADLINE,
  budget = BACKOFF_REASON_BUDGET,
  cancelled = BACKOFF_REASON_CANCELLED
};

inline const char *name(outcome of) { return backoff_outcome_name(backoff_outcome(of)); }
inline const char *name(reason of) { return backoff_reason_name(backoff_reason(of)); }
inline std::ostream &operator<<(std::ostream &out, outcome of) { return out << name(of); }
inline std::ostream &operator<<(std::ostream &out, reason of) { return out << name(of); }

// `none` is for a name that no outcome or reason has.
inline outcome outcome_from_name(text name) {
  return outcome(backoff_outcome_from_name(name.data(), name.size()));
}
inline reason reason_from_name(text name) {
  return reason(backoff_reason_from_name(name.data(), name.size()));
}

// An outcome, and perhaps the time that the server asked to wait.
struct verdict {
  backoff::outcome outcome;
  uint64_t retry_after_ns;
  verdict(backoff::outcome of) : outcome(of), retry_after_ns(BACKOFF_NO_TIME) {}
  template <class Rep, class Period>
  verdict(backoff::outcome of, std::chrono::duration<Rep, Period> retry_after)
      : outcome(of), retry_after_ns(detail::ns(retry_after)) {}
  // A header that could not be read asked for nothing.
  verdict(backoff::outcome of, const result<nanoseconds> &retry_after) : verdict(of) {
    if (retry_after) retry_after_ns = detail::ns(retry_after.value());
  }
};

// The outcome of an HTTP status (SPEC 14.4): `throttled` for 429 and 503, for example.
inline outcome http_outcome(uint32_t status) { return outcome(backoff_http_outcome(status)); }

// The time that the value of a Retry-After header asks to wait: seconds, or a date.
inline result<nanoseconds> parse_retry_after(
    text value, std::chrono::system_clock::time_point now = std::chrono::system_clock::now()) {
  uint64_t ns = 0;
  const backoff_code code =
      backoff_parse_retry_after(value.data(), value.size(), detail::ns(now), &ns);
  return {detail::time(ns), code};
}

// The verdict on an HTTP response: the outcome of its status, and the time that its header fields ask
// to wait (SPEC 14.5). They are lines, as in HTTP/1.1.
inline verdict http_verdict(
    uint32_t status, text fields,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now()) {
  verdict made(http_outcome(status));
  detail::ignore(backoff_http_retry_after(status, fields.data(), fields.size(), detail::ns(now),
                                          &made.retry_after_ns));
  return made;
}

// Header fields as lines, from pairs of a name and a value, such as a std::multimap of strings.
template <class Fields>
std::string header_fields(const Fields &fields) {
  std::string lines;
  for (const auto &field : fields) {
    std::string line(field.first);
    line += ':';
    line += field.second;
    if (line.find('\n') == std::string::npos) lines += line + "\r\n";
  }
  return lines;
}

// Whether a request with this method may be repeated without asking anyone: GET, PUT, ... (SPEC 14.6).
inline bool is_idempotent_method(text method) {
  return backoff_is_idempotent_method(method.data(), method.size()) != 0;
}

// 4. Streams --------------------------------------------------------------------------------------

// A source of random numbers. Clients that share one wait for the same times.
struct stream {
  uint64_t number;
  explicit stream(uint64_t of) : number(of) {}
  static stream from_key(uint64_t seed, text key) {
    stream made(seed);
    detail::ignore(backoff_stream_from_key(seed, key.data(), key.size(), &made.number));
    return made;
  }
  static result<stream> from_entropy() {
    stream made(0);
    const backoff_code code = backoff_stream_from_entropy(&made.number);
    return {made, code};
  }
  // The stream of a number under a seed (SPEC 3.4).
  static stream nth(uint64_t seed, uint64_t n) {
    stream made(seed);
    detail::ignore(backoff_stream_nth(seed, n, &made.number));
    return made;
  }
  uint64_t draw(uint32_t index) const { return backoff_stream_draw(number, index); }
  stream advance(uint64_t draws) const { return stream(backoff_stream_advance(number, draws)); }
};

// A stream, or none: then an operation or a loop takes the next stream of this process, of which each
// is used once (SPEC 18.1).
class optional_stream {
  bool is_set_ = false;
  uint64_t number_ = 0;

 public:
  optional_stream() = default;
  optional_stream(stream of) : is_set_(true), number_(of.number) {}
  explicit operator bool() const noexcept { return is_set_; }
  result<stream> next() const {
    uint64_t number = number_;
    const backoff_code code = is_set_ ? BACKOFF_OK : internal::next_stream(&number);
    return {stream(number), code};
  }
};

// 5. Policies -------------------------------------------------------------------------------------

// An exact ratio: 1.6 is {8, 5}.
struct ratio {
  uint32_t numerator, denominator;
  // From "1.6", "160%" or "8/5".
  static result<ratio> parse(text string) {
    ratio made = {0, 1};
    const backoff_code code = backoff_ratio_parse(string.data(), string.size(), &made.numerator,
                                                  &made.denominator);
    return {made, code};
  }
};

namespace detail {

// A policy or a budget with its getters. They return false for a field that is not one of it or that it
// does not use, for a ratio that is read as a number, and for the reverse.
template <class Raw, backoff_code (*print)(const Raw *, char *, uint64_t, uint64_t *),
          backoff_code (*number)(const Raw *, backoff_field, uint64_t *),
          backoff_code (*fraction)(const Raw *, backoff_field, uint32_t *, uint32_t *)>
struct with_fields : printed<Raw, print, BACKOFF_TEXT_SIZE> {
  // A count, the number of a kind, or nanoseconds.
  bool get(backoff_field field, uint64_t &value) const {
    return number(&this->raw, field, &value) == BACKOFF_OK;
  }
  bool get(backoff_field field, nanoseconds &value) const {
    uint64_t ns = 0;
    const bool is_one = get(field, ns);
    if (is_one) value = time(ns);
    return is_one;
  }
  bool get(backoff_field field, ratio &value) const {
    return fraction(&this->raw, field, &value.numerator, &value.denominator) == BACKOFF_OK;
  }
  // The name of the kind of a field, such as "full" for BACKOFF_FIELD_JITTER.
  const char *kind(backoff_field field) const {
    uint64_t of = 0;
    get(field, of);
    return backoff_kind_name(field, of);
  }
};

using policy_fields = with_fields<backoff_policy, backoff_policy_print, backoff_policy_get,
                                  backoff_policy_get_ratio>;
using budget_fields = with_fields<backoff_budget, backoff_budget_print, backoff_budget_get,
                                  backoff_budget_get_ratio>;

}  // namespace detail

namespace detail {
// A number that is no value of a field, although C++ would convert it to one.
template <class T>
using if_no_integer = typename std::enable_if<std::is_floating_point<T>::value ||
                                              std::is_same<T, bool>::value>::type;
}  // namespace detail

class preview;

// How long to wait before each retry, and how often to retry. By default the preset "default".
class policy : public detail::policy_fields {
 public:
  policy() { detail::ignore(backoff_policy_parse(&raw, "default", 7, nullptr)); }
  // From a policy string or a preset.
  static result<policy> parse(text string) {
    policy made;
    error failed;
    detail::ignore(
        backoff_policy_parse(&made.raw, string.data(), string.size(), &failed.raw));
    return {made, failed};
  }
  // This policy changed by pairs: `change("jitter=0.5,max_retries=5")`.
  result<policy> change(text pairs) const {
    policy made;
    error failed;
    detail::ignore(backoff_policy_change_text(&raw, pairs.data(), pairs.size(), &made.raw, &failed.raw));
    return {made, failed};
  }
  // This policy with another value of a field, as in `preset:key=value`: a count, the number of a kind,
  // a duration or a ratio.
  result<policy> change(backoff_field field, uint64_t value) const {
    policy made;
    error failed;
    detail::ignore(backoff_policy_change(&raw, field, value, &made.raw, &failed.raw));
    return {made, failed};
  }
  template <class Rep, class Period>
  result<policy> change(backoff_field field, std::chrono::duration<Rep, Period> value) const {
    return change(field, detail::ns(value, UINT64_MAX));
  }
  result<policy> change(backoff_field field, ratio value) const {
    policy made;
    error failed;
    detail::ignore(backoff_policy_change_ratio(&raw, field, value.numerator, value.denominator,
                                               &made.raw, &failed.raw));
    return {made, failed};
  }
  // A fraction would be cut. Half a second is std::chrono::duration<double>(0.5), a half ratio{1, 2}.
  template <class T, class = detail::if_no_integer<T>>
  result<policy> change(backoff_field field, T value) const = delete;
  // The number of retries, at most 2^32, which is no limit.
  uint64_t max_retries() const {
    uint64_t retries = 0;
    detail::ignore(backoff_policy_max_retries(&raw, &retries));
    return retries;
  }
  // The windows of BACKOFF_GROWTH_STEPS; none of another growth.
  std::vector<nanoseconds> waits() const {
    uint64_t ns[BACKOFF_MAX_WAITS], count = 0;
    detail::ignore(backoff_policy_get_waits(&raw, ns, BACKOFF_MAX_WAITS, &count));
    std::vector<nanoseconds> made;
    for (uint64_t at = 0; at < count; at++) made.push_back(detail::time(ns[at]));
    return made;
  }
  // The delay before a retry; the first has the index 0.
  nanoseconds delay(stream of, uint32_t index) const {
    uint64_t delay_ns = 0;
    detail::ignore(backoff_policy_delay_ns(&raw, of.number, index, &delay_ns));
    return detail::time(delay_ns);
  }
  // The delays of `count` retries, computed faster than one by one.
  std::vector<nanoseconds> delays(stream of, uint32_t first, std::size_t count) const {
    std::vector<uint64_t> delays_ns(count);
    uint64_t written = 0;
    detail::ignore(
        backoff_policy_fill_ns(&raw, of.number, first, delays_ns.data(), count, &written));
    std::vector<nanoseconds> delays;
    delays.reserve(count);
    for (std::size_t i = 0; i < written; i++) delays.push_back(detail::time(delays_ns[i]));
    return delays;
  }
  // The wait before jitter.
  nanoseconds window(uint32_t index) const {
    uint64_t window_ns = 0;
    detail::ignore(backoff_policy_window_ns(&raw, index, &window_ns));
    return detail::time(window_ns);
  }
  // The range of the delay of each retry, to loop over: at most `most` rows, as there may be 2^32.
  backoff::preview preview(uint64_t most = UINT64_MAX) const;
  // This policy with the longest base, or the longest cap, for which the waits of `attempts` attempts (1
  // to 65536) never add up to more than `total` (SPEC 16.5).
  template <class Rep, class Period>
  result<policy> fit_base(uint64_t attempts, std::chrono::duration<Rep, Period> total) const {
    return fit(backoff_policy_fit_base, attempts, detail::ns(total, UINT64_MAX));
  }
  template <class Rep, class Period>
  result<policy> fit_cap(uint64_t attempts, std::chrono::duration<Rep, Period> total) const {
    return fit(backoff_policy_fit_cap, attempts, detail::ns(total, UINT64_MAX));
  }

 private:
  result<policy> fit(decltype(backoff_policy_fit_base) function, uint64_t attempts,
                     uint64_t total_ns) const {
    policy made;
    error failed;
    detail::ignore(function(&raw, attempts, total_ns, &made.raw, &failed.raw));
    return {made, failed};
  }
};
inline bool operator==(const policy &a, const policy &b) {
  return std::memcmp(&a.raw, &b.raw, sizeof a.raw) == 0;  // equal policies have equal bytes
}
inline bool operator!=(const policy &a, const policy &b) { return !(a == b); }

// The fields of a policy, set one after another:
//
//     auto policy = backoff::params()
//                       .set(BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_EXPONENTIAL)
//                       .set(BACKOFF_FIELD_BASE, std::chrono::milliseconds(100))
//                       .set(BACKOFF_FIELD_MULTIPLIER, backoff::ratio{8, 5})
//                       .build();
struct params {
  backoff_params raw = BACKOFF_PARAMS_INIT;
  // A count, the number of a kind, a duration or a ratio. Setting a field again replaces its value.
  params &set(backoff_field field, uint64_t value) {
    return noted(backoff_params_set(&raw, field, value));
  }
  template <class Rep, class Period>
  params &set(backoff_field field, std::chrono::duration<Rep, Period> value) {
    return set(field, detail::ns(value, UINT64_MAX));
  }
  params &set(backoff_field field, ratio value) {
    return noted(backoff_params_set_ratio(&raw, field, value.numerator, value.denominator));
  }
  // BACKOFF_FIELD_WAITS, the windows of BACKOFF_GROWTH_STEPS: 1 to BACKOFF_MAX_WAITS.
  params &set_waits(const std::vector<nanoseconds> &waits) {
    std::vector<uint64_t> ns;
    for (const nanoseconds wait : waits) ns.push_back(detail::ns(wait, UINT64_MAX));
    return noted(backoff_params_set_waits(&raw, ns.data(), ns.size()));
  }
  // As for policy::change.
  template <class T, class = detail::if_no_integer<T>>
  params &set(backoff_field field, T value) = delete;
  // Fails if a value was not one of its field, or breaks a rule (SPEC 8).
  result<policy> build() const {
    policy made;
    error failed = failed_;
    if (failed.code() == BACKOFF_OK) {
      detail::ignore(backoff_policy_init(&made.raw, &raw, &failed.raw));
    }
    return {made, failed};
  }

 private:
  error failed_ = error();
  params &noted(backoff_code code) {
    if (failed_.code() == BACKOFF_OK) failed_.raw.code = code;
    return *this;
  }
};

// The delays of a policy one after another. After max_retries of them next() returns false.
struct iter {
  backoff_iter raw;
  iter(const policy &policy, stream of) : raw() {
    detail::ignore(backoff_iter_init(&raw, &policy.raw, of.number));
  }
  bool next(nanoseconds &delay) {
    uint64_t delay_ns = 0;
    const bool is_one = backoff_iter_next_ns(&raw, &delay_ns) == BACKOFF_OK;
    if (is_one) delay = detail::time(delay_ns);
    return is_one;
  }
  // The index of the next delay.
  uint64_t index() const {
    uint64_t index = 0;
    backoff_iter_index(&raw, &index, nullptr);
    return index;
  }
  // Starts again at index 0, for use after a success. The delays do not repeat: the stream moves on.
  void reset() { backoff_iter_reset(&raw); }
};

// The range of the delay of one retry, and the totals up to it.
struct preview_row {
  nanoseconds min, mean, max, total_min, total_mean, total_max;
};

// The rows of a policy: `for (const auto &row : policy.preview(10))`.
class preview {
  backoff_preview start_ = backoff_preview();
  uint64_t most_;

 public:
  preview(const policy &policy, uint64_t most) : most_(most) {
    detail::ignore(backoff_preview_init(&start_, &policy.raw));
  }
  class iterator {
    backoff_preview raw_ = backoff_preview();
    preview_row row_ = preview_row();
    uint64_t left_ = 0;  // 0 at the end
    void read() {
      backoff_preview_row row = backoff_preview_row();
      if (left_ > 0 && backoff_preview_next(&raw_, &row) != BACKOFF_OK) left_ = 0;
      row_ = {detail::time(row.min_ns),       detail::time(row.mean_ns),
              detail::time(row.max_ns),       detail::time(row.total_min_ns),
              detail::time(row.total_mean_ns), detail::time(row.total_max_ns)};
    }

   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = preview_row;
    using difference_type = std::ptrdiff_t;
    using pointer = const preview_row *;
    using reference = const preview_row &;
    iterator() = default;
    iterator(const backoff_preview &start, uint64_t most) : raw_(start), left_(most) { read(); }
    reference operator*() const { return row_; }
    pointer operator->() const { return &row_; }
    iterator &operator++() {
      left_--;
      read();
      return *this;
    }
    iterator operator++(int) {
      const iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator &a, const iterator &b) { return a.left_ == b.left_; }
    friend bool operator!=(const iterator &a, const iterator &b) { return !(a == b); }
  };
  iterator begin() const { return {start_, most_}; }
  iterator end() const { return {}; }
};
inline preview policy::preview(uint64_t most) const { return {*this, most}; }

// 6. Budgets --------------------------------------------------------------------------------------

// What a budget has left: level / unit of at most max / unit tokens or retries (backoff_budget_level).
struct budget_level {
  uint64_t level, max, unit;
};

// A limit on the retries of many operations together. Do not move it while it is in use.
class budget : public detail::budget_fields {
  budget() = default;

 public:
  budget(budget &&from) noexcept : detail::budget_fields(from) { from.raw = backoff_budget(); }
  static result<budget> parse(text string) {
    budget made;
    error failed;
    detail::ignore(
        backoff_budget_parse(&made.raw, string.data(), string.size(), &failed.raw));
    return {std::move(made), failed};
  }
  // The name of the kind, such as "concurrent".
  const char *kind() const { return detail::budget_fields::kind(BACKOFF_FIELD_BUDGET); }
  // What is left at a time of the clock of its operations.
  result<budget_level> level(clock::time_point now = clock::now()) const {
    backoff_budget_level level = backoff_budget_level();
    const backoff_code code = backoff_budget_get_level(&raw, detail::ns(now), &level);
    return {{level.level, level.max, level.unit}, code};
  }
};

// What happens to the account of a budget (SPEC 15.6).
enum class budget_event : uint32_t {
  operation_began = 1, attempt_over, attempt_failed, retry_requested, operation_succeeded,
  operation_ended
};
inline const char *name(budget_event of) {
  return backoff_budget_event_name(backoff_budget_event_kind(of));
}
inline std::ostream &operator<<(std::ostream &out, budget_event of) { return out << name(of); }

// Whether a requested retry is granted, and what the operation then holds; and whether there is
// anything to store.
struct budget_answer {
  bool granted, changed;
  uint64_t held;
};

// The state of a budget as a value, whose text a store keeps for many processes (SPEC 15.5).
class budget_state
    : public detail::printed<backoff_budget_state, backoff_budget_state_print, BACKOFF_TEXT_SIZE> {
  budget_state() = default;

 public:
  static result<budget_state> full(const budget &of) {
    budget_state made;
    const backoff_code code = backoff_budget_state_full(&made.raw, &of.raw);
    return {made, code};
  }
  // From the text of a state of a budget with this configuration.
  static result<budget_state> parse(const budget &of, text string) {
    budget_state made;
    const backoff_code code =
        backoff_budget_state_parse(&made.raw, &of.raw, string.data(), string.size());
    return {made, code};
  }
  // Changes the state by an event at a time since any beginning, such as that of the store's clock.
  // `of` is the outcome of the attempt that would be retried, and `held` what the operation holds.
  template <class Rep, class Period>
  result<budget_answer> step(budget_event event, std::chrono::duration<Rep, Period> now,
                             outcome of = outcome::none, uint64_t held = 0) {
    backoff_budget_event given = backoff_budget_event();
    given.event = backoff_budget_event_kind(event);
    given.outcome = backoff_outcome(of);
    given.held = held;
    backoff_budget_answer answer = backoff_budget_answer();
    const backoff_code code = backoff_budget_state_step(&raw, &given, detail::ns(now), &answer);
    return {{answer.granted != 0, answer.changed != 0, answer.held}, code};
  }
};

// 7. Stats ----------------------------------------------------------------------------------------

// Counts of operations; printed in the Prometheus format.
struct retry_stats : detail::printed<backoff_stats, backoff_stats_print, BACKOFF_STATS_SIZE> {
  // Operations with at most `max_attempts` attempts, but more than the bucket before it.
  struct bucket {
    uint64_t max_attempts, count;
  };
  retry_stats() { backoff_stats_init(&raw); }
  uint64_t operations() const { return counts().operations; }
  uint64_t attempts() const { return counts().attempts; }
  uint64_t retries() const { return counts().retries; }
  // The operations that stopped for a reason.
  uint64_t stopped(reason of) const {
    uint64_t count = 0;
    detail::ignore(backoff_stats_stopped(&raw, backoff_reason(of), &count));
    return count;
  }
  std::vector<bucket> buckets() const {
    std::vector<bucket> all;
    bucket next = {0, 0};
    while (backoff_stats_bucket(&raw, all.size(), &next.max_attempts, &next.count) == BACKOFF_OK) {
      all.push_back(next);
    }
    return all;
  }
  // For a loop of your own: its calls, and why it stopped.
  void record(uint64_t attempts, reason of) {
    backoff_stats_record(&raw, attempts, backoff_reason(of));
  }
  void merge(const retry_stats &other) { backoff_stats_merge(&raw, &other.raw); }
  // The text with a prefix in place of `backoff`, and with labels on every line (SPEC 17.3). The values
  // may be any text in UTF-8. Fails with BACKOFF_ERROR_NOT_A_PREFIX or BACKOFF_ERROR_NOT_A_LABEL.
  result<std::string> to_text(
      text prefix, const std::vector<std::pair<std::string, std::string>> &labels = {}) const {
    std::vector<backoff_label> all;
    for (const auto &label : labels) {
      all.push_back({label.first.data(), label.first.size(), label.second.data(), label.second.size()});
    }
    const retry_stats now = copy();  // or the text could grow between the two calls
    uint64_t length = 0;
    backoff_stats_print_with(&now.raw, prefix.data(), prefix.size(), all.data(), all.size(), nullptr, 0,
                             &length);
    std::vector<char> buffer(length + 1);
    const backoff_code code =
        backoff_stats_print_with(&now.raw, prefix.data(), prefix.size(), all.data(), all.size(),
                                 buffer.data(), buffer.size(), nullptr);
    return {std::string(buffer.data(), length), code};
  }

 private:
  retry_stats copy() const {
    retry_stats made;
    made.merge(*this);
    return made;
  }
  backoff_stats_counts counts() const {
    backoff_stats_counts counts = backoff_stats_counts();
    detail::ignore(backoff_stats_read(&raw, &counts));
    return counts;
  }
};

// 8. Operations -----------------------------------------------------------------------------------

// What to do after an attempt: true is to wait for `delay` and to attempt again, false to stop. If a
// limit of time or the budget stopped the operation, `delay` is the wait that would have followed.
struct decision {
  backoff::reason reason;
  nanoseconds delay;
  explicit operator bool() const noexcept { return reason == backoff::reason::none; }
};

namespace detail {
inline nanoseconds time_or_max(uint64_t ns) {
  return ns == BACKOFF_NO_TIME ? (nanoseconds::max)() : time(ns);
}
inline nanoseconds time_left(const backoff_operation &of, uint64_t now) noexcept {
  uint64_t left = BACKOFF_NO_TIME;
  ignore(backoff_operation_time_left(&of, now, &left));
  return time_or_max(left);
}
}  // namespace detail

// The retries and attempts granted so far, or since an attempt that ran at least as long as `reset_after`, and why the
// operation stopped (backoff_operation_state).
struct operation_state {
  uint64_t retries, attempts;
  backoff::reason reason;
};

// A call that is attempted until it succeeds or has to stop. It decides and neither waits nor reads a
// clock, so it is for the loop of asio, Qt or libuv. What it is not told to stop it cancels when it is
// destroyed. Its budget has to outlive it.
class operation {
  backoff_budget *budget_ = nullptr;
  operation() = default;

 public:
  backoff_operation raw = backoff_operation();

  static result<operation> begin(const policy &policy, optional_stream of = {},
                                 clock::time_point now = clock::now(),
                                 clock::time_point deadline = no_deadline(),
                                 budget *budget = nullptr) {
    operation made;
    const result<stream> used = of.next();
    if (!used) return {std::move(made), used.error()};
    made.budget_ = budget ? &budget->raw : nullptr;
    const backoff_code code =
        backoff_operation_begin(&made.raw, &policy.raw, used.value().number, detail::ns(now),
                                detail::deadline_ns(deadline), made.budget_);
    return {std::move(made), code};
  }
  // An operation as it stands after `retries` waits, for a queue that stored their number (SPEC 13.7).
  static result<operation> resume(const policy &policy, stream of, uint64_t retries,
                                  clock::time_point began,
                                  clock::time_point deadline = no_deadline()) {
    operation made;
    const backoff_code code =
        backoff_operation_resume(&made.raw, &policy.raw, of.number, retries, detail::ns(began),
                                 detail::deadline_ns(deadline));
    return {std::move(made), code};
  }
  operation(const operation &) = delete;
  operation &operator=(const operation &) = delete;
  operation(operation &&from) noexcept : budget_(from.budget_), raw(from.raw) {
    from.raw = backoff_operation();
  }
  operation &operator=(operation &&from) noexcept {
    if (this == &from) return *this;
    cancel();
    budget_ = from.budget_;
    raw = from.raw;
    from.raw = backoff_operation();
    return *this;
  }
  ~operation() { cancel(); }

  // What to do after an attempt that ended with a verdict.
  result<decision> decide(const verdict &given, clock::time_point now = clock::now()) {
    backoff_decision next = backoff_decision();
    const backoff_code code =
        backoff_operation_decide(&raw, backoff_outcome(given.outcome), given.retry_after_ns,
                                 detail::ns(now), budget_, &next);
    return {{reason(next.reason), detail::time(next.delay_ns)}, code};
  }
  // The same with this delay in place of the one that the policy computes. Limits, a Retry-After and the
  // budget count as always.
  template <class Rep, class Period>
  result<decision> decide(const verdict &given, std::chrono::duration<Rep, Period> delay,
                          clock::time_point now = clock::now()) {
    backoff_decision next = backoff_decision();
    const backoff_code code = backoff_operation_decide_with_delay(
        &raw, backoff_outcome(given.outcome), detail::ns(delay), given.retry_after_ns,
        detail::ns(now), budget_, &next);
    return {{reason(next.reason), detail::time(next.delay_ns)}, code};
  }
  // The index of the delay that follows if the current attempt fails now.
  uint64_t retry_index(clock::time_point now = clock::now()) const noexcept {
    uint64_t index = 0;
    detail::ignore(backoff_operation_retry_index(&raw, detail::ns(now), &index));
    return index;
  }
  // How long an attempt that begins now may take, by the attempt_timeout of the policy (SPEC 13.10);
  // nanoseconds::max() without one.
  nanoseconds attempt_limit(clock::time_point now = clock::now()) const noexcept {
    uint64_t limit = BACKOFF_NO_TIME;
    detail::ignore(backoff_operation_attempt_limit(&raw, detail::ns(now), &limit));
    return detail::time_or_max(limit);
  }
  // How long an attempt that begins now has until its attempt_timeout, max_elapsed or the deadline ends:
  // 0 once that is over, and nanoseconds::max() if there is no such end.
  nanoseconds time_left(clock::time_point now = clock::now()) const noexcept {
    return detail::time_left(raw, detail::ns(now));
  }
  // Takes back the retry that was granted, for a budget that is kept elsewhere (SPEC 13.8).
  reason refuse_retry() noexcept {
    backoff_reason stopped = BACKOFF_REASON_NONE;
    backoff_operation_refuse_retry(&raw, budget_, &stopped);
    return reason(stopped);
  }
  // Stops the operation. Returns `cancelled`, or the earlier reason if it had stopped.
  reason cancel() noexcept {
    backoff_reason stopped = BACKOFF_REASON_NONE;
    backoff_operation_cancel(&raw, budget_, &stopped);
    return reason(stopped);
  }
  operation_state state() const noexcept {
    operation_state of = {0, 0, reason::none};
    backoff_reason stopped = BACKOFF_REASON_NONE;
    backoff_operation_state(&raw, &of.retries, &of.attempts, &stopped);
    of.reason = reason(stopped);
    return of;
  }
};

// 9. Loops ----------------------------------------------------------------------------------------

// The state of a loop before a wait, or at its end (backoff_loop_event).
struct event {
  uint64_t attempts;
  nanoseconds delay, elapsed;
  backoff::outcome outcome;
  backoff::reason reason;
  // Such as "gave up after 6 attempts: max_retries", or "attempt 2: timeout" before a wait.
  std::string to_string() const {
    const std::string count = std::to_string(attempts);
    if (reason == backoff::reason::none) return "attempt " + count + ": " + name(outcome);
    const std::string after = " after " + count + (attempts == 1 ? " attempt" : " attempts");
    if (reason == backoff::reason::success) return "succeeded" + after;
    return "gave up" + after + ": " + name(reason);
  }
  friend std::ostream &operator<<(std::ostream &out, const event &of) {
    return out << of.to_string();
  }
};

// What an attempt may know, as its parameter. A loop cannot interrupt an attempt: it keeps to `time_left`,
// and returns outcome::timeout if that was not enough.
struct attempt_info {
  uint64_t number;         // 1, 2, ...
  nanoseconds time_left;   // until attempt_timeout, max_elapsed or the deadline ends; max() without an end
  outcome last_outcome;    // of the attempt before; none at the first one
};

// What a loop need not be told. What a pointer points to has to outlive the loop.
struct options {
  // Of the delays. Each loop with these options waits for the same times, unless there is no stream.
  optional_stream stream = {};
  clock::time_point deadline = no_deadline();  // a time of the clock `now`
  backoff::budget *budget = nullptr;
  retry_stats *stats = nullptr;
  std::function<clock::time_point()> now = clock::now;
  std::function<void(nanoseconds)> sleep = std::this_thread::sleep_for<int64_t, std::nano>;
  std::function<bool()> cancelled = nullptr;
  std::function<void(const event &)> on_retry = nullptr, on_stop = nullptr;
  // Returns the delay in place of the one that the policy computes; below 0: that of the policy. `index` is
  // the number of the retries so far. Limits, a Retry-After and the budget count as always.
  std::function<nanoseconds(uint64_t index, outcome last)> delay = nullptr;
};

namespace detail {
template <class T> struct is_duration : std::false_type {};
template <class Rep, class Period>
struct is_duration<std::chrono::duration<Rep, Period>> : std::true_type {};
}  // namespace detail

// What an attempt returns that has a value: the value, which is a success; an outcome or a verdict,
// which is a failure; or a verdict and a value, such as the response of a server. A duration after an
// outcome is the time that the server asked to wait, unless T is a duration.
template <class T>
class attempt {
  static_assert(std::is_object<T>::value,
                "an attempt without a value returns a backoff::outcome or backoff::verdict; instead of "
                "a reference it returns a pointer");
  template <class U, class Plain = typename std::decay<U>::type>
  using is_value =
      typename std::conditional<std::is_same<Plain, attempt>::value ||
                                    std::is_convertible<Plain, backoff::verdict>::value,
                                std::false_type, std::is_convertible<U &&, T>>::type;
  template <class Wait>
  using if_retry_after = typename std::enable_if<
      !detail::is_duration<T>::value && (detail::is_duration<Wait>::value ||
                                         std::is_same<Wait, result<nanoseconds>>::value)>::type;

 public:
  backoff::verdict verdict;
  std::unique_ptr<T> value;

  template <class U = T, class = typename std::enable_if<is_value<U>::value>::type>
  attempt(U &&of) : verdict(outcome::success), value(new T(std::forward<U>(of))) {}
  attempt(outcome of) : verdict(of), value() {}
  attempt(const backoff::verdict &of) : verdict(of), value() {}
  template <class Wait, class = if_retry_after<Wait>>
  attempt(outcome of, const Wait &retry_after) : verdict(of, retry_after), value() {}
  attempt(const backoff::verdict &of, T with) : verdict(of), value(new T(std::move(with))) {}
};

// A loop that ended without a success, as an exception.
struct BACKOFF_VISIBLE retry_error : std::runtime_error {
  backoff::event event;
  explicit retry_error(const backoff::event &of) : runtime_error(of.to_string()), event(of) {}
};

// How a loop of attempts with values ended. It is true after a success, until it is moved.
template <class T>
class BACKOFF_NODISCARD retried {
  std::unique_ptr<T> last_;
  result<backoff::event> end_;
  void check() const {
    if (*this) return;
    const bool is_moved = event().reason == reason::success;
    if (is_moved) BACKOFF_THROW(exception(detail::error_of(BACKOFF_ERROR_UNINITIALIZED)));
    BACKOFF_THROW(retry_error(event()));
  }

 public:
  retried(std::unique_ptr<T> last, result<backoff::event> end)
      : last_(std::move(last)), end_(std::move(end)) {}
  explicit operator bool() const noexcept {
    return end_ && end_.value().reason == reason::success && last_;
  }
  // The value of the success. Throws a retry_error if there was none, and an exception for an error or
  // if the object was moved.
  const T &value() const & {
    check();
    return *last_;
  }
  // The value of the success, or `otherwise` (SPEC 18.8).
  T value_or(T otherwise) const & { return *this ? *last_ : std::move(otherwise); }
  T value_or(T otherwise) && { return *this ? std::move(*last_) : std::move(otherwise); }
  T &value() & {
    check();
    return *last_;
  }
  T value() && {
    check();
    return std::move(*last_);
  }
  // The value of the last attempt, also of a failure; null if it had none.
  const T *last() const & noexcept { return last_.get(); }
  const T *last() const && = delete;  // the value would be gone
  // How the loop ended. Throws an exception if there is an error.
  const backoff::event &event() const & { return end_.value(); }
  backoff::event event() const && { return end_.value(); }
  const backoff::error &error() const & noexcept { return end_.error(); }
  backoff::error error() const && noexcept { return end_.error(); }
  // The text of the error, or else of how the loop ended.
  std::string message() const {
    return end_ ? end_.value().to_string() : end_.error().to_string();
  }
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
  outcome last = outcome::none;
  bool has_thrown = false, is_in_hook = false;  // a sleep counts as a hook
  explicit loop(const options &of) : with(of) {}
  bool is_cancelled() const { return with.cancelled && with.cancelled(); }
  uint64_t now() const { return ns(with.now()); }
  nanoseconds elapsed(uint64_t now) const { return time(now > began ? now - began : 0); }
  attempt_info info() const { return {end.attempts, time_left(operation, now()), last}; }
  // The caller's delay after this outcome; below 0: that of the policy.
  nanoseconds delay(const policy &policy, outcome of, uint64_t now) {
    uint64_t index = 0;
    const bool is_retryable =
        of == outcome::transient || of == outcome::throttled || of == outcome::timeout;
    if (!with.delay || !is_retryable) return nanoseconds(-1);
    ignore(backoff_operation_retry_index(&operation, now, &index));
    if (index >= policy.max_retries()) return nanoseconds(-1);
    is_in_hook = true;
    const nanoseconds own = with.delay(index, of);
    is_in_hook = false;
    return own;
  }
  // Makes attempts until `end` or `failed` says how the loop ended.
  void run(const policy &policy, uint64_t stream, const std::function<verdict()> &attempt) {
    if (is_cancelled()) return;
    began = now();
    failed.raw.code = backoff_operation_begin(&operation, &policy.raw, stream, began,
                                              deadline_ns(with.deadline), budget);
    while (failed.code() == BACKOFF_OK) {
      end.attempts++;
      const verdict given = attempt();
      if (given.outcome != outcome::success && is_cancelled()) return;
      const uint64_t now = this->now();
      const nanoseconds own = delay(policy, given.outcome, now);
      const auto outcome = backoff_outcome(last = given.outcome);
      backoff_decision next = backoff_decision();
      failed.raw.code =
          own < nanoseconds(0)
              ? backoff_operation_decide(&operation, outcome, given.retry_after_ns, now, budget, &next)
              : backoff_operation_decide_with_delay(&operation, outcome, ns(own),
                                                    given.retry_after_ns, now, budget, &next);
      if (failed.code() != BACKOFF_OK) return;
      const event at = {end.attempts, time(next.delay_ns), elapsed(now), given.outcome,
                        reason(next.reason)};
      if (next.reason != BACKOFF_REASON_NONE) return void(end = at);
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
    const backoff_code code = backoff_operation_cancel(&operation, budget, nullptr);
    if (code == BACKOFF_ERROR_DAMAGED) failed.raw.code = code;
    if (with.stats) with.stats->record(end.attempts, end.reason);
    // pthread_cancel, which is no exception, cancels the loop like an attempt that throws.
    if (failed.code() != BACKOFF_OK || (is_in_hook && std::current_exception())) return;
    const bool is_late = end.reason == reason::cancelled && end.attempts > 0;
    // A clock that throws here hides neither the end nor the exception that ended the loop.
    BACKOFF_TRY(if (is_late) end.elapsed = elapsed(now()),
                report(); if (has_thrown && std::current_exception()) return)
    report();
  }
  void report() const {
    if (with.on_stop) with.on_stop(end);
  }
};

// `running` gets the loop, for attempts that want to know of it.
inline result<event> run(const policy &policy, const std::function<verdict()> &attempt,
                         const options &with, const loop **running) {
  if (!attempt || !with.now || !with.sleep) return {event(), BACKOFF_ERROR_NULL_POINTER};
  loop loop(with);
  if (running) *running = &loop;
  const result<stream> of = with.stream.next();
  const uint64_t number = of ? of.value().number : 0;
  const auto used = of ? policy : policy::parse("off").value();
  BACKOFF_TRY(loop.run(used, number, attempt), loop.has_thrown = true; loop.stop())
  loop.stop();
  if (!of && loop.end.reason == reason::max_retries) return {loop.end, of.error()};
  return {loop.end, loop.failed};
}

// What `retry` returns for an attempt that returns an R.
template <class R, class Plain = typename std::decay<R>::type>
struct ended {
  using type = result<event>;
  template <class Attempt>
  static type retry(const policy &policy, const Attempt &attempt, const options &with,
                    const loop **running = nullptr) {
    static_assert(std::is_convertible<const Attempt &, std::function<verdict()>>::value,
                  "an attempt returns a backoff::outcome, backoff::verdict or backoff::attempt");
    return detail::run(policy, attempt, with, running);
  }
};
template <class R, class T>
struct ended<R, attempt<T>> {
  using type = retried<T>;
  static std::unique_ptr<T> value_of(attempt<T> &&of) { return std::move(of.value); }
  // Of a reference, or of a constant.
  static std::unique_ptr<T> value_of(const attempt<T> &of) {
    return std::unique_ptr<T>(of.value ? new T(*of.value) : nullptr);
  }
  static type retry(const policy &policy, const std::function<R()> &attempt, const options &with,
                    const loop **running = nullptr) {
    std::unique_ptr<T> last;
    std::function<verdict()> call;
    if (attempt) call = [&]() -> verdict {
      R &&made = attempt();
      const verdict given = made.verdict;
      last = value_of(std::forward<R>(made));
      // A success without a value is a mistake, and no outcome.
      const bool is_wrong = given.outcome == outcome::success && !last;
      return is_wrong ? outcome::none : given;
    };
    result<event> end = detail::run(policy, call, with, running);
    return {std::move(last), std::move(end)};
  }
};

// Whether an attempt can be called without an argument.
template <class Attempt, class = void> struct is_plain : std::false_type {};
template <class Attempt>
struct is_plain<Attempt, decltype(void(std::declval<Attempt &>()()))> : std::true_type {};

// What an attempt returns that gets its attempt_info.
template <class Attempt, class = typename std::enable_if<!is_plain<Attempt>::value>::type>
using told = decltype(std::declval<Attempt &>()(std::declval<const attempt_info &>()));

}  // namespace detail

// Calls `attempt` until it succeeds or the loop has to stop, and returns how the loop ended: a
// result<event> for an attempt that returns an outcome or a verdict, which is true also after giving up;
// a retried<T> for an attempt<T>.
// An exception of `attempt` or of an option cancels the loop and is passed on; so `attempt` catches
// what is to be retried, and returns an outcome for it. No hook follows one of a hook or `sleep`.
// Without entropy the first attempt is the last, and the error of its failure BACKOFF_ERROR_NO_ENTROPY.
template <class Attempt>
auto retry(const policy &policy, const Attempt &attempt, const options &with = options()) ->
    typename detail::ended<decltype(std::declval<Attempt &>()())>::type {
  return detail::ended<decltype(std::declval<Attempt &>()())>::retry(policy, attempt, with);
}
// The same for an attempt with a parameter, its attempt_info.
template <class Attempt, class R = detail::told<Attempt>>
auto retry(const policy &policy, const Attempt &attempt, const options &with = options()) ->
    typename detail::ended<R>::type {
  const detail::loop *running = nullptr;
  const std::function<R(const attempt_info &)> informed(attempt);
  std::function<R()> call;
  if (informed) call = [&]() -> R { return informed(running->info()); };
  return detail::ended<R>::retry(policy, call, with, &running);
}

}  // namespace BACKOFF_MODE
}  // namespace backoff

#endif
