#pragma once
#include <stddef.h>

// The web client's files (Sources/WebClient/site), octet for octet, in the program itself.

/// One file: its path in the folder `site`, and its octets, which live as long as the program.
typedef struct {
    const char *path;
    const unsigned char *octets;
    size_t count;
} webclient_file;

/// All files, ordered by path; `*count` becomes their number.
const webclient_file *webclient_files(size_t *count);
