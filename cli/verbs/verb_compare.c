/* SPDX-License-Identifier: MIT */
/* supple compare: how far one motion is from another. */
#include <math.h>
#include <string.h>

#include "character/cli_character.h"
#include "character/tell_motion.h"
#include "formats.h"
#include "supple/app/example_files.h"
#include "supple/author/metrics.h"
#include "supple/geom/bounds.h"
#include "supple/geom/measure.h"
#include "supple/io/cache.h"

static const CliOption options[] = {
    {.name = "of",
     .kind = CLI_INPUT,
     .value_name = "IN.glb",
     .help = "give the character: for areas, height and plain skinning"},
    {.name = "clip",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "name the clip that both show, or @calibration, for the relative error (with --of)"},
    {.name = "quasistatic",
     .kind = CLI_INPUT,
     .value_name = "Q.pc2",
     .help = "give B without inertia, for the dynamic error",
     .advanced = true},
    {.name = "frames", .kind = CLI_FLAG, .help = "print a line per frame"},
    {.name = "fps",
     .kind = CLI_NUMBER,
     .value_name = "RATE",
     .help = "set the frames per second of files that do not say",
     .advanced = true,
     .low = 1,
     .high = 10000},
    CLI_SPACE_OPTIONS,
    CLI_CHARACTER_OPTIONS,
    {0}};

/* Everything that is compared, in one vertex order. */
typedef struct Motions {
  SupSamples a, b, quasistatic;
  const SupVec3 *skinning;
  SupMesh body; /* of the character, if it is known */
  float *weights;
  float height;
} Motions;

static SupResult load(CliContext *cli, const char *path, SupSamples *out, SupError *error) {
  cli_busy_begin(cli, path);
  SupResult result =
      sup_cache_load(cli->arena, path, (float)cli_number(cli->arguments, "fps"), out, error);
  cli_busy_end(cli);
  CliSpace space;
  if (result == SUP_OK) result = cli_space(cli->arguments, &space, error);
  if (result != SUP_OK || out->order != SUP_ORDER_UNKNOWN) return result;
  /* Other programs have other units and axes; what Supple wrote is in its own. */
  sup_positions_convert((SupVec3 *)(uintptr_t)out->positions,
                        (size_t)out->frame_count * out->vertex_count, space.scale, space.up,
                        SUP_UP_Y);
  return SUP_OK;
}

static SupResult check_alike(const char *name, const SupSamples *samples, const SupSamples *b,
                             SupError *error) {
  if (samples->frame_count != b->frame_count) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s has %u frames and the reference %u; bake both from the same clip and rate",
                    name, samples->frame_count, b->frame_count);
  }
  if (fabsf(samples->fps - b->fps) > 1e-3f * b->fps) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s has %g frames per second and the reference %g", name, (double)samples->fps,
                    (double)b->fps);
  }
  if (samples->vertex_count != b->vertex_count) {
    return sup_fail(
        error, SUP_ERROR_UNSUPPORTED,
        "%s has %u vertices and the reference %u; give the character with --of, so that "
        "they can be matched",
        name, samples->vertex_count, b->vertex_count);
  }
  return SUP_OK;
}

/* Brings samples into body order. */
static SupResult to_body(CliContext *cli, const char *name, const SupCharacter *character,
                         const SupVec3 *reference, SupSamples *io_samples, SupError *error) {
  SupMatch match;
  SupMatchDef def = {.reference = reference};
  SupResult result = sup_samples_match(cli->arena, character, io_samples, &def, &match, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", name);
    return result;
  }
  uint32_t count = character->body.vertex_count;
  SupVec3 *positions = SUP_ALLOC(cli->arena, SupVec3, (size_t)io_samples->frame_count * count);
  if (!positions) return sup_fail_memory(error, NULL);
  for (uint32_t i = 0; i < io_samples->frame_count; i++) {
    sup_positions_gather(io_samples->positions + (size_t)i * io_samples->vertex_count, match.source,
                         count, positions + (size_t)i * count);
  }
  if (!match.certain || match.kind == SUP_MATCH_POSITION) {
    bool sure = match.certain || cli_text(cli->arguments, "clip");
    cli_say(cli, "note: %s is %s%s\n", name, sup_match_text(&match),
            sure ? "" : "; give --clip, so that it can be checked");
  }
  io_samples->positions = positions;
  io_samples->vertex_count = count;
  io_samples->order = SUP_ORDER_BODY;
  return SUP_OK;
}

/* Plain skinning at the times of the samples. */
static SupResult play_skinning(CliContext *cli, const CliCharacter *source, Motions *m,
                               SupError *error) {
  const SupClip *clip;
  CliPlayer player;
  SupResult result =
      cli_named_clip(cli, source, cli_text(cli->arguments, "clip"), (double)m->b.fps, &clip, error);
  if (result == SUP_OK) {
    result =
        cli_player_create(cli, source->character, SUP_ORDER_BODY, CLI_SKINNING_LBS, &player, error);
  }
  if (result != SUP_OK) return result;
  const SupAppContext app = cli_app(cli);
  for (int k = 0; k < 2; k++) {
    const float fps = (float)cli_number(cli->arguments, "fps");
    sup_note_length(&app, cli->arguments->operands[k], fps, clip);
  }
  size_t count = source->character->body.vertex_count;
  SupVec3 *positions = SUP_ALLOC(cli->arena, SupVec3, m->b.frame_count * count);
  if (!positions) return sup_fail_memory(error, NULL);
  for (uint32_t i = 0; i < m->b.frame_count; i++) {
    float time = m->b.start + (float)i / m->b.fps;
    cli_player_sample(&player, clip, time, positions + i * count);
  }
  m->skinning = positions;
  return SUP_OK;
}

/* What the character adds: body order, areas, height, skinning. */
static SupResult use_character(CliContext *cli, const CliCharacter *source, Motions *m,
                               SupError *error) {
  const SupCharacter *character = source->character;
  const char *names[] = {cli->arguments->operands[0], cli->arguments->operands[1],
                         cli_text(cli->arguments, "quasistatic")};
  SupSamples *samples[] = {&m->a, &m->b, &m->quasistatic};
  const SupVec3 *rest;
  SupResult result = cli_rest_positions(cli, character, SUP_ORDER_BODY, &rest, error);
  if (result == SUP_OK && cli_text(cli->arguments, "clip")) {
    result = play_skinning(cli, source, m, error);
  }
  /* The first frame of skinning is nearest to what a cache of the same clip begins with. */
  const SupVec3 *reference = m->skinning ? m->skinning : rest;
  for (int k = 0; k < 3 && result == SUP_OK; k++) {
    if (samples[k]->frame_count) {
      result = to_body(cli, names[k], character, reference, samples[k], error);
    }
  }
  if (result != SUP_OK) return result;
  SupBounds box = sup_bounds(rest, character->body.vertex_count);
  m->height = box.high.y - box.low.y;
  uint32_t count = character->body.vertex_count;
  double *areas = SUP_ALLOC(cli->arena, double, count);
  m->weights = SUP_ALLOC(cli->arena, float, count);
  if (!areas || !m->weights) return sup_fail_memory(error, NULL);
  sup_vertex_areas(&character->body, SUP_AREA_BARYCENTRIC, areas);
  for (uint32_t v = 0; v < count; v++) m->weights[v] = (float)areas[v];
  m->body = character->body;
  m->body.positions = SUP_COPY(cli->arena, SupVec3, rest, count);
  m->body.triangles = SUP_COPY(cli->arena, uint32_t, character->body.triangles,
                               3 * (size_t)character->body.triangle_count);
  return m->body.positions && m->body.triangles ? SUP_OK : sup_fail_memory(error, NULL);
}

static SupResult gather(CliContext *cli, Motions *m, SupError *error) {
  const char *still = cli_text(cli->arguments, "quasistatic");
  const char *character = cli_text(cli->arguments, "of");
  if (!character && cli_text(cli->arguments, "clip")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--clip needs the character: add --of IN.glb");
  }
  double began = cli_seconds();
  SupResult result = load(cli, cli->arguments->operands[0], &m->a, error);
  if (result == SUP_OK) result = load(cli, cli->arguments->operands[1], &m->b, error);
  if (result == SUP_OK && still) result = load(cli, still, &m->quasistatic, error);
  cli_timing(cli, "read", began);
  if (result == SUP_OK && character) {
    CliCharacter source;
    result = cli_character_open(cli, character, &source, error);
    if (result != SUP_OK) return result;
    began = cli_seconds();
    result = use_character(cli, &source, m, error);
    cli_timing(cli, "match", began);
    cli_character_close(&source);
  }
  if (result == SUP_OK) result = check_alike(cli->arguments->operands[0], &m->a, &m->b, error);
  if (result == SUP_OK && still) result = check_alike(still, &m->quasistatic, &m->b, error);
  return result;
}

/* ---- Telling -------------------------------------------------------------------------------- */

#define SAME 0.005 /* of plain skinning's error: no difference that anybody would see */

/* How far A is from B, and whether that is nearer than plain skinning. */
static void say_distance(const CliContext *cli, const SupCompareReport *r) {
  const char *const *names = cli->arguments->operands;
  cli_say(cli, "distance: %s is %s from %s on average, %s at most\n", cli_shown(cli, names[0]),
          cli_length_text((double)r->rms).text, cli_shown(cli, names[1]),
          cli_length_text((double)r->worst).text);
  if (isnan(r->relative_error)) return;
  const double ratio = (double)r->relative_error;
  cli_say(cli, "gain: ");
  if (ratio < 1 - SAME) {
    cli_say(cli, "%.0f %% of the error of plain skinning is gone", 100 * (1 - ratio));
  } else if (ratio > 1 + SAME) {
    cli_say(cli, "none, it is farther away than plain skinning");
  } else {
    cli_say(cli, "none, it is as far away as plain skinning");
  }
  cli_say(cli, " (relative error %.2f)\n", ratio);
}

/* The same in the figures that papers print. */
static void say_figures(const CliContext *cli, const SupCompareReport *r) {
  cli_detail(cli, "  RMS distance %.3f %% of the height, velocity %s/s\n", (double)r->rms_percent,
             cli_length_text((double)r->velocity_rms).text);
  cli_detail(cli, "  maximum distance %.3f %%, at vertex %u in frame %u\n",
             (double)r->worst_percent, r->worst_vertex, r->worst_frame);
  if (!isnan(r->relative_error)) {
    cli_detail(cli, "  relative error %.4f of the skinning error\n", (double)r->relative_error);
  }
}

static void say(const CliContext *cli, const SupCompareReport *r, bool skinned) {
  say_distance(cli, r);
  if (!isnan(r->dynamic_error)) {
    cli_say(cli, "dynamic error: %.4f of the inertial motion\n", (double)r->dynamic_error);
  }
  say_figures(cli, r);
  const SupVibration *v = &r->vibration;
  const char *const *names = cli->arguments->operands;
  if (!skinned) return; /* the strongest motion would be the clip's own */
  if (!(v->clarity >= 1)) {
    cli_say(cli, "swing: no clear oscillation in %s\n", cli_shown(cli, names[1]));
    return;
  }
  cli_say(cli, "swing: %s swings by %s at %.1f Hz; %s: ", cli_shown(cli, names[1]),
          cli_length_text((double)v->amplitude).text, (double)v->frequency,
          cli_shown(cli, names[0]));
  if (v->amplitude_ratio < 0.005f) {
    cli_say(cli, "not at all\n");
  } else {
    cli_say_answer(cli, v);
    cli_detail(cli, ", pattern %.2f", (double)v->coherence);
    cli_say(cli, "\n");
  }
}

/* How much of the skin A folds, and plain skinning beside it. Only a character has a skin. */
static SupResult tell_folded_area(CliContext *cli, const Motions *m, SupError *error) {
  SupFoldedAreaDef def = {.body = &m->body,
                          .frame_count = m->b.frame_count,
                          .a = m->a.positions,
                          .b = m->b.positions,
                          .jobs = cli->jobs};
  SupFoldedAreaReport shown, plain = {0};
  if (!m->body.vertex_count) return SUP_OK;
  SupResult result = sup_folded_area(cli->arena, &def, &shown, NULL, error);
  def.a = m->skinning;
  if (result == SUP_OK && def.a) result = sup_folded_area(cli->arena, &def, &plain, NULL, error);
  if (result != SUP_OK) return result;
  const bool somewhere = shown.worst_vertex != SUP_NONE;
  cli_say(cli, "folds: at most %s %% of the skin", cli_percent_text((double)shown.worst).text);
  if (def.a) cli_say(cli, "; plain skinning %s %%", cli_percent_text((double)plain.worst).text);
  cli_say(cli, "\n");
  cli_detail(cli, "  folded area %.3f %% of the skin", 100 * (double)shown.worst);
  if (somewhere) {
    cli_detail(cli, " in frame %u, most at vertex %u", shown.worst_frame, shown.worst_vertex);
  }
  if (def.a) cli_detail(cli, "; plain skinning %.3f %%", 100 * (double)plain.worst);
  cli_detail(cli, "\n");
  cli_report_begin_object(cli->report, "folded_area");
  cli_report_float(cli->report, "worst", shown.worst);
  cli_report_float(cli->report, "mean", shown.mean);
  if (somewhere) cli_report_integer(cli->report, "worst_frame", shown.worst_frame);
  if (somewhere) cli_report_integer(cli->report, "worst_vertex", shown.worst_vertex);
  if (def.a) cli_report_float(cli->report, "skinning_worst", plain.worst);
  if (def.a) cli_report_float(cli->report, "skinning_mean", plain.mean);
  cli_report_end(cli->report);
  return SUP_OK;
}

/* The volume that A, B and plain skinning enclose, against rest. */
static SupResult tell_volume(CliContext *cli, const Motions *m, SupError *error) {
  const SupVec3 *motions[3] = {m->a.positions, m->b.positions, m->skinning};
  SupVolumeReport volumes[3];
  const SupVolumeReport *shown = &volumes[0], *reference = &volumes[1], *plain = &volumes[2];
  if (!m->body.vertex_count) return SUP_OK;
  for (int k = 0; k < 3; k++) {
    if (!motions[k]) continue;
    const SupVolumeDef def = {&m->body, m->b.frame_count, motions[k], cli->jobs};
    SupResult result = sup_volume_deviation(cli->arena, &def, &volumes[k], NULL, error);
    if (result != SUP_OK) return result;
  }
  cli_report_volume(cli->report, shown, reference, m->skinning ? plain : NULL);
  if (!shown->closed_count) {
    cli_say(cli, "volume: the skin has no closed piece, so it encloses none\n");
    return SUP_OK;
  }
  cli_say(cli, "volume: changes by %s %% at most; %s %s %%",
          cli_percent_text((double)shown->peak).text, cli_shown(cli, cli->arguments->operands[1]),
          cli_percent_text((double)reference->peak).text);
  if (m->skinning) {
    cli_say(cli, ", plain skinning %s %%", cli_percent_text((double)plain->peak).text);
  }
  cli_say(cli, "\n");
  cli_detail(cli, "  RMS %.3f %%; %.3f %%", 100 * (double)shown->rms, 100 * (double)reference->rms);
  if (m->skinning) cli_detail(cli, ", %.3f %%", 100 * (double)plain->rms);
  cli_detail(cli, "\n");
  if (shown->closed_count < shown->piece_count) {
    cli_say(cli, "note: %u of %u pieces of the skin are open; the volume leaves them out\n",
            shown->piece_count - shown->closed_count, shown->piece_count);
  }
  return SUP_OK;
}

static void report_all(CliReport *report, const SupCompareReport *r) {
  cli_report_float(report, "rms", r->rms);
  cli_report_float(report, "rms_percent", r->rms_percent);
  cli_report_float(report, "worst", r->worst);
  cli_report_float(report, "worst_percent", r->worst_percent);
  cli_report_integer(report, "worst_vertex", r->worst_vertex);
  cli_report_integer(report, "worst_frame", r->worst_frame);
  cli_report_float(report, "velocity_rms", r->velocity_rms);
  cli_report_float(report, "relative_error", r->relative_error);
  cli_report_float(report, "dynamic_error", r->dynamic_error);
  cli_report_float(report, "height", r->height);
  cli_report_vibration(report, &r->vibration);
}

static void tell_frames(CliContext *cli, uint32_t count, float fps, const SupFrameError *frames) {
  bool print = cli_flag(cli->arguments, "frames");
  if (print) cli_say(cli, "\nframe     time         rms       worst    skinning\n");
  cli_report_begin_array(cli->report, "frames");
  for (uint32_t i = 0; i < count; i++) {
    if (print) {
      cli_say(cli, "%5u %8.3f %11s %11s %11s\n", i, (double)((float)i / fps),
              cli_length_text((double)frames[i].rms).text,
              cli_length_text((double)frames[i].worst).text,
              cli_length_text((double)frames[i].skinning).text);
    }
    const double row[3] = {(double)frames[i].rms, (double)frames[i].worst,
                           (double)frames[i].skinning};
    cli_report_numbers(cli->report, NULL, row, 3);
  }
  cli_report_end(cli->report);
}

static SupResult run(CliContext *cli, SupError *error) {
  Motions m = {0};
  SupResult result = gather(cli, &m, error);
  if (result != SUP_OK) return result;
  SupCompareDef def = {.frame_count = m.b.frame_count,
                       .vertex_count = m.b.vertex_count,
                       .fps = m.b.fps,
                       .height = m.height,
                       .a = m.a.positions,
                       .b = m.b.positions,
                       .skinning = m.skinning,
                       .quasistatic = m.quasistatic.positions,
                       .vertex_weights = m.weights,
                       .jobs = cli->jobs};
  SupCompareReport report;
  SupFrameError *frames = SUP_ALLOC(cli->arena, SupFrameError, def.frame_count);
  if (!frames) return sup_fail_memory(error, NULL);
  double began = cli_seconds();
  result = sup_compare(cli->arena, &def, &report, frames, NULL, error);
  cli_timing(cli, "compare", began);
  if (result != SUP_OK) return result;
  /* Without skinning the strongest motion is the clip's own, not a vibration. */
  if (!m.skinning) report.vibration = (SupVibration){0};
  say(cli, &report, m.skinning != NULL);
  report_all(cli->report, &report);
  result = tell_folded_area(cli, &m, error);
  if (result == SUP_OK) result = tell_volume(cli, &m, error);
  if (result != SUP_OK) return result;
  tell_frames(cli, def.frame_count, def.fps, frames);
  return SUP_OK;
}

const CliVerb cli_verb_compare = {
    .name = "compare",
    .summary = "measure the difference between two motions",
    .usage = "A.pc2 B.pc2 [--of IN.glb [--clip NAME]] [options]",
    .details =
        "Measures how far A is from B, the reference. With --of, RMS errors are weighted by\n"
        "vertex area. The relative error is RMS(A - B) / RMS(skinning - B), the dynamic error\n"
        "RMS(A - B) / RMS(quasistatic - B), both over the whole clip. The folded area is the\n"
        "fraction of the skin, in the worst frame, at edges that A folds by more than 30\n"
        "degrees and more than B does. It compares motions of one mesh, not meshes: on a finer\n"
        "mesh the same crease covers a smaller fraction. The volume is what the closed pieces\n"
        "of the skin enclose, against rest. The vibration is the strongest clear oscillation\n"
        "of B about skinning, with A's amplitude and how late A is. --verbose prints the figures\n"
        "for experts.\n"
        "--units and --up-axis apply to caches from other programs.\n",
    .example =
        "supple play mochi.glb --clip jump --fps 30 -o jump.pc2\n"
        "supple simulate mochi.glb --clip jump --fps 30 --tets 1000 -o truth.pc2\n"
        "supple compare jump.pc2 truth.pc2 --of mochi.glb --clip jump",
    .options = options,
    .least_operands = 2,
    .most_operands = 2,
    .run = run,
};
