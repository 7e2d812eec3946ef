/* SPDX-License-Identifier: MIT */
/* What controllers look at: rotations of joints, terms of polynomials, and motions of places. */
#include "supple/geom/mesh.h"
#include "train/helpers/controllers.h"

#define BEYOND 1.1       /* rotations may go beyond those of the examples by a tenth */
#define TURNS_LEAST 2e-3 /* radians, root mean square: below, a joint does not turn */

/* Root mean square of the rotation from rest's mean, over all frames. */
static double restlessness(const Learner *l, uint32_t joint) {
  const SupHelpersTrainDef *def = l->def;
  const uint32_t joints = l->character->skeleton.joint_count;
  const SupQuatd rest = sup_quat_to_double(l->character->skeleton.rest[joint].rotation);
  double sum[3] = {0}, square = 0;
  for (uint32_t m = 0; m < def->motion_count; m++) {
    for (uint32_t t = 0; t < def->motions[m].frame_count; t++) {
      const SupQuatd q =
          sup_quat_to_double(def->motions[m].poses[(size_t)t * joints + joint].rotation);
      const SupVec3d r =
          sup_quatd_log(sup_quatd_normalise(sup_quatd_mul(sup_quatd_conjugate(rest), q)));
      sum[0] += r.x, sum[1] += r.y, sum[2] += r.z;
      square += sup_vec3d_dot(r, r);
    }
  }
  const double n = l->frames;
  const double spread =
      square / n - (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / (n * n);
  return spread > 0 ? sup_sqrt(spread) : 0;
}

/* All monomials of the three numbers of a turn, of degree 1 to `degree`. */
static void add_terms(Learner *l, uint32_t turn) {
  const uint32_t one = l->input_count - 1, degree = l->def->degree;
  for (uint32_t a = 0; a < 3; a++) {
    for (uint32_t b = a; b <= 3; b++) {
      for (uint32_t c = b; c <= 3; c++) {
        const uint32_t index[3] = {a, b, c};
        const uint32_t size = 1u + (b < 3) + (c < 3);
        if (size > degree) continue;
        uint32_t *to = l->features + 3 * (size_t)l->feature_count;
        for (uint32_t k = 0; k < 3; k++) {
          to[k] = index[k] < 3 ? sup_helpers_turn_input(l->turn_count, turn, index[k]) : one;
        }
        l->feature_turn[l->feature_count++] = turn;
      }
    }
  }
}

SupResult sup_learner_find_turns(Learner *l) {
  const uint32_t joints = l->character->skeleton.joint_count;
  l->turns = SUP_ALLOC(l->arena, uint32_t, joints);
  if (!l->turns) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t j = 0; j < joints && l->turn_count < SUP_HELPERS_INPUTS; j++) {
    if (restlessness(l, j) > TURNS_LEAST) l->turns[l->turn_count++] = j;
  }
  return SUP_OK;
}

/* A model without helpers: nothing but eyes. */
static SupResult make_eyes(const Learner *l, SupHelpersView *out) {
  const uint32_t pads[2] = {(l->turn_count + 15) / 16 * 16, (l->frame_count + 15) / 16 * 16};
  float *rest = SUP_ALLOC(l->arena, float, 4 * (size_t)pads[0]);
  float *box = SUP_ALLOC(l->arena, float, 2 * (size_t)l->input_count);
  if (!rest || !box) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t t = 0; t < pads[0]; t++) {
    const SupQuat q = t < l->turn_count
                          ? sup_quat_normalise(l->character->skeleton.rest[l->turns[t]].rotation)
                          : sup_quat_identity();
    const float numbers[4] = {q.x, q.y, q.z, q.w};
    for (uint32_t c = 0; c < 4; c++) rest[pads[0] * c + t] = numbers[c];
  }
  for (uint32_t i = 0; i < l->input_count; i++) box[i] = -1e9f, box[l->input_count + i] = 1e9f;
  *out = (SupHelpersView){.joint_count = l->character->skeleton.joint_count,
                          .turn_count = l->turn_count,
                          .turn_pad = pads[0],
                          .frame_count = l->frame_count,
                          .frame_pad = pads[1],
                          .input_count = l->input_count,
                          .h = (float)l->h,
                          .turns = l->turns,
                          .rest = rest,
                          .frames = l->places,
                          .box = box};
  return SUP_OK;
}

static void widen_box(Learner *l, const double *u) {
  for (size_t t = 0; t < l->frames; t++) {
    for (uint32_t i = 0; i < l->input_count; i++) {
      const double value = u[t * l->input_count + i];
      double *low = &l->box[i], *high = &l->box[l->input_count + i];
      if (t == 0 || value < *low) *low = value;
      if (t == 0 || value > *high) *high = value;
    }
  }
  for (uint32_t i = 0; i + 1 < l->input_count; i++) { /* the constant stays */
    double *low = &l->box[i], *high = &l->box[l->input_count + i];
    const bool turn = i < 3 * ((l->turn_count + 15) / 16 * 16);
    const double by = turn ? BEYOND : l->def->box; /* polynomials do not go on for long */
    const double middle = (*low + *high) / 2, half = (*high - *low) / 2 * by;
    *low = middle - half, *high = middle + half;
  }
}

/* For what is read; the same again where places have changed, but not their number. */
static SupResult make_room(Learner *l) {
  static const size_t of_degree[] = {3, 9, 19};
  const size_t terms = of_degree[l->def->degree - 1] * l->turn_count;
  l->u = SUP_ALLOC(l->arena, double, (size_t)l->frames * l->input_count);
  l->box = SUP_ALLOC(l->arena, double, 2 * (size_t)l->input_count);
  l->features = SUP_ALLOC(l->arena, uint32_t, 3 * terms);
  l->feature_turn = SUP_ALLOC(l->arena, uint32_t, terms);
  l->values = SUP_ALLOC(l->arena, double, l->frames *terms);
  const bool all = l->u && l->box && l->features && l->feature_turn && l->values;
  return all ? SUP_OK : sup_fail_memory(l->error, "learning helpers");
}

SupResult sup_learner_read(Learner *l) {
  const uint32_t joints = l->character->skeleton.joint_count;
  const uint32_t inputs = l->input_count;
  l->input_count = sup_helpers_inputs(l->turn_count, l->frame_count);
  SupHelpersView eyes;
  SupResult result = make_eyes(l, &eyes);
  if (result != SUP_OK) return result;
  void *block = sup_arena_alloc(l->arena, sup_helpers_bytes(&eyes), 1);
  SupTransform *unused = SUP_ALLOC(l->arena, SupTransform, joints);
  if (!block || !unused) return sup_fail_memory(l->error, "learning helpers");
  if (!l->u || l->input_count != inputs) result = make_room(l);
  if (result != SUP_OK) return result;
  double *u = l->u;
  const SupBackend *backend = sup_backend_cpu();
  SupHelpersState *state = sup_helpers_init(&eyes, block);
  SupHelpersControls controls = sup_helpers_controls();
  controls.gravity = l->def->gravity;
  const float *seen = (const float *)(const void *)((const char *)state + state->u);
  size_t at = 0;
  for (uint32_t m = 0; m < l->def->motion_count; m++) {
    const SupHelpersMotion *motion = &l->def->motions[m];
    sup_helpers_reset(state);
    for (uint32_t t = 0; t < motion->frame_count; t++, at++) {
      const SupPose pose = {joints, sup_transform_identity(),
                            (SupTransform *)(uintptr_t)(motion->poses + (size_t)t * joints)};
      if (motion->still) sup_helpers_reset(state);
      sup_helpers_step(&eyes, state, backend, &controls, &pose,
                       l->baker.frames.globals + at * joints, unused);
      for (uint32_t i = 0; i < l->input_count; i++) {
        u[at * l->input_count + i] = (double)seen[i];
      }
    }
  }
  widen_box(l, u);
  l->feature_count = 0;
  for (uint32_t t = 0; t < l->turn_count; t++) add_terms(l, t);
  for (size_t t = 0; t < l->frames; t++) {
    const double *now = u + t * l->input_count;
    for (uint32_t f = 0; f < l->feature_count; f++) {
      const uint32_t *three = l->features + 3 * (size_t)f;
      l->values[t * l->feature_count + f] = now[three[0]] * now[three[1]] * now[three[2]];
    }
  }
  return SUP_OK;
}
