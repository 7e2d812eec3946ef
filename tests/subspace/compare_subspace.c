/* SPDX-License-Identifier: MIT */
/*
 * The subspace technique beside the whole simulation of the same volume and material, frame by
 * frame at 60 Hz, on clips of a character. For every clip a line of errors: vertices count alike.
 *
 *   compare_subspace mochi|FILE.glb TETRAHEDRA K CLUSTERS ITERATIONS SECONDS CLIP...
 */
#include <math.h>

#include "check.h"
#include "supple/author/builtin.h"
#include "supple/clip.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"
#include "supple/pose.h"
#include "supple/sim/simulate.h"
#include "supple/train/subspace.h"

static const SupVec3 NONE = {0, 0, 0};
enum { FPS = 60 };

typedef struct Motion {
  SupArena arena;
  SupCharacter character;
  const SupClip *clip;
  SupPosed pose;
  SupAffined *globals, *palette;
  SupAffine *bones;
  SupSubspaceView view;
  SupSubspaceState *state;
  float *shown;
  SupVec3 *offsets;
} Motion;

/* Positions of one clip by frame and vertex. */
typedef struct Shapes {
  uint32_t frames, vertices;
  SupVec3 *truth, *still, *skinned, *own, *own_still;
} Shapes;

static void *need(void *memory) {
  assert_non_null(memory);
  return memory;
}

static void fail_with(SupResult result, const SupError *error) {
  if (result) {
    fprintf(stderr, "%s\n", error->text);
    exit(1);
  }
}

/* ---- Characters and poses -------------------------------------------------------------------- */

static void open_character(Motion *m, const char *name) {
  SupError error;
  if (strstr(name, ".glb")) {
    SupGltfCharacter *characters;
    SupGltf *document;
    uint32_t count;
    fail_with(sup_gltf_open(name, NULL, &document, &error), &error);
    fail_with(sup_gltf_characters(document, &m->arena, &count, &characters, &error), &error);
    m->character = characters[0].character;
  } else {
    const SupBuiltinDef builtin = {.name = name, .vertices = 2000};
    fail_with(sup_builtin_character(&m->arena, &builtin, &m->character, &error), &error);
  }
}

static void bones_at(void *user, double time, SupAffined *out_palette) {
  Motion *m = user;
  sup_pose_rest_f64(&m->character.skeleton, &m->pose);
  sup_clip_sample_f64(m->clip, fmax(time, 0), false, NULL, &m->pose, NULL);
  sup_pose_evaluate_f64(&m->character.skeleton, &m->pose, m->globals, out_palette);
}

static void float_bones(Motion *m, double time) {
  bones_at(m, time, m->palette);
  for (uint32_t b = 0; b < m->character.skeleton.bone_count; b++) {
    for (int i = 0; i < 12; i++) m->bones[b].m[i] = (float)m->palette[b].m[i];
  }
}

static SupVec3 skin_vertex(const Motion *m, uint32_t v) {
  const SupSkin *skin = &m->character.skin;
  SupVec3 sum = {0, 0, 0};
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    const SupVec3 at = sup_affine_point(m->bones[skin->bones[k]], m->character.body.positions[v]);
    sum = sup_vec3_add_scaled(sum, at, skin->weights[k]);
  }
  return sum;
}

/* ---- One clip -------------------------------------------------------------------------------- */

static void simulate(Motion *m, SupSim *sim, bool still, const Shapes *shapes, SupVec3 *out) {
  SupError error;
  SupSimFrame frame;
  fail_with(sup_sim_settle(sim, bones_at, NULL, m, 0, &error), &error);
  for (uint32_t i = 0; i < shapes->frames; i++) {
    if (i > 0) {
      const double from = (i - 1) / (double)FPS;
      fail_with(sup_sim_advance(sim, bones_at, m, from, 1.0 / FPS, &frame, &error), &error);
    }
    sup_sim_skin(sim, out + (size_t)i * shapes->vertices);
    if (i % 30 == 0) fprintf(stderr, "%s %u\n", still ? "still" : "truth", i);
  }
}

static void play(Motion *m, bool still, const Shapes *shapes, SupVec3 *out) {
  sup_subspace_reset(m->state);
  for (uint32_t i = 0; i < shapes->frames; i++) {
    float_bones(m, i / (double)FPS);
    if (still) sup_subspace_reset(m->state);
    sup_subspace_step(&m->view, m->state, 1.f / FPS, m->bones, NONE);
    sup_subspace_shown(&m->view, m->state, m->shown);
    sup_subspace_offsets(&m->view, m->shown, m->bones, m->offsets);
    for (uint32_t v = 0; v < shapes->vertices; v++) {
      const SupVec3 skinned = skin_vertex(m, v);
      shapes->skinned[(size_t)i * shapes->vertices + v] = skinned;
      out[(size_t)i * shapes->vertices + v] = sup_vec3_add(skinned, m->offsets[v]);
    }
  }
}

static double distance(const Shapes *s, const SupVec3 *a, const SupVec3 *b) {
  double sum = 0;
  const size_t count = (size_t)s->frames * s->vertices;
  for (size_t i = 0; i < count; i++) sum += pow((double)sup_vec3_distance(a[i], b[i]), 2);
  return sqrt(sum / (double)count);
}

static void report(const Motion *m, const Shapes *s, double size) {
  SupVec3 *mix = need(malloc((size_t)s->frames * s->vertices * sizeof *mix));
  for (size_t i = 0; i < (size_t)s->frames * s->vertices; i++) {
    mix[i] = sup_vec3_add(s->still[i], sup_vec3_sub(s->own[i], s->own_still[i]));
  }
  const double swing = distance(s, s->still, s->truth);
  printf(
      "%-24s swing %.4f of the size; skinning %.2f dynamic | relative %.3f dynamic %.3f | "
      "static/skinning %.3f increment %.3f\n",
      m->clip->name, swing / size, distance(s, s->skinned, s->truth) / swing,
      distance(s, s->own, s->truth) / distance(s, s->skinned, s->truth),
      distance(s, s->own, s->truth) / swing,
      distance(s, s->own_still, s->still) / distance(s, s->skinned, s->still),
      distance(s, mix, s->truth) / swing);
  fflush(stdout);
  free(mix);
}

static void compare(Motion *m, const SupSimDef *def, double seconds, double size) {
  SupSimDef still = *def;
  SupSim *sims[2];
  SupSimReport built;
  SupError error;
  still.integrator = SUP_INTEGRATE_STATIC;
  fail_with(sup_sim_create(def, &sims[0], &built, &error), &error);
  fail_with(sup_sim_create(&still, &sims[1], &built, &error), &error);
  const double duration = fmin((double)m->clip->duration, seconds);
  Shapes s = {(uint32_t)(duration * FPS) + 1, m->character.body.vertex_count, 0, 0, 0, 0, 0};
  SupVec3 **all[] = {&s.truth, &s.still, &s.skinned, &s.own, &s.own_still};
  for (int k = 0; k < 5; k++) {
    *all[k] = need(calloc((size_t)s.frames * s.vertices, sizeof(SupVec3)));
  }
  play(m, true, &s, s.own_still);
  play(m, false, &s, s.own);
  simulate(m, sims[0], false, &s, s.truth);
  simulate(m, sims[1], true, &s, s.still);
  report(m, &s, size);
  for (int k = 0; k < 5; k++) free(*all[k]);
  for (int k = 0; k < 2; k++) sup_sim_free(sims[k]);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void train(Motion *m, char **argv, SupSimDef *sim, SupSubspaceTrainReport *report) {
  SupError error;
  SupSubspaceTrainDef def = sup_subspace_train_def(&m->character);
  SupFill *fill = need(calloc(1, sizeof *fill));
  SupFillReport filled;
  def.function_count = (uint32_t)atoi(argv[3]);
  def.cluster_count = (uint32_t)atoi(argv[4]);
  def.iterations = (uint32_t)atoi(argv[5]);
  const SupFillDef how = {.tet_target = (uint32_t)atoi(argv[2]), .skin = &m->character.skin};
  fail_with(sup_fill(&m->arena, &m->character.body, &how, fill, &filled, &error), &error);
  def.volume = fill;
  fail_with(sup_subspace_train(&m->arena, &def, &m->view, report, &error), &error);
  *sim = sup_sim_def(&m->character, sup_heap_allocator());
  sim->volume = fill;
  sim->material = def.material;
  sim->allow_inverted = true;
}

static void reserve(Motion *m) {
  const SupSkeleton *skeleton = &m->character.skeleton;
  m->pose.joint_count = skeleton->joint_count;
  m->pose.joints = need(SUP_ALLOC(&m->arena, SupTransformd, skeleton->joint_count));
  m->globals = need(SUP_ALLOC(&m->arena, SupAffined, skeleton->joint_count));
  m->palette = need(SUP_ALLOC(&m->arena, SupAffined, skeleton->bone_count));
  m->bones = need(SUP_ALLOC(&m->arena, SupAffine, skeleton->bone_count));
  m->state =
      sup_subspace_init(&m->view, need(SUP_ALLOC(&m->arena, char, sup_subspace_bytes(&m->view))));
  m->shown = need(SUP_ALLOC(&m->arena, float, 3 * (size_t)m->view.function_count));
  m->offsets = need(SUP_ALLOC(&m->arena, SupVec3, m->view.vertex_count));
}

int main(int argc, char **argv) {
  if (argc < 8) return 2;
  Motion m = {0};
  SupSimDef sim;
  SupSubspaceTrainReport found;
  sup_arena_init(&m.arena, sup_heap_allocator(), 0);
  open_character(&m, argv[1]);
  train(&m, argv, &sim, &found);
  reserve(&m);
  printf(
      "%s: %u tetrahedra, %u bones, %u functions, %u clusters, %.2f Hz, correction %.3f, helpers "
      "leave %.3f\n",
      argv[1], found.tet_count, m.view.bone_count, found.function_count, found.cluster_count,
      found.frequencies[0], found.correction, found.helper_error);
  fflush(stdout);
  for (int k = 7; k < argc; k++) {
    m.clip = NULL;
    for (uint32_t c = 0; c < m.character.clip_count; c++) {
      if (strcmp(m.character.clips[c].name, argv[k]) == 0) m.clip = &m.character.clips[c];
    }
    if (!m.clip) {
      fprintf(stderr, "no clip is called %s\n", argv[k]);
      return 1;
    }
    compare(&m, &sim, atof(argv[6]), found.size);
  }
  sup_arena_free(&m.arena);
  return 0;
}
