/* SPDX-License-Identifier: MIT */
/* supple patches IN.glb [--plan FILE.json] [-o OUT.json] */
#include <string.h>
#include <strings.h>

#include "character/cli_character.h"
#include "formats.h"
#include "supple/app/patch_character.h"
#include "supple/author/body_scale.h"
#include "supple/io/patch_file.h"

#define NAMES_SAID 3

static const char *const side_names[] = {"left", "right", NULL};

/* ---- Text ----------------------------------------------------------------------------------- */

static const char *feature_name(const SupPatchCharacter *p, uint32_t feature) {
  return p->plan.features[feature].name;
}

static void say_around(const CliContext *cli, const SupPatchCharacter *p) {
  if (!p->around) return;
  cli_say(cli,
          "note: boundaries take new ways between their features, since the old ones cross on "
          "this mesh\n");
}

static void say_moves(const CliContext *cli, const SupPatchCharacter *p, float scale) {
  const SupPatchFit *fit = &p->fit;
  if (fit->renumbered) {
    cli_say(cli, "note: %u features are at vertices with other numbers now\n", fit->renumbered);
  }
  if (fit->move_count == 0) return;
  cli_say(cli, "note: %u feature%s moved to the nearest place of the skin, by %s at most: ",
          fit->move_count, fit->move_count == 1 ? "" : "s",
          cli_length_text(fit->farthest * (double)scale).text);
  for (uint32_t k = 0; k < fit->move_count && k < NAMES_SAID; k++) {
    const SupPatchMove *move = &fit->moves[k];
    cli_say(cli, "%s%s by %s", k ? ", " : "", cli_shown(cli, move->name),
            cli_length_text(move->distance * (double)scale).text);
  }
  cli_say(cli, "%s\n", fit->move_count > NAMES_SAID ? ", ..." : "");
}

static void say_pieces(const CliContext *cli, const SupPatchCharacter *p) {
  uint32_t said = 0;
  for (uint32_t k = 0; k < p->piece_count; k++) {
    const SupPatchPiece *piece = &p->pieces[k];
    if (said++ == 0) cli_say(cli, "without patches: ");
    if (said > NAMES_SAID) {
      cli_say(cli, ", %u more pieces", p->piece_count - NAMES_SAID);
      break;
    }
    cli_say(cli, "%s%s (%s, %s %% of the skin)", said > 1 ? ", " : "", cli_shown(cli, piece->name),
            piece->reason, cli_percent_text(piece->area).text);
  }
  if (said) cli_say(cli, "\n");
}

static void say_areas(const CliContext *cli, const SupPatchCharacter *p) {
  double least = 1e300, most = 0, sum = 0;
  const SupPatches *patches = &p->patches;
  const char *names[2] = {"", ""};
  for (uint32_t k = 0; k < patches->patch_count; k++) {
    const double area = patches->patches[k].area / p->skin_area;
    sum += area;
    if (area < least) least = area, names[0] = patches->patches[k].name;
    if (area > most) most = area, names[1] = patches->patches[k].name;
  }
  if (patches->patch_count == 0) return;
  cli_say(cli, "areas: %s %% of the skin on average, ",
          cli_percent_text(sum / patches->patch_count).text);
  cli_say(cli, "from %s %% (%s) ", cli_percent_text(least).text, cli_shown(cli, names[0]));
  cli_say(cli, "to %s %% (%s)\n", cli_percent_text(most).text, cli_shown(cli, names[1]));
}

static void say_distortion(const CliContext *cli, const SupPatchCharacter *p) {
  const SupChartDistortion *d = &p->distortion;
  const SupPatch *patches = p->patches.patches;
  if (p->not_flat) cli_say(cli, "note: %s\n", p->not_flat);
  if (p->charts.patch_count == 0) return;
  cli_say(cli, "laid flat: distortion %.2f in angles and %.2f in areas on average (1: none), ",
          d->angles, d->areas);
  cli_say(cli, "worst %.3g (%s) and %.3g (%s)\n", d->angles_worst,
          cli_shown(cli, patches[p->angles_patch].name), d->areas_worst,
          cli_shown(cli, patches[p->areas_patch].name));
}

static void say_score(const CliContext *cli, const SupPatchCharacter *p) {
  const SupPatchesQuality *q = &p->quality;
  uint32_t worst = 0;
  if (q->patch_count == 0) return;
  for (uint32_t k = 1; k < q->patch_count; k++) {
    if (q->patches[k].score < q->patches[worst].score) worst = k;
  }
  cli_say(cli, "score: %.2f of 1 for shape and distortion; the lowest of a patch is %.2f (%s)\n",
          q->score, q->least_score, cli_shown(cli, p->patches.patches[worst].name));
}

static void detail_patch(const CliContext *cli, const SupPatchCharacter *p, uint32_t k) {
  const SupPatch *patch = &p->patches.patches[k];
  cli_detail(cli, "  %-32s %u sides %8.3f %% of the skin %6u triangles",
             cli_shown(cli, patch->name), patch->side_count, 100 * patch->area / p->skin_area,
             patch->triangle_count);
  if (k < p->charts.patch_count) {
    const SupPatchChart *chart = &p->charts.charts[k];
    cli_detail(cli, "  angles %5.2f areas %5.2f %s", chart->distortion.angles,
               chart->distortion.areas, sup_chart_weights_name(chart->weights));
  }
  cli_detail(cli, "  score %.2f", p->quality.patches[k].score);
  cli_detail(cli, "%s%s\n", *patch->zone ? "  " : "", cli_shown(cli, patch->zone));
}

static void say(const CliContext *cli, const SupPatchCharacter *p) {
  const SupPatches *patches = &p->patches;
  cli_say(cli, "patches: %u, with %u boundaries and %u features\n", patches->patch_count,
          p->def.boundary_count, p->def.feature_count);
  cli_say(cli, "skin: %s %% is in patches", cli_percent_text(p->covered).text);
  if (patches->left_out_count) {
    cli_say(cli, "; %u region%s left out", patches->left_out_count,
            patches->left_out_count == 1 ? " is" : "s are");
  }
  cli_say(cli, "\n");
  say_areas(cli, p);
  say_distortion(cli, p);
  say_score(cli, p);
  say_pieces(cli, p);
  cli_detail(cli, "Euler's number: %u - %u + %u = %d; that of the skin below is %d\n",
             p->def.feature_count, p->def.boundary_count, patches->patch_count, patches->euler,
             p->skin_euler);
  for (uint32_t k = 0; k < patches->patch_count; k++) detail_patch(cli, p, k);
}

/* ---- Report --------------------------------------------------------------------------------- */

static void report_features(CliReport *report, const SupPatchCharacter *p) {
  cli_report_begin_array(report, "features");
  for (uint32_t k = 0; k < p->def.feature_count; k++) {
    const SupPatchFeature *f = &p->def.features[k];
    const SupVec3d place = sup_skin_point_place(&p->def.mesh, f->at);
    const double position[3] = {place.x, place.y, place.z};
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "name", f->name);
    cli_report_integer(report, "vertex", f->at.t < 0.5 ? f->at.a : f->at.b);
    cli_report_numbers(report, "position", position, 3);
    cli_report_end(report);
  }
  cli_report_end(report);
}

static void report_boundaries(CliReport *report, const SupPatchCharacter *p) {
  cli_report_begin_array(report, "boundaries");
  for (uint32_t k = 0; k < p->def.boundary_count; k++) {
    const SupPatchBoundary *b = &p->def.boundaries[k];
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "name", b->name);
    cli_report_text(report, "from", feature_name(p, b->from));
    cli_report_text(report, "to", feature_name(p, b->to));
    cli_report_number(report, "length", b->path.length);
    cli_report_end(report);
  }
  cli_report_end(report);
}

static void report_chart(CliReport *report, const SupPatchChart *chart) {
  const SupChartDistortion *d = &chart->distortion;
  cli_report_text(report, "weights", sup_chart_weights_name(chart->weights));
  cli_report_integer(report, "flipped", chart->flipped_count);
  cli_report_number(report, "angles", d->angles);
  cli_report_number(report, "angles_worst", d->angles_worst);
  cli_report_number(report, "areas", d->areas);
  cli_report_number(report, "areas_worst", d->areas_worst);
}

static void report_quality(CliReport *report, const SupPatchQuality *q) {
  cli_report_number(report, "perimeter", q->perimeter);
  cli_report_number(report, "roundness", q->roundness);
  cli_report_number(report, "balance", q->balance);
  cli_report_number(report, "least_angle", q->least_angle);
  cli_report_number(report, "greatest_angle", q->greatest_angle);
  cli_report_number(report, "shape", q->shape);
  cli_report_number(report, "score", q->score);
}

static void report_patches(CliReport *report, const SupPatchCharacter *p) {
  cli_report_begin_array(report, "patches");
  for (uint32_t k = 0; k < p->patches.patch_count; k++) {
    const SupPatch *patch = &p->patches.patches[k];
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "name", patch->name);
    cli_report_text(report, "zone", patch->zone);
    cli_report_number(report, "area", patch->area);
    cli_report_integer(report, "triangles", patch->triangle_count);
    report_quality(report, &p->quality.patches[k]);
    if (k < p->charts.patch_count) report_chart(report, &p->charts.charts[k]);
    cli_report_begin_array(report, "sides");
    for (uint32_t s = 0; s < patch->side_count; s++) {
      cli_report_text(report, NULL, p->def.boundaries[patch->sides[s].boundary].name);
    }
    cli_report_end(report);
    cli_report_end(report);
  }
  cli_report_end(report);
}

static void report_rest(CliReport *report, const SupPatchCharacter *p) {
  cli_report_begin_array(report, "moved");
  for (uint32_t k = 0; k < p->fit.move_count; k++) {
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "name", p->fit.moves[k].name);
    cli_report_number(report, "distance", p->fit.moves[k].distance);
    cli_report_end(report);
  }
  cli_report_end(report);
  cli_report_integer(report, "renumbered", p->fit.renumbered);
  cli_report_begin_array(report, "pieces_without_patches");
  for (uint32_t k = 0; k < p->piece_count; k++) {
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "name", p->pieces[k].name);
    cli_report_text(report, "reason", p->pieces[k].reason);
    cli_report_number(report, "area", p->pieces[k].area);
    cli_report_end(report);
  }
  cli_report_end(report);
}

static void report_all(CliReport *report, const SupPatchCharacter *p) {
  cli_report_bool(report, "automatic", p->automatic);
  cli_report_bool(report, "new_ways", p->around);
  cli_report_integer(report, "feature_count", p->def.feature_count);
  cli_report_integer(report, "boundary_count", p->def.boundary_count);
  cli_report_integer(report, "patch_count", p->patches.patch_count);
  cli_report_integer(report, "euler", p->patches.euler);
  cli_report_integer(report, "skin_euler", p->skin_euler);
  cli_report_number(report, "skin_area", p->skin_area);
  cli_report_number(report, "covered", p->covered);
  cli_report_integer(report, "left_out_count", p->patches.left_out_count);
  cli_report_number(report, "left_out_area", p->patches.left_out_area);
  cli_report_number(report, "score", p->quality.score);
  cli_report_number(report, "least_score", p->quality.least_score);
  if (p->charts.patch_count) {
    cli_report_number(report, "angles", p->distortion.angles);
    cli_report_number(report, "areas", p->distortion.areas);
  } else if (p->not_flat) {
    cli_report_text(report, "not_flat", p->not_flat);
  }
  report_features(report, p);
  report_boundaries(report, p);
  report_patches(report, p);
  report_rest(report, p);
}

/* ---- What to do ----------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending) {
  const char *dot = strrchr(path, '.');
  return dot && strcasecmp(dot, ending) == 0;
}

static SupResult check_names(const CliContext *cli, SupError *error) {
  const char *output = cli_text(cli->arguments, "output"),
             *picture = cli_text(cli->arguments, "picture");
  if (output && !ends_in(output, ".json")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%s: a patch file is written as .json%s", output,
                    ends_in(output, ".png") ? "; --picture draws one" : "");
  }
  if (picture && !ends_in(picture, ".png")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%s: the picture is written as .png", picture);
  }
  if (cli_text(cli->arguments, "match-plan") && !cli_text(cli->arguments, "match")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--match-plan needs the other character: add --match OTHER.glb");
  }
  return SUP_OK;
}

/* Whether the patches correspond to those of another character, or of another file for this one. */
static SupResult match(CliContext *cli, const CliCharacter *source, const SupPatchCharacter *p,
                       SupError *error) {
  const SupAppContext app = cli_app(cli);
  const char *path = cli_text(cli->arguments, "match");
  SupPatchCharacterDef def = sup_patch_character_def();
  SupPatchCharacter other;
  CliCharacter target;
  SupResult result;
  if (ends_in(path, ".json")) {
    def.plan = path;
    result = sup_patch_character(&app, source, &def, &other, error);
    if (result == SUP_OK) {
      result = sup_patches_isomorphic(&p->def, &p->patches, &other.def, &other.patches, error);
    }
  } else {
    def.plan = cli_text(cli->arguments, "match-plan");
    result = cli_character_open_first(cli, path, &target, error);
    if (result != SUP_OK) return result;
    result = sup_patch_character(&app, &target, &def, &other, error);
    if (result == SUP_OK) {
      other.def.source = path;
      SupPatchesDef own = p->def;
      own.source = source->path;
      result = sup_patches_isomorphic(&own, &p->patches, &other.def, &other.patches, error);
    }
    cli_character_close(&target);
  }
  if (result != SUP_OK) return result;
  cli_say(cli, "match: all %u patches correspond to those of %s\n", p->patches.patch_count,
          cli_shown(cli, path));
  cli_report_bool(cli->report, "match", true);
  return SUP_OK;
}

static SupResult work(CliContext *cli, const CliCharacter *source, SupError *error) {
  const SupAppContext app = cli_app(cli);
  const char *output = cli_text(cli->arguments, "output"),
             *picture = cli_text(cli->arguments, "picture");
  SupPatchCharacterDef def = sup_patch_character_def();
  SupPatchCharacter p;
  def.plan = cli_text(cli->arguments, "plan");
  def.names = cli_text(cli->arguments, "names-from");
  if (cli_text(cli->arguments, "mirror")) {
    def.keep = cli_integer(cli->arguments, "mirror") ? SUP_SIDE_RIGHT : SUP_SIDE_LEFT;
  }
  SupResult result = sup_patch_character(&app, source, &def, &p, error);
  if (result != SUP_OK) return result;
  say(cli, &p);
  say_moves(cli, &p, sup_body_scale(source->character));
  say_around(cli, &p);
  report_all(cli->report, &p);
  if (cli_text(cli->arguments, "match")) result = match(cli, source, &p, error);
  if (result == SUP_OK && output) {
    result = sup_patch_file_write(cli->allocator, output, &p.plan, error);
  }
  if (result == SUP_OK && picture) {
    const uint32_t size = (uint32_t)cli_integer(cli->arguments, "size");
    result = sup_patch_picture(&app, &p, size, picture, error);
  }
  return result;
}

static SupResult run(CliContext *cli, SupError *error) {
  CliCharacter source;
  SupResult result = check_names(cli, error);
  if (result == SUP_OK) {
    result = cli_character_open(cli, cli->arguments->operands[0], &source, error);
  }
  if (result != SUP_OK) return result;
  result = work(cli, &source, error);
  cli_character_close(&source);
  return result;
}

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "write the patches as a .json that --plan reads"},
    {.name = "plan",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "read features, boundaries and patches from this .json",
     .otherwise = "found from the skeleton and skin weights"},
    {.name = "picture",
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "draw the patches from the front and from behind, a .png"},
    {.name = "mirror",
     .kind = CLI_CHOICE,
     .choices = side_names,
     .help = "keep the patches on this side and put their image on the other one"},
    {.name = "names-from",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "take names and zones of patches from this .json, by the names of boundaries",
     .advanced = true},
    {.name = "match",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "check that the patches correspond to those of this character or .json"},
    {.name = "match-plan",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "with --match: read the other character's patches from this .json",
     .advanced = true},
    {.name = "size",
     .kind = CLI_INTEGER,
     .value_name = "PIXELS",
     .help = "set the longer side of one view of the picture",
     .advanced = true,
     .fallback = "800",
     .low = 32,
     .high = 4096},
    CLI_CHARACTER_OPTIONS,
    {0},
};

const CliVerb cli_verb_patches = {
    .name = "patches",
    .summary = "take the skin of a character apart into patches",
    .usage = "IN.glb [--plan FILE.json] [-o OUT.json] [options]",
    .details =
        "Divides the skin into patches: pieces like sheets, with three corners or more, bounded\n"
        "by lines over the skin. Without --plan they are found from the skeleton and the skin\n"
        "weights; -o writes them as a file to edit, which --plan lays on the skin again, also\n"
        "after the mesh was edited: features move to the nearest place, and it says which.\n"
        "docs/formats.md has the keys of the file.\n"
        "\n"
        "  supple patches hero.glb --plan hero.patches.json --mirror left -o both.patches.json\n"
        "  supple patches hero.glb --match friend.glb\n",
    .example =
        "supple patches mochi.glb -o mochi.patches.json --picture patches.png\n"
        "supple patches mochi.glb --plan mochi.patches.json --mirror left",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
