/* process_time.h - measures the processor time of another process, which that process cannot change. */
#ifndef SERVER_JOBS_PROCESS_TIME_H
#define SERVER_JOBS_PROCESS_TIME_H

#include <sys/types.h>

/* Returns the processor time that a process has used since its start [s]; -1 if the process does not exist. */
double process_time(pid_t pid);

#endif
