/* SPDX-License-Identifier: MIT */
/* supple build surface: a preset, or the maps that are there. */
#include <string.h>

#include "build/build_kinds.h"
#include "character/examples.h"
#include "formats.h"
#include "supple/author/body_scale.h"
#include "supple/author/thickness.h"

const char *const cli_preset_names[] = {"fat", "soft", "firm", "muscle", "jelly", NULL};

/* A number of the preset that the user replaces. */
static void replace(const CliContext *cli, const char *option, float *io_value, bool *io_changed) {
  if (!cli_count(cli->arguments, option)) return;
  *io_value = (float)cli_number(cli->arguments, option);
  *io_changed = true;
}

static bool choose_preset(const CliContext *cli, SupSurfacePreset *out_preset) {
  const char *name = cli_text(cli->arguments, "preset");
  bool chosen = cli_count(cli->arguments, "preset") > 0;
  *out_preset = *sup_surface_preset_find(name);
  replace(cli, "frequency", &out_preset->frequency, &chosen);
  replace(cli, "damping", &out_preset->damping, &chosen);
  replace(cli, "amount", &out_preset->amount, &chosen);
  replace(cli, "detail", &out_preset->detail, &chosen);
  replace(cli, "volume", &out_preset->volume, &chosen);
  replace(cli, "max-distance", &out_preset->max_distance, &chosen);
  return chosen;
}

/* What the names of bones were taken to mean. */
static void say_held(const CliContext *cli, const SupSkeleton *skeleton) {
  uint32_t count = 0, shown = 0;
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    count += sup_bone_freedom(skeleton, b) < 1;
  }
  if (!count) return;
  cli_say(cli, "kept firm, judging by their names:");
  cli_report_begin_array(cli->report, "held_bones");
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    const char *name = skeleton->names[skeleton->bone_joints[b]];
    const float freedom = sup_bone_freedom(skeleton, b);
    if (!(freedom < 1)) continue;
    cli_report_text(cli->report, NULL, name);
    if (++shown > 8) continue;
    cli_say(cli, "%s %s%s", shown > 1 ? "," : "", cli_shown(cli, name),
            freedom > 0 ? " (partly)" : "");
  }
  cli_report_end(cli->report);
  if (shown > 8) cli_say(cli, " and %u more", shown - 8);
  cli_say(cli, "\n");
}

static SupResult apply_preset(CliBuild *build, const SupSurfacePreset *preset, float h,
                              SupSurfaceMaps *io_maps, SupError *error) {
  CliContext *cli = build->cli;
  const SupCharacter *character = build->source.character;
  SupThicknessDef def = {.character = character, .jobs = cli->jobs};
  double began = cli_seconds();
  float *thickness = SUP_ALLOC(cli->arena, float, character->body.vertex_count);
  if (!thickness) return sup_fail_memory(error, NULL);
  SupResult result =
      sup_segments_create(cli->arena, character, &def.segments, &def.segment_count, error);
  if (result == SUP_OK) result = sup_thickness(cli->arena, &def, thickness, error);
  if (result != SUP_OK) return result;
  cli_timing(cli, "thickness", began);
  sup_surface_preset_apply(preset, character, thickness, h, io_maps);
  const float thick =
      sup_body_scale(character) * sup_area_quantile(&character->body, thickness, 0.9f);
  cli_say(cli, "flesh: %s, swings at %g Hz where it is %s thick, faster where it is thinner\n",
          preset->name, (double)preset->frequency, cli_length_text((double)thick).text);
  cli_detail(cli, "  damping ratio %g\n", (double)preset->damping);
  say_held(cli, &character->skeleton);
  cli_report_text(cli->report, "preset", preset->name);
  cli_report_float(cli->report, "frequency", preset->frequency);
  cli_report_float(cli->report, "damping_ratio", preset->damping);
  cli_report_float(cli->report, "thickness", thick);
  return SUP_OK;
}

/* Where no preset is named, what the file has is kept: painted maps, else its model. */
static SupResult keep_maps(CliBuild *build, bool chosen, SupSurfaceMaps *io_maps, bool *out_kept,
                           SupError *error) {
  CliContext *cli = build->cli;
  const SupModel *before = cli_models_find(&build->models, SUP_SURFACE_KIND);
  uint32_t painted;
  if (before) sup_surface_maps_of(before, io_maps);
  SupResult result =
      sup_surface_maps_read(cli->arena, build->source.character, io_maps, &painted, error);
  /* A lock by itself says nothing about flesh. */
  *out_kept = before != NULL || painted > (io_maps->lock ? 1u : 0u);
  if (result != SUP_OK || !*out_kept) return result;
  if (!chosen) {
    cli_say(cli, "from the maps in the file\n");
  } else {
    const char *name = cli_text(cli->arguments, "preset");
    const bool named = cli_count(cli->arguments, "preset") > 0;
    cli_say(cli, "note: the preset %s%s replaces the flesh that the file has%s\n", name,
            named ? "" : ", with your numbers,",
            named ? ", and what was painted on it, but for the lock"
                  : "; a file does not remember its preset: name it with --preset");
  }
  return result;
}

/* Flesh is learned or a preset's: what belongs to the other is refused. */
static SupResult check_sides(const CliContext *cli, bool learned, SupError *error) {
  static const char *const learning[] = {
      "clip",      "smooth",    "basis",          "velocities",       "gravity", "no-spokes",
      "no-detail", "no-amount", "cross-validate", "normal-stiffness", "delayed", "inertia-gain"};
  static const char *const presets[] = {"preset", "frequency",    "damping", "amount",     "detail",
                                        "volume", "max-distance", "rate",    "own-inertia"};
  const char *const *names = learned ? presets : learning;
  const size_t count =
      learned ? sizeof presets / sizeof *presets : sizeof learning / sizeof *learning;
  for (size_t k = 0; k < count; k++) {
    if (!cli_count(cli->arguments, names[k])) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    learned
                        ? "--%s is for flesh from a preset; leave it out, or leave out --example"
                        : "--%s is for learning; give --example X.pc2 as well",
                    names[k]);
  }
  return SUP_OK;
}

static SupResult make(CliBuild *build, SupError *error) {
  CliContext *cli = build->cli;
  const bool learned = cli_count(cli->arguments, "example") > 0;
  if (check_sides(cli, learned, error) != SUP_OK) return SUP_ERROR_ARGUMENT;
  if (learned) return cli_build_learned(build, error);
  const SupCharacter *character = build->source.character;
  const SupModel *before = cli_models_find(&build->models, SUP_SURFACE_KIND);
  SupSurfaceBuildDef def = sup_surface_build_def();
  SupSurfacePreset preset;
  SupSurfaceMaps maps;
  bool kept = false;
  const bool chosen = choose_preset(cli, &preset);
  if (before && !chosen) def.h = before->h, def.flags = sup_surface_view(before).flags;
  if (cli_count(cli->arguments, "rate")) def.h = 1 / (float)cli_number(cli->arguments, "rate");
  if (cli_flag(cli->arguments, "own-inertia")) def.flags |= SUP_SURFACE_OWN_INERTIA;
  if (cli_flag(cli->arguments, "literal")) def.flags |= SUP_SURFACE_ABSOLUTE;
  if (cli_flag(cli->arguments, "bone-rotation")) def.flags |= SUP_SURFACE_BONE_ROTATION;
  SupResult result =
      sup_surface_maps_create(cli->arena, character->body.vertex_count, &maps, error);
  if (result == SUP_OK) result = keep_maps(build, chosen, &maps, &kept, error);
  if (result == SUP_OK && (chosen || !kept)) {
    result = apply_preset(build, &preset, def.h, &maps, error);
  }
  if (result == SUP_OK) {
    result = cli_surface_build(cli, &build->source, &def, &maps, &build->model, error);
  }
  if (result == SUP_OK) result = cli_surface_put_maps(cli, &build->source, &maps, error);
  return result;
}

/* ---- The page -------------------------------------------------------------------------------- */

static const CliOption options[] = {
    {.name = "preset",
     .kind = CLI_CHOICE,
     .choices = cli_preset_names,
     .help = "choose the kind of flesh; without it, maps that the file has are kept",
     .fallback = "soft"},
    {.name = "frequency",
     .kind = CLI_NUMBER,
     .value_name = "HZ",
     .help = "set the natural frequency of the thickest flesh",
     .otherwise = "the preset's",
     .low = 0.2,
     .high = 9},
    {.name = "damping",
     .kind = CLI_NUMBER,
     .value_name = "RATIO",
     .help = "set the damping ratio: 0 never comes to rest, 1 does not oscillate",
     .otherwise = "the preset's",
     .low = 0.01,
     .high = 1},
    {.name = "amount",
     .kind = CLI_NUMBER,
     .value_name = "FRACTION",
     .help = "set the fraction of the inertia that flesh feels; 0 is plain skinning",
     .otherwise = "the preset's",
     .low = 0,
     .high = 1},
    CLI_EXAMPLE_OPTIONS,
    {.name = "detail",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "set how strongly the skin keeps its fine detail",
     .otherwise = "the preset's",
     .low = 0,
     .high = 1,
     .advanced = true},
    {.name = "volume",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "set how strongly the skin keeps its distance from the bones",
     .otherwise = "the preset's",
     .low = 0,
     .high = 1,
     .advanced = true},
    {.name = "max-distance",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "set the maximum distance from the skinned position, in local thicknesses",
     .otherwise = "the preset's",
     .low = 0.01,
     .high = 10,
     .advanced = true},
    {.name = "rate",
     .kind = CLI_NUMBER,
     .value_name = "HZ",
     .help = "set the steps per second of the simulation; it plays at any frame rate",
     .otherwise = "60",
     .low = 30,
     .high = 1000,
     .advanced = true},
    {.name = "own-inertia",
     .kind = CLI_FLAG,
     .help = "swing by itself also over helpers or modes, which then show inertia twice",
     .advanced = true},
    {.name = "bone-rotation",
     .kind = CLI_FLAG,
     .help = "rotate the skin's detail with the bones: cheaper, less lively",
     .advanced = true},
    {.name = "literal",
     .kind = CLI_FLAG,
     .help = "damp absolute velocities, as published, so that moving characters lag; with "
             "--example, also learn as published",
     .advanced = true},
    {.name = "smooth",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "with --example: set the smoothness between neighbours; 0 is none",
     .otherwise = "1",
     .low = 0,
     .high = 100,
     .advanced = true},
    {.name = "basis",
     .kind = CLI_INTEGER,
     .value_name = "K",
     .help = "with --example: fit K smooth patterns instead of a number per vertex; 0: per vertex",
     .fallback = "0",
     .low = 0,
     .high = 256,
     .advanced = true},
    {.name = "velocities",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "with --example: weigh velocities against positions",
     .fallback = "0",
     .low = 0,
     .high = 1000,
     .advanced = true},
    {.name = "gravity",
     .kind = CLI_NUMBER,
     .value_name = "M/S2",
     .help = "with --example: give the downward gravity that the examples were simulated with",
     .fallback = "0",
     .low = -1000,
     .high = 1000,
     .advanced = true},
    {.name = "no-spokes",
     .kind = CLI_FLAG,
     .help = "with --example: do not learn volume",
     .advanced = true},
    {.name = "no-detail",
     .kind = CLI_FLAG,
     .help = "with --example: do not learn detail",
     .advanced = true},
    {.name = "no-amount",
     .kind = CLI_FLAG,
     .help = "with --example: do not learn the amount; flesh feels all inertia, as published",
     .advanced = true},
    {.name = "normal-stiffness",
     .kind = CLI_FLAG,
     .help = "with --example: learn normal stiffness and drag apart from tangential ones",
     .advanced = true},
    {.name = "inertia-gain",
     .kind = CLI_NUMBER,
     .value_name = "FRACTION",
     .help = "with --example: set the inertia gain, the fraction of the learned inertia to keep",
     .otherwise = "what the examples explain",
     .low = 0.01,
     .high = 1,
     .advanced = true},
    {.name = "delayed",
     .kind = CLI_FLAG,
     .help = "with --example: delay the feed-forward by a step, for older readers of models",
     .advanced = true},
    {.name = "cross-validate",
     .kind = CLI_FLAG,
     .help = "with --example: choose smoothness and terms by leaving clips out; takes long",
     .advanced = true},
    {0},
};

static SupResult run(CliContext *cli, SupError *error) { return cli_build(cli, NULL, make, error); }

const CliVerb cli_kind_surface = {
    .name = "surface",
    .summary = "make flesh that lags, swings and settles, from a preset or from examples",
    .usage = "IN.glb [--preset NAME | --example X.pc2 --clip NAME] -o OUT.glb",
    .details =
        "Gives every vertex a stiffness and a damping. The presets are:\n"
        "  fat     heavy and slow, keeps rolling after every step\n"
        "  soft    the relaxed flesh of an ordinary body\n"
        "  firm    a trained body: small, quick, soon at rest\n"
        "  muscle  tight: quivers on impacts only\n"
        "  jelly   a cartoon: everything wobbles, for long\n"
        "With --example and --clip the numbers are learned from motion: a simulation's or a\n"
        "scan's. If the file has `modes` or `helpers`, a preset leaves the jiggle to them and\n"
        "only responds to contact, pulls and forces.\n",
    .example =
        "supple build surface mochi.glb --preset fat -o mochi-fat.glb\n"
        "supple make tube --vertices 494 -o tube.glb\n"
        "supple simulate tube.glb --clip bend --until 0.7 --tets 500 -o bend.pc2\n"
        "supple build surface tube.glb --example bend.pc2 --clip bend -o tube-learned.glb",
    .options = options,
    .run = run,
};
