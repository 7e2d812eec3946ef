/* SPDX-License-Identifier: MIT */
/* What chunks were made of, and packing them again for a body that another tool has touched. */
#include "author/pack/chunks_packing.h"
#include "author/pack/packer_list.h"
#include "runtime/chunks/chunks_sections.h"

#define BLOCK SUP_SKIN_BLOCK

/* ---- Chunks -----------------------------------------------------------------------------------
 */

static bool unpack_matrix(SupArena *arena, const SupChunksView *view, const SupChunksPiece *piece,
                          SupChunksPieceDef *out) {
  const size_t columns = piece->column_count;
  float *matrix = SUP_ALLOC(arena, float, 3 * (size_t)piece->free_count * columns);
  if (!matrix) return false;
  for (size_t i = 0; i < piece->free_count; i++) {
    const float *from =
        view->matrices + piece->first_matrix + 3 * (i - i % BLOCK) * columns + i % BLOCK;
    for (size_t k = 0; k < 3; k++) {
      for (size_t c = 0; c < columns; c++) {
        matrix[(3 * i + k) * columns + c] = from[(3 * c + k) * BLOCK];
      }
    }
  }
  out->matrix = matrix;
  return true;
}

static SupChunksBulgeDef unpack_bulge(const SupChunksView *view, uint32_t b) {
  const SupChunksBulge *bulge = &view->bulges[b];
  return (SupChunksBulgeDef){.name = view->bulge_names + (size_t)SUP_CHUNKS_NAME * b,
                             .driver = (SupChunksDriver)bulge->driver,
                             .angle = bulge->angle,
                             .sample_count = bulge->sample_count,
                             .curve = view->curves + bulge->first_sample,
                             .face = bulge->face,
                             .height = bulge->height,
                             .no_dents = bulge->no_dents != 0,
                             .most = bulge->most};
}

static bool unpack_piece(SupArena *arena, const SupChunksView *view, uint32_t p,
                         SupChunksPieceDef *out) {
  const SupChunksPiece *piece = &view->pieces[p];
  const bool ordinary = piece->limb == SUP_CHUNKS_NONE;
  SupChunksBulgeDef *bulges = SUP_ALLOC(arena, SupChunksBulgeDef, piece->bulge_count);
  if (!bulges) return false;
  for (uint32_t b = 0; b < piece->bulge_count; b++) {
    bulges[b] = unpack_bulge(view, piece->first_bulge + b);
  }
  *out = (SupChunksPieceDef){
      .name = view->names + (size_t)SUP_CHUNKS_NAME * p,
      .limb = piece->limb,
      .face = piece->face,
      .rest = piece->rest,
      .slice_count = piece->slice_count,
      .ends = {(SupChunksEnd)piece->ends[0], (SupChunksEnd)piece->ends[1]},
      .place_counts = {piece->place_counts[0], piece->place_counts[1]},
      .places = view->places + piece->first_place,
      .free_count = piece->free_count,
      .held_count = piece->held_count,
      .nodes = view->nodes + piece->first_node,
      .node_slices = ordinary ? NULL : view->node_slices + piece->first_node,
      .node_weights = ordinary ? view->node_weights + piece->first_weight : NULL,
      .hold_count = piece->hold_count,
      .holds = view->holds + piece->first_hold,
      .bulge_count = piece->bulge_count,
      .bulges = bulges};
  return unpack_matrix(arena, view, piece, out);
}

/* ---- Skin -------------------------------------------------------------------------------------
 */

/* Arrays of a patch that the definition may write. */
typedef struct Parts {
  uint32_t *vertices, *nodes;
  float *weights, *spread;
  SupVec3 *residuals;
} Parts;

static bool make_parts(SupArena *arena, const SupChunksSkin *patch, Parts *out) {
  const size_t count = (size_t)patch->border_count + patch->interior_count;
  out->vertices = SUP_ALLOC(arena, uint32_t, count);
  out->nodes = SUP_ALLOC(arena, uint32_t, 4 * count);
  out->weights = SUP_ALLOC(arena, float, 4 * count);
  out->residuals = SUP_ALLOC(arena, SupVec3, count);
  out->spread = SUP_ALLOC(arena, float, (size_t)patch->interior_count * patch->border_count);
  return out->vertices && out->nodes && out->weights && out->residuals && out->spread;
}

static void unpack_rows(const SupChunksView *view, const SupChunksSkin *patch, const Parts *out) {
  for (uint32_t i = 0; i < patch->border_count + patch->interior_count; i++) {
    const size_t row = (size_t)BLOCK * patch->first_block + sup_sewn_row(patch->border_count, i);
    const uint32_t lane = view->row_lanes[row];
    out->vertices[i] = lane == SUP_CHUNKS_NONE ? SUP_CHUNKS_NONE : view->skin.order[lane];
    for (size_t n = 0; n < 4; n++) {
      out->nodes[4 * (size_t)i + n] = view->vertex_nodes[4 * row + n];
      out->weights[4 * (size_t)i + n] = view->vertex_weights[4 * row + n];
    }
    out->residuals[i] = sup_sewn_get(view->residuals, (uint32_t)row);
  }
}

static bool unpack_patch(SupArena *arena, const SupChunksView *view, uint32_t p,
                         SupChunksPatchDef *out) {
  const SupChunksSkin *patch = &view->patches[p];
  const float *spread = view->spread + patch->first_spread;
  Parts parts;
  if (!make_parts(arena, patch, &parts)) return false;
  unpack_rows(view, patch, &parts);
  for (uint32_t i = 0; i < patch->interior_count; i++) {
    const float *from = spread + (size_t)BLOCK * (i / BLOCK) * patch->border_count + i % BLOCK;
    for (uint32_t b = 0; b < patch->border_count; b++) {
      parts.spread[(size_t)i * patch->border_count + b] = from[(size_t)BLOCK * b];
    }
  }
  *out = (SupChunksPatchDef){.piece = patch->piece,
                             .vertex_count = patch->border_count + patch->interior_count,
                             .border_count = patch->border_count,
                             .vertices = parts.vertices,
                             .seams = view->borders + patch->first_border,
                             .nodes = parts.nodes,
                             .weights = parts.weights,
                             .residuals = parts.residuals,
                             .spread = parts.spread};
  return true;
}

/* ---- All --------------------------------------------------------------------------------------
 */

static SupChunksPackDef def_of(const SupChunksView *view, const SupChunksPieceDef *pieces,
                               const SupChunksPatchDef *patches) {
  SupChunksPackDef def = sup_chunks_pack_def();
  def.root = view->root;
  def.limb_count = view->limb_count;
  def.limbs = view->limbs;
  def.limb_joint_count = view->limb_joint_count;
  def.limb_joints = view->limb_joints;
  def.point_count = view->point_count;
  def.points = view->points;
  def.influence_offsets = view->influence_first;
  def.influences = view->influences;
  def.vertex_count = view->vertex_count;
  def.face_count = view->face_count;
  def.edge_count = view->edge_count;
  def.face_offsets = view->face_first;
  def.corners = view->corners;
  def.corner_edges = view->corner_edges;
  def.edges = view->edges;
  def.vertex_offsets = view->vertex_first;
  def.vertex_edges = view->vertex_edges;
  def.angle_count = view->angle_count;
  def.angles = view->angles;
  def.piece_count = view->piece_count;
  def.pieces = pieces;
  def.seam_count = view->seam_count;
  def.seams = view->seams;
  def.patch_count = view->patch_count;
  def.patches = patches;
  return def;
}

static bool unpack(SupArena *arena, const SupChunksView *view, SupChunksPackDef *out_def) {
  SupChunksPieceDef *pieces = SUP_ALLOC(arena, SupChunksPieceDef, view->piece_count);
  SupChunksPatchDef *patches = SUP_ALLOC(arena, SupChunksPatchDef, view->patch_count);
  if (!pieces || !patches) return false;
  for (uint32_t p = 0; p < view->piece_count; p++) {
    if (!unpack_piece(arena, view, p, &pieces[p])) return false;
  }
  for (uint32_t p = 0; p < view->patch_count; p++) {
    if (!unpack_patch(arena, view, p, &patches[p])) return false;
  }
  *out_def = def_of(view, pieces, patches);
  return true;
}

SupResult sup_chunks_unpack(SupArena *arena, const SupModel *model, SupChunksPackDef *out_def,
                            SupError *error) {
  SupModel *copy =
      (SupModel *)(void *)SUP_COPY(arena, char, (const char *)model, (size_t)model->bytes);
  if (!copy) return sup_fail_memory(error, "unpacking chunks");
  const SupChunksView view = sup_chunks_view(copy);
  if (!unpack(arena, &view, out_def)) return sup_fail_memory(error, "unpacking chunks");
  return SUP_OK;
}

/* ---- Binding again ----------------------------------------------------------------------------
 *
 * x_now = (x_then - offset) / scale, lengths / scale. Numbers of affine maps are a translation
 * (a length) and a linear part (none), which multiplies the place it is at: columns of linear parts
 * shrink as places do, those of translations and bulges, which are lengths of now, stay.
 */

static double place_now(double then, double offset, const SupRestSpace *space) {
  return (then - offset) / space->scale;
}

static void move_point(const SupRestSpace *space, SupVec3 *io_point) {
  io_point->x = (float)place_now((double)io_point->x, space->offset.x, space);
  io_point->y = (float)place_now((double)io_point->y, space->offset.y, space);
  io_point->z = (float)place_now((double)io_point->z, space->offset.z, space);
}

static void move_frame(const SupRestSpace *space, SupAffined *io_frame) {
  io_frame->m[9] = place_now(io_frame->m[9], space->offset.x, space);
  io_frame->m[10] = place_now(io_frame->m[10], space->offset.y, space);
  io_frame->m[11] = place_now(io_frame->m[11], space->offset.z, space);
}

static void shrink(const SupRestSpace *space, size_t count, float *io_lengths) {
  const float factor = (float)(1 / space->scale);
  for (size_t k = 0; k < count; k++) io_lengths[k] *= factor;
}

/* The definition's arrays are those of the copy that was unpacked. */
#define OWN(type, pointer) ((type *)(uintptr_t)(pointer))

static void shrink_columns(const SupRestSpace *space, const SupChunksPieceDef *piece,
                           uint32_t first, uint32_t count, uint32_t columns) {
  for (size_t row = 0; row < 3 * (size_t)piece->free_count; row++) {
    shrink(space, count, OWN(float, piece->matrix) + row * columns + first);
  }
}

/* Columns of affine maps: three of a translation, nine of a linear part. */
static void shrink_affine(const SupRestSpace *space, const SupChunksPackDef *def,
                          const SupChunksPieceDef *piece) {
  const uint32_t driven = (uint32_t)sup_chunks_driven_columns(def, piece);
  const uint32_t columns = driven + piece->bulge_count;
  if (piece->limb == SUP_CHUNKS_NONE) {
    const uint32_t maps = 2 * sup_chunks_corner_count(def, piece->face);
    for (uint32_t k = 0; k < maps; k++) shrink_columns(space, piece, 12 * k + 3, 9, columns);
    return;
  }
  uint32_t first = 0;
  for (uint32_t end = 0; end < 2; end++) {
    if (piece->ends[end] == SUP_CHUNKS_END_JOINT) {
      shrink_columns(space, piece, first + 3, 9, columns);
    }
    first += sup_chunks_end_columns(piece->ends[end], piece->place_counts[end]);
  }
}

static void move_piece(const SupRestSpace *space, const SupChunksPackDef *def,
                       const SupChunksPieceDef *piece) {
  const size_t nodes = (size_t)piece->free_count + piece->held_count;
  move_frame(space, &OWN(SupChunksPieceDef, piece)->rest);
  shrink(space, 3 * nodes, &OWN(SupVec3, piece->nodes)->x);
  for (uint32_t k = 0; k < piece->hold_count; k++) {
    shrink(space, 3, &OWN(SupChunksHold, piece->holds)[k].at.x);
  }
  for (uint32_t k = 0; k < piece->place_counts[0] + piece->place_counts[1]; k++) {
    shrink(space, 3, &OWN(SupChunksPlace, piece->places)[k].at.x);
  }
  for (uint32_t b = 0; b < piece->bulge_count; b++) {
    SupChunksBulgeDef *bulge = &OWN(SupChunksBulgeDef, piece->bulges)[b];
    shrink(space, 1, &bulge->height);
    shrink(space, 1, &bulge->most);
    shrink(space, bulge->sample_count, OWN(float, bulge->curve));
  }
  shrink_affine(space, def, piece);
}

static void move_def(const SupRestSpace *space, const SupChunksPackDef *def) {
  for (uint32_t k = 0; k < def->limb_count; k++) {
    SupChunksLimb *limb = &OWN(SupChunksLimb, def->limbs)[k];
    move_frame(space, &limb->rest);
    limb->length /= space->scale;
  }
  for (uint32_t k = 0; k < def->point_count; k++) {
    move_point(space, &OWN(SupVec3, def->points)[k]);
  }
  for (uint32_t p = 0; p < def->piece_count; p++) move_piece(space, def, &def->pieces[p]);
  for (uint32_t p = 0; p < def->patch_count; p++) {
    shrink(space, 3 * (size_t)def->patches[p].vertex_count,
           &OWN(SupVec3, def->patches[p].residuals)->x);
  }
}

static void renumber(const uint32_t *now, const SupChunksPackDef *def) {
  SupSeam *seams = OWN(SupSeam, def->seams);
  for (uint32_t s = 0; s < def->seam_count; s++) {
    seams[s].a = now[seams[s].a];
    seams[s].b = now[seams[s].b];
  }
  for (uint32_t p = 0; p < def->patch_count; p++) {
    uint32_t *vertices = OWN(uint32_t, def->patches[p].vertices);
    for (uint32_t i = 0; i < def->patches[p].vertex_count; i++) {
      if (vertices[i] != SUP_CHUNKS_NONE) vertices[i] = now[vertices[i]];
    }
  }
}

static SupResult rebind(SupArena *arena, const SupCharacter *character, const SupModel *model,
                        const SupRebinding *binding, SupModel **out_model, SupError *error) {
  const uint32_t count = character->body.vertex_count;
  const SupRestSpace *space = &binding->space;
  SupChunksPackDef def;
  SupResult result = sup_chunks_unpack(arena, model, &def, error);
  if (result) return result;
  uint32_t *now = SUP_ALLOC(arena, uint32_t, count);
  if (!now) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < count; v++) now[binding->then[v]] = v;
  renumber(now, &def);
  if (space->scale != 1 || space->offset.x != 0 || space->offset.y != 0 || space->offset.z != 0) {
    move_def(space, &def);
  }
  return sup_chunks_pack(arena, character, &def, out_model, error);
}

const SupPacker sup_chunks_packer = {SUP_CHUNKS_KIND, rebind};
