/* process_memory.h - measures and limits the memory of this process. */
#ifndef SERVER_JOBS_PROCESS_MEMORY_H
#define SERVER_JOBS_PROCESS_MEMORY_H

#include <stddef.h>

/* Opens the file with the memory size once, as descriptor `place`, for a process that may not open files later. */
void process_memory_keep(int place);
/* Returns its address space [bytes]; 0 if unknown. */
size_t process_memory(void);
/* Limits the address space to `bytes`; the kernel refuses more. */
void process_memory_limit(size_t bytes);
/* Limits the address space to `bytes` more than now; freed memory that the process still holds counts as available. */
void process_memory_limit_growth(size_t bytes);

#endif
