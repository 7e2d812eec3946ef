/* SPDX-License-Identifier: MIT */
/* Bulges: what was asked for, and what raises them. */
#include "chunks_work.h"
#include "supple/author/find_joint.h"

#define SAMPLES 65u /* of a ramp over an angle */
#define MOST                                                                          \
  4.0 /* heights that a bulge never exceeds; of one moved by hand, sizes of its chunk \
       */
#define MIDDLE_WIDTH 0.5
#define LIMB_WIDTH 0.25
#define TURNED 0.02 /* radians: less is no turn */

SupChunksTrainBulge sup_chunks_train_bulge(const char *patch, bool limb) {
  return (SupChunksTrainBulge){.patch = patch,
                               .centre = {limb ? 0.5 : 0, 0},
                               .width = limb ? LIMB_WIDTH : MIDDLE_WIDTH,
                               .driver = SUP_CHUNKS_BY_HAND};
}

static const SupChunksTrainBulge *given_bulge(const SupChunksTrainDef *def, const char *patch) {
  for (uint32_t k = 0; k < def->bulge_count; k++) {
    if (sup_string_equal(def->bulges[k].patch, patch)) return &def->bulges[k];
  }
  return NULL;
}

SupChunksTrainBulge sup_chunks_bulge_of(const ChunksWork *w, uint32_t patch, bool limb) {
  const char *name = w->def->patches->patches[patch].name;
  const SupChunksTrainBulge *given = given_bulge(w->def, name);
  return given ? *given : sup_chunks_train_bulge(name, limb);
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* A key's value without tangents. */
static SupQuatd key_rotation(const SupTrack *track, uint32_t key) {
  const bool cubic = track->interpolation == SUP_INTERPOLATE_CUBIC;
  const float *v = track->values + (size_t)key * track->width * (cubic ? 3 : 1);
  if (cubic) v += track->width;
  return sup_quat_to_double((SupQuat){v[0], v[1], v[2], v[3]});
}

double sup_chunks_largest_turn(const ChunksWork *w, uint32_t joint, SupVec3 *out_axis) {
  const SupCharacter *c = w->def->character;
  const SupQuatd back = sup_quatd_conjugate(sup_quat_to_double(w->figure.poses[joint].rotation));
  double most = 0;
  *out_axis = (SupVec3){0, 0, 0};
  for (uint32_t k = 0; k < c->clip_count; k++) {
    for (uint32_t t = 0; t < c->clips[k].track_count; t++) {
      const SupTrack *track = &c->clips[k].tracks[t];
      if (track->channel != SUP_CHANNEL_ROTATION || track->target != joint) continue;
      for (uint32_t key = 0; key < track->key_count; key++) {
        const SupQuatd q = sup_quatd_normalise(sup_quatd_mul(back, key_rotation(track, key)));
        const SupVec3d turn = sup_quatd_log(q);
        const double angle = sup_vec3d_length(turn);
        if (!(angle > most)) continue;
        most = angle;
        *out_axis = sup_vec3d_to_float(sup_vec3d_scale(turn, 1 / angle));
      }
    }
  }
  return most;
}

/* ---- What is wrong --------------------------------------------------------------------------- */

static SupResult refuse(const ChunksWork *w, const SupChunksTrainBulge *b, const char *fault) {
  return sup_fail(w->error, SUP_ERROR_ARGUMENT, "chunks: the bulge of patch '%s' %s", b->patch,
                  fault);
}

static bool finite(double x) { return x > -1e15 && x < 1e15; }

static const char *fault_of(const SupChunksTrainBulge *b) {
  if (!finite(b->centre[0]) || !finite(b->centre[1]) || !finite(b->height)) {
    return "has a centre or height that is not finite";
  }
  if (!(b->width > 0 && finite(b->width))) return "needs a width above 0";
  if (b->driver != SUP_CHUNKS_BY_ANGLE) {
    return b->driver > SUP_CHUNKS_BY_AREA ? "has no known driver" : NULL;
  }
  if (!b->joint) return "needs the joint whose turn raises it";
  if (!(finite(b->from) && finite(b->to)) || b->from == b->to || b->from < -SUP_PI ||
      b->to < -SUP_PI || b->from > SUP_PI || b->to > SUP_PI) {
    return "needs two different angles within half a turn";
  }
  /* 0 at rest: a chunk is bound without bulges. */
  if (b->from < b->to ? b->from < 0 : b->from > 0) return "is not 0 in the bind pose";
  return NULL;
}

static SupResult check_bulge(const ChunksWork *w, const SupChunksTrainBulge *b) {
  const SupChunksTrainDef *def = w->def;
  const SupSkeleton *s = &def->character->skeleton;
  const SupPatches *patches = def->patches;
  char hint[200];
  uint32_t p = 0;
  while (p < patches->patch_count && !sup_string_equal(patches->patches[p].name, b->patch)) p++;
  if (p == patches->patch_count) {
    const char *near = sup_nearest_member(b->patch, &patches->patches[0].name,
                                          sizeof *patches->patches, patches->patch_count);
    return sup_fail(w->error, SUP_ERROR_ARGUMENT, "chunks: there is no patch '%s' to bulge%s",
                    b->patch, sup_did_you_mean(hint, sizeof hint, near));
  }
  if (given_bulge(def, b->patch) != b) return refuse(w, b, "is set twice");
  const char *fault = fault_of(b);
  if (fault) return refuse(w, b, fault);
  if (b->driver != SUP_CHUNKS_BY_ANGLE) return SUP_OK;
  const SupNameList names = sup_joint_names(s);
  const size_t joint = sup_name_find(b->joint, names);
  if (joint >= s->joint_count) {
    return sup_fail(w->error, SUP_ERROR_ARGUMENT,
                    "chunks: there is no joint '%s' for the bulge of patch '%s'%s", b->joint,
                    b->patch, sup_name_hint(hint, sizeof hint, b->joint, names));
  }
  SupVec3 axis = b->axis;
  if (sup_vec3_dot(axis, axis) > 0) return SUP_OK;
  if (sup_chunks_largest_turn(w, (uint32_t)joint, &axis) > TURNED) return SUP_OK;
  return refuse(w, b, "needs an axis: no clip turns its joint");
}

SupResult sup_chunks_check_bulges(ChunksWork *w) {
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < w->def->bulge_count && result == SUP_OK; k++) {
    result = check_bulge(w, &w->def->bulges[k]);
  }
  return result;
}

void sup_chunks_note_bulges(ChunksWork *w) {
  for (uint32_t k = 0; k < w->def->bulge_count; k++) {
    const char *name = w->def->bulges[k].patch;
    uint32_t p = 0;
    while (!sup_string_equal(w->def->patches->patches[p].name, name)) p++;
    if (w->piece_of[p] != SUP_NONE && w->pieces[w->piece_of[p]].made) continue;
    sup_chunks_note(w, "the bulge of patch '%s' raises nothing: the patch stays plainly skinned",
                    name);
  }
}

/* ---- The definition -------------------------------------------------------------------------- */

static double ramp(const SupChunksTrainBulge *b, double angle) {
  const double t = (angle - b->from) / (b->to - b->from);
  return t < 0 ? 0 : t > 1 ? 1 : t;
}

static SupResult by_angle(ChunksWork *w, const SupChunksTrainBulge *b, SupChunksBulgeDef *out) {
  const SupSkeleton *s = &w->def->character->skeleton;
  const uint32_t joint = (uint32_t)sup_name_find(b->joint, sup_joint_names(s));
  float *curve = SUP_ALLOC(w->arena, float, SAMPLES);
  if (!curve) return sup_fail_memory(w->error, "chunks");
  SupVec3 axis = b->axis;
  if (!(sup_vec3_dot(axis, axis) > 0)) sup_chunks_largest_turn(w, joint, &axis);
  const double ends[2] = {b->from < b->to ? b->from : b->to, b->from < b->to ? b->to : b->from};
  const double low = ends[0] < 0 ? ends[0] : 0, high = ends[1] > 0 ? ends[1] : 0;
  w->angles[w->angle_count] =
      (SupPoseAngle){.joint = joint,
                     .rest = sup_quat_normalise(w->figure.poses[joint].rotation),
                     .axis = sup_vec3_normalise(axis),
                     .low = (float)low,
                     .high = (float)high};
  for (uint32_t k = 0; k < SAMPLES; k++) {
    curve[k] = (float)(b->height * ramp(b, low + (high - low) * k / (SAMPLES - 1)));
  }
  out->angle = w->angle_count++;
  out->sample_count = SAMPLES;
  out->curve = curve;
  return SUP_OK;
}

SupResult sup_chunks_define_bulge(ChunksWork *w, uint32_t patch, const ChunkPiece *piece,
                                  SupChunksBulgeDef *out) {
  const SupChunksTrainBulge b = sup_chunks_bulge_of(w, patch, piece->limb);
  const double height = b.height < 0 ? -b.height : b.height;
  double size = height;
  if (!(size > 0)) {
    for (uint32_t v = 0; v < piece->chunk.mesh.node_count; v++) {
      const SupVec3d at = piece->chunk.mesh.nodes[v];
      const double far = piece->limb ? sup_sqrt(at.x * at.x + at.y * at.y) : sup_vec3d_length(at);
      if (far > size) size = far;
    }
  }
  *out = (SupChunksBulgeDef){.name = b.patch,
                             .driver = b.driver,
                             .face = piece->limb ? SUP_CHUNKS_NONE : piece->face,
                             .height = (float)b.height,
                             .no_dents = b.no_dents,
                             .most = (float)(MOST * size)};
  if (b.driver == SUP_CHUNKS_BY_AREA && piece->limb) {
    return sup_fail(
        w->error, SUP_ERROR_ARGUMENT,
        "chunks: the bulge of patch '%s' follows the area of the shell, but lies around "
        "a bone",
        b.patch);
  }
  return b.driver == SUP_CHUNKS_BY_ANGLE ? by_angle(w, &b, out) : SUP_OK;
}
