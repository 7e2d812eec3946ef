/* SPDX-License-Identifier: MIT */
/* Examples over models that a file already has. */
#include <math.h>
#include <string.h>

#include "supple/app/example_files.h"
#include "supple/geom/measure.h"

/* An example that is played: along its clip from the beginning, or pose by pose. */
typedef struct Show {
  SupPlayer player;
  const SupClip *clip; /* NULL: every frame is a pose, in balance */
  const SupSamples *samples;
  const SupTransform *joints; /* of the pose that is shown */
  SupExternalForces forces;
} Show;

static void show_pose(void *user, float ago, SupPose *io_pose) {
  const Show *show = user;
  (void)ago;
  memcpy(io_pose->joints, show->joints, io_pose->joint_count * sizeof *io_pose->joints);
}

/* Makes a show of these models; *out must stay where it is. */
static SupResult make_show(const SupAppContext *app, const SupCharacter *character,
                           const SupModelList *models, float gravity, const SupClip *clip,
                           const SupSamples *samples, Show *out, SupError *error) {
  *out = (Show){.clip = clip,
                .samples = samples,
                .joints = samples->poses,
                .forces = {.acceleration = {0, -gravity, 0}}};
  SupPlayerDef def = sup_player_def();
  def.character = character;
  def.model_count = models->count;
  def.models = models->models;
  def.order = SUP_ORDER_BODY;
  def.jobs = app->jobs;
  def.modify_pose = clip ? NULL : show_pose;
  def.user = out;
  SupResult result = sup_player_create(app->arena, &def, &out->player, error);
  if (result != SUP_OK) return result;
  SupPlayback playback = sup_playback(clip);
  playback.fps = (double)samples->fps;
  sup_player_play(&out->player, &playback);
  return SUP_OK;
}

/* Shows frame i, the one after the last: body vertices go to out_positions. */
static void show_frame(Show *show, uint32_t i, SupVec3 *out_positions) {
  const SupSamples *s = show->samples;
  SupPlayer *player = &show->player;
  const SupStackFrame inputs = {.forces = &show->forces, .positions = {&out_positions->x, 3}};
  if (!show->clip) {
    show->joints = s->poses + (size_t)i * s->joint_count;
    sup_player_reset(player);
    sup_player_step(player, 0, &inputs);
  } else if (!(s->start > 0)) {
    sup_player_frame(player, &inputs);
  } else if (i == 0) {
    sup_player_seek(player, (double)s->start, SUP_PLAYER_FROM_START, &inputs);
  } else {
    sup_player_step(player, 1 / player->playback.fps, &inputs);
  }
}

/* ---- What comes first ------------------------------------------------------------------------ */

/* Those that move joints. */
static SupModelList bones_of(const SupModelList *models) {
  SupModelList bones = {0};
  for (uint32_t k = 0; k < models->count; k++) {
    if (sup_stack_stage(NULL, models->models[k]->kind) != SUP_STAGE_BONES) continue;
    bones.models[bones.count++] = models->models[k];
  }
  return bones;
}

SupResult sup_move_poses(const SupAppContext *app, const SupCharacterFile *file,
                         const SupModelList *models, float gravity, const SupClip *clip,
                         SupSamples *io_samples, SupError *error) {
  const SupModelList bones = bones_of(models);
  const size_t joints = io_samples->joint_count;
  if (bones.count == 0) return SUP_OK;
  SupTransform *moved = SUP_ALLOC(app->arena, SupTransform, io_samples->frame_count * joints);
  SupVec3 *unused = SUP_ALLOC(app->arena, SupVec3, file->character->body.vertex_count);
  if (!moved || !unused) return sup_fail_memory(error, NULL);
  Show show;
  SupResult result =
      make_show(app, file->character, &bones, gravity, clip, io_samples, &show, error);
  if (result != SUP_OK) return result;
  for (uint32_t i = 0; i < io_samples->frame_count; i++) {
    show_frame(&show, i, unused);
    memcpy(moved + i * joints, sup_stack_joints(&show.player.stack, show.player.state),
           joints * sizeof *moved);
  }
  io_samples->poses = moved;
  return SUP_OK;
}

SupResult sup_show_example(const SupAppContext *app, const SupCharacterFile *file,
                           const SupModelList *models, float gravity, const SupExample *example,
                           SupVec3 *out_positions, SupError *error) {
  const uint32_t n = file->character->body.vertex_count;
  Show show;
  SupResult result = make_show(app, file->character, models, gravity, example->clip,
                               &example->samples, &show, error);
  for (uint32_t i = 0; i < example->samples.frame_count && result == SUP_OK; i++) {
    show_frame(&show, i, out_positions + (size_t)i * n);
  }
  return result;
}

/* ---- What a model changes -------------------------------------------------------------------- */

/* Sums over the vertices of a frame, weighted by area: squared errors of both, their difference
 * squared, and that times the first one's error. */
static void add_frame(const SupMesh *body, const double *areas, const SupVec3 *before,
                      const SupVec3 *after, const SupVec3 *wanted, double sums[4]) {
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    const SupVec3 miss = sup_vec3_sub(wanted[v], before[v]),
                  way = sup_vec3_sub(after[v], before[v]);
    const SupVec3 left = sup_vec3_sub(miss, way);
    const double miss2 = (double)sup_vec3_dot(miss, miss);
    if (!isfinite(miss2)) continue; /* a position that nobody knows */
    sums[0] += areas[v] * miss2;
    sums[1] += areas[v] * (double)sup_vec3_dot(left, left);
    sums[2] += areas[v] * (double)sup_vec3_dot(way, way);
    sums[3] += areas[v] * (double)sup_vec3_dot(way, miss);
  }
}

/* A change this small beside the error, both squared, tells nothing about how much of it is best.
 */
#define SLIGHT 1e-3

SupResult sup_stack_change(const SupAppContext *app, const SupCharacterFile *file,
                           const SupModelList *before, const SupModelList *after, float gravity,
                           uint32_t count, const SupExample *examples, bool moving,
                           SupStackChange *out_change, SupError *error) {
  const SupCharacter *character = file->character;
  const uint32_t n = character->body.vertex_count;
  SupVec3 *shown = SUP_ALLOC(app->arena, SupVec3, 2 * (size_t)n);
  double *areas = SUP_ALLOC(app->arena, double, n);
  double sums[4] = {0}, area = 0;
  SupStackChange change = {0};
  if (!shown || !areas) return sup_fail_memory(error, NULL);
  sup_vertex_areas(&character->body, SUP_AREA_BARYCENTRIC, areas);
  for (uint32_t v = 0; v < n; v++) area += areas[v];
  for (uint32_t k = 0; k < count; k++) {
    const SupExample *e = &examples[k];
    Show a, b;
    if ((e->clip != NULL) != moving) continue;
    SupResult result = make_show(app, character, before, gravity, e->clip, &e->samples, &a, error);
    if (result == SUP_OK) {
      result = make_show(app, character, after, gravity, e->clip, &e->samples, &b, error);
    }
    if (result != SUP_OK) return result;
    for (uint32_t i = 0; i < e->samples.frame_count; i++) {
      show_frame(&a, i, shown);
      show_frame(&b, i, shown + n);
      add_frame(&character->body, areas, shown, shown + n, e->samples.positions + (size_t)i * n,
                sums);
    }
    change.frame_count += e->samples.frame_count;
  }
  const double all = area * change.frame_count;
  change.before = all > 0 ? sqrt(sums[0] / all) : 0;
  change.after = all > 0 ? sqrt(sums[1] / all) : 0;
  change.best = sums[2] > SLIGHT * sums[0] ? sums[3] / sums[2] : 1;
  *out_change = change;
  return SUP_OK;
}
