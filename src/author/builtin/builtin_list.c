/* SPDX-License-Identifier: MIT */
/* The catalogue of built-in characters, and the way from a name to a character. */
#include "supple/author/builtin.h"

#include "author/builtin/builtin_body.h"
#include "base/scratch.h"

static const SupBody *const bodies[] = {&sup_body_mochi, &sup_body_cat, &sup_body_toy,
                                        &sup_body_tube,  &sup_body_leg, &sup_body_arm,
                                        &sup_body_sheet};
#define BODY_COUNT ((uint32_t)(sizeof bodies / sizeof bodies[0]))

/* Bodies up to this size are remeshed directly; larger ones from a mesh of at most this size whose
 * triangles are divided. */
#define BASE_MAX 30000

uint32_t sup_builtin_count(void) { return BODY_COUNT; }

SupBuiltinInfo sup_builtin_info(uint32_t index) {
  const SupBody *body = bodies[index];
  return (SupBuiltinInfo){body->name, body->summary, body->vertices, body->joint_count};
}

static SupResult make_skeleton(SupArena *arena, const SupBody *body, SupSkeleton *out_skeleton) {
  uint32_t count = body->joint_count;
  int32_t *parents = SUP_ALLOC(arena, int32_t, count);
  SupTransform *rest = SUP_ALLOC(arena, SupTransform, count);
  const char **names = SUP_ALLOC(arena, const char *, count);
  uint32_t *bone_joints = SUP_ALLOC(arena, uint32_t, count);
  SupAffine *inverse_bind = SUP_ALLOC(arena, SupAffine, count);
  if (!parents || !rest || !names || !bone_joints || !inverse_bind) return SUP_ERROR_MEMORY;
  for (uint32_t j = 0; j < count; j++) {
    const SupJoint *joint = &body->joints[j];
    SupVec3d p = joint->position, q = {0, 0, 0};
    if (joint->parent >= 0) q = body->joints[joint->parent].position;
    parents[j] = joint->parent;
    names[j] = joint->name;
    bone_joints[j] = j;
    rest[j] = (SupTransform){
        {(float)(p.x - q.x), (float)(p.y - q.y), (float)(p.z - q.z)}, {0, 0, 0, 1}, {1, 1, 1}};
    inverse_bind[j] =
        (SupAffine){{1, 0, 0, 0, 1, 0, 0, 0, 1, -(float)p.x, -(float)p.y, -(float)p.z}};
  }
  *out_skeleton = (SupSkeleton){count, count, parents, rest, names, bone_joints, inverse_bind};
  return SUP_OK;
}

SupResult sup_builtin_raw(SupArena *arena, const SupBuiltinDef *def, SupRawCharacter *out_raw,
                          SupError *error) {
  const SupBody *body = NULL;
  for (uint32_t i = 0; i < BODY_COUNT; i++) {
    if (sup_string_equal(bodies[i]->name, def->name)) body = bodies[i];
  }
  if (!body) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "there is no built-in character named \"%s\"; there are mochi, cat, toy, "
                    "tube, leg, arm and sheet",
                    def->name);
  }
  uint32_t wanted = def->vertices ? def->vertices : body->vertices;
  if (wanted < SUP_BUILTIN_VERTICES_MIN || wanted > SUP_BUILTIN_VERTICES_MAX) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "a body of %u vertices cannot be made; give a number from %u to %u", wanted,
                    (unsigned)SUP_BUILTIN_VERTICES_MIN, (unsigned)SUP_BUILTIN_VERTICES_MAX);
  }
  /* A closed mesh of genus 0 with V vertices has 2 + (V - 2) n^2 after every edge is divided by n.
   */
  uint32_t divisions = 1;
  while (wanted / (divisions * divisions) > BASE_MAX) divisions++;
  uint32_t base = 2 + (wanted - 2 + divisions * divisions / 2) / (divisions * divisions);
  SupHalfEdgeMesh mesh;
  SupRawCharacter raw = {
      .name = body->name, .material_count = body->material_count, .materials = body->materials};
  SupResult result = sup_body_seed(arena, body, base, &mesh);
  if (result == SUP_OK) result = sup_body_remesh(arena, body, base, &mesh);
  if (result == SUP_OK) result = sup_body_refine(arena, body, &mesh, divisions, def->jobs, &raw);
  if (result == SUP_OK) result = make_skeleton(arena, body, &raw.skeleton);
  if (result == SUP_OK) result = body->clips(arena, body, &raw.clip_count, &raw.clips);
  if (result != SUP_OK) {
    return sup_fail(error, result, "not enough memory to make %s with %u vertices", body->name,
                    wanted);
  }
  *out_raw = raw;
  return SUP_OK;
}

SupResult sup_builtin_character(SupArena *arena, const SupBuiltinDef *def,
                                SupCharacter *out_character, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SupRawCharacter raw;
  SupResult result = sup_builtin_raw(&scratch, def, &raw, error);
  size_t limit = sup_scratch_charge(arena, &scratch);
  if (result == SUP_OK) result = sup_character_build(arena, &raw, out_character, error);
  arena->limit = limit;
  sup_arena_free(&scratch);
  return result;
}
