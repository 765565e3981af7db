// Two halves of one program: this file compiled with exceptions, and without (-fno-exceptions). Each
// has its own functions of backoff.hpp, although they have the same names.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

// As windows.h does.
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))

#include <backoff.hpp>

bool parses_in_the_other_half(const char *text);

#if !defined(__cpp_exceptions)

bool parses_in_the_other_half(const char *text) {
  return backoff::policy::parse(text).value().to_string() == text;
}

#else

// Without an argument both halves work. With one, the half without exceptions reads it.
int main(int count, char **arguments) {
  if (count > 1) return parses_in_the_other_half(arguments[1]);
  if (!parses_in_the_other_half("constant:base=1s")) return 1;
  try {
    return static_cast<int>(backoff::policy::parse("wrong").value().to_string().size());
  } catch (const backoff::exception &exception) {
    return exception.error.code() == BACKOFF_ERROR_UNKNOWN_HEAD ? 0 : 2;
  }
}

#endif
