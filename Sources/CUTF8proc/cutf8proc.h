#ifndef HUDDLE_CUTF8PROC_H
#define HUDDLE_CUTF8PROC_H

#include <stddef.h>
#include <utf8proc.h>

// <string.h> declares memmem for _GNU_SOURCE only, and a module's header cannot count on being the first to include it.
extern void *memmem(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count);

/// What one character comes to: compatibility decomposition, full case folding, no marks, no characters that nobody sees, and one
/// character for all spaces, hyphens or single quotes. At most `room` code points; more (there is none) counts as an error.
///
/// Returns how many there are, 0 for a mark; negative for what is no Unicode scalar value.
static inline ptrdiff_t cutf8proc_fold(utf8proc_int32_t character, utf8proc_int32_t *target, ptrdiff_t room) {
    // Initialised although nothing breaks characters here: the library reads it in any case.
    int boundary = 0;
    utf8proc_option_t options = (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD
        | UTF8PROC_IGNORE | UTF8PROC_STRIPMARK | UTF8PROC_LUMP);
    utf8proc_ssize_t count = utf8proc_decompose_char(character, target, room, options, &boundary);
    return count > room ? -1 : count;
}

#endif
