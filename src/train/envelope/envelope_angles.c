/* SPDX-License-Identifier: MIT */
/*
 * Which turns of joints there are, and which of them something depends on.
 *
 * The thesis counts the rotational degrees of freedom of its skeletons; poses here are quaternions,
 * so an angle is the turn about an axis, by default the one about which the examples turn the
 * joint. What turns the character as a whole is no angle: no shape depends on its heading.
 */
#include "train/envelope/envelope_work.h"

#define TURNED 0.02  /* radians: less is no turn */
#define ALIGNED 0.94 /* cosine: axes within 20 degrees are one */
#define MOST_AXES 3u /* of a joint */
#define HEAVY 0.1    /* weight of a bone that something hangs on */
#define FARTHER 0.5  /* how much less a joint counts for every joint in between */
#define ENOUGH 0.5   /* of the distance in all near angles: shapes are told apart */
#define APART 0.05   /* radians by which an angle tells two shapes apart */

double sup_envelope_turn(SupQuat rest, SupVec3 axis, SupQuat rotation) {
  const SupQuatd q =
      sup_quatd_mul(sup_quatd_conjugate(sup_quat_to_double(rest)), sup_quat_to_double(rotation));
  const SupVec3d v = {q.x, q.y, q.z};
  const double angle = 2 * sup_atan2(sup_vec3d_dot(sup_vec3_to_double(axis), v), q.w);
  return angle > SUP_PI ? angle - 2 * SUP_PI : angle <= -SUP_PI ? angle + 2 * SUP_PI : angle;
}

static SupQuat rotation_in(const EnvelopeFigure *f, uint32_t shape, uint32_t joint) {
  return f->poses[(size_t)shape * f->character->skeleton.joint_count + joint].rotation;
}

static bool add_angle(SupArena *arena, const EnvelopeFigure *f, EnvelopeAngles *angles,
                      uint32_t joint, SupVec3d axis) {
  double *values = SUP_ALLOC(arena, double, f->shape_count);
  if (!values) return false;
  EnvelopeAngle *a = &angles->angles[angles->count++];
  *a = (EnvelopeAngle){.joint = joint,
                       .rest = sup_quat_normalise(rotation_in(f, 0, joint)),
                       .axis = sup_vec3_normalise(sup_vec3d_to_float(axis)),
                       .values = values};
  for (uint32_t i = 0; i < f->shape_count; i++) {
    values[i] = i ? sup_envelope_turn(a->rest, a->axis, rotation_in(f, i, joint)) : 0;
    if (values[i] < a->low) a->low = values[i];
    if (values[i] > a->high) a->high = values[i];
  }
  return true;
}

/* The axes about which the shapes turn a joint, the one that they turn it most about first. */
static bool add_joint(SupArena *arena, SupArena *scratch, const EnvelopeFigure *f,
                      EnvelopeAngles *angles, uint32_t joint) {
  SupVec3d *turns = SUP_ALLOC(scratch, SupVec3d, f->shape_count);
  if (!turns) return false;
  const SupQuatd back = sup_quatd_conjugate(sup_quat_to_double(rotation_in(f, 0, joint)));
  for (uint32_t i = 1; i < f->shape_count; i++) {
    const SupQuatd q = sup_quatd_mul(back, sup_quat_to_double(rotation_in(f, i, joint)));
    turns[i] = sup_quatd_log(sup_quatd_normalise(q));
  }
  for (uint32_t a = 0; a < MOST_AXES; a++) {
    uint32_t most = 0;
    double length = TURNED;
    SupVec3d sum = {0, 0, 0};
    for (uint32_t i = 1; i < f->shape_count; i++) {
      const double l = sup_vec3d_length(turns[i]);
      if (l > length) most = i, length = l;
    }
    if (!most) return true;
    const SupVec3d axis = sup_vec3d_scale(turns[most], 1 / length);
    for (uint32_t i = 1; i < f->shape_count; i++) {
      const double l = sup_vec3d_length(turns[i]), along = sup_vec3d_dot(turns[i], axis);
      if (!(l > TURNED && (along > ALIGNED * l || along < -ALIGNED * l))) continue;
      sum = sup_vec3d_add_scaled(sum, turns[i], along < 0 ? -1 : 1);
      turns[i] = (SupVec3d){0, 0, 0};
    }
    if (!add_angle(arena, f, angles, joint, sum)) return false;
  }
  return true;
}

SupResult sup_envelope_find_angles(SupArena *arena, const EnvelopeFigure *f, uint32_t more,
                                   EnvelopeAngles *out, SupError *error) {
  const uint32_t joints = f->character->skeleton.joint_count;
  SupArena scratch = sup_scratch(arena);
  *out = (EnvelopeAngles){.room = MOST_AXES * joints + more};
  out->angles = SUP_ALLOC(arena, EnvelopeAngle, out->room);
  bool made = out->angles != NULL;
  for (uint32_t j = 0; j < joints && made; j++) {
    const bool counts = sup_own_joint(f->character, j) &&
                        !sup_envelope_moves_all(&f->character->skeleton, f->whole, j);
    made = !counts || add_joint(arena, &scratch, f, out, j);
  }
  sup_arena_free(&scratch);
  return made ? SUP_OK : sup_fail_memory(error, "envelope");
}

SupResult sup_envelope_named_angle(SupArena *arena, const EnvelopeFigure *f, EnvelopeAngles *angles,
                                   const SupEnvelopeTurn *turn, uint32_t *out_angle,
                                   SupError *error) {
  const char *joint = f->character->skeleton.names[turn->joint];
  const SupVec3d axis = sup_vec3d_normalise(sup_vec3_to_double(turn->axis));
  const bool any = !(sup_vec3d_dot(axis, axis) > 0);
  if (sup_envelope_moves_all(&f->character->skeleton, f->whole, turn->joint)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "envelope: joint '%s' turns the character as a whole, which no shape depends "
                    "on; name one below it",
                    joint);
  }
  for (uint32_t a = 0; a < angles->count; a++) {
    const EnvelopeAngle *angle = &angles->angles[a];
    const double along = sup_vec3d_dot(sup_vec3_to_double(angle->axis), axis);
    if (angle->joint != turn->joint || !(any || along > 0.999999 || along < -0.999999)) continue;
    *out_angle = a;
    return SUP_OK;
  }
  if (any) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: no example turns joint '%s'", joint);
  }
  if (!add_angle(arena, f, angles, turn->joint, axis)) return sup_fail_memory(error, "envelope");
  const EnvelopeAngle *made = &angles->angles[angles->count - 1];
  if (made->high - made->low < TURNED) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "envelope: no example turns joint '%s' about the axis that was given", joint);
  }
  *out_angle = angles->count - 1;
  return SUP_OK;
}

/* ---- The choice ------------------------------------------------------------------------------ */

/* io_hops[joint_count]: 0 where something hangs on the joint; afterwards the joints between. */
static void spread_hops(const SupSkeleton *s, uint32_t *io_hops) {
  for (uint32_t j = s->joint_count; j-- > 0;) {
    const int32_t p = s->parents[j];
    if (p >= 0 && io_hops[j] != SUP_NONE && io_hops[j] + 1 < io_hops[p])
      io_hops[p] = io_hops[j] + 1;
  }
  for (uint32_t j = 0; j < s->joint_count; j++) {
    const int32_t p = s->parents[j];
    if (p >= 0 && io_hops[p] != SUP_NONE && io_hops[p] + 1 < io_hops[j])
      io_hops[j] = io_hops[p] + 1;
  }
}

/* Turning a joint changes flesh on both sides of it: its parent's counts as its own. */
static double nearness(const SupSkeleton *s, const uint32_t *hops, uint32_t joint) {
  const int32_t p = s->parents[joint];
  uint32_t hop = hops[joint];
  if (p >= 0 && hops[p] < hop) hop = hops[p];
  double near = 1;
  for (uint32_t k = 0; k < hop && k < 64; k++) near *= FARTHER;
  return near;
}

static double magnitude(double x) { return x < 0 ? -x : x; }

double sup_envelope_apart(const EnvelopeAngles *angles, uint32_t count, const uint32_t *chosen,
                          uint32_t a, uint32_t b) {
  double sum = 0;
  for (uint32_t k = 0; k < count; k++) {
    const double *values = angles->angles[chosen[k]].values, d = values[a] - values[b];
    sum += d * d;
  }
  return sup_sqrt(sum);
}

/* Distance of two shapes in all angles, each as much as it is near. */
static double whole_apart(const EnvelopeChoice *c, const double *nears, uint32_t a, uint32_t b) {
  double sum = 0;
  for (uint32_t k = 0; k < c->angles->count; k++) {
    const double *values = c->angles->angles[k].values, d = nears[k] * (values[a] - values[b]);
    sum += d * d;
  }
  return sup_sqrt(sum);
}

/* How much an angle tells shapes apart that those chosen do not, weighted by how far they move. */
static double merit(const EnvelopeChoice *c, const double *nears, uint32_t angle, uint32_t count,
                    const uint32_t *chosen) {
  const double *values = c->angles->angles[angle].values;
  double sum = 0;
  for (uint32_t a = 1; a < c->figure->shape_count; a++) {
    if (!c->used[a] || !(c->moves[a] > 0)) continue;
    for (uint32_t b = 0; b < c->figure->shape_count; b++) {
      const double by = magnitude(values[a] - values[b]);
      if (a == b || !c->used[b] || by < APART) continue;
      const double apart = count ? sup_envelope_apart(c->angles, count, chosen, a, b) : 0;
      if (apart > ENVELOPE_SAME && apart > ENOUGH * whole_apart(c, nears, a, b)) continue;
      sum += c->moves[a] * by;
    }
  }
  return sum;
}

static bool is_chosen(uint32_t count, const uint32_t *chosen, uint32_t angle) {
  for (uint32_t k = 0; k < count; k++) {
    if (chosen[k] == angle) return true;
  }
  return false;
}

uint32_t sup_envelope_choose(SupArena *arena, const EnvelopeChoice *c, uint32_t *out_angles) {
  const SupSkeleton *s = &c->figure->character->skeleton;
  SupArena scratch = sup_scratch(arena);
  uint32_t *hops = SUP_ALLOC(&scratch, uint32_t, s->joint_count), count = 0;
  double *nears = SUP_ALLOC(&scratch, double, c->angles->count);
  const bool room = hops && nears;
  for (uint32_t j = 0; room && j < s->joint_count; j++) hops[j] = SUP_NONE;
  for (uint32_t b = 0; room && b < s->bone_count; b++) {
    if (c->weights[b] >= HEAVY) hops[s->bone_joints[b]] = 0;
  }
  if (room) spread_hops(s, hops);
  for (uint32_t a = 0; room && a < c->angles->count; a++) {
    const uint32_t joint = c->angles->angles[a].joint; /* a target may have no such joint */
    nears[a] = joint == SUP_NONE ? 0 : nearness(s, hops, joint);
  }
  while (room && count < SUP_ENVELOPE_TURNS_MAX) {
    uint32_t best = SUP_NONE;
    double most = 0;
    for (uint32_t a = 0; a < c->angles->count; a++) {
      if (is_chosen(count, out_angles, a)) continue;
      const double score = nears[a] * merit(c, nears, a, count, out_angles);
      if (score > most * (1 + 1e-9)) best = a, most = score;
    }
    if (best == SUP_NONE) break;
    out_angles[count++] = best;
  }
  sup_arena_free(&scratch);
  return room ? count : SUP_NONE;
}

double sup_envelope_widest_gap(uint32_t count, EnvelopeApartFn *apart, const void *user) {
  double nearest[SUP_ENVELOPE_EXAMPLES_MAX + 1], longest = 0; /* of each to those joined; -1: is */
  for (uint32_t i = 0; i < count; i++) nearest[i] = 1e300;
  for (uint32_t joined = 0, last = 0; joined + 1 < count; joined++) {
    uint32_t next = 0;
    nearest[last] = -1;
    for (uint32_t i = 0; i < count; i++) {
      if (nearest[i] < 0) continue;
      const double d = apart(user, i, last);
      if (d < nearest[i]) nearest[i] = d;
      if (nearest[next] < 0 || nearest[i] < nearest[next]) next = i;
    }
    if (nearest[next] > longest) longest = nearest[next];
    last = next;
  }
  return longest;
}

uint32_t sup_envelope_postures(const EnvelopeAngles *angles, uint32_t shape_count,
                               const uint8_t *used, uint32_t count, const uint32_t *chosen,
                               uint32_t *out_centres, uint32_t *out_first) {
  uint32_t centres = 0;
  for (uint32_t i = 0; i < shape_count; i++) {
    out_centres[i] = SUP_NONE;
    if (i && !used[i]) continue;
    for (uint32_t k = 0; k < centres && out_centres[i] == SUP_NONE; k++) {
      const double apart = sup_envelope_apart(angles, count, chosen, i, out_first[k]);
      if (apart < ENVELOPE_SAME) out_centres[i] = k;
    }
    if (out_centres[i] != SUP_NONE) continue;
    out_first[centres] = i;
    out_centres[i] = centres++;
  }
  return centres;
}
