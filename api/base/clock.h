/* clock.h - the clock by which runs measure and limit their time. */
#ifndef API_BASE_CLOCK_H
#define API_BASE_CLOCK_H

/* Returns the time of the monotonic clock [s]. It has the type of the hook `now` of runs; the argument is not used. */
double api_now(void *context);

#endif
