/* close.h - an assertion about numbers; include after cmocka.h and math.h. */
#ifndef TESTS_SUPPORT_CLOSE_H
#define TESTS_SUPPORT_CLOSE_H

#define assert_close(value, wanted, tolerance)                                                               \
  do {                                                                                                       \
    double value_ = (value), wanted_ = (wanted);                                                             \
    if (!(fabs(value_ - wanted_) <= (tolerance)))                                                            \
      fail_msg("%s is %.15g, not %.15g (difference %.3g)", #value, value_, wanted_, fabs(value_ - wanted_)); \
  } while (0)

#endif
