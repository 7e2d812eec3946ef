/* SPDX-License-Identifier: MIT */
/*
 * How a pose drives chunks: points of the shell, frames of its edges, limbs and their joints, then
 * for each chunk the numbers that its nodes follow (docs/techniques/chunks.md).
 *
 * All of it without the motion of the root, in double precision: there are a few hundred of these
 * frames, and displacements are small differences of large places.
 */
#include "base/finite.h"
#include "runtime/chunks/chunks_parts.h"
#include "runtime/chunks/chunks_sections.h"
#include "runtime/sewn/pose_angle.h"

/* Out of bounds. So nodes are nearer than 1e28 whatever a model's matrix holds, and its skin is
 * finite. */
#define FAR 1e9       /* numbers */
#define FARTHEST 1e12 /* places of frames */
#define STEEP 1e4     /* linear parts of frames */

static SupAffined widen(SupAffine map) {
  SupAffined wide;
  for (uint32_t k = 0; k < 12; k++) wide.m[k] = (double)map.m[k];
  return wide;
}

static float clamp(float x, float low, float high) { return x > high ? high : x > low ? x : low; }

static float given_or(const float *given, uint32_t at, float otherwise) {
  return given && sup_finite_all(given + at, 1) ? given[at] : otherwise;
}

/* ---- Shell ------------------------------------------------------------------------------------
 */

SupShell sup_chunks_shell(const SupChunksView *model) {
  return (SupShell){model->vertex_count, model->face_count,   model->edge_count,
                    model->face_first,   model->corners,      model->corner_edges,
                    model->edges,        model->vertex_first, model->vertex_edges};
}

void sup_chunks_rest_points(const SupChunksView *model, SupVec3d *out_points) {
  for (uint32_t k = 0; k < model->point_count; k++) {
    out_points[k] = sup_vec3_to_double(model->points[k]);
  }
}

static SupVec3d skinned_point(const SupChunksView *model, const SupAffine *palette, uint32_t k) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t i = model->influence_first[k]; i < model->influence_first[k + 1]; i++) {
    const SupChunksInfluence *in = &model->influences[i];
    const SupVec3 at = sup_affine_point(palette[in->bone], model->points[k]);
    sum = sup_vec3d_add_scaled(sum, sup_vec3_to_double(at), (double)in->weight);
  }
  return sum;
}

static void drive_shell(const SupChunksView *model, SupChunksState *state,
                        const SupAffine *palette) {
  const SupShell shell = sup_chunks_shell(model);
  SupVec3d *points = (SupVec3d *)sup_chunks_at(state, state->points);
  SupAffined *edges = (SupAffined *)sup_chunks_at(state, state->edges);
  SupAffined *vertices = (SupAffined *)sup_chunks_at(state, state->vertices);
  const SupAffined *backs = (const SupAffined *)sup_chunks_at(state, state->backs);
  for (uint32_t k = 0; k < model->point_count; k++) points[k] = skinned_point(model, palette, k);
  sup_shell_edge_maps_from(&shell, backs, points, edges);
  for (uint32_t v = 0; v < model->vertex_count; v++) {
    vertices[v] = sup_shell_vertex_map(&shell, edges, v);
  }
}

/* ---- Limbs ------------------------------------------------------------------------------------
 */

static void drive_limbs(const SupChunksView *model, SupChunksState *state,
                        const SupAffine *palette) {
  SupLimbPose *poses = (SupLimbPose *)sup_chunks_at(state, state->limbs);
  SupAffined *shared = (SupAffined *)sup_chunks_at(state, state->joints);
  for (uint32_t k = 0; k < model->limb_count; k++) {
    const SupChunksLimb *limb = &model->limbs[k];
    poses[k] = sup_limb_straight(sup_affined_mul(widen(palette[limb->bone]), limb->rest));
  }
  for (uint32_t j = 0; j < model->limb_joint_count; j++) {
    const SupChunksJoint *joint = &model->limb_joints[j];
    const SupAffined rest[2] = {model->limbs[joint->first].rest, model->limbs[joint->second].rest};
    sup_limb_join(rest, &poses[joint->first], &poses[joint->second]);
  }
  for (uint32_t j = 0; j < model->limb_joint_count; j++) {
    const SupChunksJoint *joint = &model->limb_joints[j];
    const SupChunksLimb *first = &model->limbs[joint->first];
    const SupAffined rest[2] = {first->rest, model->limbs[joint->second].rest};
    shared[j] =
        sup_limb_shared_map(rest, &poses[joint->first], first->length, &poses[joint->second]);
  }
  for (uint32_t k = 0; k < model->limb_count; k++) sup_limb_ease(&poses[k]);
}

/* ---- Bulges -----------------------------------------------------------------------------------
 */

static float by_angle(const SupChunksView *model, const SupChunksBulge *bulge,
                      const SupPose *pose) {
  const SupPoseAngle *angle = &model->angles[bulge->angle];
  const float way = angle->high - angle->low, radians = sup_pose_angle(angle, pose);
  const float *curve = model->curves + bulge->first_sample;
  const uint32_t last = bulge->sample_count - 1;
  const float at = way > 0 ? (radians - angle->low) / way * (float)last : 0;
  uint32_t i = at > 0 ? (uint32_t)at : 0;
  if (i > last - 1) i = last - 1;
  const float t = at - (float)i;
  return curve[i] * (1 - t) + curve[i + 1] * t;
}

static float by_area(const SupChunksView *model, const SupChunksState *state,
                     const SupChunksBulge *bulge) {
  const SupVec3d *points = (const SupVec3d *)sup_chunks_at(state, state->points);
  const uint32_t first = model->face_first[bulge->face];
  const uint32_t count = model->face_first[bulge->face + 1] - first;
  SupVec3d corners[SUP_CHUNKS_CORNERS];
  for (uint32_t k = 0; k < count; k++) corners[k] = points[model->corners[first + k]];
  const double area = sup_vec3d_length(sup_face_area(count, corners));
  const double height =
      sup_bulge_height_by_area((double)bulge->height, bulge->rest_area, area, false);
  const double most = (double)bulge->most;
  return (float)(height > most ? most : height > -most ? height : -most);
}

static float height_of(const SupChunksView *model, const SupChunksState *state,
                       const SupChunksCall *call, uint32_t b) {
  const SupChunksBulge *bulge = &model->bulges[b];
  const SupChunksControls *controls = call->controls;
  float height = 0;
  if (bulge->driver == SUP_CHUNKS_BY_ANGLE) height = by_angle(model, bulge, call->pose);
  if (bulge->driver == SUP_CHUNKS_BY_AREA) height = by_area(model, state, bulge);
  const float scale = given_or(controls ? controls->bulge_scales : NULL, b, 1);
  const float more = given_or(controls ? controls->bulge_heights : NULL, b, 0);
  height *= clamp(scale, -SUP_CHUNKS_MOST_SCALE, SUP_CHUNKS_MOST_SCALE);
  height += clamp(more, -bulge->most, bulge->most);
  return clamp(height, bulge->no_dents ? 0 : -bulge->most, bulge->most);
}

/* ---- All that chunks share --------------------------------------------------------------------
 */

void sup_chunks_drive(const SupChunksView *model, SupChunksState *state,
                      const SupChunksCall *call) {
  SupAffine *still = (SupAffine *)sup_chunks_at(state, state->palette);
  float *heights = (float *)sup_chunks_at(state, state->heights);
  float *strengths = (float *)sup_chunks_at(state, state->strengths);
  const SupAffine inverse = sup_affine_inverse(call->palette[model->root]);
  for (uint32_t k = 0; k < model->skin.bone_count; k++) {
    still[k] = sup_affine_mul(inverse, call->palette[k]);
  }
  drive_shell(model, state, still);
  drive_limbs(model, state, still);
  for (uint32_t b = 0; b < model->bulge_count; b++) heights[b] = height_of(model, state, call, b);
  for (uint32_t p = 0; p < model->piece_count; p++) {
    strengths[p] = clamp(given_or(call->controls ? call->controls->strengths : NULL, p, 1), 0, 1);
  }
}

/* ---- One chunk --------------------------------------------------------------------------------
 */

/* What no float holds becomes no number. */
static float narrow(double x) {
  return x >= -FARTHEST && x <= FARTHEST ? (float)x : __builtin_nanf("");
}

static void put_frame(float *out, const double *linear, const double *translation) {
  for (uint32_t k = 0; k < 9; k++) out[k] = narrow(linear[k]);
  for (uint32_t k = 0; k < 3; k++) out[9 + k] = translation ? narrow(translation[k]) : 0;
  for (uint32_t k = 12; k < SUP_CHUNKS_FRAME; k++) out[k] = 0;
}

/* The frame of the face, then the maps of its corners. */
static void drive_ordinary(const SupChunksView *model, const SupChunksState *state,
                           const SupChunksPiece *piece, double *out_numbers, float *out_frames) {
  const SupVec3d *points = (const SupVec3d *)sup_chunks_at(state, state->points);
  const SupAffined *edges = (const SupAffined *)sup_chunks_at(state, state->edges);
  const SupAffined *vertices = (const SupAffined *)sup_chunks_at(state, state->vertices);
  const uint32_t first = model->face_first[piece->face];
  const uint32_t count = model->face_first[piece->face + 1] - first;
  SupVec3d rest[SUP_CHUNKS_CORNERS], now[SUP_CHUNKS_CORNERS];
  SupAffined sides[SUP_CHUNKS_CORNERS], corners[SUP_CHUNKS_CORNERS];
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t vertex = model->corners[first + k];
    rest[k] = sup_vec3_to_double(model->points[vertex]);
    now[k] = points[vertex];
    sides[k] = edges[model->corner_edges[first + k]];
    corners[k] = vertices[vertex];
    put_frame(out_frames + SUP_CHUNKS_FRAME * (1 + k), corners[k].m, NULL);
  }
  const SupShellFace face = {count, rest, now, sides, corners};
  const SupAffined frame = sup_shell_face_numbers(&face, piece->rest, out_numbers);
  put_frame(out_frames, frame.m, frame.m + 9);
}

static SupVec3d place_now(const SupChunksView *model, const SupChunksState *state,
                          const SupChunksPlace *place) {
  if (place->piece == SUP_CHUNKS_NONE) {
    return ((const SupVec3d *)sup_chunks_at(state, state->points))[place->node];
  }
  const float *at =
      sup_chunks_nodes(model, state, place->piece) + (size_t)SUP_CHUNKS_FRAME * place->node;
  return (SupVec3d){(double)at[9], (double)at[10], (double)at[11]};
}

/* Returns how many numbers it has put. */
static uint32_t drive_end(const SupChunksView *model, const SupChunksState *state,
                          const SupChunksPiece *piece, uint32_t end, double *out_numbers) {
  const SupChunksLimb *limb = &model->limbs[piece->limb];
  const SupLimbPose *pose = (const SupLimbPose *)sup_chunks_at(state, state->limbs) + piece->limb;
  const SupAffined *shared = (const SupAffined *)sup_chunks_at(state, state->joints);
  if (piece->ends[end] == SUP_CHUNKS_END_JOINT) {
    sup_limb_slice_numbers(pose, limb->rest, limb->length, end, shared[piece->joints[end]],
                           out_numbers);
  }
  const SupChunksPlace *places =
      model->places + piece->first_place + (end ? piece->place_counts[0] : 0);
  for (uint32_t k = 0; k < piece->place_counts[end]; k++) {
    const SupVec3d d =
        sup_limb_displacement(pose, limb->length, end, sup_vec3_to_double(places[k].at),
                              place_now(model, state, &places[k]));
    double *out = out_numbers + 3 * (size_t)k;
    out[0] = d.x, out[1] = d.y, out[2] = d.z;
  }
  return sup_chunks_end_columns(piece->ends[end], piece->place_counts[end]);
}

/* Of each slice the frame in the limb's space, then the linear part from bind space. */
static void drive_limb(const SupChunksView *model, const SupChunksState *state,
                       const SupChunksPiece *piece, double *out_numbers, float *out_frames) {
  const SupChunksLimb *limb = &model->limbs[piece->limb];
  const SupLimbPose *pose = (const SupLimbPose *)sup_chunks_at(state, state->limbs) + piece->limb;
  const SupMat3d back = sup_mat3d_transpose(sup_affined_linear(limb->rest));
  const uint32_t start = drive_end(model, state, piece, 0, out_numbers);
  drive_end(model, state, piece, 1, out_numbers + start);
  for (uint32_t j = 0; j < piece->slice_count; j++) {
    const double u = (double)j / (piece->slice_count - 1);
    const SupAffined frame = sup_limb_slice_frame(pose, limb->length, u);
    const SupMat3d turn = sup_mat3d_mul(sup_affined_linear(frame), back);
    put_frame(out_frames + (size_t)2 * SUP_CHUNKS_FRAME * j, frame.m, frame.m + 9);
    put_frame(out_frames + (size_t)2 * SUP_CHUNKS_FRAME * j + SUP_CHUNKS_FRAME, turn.m, NULL);
  }
}

static bool near_enough(const double *numbers, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    if (!(numbers[k] >= -FAR && numbers[k] <= FAR)) return false;
  }
  return true;
}

static bool frames_near(const float *frames, uint32_t count) {
  for (uint32_t f = 0; f < count; f++) {
    const float *frame = frames + (size_t)SUP_CHUNKS_FRAME * f;
    for (uint32_t k = 0; k < 12; k++) {
      const float most = k < 9 ? (float)STEEP : (float)FARTHEST;
      if (!(frame[k] >= -most && frame[k] <= most)) return false;
    }
  }
  return true;
}

/* What a chunk follows is itself where it should be. */
static bool places_sound(const SupChunksView *model, const SupChunksState *state,
                         const SupChunksPiece *piece) {
  const uint32_t *unsound = (const uint32_t *)sup_chunks_at(state, state->unsound);
  const SupChunksPlace *places = model->places + piece->first_place;
  for (uint32_t k = 0; k < piece->place_counts[0] + piece->place_counts[1]; k++) {
    if (places[k].piece != SUP_CHUNKS_NONE && unsound[places[k].piece]) return false;
  }
  return true;
}

static uint32_t frame_count_of(const SupChunksView *model, const SupChunksPiece *piece) {
  if (piece->limb != SUP_CHUNKS_NONE) return 2 * piece->slice_count;
  return 1 + model->face_first[piece->face + 1] - model->face_first[piece->face];
}

void sup_chunks_drive_piece(const SupChunksView *model, SupChunksState *state, uint32_t p) {
  const SupChunksPiece *piece = &model->pieces[p];
  const float *heights = (const float *)sup_chunks_at(state, state->heights) + piece->first_bulge;
  double *wide = (double *)sup_chunks_at(state, state->wide) + piece->first_number;
  float *numbers = (float *)sup_chunks_at(state, state->numbers) + piece->first_number;
  float *frames =
      (float *)sup_chunks_at(state, state->frames) + (size_t)SUP_CHUNKS_FRAME * piece->first_frame;
  const uint32_t frame_count = frame_count_of(model, piece);
  const uint32_t driven = piece->column_count - piece->bulge_count;
  (piece->limb == SUP_CHUNKS_NONE ? drive_ordinary : drive_limb)(model, state, piece, wide, frames);
  for (uint32_t b = 0; b < piece->bulge_count; b++) wide[driven + b] = (double)heights[b];
  const bool sound = near_enough(wide, piece->column_count) && frames_near(frames, frame_count) &&
                     places_sound(model, state, piece);
  for (uint32_t k = 0; k < piece->column_count && !sound; k++) wide[k] = 0;
  for (uint32_t k = 0; k < SUP_CHUNKS_FRAME * frame_count && !sound; k++) frames[k] = 0;
  for (uint32_t k = 0; k < piece->column_count; k++) numbers[k] = (float)wide[k];
  ((uint32_t *)sup_chunks_at(state, state->unsound))[p] = !sound;
  if (!sound) ((float *)sup_chunks_at(state, state->strengths))[p] = 0;
}
