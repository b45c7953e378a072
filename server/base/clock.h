/* clock.h - the two clocks of the service, in seconds. */
#ifndef SERVER_BASE_CLOCK_H
#define SERVER_BASE_CLOCK_H

/* Seconds since 1970: what users see. */
double srv_clock_wall(void);
/* Seconds of a clock that never jumps: deadlines and durations. */
double srv_clock_monotonic(void);

#endif
