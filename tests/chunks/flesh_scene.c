/* SPDX-License-Identifier: MIT */
#include "flesh_scene.h"

#include <math.h>

#include "train/chunks/chunk_bulge.h"

static const double bent = 0.4;

/* ---- Chunks ---------------------------------------------------------------------------------- */

static void list_surface(Scene *s, Flesh *f, bool limb) {
  const SupChunk *c = &f->chunk;
  const uint32_t slices = limb ? c->slice_count : 1;
  f->surface = SUP_ALLOC(s->arena, uint32_t, MOST);
  for (int held = 0; held < 2; held++) {
    for (uint32_t j = 0; j < slices; j++) {
      for (uint32_t k = 0; k < c->slice.node_count; k++) {
        const uint32_t v = sup_chunk_node(c, j, k);
        if (limb && c->slice.rim_places[k] == SUP_NONE) continue;
        if ((c->held[v] != 0) == held) f->surface[f->count++] = v;
      }
    }
    if (!held) f->free_count = f->count;
  }
  assert_true(f->count <= MOST && f->free_count > 0);
}

static void condense(Scene *s, PatchBody *body, Flesh *f, bool limb) {
  const SupWedgeBodyDef elastic = {"flesh", f->chunk.mesh, 0.4, NULL, f->chunk.held};
  SupWedgeBody wedges;
  f->holds = limb ? &f->limb.holds : &f->shell.holds;
  list_surface(s, f, limb);
  assert_int_equal(sup_wedge_body_create(&body->arena, &elastic, &wedges, NULL), SUP_OK);
  assert_int_equal(sup_wedge_condense(&body->arena, &wedges, f->holds, f->free_count, f->surface,
                                      &f->condensed, NULL),
                   SUP_OK);
  sup_wedge_body_free(&wedges);
}

static void make_flesh(Scene *s) {
  static const double middle[2] = {0, 0};
  static const SupLimbEnd ends[LIMBS][2] = {{SUP_LIMB_END_RIM, SUP_LIMB_END_SLICE},
                                            {SUP_LIMB_END_SLICE, SUP_LIMB_END_SLICE}};
  static const SupLimbBulge bulges[4] = {{0.5, 0.2}, {0.5, 0.4}, {0.3, 0.2}, {0.5, 0.2}};
  const SupChunkDef ball = body_def(s->ball, &s->charts[0], 2, 4);
  const SupChunkDef limbs[LIMBS] = {body_def(s->limbs, &s->charts[1], 2, 10),
                                    body_def(s->limbs, &s->charts[1], 2, 6)};
  double *shape = SUP_ALLOC(s->arena, double, MOST);
  for (uint32_t p = 0; p < ORDINARY; p++) {
    Flesh *f = &s->flesh[p];
    const SupSliceKind kind = p % 2 ? SUP_SLICE_FAN : SUP_SLICE_DIAGONALS;
    f->chunk = shell_chunk(s->ball, &ball, &s->shell, s->rest, p, kind);
    sup_bulge_below(&f->chunk, s->charts[0].charts[p].corners, middle, 1, shape);
    assert_int_equal(sup_chunk_shell_holds(&s->ball->arena, &f->chunk, p, shape, &f->shell, NULL),
                     SUP_OK);
    condense(s, s->ball, f, false);
  }
  for (uint32_t k = 0; k < LIMBS; k++) {
    Flesh *f = &s->flesh[ORDINARY + k];
    f->chunk = limb_chunk(s->limbs, &limbs[k], k, bent);
    assert_int_equal(
        sup_chunk_limb_holds(&s->limbs->arena, &f->chunk, ends[k], bulges, &f->limb, NULL), SUP_OK);
    condense(s, s->limbs, f, true);
  }
  s->rim = s->flesh[ORDINARY].chunk.slice.corner_count * s->flesh[ORDINARY].chunk.slice.parts;
}

/* ---- The character --------------------------------------------------------------------------- */

static double half_way(double x) { return fmin(fmax(0.5 + 0.4 * x, 0.02), 0.98); }

static void make_skeleton(Scene *s) {
  static const uint32_t joints[4] = {0, 1, 2, 3};
  static const int32_t parents[4] = {-1, 0, 0, 2};
  static const char *const names[4] = {"root", "chest", "upper", "lower"};
  SupTransform *rest = SUP_ALLOC(s->arena, SupTransform, 4);
  SupAffine *bind = SUP_ALLOC(s->arena, SupAffine, 4);
  for (int j = 0; j < 4; j++) rest[j] = sup_transform_identity();
  rest[3].translation = sup_vec3d_to_float(limb_joint(1, bent));
  for (int j = 0; j < 4; j++) bind[j] = sup_affine_inverse(sup_affine_compose(rest[j]));
  s->character.skeleton = (SupSkeleton){4, 4, parents, rest, names, joints, bind};
}

static void make_character(Scene *s) {
  const SupMesh *a = &s->ball->mesh, *b = &s->limbs->mesh;
  const uint32_t count = a->vertex_count + b->vertex_count;
  const uint32_t triangles = a->triangle_count + b->triangle_count;
  SupVec3 *positions = SUP_ALLOC(s->arena, SupVec3, count);
  uint32_t *corners = SUP_ALLOC(s->arena, uint32_t, 3 * (size_t)triangles);
  uint32_t *offsets = SUP_ALLOC(s->arena, uint32_t, count + 1);
  uint32_t *bones = SUP_ALLOC(s->arena, uint32_t, 2 * count);
  float *weights = SUP_ALLOC(s->arena, float, 2 * count);
  s->base = a->vertex_count;
  memcpy(positions, a->positions, a->vertex_count * sizeof *positions);
  memcpy(positions + s->base, b->positions, b->vertex_count * sizeof *positions);
  memcpy(corners, a->triangles, 12 * (size_t)a->triangle_count);
  for (uint32_t k = 0; k < 3 * b->triangle_count; k++) {
    corners[3 * a->triangle_count + k] = s->base + b->triangles[k];
  }
  for (uint32_t v = 0; v < count; v++) {
    const double joint = limb_joint(1, bent).z;
    const double t =
        half_way(v < s->base ? (double)positions[v].y : ((double)positions[v].z - joint) / 1.5);
    const uint32_t first = v < s->base ? 0 : 2, heavy = t > 0.5;
    for (uint32_t k = 0; k < 2; k++) {
      bones[2 * v + k] = first + (k ? 1 - heavy : heavy);
      weights[2 * v + k] = (float)((k ? 1 - heavy : heavy) ? t : 1 - t);
    }
    offsets[v + 1] = 2 * v + 2;
  }
  s->character = (SupCharacter){.name = "flesh",
                                .body = {count, triangles, positions, corners},
                                .skin = {count, 2, offsets, bones, weights}};
  make_skeleton(s);
}

/* ---- The definition -------------------------------------------------------------------------- */

static void put_shell(Scene *s) {
  SupChunksPackDef *d = &s->def;
  const SupShell *shell = &s->shell;
  SupVec3 *points = SUP_ALLOC(s->arena, SupVec3, shell->vertex_count);
  uint32_t *offsets = SUP_ALLOC(s->arena, uint32_t, shell->vertex_count + 1);
  SupChunksInfluence *in = SUP_ALLOC(s->arena, SupChunksInfluence, 2 * shell->vertex_count);
  for (uint32_t v = 0; v < shell->vertex_count; v++) {
    const float t = (float)half_way(s->rest[v].y);
    points[v] = sup_vec3d_to_float(s->rest[v]);
    s->rest[v] = sup_vec3_to_double(points[v]);
    in[2 * v] = (SupChunksInfluence){0, 1 - t};
    in[2 * v + 1] = (SupChunksInfluence){1, t};
    offsets[v + 1] = 2 * v + 2;
  }
  d->point_count = d->vertex_count = shell->vertex_count;
  d->points = points;
  d->influence_offsets = offsets;
  d->influences = in;
  d->face_count = shell->face_count;
  d->edge_count = shell->edge_count;
  d->face_offsets = shell->offsets;
  d->corners = shell->corners;
  d->corner_edges = shell->edges_of;
  d->edges = shell->edges;
  d->vertex_offsets = shell->vertex_offsets;
  d->vertex_edges = shell->vertex_edges;
}

static void put_limbs(Scene *s) {
  SupChunksLimb *limbs = SUP_ALLOC(s->arena, SupChunksLimb, LIMBS);
  SupChunksJoint *joint = SUP_ALLOC(s->arena, SupChunksJoint, 1);
  for (uint32_t k = 0; k < LIMBS; k++) {
    const SupChunk *c = &s->flesh[ORDINARY + k].chunk;
    limbs[k] = (SupChunksLimb){.rest = c->frame, .length = c->length, .bone = 2 + k};
  }
  *joint = (SupChunksJoint){0, 1};
  s->def.limb_count = LIMBS;
  s->def.limbs = limbs;
  s->def.limb_joint_count = 1;
  s->def.limb_joints = joint;
}

/* Columns in front of the bulges, one column per bulge; the last `dropped` of the former not. */
static void put_matrix(Scene *s, const Flesh *f, uint32_t bulge_group, uint32_t bulge_count,
                       const SupVec3d *directions, uint32_t dropped, SupChunksPieceDef *out) {
  const uint32_t from = f->condensed.column_count, first = f->holds->columns[bulge_group];
  const uint32_t driven = first - dropped, columns = driven + bulge_count;
  float *matrix = SUP_ALLOC(s->arena, float, 3 * (size_t)f->free_count * columns);
  SupChunksBulgeDef *bulges = SUP_ALLOC(s->arena, SupChunksBulgeDef, bulge_count);
  for (size_t row = 0; row < 3 * (size_t)f->free_count; row++) {
    const double *a = f->condensed.map + row * from;
    for (uint32_t c = 0; c < driven; c++) matrix[row * columns + c] = (float)a[c];
    for (uint32_t b = 0; b < bulge_count; b++) {
      const double *in = a + first + 3 * b;
      matrix[row * columns + driven + b] =
          (float)(in[0] * directions[b].x + in[1] * directions[b].y + in[2] * directions[b].z);
    }
  }
  for (uint32_t b = 0; b < bulge_count; b++) {
    bulges[b] = (SupChunksBulgeDef){.name = "muscle", .driver = SUP_CHUNKS_BY_HAND, .most = 1};
  }
  out->matrix = matrix;
  out->bulge_count = bulge_count;
  out->bulges = bulges;
}

static void put_nodes(Scene *s, const Flesh *f, SupChunksPieceDef *out) {
  const SupChunk *c = &f->chunk;
  SupVec3 *nodes = SUP_ALLOC(s->arena, SupVec3, f->count);
  uint32_t *slices = SUP_ALLOC(s->arena, uint32_t, f->count);
  SupChunksHold *holds = SUP_ALLOC(s->arena, SupChunksHold, 3 * f->count);
  out->slice_count = c->slice_count;
  out->free_count = f->free_count;
  out->held_count = f->count - f->free_count;
  for (uint32_t i = 0; i < f->count; i++) {
    nodes[i] = sup_vec3d_to_float(c->mesh.nodes[f->surface[i]]);
    slices[i] = f->surface[i] / c->slice.node_count;
    for (uint32_t h = 0; h < f->holds->hold_count && i >= f->free_count; h++) {
      const SupHold *hold = &f->holds->holds[h];
      const uint32_t column = f->holds->columns[hold->group];
      if (hold->node != f->surface[i]) continue;
      /* The end of the second limb follows nothing but its pose. */
      if (f == &s->flesh[PIECES - 1] && hold->group == f->limb.first_groups[1]) continue;
      holds[out->hold_count++] = (SupChunksHold){i, column, (uint32_t)f->holds->kinds[hold->group],
                                                 (float)hold->weight, sup_vec3d_to_float(hold->at)};
    }
  }
  out->nodes = nodes;
  out->node_slices = slices;
  out->holds = holds;
}

static void put_ordinary(Scene *s, uint32_t p) {
  const Flesh *f = &s->flesh[p];
  const SupVec3d up = {0, 0, 1};
  const uint32_t corners = f->chunk.slice.corner_count;
  float *weights = SUP_ALLOC(s->arena, float, f->count *corners);
  SupChunksPieceDef *out = &s->pieces[p];
  *out = (SupChunksPieceDef){
      .name = "ball", .limb = SUP_CHUNKS_NONE, .face = p, .rest = f->chunk.frame};
  put_nodes(s, f, out);
  put_matrix(s, f, 3 * corners, 1, &up, 0, out);
  for (uint32_t i = 0; i < f->count; i++) {
    for (uint32_t c = 0; c < corners; c++) {
      const double w = sup_slice_corner_weight(&f->chunk.slice, f->surface[i], c);
      weights[i * corners + c] = (float)w;
    }
  }
  out->node_weights = weights;
}

/* The first limb's rim goes with nodes of the ball, whatever they are. */
SupVec3d scene_ball_rest(const Scene *s, uint32_t i) {
  const Flesh *f = &s->flesh[0];
  return sup_affined_point(f->chunk.frame, f->chunk.mesh.nodes[f->surface[i % f->count]]);
}

static void put_limb(Scene *s, uint32_t k) {
  const Flesh *f = &s->flesh[ORDINARY + k];
  SupChunksPieceDef *out = &s->pieces[ORDINARY + k];
  SupChunksPlace *places = SUP_ALLOC(s->arena, SupChunksPlace, s->rim);
  *out = (SupChunksPieceDef){.name = "limb", .limb = k, .face = SUP_CHUNKS_NONE};
  out->ends[0] = k ? SUP_CHUNKS_END_JOINT : SUP_CHUNKS_END_RIM;
  out->ends[1] = k ? SUP_CHUNKS_END_OWN : SUP_CHUNKS_END_JOINT;
  put_nodes(s, f, out);
  put_matrix(s, f, f->limb.first_groups[2], 4, f->limb.directions, k ? 12 : 0, out);
  if (k) return;
  const SupAffined back = sup_affined_inverse(f->chunk.frame);
  for (uint32_t i = 0; i < s->rim; i++) {
    const SupVec3d at = sup_affined_point(back, scene_ball_rest(s, i));
    places[i] = (SupChunksPlace){0, i % s->flesh[0].count, sup_vec3d_to_float(at)};
  }
  out->place_counts[0] = s->rim;
  out->places = places;
}

/* ---- Skin: the four nearest nodes, by distance; what spreads falls off with its square ---------
 */

static void attach(Scene *s, const Flesh *f, SupVec3d at, uint32_t *out_nodes, float *out_weights,
                   SupVec3 *out_residual) {
  double best[4] = {1e9, 1e9, 1e9, 1e9}, sum = 0;
  SupVec3d q = {0, 0, 0};
  (void)s;
  for (uint32_t i = 0; i < f->count; i++) {
    const SupVec3d x = sup_affined_point(f->chunk.frame, f->chunk.mesh.nodes[f->surface[i]]);
    const double far = sup_vec3d_distance(x, at);
    for (int k = 3; k >= 0 && far < best[k]; k--) {
      if (k < 3) best[k + 1] = best[k], out_nodes[k + 1] = out_nodes[k];
      best[k] = far, out_nodes[k] = i;
    }
  }
  for (int k = 0; k < 4; k++) sum += 1 / (best[k] + 0.02);
  for (int k = 0; k < 4; k++) {
    const SupVec3d x =
        sup_affined_point(f->chunk.frame, f->chunk.mesh.nodes[f->surface[out_nodes[k]]]);
    out_weights[k] = (float)(1 / (best[k] + 0.02) / sum);
    q = sup_vec3d_add_scaled(q, x, (double)out_weights[k]);
  }
  *out_residual = sup_vec3d_to_float(sup_vec3d_sub(at, q));
}

static uint32_t list_vertices(const PatchBody *body, uint32_t p, uint32_t *out) {
  const SupPatch *patch = &body->patches.patches[p];
  uint32_t count = patch->loop_count;
  memcpy(out, patch->loop, count * sizeof *out);
  for (uint32_t t = 0; t < 3 * patch->triangle_count; t++) {
    const uint32_t v = body->patches.mesh.triangles[3 * patch->triangles[t / 3] + t % 3];
    uint32_t k = 0;
    while (k < count && out[k] != v) k++;
    if (k == count) out[count++] = v;
  }
  assert_true(count <= MOST);
  return count;
}

/* Whose surface is nearest to the middle of the patch. */
static uint32_t limb_of(const Scene *s, const PatchBody *body, uint32_t p) {
  const SupPatch *patch = &body->patches.patches[p];
  SupVec3d middle = {0, 0, 0};
  for (uint32_t k = 0; k < patch->loop_count; k++) {
    const SupVec3d at = sup_vec3_to_double(body->patches.mesh.positions[patch->loop[k]]);
    middle = sup_vec3d_add_scaled(middle, at, 1.0 / patch->loop_count);
  }
  const SupAffined back = sup_affined_inverse(s->flesh[PIECES - 1].chunk.frame);
  return ORDINARY + (sup_affined_point(back, middle).z > 0);
}

static void put_patch(Scene *s, const PatchBody *body, uint32_t base, uint32_t p, uint32_t piece,
                      const uint32_t *seams, SupChunksPatchDef *out) {
  uint32_t *vertices = SUP_ALLOC(s->arena, uint32_t, MOST);
  const uint32_t count = list_vertices(body, p, vertices);
  const uint32_t border = body->patches.patches[p].loop_count;
  uint32_t *nodes = SUP_ALLOC(s->arena, uint32_t, 4 * count);
  uint32_t *own = SUP_ALLOC(s->arena, uint32_t, border);
  float *weights = SUP_ALLOC(s->arena, float, 4 * count);
  float *spread = SUP_ALLOC(s->arena, float, (count - border) * border);
  SupVec3 *residuals = SUP_ALLOC(s->arena, SupVec3, count);
  const SupVec3 *x = s->character.body.positions;
  for (uint32_t i = 0; i < count; i++) {
    vertices[i] += base;
    attach(s, &s->flesh[piece], sup_vec3_to_double(x[vertices[i]]), nodes + 4 * i, weights + 4 * i,
           &residuals[i]);
    if (i < border) own[i] = seams[vertices[i]];
  }
  for (uint32_t i = border; i < count; i++) {
    float sum = 0, *row = spread + (i - border) * border;
    for (uint32_t b = 0; b < border; b++) {
      const float far = sup_vec3_distance(x[vertices[i]], x[vertices[b]]);
      sum += row[b] = 1 / (far * far);
    }
    for (uint32_t b = 0; b < border; b++) row[b] /= sum;
  }
  *out =
      (SupChunksPatchDef){piece, count, border, vertices, own, nodes, weights, residuals, spread};
}

static void put_skin(Scene *s) {
  const PatchBody *bodies[2] = {s->ball, s->limbs};
  const uint32_t count = s->character.body.vertex_count;
  uint32_t *seams = SUP_ALLOC(s->arena, uint32_t, count), n = 0;
  SupSeam *all = SUP_ALLOC(s->arena, SupSeam, count);
  SupChunksPatchDef *patches = SUP_ALLOC(s->arena, SupChunksPatchDef, 16);
  memset(seams, 0xff, count * sizeof *seams);
  for (int b = 0; b < 2; b++) {
    assert_int_equal(bodies[b]->patches.mesh.vertex_count, bodies[b]->mesh.vertex_count);
    for (uint32_t p = 0; p < 8; p++) {
      const SupPatch *patch = &bodies[b]->patches.patches[p];
      for (uint32_t k = 0; k < patch->loop_count; k++) {
        const uint32_t v = patch->loop[k] + (b ? s->base : 0);
        if (seams[v] == SUP_NONE) seams[v] = n, all[n++] = (SupSeam){v, v, 0, 0};
      }
    }
  }
  for (uint32_t p = 0; p < 8; p++) {
    put_patch(s, s->ball, 0, p, p, seams, &patches[p]);
    put_patch(s, s->limbs, s->base, p, limb_of(s, s->limbs, p), seams, &patches[8 + p]);
  }
  s->def.seam_count = n;
  s->def.seams = all;
  s->def.patch_count = 16;
  s->def.patches = patches;
}

Scene *scene_create(void) {
  Scene *s = calloc(1, sizeof *s);
  SupArena arena;
  assert_non_null(s);
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  s->arena = &arena;
  s->ball = patch_ball(3, 0.03, (SupVec3){1, 0.8f, 1.2f}, 0, 1);
  s->limbs = limb_body(LIMBS, limb_hourglass, bent);
  s->charts[0] = body_charts(s->ball);
  s->charts[1] = body_charts(s->limbs);
  s->shell = body_shell(s->ball, 0.6, &s->rest);
  make_character(s);
  s->def = sup_chunks_pack_def();
  put_shell(s);
  make_flesh(s);
  put_limbs(s);
  for (uint32_t p = 0; p < ORDINARY; p++) put_ordinary(s, p);
  for (uint32_t k = 0; k < LIMBS; k++) put_limb(s, k);
  s->def.piece_count = PIECES;
  s->def.pieces = s->pieces;
  put_skin(s);
  s->play = fleshed_of(arena, &s->character, &s->def);
  s->arena = &s->play->arena;
  return s;
}

void scene_free(Scene *s) {
  fleshed_free(s->play);
  patch_body_free(s->ball);
  patch_body_free(s->limbs);
  free(s);
}
