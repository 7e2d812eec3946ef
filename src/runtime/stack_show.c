/* SPDX-License-Identifier: MIT */
/* What a frame gives out: positions, normals and tangents of the caller's vertices. */
#include "stack_actor.h"

#define VERTICES_PER_TASK 1024

static SupVec3 frame_direction(const float *frame, SupVec3 v) {
  return (SupVec3){frame[0] * v.x + frame[3] * v.y + frame[6] * v.z,
                   frame[1] * v.x + frame[4] * v.y + frame[7] * v.z,
                   frame[2] * v.x + frame[5] * v.y + frame[8] * v.z};
}

static void put3(float *to, SupVec3 v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

static SupVec3 unit_out(const Actor *a, SupVec3 v) {
  if (a->stack->def.space != SUP_SPACE_WORLD) v = sup_affine_direction(a->space, v);
  return sup_vec3_normalise(v);
}

static const float *lane_record(const SupSkinView *skin, uint32_t lane) {
  const uint32_t block = lane / SUP_SKIN_BLOCK;
  const size_t rows = sup_skin_record_rows(skin->flags);
  return skin->records + SUP_SKIN_BLOCK * (rows * block + skin->bone_first[block]) +
         lane % SUP_SKIN_BLOCK;
}

static SupVec3 lane_normal(const SupSkinView *skin, uint32_t lane) {
  if (!(skin->flags & SUP_SKIN_NORMALS)) return (SupVec3){0, 0, 0};
  const float *record = lane_record(skin, lane);
  return (SupVec3){record[3 * SUP_SKIN_BLOCK], record[4 * SUP_SKIN_BLOCK],
                   record[5 * SUP_SKIN_BLOCK]};
}

/* The linear part of a lane's blended bones, for frames that only skin. */
static void blend_lane(const Actor *a, uint32_t lane, float *out_frame) {
  const SupSkinView *skin = &a->stack->skin;
  const uint32_t *first = skin->bone_first + lane / SUP_SKIN_BLOCK;
  const float *weights =
      lane_record(skin, lane) + SUP_SKIN_BLOCK * sup_skin_record_rows(skin->flags);
  for (int i = 0; i < 9; i++) out_frame[i] = 0;
  for (uint32_t k = first[0]; k < first[1]; k++, weights += SUP_SKIN_BLOCK) {
    const float *m = a->palette[skin->bones[k]].m;
    for (int i = 0; i < 9 && *weights > 0; i++) out_frame[i] += *weights * m[i];
  }
}

/* Vertices of the output: positions, and normals and tangents turned with their body vertex. */
static void write_vertices(void *context, SupRange range) {
  const Actor *a = (const Actor *)context;
  const SupStackFrame *out = a->frame;
  const SupStackRender *render = &a->stack->def.render;
  const bool turn = out->normals.data || (out->tangents.data && render->tangents);
  for (uint32_t r = range.first; r < range.first + range.count; r++) {
    const uint32_t v = render->vertex_count ? render->to_body[r] : r;
    const uint32_t lane = a->lanes[v];
    const float *pair = a->pairs + 8 * (size_t)(a->skinning ? v : lane);
    SupVec3 p = {pair[0], pair[1], pair[2]};
    if (a->stack->def.space != SUP_SPACE_WORLD) p = sup_affine_point(a->space, p);
    put3(out->positions.data + (size_t)out->positions.stride * r, p);
    if (!turn) continue;
    float blended[9];
    const float *frame = a->frames + 12 * (size_t)lane;
    if (a->skinning) {
      blend_lane(a, lane, blended);
      frame = blended;
    }
    if (out->normals.data) {
      const SupVec3 n = render->normals ? render->normals[r] : lane_normal(&a->stack->skin, lane);
      put3(out->normals.data + (size_t)out->normals.stride * r,
           unit_out(a, frame_direction(frame, n)));
    }
    if (out->tangents.data && render->tangents) {
      const SupVec4 t = render->tangents[r];
      float *to = out->tangents.data + (size_t)out->tangents.stride * r;
      put3(to, unit_out(a, frame_direction(frame, (SupVec3){t.x, t.y, t.z})));
      to[3] = t.w;
    }
  }
}

bool sup_actor_bends(const Actor *a) {
  const SupStack *stack = a->stack;
  const bool wanted = a->frame->normals.data || a->frame->tangents.data;
  return wanted && (stack->has_modes || stack->has_correctives || stack->has_popping) &&
         (stack->has_surface || (stack->has_modes && stack->modes.fans) ||
          (stack->has_popping && stack->popping.fans));
}

/* Rows of blocks into one side of the pairs: side 0 is shown, 4 what it is compared with. */
static void put_pairs(const Actor *a, const float *rows, uint32_t side) {
  for (size_t lane = 0; lane < (size_t)SUP_SKIN_BLOCK * a->stack->skin.block_count; lane++) {
    const float *from = rows + 3 * (lane - lane % SUP_SKIN_BLOCK) + lane % SUP_SKIN_BLOCK;
    for (uint32_t c = 0; c < 3; c++) a->pairs[8 * lane + side + c] = from[SUP_SKIN_BLOCK * c];
  }
}

/* Normals turn as the triangles around a vertex do, from plain skinning to what is shown. */
static void bend_frames(Actor *a) {
  const SupStack *stack = a->stack;
  SupSkinCall plain = {.positions = {a->frames, 0}}; /* room that the frames take afterwards */
  SupSurfaceView rings = stack->surface;
  if (!stack->has_surface) {
    const bool swings = stack->has_modes && stack->modes.fans;
    rings.fan_first = swings ? stack->modes.fan_first : stack->popping.fan_first;
    rings.fans = swings ? stack->modes.fans : stack->popping.fans;
  }
  rings.skin = stack->skin;
  sup_actor_skin_plain(a, &plain);
  put_pairs(a, a->frames, 4);
  sup_surface_frames(&rings, a->backend, a->jobs, a->palette, a->pairs, a->frames);
}

void sup_actor_show_bent(Actor *a) {
  SupSkinCall shown = {.positions = {a->frames, 0}};
  a->skinning = false; /* pairs and frames by lane */
  sup_actor_skin(a, &shown);
  put_pairs(a, a->frames, 0);
  bend_frames(a);
  sup_actor_show_skin(a);
}

void sup_actor_show(Actor *a, SupSurfaceShow show) {
  const SupSurfaceForces *forces = a->frame->forces;
  show.fade = a->state->fade;
  show.pull_count = forces ? forces->pull_count : 0;
  show.pulls = forces ? forces->pulls : NULL;
  show.space = sup_actor_scene_to_space(a);
  const SupSurfaceView *model = &a->stack->surface;
  float *scales = (float *)sup_stack_at(a->stack, a->state, AT_SCALES);
  if (sup_surface_scales(model->skin.bone_count, a->palette, scales)) show.scales = scales;
  sup_surface_show(model, a->surface, a->backend, a->jobs, &show, a->pairs);
  if (sup_actor_bends(a)) {
    bend_frames(a);
  } else if (a->frame->normals.data || a->frame->tangents.data) {
    sup_surface_frames(model, a->backend, a->jobs, a->palette, a->pairs, a->frames);
  }
  sup_actor_show_skin(a);
}

void sup_actor_show_skin(Actor *a) {
  sup_parallel_for(a->jobs, a->stack->vertex_count, VERTICES_PER_TASK, write_vertices, a);
}
