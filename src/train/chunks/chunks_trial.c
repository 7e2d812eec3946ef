/* SPDX-License-Identifier: MIT */
/*
 * Chunks that would be wrong: ones that do not know a joint that moves their skin, and ones whose
 * shell turns over in the character's own clips. They stay plainly skinned.
 */
#include "chunks_work.h"
#include "supple/clip.h"
#include "supple/pose.h"

#define NOTICED 0.05 /* weight at a corner that makes a joint known */
#define LOST 0.5     /* weight of unknown joints that moves a vertex */
#define FEW 20u      /* one vertex of so many may be lost */
#define SAMPLES 16u  /* of each clip */
#define NO_VOLUME 1e-30
#define SCALED 2.0 /* by more than this, or to less than its inverse, no bone may scale flesh */
#define NO_SIZE 1e-9
#define ASTRAY 0.5 /* lengths of the shell's edges that the skin may be from plain skinning */

/* ---- Joints that are not known --------------------------------------------------------------- */

static void know_vertex(const ChunksWork *w, uint32_t vertex, double share, uint8_t *known) {
  const SupSkin *skin = &w->def->character->skin;
  const SupSkeleton *s = &w->def->character->skeleton;
  for (uint32_t k = skin->offsets[vertex]; k < skin->offsets[vertex + 1]; k++) {
    if (share * (double)skin->weights[k] > NOTICED) known[s->bone_joints[skin->bones[k]]] = 1;
  }
}

static void know_corners(const ChunksWork *w, const ChunkPiece *piece, uint8_t *known) {
  for (uint32_t i = 0; i < piece->patch_count; i++) {
    const SupPatch *patch = &w->def->patches->patches[piece->patches[i]];
    for (uint32_t c = 0; c < patch->side_count; c++) {
      const SupSkinPoint at = w->def->patches->points[patch->loop[patch->corners[c]]];
      know_vertex(w, at.a, at.a == at.b ? 1 : 1 - at.t, known);
      if (at.a != at.b) know_vertex(w, at.b, at.t, known);
    }
  }
}

/* Those of the limb's bone, and those below its joint that lie along it: twists. */
static void know_bone(const ChunksWork *w, const ChunkPiece *piece, uint8_t *known) {
  const SupSkeleton *s = &w->def->character->skeleton;
  const SupVec3d start = piece->bones[0][0];
  const SupVec3d along = sup_vec3d_sub(piece->bones[0][1], start);
  known[piece->joints[0]] = known[piece->joints[1]] = 1;
  for (uint32_t j = 0; j < s->joint_count; j++) {
    const SupVec3d at = sup_vec3d_sub(sup_affined_translation(w->figure.binds[j]), start);
    const double u = sup_vec3d_dot(at, along) / sup_vec3d_dot(along, along);
    const SupVec3d off = sup_vec3d_add_scaled(at, along, -u);
    if (u > 0 && u < 1 && sup_vec3d_length(off) < piece->radius / 2) known[j] = 1;
  }
}

/* What lies between two known joints is known. */
static void know_between(const SupSkeleton *s, uint8_t *known) {
  for (uint32_t j = 0; j < s->joint_count; j++) {
    if (known[j] != 1) continue;
    int32_t top = -1;
    for (int32_t up = s->parents[j]; up >= 0; up = s->parents[up]) {
      if (known[up] == 1) top = up;
    }
    for (int32_t up = top < 0 ? -1 : s->parents[j]; up >= 0 && up != top; up = s->parents[up]) {
      if (!known[up]) known[up] = 2;
    }
  }
}

/* How many vertices of the piece unknown joints move, of out_all; and the one that moves most. */
static uint32_t count_lost(const ChunksWork *w, const ChunkPiece *piece, const uint8_t *known,
                           double *sums, uint32_t *out_all, uint32_t *out_joint) {
  const SupSkin *skin = &w->def->character->skin;
  const SupSkeleton *s = &w->def->character->skeleton;
  uint32_t lost = 0;
  *out_all = *out_joint = 0;
  for (uint32_t i = 0; i < piece->patch_count; i++) {
    const SupPatchChart *chart = &w->def->charts->charts[piece->patches[i]];
    for (uint32_t v = 0; v < chart->vertex_count; v++) {
      const SupSkinPoint at = w->def->patches->points[chart->vertices[v].a];
      double unknown = 0;
      if (chart->vertices[v].a != chart->vertices[v].b || at.a != at.b) continue;
      for (uint32_t k = skin->offsets[at.a]; k < skin->offsets[at.a + 1]; k++) {
        const uint32_t joint = s->bone_joints[skin->bones[k]];
        if (known[joint]) continue;
        unknown += (double)skin->weights[k];
        sums[joint] += (double)skin->weights[k];
        if (sums[joint] > sums[*out_joint]) *out_joint = joint;
      }
      lost += unknown > LOST;
      ++*out_all;
    }
  }
  return lost;
}

static SupResult look_for_joints(ChunksWork *w, ChunkPiece *piece) {
  const SupSkeleton *s = &w->def->character->skeleton;
  SupArena scratch = sup_scratch(w->scratch);
  uint8_t *known = SUP_ALLOC(&scratch, uint8_t, s->joint_count);
  double *sums = SUP_ALLOC(&scratch, double, s->joint_count);
  const bool room = known && sums;
  uint32_t all = 0, joint = 0, lost = 0;
  if (room) {
    know_corners(w, piece, known);
    if (piece->limb) know_bone(w, piece, known);
    know_between(s, known);
    lost = count_lost(w, piece, known, sums, &all, &joint);
  }
  sup_arena_free(&scratch);
  if (!room) return sup_fail_memory(w->error, "chunks");
  if (lost * FEW <= all) return SUP_OK;
  char text[256];
  sup_format(
      text, sizeof text,
      "joint '%s' moves skin of it, %u of %u vertices with others, of which its corners know "
      "nothing",
      s->names[joint], lost, all);
  sup_chunks_refuse(w, piece, text);
  return SUP_OK;
}

SupResult sup_chunks_unknown_joints(ChunksWork *w) {
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < w->piece_count && result == SUP_OK; k++) {
    if (!w->pieces[k].reason) result = look_for_joints(w, &w->pieces[k]);
  }
  return result;
}

/* ---- Clips ----------------------------------------------------------------------------------- */

typedef struct Trial {
  ChunksWork *work;
  SupTransform *joints;
  SupAffine *globals, *palette;
  SupAffined *still;    /* [bone_count] the palette without the motion of the root */
  SupVec3d *tops, *now; /* [vertex_count] of the shell's vertices: skinned places */
  SupAffined *edge_maps;
  double *scales; /* [bone_count] of the palette */
  double *astray; /* [piece_count] the most */
  double *scaled; /* [piece_count] the most */
  uint32_t *clips, *scaled_clips;
} Trial;

static SupVec3d skinned(const Trial *t, uint32_t point, SupVec3d at) {
  const ChunksWork *w = t->work;
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = w->influence_offsets[point]; k < w->influence_offsets[point + 1]; k++) {
    const SupVec3d moved = sup_affined_point(t->still[w->influences[k].bone], at);
    sum = sup_vec3d_add_scaled(sum, moved, (double)w->influences[k].weight);
  }
  return sum;
}

/* How many times larger, or smaller, bones make the flesh above a face. Columns at its corners stay
 * as long as they are at rest: a part that a clip scales to nothing would be seen. */
static double scaled(const Trial *t, uint32_t face) {
  const ChunksWork *w = t->work;
  const SupShell *shell = &w->shell.shell;
  double most = 1;
  for (uint32_t i = shell->offsets[face]; i < shell->offsets[face + 1]; i++) {
    const uint32_t v = shell->corners[i];
    double scale = 0;
    for (uint32_t k = w->influence_offsets[v]; k < w->influence_offsets[v + 1]; k++) {
      scale += (double)w->influences[k].weight * t->scales[w->influences[k].bone];
    }
    scale = scale > NO_SIZE ? scale : NO_SIZE;
    if (scale > most) most = scale;
    if (1 / scale > most) most = 1 / scale;
  }
  return most;
}

/* How far the columns at corners and in the middle of sides put the skin from where skinning has
 * it, in lengths of the sides. */
static double astray(const Trial *t, uint32_t face) {
  const SupShell *shell = &t->work->shell.shell;
  const uint32_t first = shell->offsets[face], count = shell->offsets[face + 1] - first;
  const SupVec3d *tops = t->work->shell.tops;
  double most = 0, length = 0;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t v = shell->corners[first + k], next = shell->corners[first + (k + 1) % count];
    const SupAffined map = sup_shell_vertex_map(shell, t->edge_maps, v);
    const SupAffined side = t->edge_maps[shell->edges_of[first + k]];
    const SupVec3d top = tops[v], middle = sup_vec3d_lerp(top, tops[next], 0.5);
    const SupVec3d now = sup_vec3d_lerp(t->tops[v], t->tops[next], 0.5);
    const double far[2] = {sup_vec3d_distance(sup_affined_point(map, top), t->tops[v]),
                           sup_vec3d_distance(sup_affined_point(side, middle), now)};
    if (far[0] > most) most = far[0];
    if (far[1] > most) most = far[1];
    length += sup_vec3d_distance(top, tops[next]) / count;
  }
  return most / length;
}

static void try_pose(Trial *t, const SupPose *pose, uint32_t clip) {
  ChunksWork *w = t->work;
  const ChunkShell *s = &w->shell;
  sup_pose_evaluate(&w->def->character->skeleton, pose, t->globals, t->palette);
  const SupAffined root = sup_affine_to_double(t->palette[w->figure.root]);
  const double volume = sup_mat3d_determinant(sup_affined_linear(root));
  if (!(volume > NO_VOLUME || -volume > NO_VOLUME)) return;
  const SupAffined back = sup_affined_inverse(root);
  for (uint32_t b = 0; b < w->def->character->skeleton.bone_count; b++) {
    t->still[b] = sup_affined_mul(back, sup_affine_to_double(t->palette[b]));
    const double size = sup_mat3d_determinant(sup_affined_linear(t->still[b]));
    t->scales[b] = sup_exp(sup_log(size < 0 ? NO_VOLUME - size : NO_VOLUME + size) / 3);
  }
  for (uint32_t v = 0; v < s->shell.vertex_count; v++) {
    t->now[v] = skinned(t, v, s->rest[v]);
    t->tops[v] = skinned(t, v, s->tops[v]);
  }
  sup_shell_edge_maps(&s->shell, s->rest, t->now, t->edge_maps);
  for (uint32_t k = 0; k < w->piece_count; k++) {
    if (w->pieces[k].limb || !w->pieces[k].made) continue;
    const double far = astray(t, w->pieces[k].face), times = scaled(t, w->pieces[k].face);
    if (far > t->astray[k]) t->clips[k] = clip;
    if (far > t->astray[k]) t->astray[k] = far;
    if (times > t->scaled[k]) t->scaled_clips[k] = clip;
    if (times > t->scaled[k]) t->scaled[k] = times;
  }
}

static void try_clips(Trial *t, SupPose *pose) {
  const SupCharacter *c = t->work->def->character;
  for (uint32_t k = 0; k < c->clip_count; k++) {
    for (uint32_t i = 0; i < SAMPLES; i++) {
      sup_pose_rest(&c->skeleton, pose);
      sup_clip_sample(&c->clips[k], c->clips[k].duration * (float)i / (SAMPLES - 1), false, NULL,
                      pose, NULL);
      try_pose(t, pose, k);
    }
  }
}

static void judge(const Trial *t, uint32_t k) {
  const SupClip *clips = t->work->def->character->clips;
  ChunkPiece *piece = &t->work->pieces[k];
  char text[256];
  if (t->scaled[k] > SCALED) {
    sup_format(text, sizeof text,
               "bones scale it by more than %g, or to less than 1/%g, in clip '%s'", SCALED, SCALED,
               clips[t->scaled_clips[k]].name);
  } else if (t->astray[k] > ASTRAY) {
    sup_format(text, sizeof text, "the shell below it turns over in clip '%s'",
               clips[t->clips[k]].name);
  } else {
    return;
  }
  sup_chunks_refuse(t->work, piece, text);
  piece->made = false;
}

SupResult sup_chunks_trial(ChunksWork *w) {
  const SupCharacter *c = w->def->character;
  SupArena scratch = sup_scratch(w->scratch);
  const uint32_t joints = c->skeleton.joint_count, vertices = w->shell.shell.vertex_count;
  Trial t = {.work = w,
             .joints = SUP_ALLOC(&scratch, SupTransform, joints),
             .globals = SUP_ALLOC(&scratch, SupAffine, joints),
             .palette = SUP_ALLOC(&scratch, SupAffine, c->skeleton.bone_count),
             .still = SUP_ALLOC(&scratch, SupAffined, c->skeleton.bone_count),
             .tops = SUP_ALLOC(&scratch, SupVec3d, vertices),
             .now = SUP_ALLOC(&scratch, SupVec3d, vertices),
             .edge_maps = SUP_ALLOC(&scratch, SupAffined, w->shell.shell.edge_count),
             .scales = SUP_ALLOC(&scratch, double, c->skeleton.bone_count),
             .astray = SUP_ALLOC(&scratch, double, w->piece_count),
             .scaled = SUP_ALLOC(&scratch, double, w->piece_count),
             .clips = SUP_ALLOC(&scratch, uint32_t, w->piece_count),
             .scaled_clips = SUP_ALLOC(&scratch, uint32_t, w->piece_count)};
  const bool room = t.joints && t.globals && t.palette && t.still && t.tops && t.now &&
                    t.edge_maps && t.scales && t.astray && t.scaled && t.clips && t.scaled_clips;
  SupPose pose = {joints, sup_transform_identity(), t.joints};
  if (room && vertices) try_clips(&t, &pose);
  for (uint32_t k = 0; k < w->piece_count && room; k++) judge(&t, k);
  sup_arena_free(&scratch);
  return room ? SUP_OK : sup_fail_memory(w->error, "chunks");
}
