/* SPDX-License-Identifier: MIT */
/* Pictures: options to definition, report to text. */
#include "character/pictures.h"

#include "character/play_as.h"
#include "formats.h"

#define FASTEST 120      /* frames per second: more than screens show */
#define MOST_FRAMES 3000 /* of an animation: 100 s at its usual rate, some 20 MB */

SupResult cli_picture_check(const CliContext *cli, SupPictureKind kind, SupError *error) {
  static const char *const own[] = {"before", "size", "azimuth", "elevation", "frames"};
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
        "output such a name",
        path);
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
  if (kind == SUP_PICTURE_ANIMATION && cli_count(arguments, "frames")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--frames is for strips (.png); %s has all frames of the clip, --fps sets how "
                    "many",
                    path);
  }
  if (kind == SUP_PICTURE_ANIMATION && cli_count(arguments, "fps") &&
      cli_number(arguments, "fps") > FASTEST) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--fps %g: an animation has at most %d frames per second",
                    cli_number(arguments, "fps"), FASTEST);
  }
  return SUP_OK;
}

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
