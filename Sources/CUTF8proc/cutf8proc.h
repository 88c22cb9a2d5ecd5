#ifndef HUDDLE_CUTF8PROC_H
#define HUDDLE_CUTF8PROC_H

#include <stddef.h>
#include <utf8proc.h>

// <string.h> declares memmem only with _GNU_SOURCE, and a module's header cannot rely on being the first to include it.
extern void *memmem(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count);

/// Folds one character: compatibility decomposition, full case folding, no marks, no invisible characters, and one
/// character for all spaces, hyphens or single quotes. At most `room` code points; more (no character has more) count
/// as an error.
///
/// Returns their number, 0 for a mark; negative for a value that is not a Unicode scalar.
static inline ptrdiff_t cutf8proc_fold(utf8proc_int32_t character, utf8proc_int32_t *target, ptrdiff_t room) {
    // Initialised although nothing here breaks text into characters: the library always reads it.
    int boundary = 0;
    utf8proc_option_t options = (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD
        | UTF8PROC_IGNORE | UTF8PROC_STRIPMARK | UTF8PROC_LUMP);
    utf8proc_ssize_t count = utf8proc_decompose_char(character, target, room, options, &boundary);
    return count > room ? -1 : count;
}

#endif
