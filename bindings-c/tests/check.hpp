// The checks of check.h for values of backoff.hpp.

#ifndef BACKOFF_CHECK_HPP
#define BACKOFF_CHECK_HPP

#include <backoff.hpp>

#include <sstream>
#include <string>

#include "check.h"

template <class T>
inline std::string printed(const T &value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

template <class T>
inline void ignore(const T &) {}

inline void check_equal(const char *id, const char *what, const std::string &got,
                        const std::string &want) {
  check_text(id, what, got.c_str(), want.c_str());
}

inline void check_equal(const char *id, const char *what, backoff::nanoseconds got, uint64_t want) {
  check_number(id, what, static_cast<uint64_t>(got.count()), want);
}

#if defined(__cpp_exceptions)
// What a function throws, if it throws the right type.
template <class Exception, class Function>
inline std::string thrown(Function function) {
  try {
    function();
  } catch (const Exception &exception) {
    return exception.what();
  }
  return "nothing";
}
#endif

#endif
