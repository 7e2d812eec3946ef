/* SPDX-License-Identifier: MIT */
/*
 * X. Shi, K. Zhou, Y. Tong, M. Desbrun, H. Bao, B. Guo 2008: table 1 at the same sizes, the bar
 * with three motions, a jump that teaches a run and jump, and what spokes and detail are worth.
 *
 * The paper gives no error figures. Here: root mean square of (model - truth) over that of
 * (skinning - truth), 1 is no better than skinning; what was not trained on is never looked at.
 */
#include <math.h>
#include <string.h>

#include "reproduce.h"
#include "supple/author/builtin.h"
#include "supple/author/segments.h"
#include "supple/clip.h"
#include "supple/pose.h"
#include "supple/sim/simulate.h"
#include "supple/stack.h"
#include "supple/train/surface.h"

/* ---- Table 1 ----------------------------------------------------------------------------------
 */

typedef struct Row {
  const char *model, *builtin;
  uint32_t vertices, bones;
  double paper; /* ms per frame on a GeForce 8800 GTX */
} Row;

static const Row rows[] = {{"toy", "toy", 494, 3, 0.50},
                           {"tube", "tube", 4430, 2, 0.57},
                           {"armadillo", "mochi", 6969, 24, 0.67},
                           {"armadillo", "mochi", 25001, 19, 1.64}};

static SupResult make(CliContext *cli, const char *name, uint32_t vertices, SupCharacter *out,
                      SupError *error) {
  const SupBuiltinDef def = {.name = name, .vertices = vertices, .jobs = cli->jobs};
  return sup_builtin_character(cli->arena, &def, out, error);
}

static SupResult make_stack(CliContext *cli, const SupCharacter *character, SupStack *out,
                            SupStackState **out_state, SupError *error) {
  SupSurfaceDef def = sup_surface_def();
  SupModel *model;
  const SupSegment *segments;
  SupResult result =
      sup_segments_create(cli->arena, character, &segments, &def.segment_count, error);
  if (result != SUP_OK) return result;
  SupSurfaceSegment *copies = SUP_ALLOC(cli->arena, SupSurfaceSegment, def.segment_count);
  const SupModel **models = SUP_ALLOC(cli->arena, const SupModel *, 1);
  if (!copies || !models) return sup_fail_memory(error, NULL);
  for (uint32_t s = 0; s < def.segment_count; s++) {
    copies[s] = (SupSurfaceSegment){segments[s].bone, segments[s].a, segments[s].b};
  }
  def.segments = copies;
  def.values[SUP_SURFACE_GAMMA] = 0.1f; /* all terms at work */
  result = sup_surface_pack(cli->arena, character, &def, &model, error);
  if (result != SUP_OK) return result;
  models[0] = model;
  SupStackDef stack = sup_stack_def();
  stack.skeleton = &character->skeleton;
  stack.model_count = 1;
  stack.models = models;
  result = sup_stack_make(&stack, out, error);
  if (result != SUP_OK) return result;
  void *block = sup_arena_alloc(cli->arena, 1, sup_stack_bytes(out));
  if (!block) return sup_fail_memory(error, NULL);
  *out_state = sup_stack_init(out, block);
  return SUP_OK;
}

/* Milliseconds of the fastest tenth of the frames: skinning, step, positions and normals. */
static SupResult time_frames(CliContext *cli, const SupCharacter *character, const SupStack *stack,
                             SupStackState *state, const SupJobs *jobs, double *out_ms,
                             SupError *error) {
  enum { FRAMES = 120 };
  const SupSkeleton *skeleton = &character->skeleton;
  SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                  SUP_ALLOC(cli->arena, SupTransform, skeleton->joint_count)};
  SupVec3 *positions = SUP_ALLOC(cli->arena, SupVec3, stack->vertex_count);
  SupVec3 *normals = SUP_ALLOC(cli->arena, SupVec3, stack->vertex_count);
  double times[FRAMES];
  if (!pose.joints || !positions || !normals) return sup_fail_memory(error, NULL);
  for (int i = 0; i < FRAMES; i++) {
    sup_pose_rest(skeleton, &pose);
    sup_clip_sample(&character->clips[0], (float)i / 60, true, NULL, &pose, NULL);
    const SupStackFrame frame = {.dt = 1.0f / 60,
                                 .pose = &pose,
                                 .positions = {&positions[0].x, 3},
                                 .normals = {&normals[0].x, 3}};
    const double began = cli_seconds();
    sup_stack_step(stack, state, sup_backend_cpu(), jobs, &frame);
    double ms = 1e3 * (cli_seconds() - began);
    int k = i; /* kept sorted */
    for (; k > 0 && times[k - 1] > ms; k--) times[k] = times[k - 1];
    times[k] = ms;
  }
  *out_ms = times[FRAMES / 10];
  return SUP_OK;
}

static SupResult table1(CliContext *cli, SupError *error) {
  SupResult result = SUP_OK;
  cli_say(cli, "  %-10s %8s %6s %14s %14s %14s\n", "model", "vertices", "bones", "one thread",
          "all threads", "paper, GPU");
  cli_report_begin_array(cli->report, "rows");
  for (size_t k = 0; k < sizeof rows / sizeof *rows && result == SUP_OK; k++) {
    const Row *row = &rows[k];
    SupCharacter character;
    SupStack stack;
    SupStackState *state = NULL;
    double one = 0, all = 0;
    result = make(cli, row->builtin, row->vertices, &character, error);
    if (result == SUP_OK) result = make_stack(cli, &character, &stack, &state, error);
    if (result == SUP_OK) {
      result = time_frames(cli, &character, &stack, state, NULL, &one, error);
    }
    if (result == SUP_OK) {
      result = time_frames(cli, &character, &stack, state, cli->jobs, &all, error);
    }
    if (result != SUP_OK) return result;
    const uint32_t n = character.body.vertex_count, bones = character.skeleton.bone_count;
    cli_say(cli, "  %-10s %8u %6u %11.3f ms %11.3f ms %11.2f ms\n", row->builtin, n, bones, one,
            all, row->paper);
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "model", row->builtin);
    cli_report_text(cli->report, "paper_model", row->model);
    cli_report_integer(cli->report, "vertices", n);
    cli_report_integer(cli->report, "bones", bones);
    cli_report_integer(cli->report, "paper_bones", row->bones);
    cli_report_number(cli->report, "ms_one_thread", one);
    cli_report_number(cli->report, "ms_all_threads", all);
    cli_report_number(cli->report, "ms_paper", row->paper);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  cli_report_integer(cli->report, "threads", cli->thread_count);
  cli_say(cli, "  (%u threads; skinning, dynamics, normals; mochi stands for the Armadillo)\n",
          cli->thread_count);
  return result;
}

/* ---- Ground truth -----------------------------------------------------------------------------
 */

/* A motion of up to two clips: the second takes over at `change` seconds. */
typedef struct Motion {
  const char *name;
  const char *clips[2];
  double change, seconds;
} Motion;

typedef struct Mover {
  const SupCharacter *character;
  const SupClip *clips[2];
  double change;
  SupPose poses[2];
  SupAffine *globals, *palette;
} Mover;

static const SupClip *clip_of(const SupCharacter *character, const char *name) {
  for (uint32_t k = 0; name && k < character->clip_count; k++) {
    if (strcmp(character->clips[k].name, name) == 0) return &character->clips[k];
  }
  return NULL;
}

static void pose_at(Mover *m, double time) {
  const SupSkeleton *skeleton = &m->character->skeleton;
  sup_pose_rest(skeleton, &m->poses[0]);
  sup_clip_sample(m->clips[0], (float)(time > 0 ? time : 0), true, NULL, &m->poses[0], NULL);
  if (m->clips[1]) {
    double w = (time - m->change) / 0.3;
    w = w < 0 ? 0 : w > 1 ? 1 : w * w * (3 - 2 * w);
    const double own = time - m->change;
    sup_pose_rest(skeleton, &m->poses[1]);
    sup_clip_sample(m->clips[1], (float)(own > 0 ? own : 0), false, NULL, &m->poses[1], NULL);
    sup_pose_blend(&m->poses[0], &m->poses[1], (float)w, NULL, &m->poses[0]);
  }
  sup_pose_evaluate(skeleton, &m->poses[0], m->globals, m->palette);
}

static void palette_at(void *user, double time, SupAffined *out_palette) {
  Mover *m = user;
  pose_at(m, time);
  for (uint32_t b = 0; b < m->character->skeleton.bone_count; b++) {
    for (int k = 0; k < 12; k++) out_palette[b].m[k] = (double)m->palette[b].m[k];
  }
}

static SupResult mover_make(CliContext *cli, const SupCharacter *character, const Motion *motion,
                            Mover *out, SupError *error) {
  const uint32_t joints = character->skeleton.joint_count;
  *out = (Mover){.character = character, .change = motion->change};
  for (int k = 0; k < 2; k++) {
    out->clips[k] = clip_of(character, motion->clips[k]);
    out->poses[k] =
        (SupPose){joints, sup_transform_identity(), SUP_ALLOC(cli->arena, SupTransform, joints)};
    if (!out->poses[k].joints) return sup_fail_memory(error, NULL);
  }
  out->globals = SUP_ALLOC(cli->arena, SupAffine, joints);
  out->palette = SUP_ALLOC(cli->arena, SupAffine, character->skeleton.bone_count);
  if (!out->globals || !out->palette) return sup_fail_memory(error, NULL);
  if (!out->clips[0]) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%s has no clip '%s'", character->name,
                    motion->clips[0]);
  }
  return SUP_OK;
}

/* Simulates one motion at 60 frames a second. */
static SupResult teach(CliContext *cli, SupSim *sim, const SupCharacter *character,
                       const Motion *motion, SupSurfaceExample *out, SupError *error) {
  Mover mover;
  SupResult result = mover_make(cli, character, motion, &mover, error);
  if (result != SUP_OK) return result;
  const uint32_t bones = character->skeleton.bone_count, n = character->body.vertex_count;
  const double seconds = motion->seconds > 0 ? motion->seconds : (double)mover.clips[0]->duration;
  const uint32_t frames = (uint32_t)(60 * seconds + 1.001);
  SupAffine *palettes = SUP_ALLOC(cli->arena, SupAffine, (size_t)frames * bones);
  SupVec3 *positions = SUP_ALLOC(cli->arena, SupVec3, (size_t)frames * n);
  if (!palettes || !positions) return sup_fail_memory(error, NULL);
  sup_sim_place(sim, palette_at, &mover, 0);
  for (uint32_t i = 0; i < frames && result == SUP_OK; i++) {
    SupSimFrame frame;
    cli_progress(cli, motion->name, i, frames);
    if (i > 0) {
      result = sup_sim_advance(sim, palette_at, &mover, (i - 1) / 60.0, 1 / 60.0, &frame, error);
    }
    sup_sim_skin(sim, positions + (size_t)i * n);
    pose_at(&mover, i / 60.0);
    memcpy(palettes + (size_t)i * bones, mover.palette, bones * sizeof *palettes);
  }
  *out = (SupSurfaceExample){
      .name = motion->name, .frame_count = frames, .palettes = palettes, .positions = positions};
  return result;
}

/* ---- Learning ---------------------------------------------------------------------------------
 */

typedef struct Way {
  const char *name;
  uint32_t without; /* rows */
  bool literal;
} Way;

static const Way ways[] = {{"default", 0, false},
                           {"without spokes", 1u << SUP_SURFACE_GAMMA, false},
                           {"without detail", 1u << SUP_SURFACE_BETA, false},
                           {"literal", 0, true}};

typedef struct Study {
  CliContext *cli;
  SupCharacter character;
  uint32_t count;
  SupSurfaceExample examples[4];
} Study;

static SupResult study_make(CliContext *cli, const char *builtin, uint32_t vertices, uint32_t tets,
                            double young, const Motion *motions, uint32_t count, Study *out,
                            SupError *error) {
  SupSim *sim;
  SupSimReport report;
  *out = (Study){.cli = cli, .count = count};
  SupResult result = make(cli, builtin, vertices, &out->character, error);
  if (result != SUP_OK) return result;
  SupSimDef def = sup_sim_def(&out->character, cli->allocator);
  def.material.young = young;
  def.fill.tet_target = tets;
  def.jobs = cli->jobs;
  result = sup_sim_create(&def, &sim, &report, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = teach(cli, sim, &out->character, &motions[k], &out->examples[k], error);
  }
  cli_progress(cli, "", 1, 1);
  sup_sim_free(sim);
  cli_say(cli, "  %s: %u vertices, truth of %u tetrahedra\n", builtin,
          out->character.body.vertex_count, report.tet_count);
  return result;
}

/* Learns from those of the mask and says the error on each, trained or not. */
static SupResult try_way(Study *s, const Way *way, uint32_t trained, SupError *error) {
  CliContext *cli = s->cli;
  SupSurfaceTrainDef def = sup_surface_train_def(&s->character);
  SupSurfaceTrainReport report;
  SupSurfaceExample chosen[4];
  SupSurfaceMaps maps;
  SupModel *model;
  double errors[4];
  for (uint32_t k = 0; k < s->count; k++) {
    if (trained >> k & 1) chosen[def.example_count++] = s->examples[k];
  }
  def.examples = chosen;
  def.rows &= ~way->without;
  def.literal = way->literal;
  def.jobs = cli->jobs;
  def.passes = 5; /* enough here, and quick */
  def.descents = 20;
  def.iterations = 60;
  SupResult result = sup_surface_train(cli->arena, &def, &maps, &model, &report, error);
  if (result != SUP_OK) return result;
  def.example_count = s->count;
  def.examples = s->examples;
  sup_surface_error(cli->arena, &def, model, errors);
  cli_say(cli, "  %-16s", way->name);
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "method", way->name);
  for (uint32_t k = 0; k < s->count; k++) {
    const bool seen = trained >> k & 1;
    cli_say(cli, "  %12.3f%c", errors[k], seen ? '*' : ' ');
    cli_report_begin_object(cli->report, s->examples[k].name);
    cli_report_bool(cli->report, "trained", seen);
    cli_report_number(cli->report, "relative_error", errors[k]);
    cli_report_end(cli->report);
  }
  cli_report_number(cli->report, "growth", report.build.probe.growth);
  cli_report_end(cli->report);
  cli_say(cli, "\n");
  return SUP_OK;
}

static void say_head(const Study *s) {
  cli_say(s->cli, "  %-16s", "");
  for (uint32_t k = 0; k < s->count; k++) cli_say(s->cli, "  %13s", s->examples[k].name);
  cli_say(s->cli, "   (* trained on)\n");
}

static SupResult bar(CliContext *cli, SupError *error) {
  static const Motion motions[] = {{"translation", {"translation", NULL}, 0, 2},
                                   {"axial", {"axial", NULL}, 0, 2},
                                   {"lateral", {"lateral", NULL}, 0, 2}};
  static const uint32_t sets[] = {7, 6, 5, 3}; /* all three, then each of them left out */
  Study s;
  SupResult result = study_make(cli, "tube", 494, 700, 20000, motions, 3, &s, error);
  if (result != SUP_OK) return result;
  say_head(&s);
  cli_report_begin_array(cli->report, "rows");
  for (size_t k = 0; k < sizeof sets / sizeof *sets && result == SUP_OK; k++) {
    for (size_t w = 0; w < (k == 3 ? 4u : 1u) && result == SUP_OK; w++) {
      result = try_way(&s, &ways[w], sets[k], error);
    }
  }
  cli_report_end(cli->report);
  return result;
}

static SupResult jump(CliContext *cli, SupError *error) {
  static const Motion motions[] = {{"jump", {"jump", NULL}, 0, 2},
                                   {"run and jump", {"run", "jump"}, 1, 2.6}};
  Study s;
  SupResult result = study_make(cli, "mochi", 1000, 900, 90000, motions, 2, &s, error);
  if (result != SUP_OK) return result;
  say_head(&s);
  cli_report_begin_array(cli->report, "rows");
  for (size_t w = 0; w < sizeof ways / sizeof *ways && result == SUP_OK; w++) {
    result = try_way(&s, &ways[w], 1, error);
  }
  cli_report_end(cli->report);
  return result;
}

const CliPaper cli_paper_shi2008 = {
    .name = "shi2008",
    .title = "Shi, Zhou, Tong, Desbrun, Bao, Guo 2008: Example-based dynamic skinning in real time",
    .parts = {{"table1", "time per frame at the sizes of its table 1", table1},
              {"bar", "the bar with three motions; spokes and detail; the published fit", bar},
              {"jump", "a jump teaches a run and jump", jump},
              {0}}};
