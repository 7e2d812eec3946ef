/* SPDX-License-Identifier: MIT */
/* supple play: bakes motion into point caches, and draws it. */
#include "character/beat.h"
#include "character/blend.h"
#include "character/clips_from.h"
#include "character/curve_options.h"
#include "character/exaggerate.h"
#include "character/pictures.h"
#include "character/play_as.h"
#include "formats.h"
#include "simulate/sim_options.h"
#include "supple/author/baked.h"
#include "supple/envelope.h"

static const CliOption options[] = {
    CLI_BAKE_OPTIONS("process only this clip, or @calibration",
                     "write a .pc2 or .mdd, a picture (.png, .webp) or, with --as, a .glb; several "
                     "clips become one file each, NAME-CLIP.pc2"),
    {.name = "as",
     .kind = CLI_CHOICE,
     .choices = cli_as_names,
     .help = "write a point cache, a .glb with helper joints or morph targets, or curves of a rig",
     .fallback = "cache"},
    CLI_BONES_OPTION,
    CLI_BAKED_OPTIONS,
    {.name = "driven",
     .kind = CLI_FLAG,
     .help =
         "with --as morphs, of an envelope: let each target (64 unless --targets says how many) "
         "follow the angle of a joint, and write which, for engines"},
    {.name = "skinning",
     .kind = CLI_CHOICE,
     .choices = cli_skinning_names,
     .help = "choose linear blend or dual quaternion skinning",
     .advanced = true,
     .fallback = "lbs"},
    {.name = "clips-from",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "take the clips of another character; joints are matched by name, or by what they are "
             "in a humanoid"},
    {.name = "plain", .kind = CLI_FLAG, .help = "use plain skinning, whatever models the file has"},
    {.name = "loop",
     .kind = CLI_FLAG,
     .help =
         "treat the clip as a loop: begin in its periodic motion, so that the end meets the start"},
    {.name = "preroll",
     .kind = CLI_NUMBER,
     .value_name = "SECONDS",
     .help = "let flesh settle in the first pose before the clip; with --loop, play at least this "
             "long before it",
     .otherwise = "0, with --loop 3",
     .advanced = true,
     .low = 0,
     .high = 600},
    {.name = "gravity",
     .kind = CLI_NUMBER,
     .value_name = "M/S2",
     .help = "set the downward gravity for models that use it; 9.81 on Earth",
     .advanced = true,
     .fallback = "0",
     .low = -1000,
     .high = 1000},
    CLI_CURVES_OPTIONS,
    CLI_BEAT_OPTIONS,
    CLI_EXAGGERATE_OPTIONS,
    CLI_BLEND_OPTION,
    CLI_PICTURE_OPTIONS,
    CLI_REBIND_OPTION,
    CLI_CHARACTER_OPTIONS,
    {0}};

typedef struct Play {
  CliContext *cli;
  CliModels models; /* none: plain skinning */
  SupPlayer player;
  SupExternalForces forces;
  SupHelpersControls helpers;
  SupStackControl control; /* which are the helpers' */
  SupStackFrame inputs;
  uint32_t vertex_count;
  float fps;
  SupSampleOrder order;
  SupPictureKind picture;
  bool baked;         /* the file's own joints or morph targets carry flesh */
  SupVec3 *positions; /* [vertex_count] one frame */
} Play;

/* The clips that are wanted, as they are wanted, and the music to each. */
static SupResult find_clips(Play *play, const CliCharacter *source, const SupClip ***out_clips,
                            SupPoppingTrack **out_tracks, uint32_t *out_count, SupError *error) {
  CliContext *cli = play->cli;
  SupResult result =
      cli_character_clips(cli, source, (double)play->fps, out_clips, out_count, error);
  if (result == SUP_OK) result = cli_repeat_clips(cli, *out_count, *out_clips, error);
  if (result == SUP_OK) {
    result = cli_check_lengths(*out_count, *out_clips, play->fps, "give a smaller --fps", error);
  }
  if (result != SUP_OK) return result;
  SupPoppingTrack *tracks = *out_tracks = SUP_ALLOC(cli->arena, SupPoppingTrack, *out_count);
  if (!tracks) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < *out_count && result == SUP_OK; k++) {
    result = cli_read_track(cli, source, &play->models, (*out_clips)[k], &tracks[k], error);
  }
  return result;
}

/* A picture shows what loops as a loop, without being asked. */
static void begin(Play *play, const SupClip *clip, const SupPoppingTrack *track, bool quiet) {
  const CliArguments *arguments = play->cli->arguments;
  const bool asked = cli_flag(arguments, "loop"), loop = asked || play->picture;
  const double preroll = cli_count(arguments, "preroll") ? cli_number(arguments, "preroll")
                         : loop                          ? 3
                                                         : 0;
  SupPlayback playback = {.clip = clip,
                          .loop = loop ? SUP_LOOP_WRAP : SUP_LOOP_HOLD,
                          .preroll = preroll,
                          .fps = (double)play->fps,
                          .track = *track};
  const bool closed = sup_player_play(&play->player, &playback);
  if (!closed && !asked) {
    playback.loop = SUP_LOOP_HOLD;
    playback.preroll = cli_count(arguments, "preroll") ? preroll : 0;
    sup_player_play(&play->player, &playback);
  } else if (!closed && !quiet) {
    cli_say(play->cli, "note: %s does not end as it begins; the loop will jump\n", clip->name);
  }
}

/* The next frame of the clip that was begun. */
static void next_frame(Play *play, SupVec3 *out_positions) {
  play->inputs.positions = (SupSkinOutput){&out_positions->x, 3};
  sup_player_frame(&play->player, &play->inputs);
}

static SupResult bake(Play *play, const SupClip *clip, const SupPoppingTrack *track,
                      const char *path, SupError *error) {
  SupCacheDef def = {.allocator = play->cli->allocator,
                     .path = path,
                     .vertex_count = play->vertex_count,
                     .frame_count = cli_frame_count(clip, play->fps),
                     .fps = play->fps,
                     .order = play->order};
  SupCacheWriter *writer;
  SupResult result = cli_cache_format(path, &def.format, error);
  if (result == SUP_OK) result = sup_cache_begin(&def, &writer, error);
  if (result != SUP_OK) return result;
  uint64_t hash = 0;
  begin(play, clip, track, false);
  for (uint32_t i = 0; i < def.frame_count; i++) {
    next_frame(play, play->positions);
    sup_cache_write_frame(writer, play->positions);
    hash = sup_hash(play->positions, def.vertex_count * sizeof *play->positions, hash);
    cli_progress(play->cli, clip->name, i + 1, def.frame_count);
  }
  result = sup_cache_commit(writer, error);
  if (result != SUP_OK) return result;
  cli_say(play->cli, "%s: %u frames at %g per second, %s vertices, %s -> %s\n",
          cli_shown(play->cli, clip->name), def.frame_count, (double)play->fps,
          cli_count_text(def.vertex_count).text,
          play->models.count ? "with flesh"
          : play->baked      ? "baked flesh"
                             : "plain skinning",
          path);
  CliReport *report = play->cli->report;
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "clip", clip->name);
  cli_report_text(report, "output", path);
  cli_report_integer(report, "frames", def.frame_count);
  cli_report_integer(report, "vertices", def.vertex_count);
  cli_report_hash(report, "positions_hash", hash);
  cli_report_end(report);
  return SUP_OK;
}

static void report_how(const Play *play) {
  CliReport *report = play->cli->report;
  cli_report_number(report, "fps", (double)play->fps);
  cli_report_text(report, "skinning", cli_text(play->cli->arguments, "skinning"));
  cli_report_begin_array(report, "stack");
  for (uint32_t k = 0; k < play->models.count; k++) {
    cli_report_text(report, NULL, cli_kind_name(play->models.models[k]->kind));
  }
  cli_report_end(report);
}

static SupResult bake_all(Play *play, const CliCharacter *source, SupError *error) {
  CliContext *cli = play->cli;
  const SupClip **clips;
  const char **paths;
  SupPoppingTrack *tracks;
  uint32_t count;
  SupResult result = find_clips(play, source, &clips, &tracks, &count, error);
  if (result == SUP_OK) result = cli_amplify_clips(cli, count, clips, error);
  if (result != SUP_OK) return result;
  result = cli_clip_paths(cli, cli_text(cli->arguments, "output"), count, clips, play->fps, &paths,
                          error);
  if (result != SUP_OK) return result;
  report_how(play);
  cli_report_begin_array(cli->report, "clips");
  double began = cli_seconds();
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = bake(play, clips[k], &tracks[k], paths[k], error);
  }
  cli_report_end(cli->report);
  cli_timing(cli, "bake", began);
  return result;
}

/* A clip as baking asks for it, frame by frame and more than once. */
typedef struct Replay {
  Play *play;
  const SupClip *clip;
  const SupPoppingTrack *track;
  uint32_t count;
  bool again;     /* was played before */
  uint32_t first; /* frames that are played before, and not shown */
} Replay;

static void replay(void *user, uint32_t frame, SupVec3 *out_positions) {
  Replay *r = user;
  if (frame == 0) begin(r->play, r->clip, r->track, r->again);
  r->again = true;
  for (uint32_t k = 0; frame == 0 && k < r->first; k++) next_frame(r->play, out_positions);
  next_frame(r->play, out_positions);
  if (!r->play->picture) cli_progress(r->play->cli, r->clip->name, frame + 1, r->count);
}

static SupResult bake_one_file(Play *play, const CliCharacter *source, CliBakeAs as,
                               SupError *error) {
  CliContext *cli = play->cli;
  const SupClip **clips;
  SupPoppingTrack *tracks;
  uint32_t count;
  SupResult result = find_clips(play, source, &clips, &tracks, &count, error);
  if (result != SUP_OK) return result;
  SupBakeMotion *motions = SUP_ALLOC(cli->arena, SupBakeMotion, count);
  Replay *replays = SUP_ALLOC(cli->arena, Replay, count);
  if (!motions || !replays) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    replays[k] =
        (Replay){play, clips[k], &tracks[k], cli_frame_count(clips[k], play->fps), false, 0};
    motions[k] = (SupBakeMotion){.clip = clips[k],
                                 .fps = (double)play->fps,
                                 .frame_count = replays[k].count,
                                 .play = replay,
                                 .user = &replays[k]};
  }
  const CliBake bake = {.as = as,
                        .count = count,
                        .motions = motions,
                        .driven = cli_flag(cli->arguments, "driven")
                                      ? cli_models_find(&play->models, SUP_ENVELOPE_KIND)
                                      : NULL};
  return cli_bake_as(cli, source, &bake, cli_text(cli->arguments, "output"), error);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* One figure of the pictures: this file, or the one before it. */
typedef struct Figure {
  Play *play;
  const CliCharacter *source;
  const char *label;
} Figure;

/* A loop without the frame that is its first again; what does not loop comes to rest. */
static uint32_t picture_frames(Play *play, const SupClip *clip, const SupPoppingTrack *track) {
  const uint32_t count = cli_frame_count(clip, play->fps);
  begin(play, clip, track, false);
  if (play->player.loops) return count > 1 ? count - 1 : 1;
  const bool rests = play->picture == SUP_PICTURE_ANIMATION && play->models.count;
  return count + (rests ? (uint32_t)(0.75 * (double)play->fps) : 0);
}

/* The part of the clip that --start and --end say. */
static SupResult cut_out(CliContext *cli, const SupClip *clip, SupPictureDef *io_def,
                         uint32_t *out_first, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  const double first = cli_number(arguments, "start") * io_def->fps + 0.5;
  if (!(first < io_def->frame_count)) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT, "--start %g: clip '%s' ends at %.4g s; give an earlier time",
        cli_number(arguments, "start"), clip->name, (io_def->frame_count - 1) / io_def->fps);
  }
  *out_first = (uint32_t)first;
  io_def->start = *out_first / io_def->fps;
  io_def->frame_count -= *out_first;
  if (!cli_count(arguments, "end")) return SUP_OK;
  const double count = (cli_number(arguments, "end") - io_def->start) * io_def->fps + 0.5;
  if (count < io_def->frame_count) io_def->frame_count = count < 1 ? 1 : (uint32_t)count;
  return SUP_OK;
}

static SupResult draw(const Figure *figures, uint32_t count, const SupClip *clip,
                      const SupPoppingTrack *track, const char *path, SupError *error) {
  static const SupPoppingTrack silent = {0};
  Replay replays[SUP_PICTURE_FIGURES];
  SupPictureFigure drawn[SUP_PICTURE_FIGURES];
  Play *last = figures[count - 1].play;
  SupPictureDef def = sup_picture_def();
  def.fps = (double)last->fps;
  def.frame_count = picture_frames(last, clip, track);
  uint32_t first = 0;
  SupResult cut = cut_out(last->cli, clip, &def, &first, error);
  if (cut != SUP_OK) return cut;
  for (uint32_t k = 0; k < count; k++) {
    const Figure *f = &figures[k];
    const SupClip *own = clip;
    if (f->source != figures[count - 1].source) {
      SupResult result = cli_named_clip(f->play->cli, f->source, clip->name, def.fps, &own, error);
      if (result != SUP_OK) return result;
    }
    replays[k] =
        (Replay){f->play, own, f->play == last ? track : &silent, def.frame_count, true, first};
    drawn[k] = (SupPictureFigure){f->label, f->source, replay, &replays[k]};
  }
  if (cli_count(last->cli->arguments, "after")) {
    SupResult result =
        cli_picture_cache(last->cli, figures[0].source, clip, &def, &drawn[count++], error);
    if (result != SUP_OK) return result;
  }
  def.figure_count = count;
  def.figures = drawn;
  return cli_picture_save(last->cli, &def, clip->name, path, error);
}

/* Plain skinning in front of what the file has, where there is more than that to see. */
static SupResult add_before(Play *play, Figure *io_figures, uint32_t *io_count, Play *out_plain,
                            CliCharacter *out_before, SupError *error) {
  CliContext *cli = play->cli;
  const CliArguments *arguments = cli->arguments;
  const char *path = cli_text(arguments, "before");
  const CliCharacter *source = io_figures[0].source;
  const bool after = cli_count(arguments, "after") > 0;
  if (cli_flag(arguments, "plain") || (after && !play->models.count)) {
    io_figures[0].label = "plain skinning";
  } else if (after) {
    io_figures[0].label = "with Supple";
  }
  if (after || (!path && !play->models.count)) return SUP_OK;
  if (path) {
    SupResult result = cli_character_open(cli, path, out_before, error);
    if (result != SUP_OK) return result;
    source = out_before;
  }
  *out_plain = (Play){.cli = cli, .fps = play->fps, .order = play->order, .picture = play->picture};
  io_figures[1] = (Figure){play, io_figures[0].source, "with Supple"};
  io_figures[0] = (Figure){out_plain, source, "plain skinning"};
  *io_count = 2;
  return cli_models_player(cli, source->character, &out_plain->models, out_plain->order,
                           (CliSkinning)cli_integer(arguments, "skinning"), &out_plain->player,
                           error);
}

static SupResult draw_all(Play *play, const CliCharacter *source, SupError *error) {
  CliContext *cli = play->cli;
  const SupClip **clips;
  const char **paths;
  SupPoppingTrack *tracks;
  uint32_t count, figure_count = 1;
  Figure figures[SUP_PICTURE_FIGURES] = {{play, source, NULL}};
  Play plain;
  CliCharacter before = {0};
  SupResult result = find_clips(play, source, &clips, &tracks, &count, error);
  if (result == SUP_OK) result = cli_amplify_clips(cli, count, clips, error);
  if (result == SUP_OK) {
    result = cli_clip_paths(cli, cli_text(cli->arguments, "output"), count, clips, play->fps,
                            &paths, error);
  }
  if (result == SUP_OK && count > 1 && cli_count(cli->arguments, "after")) {
    result = sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--after shows one clip, and there are %u; say which with --clip", count);
  }
  if (result == SUP_OK) result = add_before(play, figures, &figure_count, &plain, &before, error);
  if (result == SUP_OK) {
    report_how(play);
    cli_report_begin_array(cli->report, "clips");
    double began = cli_seconds();
    for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
      result = draw(figures, figure_count, clips[k], &tracks[k], paths[k], error);
    }
    cli_report_end(cli->report);
    cli_timing(cli, "draw", began);
  }
  cli_character_close(&before);
  return result;
}

/* ---- The verb -------------------------------------------------------------------------------- */

/* The player, and what acts on it in every frame. */
static SupResult make_player(Play *play, const CliCharacter *source, CliSkinning skinning,
                             const float *fractions, SupError *error) {
  const CliArguments *arguments = play->cli->arguments;
  const float gravity = (float)cli_number(arguments, "gravity");
  SupResult result = cli_models_player(play->cli, source->character, &play->models, play->order,
                                       skinning, &play->player, error);
  if (result != SUP_OK) return result;
  play->vertex_count = play->player.stack.vertex_count;
  play->forces.acceleration = (SupVec3){0, -gravity, 0};
  if (gravity != 0) play->inputs.forces = &play->forces;
  play->helpers = sup_helpers_controls();
  play->control = (SupStackControl){SUP_HELPERS_KIND, &play->helpers};
  play->inputs.control_count = 1;
  play->inputs.controls = &play->control;
  result =
      cli_read_exaggerations(play->cli, source->character, &play->models, &play->helpers, error);
  return result == SUP_OK ? cli_blend_player(play->cli, fractions, &play->player, error) : result;
}

static SupResult prepare(Play *play, const CliCharacter *source, SupError *error) {
  CliContext *cli = play->cli;
  const CliArguments *arguments = cli->arguments;
  CliSkinning skinning = (CliSkinning)cli_integer(arguments, "skinning");
  SupResult result = SUP_OK;
  if (!cli_flag(arguments, "plain")) {
    result = cli_models_open(cli, source, cli_flag(arguments, "rebind"), &play->models, error);
  }
  float fractions[SUP_HELPERS_MATERIALS];
  if (result == SUP_OK) {
    result = cli_blend_read(cli, source->path, &play->models, fractions, error);
  }
  if (result != SUP_OK) return result;
  if (cli_count(arguments, "exaggerate") + cli_count(arguments, "exaggerate-bone") > 0 &&
      !cli_models_find(&play->models, SUP_HELPERS_KIND)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s is played without helpers whose dynamics --%s could change; `supple build "
                    "helpers` adds some",
                    source->path,
                    cli_count(arguments, "exaggerate") ? "exaggerate" : "exaggerate-bone");
  }
  if (!play->models.count && (cli_flag(arguments, "loop") || cli_count(arguments, "preroll") ||
                              cli_count(arguments, "gravity"))) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "%s is played by plain skinning, on which --loop, --preroll and --gravity have no "
        "effect; `supple build surface` adds secondary motion",
        source->path);
  }
  play->baked = sup_baked_parts(source->character).first != NULL;
  result = make_player(play, source, skinning, fractions, error);
  if (result != SUP_OK) return result;
  play->positions = SUP_ALLOC(cli->arena, SupVec3, play->vertex_count);
  return play->positions ? SUP_OK : sup_fail_memory(error, NULL);
}

/* --driven: what the models do is a function of angles only where they are an envelope. */
static SupResult check_driven(const Play *play, const char *path, CliBakeAs as, SupError *error) {
  const CliArguments *arguments = play->cli->arguments;
  if (!cli_flag(arguments, "driven")) return SUP_OK;
  if (as != CLI_AS_MORPHS) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--driven has no effect without --as morphs");
  }
  if (cli_count(arguments, "targets") && cli_integer(arguments, "targets") < 2) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--driven needs two --targets or more: the first is constant");
  }
  if (play->models.count == 1 && cli_models_find(&play->models, SUP_ENVELOPE_KIND)) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "%s: --driven needs an envelope and no other model, whose shape depends on more "
                  "than the pose; `supple build envelope` makes one",
                  path);
}

static SupResult run(CliContext *cli, SupError *error) {
  CliCharacter source;
  const SupPictureKind picture = sup_picture_kind(cli_text(cli->arguments, "output"));
  const CliBakeAs as = (CliBakeAs)cli_integer(cli->arguments, "as");
  SupResult result = cli_curves_check(cli->arguments, as == CLI_AS_CURVES, error);
  if (result == SUP_OK) result = cli_picture_check(cli, picture, error);
  if (result != SUP_OK) return result;
  result = cli_character_open(cli, cli->arguments->operands[0], &source, error);
  if (result != SUP_OK) return result;
  Play play = {.cli = cli,
               .fps = (float)cli_number(cli->arguments, "fps"),
               .order = cli_order(cli->arguments),
               .picture = picture};
  if (picture == SUP_PICTURE_ANIMATION && !cli_count(cli->arguments, "fps")) play.fps = 30;
  if (as != CLI_AS_CACHE) play.order = SUP_ORDER_BODY;
  if (as != CLI_AS_CURVES) result = prepare(&play, &source, error);
  if (result == SUP_OK) result = check_driven(&play, source.path, as, error);
  if (result == SUP_OK) result = cli_clips_from(cli, &source, error);
  if (result == SUP_OK) {
    result = as == CLI_AS_CURVES  ? cli_play_curves(cli, &source, error)
             : picture            ? draw_all(&play, &source, error)
             : as == CLI_AS_CACHE ? bake_all(&play, &source, error)
                                  : bake_one_file(&play, &source, as, error);
  }
  cli_character_close(&source);
  return result;
}

const CliVerb cli_verb_play = {
    .name = "play",
    .summary = "bake a character's motion into point caches or an animated .glb, or draw it",
    .usage = "IN.glb -o OUT [--clip NAME]... [options]",
    .details =
        "Plays clips and writes the vertex positions of every frame in scene space, in the\n"
        "order of the file's own vertices (skinned meshes in node order, primitive by\n"
        "primitive), so that the cache fits the mesh in any program.\n"
        "\n"
        "A file with models (`supple build`) plays through all of them in order; one without,\n"
        "or with --plain, by plain skinning. The result does not depend on --fps: models step\n"
        "at their own rate, on the clip's own poses.\n"
        "\n"
        "With --as helpers or --as morphs the result is one .glb with all clips, animated by\n"
        "ordinary joints or morph targets: it plays in any engine, without Supple. --driven lets\n"
        "the targets of an envelope follow joint angles, which an engine can evaluate live.\n"
        "\n"
        "With --as curves the flesh moves the free parameters of a rig (a rig file, or helper\n"
        "joints that are made for the body), and the output has their curves: cubic keys on\n"
        "these channels in a .glb, a table in a .csv, everything in a .json; or the skin that\n"
        "they give in a .pc2. Models of the file are not played. --setup takes what `supple build\n"
        "rigspace` has stored; --keep holds edited keys over an interval; what --obstacle,\n"
        "--capsule and --plane keep flesh out of may move.\n"
        "\n"
        "A name that ends in .png gives a strip of frames, those in which most is to be seen; one\n"
        "in .webp an animation, at 30 frames per second unless --fps says otherwise. Both show\n"
        "plain skinning beside what the models of the file add; --plain draws the former alone,\n"
        "--before another file in its place: the original beside what `supple add` made of it.\n"
        "--after draws a point cache beside it: a simulation, or what another program made.\n"
        "\n"
        "The muscles of `supple build popping` are activated by --beat and --pattern, by\n"
        "--events, or by the events in the clip's extras (`supple_events`).\n"
        "\n"
        "  supple play dancer.glb --clip pop --beat 110 --pattern x.x.xx.. -o pop.pc2\n"
        "  supple play mochi-fat.glb --clip walk --loop -o walk.pc2\n"
        "  supple play hero.glb --material soft=0.3,firm=0.7 --clip run -o run.pc2\n"
        "  supple play mochi-fat.glb --as helpers --bones 16 -o mochi-baked.glb\n"
        "  supple play hero-envelope.glb --as morphs --driven -o hero-morphs.glb\n"
        "  supple play mochi.glb --as curves --clip jump -o c.glb\n"
        "  supple play mochi.glb --as curves --clip jump --edited c.glb "
        "--keep head_flesh=0.4,1 -o a.glb\n"
        "  supple play mochi.glb --as curves --clip wave --obstacle 0.22,0.38,0.1,0.08@hand_l -o "
        "wave.glb\n"
        "  supple play hero.glb --clips-from moves.glb --clip run -o run.pc2\n"
        "  supple play mochi-fat.glb --clip jump -o jump.webp\n"
        "  supple play hero_alive.glb --before hero.glb --clip run -o run.png\n"
        "  supple play hero.glb --after simulated.pc2 --clip run -o run.png\n",
    .example = "supple play mochi.glb --clip jump -o jump.pc2",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
