#define _GNU_SOURCE
#include "cpango.h"

#include <dlfcn.h>
#include <langinfo.h>
#include <locale.h>
#include <stddef.h>
#include <stdint.h>

typedef struct { int x, y, width, height; } PangoRectangle;
typedef struct _PangoLayoutLine PangoLayoutLine;

static struct {
    cairo_surface_t *(*surface_create)(cpango_write, void *, double, double);
    void (*set_size)(cairo_surface_t *, double, double);
    void (*set_metadata)(cairo_surface_t *, int, const char *);
    void (*finish)(cairo_surface_t *);
    int (*status)(cairo_surface_t *);
    void (*surface_destroy)(cairo_surface_t *);
    cairo_t *(*create)(cairo_surface_t *);
    void (*destroy)(cairo_t *);
    void (*show_page)(cairo_t *);
    void (*set_rgb)(cairo_t *, double, double, double);
    void (*set_line_width)(cairo_t *, double);
    void (*move_to)(cairo_t *, double, double);
    void (*line_to)(cairo_t *, double, double);
    void (*stroke)(cairo_t *);
    PangoFontDescription *(*font_create)(const char *);
    void (*font_set_size)(PangoFontDescription *, double);
    void (*font_free)(PangoFontDescription *);
    PangoLayout *(*layout_create)(cairo_t *);
    void (*set_font)(PangoLayout *, const PangoFontDescription *);
    void (*set_text)(PangoLayout *, const char *, int);
    void (*set_width)(PangoLayout *, int);
    void (*set_wrap)(PangoLayout *, int);
    void (*get_size)(PangoLayout *, int *, int *);
    int (*unknown)(PangoLayout *);
    void (*unref)(void *);
    PangoLayoutIter *(*iter)(PangoLayout *);
    void (*iter_free)(PangoLayoutIter *);
    int (*iter_next)(PangoLayoutIter *);
    void (*iter_range)(PangoLayoutIter *, int *, int *);
    void (*iter_extents)(PangoLayoutIter *, PangoRectangle *, PangoRectangle *);
    int (*iter_baseline)(PangoLayoutIter *);
    PangoLayoutLine *(*iter_line)(PangoLayoutIter *);
    void (*show_line)(cairo_t *, PangoLayoutLine *);
} pango;

bool cpango_load(void) {
    // It is linked with pango, cairo and GObject, whose symbols it also gives access to.
    void *library = dlopen("libpangocairo-1.0.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    const struct { void *place; const char *name; } wanted[] = {
        { &pango.surface_create, "cairo_pdf_surface_create_for_stream" }, { &pango.set_metadata, "cairo_pdf_surface_set_metadata" },
        { &pango.set_size, "cairo_pdf_surface_set_size" },
        { &pango.finish, "cairo_surface_finish" }, { &pango.status, "cairo_surface_status" },
        { &pango.surface_destroy, "cairo_surface_destroy" }, { &pango.create, "cairo_create" }, { &pango.destroy, "cairo_destroy" },
        { &pango.show_page, "cairo_show_page" }, { &pango.set_rgb, "cairo_set_source_rgb" },
        { &pango.set_line_width, "cairo_set_line_width" }, { &pango.move_to, "cairo_move_to" }, { &pango.line_to, "cairo_line_to" },
        { &pango.stroke, "cairo_stroke" }, { &pango.font_create, "pango_font_description_from_string" },
        { &pango.font_set_size, "pango_font_description_set_absolute_size" }, { &pango.font_free, "pango_font_description_free" },
        { &pango.layout_create, "pango_cairo_create_layout" }, { &pango.set_font, "pango_layout_set_font_description" },
        { &pango.set_text, "pango_layout_set_text" }, { &pango.set_width, "pango_layout_set_width" },
        { &pango.set_wrap, "pango_layout_set_wrap" }, { &pango.get_size, "pango_layout_get_size" },
        { &pango.unknown, "pango_layout_get_unknown_glyphs_count" }, { &pango.unref, "g_object_unref" },
        { &pango.iter, "pango_layout_get_iter" }, { &pango.iter_free, "pango_layout_iter_free" },
        { &pango.iter_next, "pango_layout_iter_next_line" }, { &pango.iter_range, "pango_layout_iter_get_line_yrange" },
        { &pango.iter_extents, "pango_layout_iter_get_line_extents" }, { &pango.iter_baseline, "pango_layout_iter_get_baseline" },
        { &pango.iter_line, "pango_layout_iter_get_line_readonly" }, { &pango.show_line, "pango_cairo_show_layout_line" },
    };
    for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
        void *found = dlsym(library, wanted[index].name);
        if (!found) return false;
        // As in dlsym(3): C has no conversion from an object to a function.
        *(void **)wanted[index].place = found;
    }
    return true;
}

void cpango_paper(int *width, int *height) {
    // From the environment, regardless of the process's own locale; A4, as in the locale C, if that locale is not
    // installed.
    locale_t locale = newlocale(LC_PAPER_MASK, "", NULL);
    *width = 210;
    *height = 297;
    if (!locale) return;
    // Numbers that are returned as pointers: glibc, locale/langinfo.h.
    *width = (int)(intptr_t)nl_langinfo_l(_NL_PAPER_WIDTH, locale);
    *height = (int)(intptr_t)nl_langinfo_l(_NL_PAPER_HEIGHT, locale);
    freelocale(locale);
}

cairo_surface_t *cpango_surface_create(cpango_write write, void *context, double width, double height) {
    return pango.surface_create(write, context, width, height);
}
void cpango_surface_set_size(cairo_surface_t *surface, double width, double height) { pango.set_size(surface, width, height); }
void cpango_surface_set_metadata(cairo_surface_t *surface, int what, const char *text) { pango.set_metadata(surface, what, text); }
void cpango_surface_finish(cairo_surface_t *surface) { pango.finish(surface); }
int cpango_surface_status(cairo_surface_t *surface) { return pango.status(surface); }
void cpango_surface_destroy(cairo_surface_t *surface) { pango.surface_destroy(surface); }
cairo_t *cpango_create(cairo_surface_t *surface) { return pango.create(surface); }
void cpango_destroy(cairo_t *cairo) { pango.destroy(cairo); }
void cpango_show_page(cairo_t *cairo) { pango.show_page(cairo); }
void cpango_set_grey(cairo_t *cairo, double grey) { pango.set_rgb(cairo, grey, grey, grey); }
void cpango_draw_line(cairo_t *cairo, double x, double y, double to_x, double thickness) {
    pango.set_line_width(cairo, thickness);
    pango.move_to(cairo, x, y);
    pango.line_to(cairo, to_x, y);
    pango.stroke(cairo);
}
void cpango_move_to(cairo_t *cairo, double x, double y) { pango.move_to(cairo, x, y); }

PangoFontDescription *cpango_font_create(const char *name, double points) {
    PangoFontDescription *font = pango.font_create(name);
    pango.font_set_size(font, points * CPANGO_SCALE);
    return font;
}
void cpango_font_free(PangoFontDescription *font) { pango.font_free(font); }
PangoLayout *cpango_layout_create(cairo_t *cairo, const PangoFontDescription *font, const char *text, int octets, int width) {
    PangoLayout *layout = pango.layout_create(cairo);
    pango.set_font(layout, font);
    pango.set_wrap(layout, CPANGO_WRAP_WORD_CHAR);
    pango.set_width(layout, width);
    pango.set_text(layout, text, octets);
    return layout;
}
void cpango_layout_free(PangoLayout *layout) { pango.unref(layout); }
void cpango_layout_size(PangoLayout *layout, int *width, int *height) { pango.get_size(layout, width, height); }
int cpango_layout_unknown(PangoLayout *layout) { return pango.unknown(layout); }
PangoLayoutIter *cpango_lines(PangoLayout *layout) { return pango.iter(layout); }
void cpango_lines_free(PangoLayoutIter *lines) { pango.iter_free(lines); }
bool cpango_lines_next(PangoLayoutIter *lines) { return pango.iter_next(lines) != 0; }
void cpango_line_place(PangoLayoutIter *lines, int *top, int *bottom, int *baseline, int *left) {
    PangoRectangle logical;
    pango.iter_range(lines, top, bottom);
    pango.iter_extents(lines, NULL, &logical);
    *left = logical.x;
    *baseline = pango.iter_baseline(lines);
}
void cpango_line_draw(cairo_t *cairo, PangoLayoutIter *lines) { pango.show_line(cairo, pango.iter_line(lines)); }
