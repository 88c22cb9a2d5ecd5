// Wraps the C library's allocator and counts its calls. glibc lets a program define these functions and keeps its own
// under __libc_… names (mallopt(3), "Replacing malloc" in the glibc manual); free needs no counting and stays the
// library's.
#include "CAllocations.h"
#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// In the program's own block, so that an access never allocates.
static _Thread_local uint64_t taken __attribute__((tls_model("initial-exec")));

uint64_t allocations_of_thread(void) { return taken; }

void *malloc(size_t size) {
    taken++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    taken++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    taken++;
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    taken++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || alignment & (alignment - 1)) return EINVAL;
    void *found = memalign(alignment, size);
    if (!found) return ENOMEM;
    *memory = found;
    return 0;
}
