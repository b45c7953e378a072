/* process_memory.h - the memory of this process: how much it has, and how much it may have. */
#ifndef SERVER_JOBS_PROCESS_MEMORY_H
#define SERVER_JOBS_PROCESS_MEMORY_H

#include <stddef.h>

/* Opens what tells of it once and for all, as descriptor `place`, in a process that may open nothing later. */
void process_memory_keep(int place);
/* Address space that it has [bytes]; 0 where that cannot be told. */
size_t process_memory(void);
/* Holds it to so many bytes of address space; what is beyond is refused by the kernel. */
void process_memory_limit(size_t bytes);
/* Holds it to `bytes` more than it has, of which it may hold some already as memory that was freed. */
void process_memory_limit_growth(size_t bytes);

#endif
