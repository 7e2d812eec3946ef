/* SPDX-License-Identifier: MIT */
/* supple add IN.glb -o OUT.glb: secondary motion on every clip, without questions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "add_flesh.h"
#include "add_play.h"
#include "build_kinds.h"
#include "formats.h"
#include "supple/io/file.h"

#define BASIS_FRAMES 150 /* that the weights of helpers are found from */

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "write the character with its motion, a .glb or .gltf for any engine",
     .required = true},
    {.name = "preset",
     .kind = CLI_CHOICE,
     .choices = cli_preset_names,
     .help = "choose the kind of flesh",
     .fallback = "soft"},
    {.name = "amount",
     .kind = CLI_NUMBER,
     .value_name = "FRACTION",
     .help = "set the amount of secondary motion; 0 is none",
     .otherwise = "1",
     .low = 0,
     .high = 1},
    {.name = "only",
     .kind = CLI_TEXT,
     .value_name = "BONE",
     .help = "move only the flesh of this bone and those below it",
     .repeated = true},
    {.name = "not",
     .kind = CLI_TEXT,
     .value_name = "BONE",
     .help = "leave out the flesh of this bone and those below it",
     .repeated = true},
    {.name = "learn",
     .kind = CLI_FLAG,
     .help = "simulate the flesh and learn from it first; takes minutes"},
    {.name = "as",
     .kind = CLI_CHOICE,
     .choices = cli_replay_names,
     .help = "choose what carries the motion, helper joints or morph targets",
     .fallback = "helpers"},
    CLI_BONES_OPTION,
    CLI_BAKED_OPTIONS,
    {.name = "clip",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "process only this clip",
     .otherwise = "all",
     .repeated = true},
    {.name = "live",
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "also write the character with its models and maps, for `view`, `paint` and `play`",
     .advanced = true},
    CLI_REBIND_OPTION,
    CLI_ACTOR_OPTIONS,
    {0}};

/* ---- Telling -------------------------------------------------------------------------------- */

typedef struct Summary {
  double seconds, moved, farthest, off, worst_off, frames;
  uint32_t loops;
  const char *liveliest; /* clip */
} Summary;

static Summary sum_up(const CliShow *show) {
  Summary s = {0};
  for (uint32_t k = 0; k < show->clip_count; k++) {
    const CliShowClip *c = &show->clips[k];
    const double frames = c->frame_count;
    s.seconds += (double)c->clip->duration;
    s.loops += c->loops;
    s.frames += frames;
    s.moved += frames * c->moved * c->moved;
    s.off += frames * c->off * c->off;
    if (c->farthest >= s.farthest) s.farthest = c->farthest, s.liveliest = c->clip->name;
    if (c->worst_off > s.worst_off) s.worst_off = c->worst_off;
  }
  s.moved = sqrt(s.moved / s.frames);
  s.off = sqrt(s.off / s.frames);
  return s;
}

static void report_clips(const CliShow *show) {
  CliReport *report = show->cli->report;
  cli_report_begin_array(report, "played");
  for (uint32_t k = 0; k < show->clip_count; k++) {
    const CliShowClip *c = &show->clips[k];
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "clip", c->clip->name);
    cli_report_integer(report, "frames", c->frame_count);
    cli_report_number(report, "fps", c->fps);
    cli_report_bool(report, "loops", c->loops);
    cli_report_number(report, "moved_rms", c->moved);
    cli_report_number(report, "moved_most", c->farthest);
    cli_report_number(report, "export_rms", c->off);
    cli_report_number(report, "export_worst", c->worst_off);
    cli_report_number(report, "frame_change", c->step);
    if (c->loops) cli_report_number(report, "loop_open", c->jump);
    cli_report_end(report);
  }
  cli_report_end(report);
}

static void tell(CliContext *cli, const CliShow *show, double size) {
  const Summary s = sum_up(show);
  cli_say(cli, "%u clip%s, %.1f s: %u loop%s without a jump, %u begin%s from rest\n",
          show->clip_count, show->clip_count == 1 ? "" : "s", s.seconds, s.loops,
          s.loops == 1 ? "s" : "", show->clip_count - s.loops,
          show->clip_count - s.loops == 1 ? "s" : "");
  const double per = size > 0 ? 100 / size : 0; /* percent of the size */
  cli_say(cli, "flesh leaves the skeleton's motion by %.2g %% of the size (%.3g mm) on average,\n",
          per * s.moved, 1e3 * s.moved);
  cli_say(cli, "  %.2g %% (%.3g mm) at most, in %s\n", per * s.farthest, 1e3 * s.farthest,
          cli_shown(cli, s.liveliest ? s.liveliest : "no clip"));
  cli_say(cli, "the file differs from the live result by %.2g %% (%.3g mm) on average,\n",
          per * s.off, 1e3 * s.off);
  cli_say(cli, "  %.2g %% (%.3g mm) at most\n", per * s.worst_off, 1e3 * s.worst_off);
  if (s.off > 0.5 * s.moved) {
    cli_say(cli, "most of the motion was lost on the way into the file; --live keeps all of it\n");
  }
  cli_report_number(cli->report, "size", size);
  cli_report_number(cli->report, "moved_rms", s.moved);
  cli_report_number(cli->report, "moved_most", s.farthest);
  cli_report_number(cli->report, "export_rms", s.off);
  cli_report_number(cli->report, "export_worst", s.worst_off);
  cli_report_integer(cli->report, "loops", s.loops);
  report_clips(show);
}

/* ---- Doing ---------------------------------------------------------------------------------- */

/* The character with its models, written for the page and for painting. */
static SupResult save_live(CliContext *cli, const CliActor *actor, const CliFlesh *flesh,
                           const char *path, SupError *error) {
  SupResult result = SUP_OK;
  if (flesh->maps.vertex_count) result = cli_surface_put_maps(cli, actor, &flesh->maps, error);
  if (result == SUP_OK) result = cli_models_put(actor, &flesh->models, error);
  if (result == SUP_OK) result = sup_gltf_save(actor->document, path, SUP_GLTF_BY_NAME, error);
  if (result == SUP_OK) cli_say(cli, "%s: the living character\n", path);
  return result;
}

/* `learn` first, into a file in a folder that goes again. The same document, the same limits. */
static SupResult learn(CliContext *cli, const char *folder, const char *path, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  static const char *const texts[] = {"character", "color-map"};
  char limit[32];
  const char *given[16] = {"-o", path, "--postures", "60", "--no-surface"};
  char *words[16];
  int count = 5;
  for (int k = 0; k < 2; k++) {
    if (!cli_count(arguments, texts[k])) continue;
    given[count++] = k ? "--color-map" : "--character";
    given[count++] = cli_text(arguments, texts[k]);
  }
  if (cli_count(arguments, "max-memory")) {
    snprintf(limit, sizeof limit, "%lld", (long long)cli_integer(arguments, "max-memory"));
    given[count++] = "--max-memory";
    given[count++] = limit;
  }
  if (cli_flag(arguments, "allow-external")) given[count++] = "--allow-external";
  given[count++] = "--";
  given[count++] = arguments->operands[0];
  for (int k = 0; k < count; k++) {
    words[k] = sup_arena_string(cli->arena, given[k], strlen(given[k]));
    if (!words[k]) return sup_fail_memory(error, NULL);
  }
  cli_say(cli, "learning from a simulation of its own, which takes a while ...\n");
  cli_report_begin_object(cli->report, "learn");
  SupResult result = cli_call(cli, folder, "learn", count, words, error);
  cli_report_end(cli->report);
  return result;
}

static SupResult check(CliContext *cli, SupError *error) {
  static const char *const names[] = {"output", "live"};
  for (int k = 0; k < 2; k++) {
    const char *path = cli_text(cli->arguments, names[k]);
    CliFormat format;
    if (!path) continue;
    SupResult result = cli_format(path, &format, error);
    if (result != SUP_OK) return result;
    if (format != CLI_FORMAT_GLTF) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "%s: --%s is a .glb or .gltf", path, names[k]);
    }
  }
  return SUP_OK;
}

/* Everything with an open character. */
static SupResult add(CliContext *cli, CliActor *actor, SupError *error) {
  const char *output = cli_text(cli->arguments, "output"), *live = cli_text(cli->arguments, "live");
  CliFlesh flesh;
  CliShow show;
  if (actor->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s has no skin that follows bones; bind it to a skeleton first", actor->path);
  }
  SupResult result = cli_add_flesh(cli, actor, &flesh, error);
  if (result == SUP_OK) result = cli_show_create(cli, actor, &flesh.models, &show, error);
  if (result == SUP_OK && live) {
    result = save_live(cli, actor, &flesh, live, error);
    cli_actor_close(actor); /* what was written into it does not belong into the output */
    if (result == SUP_OK) result = cli_gltf_open(cli, actor->path, &actor->document, error);
  }
  if (result != SUP_OK) return result;
  const CliBake bake = {.as = cli_integer(cli->arguments, "as") ? CLI_AS_MORPHS : CLI_AS_HELPERS,
                        .count = show.clip_count,
                        .motions = show.motions,
                        .basis_frames = BASIS_FRAMES};
  result = cli_bake_as(cli, actor, &bake, output, error);
  const double began = cli_seconds();
  if (result == SUP_OK) result = cli_show_measure(&show, actor, output, error);
  cli_timing(cli, "measure", began);
  if (result == SUP_OK) tell(cli, &show, show.size);
  return result;
}

static SupResult add_to(CliContext *cli, const char *path, SupError *error) {
  CliActor actor = {0};
  SupResult result = cli_actor_open(cli, path, &actor, error);
  if (result == SUP_OK) result = add(cli, &actor, error);
  cli_actor_close(&actor);
  return result;
}

static SupResult learn_and_add(CliContext *cli, SupError *error) {
  const char *output = cli_text(cli->arguments, "output");
  const size_t size = strlen(output) + 32;
  SupFolderWriter *writer;
  char *beside = SUP_ALLOC(cli->arena, char, size);
  if (!beside) return sup_fail_memory(error, NULL);
  sup_format(beside, size, "%s.supple-learned", output); /* nothing is ever written there */
  SupResult result = sup_folder_begin(cli->allocator, beside, "", &writer, error);
  if (result != SUP_OK) return result;
  const char *folder = sup_folder_path(writer);
  const size_t length = strlen(folder) + 2;
  char *hidden = SUP_ALLOC(cli->arena, char, length);
  char *path = SUP_ALLOC(cli->arena, char, length + 16);
  if (hidden && path) {
    sup_format(hidden, length, "%s/", folder);
    sup_format(path, length + 16, "%slearned.glb", hidden);
    result = learn(cli, hidden, path, error);
    if (result == SUP_OK) result = add_to(cli, path, error);
  } else {
    result = sup_fail_memory(error, NULL);
  }
  sup_folder_abandon(writer);
  return result;
}

static SupResult run(CliContext *cli, SupError *error) {
  const char *input = cli->arguments->operands[0];
  SupResult result = check(cli, error);
  if (result != SUP_OK || !cli_flag(cli->arguments, "learn")) {
    return result == SUP_OK ? add_to(cli, input, error) : result;
  }
  result = cli_add_refuse(cli, true, input, error);
  return result == SUP_OK ? learn_and_add(cli, error) : result;
}

const CliVerb cli_verb_add = {
    .name = "add",
    .summary = "add secondary motion to every clip of a character, for any engine",
    .usage = "IN.glb -o OUT.glb [options]",
    .details =
        "Finds where the flesh is soft (thick, away from bones, not a skull), gives it the\n"
        "vibrations of its volume under a soft skin, plays every clip through it, and writes\n"
        "the result as ordinary joints and keys (or morph targets). Nothing else in the file\n"
        "changes. Clips that end as they begin stay loops; others start from rest.\n"
        "\n"
        "Painted maps (lock, amount, ...) are used: paint them with `supple paint`, on the page\n"
        "of `supple view` or in Blender. If the file already has models, those are played.\n"
        "\n"
        "  supple add hero.glb --preset fat --not head -o hero_alive.glb\n",
    .example = "supple add mochi.glb --clip jump --bones 8 -o mochi-alive.glb",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
