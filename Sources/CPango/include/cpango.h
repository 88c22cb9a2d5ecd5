#ifndef HUDDLE_CPANGO_H
#define HUDDLE_CPANGO_H

#include <stdbool.h>

// Pages by cairo, texts on them by pango. Both are loaded at their first use: with their dependencies they would cost
// more of the program's start than anything else, and a machine without them only lacks the PDF. The functions that are
// used are declared here: the original headers include those of a whole desktop, and the names and numbers of the
// binary interfaces have not changed since cairo 1.16 and pango 1.16.

/// Loads both. Not for concurrent calls; no other function here except `cpango_paper` may be called unless it has
/// returned true.
bool cpango_load(void);

/// The paper size of this locale (`LC_PAPER`), in millimetres.
void cpango_paper(int *width, int *height);

typedef struct _cairo_surface cairo_surface_t;
typedef struct _cairo cairo_t;
typedef struct _PangoLayout PangoLayout;
typedef struct _PangoLayoutIter PangoLayoutIter;
typedef struct _PangoFontDescription PangoFontDescription;

/// - Returns: 0, or 11 (`CAIRO_STATUS_WRITE_ERROR`).
typedef int (*cpango_write)(void *context, const unsigned char *octets, unsigned int count);

enum { CPANGO_SCALE = 1024, CPANGO_TITLE = 0, CPANGO_CREATOR = 4, CPANGO_WRAP_WORD_CHAR = 2 };

// cairo: lengths are points (1/72 of an inch), status 0 is success.
cairo_surface_t *cpango_surface_create(cpango_write write, void *context, double width, double height);
/// Sets the size of the current page, which must be empty, and of later ones.
void cpango_surface_set_size(cairo_surface_t *surface, double width, double height);
void cpango_surface_set_metadata(cairo_surface_t *surface, int what, const char *text);
void cpango_surface_finish(cairo_surface_t *surface);
int cpango_surface_status(cairo_surface_t *surface);
void cpango_surface_destroy(cairo_surface_t *surface);
cairo_t *cpango_create(cairo_surface_t *surface);
void cpango_destroy(cairo_t *cairo);
void cpango_show_page(cairo_t *cairo);
void cpango_set_grey(cairo_t *cairo, double grey);
void cpango_draw_line(cairo_t *cairo, double x, double y, double to_x, double thickness);
void cpango_move_to(cairo_t *cairo, double x, double y);

// pango: lengths are points times CPANGO_SCALE.
PangoFontDescription *cpango_font_create(const char *name, double points);
void cpango_font_free(PangoFontDescription *font);
PangoLayout *cpango_layout_create(cairo_t *cairo, const PangoFontDescription *font, const char *text, int octets, int width);
void cpango_layout_free(PangoLayout *layout);
void cpango_layout_size(PangoLayout *layout, int *width, int *height);
int cpango_layout_unknown(PangoLayout *layout);
PangoLayoutIter *cpango_lines(PangoLayout *layout);
void cpango_lines_free(PangoLayoutIter *lines);
bool cpango_lines_next(PangoLayoutIter *lines);
/// The position of the line in its layout: its upper and lower end, its base line and its left end.
void cpango_line_place(PangoLayoutIter *lines, int *top, int *bottom, int *baseline, int *left);
/// Draws the line; its base line begins at the point of `cpango_move_to`.
void cpango_line_draw(cairo_t *cairo, PangoLayoutIter *lines);

#endif
