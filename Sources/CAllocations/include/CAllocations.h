#ifndef HUDDLE_CALLOCATIONS_H
#define HUDDLE_CALLOCATIONS_H
#include <stdint.h>

/// How often the calling thread has taken memory so far: malloc, calloc, realloc, aligned allocation. Of any program that links this.
uint64_t allocations_of_thread(void);
#endif
