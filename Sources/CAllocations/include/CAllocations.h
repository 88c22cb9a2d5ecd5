#ifndef HUDDLE_CALLOCATIONS_H
#define HUDDLE_CALLOCATIONS_H
#include <stdint.h>

/// The number of allocations by the calling thread so far: malloc, calloc, realloc, aligned allocation. In any program
/// that links this.
uint64_t allocations_of_thread(void);
#endif
