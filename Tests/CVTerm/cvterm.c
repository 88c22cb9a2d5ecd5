#include "CVTerm.h"

#include <stdlib.h>
#include <string.h>
#include <vterm.h>

struct cvterm {
    VTerm *terminal;
    VTermScreen *screen;
    VTermState *state;
    bool shows_cursor, is_other_screen;
    long bells;
    char title[256];
    size_t title_count;
    uint8_t answers[4096];
    size_t answer_count;
};

const int cvterm_minor_version = VTERM_VERSION_MINOR;

static void append_title(cvterm *terminal, const char *octets, size_t count) {
    size_t room = sizeof terminal->title - 1 - terminal->title_count;
    if (count > room) count = room;
    memcpy(terminal->title + terminal->title_count, octets, count);
    terminal->title_count += count;
    terminal->title[terminal->title_count] = 0;
}

static int property_was_set(VTermProp property, VTermValue *value, void *user) {
    cvterm *terminal = user;
    switch (property) {
    case VTERM_PROP_CURSORVISIBLE: terminal->shows_cursor = value->boolean; break;
    case VTERM_PROP_ALTSCREEN: terminal->is_other_screen = value->boolean; break;
    case VTERM_PROP_TITLE:
#if VTERM_VERSION_MINOR >= 2
        if (value->string.initial) terminal->title_count = 0;
        append_title(terminal, value->string.str, value->string.len);
#else
        terminal->title_count = 0;
        append_title(terminal, value->string, strlen(value->string));
#endif
        break;
    default: break;
    }
    return 1;
}

static int bell_rang(void *user) {
    ((cvterm *)user)->bells++;
    return 1;
}

static void answered(const char *octets, size_t count, void *user) {
    cvterm *terminal = user;
    size_t room = sizeof terminal->answers - terminal->answer_count;
    if (count > room) count = room;
    memcpy(terminal->answers + terminal->answer_count, octets, count);
    terminal->answer_count += count;
}

static const VTermScreenCallbacks callbacks = {.settermprop = property_was_set, .bell = bell_rang};

cvterm *cvterm_new(int columns, int rows) {
    cvterm *terminal = calloc(1, sizeof *terminal);
    if (!terminal) return NULL;
    terminal->terminal = vterm_new(rows, columns);
    if (!terminal->terminal) {
        free(terminal);
        return NULL;
    }
    terminal->shows_cursor = true;
    vterm_set_utf8(terminal->terminal, 1);
    vterm_output_set_callback(terminal->terminal, answered, terminal);
    terminal->state = vterm_obtain_state(terminal->terminal);
    terminal->screen = vterm_obtain_screen(terminal->terminal);
    vterm_screen_set_callbacks(terminal->screen, &callbacks, terminal);
    vterm_screen_enable_altscreen(terminal->screen, 1);
    vterm_screen_reset(terminal->screen, 1);
    return terminal;
}

void cvterm_free(cvterm *terminal) {
    vterm_free(terminal->terminal);
    free(terminal);
}

void cvterm_write(cvterm *terminal, const uint8_t *octets, size_t count) {
    vterm_input_write(terminal->terminal, (const char *)octets, count);
}

void cvterm_resize(cvterm *terminal, int columns, int rows) {
    vterm_set_size(terminal->terminal, rows, columns);
}

static VTermScreenCell cell_at(const cvterm *terminal, int column, int row) {
    VTermScreenCell cell;
    memset(&cell, 0, sizeof cell);
    VTermPos place = {.row = row, .col = column};
    vterm_screen_get_cell(terminal->screen, place, &cell);
    return cell;
}

static int32_t number_of(const VTermColor *colour, bool is_default) {
    if (is_default) return -1;
    if (VTERM_COLOR_IS_INDEXED(colour)) return colour->indexed.idx;
    return 1 << 24 | colour->rgb.red << 16 | colour->rgb.green << 8 | colour->rgb.blue;
}

cvterm_cell cvterm_cell_at(const cvterm *terminal, int column, int row) {
    VTermScreenCell cell = cell_at(terminal, column, row);
    int count = 0;
    while (count < VTERM_MAX_CHARS_PER_CELL && cell.chars[count]) count++;
    return (cvterm_cell){
        .first = cell.chars[0], .count = count, .width = cell.width,
        .bold = cell.attrs.bold, .italic = cell.attrs.italic, .underline = cell.attrs.underline != 0,
        .reverse = cell.attrs.reverse, .strike = cell.attrs.strike,
        .foreground = number_of(&cell.fg, VTERM_COLOR_IS_DEFAULT_FG(&cell.fg)),
        .background = number_of(&cell.bg, VTERM_COLOR_IS_DEFAULT_BG(&cell.bg)),
    };
}

uint32_t cvterm_code_point_at(const cvterm *terminal, int column, int row, int index) {
    VTermScreenCell cell = cell_at(terminal, column, row);
    return index >= 0 && index < VTERM_MAX_CHARS_PER_CELL ? cell.chars[index] : 0;
}

static VTermPos cursor(const cvterm *terminal) {
    VTermPos place;
    vterm_state_get_cursorpos(terminal->state, &place);
    return place;
}

int cvterm_column(const cvterm *terminal) { return cursor(terminal).col; }
int cvterm_row(const cvterm *terminal) { return cursor(terminal).row; }
bool cvterm_shows_cursor(const cvterm *terminal) { return terminal->shows_cursor; }
bool cvterm_is_other_screen(const cvterm *terminal) { return terminal->is_other_screen; }
long cvterm_bells(const cvterm *terminal) { return terminal->bells; }
const char *cvterm_title(const cvterm *terminal) { return terminal->title; }

const uint8_t *cvterm_answers(const cvterm *terminal, size_t *count) {
    *count = terminal->answer_count;
    return terminal->answers;
}
