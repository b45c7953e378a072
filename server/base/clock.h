/* clock.h - the two clocks of the service, in seconds. */
#ifndef SERVER_BASE_CLOCK_H
#define SERVER_BASE_CLOCK_H

/* Returns the seconds since 1970, for users. */
double srv_clock_wall(void);
/* Returns the seconds of a clock that never jumps, for deadlines and durations. */
double srv_clock_monotonic(void);

#endif
