/* SPDX-License-Identifier: MIT */
/* supple add IN.glb -o OUT.glb: secondary motion on every clip, without questions. */
#include <math.h>

#include "build/build_kinds.h"
#include "character/play_as.h"
#include "formats.h"
#include "supple/app/add_character.h"
#include "tell_learned.h"

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
    CLI_CHARACTER_OPTIONS,
    {0}};

/* ---- Telling -------------------------------------------------------------------------------- */

typedef struct Summary {
  double seconds, moved, farthest, off, worst_off, frames;
  uint32_t loops;
  const char *liveliest; /* clip */
} Summary;

static Summary sum_up(const SupAddReport *r) {
  Summary s = {0};
  for (uint32_t k = 0; k < r->clip_count; k++) {
    const SupAddClip *c = &r->clips[k];
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

static void report_clips(CliReport *report, const SupAddReport *r) {
  cli_report_begin_array(report, "played");
  for (uint32_t k = 0; k < r->clip_count; k++) {
    const SupAddClip *c = &r->clips[k];
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

static void tell_measured(CliContext *cli, const SupAddReport *r) {
  const Summary s = sum_up(r);
  const uint32_t rest = r->clip_count - s.loops;
  cli_say(cli, "%u clip%s, %.1f s: %u loop%s without a jump, %u begin%s from rest\n", r->clip_count,
          r->clip_count == 1 ? "" : "s", s.seconds, s.loops, s.loops == 1 ? "s" : "", rest,
          rest == 1 ? "s" : "");
  const double per = r->size > 0 ? 100 / r->size : 0; /* percent of the size */
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
  cli_report_number(cli->report, "size", r->size);
  cli_report_number(cli->report, "moved_rms", s.moved);
  cli_report_number(cli->report, "moved_most", s.farthest);
  cli_report_number(cli->report, "export_rms", s.off);
  cli_report_number(cli->report, "export_worst", s.worst_off);
  cli_report_integer(cli->report, "loops", s.loops);
  report_clips(cli->report, r);
}

static void tell_parts(CliContext *cli, const SupCharacter *character, const SupSoftParts *parts) {
  const SupSkeleton *skeleton = &character->skeleton;
  if (parts->painted_count) {
    cli_say(cli, "%u painted maps of the file are used\n", parts->painted_count);
    cli_report_integer(cli->report, "painted_maps", parts->painted_count);
  }
  cli_say(cli, "soft: %.0f %% of the skin", 100 * parts->soft_area);
  cli_report_number(cli->report, "soft_area", parts->soft_area);
  cli_report_begin_array(cli->report, "softest_bones");
  for (uint32_t k = 0; k < parts->softest_count; k++) {
    const char *name = skeleton->names[parts->softest[k]];
    cli_say(cli, "%s %s", k ? "," : ", most of it on", cli_shown(cli, name));
    cli_report_text(cli->report, NULL, name);
  }
  cli_report_end(cli->report);
  cli_say(cli, "; flesh is up to %.3g cm deep\n", 100 * parts->deep);
}

static void tell_flesh(CliContext *cli, const SupAddReport *r) {
  if (r->as_it_is) {
    cli_say(cli, "the flesh that the file has is played (a --preset would replace it)\n");
    return;
  }
  cli_report_text(cli->report, "preset", r->preset.name);
  tell_parts(cli, r->character, &r->parts);
  if (r->filled) {
    cli_say(cli, "inside: %u vibrations of its volume, the slowest at %.2g Hz\n", r->mode_count,
            r->lowest_frequency);
    cli_report_integer(cli->report, "modes", r->mode_count);
    cli_report_number(cli->report, "lowest_frequency", r->lowest_frequency);
  } else if (*r->not_filled.text) {
    cli_say(cli, "its volume cannot swing as a whole: %s\n", r->not_filled.text);
  }
  cli_report_bool(cli->report, "filled", r->filled);
  cli_say(cli, "%s: a %s skin (%s)\n", r->filled ? "over it" : "only", r->preset.name,
          r->preset.summary);
  cli_tell_surface(cli, &r->surface);
}

/* As part of adding: what is said stands farther to the right. */
static void tell_learned(const CliContext *cli, const SupAddReport *r) {
  CliContext inner = *cli;
  if (!inner.hidden) inner.hidden = "";
  cli_report_begin_object(cli->report, "learn");
  cli_tell_learned(&inner, &r->learn, "learned");
  cli_report_end(cli->report);
}

static void tell(void *user, SupAddStage stage, const SupAddReport *r) {
  CliContext *cli = user;
  switch (stage) {
    case SUP_ADD_LEARNED: tell_learned(cli, r); break;
    case SUP_ADD_OPENED:
      if (r->repacked.vertex_count) cli_tell_surface(cli, &r->repacked);
      break;
    case SUP_ADD_FLESH: tell_flesh(cli, r); break;
    case SUP_ADD_LIVE:
      cli_say(cli, "%s: the living character\n", cli_text(cli->arguments, "live"));
      break;
    case SUP_ADD_BAKED:
      cli_tell_baked(cli, &r->baked, &r->bake);
      cli_say(cli, "%s: plays in any engine\n", cli_text(cli->arguments, "output"));
      break;
    case SUP_ADD_MEASURED: tell_measured(cli, r); break;
  }
}

/* ---- Doing ---------------------------------------------------------------------------------- */

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

static SupResult run(CliContext *cli, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  const SupAppContext app = cli_app(cli);
  SupAddDef def = sup_add_def();
  SupAddReport report;
  SupResult result = check(cli, error);
  if (result != SUP_OK) return result;
  def.open = cli_open_def(cli);
  def.learn = cli_flag(arguments, "learn");
  if (cli_count(arguments, "preset")) def.preset = cli_text(arguments, "preset");
  def.has_amount = cli_count(arguments, "amount") > 0;
  def.amount = cli_number(arguments, "amount");
  def.only = cli_names(cli, "only");
  def.except = cli_names(cli, "not");
  def.rebind = cli_flag(arguments, "rebind");
  def.clips = cli_names(cli, "clip");
  def.bake = cli_bake_def(arguments);
  def.bake.as_morphs = cli_integer(arguments, "as") != 0;
  def.live = cli_text(arguments, "live");
  def.stage = tell;
  def.user = cli;
  return sup_add_character(&app, arguments->operands[0], &def, cli_text(arguments, "output"),
                           &report, error);
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
