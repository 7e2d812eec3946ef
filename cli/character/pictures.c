/* SPDX-License-Identifier: MIT */
/* Pictures: options to definition, report to text. */
#include "character/pictures.h"

#include <string.h>

#include "character/play_as.h"
#include "formats.h"
#include "supple/app/example_files.h"

#define FASTEST 120      /* frames per second: more than screens show */
#define MOST_FRAMES 3000 /* of an animation: 100 s at its usual rate, some 20 MB */

SupResult cli_picture_check(const CliContext *cli, SupPictureKind kind, SupError *error) {
  static const char *const own[] = {"before", "after", "size", "azimuth", "elevation",
                                    "frames", "start", "end",  "slow"};
  const CliArguments *arguments = cli->arguments;
  const char *path = cli_text(arguments, "output");
  if (kind == SUP_PICTURE_NONE) {
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
      if (cli_count(arguments, own[k]) == 0) continue;
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--%s is for pictures; give the output a name that ends in .png or .webp",
                      own[k]);
    }
    SupCacheFormat cache;
    if (cli_integer(arguments, "as") != CLI_AS_CACHE || sup_cache_format(path, &cache))
      return SUP_OK;
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "%s: positions are written as .pc2 or .mdd, pictures as .png or .webp; give the "
        "output such a name%s",
        path, cli_output_gltf(path, "", NULL) ? "" : ", or --as helpers for a .glb");
  }
  if (cli_integer(arguments, "as") != CLI_AS_CACHE || cli_count(arguments, "order")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s is a picture, for which --%s has no meaning; leave it out", path,
                    cli_count(arguments, "order") ? "order" : "as");
  }
  static const char *const other[] = {"clips-from", "amplitude", "bars"};
  for (size_t k = 0; k < sizeof other / sizeof *other && cli_count(arguments, "before"); k++) {
    if (cli_count(arguments, other[k]) == 0) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--before shows the clip as its own file has it, so it cannot go with --%s; "
                    "leave one out",
                    other[k]);
  }
  if (cli_count(arguments, "before") && cli_count(arguments, "after")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "a picture has two figures: give --before or --after, not both");
  }
  if (kind == SUP_PICTURE_ANIMATION && cli_count(arguments, "frames")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--frames is for strips (.png); %s has all frames of the clip, --fps sets how "
                    "many",
                    path);
  }
  if (kind == SUP_PICTURE_STRIP && cli_count(arguments, "slow")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--slow is for animations (.webp); %s is a strip of frames", path);
  }
  if (cli_count(arguments, "end") &&
      !(cli_number(arguments, "end") > cli_number(arguments, "start"))) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--end %g: the picture begins at %g s; give a later time",
                    cli_number(arguments, "end"), cli_number(arguments, "start"));
  }
  if (kind == SUP_PICTURE_ANIMATION && cli_count(arguments, "fps") &&
      cli_number(arguments, "fps") > FASTEST) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--fps %g: an animation has at most %d frames per second",
                    cli_number(arguments, "fps"), FASTEST);
  }
  return SUP_OK;
}

/* ---- Caches ---------------------------------------------------------------------------------- */

typedef struct Cache {
  const SupCharacter *character;
  SupSamples samples; /* in body order */
  double fps, start;  /* of the picture */
} Cache;

static void show_cache(void *user, uint32_t frame, SupVec3 *out_positions) {
  const Cache *cache = user;
  const SupSamples *samples = &cache->samples;
  const SupRender *render = &cache->character->render;
  const double at = (cache->start + frame / cache->fps) * (double)samples->fps + 0.5;
  const uint32_t last = samples->frame_count - 1, shown = at < last ? (uint32_t)at : last;
  sup_positions_gather(samples->positions + (size_t)shown * samples->vertex_count, render->to_body,
                       render->vertex_count, out_positions);
}

SupResult cli_picture_cache(CliContext *cli, const CliCharacter *source, const SupClip *clip,
                            SupPictureDef *io_def, SupPictureFigure *out_figure, SupError *error) {
  const SupAppContext app = cli_app(cli);
  const char *path = cli_text(cli->arguments, "after");
  const SupNames paths = {1, &path}, clips = {1, &clip->name};
  Cache *cache = SUP_ALLOC(cli->arena, Cache, 1);
  SupExample *example;
  if (!cache) return sup_fail_memory(error, NULL);
  SupResult result = sup_read_examples(&app, source, &paths, &clips, 0, &example, error);
  if (result != SUP_OK) return result;
  *cache = (Cache){source->character, example->samples, io_def->fps, io_def->start};
  const double seconds = (cache->samples.frame_count - 1) / (double)cache->samples.fps;
  const double frames = 1 + (seconds - io_def->start) * io_def->fps;
  if (frames < 1) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--start %g: %s ends at %.4g s; give an earlier time", io_def->start, path,
                    seconds);
  }
  if (frames < io_def->frame_count) io_def->frame_count = (uint32_t)frames;
  const char *slash = strrchr(path, '/');
  *out_figure = (SupPictureFigure){slash ? slash + 1 : path, source, show_cache, cache};
  return SUP_OK;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

SupResult cli_picture_save(CliContext *cli, const SupPictureDef *motion, const char *clip,
                           const char *path, SupError *error) {
  const SupAppContext app = cli_app(cli);
  const CliArguments *arguments = cli->arguments;
  SupPictureDef def = *motion;
  SupPictureReport made;
  if (sup_picture_kind(path) == SUP_PICTURE_ANIMATION && def.frame_count > MOST_FRAMES) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "clip '%s' has %u frames at %g per second, an animation at most %d; give a "
                    "smaller --fps, or draw a strip (.png)",
                    clip, def.frame_count, def.fps, MOST_FRAMES);
  }
  def.columns = (uint32_t)cli_integer(arguments, "frames");
  def.size = (uint32_t)cli_integer(arguments, "size");
  def.slow = cli_number(arguments, "slow");
  def.azimuth = cli_number(arguments, "azimuth");
  def.elevation = cli_number(arguments, "elevation");
  SupResult result = sup_picture_save(&app, &def, path, &made, error);
  if (result != SUP_OK) return result;
  if (made.left_out) {
    cli_say(cli, "note: %u texture%s not a plain PNG; such parts are drawn in their base colour\n",
            made.left_out, made.left_out == 1 ? " is" : "s are");
  }
  cli_say(cli, "%s: %u frames, %u by %u pixels, %s%s -> %s\n", cli_shown(cli, clip),
          made.frame_count, made.width, made.height, cli_bytes_text(made.bytes).text,
          made.follows ? ", the camera follows" : "", path);
  CliReport *report = cli->report;
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "clip", clip);
  cli_report_text(report, "output", path);
  cli_report_integer(report, "frames", made.frame_count);
  cli_report_integer(report, "width", made.width);
  cli_report_integer(report, "height", made.height);
  cli_report_integer(report, "figures", def.figure_count);
  cli_report_hash(report, "pixels_hash", made.pixels_hash);
  cli_report_end(report);
  return SUP_OK;
}
