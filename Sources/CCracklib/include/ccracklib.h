#pragma once
#include <stdbool.h>

// libcrack of Debian's libcrack2, loaded at its first use: a server without it runs all the same.

/// Whether the library and its dictionary are installed. Loads the library once; threads must not call this at the same time.
bool ccracklib_load(void);

/// Whether the library refuses a password of at most 1,023 octets before the zero. Requires `ccracklib_load`; the library has
/// static buffers, so threads must not call this at the same time.
bool ccracklib_knows(const char *password);
