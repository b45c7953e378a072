/* digits.cpp - implements digits.h with std::to_chars() of the C++ library, which finds the shortest digits. */
#include <charconv>
#include <cmath>

extern "C" {
#include "api/base/digits.h"
}

/* Numbers from 1e-4 to 1e15 are written without an exponent, as by printf's %g with 15 digits. */
extern "C" int api_digits(double value, char *out) {
  const double size = std::fabs(value);
  const bool plain = value == 0 || (size >= 1e-4 && size < 1e15);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  return static_cast<int>(std::to_chars(out, out + API_DIGITS_MAX, value, format).ptr - out);
}
