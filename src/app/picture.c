/* SPDX-License-Identifier: MIT */
/* Pictures of a clip: views of figures put together, labelled and written. */
#include "supple/app/picture.h"

#include <string.h>
#include <strings.h>

#include "app/picture_parts.h"
#include "base/scratch.h"
#include "supple/io/file.h"

#define COOKIE 0x50494354u
#define MARGIN 0.08f       /* of a half view, around the motion */
#define GRID 0.5f          /* of the size: lines on the floor of a camera that follows */
#define TEXT_HEIGHT 0.031f /* of a view */
static const SupVec3 INK = {0.075f, 0.075f, 0.08f}, PALE_INK = {0.17f, 0.17f, 0.18f};

typedef struct Picture {
  const SupAppContext *app;
  const SupPictureDef *def;
  SupArena *arena;
  PictureFigure figures[SUP_PICTURE_FIGURES];
  PictureMotion motion;
  SupDrawDef draw;
  SupVec3 eye;         /* of frame 0 */
  uint32_t wide, high; /* of one view */
} Picture;

SupPictureKind sup_picture_kind(const char *path) {
  const char *ending = strrchr(path, '.');
  if (ending && strcasecmp(ending, ".png") == 0) return SUP_PICTURE_STRIP;
  if (ending && strcasecmp(ending, ".webp") == 0) return SUP_PICTURE_ANIMATION;
  return SUP_PICTURE_NONE;
}

SupPictureDef sup_picture_def(void) {
  return (SupPictureDef){.cookie = COOKIE,
                         .fps = 30,
                         .slow = 1,
                         .frame_count = 1,
                         .columns = 6,
                         .size = 400,
                         .azimuth = 32,
                         .elevation = 10,
                         .quality = 75};
}

/* Camera, floor, size of a view. */
static SupResult prepare(Picture *p, SupPictureReport *report, SupError *error) {
  const SupPictureDef *def = p->def;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < def->figure_count && result == SUP_OK; k++) {
    result =
        sup_picture_figure(p->arena, &def->figures[k], &p->figures[k], &report->left_out, error);
  }
  if (result == SUP_OK) {
    result = sup_picture_motion(p->app, p->arena, def, p->figures, &p->motion, error);
  }
  if (result != SUP_OK) return result;
  const float aspect = sup_picture_aspect(&p->motion), size = (float)def->size;
  p->wide = (uint32_t)(aspect < 1 ? aspect * size : size);
  p->high = (uint32_t)(aspect > 1 ? size / aspect : size);
  p->draw = sup_draw_def();
  p->draw.jobs = p->app->jobs;
  p->draw.floor = p->motion.floor;
  p->draw.grid = p->motion.follows ? GRID * p->motion.size : 0;
  p->draw.camera = sup_draw_fit(&p->motion.basis, p->motion.point_count, p->motion.points,
                                (float)p->wide / (float)p->high, MARGIN);
  p->eye = p->draw.camera.eye;
  report->follows = p->motion.follows;
  return SUP_OK;
}

/* Figure k as it is now, at frame i. */
static SupResult draw_view(Picture *p, uint32_t k, uint32_t i, SupImage image, SupError *error) {
  p->draw.camera.eye = sup_vec3_add(p->eye, p->motion.frames[i].path);
  return sup_draw(p->arena, &p->draw, &p->figures[k].mesh, image, error);
}

/* Small, but readable; text has a band of its own above and below the views. */
static float text_height(const Picture *p) {
  const float height = TEXT_HEIGHT * (float)p->def->size;
  return height > 9 ? height : 9;
}

static uint32_t band_height(const Picture *p) { return (uint32_t)(2.4f * text_height(p)); }

/* Whether any figure has a label. */
static bool has_labels(const SupPictureDef *def) {
  for (uint32_t k = 0; k < def->figure_count; k++) {
    if (def->figures[k].label) return true;
  }
  return false;
}

/* The view of figure k at (x, y) of the sheet, `label` above it unless it is NULL. */
static SupImage place_view(const Picture *p, SupImage sheet, const char *label, uint32_t x,
                           uint32_t y) {
  const uint32_t band = has_labels(p->def) ? band_height(p) : 0;
  const float height = text_height(p);
  const SupImage head = sup_image_part(sheet, x, y, p->wide, band);
  if (band) sup_image_fill(head, p->draw.top);
  if (label) sup_image_text(head, label, height, height, height, INK);
  return sup_image_part(sheet, x, y + band, p->wide, p->high);
}

static uint32_t row_height(const Picture *p) {
  return p->high + (has_labels(p->def) ? band_height(p) : 0);
}

/* The times of the columns, below them. */
static void write_time(const Picture *p, SupImage sheet, uint32_t column, uint32_t frame) {
  char time[32];
  const float height = text_height(p);
  const uint32_t band = band_height(p);
  const SupImage foot = sup_image_part(sheet, column * p->wide, sheet.height - band, p->wide, band);
  sup_format(time, sizeof time, "%.2f s", p->def->start + (double)frame / p->def->fps);
  sup_image_fill(foot, p->draw.bottom);
  sup_image_text(foot, time, 0.5f * ((float)p->wide - sup_image_text_width(time, height)),
                 0.5f * height, height, PALE_INK);
}

static SupResult draw_strip(Picture *p, const char *path, SupPictureReport *report,
                            SupError *error) {
  const SupPictureDef *def = p->def;
  const uint32_t columns = def->columns < def->frame_count ? def->columns : def->frame_count;
  SupImage sheet;
  SupResult result =
      sup_image_create(p->arena, columns * p->wide,
                       def->figure_count * row_height(p) + band_height(p), &sheet, error);
  uint32_t column = 0;
  for (uint32_t i = 0; i < def->frame_count && result == SUP_OK; i++) {
    const bool wanted =
        column < columns && sup_picture_column(def, &p->motion, columns, column) == i;
    for (uint32_t k = 0; k < def->figure_count && result == SUP_OK; k++) {
      sup_picture_play(&p->figures[k], i, wanted);
      if (!wanted) continue;
      const char *label = column == 0 ? def->figures[k].label : NULL;
      const SupImage view = place_view(p, sheet, label, column * p->wide, k * row_height(p));
      result = draw_view(p, k, i, view, error);
    }
    if (!wanted) continue;
    write_time(p, sheet, column, i);
    sup_app_progress(p->app, "drawing", ++column, columns);
  }
  if (result != SUP_OK) return result;
  report->width = sheet.width, report->height = sheet.height, report->frame_count = columns;
  report->pixels_hash = sup_hash(sheet.pixels, sheet.height * sheet.stride, 0);
  const uint8_t *data;
  result = sup_png_encode(p->arena, sheet, &data, &report->bytes, error);
  if (result != SUP_OK) return result;
  return sup_file_save(p->app->allocator, path, data, report->bytes, error);
}

/* All frames, side by side, into the animation. */
static SupResult draw_frames(Picture *p, SupImage sheet, SupWebpWriter *writer,
                             SupPictureReport *report, SupError *error) {
  const SupPictureDef *def = p->def;
  const double lasts = 1000.0 * def->slow / def->fps; /* milliseconds */
  SupResult result = SUP_OK;
  for (uint32_t i = 0; i < def->frame_count && result == SUP_OK; i++) {
    for (uint32_t k = 0; k < def->figure_count && result == SUP_OK; k++) {
      const SupImage view = place_view(p, sheet, def->figures[k].label, k * p->wide, 0);
      sup_picture_play(&p->figures[k], i, true);
      result = draw_view(p, k, i, view, error);
    }
    if (result != SUP_OK) return result;
    report->pixels_hash = sup_hash(sheet.pixels, sheet.height * sheet.stride, report->pixels_hash);
    result = sup_webp_add(writer, sheet, (uint32_t)(i * lasts + 0.5), error);
    sup_app_progress(p->app, "drawing", i + 1, def->frame_count);
  }
  return result;
}

static SupResult draw_animation(Picture *p, const char *path, SupPictureReport *report,
                                SupError *error) {
  const SupPictureDef *def = p->def;
  SupImage sheet;
  SupWebpWriter *writer;
  SupResult result =
      sup_image_create(p->arena, def->figure_count * p->wide, row_height(p), &sheet, error);
  if (result == SUP_OK) {
    result = sup_webp_begin(p->arena, sheet.width, sheet.height, def->quality, &writer, error);
  }
  if (result != SUP_OK) return result;
  report->width = sheet.width, report->height = sheet.height;
  report->frame_count = def->frame_count;
  const uint8_t *data = NULL;
  result = draw_frames(p, sheet, writer, report, error);
  const double lasts = 1000.0 * def->frame_count * def->slow / def->fps;
  const SupResult ended =
      sup_webp_end(writer, (uint32_t)lasts, result == SUP_OK ? &data : NULL, &report->bytes, error);
  if (result == SUP_OK) result = ended;
  if (result != SUP_OK) return result;
  return sup_file_save(p->app->allocator, path, data, report->bytes, error);
}

SupResult sup_picture_save(const SupAppContext *app, const SupPictureDef *def, const char *path,
                           SupPictureReport *out_report, SupError *error) {
  SupArena scratch = sup_scratch(app->arena);
  Picture p = {.app = app, .def = def, .arena = &scratch};
  SupPictureReport report = {0};
  const SupPictureKind kind = sup_picture_kind(path);
  SupResult result = SUP_OK;
  if (kind == SUP_PICTURE_ANIMATION && !sup_webp_available()) {
    SupWebpWriter *none;
    result = sup_webp_begin(&scratch, 1, 1, 0, &none, error); /* its sentence, before the work */
  }
  if (result == SUP_OK) result = prepare(&p, &report, error);
  if (result == SUP_OK) {
    result = kind == SUP_PICTURE_ANIMATION ? draw_animation(&p, path, &report, error)
                                           : draw_strip(&p, path, &report, error);
  }
  sup_arena_free(&scratch);
  if (result == SUP_OK) *out_report = report;
  return result;
}
