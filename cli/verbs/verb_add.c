/* SPDX-License-Identifier: MIT */
/* supple add IN.glb -o OUT.glb: secondary motion on every clip, without questions. */
#include <math.h>

#include "build/build_kinds.h"
#include "character/locks.h"
#include "character/play_as.h"
#include "formats.h"
#include "simulate/sim_options.h"
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
     .help = "move only the flesh of this bone and those below it; 'arm*' names several",
     .repeated = true},
    CLI_LOCK_OPTIONS,
    CLI_UNITS_OPTION,
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
    {.name = "force",
     .kind = CLI_FLAG,
     .help = "add to a file whose motion was added before, on top of it",
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
    if (c->loops) cli_report_number(report, "clip_open", c->seam);
    cli_report_end(report);
  }
  cli_report_end(report);
}

static void tell_loops(const CliContext *cli, uint32_t count, uint32_t loops, double seconds) {
  cli_say(cli, "%u clip%s, %.1f s: ", count, count == 1 ? "" : "s", seconds);
  if (loops == count || loops == 0) {
    const char *all = count == 1 ? "it" : "all", *s = count == 1 ? "s" : "";
    cli_say(cli, loops ? "%s loop%s seamlessly\n" : "%s begin%s at rest\n", all, s);
  } else {
    cli_say(cli, "%u of them loop%s seamlessly, the other%s at rest\n", loops,
            loops == 1 ? "s" : "", count - loops == 1 ? " begins" : "s begin");
  }
}

/* Metres per unit of the scene. */
static double metres(const SupAddReport *r) { return r->flesh.unit > 0 ? r->flesh.unit : 1; }

static void tell_measured(CliContext *cli, const SupAddReport *r) {
  const Summary s = sum_up(r);
  tell_loops(cli, r->clip_count, s.loops, s.seconds);
  const double per = r->size > 0 ? 1 / r->size : 0; /* fraction of the size */
  cli_say(cli, "the flesh moves %s beyond the skeleton on average, %s at most, in %s\n",
          cli_length_text(metres(r) * s.moved).text, cli_length_text(metres(r) * s.farthest).text,
          cli_shown(cli, s.liveliest ? s.liveliest : "no clip"));
  cli_detail(cli, "  %s %% of the size on average (RMS), %s %% at most\n",
             cli_percent_text(per * s.moved).text, cli_percent_text(per * s.farthest).text);
  cli_detail(cli, "the file differs from the live result by %s on average, %s at most\n",
             cli_length_text(metres(r) * s.off).text,
             cli_length_text(metres(r) * s.worst_off).text);
  cli_detail(cli, "  %s %% of the size on average (RMS), %s %% at most\n",
             cli_percent_text(per * s.off).text, cli_percent_text(per * s.worst_off).text);
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

static void tell_parts(CliContext *cli, const SupAddReport *r) {
  const SupSkeleton *skeleton = &r->character->skeleton;
  const SupSoftParts *parts = &r->parts;
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
  cli_say(cli, "; flesh is up to %s deep\n", cli_length_text(metres(r) * parts->deep).text);
}

static void tell_flesh(CliContext *cli, const SupAddReport *r) {
  if (r->as_it_is) {
    cli_say(cli, "the flesh that the file has is played (a --preset would replace it)\n");
    return;
  }
  cli_report_text(cli->report, "preset", r->preset.name);
  cli_report_flesh(cli->report, &r->flesh);
  tell_parts(cli, r);
  if (r->filled) {
    cli_say(cli, "flesh: %s (%s), swings at %.2g Hz", r->preset.name, r->preset.summary,
            r->lowest_frequency);
    if (r->flesh.frequency > 0) {
      cli_say(cli, ", chosen for a body of %s", cli_length_text(r->flesh.size).text);
    }
    cli_say(cli, "\n");
    cli_detail(cli, "  %u vibration modes of its volume, this is the lowest\n", r->mode_count);
    cli_report_integer(cli->report, "modes", r->mode_count);
    cli_report_number(cli->report, "lowest_frequency", r->lowest_frequency);
  } else if (*r->not_filled.text) {
    cli_say(cli, "its volume cannot swing as a whole: %s\n", r->not_filled.text);
  }
  if (!r->filled) {
    cli_say(cli, "flesh: %s (%s), of the skin alone\n", r->preset.name, r->preset.summary);
  }
  cli_report_bool(cli->report, "filled", r->filled);
  cli_tell_surface(cli, &r->surface);
}

/* As part of adding: what is said stands farther to the right. */
static void tell_learned(const CliContext *cli, const SupAddReport *r) {
  CliContext inner = *cli;
  if (!inner.hidden) inner.hidden = "";
  cli_report_begin_object(cli->report, "learn");
  cli_tell_learned(&inner, &r->learn, "time");
  cli_report_end(cli->report);
}

static void tell_live(CliContext *cli, const SupAddReport *r) {
  const char *live = cli_text(cli->arguments, "live");
  if (live) cli_say(cli, "%s: the living character\n", live);
  if (!r->still) return;
  cli_say(cli,
          "%s has no clips, so there is no motion to write into joints and keys.\n"
          "%s: has a live model instead, which moves with whatever moves its skeleton:\n"
          "  `supple view` shows it, and libsupple plays it in your engine\n",
          cli->arguments->operands[0], cli_text(cli->arguments, "output"));
  cli_report_bool(cli->report, "live", true);
}

static void tell(void *user, SupAddStage stage, const SupAddReport *r) {
  CliContext *cli = user;
  switch (stage) {
    case SUP_ADD_LOCKED:
      cli_say_hard(cli, &r->hard);
      cli_report_hard(cli->report, &r->hard);
      break;
    case SUP_ADD_LEARNED: tell_learned(cli, r); break;
    case SUP_ADD_OPENED:
      if (r->repacked.vertex_count) cli_tell_surface(cli, &r->repacked);
      break;
    case SUP_ADD_FLESH: tell_flesh(cli, r); break;
    case SUP_ADD_LIVE: tell_live(cli, r); break;
    case SUP_ADD_UNCHANGED:
      cli_say(cli, "%s: an amount of 0 moves nothing, so it is %s as it was\n",
              cli_text(cli->arguments, "output"), cli->arguments->operands[0]);
      break;
    case SUP_ADD_BAKED:
      cli_tell_baked(cli, &r->baked, metres(r), &r->bake);
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
    SupResult result = path ? cli_output_gltf(path, "a living character is", error) : SUP_OK;
    if (result != SUP_OK) return result;
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
  def.lock = cli_lock_def(cli);
  result = cli_read_flesh_units(arguments, &def.unit, error);
  if (result != SUP_OK) return result;
  def.rebind = cli_flag(arguments, "rebind");
  def.force = cli_flag(arguments, "force");
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
        "Finds what is not flesh (eyes, teeth, horns, armour, clothes, ...), which stays on its\n"
        "bones, and where flesh is soft (thick, away from bones, not a skull). Gives it the\n"
        "vibrations of its volume under a soft skin, plays every clip through it, and writes\n"
        "the result as ordinary joints and keys (or morph targets). Nothing else in the file\n"
        "changes. Clips that end as they begin stay loops; others start from rest.\n"
        "\n"
        "Painted maps (lock, amount, ...) are used: paint them with `supple paint`, on the page\n"
        "of `supple view` or in Blender. If the file already has models, those are played. A\n"
        "file without clips gets a live model. `supple info --bones` shows what the bones are\n"
        "called; capitals do not matter, and a part of the name is enough where it is the only\n"
        "one.\n"
        "\n"
        "  supple add hero.glb --preset fat --lock head -o hero_alive.glb\n",
    .example = "supple add mochi.glb --clip jump --bones 8 -o mochi-alive.glb",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
