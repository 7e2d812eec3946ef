/* SPDX-License-Identifier: MIT */
/* supple simulate: the elastic ground truth of a clip. */
#include <math.h>
#include <string.h>

#include "actor.h"
#include "sim_options.h"
#include "supple/author/teaching.h"
#include "supple/geom/bounds.h"
#include "supple/sim/simulate.h"

static const char *const kind_names[] = {"corotational", "stvk", "neo-hookean", NULL};
static const char *const integrator_names[] = {"euler", "bdf2", NULL};

static const CliOption options[] = {
    CLI_BAKE_OPTIONS("which clip, or @calibration (default: all)"),
    {.name = "postures",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "instead of clips: the equilibrium of N sampled postures, a frame each",
     .low = 1,
     .high = 100000},
    {.name = "quasistatic", .kind = CLI_FLAG, .help = "the equilibrium of every frame, no inertia"},
    {.name = "material",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "fat, muscle, jelly or rubber",
     .fallback = "fat"},
    {.name = "kind", .kind = CLI_CHOICE, .choices = kind_names, .help = "its law of elasticity"},
    {.name = "young", .kind = CLI_NUMBER, .value_name = "PA", .help = "Young's modulus"},
    {.name = "poisson", .kind = CLI_NUMBER, .value_name = "NU", .help = "Poisson's ratio"},
    {.name = "density", .kind = CLI_NUMBER, .value_name = "KG/M3", .help = "density"},
    {.name = "damping",
     .kind = CLI_NUMBER,
     .value_name = "S",
     .help = "stiffness-proportional damping; damping ratio = this * pi * Hz"},
    {.name = "drag", .kind = CLI_NUMBER, .value_name = "1/S", .help = "mass-proportional damping"},
    {.name = "stiffening",
     .kind = CLI_NUMBER,
     .value_name = "K",
     .help = "how much stiffer it gets when stretched"},
    {.name = "tets",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "about this many tetrahedra",
     .fallback = "5000",
     .low = 50,
     .high = 5000000},
    {.name = "bone-radius",
     .kind = CLI_NUMBER,
     .value_name = "M",
     .help = "flesh nearer than this to a bone follows it (default: by thickness)",
     .low = 0,
     .high = 1000},
    {.name = "gravity",
     .kind = CLI_NUMBER,
     .value_name = "M/S2",
     .help = "downwards; 9.81 on Earth",
     .fallback = "0",
     .low = -1000,
     .high = 1000},
    {.name = "sag-free",
     .kind = CLI_FLAG,
     .help = "with gravity: the given shape is how the body looks when it hangs"},
    {.name = "wind",
     .kind = CLI_TEXT,
     .value_name = "X,Y,Z",
     .help = "air that moves, metres per second"},
    {.name = "ground",
     .kind = CLI_NUMBER,
     .value_name = "Y",
     .help = "flesh does not pass below this height"},
    {.name = "obstacle",
     .kind = CLI_TEXT,
     .value_name = "X,Y,Z,R[,VX,VY,VZ]",
     .help = "a ball, metres, with its velocity",
     .repeated = true},
    {.name = "push",
     .kind = CLI_TEXT,
     .value_name = "T,X,Y,Z,R,IX,IY,IZ",
     .help = "an impulse (N s) at a time, on the skin within R",
     .repeated = true},
    {.name = "force-track",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "lines of: time x y z radius fx fy fz"},
    {.name = "bone-contact", .kind = CLI_FLAG, .help = "keep the skin off the bones"},
    {.name = "substeps",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "steps per frame; more are taken where needed",
     .fallback = "2",
     .low = 1,
     .high = 1000},
    {.name = "integrator",
     .kind = CLI_CHOICE,
     .choices = integrator_names,
     .help = "how time is stepped",
     .fallback = "bdf2"},
    {.name = "preroll",
     .kind = CLI_NUMBER,
     .value_name = "S",
     .help = "seconds simulated before the first frame, in its pose (or round the loop)",
     .fallback = "0",
     .low = 0,
     .high = 1000},
    {.name = "loop",
     .kind = CLI_FLAG,
     .help = "go round the clip until the motion repeats, and write that round"},
    CLI_ACTOR_OPTIONS,
    {0}};

/* ---- Where the bones are -------------------------------------------------------------------- */

/* A clip, or a list of postures, as a function of time. */
typedef struct Motion {
  const SupCharacter *character;
  const SupClip *clip;          /* NULL: postures */
  const SupTransform *postures; /* [count * joint_count], posture k at time k */
  uint32_t posture_count;
  bool loop;
  SupPosed pose;
  SupAffined *globals;
} Motion;

static SupTransformd widen(SupTransform t) {
  return (SupTransformd){sup_vec3_widen(t.translation),
                         {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w},
                         sup_vec3_widen(t.scale)};
}

static void motion_palette(void *user, double time, SupAffined *out_palette) {
  Motion *motion = user;
  const SupSkeleton *skeleton = &motion->character->skeleton;
  sup_pose_rest_f64(skeleton, &motion->pose);
  if (motion->clip) {
    double at = motion->loop ? time : fmax(time, 0);
    sup_clip_sample_f64(motion->clip, at, motion->loop, NULL, &motion->pose, NULL);
  } else {
    double whole = fmin(fmax(rint(time), 0), (double)motion->posture_count - 1);
    const SupTransform *joints =
        motion->postures + (size_t)whole * motion->character->skeleton.joint_count;
    for (uint32_t j = 0; j < skeleton->joint_count; j++) motion->pose.joints[j] = widen(joints[j]);
  }
  sup_pose_globals_f64(skeleton, &motion->pose, motion->globals);
  sup_pose_palette_f64(skeleton, motion->globals, out_palette);
}

/* ---- One clip ------------------------------------------------------------------------------- */

typedef struct Run {
  CliContext *cli;
  const SupCharacter *character;
  SupSim *sim;
  Motion motion;
  double fps;
  SupSampleOrder order;
  SupVec3 *body;   /* [body.vertex_count] */
  SupVec3 *render; /* [render.vertex_count] */
  uint32_t clip_count;
  const SupClip **clips; /* [clip_count] */
  const char **paths;    /* [clip_count] where each goes */
  SupSimFrame total;
  uint32_t total_inverted; /* at the last frame of any clip */
  double height;
} Run;

static void add_frame(Run *run, const SupSimFrame *frame) {
  SupSimFrame *total = &run->total;
  total->steps += frame->steps;
  total->iterations += frame->iterations;
  total->backtracks += frame->backtracks;
  total->refused += frame->refused;
  total->inverted = frame->inverted;
  if (frame->worst_volume < total->worst_volume) total->worst_volume = frame->worst_volume;
}

static SupResult advance(Run *run, double time, double duration, SupSimFrame *out,
                         SupError *error) {
  SupResult result =
      sup_sim_advance(run->sim, motion_palette, &run->motion, time, duration, out, error);
  if (result == SUP_OK) add_frame(run, out);
  return result;
}

/* Goes round a loop until it repeats within a thousandth of the height. Leaves the body at the
 * start of the round to be written. */
static SupResult settle_loop(Run *run, double duration, uint32_t frames, uint32_t *out_rounds,
                             SupError *error) {
  uint32_t count = run->character->body.vertex_count;
  SupVec3 *before = SUP_ALLOC(run->cli->arena, SupVec3, count);
  if (!before) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  const uint32_t most = 30;
  for (uint32_t round = 0; round < most; round++) {
    sup_sim_skin(run->sim, before);
    for (uint32_t i = 0; i < frames; i++) {
      SupSimFrame frame;
      SupResult result =
          advance(run, round * duration + duration * i / frames, duration / frames, &frame, error);
      if (result != SUP_OK) return result;
      cli_progress(run->cli, "finding the loop", (double)round * frames + i + 1,
                   (double)most * frames);
    }
    sup_sim_skin(run->sim, run->body);
    double gap = 0;
    for (uint32_t v = 0; v < count; v++) {
      gap = fmax(gap, (double)sup_vec3_distance(before[v], run->body[v]));
    }
    *out_rounds = round + 1;
    if (gap <= 1e-3 * run->height) return SUP_OK;
  }
  cli_say(run->cli, "note: after %u rounds the loop still does not repeat exactly\n", most);
  return SUP_OK;
}

static void write_frame(Run *run, SupCacheWriter *writer) {
  const SupCharacter *character = run->character;
  sup_sim_skin(run->sim, run->body);
  if (run->order == SUP_ORDER_RENDER) {
    sup_positions_gather(run->body, character->render.to_body, character->render.vertex_count,
                         run->render);
  }
  sup_cache_write_frame(writer, run->order == SUP_ORDER_RENDER ? run->render : run->body);
}

/* The frames of one clip (or all postures), into an open cache. */
static SupResult write_frames(Run *run, const char *name, uint32_t frames, SupCacheWriter *writer,
                              SupError *error) {
  double step = run->motion.clip ? 1 / run->fps : 1;
  double start = 0, preroll = run->motion.clip ? cli_number(run->cli->arguments, "preroll") : 0;
  bool settle = true;
  uint32_t rounds = 0;
  SupResult result = sup_sim_place(run->sim, motion_palette, &run->motion, -preroll, settle, error);
  SupSimFrame frame;
  uint32_t before = (uint32_t)ceil(preroll / step);
  for (uint32_t i = 0; i < before && result == SUP_OK; i++) {
    result = advance(run, -preroll + preroll * i / before, preroll / before, &frame, error);
  }
  if (result == SUP_OK && run->motion.loop && run->motion.clip) {
    double duration = (double)run->motion.clip->duration;
    result = settle_loop(run, duration, frames, &rounds, error);
    start = rounds * duration;
  }
  CliReport *report = run->cli->report;
  cli_report_integer(report, "loop_rounds", rounds);
  cli_report_begin_array(report, "frames");
  for (uint32_t i = 0; i < frames && result == SUP_OK; i++) {
    if (i > 0) {
      result = advance(run, start + step * (i - 1), step, &frame, error);
      if (result != SUP_OK) break;
      const double row[6] = {frame.elastic,    frame.kinetic,      frame.potential,
                             frame.iterations, frame.worst_volume, frame.inverted};
      cli_report_numbers(report, NULL, row, 6);
    }
    write_frame(run, writer);
    cli_progress(run->cli, name, i + 1, frames);
  }
  cli_report_end(report);
  if (result != SUP_OK) sup_error_prefix(error, "%s", name);
  return result;
}

static SupResult simulate_one(Run *run, const char *name, uint32_t frames, const char *path,
                              SupError *error) {
  const SupCharacter *character = run->character;
  CliContext *cli = run->cli;
  SupCacheDef def = {.allocator = cli->allocator,
                     .path = path,
                     .vertex_count = run->order == SUP_ORDER_RENDER ? character->render.vertex_count
                                                                    : character->body.vertex_count,
                     .frame_count = frames,
                     .fps = (float)run->fps,
                     .order = run->order};
  SupCacheWriter *writer;
  SupResult result = cli_cache_format(path, &def.format, error);
  if (result == SUP_OK) result = sup_cache_begin(&def, &writer, error);
  if (result != SUP_OK) return result;
  double began = cli_seconds();
  run->total = (SupSimFrame){.worst_volume = 1};
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "clip", name);
  cli_report_text(cli->report, "output", path);
  result = write_frames(run, name, frames, writer, error);
  double seconds = cli_seconds() - began;
  cli_report_number(cli->report, "seconds", seconds);
  cli_report_integer(cli->report, "steps", run->total.steps);
  cli_report_integer(cli->report, "iterations", run->total.iterations);
  cli_report_integer(cli->report, "refused_steps", run->total.refused);
  cli_report_number(cli->report, "worst_volume", run->total.worst_volume);
  cli_report_integer(cli->report, "inverted_at_end", run->total.inverted);
  cli_report_end(cli->report);
  if (result != SUP_OK) {
    sup_cache_abandon(writer);
    return result;
  }
  result = sup_cache_commit(writer, error);
  if (result != SUP_OK) return result;
  cli_say(cli, "%s: %u frames in %.1f s, %.1f Newton steps a frame, worst element %.2f -> %s\n",
          name, frames, seconds, (double)run->total.iterations / frames, run->total.worst_volume,
          path);
  return SUP_OK;
}

/* ---- The verb ------------------------------------------------------------------------------- */

/* The motion made for a character to learn from. */
static SupResult make_calibration(Run *run, const SupClip **out_clip, SupError *error) {
  SupClip *clip = SUP_ALLOC(run->cli->arena, SupClip, 1);
  SupCalibrationDef def = {.fps = (float)run->fps};
  SupCalibrationReport report;
  if (!clip) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  SupResult result =
      sup_calibration_clip(run->cli->arena, run->character, &def, clip, &report, error);
  if (result != SUP_OK) return result;
  cli_say(run->cli, "calibration: %u joints in %u pulses, %.1f s\n", report.joint_count,
          report.slot_count, (double)clip->duration);
  *out_clip = clip;
  return SUP_OK;
}

/* Every clip that is wanted, and where it goes: known and possible before the first is simulated.
 */
static SupResult find_clips(Run *run, const CliActor *actor, SupError *error) {
  CliContext *cli = run->cli;
  const SupCharacter *character = actor->character;
  uint32_t named = cli_count(cli->arguments, "clip");
  uint32_t count = named ? named : character->clip_count;
  if (count == 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s has no clips; try --clip @calibration, which makes a motion for it",
                    actor->path);
  }
  run->clips = SUP_ALLOC(cli->arena, const SupClip *, count);
  if (!run->clips) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  for (uint32_t k = 0; k < count; k++) {
    const char *name = named ? cli_text_at(cli->arguments, "clip", k) : NULL;
    SupResult result = SUP_OK;
    if (!name) {
      run->clips[k] = &character->clips[k];
    } else if (strcmp(name, "@calibration") == 0) {
      result = make_calibration(run, &run->clips[k], error);
    } else {
      result = cli_actor_clip(actor, name, &run->clips[k], error);
    }
    if (result != SUP_OK) return result;
  }
  run->clip_count = count;
  return cli_clip_paths(cli, cli_text(cli->arguments, "output"), count, run->clips, (float)run->fps,
                        &run->paths, error);
}

static SupResult simulate_clips(Run *run, SupError *error) {
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < run->clip_count && result == SUP_OK; k++) {
    const SupClip *clip = run->motion.clip = run->clips[k];
    uint32_t frames = cli_frame_count(clip, (float)run->fps);
    result = simulate_one(run, clip->name, frames, run->paths[k], error);
  }
  return result;
}

static SupResult simulate_postures(Run *run, uint32_t count, SupError *error) {
  uint32_t joints = run->character->skeleton.joint_count;
  SupTransform *postures = SUP_ALLOC(run->cli->arena, SupTransform, (size_t)count * joints);
  if (!postures) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  SupResult result = sup_teaching_postures(run->cli->arena, run->character, count, run->cli->seed,
                                           postures, error);
  if (result != SUP_OK) return result;
  run->motion.postures = postures;
  run->motion.posture_count = count;
  return simulate_one(run, "postures", count, cli_text(run->cli->arguments, "output"), error);
}

static void report_body(const CliContext *cli, const SupSimReport *r) {
  cli_say(cli, "%u tetrahedra, %u nodes (%u held by %u bones), %.3g kg\n", r->tet_count,
          r->node_count, r->node_count - r->free_count, r->attach.bone_count, r->mass);
  if (r->attach.loose_pieces) {
    cli_say(cli, "note: %u loose pieces are not passed by any bone and move rigidly\n",
            r->attach.loose_pieces);
  }
  cli_report_begin_object(cli->report, "body");
  cli_report_integer(cli->report, "tetrahedra", r->tet_count);
  cli_report_integer(cli->report, "nodes", r->node_count);
  cli_report_integer(cli->report, "free_nodes", r->free_count);
  cli_report_number(cli->report, "mass", r->mass);
  cli_report_number(cli->report, "volume", r->fill.volume);
  cli_report_number(cli->report, "lattice_edge", r->fill.edge);
  cli_report_integer(cli->report, "pieces", r->fill.piece_count);
  cli_report_integer(cli->report, "doubled_tetrahedra", r->fill.copy_count);
  cli_report_integer(cli->report, "thin_samples", r->fill.thin_count);
  cli_report_number(cli->report, "scale", r->scale);
  cli_report_number(cli->report, "sag", r->sag);
  cli_report_integer(cli->report, "factor_nonzeros", (int64_t)r->factor_nonzeros);
  cli_report_end(cli->report);
}

static const float *find_map(const SupCharacter *character, const char *name) {
  for (uint32_t k = 0; k < character->map_count; k++) {
    if (strcmp(character->maps[k].name, name) == 0) return character->maps[k].values;
  }
  return NULL;
}

static SupResult prepare(Run *run, const CliActor *actor, SupError *error) {
  CliContext *cli = run->cli;
  const SupCharacter *character = actor->character;
  SupSimDef def = sup_sim_def(character, cli->allocator);
  def.fill.tet_target = (uint32_t)cli_integer(cli->arguments, "tets");
  def.attach.lock = find_map(character, "lock");
  def.vertex_stiffness = find_map(character, "material");
  def.sag_free = cli_flag(cli->arguments, "sag-free");
  def.integrator = (SupIntegrator)cli_integer(cli->arguments, "integrator");
  def.substeps = (uint32_t)cli_integer(cli->arguments, "substeps");
  def.jobs = cli->jobs;
  bool still = cli_flag(cli->arguments, "quasistatic") || cli_count(cli->arguments, "postures");
  if (still) def.integrator = SUP_INTEGRATE_STATIC;
  SupResult result = cli_read_material(cli->arguments, &def.material, error);
  if (result == SUP_OK) result = cli_read_forces(cli, &def.forces, error);
  if (result != SUP_OK) return result;
  double began = cli_seconds();
  SupSimReport report;
  def.attach.radius = cli_number(cli->arguments, "bone-radius");
  result = sup_sim_create(&def, &run->sim, &report, error);
  if (result != SUP_OK) return result;
  cli_timing(cli, "fill", began);
  report_body(cli, &report);
  SupBounds box = sup_bounds(character->body.positions, character->body.vertex_count);
  run->height = report.scale * ((double)box.high.y - (double)box.low.y);
  uint32_t joints = character->skeleton.joint_count;
  run->motion = (Motion){.character = character, .loop = cli_flag(cli->arguments, "loop")};
  run->motion.pose.joint_count = joints;
  run->motion.pose.joints = SUP_ALLOC(cli->arena, SupTransformd, joints);
  run->motion.globals = SUP_ALLOC(cli->arena, SupAffined, joints);
  run->body = SUP_ALLOC(cli->arena, SupVec3, character->body.vertex_count);
  run->render = SUP_ALLOC(cli->arena, SupVec3, character->render.vertex_count);
  if (!run->motion.pose.joints || !run->motion.globals || !run->body || !run->render) {
    return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  }
  return SUP_OK;
}

static SupResult run_simulate(CliContext *cli, SupError *error) {
  CliActor actor;
  SupResult result = cli_actor_open(cli, cli->arguments->operands[0], &actor, error);
  if (result != SUP_OK) return result;
  Run run = {.cli = cli,
             .character = actor.character,
             .fps = cli_number(cli->arguments, "fps"),
             .order = cli_order(cli->arguments)};
  SupCacheFormat format;
  uint32_t postures = (uint32_t)cli_integer(cli->arguments, "postures");
  result = cli_cache_format(cli_text(cli->arguments, "output"), &format, error);
  if (result == SUP_OK && !postures) result = find_clips(&run, &actor, error);
  if (result == SUP_OK) result = prepare(&run, &actor, error);
  if (result == SUP_OK) {
    cli_report_begin_array(cli->report, "clips");
    result = postures ? simulate_postures(&run, postures, error) : simulate_clips(&run, error);
    cli_report_end(cli->report);
  }
  sup_sim_free(run.sim);
  cli_actor_close(&actor);
  return result;
}

const CliVerb cli_verb_simulate = {
    .name = "simulate",
    .summary = "the elastic ground truth of a character's motion",
    .usage = "IN.glb -o OUT.pc2 [--clip NAME]... [options]",
    .details =
        "Fills the skin with elastic flesh, lets the flesh near the bones follow them and\n"
        "the rest move as matter does, and writes the skin frame by frame. The maps\n"
        "`material` (a factor on the stiffness) and `lock` (flesh that follows its bones)\n"
        "of the file are used.\n",
    .example = "supple simulate mochi.glb --clip jump -o jump-truth.pc2",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run_simulate,
};
