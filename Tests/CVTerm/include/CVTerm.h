#ifndef HUDDLE_CVTERM_H
#define HUDDLE_CVTERM_H

// libvterm's screen without its bit fields, unions and macros, which Swift does not import.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A terminal of libvterm in UTF-8, with a second screen, and what it reported.
typedef struct cvterm cvterm;

/// One cell of the screen.
typedef struct {
    /// The first code point: 0 in a cell that nothing was written to, UINT32_MAX behind a wide character.
    uint32_t first;
    /// How many code points there are: at most 6.
    int count;
    /// 1 or 2 columns.
    int width;
    bool bold, italic, underline, reverse, strike;
    /// -1: the terminal's own; 0...255: a number of the palette; from 1 << 24 on: red, green and blue.
    int32_t foreground, background;
} cvterm_cell;

/// The minor version of libvterm that the target was compiled with; the major one is 0.
extern const int cvterm_minor_version;

/// Returns null when there is no memory.
cvterm *cvterm_new(int columns, int rows);
void cvterm_free(cvterm *terminal);

/// Feeds output of a program.
void cvterm_write(cvterm *terminal, const uint8_t *octets, size_t count);
void cvterm_resize(cvterm *terminal, int columns, int rows);

cvterm_cell cvterm_cell_at(const cvterm *terminal, int column, int row);
/// Code point number `index` of a cell; 0 when there are fewer.
uint32_t cvterm_code_point_at(const cvterm *terminal, int column, int row, int index);

int cvterm_column(const cvterm *terminal);
int cvterm_row(const cvterm *terminal);
bool cvterm_shows_cursor(const cvterm *terminal);
bool cvterm_is_other_screen(const cvterm *terminal);
long cvterm_bells(const cvterm *terminal);
/// The title that was set last, at most 255 octets of it; "" without one.
const char *cvterm_title(const cvterm *terminal);
/// All that the terminal answered: at most its first 4096 octets.
const uint8_t *cvterm_answers(const cvterm *terminal, size_t *count);

#endif
