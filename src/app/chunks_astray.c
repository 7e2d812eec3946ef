/* SPDX-License-Identifier: MIT */
#include "chunks_astray.h"

#include <math.h>

#include "supple/clip.h"
#include "supple/pose.h"

#define MOST_CLIPS 12u
#define SAMPLES 12u /* of each clip */

typedef struct Screening {
  const SupCharacter *character;
  SupChunksView view;
  SupChunksState *state;
  SupPose pose;
  SupAffine *globals, *palette;
  float *shown, *plain; /* rows of lanes */
  float *muted;         /* [piece_count] 0 */
  uint32_t *owners;     /* [vertex_count] the chunk of each vertex, or SUP_CHUNKS_NONE */
  double *sizes;        /* [piece_count] cube roots of volumes */
  double (*sums)[4];    /* [vertex_count] of the vertices beside it: how they left skinning */
} Screening;

/* ---- Room ------------------------------------------------------------------------------------ */

static void own_vertices(Screening *s, const SupChunksTrained *trained) {
  for (uint32_t v = 0; v < s->character->body.vertex_count; v++) s->owners[v] = SUP_CHUNKS_NONE;
  for (uint32_t k = 0; k < trained->def.patch_count; k++) {
    const SupChunksPatchDef *patch = &trained->def.patches[k];
    for (uint32_t v = 0; v < patch->vertex_count; v++) {
      if (patch->vertices[v] != SUP_CHUNKS_NONE) s->owners[patch->vertices[v]] = patch->piece;
    }
  }
  for (uint32_t k = 0; k < trained->def.piece_count; k++) {
    s->sizes[k] = cbrt(trained->report.pieces[k].volume);
    s->muted[k] = 0;
  }
}

static bool make_room(SupArena *arena, Screening *s) {
  const SupSkeleton *skeleton = &s->character->skeleton;
  const uint32_t vertices = s->character->body.vertex_count, pieces = s->view.piece_count;
  const size_t rows = (size_t)48 * s->view.skin.block_count;
  void *block = sup_arena_alloc(arena, sup_chunks_bytes(&s->view), 1);
  s->globals = SUP_ALLOC(arena, SupAffine, skeleton->joint_count);
  s->palette = SUP_ALLOC(arena, SupAffine, skeleton->bone_count);
  s->pose = (SupPose){skeleton->joint_count, sup_transform_identity(),
                      SUP_ALLOC(arena, SupTransform, skeleton->joint_count)};
  s->shown = SUP_ALLOC(arena, float, rows);
  s->plain = SUP_ALLOC(arena, float, rows);
  s->muted = SUP_ALLOC(arena, float, pieces);
  s->sizes = SUP_ALLOC(arena, double, pieces);
  s->owners = SUP_ALLOC(arena, uint32_t, vertices);
  s->sums = sup_arena_alloc(arena, vertices, sizeof *s->sums);
  if (!block || !s->globals || !s->palette || !s->pose.joints || !s->shown || !s->plain ||
      !s->muted || !s->sizes || !s->owners || !s->sums) {
    return false;
  }
  s->state = sup_chunks_init(&s->view, block);
  return true;
}

/* ---- A pose ---------------------------------------------------------------------------------- */

static void shape(const Screening *s, const SupChunksControls *controls, float *out_rows) {
  const SupChunksCall call = {
      .pose = &s->pose, .palette = s->palette, .controls = controls, .positions = out_rows};
  sup_chunks_shape(&s->view, s->state, sup_backend_cpu(), NULL, &call);
}

/* How a vertex has left plain skinning. */
static SupVec3d left(const Screening *s, uint32_t vertex) {
  const uint32_t lane = s->view.lanes[vertex];
  const size_t at = (size_t)48 * (lane / 16) + lane % 16;
  return (SupVec3d){(double)(s->shown[at] - s->plain[at]),
                    (double)(s->shown[at + 16] - s->plain[at + 16]),
                    (double)(s->shown[at + 32] - s->plain[at + 32])};
}

static void add_triangle(Screening *s, const uint32_t corners[3]) {
  for (uint32_t c = 0; c < 3; c++) {
    const SupVec3d by = left(s, corners[c]);
    for (uint32_t other = 1; other < 3; other++) {
      double *sum = s->sums[corners[(c + other) % 3]];
      sum[0] += by.x;
      sum[1] += by.y;
      sum[2] += by.z;
      sum[3] += 1;
    }
  }
}

static void look_for_spikes(Screening *s, uint32_t clip, ChunksAstray *io_astray) {
  const SupMesh *body = &s->character->body;
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    for (uint32_t k = 0; k < 4; k++) s->sums[v][k] = 0;
  }
  for (uint32_t t = 0; t < body->triangle_count; t++) {
    add_triangle(s, body->triangles + 3 * (size_t)t);
  }
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    const double *sum = s->sums[v];
    const uint32_t piece = s->owners[v];
    if (piece == SUP_CHUNKS_NONE || sum[3] < 1) continue;
    const SupVec3d mean = {sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3]};
    const double spike = sup_vec3d_distance(left(s, v), mean) / s->sizes[piece];
    if (spike > io_astray[piece].spike) io_astray[piece] = (ChunksAstray){spike, clip};
  }
}

SupResult sup_chunks_play_clips(SupArena *arena, const SupCharacter *character,
                                const SupChunksTrained *trained, const SupModel *model,
                                ChunksAstray *out_astray, SupError *error) {
  Screening s = {.character = character, .view = sup_chunks_view(model)};
  if (!make_room(arena, &s)) return sup_fail_memory(error, "chunks");
  own_vertices(&s, trained);
  const SupChunksControls none = {.strengths = s.muted};
  for (uint32_t k = 0; k < trained->def.piece_count; k++) out_astray[k] = (ChunksAstray){0, 0};
  for (uint32_t c = 0; c < character->clip_count && c < MOST_CLIPS; c++) {
    const SupClip *clip = &character->clips[c];
    for (uint32_t i = 0; i < SAMPLES; i++) {
      sup_pose_rest(&character->skeleton, &s.pose);
      sup_clip_sample(clip, clip->duration * (float)i / (SAMPLES - 1), false, NULL, &s.pose, NULL);
      sup_pose_evaluate(&character->skeleton, &s.pose, s.globals, s.palette);
      shape(&s, NULL, s.shown);
      shape(&s, &none, s.plain);
      look_for_spikes(&s, c, out_astray);
    }
  }
  return SUP_OK;
}
