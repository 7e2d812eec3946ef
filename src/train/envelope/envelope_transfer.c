/* SPDX-License-Identifier: MIT */
/*
 * An envelope carried over to a character of which there is only the dress shape.
 *
 *   turns of joints: in the space of the whole character, in the dress poses        carry_poses
 *   example shapes of the control mesh (Guo 2007, 3.19)                             carry_shapes
 *     c_t^j = cbar_t^j + N (c_p^j - cbar_p^j),  N = C_t C_p^T (C_p C_p^T)^-1
 *   the residual: psi at the target's own places times the ratio B of the boxes envelope_tables.c
 *
 * C has the edges of the ring around a vertex, as skinning the dress shape alone has it in posture
 * j. The edges of a flat ring do not say what becomes of its normal (GUO-E12): the unit normal, as
 * long as the ring's edges are on average, is one more column. What N stretches stays within a
 * factor of 4 of the ratio of the characters' sizes.
 */
#include "numerics/dense.h"
#include "supple/retarget.h"
#include "train/envelope/envelope_work.h"

#define COOKIE SUP_FOURCC('e', 'n', 't', 'f')
#define STRETCH 4.0
#define FLAT 1e-6    /* relative: directions in which a ring has nothing */
#define POLYGON 1e-6 /* that two polygons may differ by */

SupEnvelopeTransferDef sup_envelope_transfer_def(const SupEnvelopeTrained *primary,
                                                 const SupCharacter *target) {
  return (SupEnvelopeTransferDef){.cookie = COOKIE, .primary = primary, .character = target};
}

typedef struct Transfer {
  EnvelopeWork *work;
  const SupEnvelopeTransferDef *def;
  const SupEnvelopeLearned *primary;
  uint32_t *joints;    /* [joint_count of the primary] */
  uint32_t *controls;  /* [control count of the target] the primary's */
  SupQuatd *facing[2]; /* of the primary's and the target's joints in the dress poses */
} Transfer;

/* ---- What was given -------------------------------------------------------------------------- */

static SupResult check(const SupEnvelopeTransferDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: start from sup_envelope_transfer_def()");
  }
  const SupEnvelopeLearned *primary = def->primary->learned;
  const SupCharacter *c = def->character;
  if (c->skeleton.bone_count == 0 || c->skin.vertex_count != c->body.vertex_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the target has no skin; bind it to a skeleton first");
  }
  if (!def->patches_def || !def->patches || !def->charts ||
      def->patches_def->mesh.vertex_count != c->body.vertex_count ||
      def->charts->patch_count != def->patches->patch_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: the patches are not of the target");
  }
  if (primary->carried) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "envelope: what was carried over cannot be carried on; use the first character");
  }
  for (uint32_t j = 0; def->joints && j < primary->figure.character->skeleton.joint_count; j++) {
    if (def->joints[j] == SUP_NONE || def->joints[j] < c->skeleton.joint_count) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: the target has no joint %u",
                    def->joints[j]);
  }
  SupResult result = sup_patches_isomorphic(primary->patches_def, primary->patches,
                                            def->patches_def, def->patches, error);
  if (result != SUP_OK) return result;
  return sup_envelope_check_edits(def->patches_def, def->patches, primary->figure.shape_count,
                                  def->edit_count, def->edits, error);
}

static const char *feature_of(const SupEnvelopeLearned *l, uint32_t control) {
  return l->patches_def->features[l->control.features[control]].name;
}

/* Patches and their corners correspond, and lie in the same polygons. */
static SupResult match_faces(Transfer *t) {
  SupEnvelopeLearned *l = t->work->learned;
  const SupEnvelopeLearned *primary = t->primary;
  uint32_t *sources = SUP_ALLOC(t->work->scratch, uint32_t, l->patch_count);
  t->controls = SUP_ALLOC(t->work->scratch, uint32_t, l->control.count);
  if (!sources || !t->controls) return sup_fail_memory(t->work->error, "envelope");
  sup_patches_match(l->patches_def, l->patches, primary->patches_def, primary->patches, sources);
  for (uint32_t p = 0; p < l->patch_count; p++) {
    EnvelopePatch *face = &l->faces[p];
    const EnvelopePatch *from = &primary->faces[sources[p]];
    const SupPatchChart *a = &l->charts->charts[p], *b = &primary->charts->charts[sources[p]];
    bool same = a->corner_count == b->corner_count;
    face->source = sources[p];
    for (uint32_t k = 0; same && k < a->corner_count; k++) {
      const double x = a->corners[k][0] - b->corners[k][0], y = a->corners[k][1] - b->corners[k][1];
      same =
          x * x + y * y < POLYGON * POLYGON &&
          sup_string_equal(feature_of(l, face->corners[k]), feature_of(primary, from->corners[k]));
      t->controls[face->corners[k]] = from->corners[k];
    }
    if (same) continue;
    return sup_fail(t->work->error, SUP_ERROR_ARGUMENT,
                    "envelope: the target's patch '%s' is not laid into the polygon of the first "
                    "character's",
                    face->name);
  }
  return SUP_OK;
}

/* ---- Joints and poses ------------------------------------------------------------------------ */

static SupResult match_joints(Transfer *t) {
  const SupSkeleton *from = &t->primary->figure.character->skeleton;
  const SupSkeleton *to = &t->def->character->skeleton;
  SupRetargetJoint *matched = SUP_ALLOC(t->work->scratch, SupRetargetJoint, to->joint_count);
  t->joints = SUP_ALLOC(t->work->scratch, uint32_t, from->joint_count);
  if (!matched || !t->joints) return sup_fail_memory(t->work->error, "envelope");
  for (uint32_t j = 0; j < from->joint_count; j++) {
    t->joints[j] = t->def->joints ? t->def->joints[j] : SUP_NONE;
  }
  if (t->def->joints) return SUP_OK;
  sup_retarget_make(from, to, matched);
  for (uint32_t j = to->joint_count; j-- > 0;) {
    if (matched[j].source != UINT32_MAX) t->joints[matched[j].source] = j;
  }
  return SUP_OK;
}

/* Rotations of joints in the space of the character, in the dress pose. */
static SupQuatd *facing_of(SupArena *scratch, const EnvelopeFigure *f) {
  const SupSkeleton *s = &f->character->skeleton;
  SupQuatd *facing = SUP_ALLOC(scratch, SupQuatd, s->joint_count);
  for (uint32_t j = 0; facing && j < s->joint_count; j++) {
    const SupQuatd own = sup_quat_to_double(f->poses[j].rotation);
    facing[j] = s->parents[j] < 0 ? own : sup_quatd_mul(facing[s->parents[j]], own);
    facing[j] = sup_quatd_normalise(facing[j]);
  }
  return facing;
}

/* From the frame of the primary's joint to that of the target's: G_t^-1 G_p. */
static SupQuatd between(const Transfer *t, uint32_t from, uint32_t to) {
  return sup_quatd_mul(sup_quatd_conjugate(t->facing[1][to]), t->facing[0][from]);
}

static void carry_poses(const Transfer *t) {
  const EnvelopeFigure *from = &t->primary->figure;
  EnvelopeFigure *to = &t->work->learned->figure;
  const uint32_t joints = to->character->skeleton.joint_count;
  const uint32_t from_joints = from->character->skeleton.joint_count;
  for (uint32_t i = 1; i < to->shape_count; i++) {
    SupTransform *pose = to->poses + (size_t)i * joints;
    sup_copy(pose, to->poses, joints * sizeof *pose);
    for (uint32_t j = 0; j < from_joints; j++) {
      const uint32_t k = t->joints[j];
      if (k == SUP_NONE) continue;
      const SupQuatd rest = sup_quat_to_double(from->poses[j].rotation);
      const SupQuatd now = sup_quat_to_double(from->poses[(size_t)i * from_joints + j].rotation);
      const SupQuatd turn = sup_quatd_mul(sup_quatd_conjugate(rest), now), c = between(t, j, k);
      const SupQuatd own = sup_quatd_mul(sup_quatd_mul(c, turn), sup_quatd_conjugate(c));
      const SupQuatd all = sup_quatd_mul(sup_quat_to_double(to->poses[k].rotation), own);
      pose[k].rotation = sup_quatd_to_float(sup_quatd_normalise(all));
    }
  }
}

static SupResult carry_angles(const Transfer *t) {
  SupEnvelopeLearned *l = t->work->learned;
  const EnvelopeAngles *from = &t->primary->angles;
  l->angles = (EnvelopeAngles){.count = from->count, .room = from->count};
  l->angles.angles = SUP_COPY(t->work->arena, EnvelopeAngle, from->angles, from->count);
  if (!l->angles.angles) return sup_fail_memory(t->work->error, "envelope");
  for (uint32_t a = 0; a < from->count; a++) {
    EnvelopeAngle *angle = &l->angles.angles[a];
    const uint32_t joint = t->joints[angle->joint];
    if (joint != SUP_NONE) {
      const SupVec3d axis =
          sup_quatd_rotate(between(t, angle->joint, joint), sup_vec3_to_double(angle->axis));
      angle->axis = sup_vec3_normalise(sup_vec3d_to_float(axis));
      angle->rest = sup_quat_normalise(l->figure.poses[joint].rotation);
    }
    angle->joint = joint;
  }
  return SUP_OK;
}

/* What is read off a joint that the target has not cannot be played. */
static SupResult check_angle(const Transfer *t, uint32_t angle) {
  if (t->work->learned->angles.angles[angle].joint != SUP_NONE) return SUP_OK;
  const uint32_t joint = t->primary->angles.angles[angle].joint;
  return sup_fail(t->work->error, SUP_ERROR_ARGUMENT,
                  "envelope: the target has no joint for '%s', on whose turn shapes depend",
                  t->primary->figure.character->skeleton.names[joint]);
}

static SupResult check_angles(const Transfer *t) {
  const SupEnvelopeLearned *p = t->primary;
  SupResult result = SUP_OK;
  for (uint32_t b = 0; b < p->control.blend_count; b++) {
    const EnvelopeBlend *blend = &p->control.list[b];
    for (uint32_t k = 0; k < blend->angle_count && result == SUP_OK; k++) {
      result = check_angle(t, blend->angles[k]);
    }
  }
  for (uint32_t f = 0; f < p->patch_count; f++) {
    const EnvelopeResidual *r = &p->faces[f].residual;
    for (uint32_t k = 0; p->faces[f].has_residual && k < r->angle_count && result == SUP_OK; k++) {
      result = check_angle(t, r->angles[k]);
    }
  }
  return result;
}

/* ---- The dress shape ------------------------------------------------------------------------- */

static void skin_dress(EnvelopeFigure *f) {
  const SupSkin *skin = &f->character->skin;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    const SupVec3d rest = sup_vec3_to_double(f->character->body.positions[v]);
    SupVec3d sum = {0, 0, 0};
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      const SupVec3d at = sup_affined_point(f->palettes[skin->bones[k]], rest);
      sum = sup_vec3d_add_scaled(sum, at, (double)skin->weights[k]);
    }
    f->positions[v] = sum;
  }
}

static SupResult dress(Transfer *t) {
  EnvelopeFigure *f = &t->work->learned->figure;
  const uint32_t joints = f->character->skeleton.joint_count;
  for (uint32_t j = 0; t->def->dress && j < joints; j++) {
    f->poses[j] = t->def->dress[j];
    f->poses[j].rotation = sup_quat_normalise(f->poses[j].rotation);
  }
  t->facing[0] = facing_of(t->work->scratch, &t->primary->figure);
  t->facing[1] = facing_of(t->work->scratch, f);
  if (!t->facing[0] || !t->facing[1]) return sup_fail_memory(t->work->error, "envelope");
  carry_poses(t);
  SupResult result = sup_envelope_palettes(t->work->scratch, f, t->work->error);
  if (result != SUP_OK) return result;
  if (t->def->positions) {
    sup_envelope_take_positions(f, 0, t->def->positions);
  } else if (t->def->dress) {
    skin_dress(f);
  } else {
    sup_envelope_take_positions(f, 0, f->character->body.positions);
  }
  return SUP_OK;
}

/* ---- Example shapes -------------------------------------------------------------------------- */

/* The dress shape's control mesh skinned into a posture. */
static void skin_control(const SupEnvelopeLearned *l, uint32_t shape, SupVec3d *out) {
  for (uint32_t v = 0; v < l->control.count; v++) out[v] = sup_envelope_skinned(l, v, 0, shape);
}

/* Sums over the ring of a vertex of the target, and of its like in the primary: edges and the
 * normal's own. */
typedef struct Ring {
  SupVec3d normal;
  double square; /* of the lengths */
  uint32_t count;
} Ring;

static bool is_first(const EnvelopePatch *faces, uint32_t face, uint32_t corner, uint32_t vertex,
                     uint32_t neighbour) {
  for (uint32_t p = 0; p <= face; p++) {
    const EnvelopePatch *f = &faces[p];
    for (uint32_t k = 0; k < (p == face ? corner : f->corner_count); k++) {
      const uint32_t next = f->corners[(k + 1) % f->corner_count];
      if (f->corners[k] == vertex && next == neighbour) return false;
      if (f->corners[k] == neighbour && next == vertex) return false;
    }
  }
  return true;
}

static SupVec3d newell(const SupVec3d *at, const EnvelopePatch *f, const uint32_t *numbers) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = 0; k < f->corner_count; k++) {
    const uint32_t a = f->corners[k], b = f->corners[(k + 1) % f->corner_count];
    const SupVec3d p = at[numbers ? numbers[a] : a], q = at[numbers ? numbers[b] : b];
    const SupVec3d origin = at[numbers ? numbers[f->corners[0]] : f->corners[0]];
    sum = sup_vec3d_add(sum, sup_vec3d_cross(sup_vec3d_sub(p, origin), sup_vec3d_sub(q, origin)));
  }
  return sum;
}

static void add_outer(SupVec3d a, SupVec3d b, SupMat3d *io) {
  const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) io->m[3 * c + r] += x[r] * y[c];
  }
}

/* m^-1 of a symmetric m, without directions in which there is nothing. */
static SupMat3d pseudo_inverse(SupMat3d m) {
  const SupSvdd s = sup_mat3d_svd(m);
  const double values[3] = {s.s.x, s.s.y, s.s.z};
  SupMat3d out = {{0}};
  for (int k = 0; k < 3; k++) {
    if (!(values[k] > FLAT * values[0])) continue;
    add_outer(sup_vec3d_scale(sup_mat3d_column(s.v, k), 1 / values[k]), sup_mat3d_column(s.u, k),
              &out);
  }
  return out;
}

static SupMat3d limit_stretch(SupMat3d n, double ratio) {
  const SupSvdd s = sup_mat3d_svd(n);
  const double values[3] = {s.s.x, s.s.y, s.s.z};
  SupMat3d out = {{0}};
  bool within = true;
  for (int k = 0; k < 3; k++) {
    double v = values[k];
    if (v < ratio / STRETCH) v = ratio / STRETCH;
    if (v > ratio * STRETCH) v = ratio * STRETCH;
    within = within && v == values[k];
    add_outer(sup_vec3d_scale(sup_mat3d_column(s.u, k), v), sup_mat3d_column(s.v, k), &out);
  }
  return within ? n : out;
}

/* N at a vertex: what takes the ring of the primary to that of the target. */
static SupMat3d ring_map(const Transfer *t, uint32_t vertex, const SupVec3d *own,
                         const SupVec3d *theirs) {
  const SupEnvelopeLearned *l = t->work->learned;
  Ring ring[2] = {{{0, 0, 0}, 0, 0}, {{0, 0, 0}, 0, 0}};
  SupMat3d cross = {{0}}, square = {{0}};
  for (uint32_t p = 0; p < l->patch_count; p++) {
    const EnvelopePatch *f = &l->faces[p];
    for (uint32_t k = 0; k < f->corner_count; k++) {
      const uint32_t a = f->corners[k], b = f->corners[(k + 1) % f->corner_count];
      if (a == vertex) {
        ring[0].normal = sup_vec3d_add(ring[0].normal, newell(theirs, f, t->controls));
        ring[1].normal = sup_vec3d_add(ring[1].normal, newell(own, f, NULL));
      }
      const uint32_t other = a == vertex ? b : b == vertex ? a : SUP_NONE;
      if (other == SUP_NONE || !is_first(l->faces, p, k, vertex, other)) continue;
      const SupVec3d from = sup_vec3d_sub(theirs[t->controls[other]], theirs[t->controls[vertex]]);
      const SupVec3d to = sup_vec3d_sub(own[other], own[vertex]);
      add_outer(to, from, &cross);
      add_outer(from, from, &square);
      ring[0].square += sup_vec3d_dot(from, from), ring[1].square += sup_vec3d_dot(to, to);
      ring[0].count++;
    }
  }
  SupVec3d normals[2];
  for (int k = 0; k < 2; k++) {
    const double length = ring[0].count ? sup_sqrt(ring[k].square / ring[0].count) : 0;
    normals[k] = sup_vec3d_scale(sup_vec3d_normalise(ring[k].normal), length);
  }
  add_outer(normals[1], normals[0], &cross);
  add_outer(normals[0], normals[0], &square);
  const double ratio = l->figure.size / t->primary->figure.size;
  return limit_stretch(sup_mat3d_mul(cross, pseudo_inverse(square)), ratio);
}

static SupResult carry_shapes(const Transfer *t) {
  SupEnvelopeLearned *l = t->work->learned;
  const EnvelopeControl *from = &t->primary->control;
  EnvelopeControl *c = &l->control;
  SupVec3d *own = SUP_ALLOC(t->work->scratch, SupVec3d, c->count);
  SupVec3d *theirs = SUP_ALLOC(t->work->scratch, SupVec3d, from->count);
  if (!own || !theirs) return sup_fail_memory(t->work->error, "envelope");
  for (uint32_t i = 1; i < l->figure.shape_count; i++) {
    skin_control(l, i, own);
    skin_control(t->primary, i, theirs);
    for (uint32_t v = 0; v < c->count; v++) {
      const uint32_t p = t->controls[v];
      const SupVec3d moved = sup_vec3d_sub(from->shapes[(size_t)i * from->count + p], theirs[p]);
      const SupMat3d n = ring_map(t, v, own, theirs);
      c->shapes[(size_t)i * c->count + v] = sup_vec3d_add(own[v], sup_mat3d_mul_vec3(n, moved));
    }
  }
  return SUP_OK;
}

/* The blends are the primary's: the same angles in the same postures. Vertices that were put
 * elsewhere get theirs anew: the primary's may know no other shape than the dress shape. */
static SupResult carry_blends(const Transfer *t) {
  const EnvelopeControl *from = &t->primary->control;
  EnvelopeControl *c = &t->work->learned->control;
  const uint32_t edits = t->def->edit_count;
  uint32_t *edited = SUP_ALLOC(t->work->scratch, uint32_t, edits);
  c->blend_count = from->blend_count;
  c->list = SUP_ALLOC(t->work->arena, EnvelopeBlend, (size_t)from->blend_count + edits);
  c->blends = SUP_ALLOC(t->work->arena, uint32_t, c->count);
  if (!edited || !c->list || !c->blends) return sup_fail_memory(t->work->error, "envelope");
  sup_copy(c->list, from->list, from->blend_count * sizeof *c->list);
  for (uint32_t v = 0; v < c->count; v++) c->blends[v] = from->blends[t->controls[v]];
  for (uint32_t e = 0; e < edits; e++) {
    edited[e] = sup_envelope_edited(t->work->learned, &t->def->edits[e]);
  }
  return sup_envelope_blend_edited(t->work, edits, edited);
}

/* ---- The job --------------------------------------------------------------------------------- */

static SupResult carry(Transfer *t) {
  EnvelopeWork *w = t->work;
  SupEnvelopeLearned *l = w->learned;
  const EnvelopeFigure *from = &t->primary->figure;
  SupResult result = match_joints(t);
  if (result != SUP_OK) return result;
  const uint32_t root = t->joints[from->character->skeleton.bone_joints[from->root]];
  result = sup_envelope_figure(w->arena, t->def->character, SUP_NONE, from->shape_count, 1,
                               &l->figure, w->error);
  if (result != SUP_OK) return result;
  if (root != SUP_NONE && l->figure.bones[root] != SUP_NONE) l->figure.root = l->figure.bones[root];
  result = sup_envelope_check_options(l, w->error);
  if (result == SUP_OK) result = dress(t);
  if (result == SUP_OK) result = carry_angles(t);
  if (result == SUP_OK) result = check_angles(t);
  if (result == SUP_OK) result = sup_envelope_faces(w);
  if (result == SUP_OK) result = sup_envelope_control_mesh(w);
  if (result == SUP_OK) result = match_faces(t);
  if (result == SUP_OK) result = carry_shapes(t);
  if (result != SUP_OK) return result;
  sup_envelope_edit_shapes(w, t->def->edit_count, t->def->edits);
  result = sup_envelope_revise(w);
  if (result == SUP_OK) result = carry_blends(t);
  if (result == SUP_OK) result = sup_envelope_layout(w);
  if (result == SUP_OK) result = sup_envelope_offsets(w);
  if (result == SUP_OK) result = sup_envelope_spreads(w);
  return result == SUP_OK ? sup_envelope_tables(w, t->primary) : result;
}

SupResult sup_envelope_transfer(SupArena *arena, const SupEnvelopeTransferDef *def,
                                SupEnvelopeTrained *out_trained, SupError *error) {
  SupResult result = check(def, error);
  if (result != SUP_OK) return result;
  const SupEnvelopeLearned *primary = def->primary->learned;
  const SupEnvelopeLearned start = {.settings = primary->settings,
                                    .patches_def = def->patches_def,
                                    .patches = def->patches,
                                    .charts = def->charts,
                                    .option_count = def->option_count,
                                    .options = def->options,
                                    .carried = true};
  SupArena scratch = sup_scratch(arena);
  EnvelopeWork w = {arena, &scratch, NULL, def->jobs, error};
  Transfer t = {.work = &w, .def = def, .primary = primary};
  result = sup_envelope_begin(&w, &start);
  if (result == SUP_OK) result = carry(&t);
  if (result == SUP_OK) result = sup_envelope_define(&w, primary, out_trained);
  sup_arena_free(&scratch);
  return result;
}
