/* clock.h - the two clocks of the service, in seconds. */
#ifndef SRV_CLOCK_H
#define SRV_CLOCK_H

/* Seconds since 1970: what users see. */
double srv_clock_wall(void);
/* Seconds of a clock that never jumps: deadlines and durations. */
double srv_clock_monotonic(void);

#endif
