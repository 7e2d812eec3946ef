/* SPDX-License-Identifier: MIT */
/*
 * Mirror images of example shapes and poses.
 *
 * With M the reflection of the scene in the plane between left and right, D the turn of a joint
 * from rest in the scene and s' the joint of the other side: D'_j = M D_j' M, whose axis is that of
 * D_j' as a pseudovector. A vertex of the image is the image of the place of the body that lies
 * opposite of it at rest.
 */
#include "app/envelope_job.h"
#include "supple/author/sides.h"
#include "supple/geom/bvh.h"

#define OPPOSITE 0.01 /* of the size: farther places are no opposite ones */

typedef struct Mirror {
  const SupAppContext *app;
  const SupCharacter *character;
  SupPlane bind;      /* in bind space */
  SupPlane scene;     /* in scene space */
  uint32_t *partners; /* [joint_count] the joint of the other side, or itself */
  SupQuat *rest;      /* [joint_count] rotations, scene space */
  SupQuat *now;       /* [joint_count] */
  SupQuat *turns;     /* [joint_count] */
  SupNearest *places; /* [body.vertex_count] opposite of each vertex */
} Mirror;

static SupVec3 reflect(const SupPlane *plane, SupVec3 v) {
  return sup_vec3d_to_float(sup_plane_turn(plane, sup_vec3_to_double(v)));
}

/* The plane where the rest pose shows the body; it must stand as it is bound. */
static SupResult find_planes(Mirror *m, const char *path, SupError *error) {
  const SupSkeleton *skeleton = &m->character->skeleton;
  SupAffine *globals = SUP_ALLOC(m->app->arena, SupAffine, skeleton->joint_count);
  SupAffine *palette = SUP_ALLOC(m->app->arena, SupAffine, skeleton->bone_count);
  SupResult result = sup_symmetry_plane(m->app->arena, m->character, &m->bind, error);
  if (result != SUP_OK) return result;
  if (!globals || !palette) return sup_fail_memory(error, NULL);
  const SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                        (SupTransform *)(uintptr_t)skeleton->rest};
  sup_pose_evaluate(skeleton, &pose, globals, palette);
  if (!sup_envelope_rest_is_bind(skeleton, palette)) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s: --mirror needs a rest pose that is the bind pose", path);
  }
  const SupAffined whole = sup_affine_to_double(palette[0]);
  const SupVec3d on = sup_vec3d_scale(m->bind.normal, m->bind.offset);
  m->scene.normal = sup_vec3d_normalise(sup_affined_direction(whole, m->bind.normal));
  m->scene.offset = sup_vec3d_dot(m->scene.normal, sup_affined_point(whole, on));
  return SUP_OK;
}

static SupResult find_partners(Mirror *m, SupError *error) {
  const SupSkeleton *skeleton = &m->character->skeleton;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    const char *name = sup_side_swap(m->app->arena, skeleton->names[j]);
    if (!name) return sup_fail_memory(error, NULL);
    m->partners[j] = j;
    for (uint32_t k = 0; k < skeleton->joint_count; k++) {
      if (sup_string_equal(skeleton->names[k], name)) m->partners[j] = k;
    }
    const int32_t parent = skeleton->parents[j];
    m->rest[j] = skeleton->rest[j].rotation;
    if (parent >= 0) m->rest[j] = sup_quat_mul(m->rest[parent], m->rest[j]);
    m->rest[j] = sup_quat_normalise(m->rest[j]);
  }
  return SUP_OK;
}

static SupResult find_places(Mirror *m, const char *path, SupError *error) {
  const SupMesh *body = &m->character->body;
  SupBvh tree;
  SupResult result = sup_bvh_build(m->app->arena, body, &tree, error);
  if (result != SUP_OK) return result;
  double size = 0;
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    const double d = (double)sup_vec3_distance(body->positions[v], body->positions[0]);
    size = d > size ? d : size;
  }
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    const SupVec3d across = sup_plane_mirror(&m->bind, sup_vec3_to_double(body->positions[v]));
    m->places[v] = sup_bvh_nearest(&tree, sup_vec3d_to_float(across), (float)(OPPOSITE * size));
    if (m->places[v].triangle != SUP_NONE) continue;
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "%s: --mirror needs a body that is its own mirror image; vertex %u has no place "
        "opposite of it",
        path, v);
  }
  return SUP_OK;
}

static SupResult prepare(const SupAppContext *app, const SupCharacterFile *file, Mirror *out,
                         SupError *error) {
  const SupCharacter *c = file->character;
  const uint32_t joints = c->skeleton.joint_count;
  Mirror m = {.app = app,
              .character = c,
              .partners = SUP_ALLOC(app->arena, uint32_t, joints),
              .rest = SUP_ALLOC(app->arena, SupQuat, joints),
              .now = SUP_ALLOC(app->arena, SupQuat, joints),
              .turns = SUP_ALLOC(app->arena, SupQuat, joints),
              .places = SUP_ALLOC(app->arena, SupNearest, c->body.vertex_count)};
  if (!m.partners || !m.rest || !m.now || !m.turns || !m.places) {
    return sup_fail_memory(error, NULL);
  }
  SupResult result = find_planes(&m, file->path, error);
  if (result == SUP_OK) result = find_partners(&m, error);
  if (result == SUP_OK) result = find_places(&m, file->path, error);
  *out = m;
  return result;
}

/* How far the other side's joint has moved from its rest in its parent, as this side's. */
static SupVec3 mirror_move(const Mirror *m, const SupTransform *pose, uint32_t j) {
  const SupSkeleton *skeleton = &m->character->skeleton;
  const uint32_t other = m->partners[j];
  const int32_t from = skeleton->parents[other], to = skeleton->parents[j];
  SupVec3 move = sup_vec3_sub(pose[other].translation, skeleton->rest[other].translation);
  if (from >= 0) move = sup_quat_rotate(m->rest[from], move);
  move = reflect(&m->scene, move);
  if (to >= 0) move = sup_quat_rotate(sup_quat_conjugate(m->rest[to]), move);
  return sup_vec3_add(skeleton->rest[j].translation, move);
}

static void mirror_pose(const Mirror *m, const SupTransform *pose, SupTransform *out) {
  const SupSkeleton *skeleton = &m->character->skeleton;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    const int32_t parent = skeleton->parents[j];
    m->now[j] = pose[j].rotation;
    if (parent >= 0) m->now[j] = sup_quat_mul(m->now[parent], m->now[j]);
    m->turns[j] = sup_quat_mul(m->now[j], sup_quat_conjugate(m->rest[j]));
  }
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    const int32_t parent = skeleton->parents[j];
    const SupQuat turn = m->turns[m->partners[j]];
    const SupVec3 axis = reflect(&m->scene, sup_vec3_make(turn.x, turn.y, turn.z));
    const SupQuat mirrored = sup_quat_make(-axis.x, -axis.y, -axis.z, turn.w);
    m->now[j] = sup_quat_normalise(sup_quat_mul(mirrored, m->rest[j]));
    out[j] = pose[m->partners[j]];
    out[j].rotation = m->now[j];
    if (parent >= 0) {
      out[j].rotation = sup_quat_mul(sup_quat_conjugate(m->now[parent]), m->now[j]);
    }
    out[j].rotation = sup_quat_normalise(out[j].rotation);
    out[j].translation = mirror_move(m, pose, j);
  }
}

static void mirror_shape(const Mirror *m, const SupVec3 *positions, SupVec3 *out) {
  const SupMesh *body = &m->character->body;
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    const SupNearest *near = &m->places[v];
    SupVec3d sum = {0, 0, 0};
    for (int c = 0; c < 3; c++) {
      const uint32_t corner = body->triangles[3 * (size_t)near->triangle + (size_t)c];
      sum = sup_vec3d_add_scaled(sum, sup_vec3_to_double(positions[corner]),
                                 (double)near->barycentric[c]);
    }
    out[v] = sup_vec3d_to_float(sup_plane_mirror(&m->scene, sum));
  }
}

SupResult sup_envelope_mirror(const SupAppContext *app, const SupCharacterFile *file,
                              uint32_t count, const SupEnvelopeExample *examples,
                              SupEnvelopeExample *out_images, SupError *error) {
  const SupCharacter *c = file->character;
  Mirror m;
  SupResult result = prepare(app, file, &m, error);
  for (uint32_t k = 0; result == SUP_OK && k < count; k++) {
    SupTransform *pose = SUP_ALLOC(app->arena, SupTransform, c->skeleton.joint_count);
    SupVec3 *positions = SUP_ALLOC(app->arena, SupVec3, c->body.vertex_count);
    char text[300];
    sup_format(text, sizeof text, "%s, mirrored", examples[k].name);
    const char *name = sup_arena_string(app->arena, text, sup_string_length(text));
    if (!pose || !positions || !name) return sup_fail_memory(error, NULL);
    mirror_pose(&m, examples[k].pose, pose);
    mirror_shape(&m, examples[k].positions, positions);
    out_images[k] = (SupEnvelopeExample){name, pose, positions};
  }
  return result;
}
