/* SPDX-License-Identifier: MIT */
/*
 * Direct delta mush for check_delta_mush.py: a built-in body, its triangles, dense weights, the
 * matrices of a pose and what ours makes of them. argv: rounds lambda kappa alpha.
 */
#include <stdio.h>

#include "check.h"
#include "supple/author/builtin.h"
#include "supple/io/file.h"
#include "supple/train/baselines.h"

static void print_body(const SupCharacter *c) {
  const uint32_t n = c->body.vertex_count, bones = c->skeleton.bone_count;
  printf("%u %u %u\n", n, c->body.triangle_count, bones);
  for (uint32_t v = 0; v < n; v++) {
    const SupVec3 x = c->body.positions[v];
    printf("%.9g %.9g %.9g\n", (double)x.x, (double)x.y, (double)x.z);
  }
  for (uint32_t t = 0; t < c->body.triangle_count; t++) {
    const uint32_t *at = c->body.triangles + 3 * (size_t)t;
    printf("%u %u %u\n", at[0], at[1], at[2]);
  }
  for (uint32_t v = 0; v < n; v++) {
    for (uint32_t b = 0; b < bones; b++) {
      double weight = 0;
      for (uint32_t k = c->skin.offsets[v]; k < c->skin.offsets[v + 1]; k++) {
        if (c->skin.bones[k] == b) weight = (double)c->skin.weights[k];
      }
      printf("%.9g ", weight);
    }
    printf("\n");
  }
}

int main(int argc, char **argv) {
  SupArena arena;
  SupCharacter c;
  SupDeltaMush mush;
  if (argc != 5) return 2;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupBuiltinDef body = {.name = "toy"};
  if (sup_builtin_character(&arena, &body, &c, NULL) != SUP_OK) return 1;
  SupDeltaMushDef def = sup_delta_mush_def(&c);
  def.iterations = (uint32_t)strtoul(argv[1], NULL, 10);
  def.lambda = strtod(argv[2], NULL);
  def.kappa = strtod(argv[3], NULL);
  def.alpha = strtod(argv[4], NULL);
  def.least = 0;
  if (sup_delta_mush_make(&arena, &def, &mush, NULL) != SUP_OK) return 1;
  const SupSkeleton *s = &c.skeleton;
  SupTransform *joints = SUP_COPY(&arena, SupTransform, s->rest, s->joint_count);
  SupAffine *globals = SUP_ALLOC(&arena, SupAffine, s->joint_count);
  SupAffine *palette = SUP_ALLOC(&arena, SupAffine, s->bone_count);
  SupVec3 *out = SUP_ALLOC(&arena, SupVec3, c.body.vertex_count);
  if (!joints || !globals || !palette || !out) return 1;
  for (uint32_t j = 1; j < s->joint_count; j++) {
    const SupVec3 by = {j == 1 ? 0.9f : 0.2f, 0, j == 1 ? 0.1f : -0.8f};
    joints[j].rotation = sup_quat_mul(joints[j].rotation, sup_quat_exp(by));
  }
  const SupPose pose = {s->joint_count, sup_transform_identity(), joints};
  sup_pose_evaluate(s, &pose, globals, palette);
  sup_delta_mush_show(&mush, palette, out);
  print_body(&c);
  for (uint32_t b = 0; b < s->bone_count; b++) {
    for (int k = 0; k < 12; k++) printf("%.9g ", (double)palette[b].m[k]);
    printf("\n");
  }
  for (uint32_t v = 0; v < c.body.vertex_count; v++) {
    printf("%.9g %.9g %.9g\n", (double)out[v].x, (double)out[v].y, (double)out[v].z);
  }
  sup_arena_free(&arena);
  return 0;
}
