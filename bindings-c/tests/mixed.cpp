// Two halves of one program: this file compiled with exceptions, and without (-fno-exceptions). Each
// has its own functions of backoff.hpp, although they have the same names.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <ratio>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 201703L
#include <string_view>
#endif
#if defined(__unix__)
#include <unistd.h>
#endif

// As windows.h does.
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))

#include <backoff.hpp>

bool parses_in_the_other_half(const char *text);

// What only templates do, for the warnings of compilers.
template <class Duration>
inline bool fetches(Duration time) {
  const auto policy = backoff::params()
                          .set(BACKOFF_FIELD_GROWTH, BACKOFF_GROWTH_CONSTANT)
                          .set(BACKOFF_FIELD_BASE, time)
                          .set(BACKOFF_FIELD_MAX_RETRIES, 1)
                          .build().value();
  backoff::options options;
  options.deadline = backoff::after(time);
  options.sleep = [](backoff::nanoseconds) {};
  const std::map<std::string, std::string> fields = {{"Retry-After", "1"}};
  const auto fetch = [&]() -> backoff::attempt<std::string> {
    if (policy.fit_cap(1, time).error().code() != BACKOFF_OK) return "page";
    return backoff::http_verdict(503, backoff::header_fields(fields));
  };
  for (const auto &row : policy.change(BACKOFF_FIELD_CAP, time).value().preview(1)) {
    if (row.max != row.min) return true;
  }
  return !!backoff::retry(policy, fetch, options);
}

inline bool fetches_with_any_duration() {
  return fetches(std::chrono::seconds(1)) || fetches(std::chrono::duration<float>(1)) ||
         fetches(std::chrono::duration<unsigned>(1)) || fetches(std::chrono::duration<short>(1)) ||
         fetches(std::chrono::duration<long double, std::milli>(1)) ||
         fetches(std::chrono::duration<uint64_t, std::pico>(5000));
}

#if !defined(__cpp_exceptions)

bool parses_in_the_other_half(const char *text) {
  return backoff::policy::parse(text).value().to_string() == text && !fetches_with_any_duration();
}

#else

// Without an argument both halves work. With one, the half without exceptions reads it.
int main(int count, char **arguments) {
  if (count > 1) return parses_in_the_other_half(arguments[1]);
  if (fetches_with_any_duration() || !parses_in_the_other_half("constant:base=1s")) return 1;
  try {
    return static_cast<int>(backoff::policy::parse("wrong").value().to_string().size());
  } catch (const backoff::exception &exception) {
    return exception.error.code() == BACKOFF_ERROR_UNKNOWN_HEAD ? 0 : 2;
  }
}

#endif
