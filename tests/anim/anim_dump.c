/* SPDX-License-Identifier: MIT */
/*
 * Random skeletons, clips and skins, sampled and skinned by the library in both precisions, with
 * all inputs, as JSON on standard output. check_anim.py computes the same with numpy.
 */
#include <stdio.h>
#include <stdlib.h>

#include "supple/author/skin_pack.h"
#include "supple/clip.h"
#include "supple/io/file.h"
#include "supple/skin.h"

enum { JOINTS = 9, BONES = 12, VERTICES = 100, MORPHS = 3, TIMES = 7, KEYS = 5, TRACKS = 24 };

typedef struct Case {
  SupRng rng;
  int32_t parents[JOINTS];
  SupTransform rest[JOINTS];
  const char *names[JOINTS];
  uint32_t bone_joints[BONES];
  SupAffine inverse_bind[BONES];
  SupSkeleton skeleton;
  float times[TRACKS][KEYS];
  float values[TRACKS][KEYS * 3 * 4];
  SupTrack tracks[TRACKS];
  SupClip clip;
  SupVec3 positions[VERTICES], normals[VERTICES], offsets[MORPHS][VERTICES];
  SupVec4 tangents[VERTICES];
  uint32_t skin_offsets[VERTICES + 1], skin_bones[VERTICES * 8], order[VERTICES];
  float skin_weights[VERTICES * 8];
  SupMorph morphs[MORPHS];
  SupTransform root;
} Case;

static float in_range(SupRng *rng, float low, float high) {
  return low + (high - low) * sup_rng_float(rng);
}

static SupVec3 vector(SupRng *rng, float size) {
  SupVec3 v;
  v.x = in_range(rng, -size, size), v.y = in_range(rng, -size, size);
  v.z = in_range(rng, -size, size);
  return v;
}

static SupQuat rotation(SupRng *rng) {
  SupVec3 a = vector(rng, 1), b = vector(rng, 1);
  return sup_quat_normalise(sup_quat_make(a.x, a.y, a.z, b.x));
}

/* Mild for double quaternions (`rigid`): no scale. Otherwise uneven and sometimes mirrored. */
static SupTransform transform(SupRng *rng, bool rigid) {
  SupTransform t = {vector(rng, 1), rotation(rng), {1, 1, 1}};
  if (rigid) return t;
  t.scale =
      (SupVec3){in_range(rng, 0.5f, 1.5f), in_range(rng, 0.5f, 1.5f), in_range(rng, 0.5f, 1.5f)};
  if (sup_rng_below(rng, 4) == 0) t.scale.x = -t.scale.x;
  return t;
}

static void make_skeleton(Case *c, bool rigid) {
  SupRng *rng = &c->rng;
  for (uint32_t j = 0; j < JOINTS; j++) {
    c->parents[j] = j < 2 ? -1 : (int32_t)sup_rng_below(rng, j);
    c->rest[j] = transform(rng, rigid);
    c->names[j] = "";
  }
  for (uint32_t k = 0; k < BONES; k++) {
    c->bone_joints[k] = sup_rng_below(rng, JOINTS);
    c->inverse_bind[k] = sup_affine_compose(transform(rng, rigid));
  }
  c->root = transform(rng, rigid);
  c->skeleton =
      (SupSkeleton){JOINTS, BONES, c->parents, c->rest, c->names, c->bone_joints, c->inverse_bind};
}

/* Tracks over all channels and interpolations; every fifth rotation track has keys near each
 * other, and the quaternions have random signs. */
static void make_clip(Case *c, bool rigid) {
  SupRng *rng = &c->rng;
  for (uint32_t k = 0; k < TRACKS; k++) {
    SupTrack *track = &c->tracks[k];
    track->target = sup_rng_below(rng, JOINTS);
    track->channel = (SupChannel)sup_rng_below(rng, rigid ? 2 : 3);
    if (k == 0) track->channel = SUP_CHANNEL_WEIGHTS;
    track->interpolation = (SupInterpolation)sup_rng_below(rng, 3);
    track->width = track->channel == SUP_CHANNEL_ROTATION ? 4 : 3;
    if (k == 0) track->target = 0;
    track->key_count = 1 + sup_rng_below(rng, KEYS);
    float time = in_range(rng, 0, 0.3f);
    bool near = k % 5 == 0;
    SupQuat base = rotation(rng);
    bool cubic = track->interpolation == SUP_INTERPOLATE_CUBIC;
    for (uint32_t key = 0; key < track->key_count; key++) {
      c->times[k][key] = time;
      time += in_range(rng, 0.05f, 0.5f);
      for (uint32_t part = 0; part < (cubic ? 3 : 1); part++) {
        float *value = &c->values[k][(key * (cubic ? 3 : 1) + part) * track->width];
        if (track->channel == SUP_CHANNEL_ROTATION) {
          SupQuat q = rotation(rng);
          if (near) {
            q = sup_quat_make(base.x + 0.01f * q.x, base.y + 0.01f * q.y, base.z, base.w);
            q = sup_quat_normalise(q);
          }
          value[0] = q.x, value[1] = q.y, value[2] = q.z, value[3] = q.w;
        } else {
          SupVec3 v = vector(rng, 1);
          value[0] = v.x, value[1] = v.y, value[2] = v.z;
        }
      }
    }
    track->times = c->times[k];
    track->values = c->values[k];
  }
  c->clip.name = "random";
  c->clip.track_count = TRACKS;
  c->clip.tracks = c->tracks;
  c->clip.duration = 0;
  for (uint32_t k = 0; k < TRACKS; k++) {
    float last = c->times[k][c->tracks[k].key_count - 1];
    if (last > c->clip.duration) c->clip.duration = last;
  }
}

static void make_vertex(Case *c, uint32_t v) {
  SupRng *rng = &c->rng;
  c->positions[v] = vector(rng, 1);
  c->normals[v] = sup_vec3_normalise(vector(rng, 1));
  SupVec3 t = sup_vec3_normalise(vector(rng, 1));
  c->tangents[v] = (SupVec4){t.x, t.y, t.z, v % 2 ? -1.0f : 1.0f};
  uint32_t count = 1 + sup_rng_below(rng, 8), first = c->skin_offsets[v];
  uint32_t bone = sup_rng_below(rng, BONES);
  float sum = 0;
  for (uint32_t k = 0; k < count; k++) {
    c->skin_bones[first + k] = (bone + k * 5) % BONES;
    sum += c->skin_weights[first + k] = in_range(rng, 0.1f, 1);
  }
  for (uint32_t k = 0; k < count; k++) c->skin_weights[first + k] /= sum;
  c->skin_offsets[v + 1] = first + count;
  /* 37 has no factor in common with 100: a permutation. */
  c->order[v] = v * 37 % VERTICES;
  for (uint32_t m = 0; m < MORPHS; m++) {
    if (sup_rng_below(rng, 3) == 0) c->offsets[m][v] = vector(rng, 0.3f);
  }
}

static void make_case(Case *c, uint32_t seed, bool rigid) {
  *c = (Case){.rng = sup_rng(seed, 4)};
  make_skeleton(c, rigid);
  make_clip(c, rigid);
  for (uint32_t v = 0; v < VERTICES; v++) make_vertex(c, v);
  for (uint32_t m = 0; m < MORPHS; m++) c->morphs[m] = (SupMorph){"", 0, c->offsets[m]};
}

static void put_floats(const char *name, const float *values, size_t count) {
  printf(",\n\"%s\": [", name);
  for (size_t i = 0; i < count; i++) printf(i ? ",%.9g" : "%.9g", (double)values[i]);
  printf("]");
}

static void put_doubles(const char *name, const double *values, size_t count) {
  printf(",\n\"%s\": [", name);
  for (size_t i = 0; i < count; i++) printf(i ? ",%.17g" : "%.17g", values[i]);
  printf("]");
}

static void put_ints(const char *name, const uint32_t *values, size_t count) {
  printf(",\n\"%s\": [", name);
  for (size_t i = 0; i < count; i++) printf(i ? ",%d" : "%d", (int)values[i]);
  printf("]");
}

static void put_inputs(const Case *c) {
  put_ints("parents", (const uint32_t *)c->parents, JOINTS);
  put_floats("rest", &c->rest[0].translation.x, 10 * JOINTS);
  put_floats("root", &c->root.translation.x, 10);
  put_ints("bone_joints", c->bone_joints, BONES);
  put_floats("inverse_bind", c->inverse_bind[0].m, 12 * BONES);
  printf(",\n\"duration\": %.9g, \"tracks\": [", (double)c->clip.duration);
  for (uint32_t k = 0; k < TRACKS; k++) {
    const SupTrack *t = &c->tracks[k];
    printf("%s{\"target\": %u, \"channel\": %d, \"mode\": %d", k ? "," : "", t->target,
           (int)t->channel, (int)t->interpolation);
    put_floats("times", t->times, t->key_count);
    put_floats(
        "values", t->values,
        (size_t)t->key_count * t->width * (t->interpolation == SUP_INTERPOLATE_CUBIC ? 3 : 1));
    printf("}");
  }
  printf("]");
  put_floats("positions", &c->positions[0].x, 3 * VERTICES);
  put_floats("normals", &c->normals[0].x, 3 * VERTICES);
  put_floats("tangents", &c->tangents[0].x, 4 * VERTICES);
  put_ints("skin_offsets", c->skin_offsets, VERTICES + 1);
  put_ints("skin_bones", c->skin_bones, c->skin_offsets[VERTICES]);
  put_floats("skin_weights", c->skin_weights, c->skin_offsets[VERTICES]);
  put_floats("offsets", &c->offsets[0][0].x, (size_t)3 * MORPHS * VERTICES);
}

static void put_float_results(const Case *c, const SupSkinView *skin, float time, bool loop) {
  SupTransform joints[JOINTS];
  SupAffine globals[JOINTS], palette[BONES];
  SupDualBone duals[BONES];
  float weights[MORPHS] = {0};
  SupPose pose = {JOINTS, c->root, joints};
  sup_pose_rest(&c->skeleton, &pose);
  pose.root = c->root;
  sup_clip_sample(&c->clip, time, loop, NULL, &pose, weights);
  sup_pose_evaluate(&c->skeleton, &pose, globals, palette);
  put_floats("pose", &joints[0].translation.x, 10 * JOINTS);
  put_floats("palette", palette[0].m, 12 * BONES);
  put_floats("weights", weights, MORPHS);
  static float p[3 * VERTICES], n[3 * VERTICES], t[4 * VERTICES];
  SupSkinCall call = {.skin = skin,
                      .palette = palette,
                      .duals = duals,
                      .morph_weights = weights,
                      .positions = {p, 3},
                      .normals = {n, 3},
                      .tangents = {t, 4}};
  const SupBackend *backend = sup_backend_cpu();
  sup_skin_lbs(backend, NULL, &call);
  put_floats("lbs_positions", p, 3 * VERTICES);
  put_floats("lbs_normals", n, 3 * VERTICES);
  put_floats("lbs_tangents", t, 4 * VERTICES);
  call.stretched = sup_skin_duals(BONES, palette, duals);
  call.unit = true;
  sup_skin_dqs(backend, NULL, &call);
  printf(",\n\"stretched\": %s", call.stretched ? "true" : "false");
  put_floats("dqs_positions", p, 3 * VERTICES);
  put_floats("dqs_normals", n, 3 * VERTICES);
  put_floats("dqs_tangents", t, 4 * VERTICES);
}

static void put_double_results(const Case *c, const SupSkinViewd *skin, double time, bool loop) {
  SupTransformd joints[JOINTS];
  SupAffined globals[JOINTS], palette[BONES];
  SupDualBoned duals[BONES];
  double weights[MORPHS] = {0};
  SupPosed pose = {JOINTS, sup_transformd_identity(), joints};
  sup_pose_rest_f64(&c->skeleton, &pose);
  const float *from = &c->root.translation.x;
  double *to = &pose.root.translation.x;
  for (int i = 0; i < 10; i++) to[i] = (double)from[i];
  sup_clip_sample_f64(&c->clip, time, loop, NULL, &pose, weights);
  sup_pose_evaluate_f64(&c->skeleton, &pose, globals, palette);
  put_doubles("pose", &joints[0].translation.x, 10 * JOINTS);
  put_doubles("palette", palette[0].m, 12 * BONES);
  put_doubles("weights", weights, MORPHS);
  static double p[3 * VERTICES], n[3 * VERTICES], t[4 * VERTICES];
  SupSkinCalld call = {.skin = skin,
                       .palette = palette,
                       .duals = duals,
                       .morph_weights = weights,
                       .positions = {p, 3},
                       .normals = {n, 3},
                       .tangents = {t, 4}};
  sup_skin_lbs_f64(NULL, &call);
  put_doubles("lbs_positions", p, 3 * VERTICES);
  put_doubles("lbs_normals", n, 3 * VERTICES);
  put_doubles("lbs_tangents", t, 4 * VERTICES);
  call.stretched = sup_skin_duals_f64(BONES, palette, duals);
  call.unit = true;
  sup_skin_dqs_f64(NULL, &call);
  printf(",\n\"stretched\": %s", call.stretched ? "true" : "false");
  put_doubles("dqs_positions", p, 3 * VERTICES);
  put_doubles("dqs_normals", n, 3 * VERTICES);
  put_doubles("dqs_tangents", t, 4 * VERTICES);
}

static int put_case(uint32_t seed, bool rigid) {
  static Case c;
  make_case(&c, seed, rigid);
  SupArena arena;
  SupError error;
  SupSkinView skin;
  SupSkinViewd wide;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupSkinSource source = {.vertex_count = VERTICES,
                          .bone_count = BONES,
                          .positions = c.positions,
                          .normals = c.normals,
                          .tangents = c.tangents,
                          .skin = {VERTICES, 8, c.skin_offsets, c.skin_bones, c.skin_weights},
                          .morph_count = MORPHS,
                          .morphs = c.morphs,
                          .order = c.order};
  if (sup_skin_pack(&arena, &source, &skin, &error)) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  sup_skin_to_double(&skin, sup_arena_alloc(&arena, sup_skin_to_double_bytes(&skin), 1), &wide);
  printf("{\"rigid\": %s", rigid ? "true" : "false");
  put_inputs(&c);
  printf(", \"samples\": [");
  for (int i = 0; i < TIMES; i++) {
    /* From before the first key to after the last; the last two times wrap around. */
    bool loop = i >= TIMES - 2;
    float time = i == 0 ? -1.0f : c.clip.duration * (float)i / 4.0f;
    if (i == TIMES - 1) time = -0.3f * c.clip.duration;
    printf("%s{\"time\": %.9g, \"loop\": %s, \"float\": {\"x\": 0", i ? ",\n" : "", (double)time,
           loop ? "true" : "false");
    put_float_results(&c, &skin, time, loop);
    printf("}, \"double\": {\"x\": 0");
    put_double_results(&c, &wide, (double)time, loop);
    printf("}}");
  }
  printf("]}");
  sup_arena_free(&arena);
  return 0;
}

int main(void) {
  printf("[");
  for (uint32_t seed = 0; seed < 12; seed++) {
    if (seed) printf(",\n");
    if (put_case(seed, seed % 2 == 0)) return 1;
  }
  printf("]\n");
  return 0;
}
