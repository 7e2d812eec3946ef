/* SPDX-License-Identifier: MIT */
/* What a frame gives out: positions, normals and tangents of the caller's vertices. */
#include "runtime/stack/stack_context.h"

#define VERTICES_PER_TASK 1024

static SupVec3 frame_direction(const float *frame, SupVec3 v) {
  return (SupVec3){frame[0] * v.x + frame[3] * v.y + frame[6] * v.z,
                   frame[1] * v.x + frame[4] * v.y + frame[7] * v.z,
                   frame[2] * v.x + frame[5] * v.y + frame[8] * v.z};
}

static void put3(float *to, SupVec3 v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

static SupVec3 unit_out(const SupStackContext *c, SupVec3 v) {
  if (c->stack->def.space != SUP_SPACE_WORLD) v = sup_affine_direction(c->space, v);
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
void sup_context_blend_lane(const SupStackContext *c, uint32_t lane, float *out_frame) {
  const SupSkinView *skin = &c->stack->skin;
  const uint32_t *first = skin->bone_first + lane / SUP_SKIN_BLOCK;
  const float *weights =
      lane_record(skin, lane) + SUP_SKIN_BLOCK * sup_skin_record_rows(skin->flags);
  for (int i = 0; i < 9; i++) out_frame[i] = 0;
  for (uint32_t k = first[0]; k < first[1]; k++, weights += SUP_SKIN_BLOCK) {
    const float *m = c->palette[skin->bones[k]].m;
    for (int i = 0; i < 9 && *weights > 0; i++) out_frame[i] += *weights * m[i];
  }
}

/* Vertices of the output: positions, and normals and tangents turned with their body vertex. */
static void write_vertices(void *context, SupRange range) {
  const SupStackContext *c = (const SupStackContext *)context;
  const SupStackFrame *out = c->frame;
  const SupStackRender *render = &c->stack->def.render;
  const bool turn = out->normals.data || (out->tangents.data && render->tangents);
  for (uint32_t r = range.first; r < range.first + range.count; r++) {
    const uint32_t v = render->vertex_count ? render->to_body[r] : r;
    const uint32_t lane = c->lanes[v];
    const float *pair = c->pairs + 8 * (size_t)(c->skinning ? v : lane);
    SupVec3 p = {pair[0], pair[1], pair[2]};
    if (c->stack->def.space != SUP_SPACE_WORLD) p = sup_affine_point(c->space, p);
    put3(out->positions.data + (size_t)out->positions.stride * r, p);
    if (!turn) continue;
    float blended[9];
    const float *frame = c->frames + 12 * (size_t)lane;
    if (c->skinning) {
      sup_context_blend_lane(c, lane, blended);
      frame = blended;
    }
    if (out->normals.data) {
      const SupVec3 n = render->normals ? render->normals[r] : lane_normal(&c->stack->skin, lane);
      put3(out->normals.data + (size_t)out->normals.stride * r,
           unit_out(c, frame_direction(frame, n)));
    }
    if (out->tangents.data && render->tangents) {
      const SupVec4 t = render->tangents[r];
      float *to = out->tangents.data + (size_t)out->tangents.stride * r;
      put3(to, unit_out(c, frame_direction(frame, (SupVec3){t.x, t.y, t.z})));
      to[3] = t.w;
    }
  }
}

/* ---- Normals that follow the shape ------------------------------------------------------------
 */

/* The triangles around the vertices, of whichever layer has them: the follower first, then the one
 * whose skin counts most. */
static SupLaneRings rings_of(const SupStack *stack) {
  SupLaneRings rings = {0};
  uint32_t rank = 0;
  for (const SupLayer *l = stack->layers; l < sup_stack_end(stack); l++) {
    if (!l->offer.rings.first) continue;
    if (l->technique->follow) return l->offer.rings;
    if (rings.first && l->technique->skin_rank <= rank) continue;
    rings = l->offer.rings;
    rank = l->technique->skin_rank;
  }
  return rings;
}

/* Are normals wanted that must follow what layers do to the shape, and can? */
static bool bends(const SupStackContext *c) {
  const SupStack *stack = c->stack;
  bool shaped = stack->provider != SUP_NO_LAYER;
  for (const SupLayer *l = stack->layers; l < sup_stack_end(stack); l++) {
    shaped = shaped || l->technique->morph;
  }
  return (c->frame->normals.data || c->frame->tangents.data) && shaped && rings_of(stack).first;
}

/* Rows of blocks into one side of the pairs: side 0 is shown, 4 what it is compared with. */
static void put_pairs(const SupStackContext *c, const float *rows, uint32_t side) {
  for (size_t lane = 0; lane < (size_t)SUP_SKIN_BLOCK * c->stack->skin.block_count; lane++) {
    const float *from = rows + 3 * (lane - lane % SUP_SKIN_BLOCK) + lane % SUP_SKIN_BLOCK;
    for (uint32_t k = 0; k < 3; k++) c->pairs[8 * lane + side + k] = from[SUP_SKIN_BLOCK * k];
  }
}

static void turn_frames(const SupStackContext *c) {
  sup_lane_frames(&c->stack->skin, rings_of(c->stack), c->backend, c->jobs, c->palette, c->pairs,
                  c->frames);
}

/* Normals turn as the triangles around a vertex do, from plain skinning to what is shown. */
static void bend_frames(SupStackContext *c) {
  SupSkinCall plain = {.positions = {c->frames, 0}}; /* room that the frames take afterwards */
  sup_context_skin_plain(c, &plain);
  put_pairs(c, c->frames, 4);
  turn_frames(c);
}

/* Frames as a goal provider gives them, where no layer knows the triangles. */
static void copy_frames(SupStackContext *c, const float *rows) {
  for (size_t lane = 0; lane < (size_t)SUP_SKIN_BLOCK * c->stack->skin.block_count; lane++) {
    const float *from = rows + 9 * (lane - lane % SUP_SKIN_BLOCK) + lane % SUP_SKIN_BLOCK;
    for (uint32_t k = 0; k < 9; k++) c->frames[12 * lane + k] = from[SUP_SKIN_BLOCK * k];
  }
}

/* ---- What is shown ----------------------------------------------------------------------------
 */

static void write_all(SupStackContext *c) {
  sup_parallel_for(c->jobs, c->stack->vertex_count, VERTICES_PER_TASK, write_vertices, c);
}

void sup_context_show(SupStackContext *c, SupShowTime when) {
  const SupLayer *follower = sup_stack_follower(c->stack);
  follower->technique->show(c, follower, sup_layer_state(c, follower), when, c->pairs);
  if (bends(c)) {
    bend_frames(c);
  } else if (c->stack->provider != SUP_NO_LAYER) {
    copy_frames(c, c->goal_frames);
  } else if (c->frame->normals.data || c->frame->tangents.data) {
    turn_frames(c);
  }
  write_all(c);
}

void sup_context_show_goal(SupStackContext *c, bool moving) {
  const bool provided = c->stack->provider != SUP_NO_LAYER;
  const bool bent = bends(c) && (moving || provided);
  if (bent || provided) {
    c->skinning = false; /* pairs and frames by lane */
    const SupGoal goal = {.positions = c->frames, .frames = provided ? c->goal_frames : NULL};
    sup_context_goal(c, &goal);
    put_pairs(c, c->frames, 0);
    if (bent) {
      bend_frames(c);
    } else {
      copy_frames(c, c->goal_frames);
    }
  } else {
    SupSkinCall call = {.positions = {c->pairs, 8}};
    sup_context_skin(c, &call);
  }
  write_all(c);
}
