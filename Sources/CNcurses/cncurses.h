#ifndef HUDDLE_CNCURSES_H
#define HUDDLE_CNCURSES_H
// The facts about a terminal from ncursesw's terminfo level (terminfo(5), user_caps(5)). Its own cells are not used:
// they cannot hold an emoji of several code points, and take it to be as wide as the sum of its parts.
#include <stdint.h>
#include <stdlib.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
// Not <term.h>, whose macros take half of the alphabet as names; only these four functions are used.
extern int setupterm(const char *name, int descriptor, int *problem);
extern char *tigetstr(const char *name);
extern int tigetnum(const char *name);
extern char *tiparm(const char *text, ...);

/// Reads the description of a terminal; 0, or -1 if there is none.
static inline int cncurses_setup(const char *name, int descriptor) {
    int problem = 0;
    use_extended_names(TRUE);
    return setupterm(name, descriptor, &problem) == OK ? 0 : -1;
}

/// The text of a capability, or null if the terminal has none with this name. Valid until the next set-up.
static inline const char *cncurses_text(const char *name) {
    char *text = tigetstr(name);
    return text == (char *)(intptr_t)-1 ? NULL : text;
}

/// The number of a capability, negative if there is none.
static inline int cncurses_number(const char *name) {
    return tigetnum(name);
}

/// A text with two parameters filled in, as `cup` needs. Valid until the next call.
static inline const char *cncurses_fill(const char *text, int first, int second) {
    return tiparm(text, first, second);
}

#endif
