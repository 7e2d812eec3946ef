/* SPDX-License-Identifier: MIT */
/* What an envelope was made of, and packing it again for a body that another tool has touched. */
#include "author/pack/envelope_rows.h"
#include "author/pack/packer_list.h"
#include "supple/author/envelope_origin.h"
#include "supple/author/envelope_pack.h"

#define BLOCK SUP_SKIN_BLOCK

/* ---- Back again -------------------------------------------------------------------------------
 */

static SupVec3 get_vector(const float *from) {
  return (SupVec3){from[0], from[BLOCK], from[2 * BLOCK]};
}

/* Arrays of a patch that the definition may write. */
typedef struct Parts {
  uint32_t *vertices;
  float *weights, *spread;
  SupVec3 *offsets, *fields;
} Parts;

static bool make_parts(SupArena *arena, const SupEnvelopeFace *face, Parts *out) {
  const size_t count = (size_t)face->border_count + face->interior_count;
  out->vertices = SUP_ALLOC(arena, uint32_t, count);
  out->weights = SUP_ALLOC(arena, float, count * face->corner_count);
  out->spread = SUP_ALLOC(arena, float, (size_t)face->interior_count * face->border_count);
  out->offsets = SUP_ALLOC(arena, SupVec3, count);
  out->fields = SUP_ALLOC(arena, SupVec3, count * face->field_count);
  return out->vertices && out->weights && out->spread && out->offsets && out->fields;
}

static uint32_t vertex_of(const SupEnvelopeView *view, const SupEnvelopeFace *face,
                          const uint32_t *vertices, uint32_t i) {
  if (i >= face->border_count) {
    return vertices[BLOCK * face->first_block + sup_envelope_row(face, i)];
  }
  const SupEnvelopeSeam *seam = &view->seams[view->borders[face->first_border + i]];
  return seam->a == seam->b ? seam->a : SUP_ENVELOPE_NONE;
}

static void unpack_vertices(const SupEnvelopeView *view, const SupEnvelopeFace *face,
                            const uint32_t *vertices, const Parts *out) {
  const uint32_t count = face->border_count + face->interior_count;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t row = sup_envelope_row(face, i), block = row / BLOCK, lane = row % BLOCK;
    const float *weights =
        view->weights + face->first_weight + (size_t)BLOCK * block * face->corner_count;
    const float *fields =
        view->fields + face->first_field + (size_t)3 * BLOCK * block * face->field_count;
    out->vertices[i] = vertex_of(view, face, vertices, i);
    for (uint32_t k = 0; k < face->corner_count; k++) {
      out->weights[(size_t)i * face->corner_count + k] = weights[BLOCK * k + lane];
    }
    out->offsets[i] =
        get_vector(view->offsets + (size_t)3 * BLOCK * (face->first_block + block) + lane);
    for (uint32_t k = 0; k < face->field_count; k++) {
      out->fields[(size_t)k * count + i] = get_vector(fields + (size_t)3 * BLOCK * k + lane);
    }
  }
}

static void unpack_spread(const SupEnvelopeView *view, const SupEnvelopeFace *face,
                          float *out_spread) {
  const float *spread = view->spread + face->first_spread;
  for (uint32_t i = 0; i < face->interior_count; i++) {
    const float *from = spread + (size_t)BLOCK * (i / BLOCK) * face->border_count + i % BLOCK;
    for (uint32_t b = 0; b < face->border_count; b++) {
      out_spread[(size_t)i * face->border_count + b] = from[(size_t)BLOCK * b];
    }
  }
}

/* vertices[rows of all patches]: whose lane takes the row. */
static bool unpack_patch(SupArena *arena, const SupEnvelopeView *view, const uint32_t *vertices,
                         uint32_t p, SupEnvelopePatch *out) {
  const SupEnvelopeFace *face = &view->faces[p];
  Parts parts;
  if (!make_parts(arena, face, &parts)) return false;
  unpack_vertices(view, face, vertices, &parts);
  unpack_spread(view, face, parts.spread);
  *out = (SupEnvelopePatch){.name = view->names + (size_t)SUP_ENVELOPE_NAME * p,
                            .corner_count = face->corner_count,
                            .corners = view->corners + face->first_corner,
                            .vertex_count = face->border_count + face->interior_count,
                            .border_count = face->border_count,
                            .vertices = parts.vertices,
                            .seams = view->borders + face->first_border,
                            .corner_weights = parts.weights,
                            .offsets = parts.offsets,
                            .spread = parts.spread,
                            .field_count = face->field_count,
                            .fields = parts.fields,
                            .angle_count = face->angle_count,
                            .angles = face->angles,
                            .samples = face->samples,
                            .tables = view->tables + face->first_table};
  return true;
}

static void unpack_blends(const SupEnvelopeView *view, SupEnvelopeBlend *out) {
  for (uint32_t b = 0; b < view->blend_count; b++) {
    const SupEnvelopeMix *mix = &view->blends[b];
    out[b] =
        (SupEnvelopeBlend){.angle_count = mix->angle_count,
                           .angles = view->blend_angles + mix->first_angle,
                           .inverse_sigma = mix->inverse_sigma,
                           .centre_count = mix->centre_count,
                           .centres = view->centres + mix->first_centre,
                           .cardinal = view->cardinal + mix->first_cardinal,
                           .centre_of_shape = view->shape_centres + (size_t)b * view->shape_count,
                           .share_of_shape = view->shape_shares + (size_t)b * view->shape_count};
  }
}

static void find_vertices(const SupEnvelopeView *view, uint32_t *out_vertices) {
  for (uint64_t i = 0; i < (uint64_t)BLOCK * view->block_count; i++) {
    out_vertices[i] = SUP_ENVELOPE_NONE;
  }
  for (uint32_t v = 0; v < view->skin.vertex_count; v++) {
    const uint32_t row = view->sources[view->lanes[v]];
    if (row != SUP_ENVELOPE_NONE) out_vertices[row] = v;
  }
}

static SupEnvelopeDef def_of(const SupEnvelopeView *view, const SupEnvelopeBlend *blends,
                             const SupEnvelopePatch *patches) {
  SupEnvelopeDef def = sup_envelope_def();
  def.root = view->root;
  def.shape_count = view->shape_count;
  def.angle_count = view->angle_count;
  def.angles = view->angles;
  def.blend_count = view->blend_count;
  def.blends = blends;
  def.control_count = view->control_count;
  def.control_blends = view->control_blends;
  def.influence_offsets = view->influence_first;
  def.influences = view->influences;
  def.influence_points = view->points;
  def.revisions = view->revisions;
  def.revision_points = view->revision_points;
  def.revision_angles = view->revision_angles;
  def.seam_count = view->seam_count;
  def.seams = view->seams;
  def.patch_count = view->patch_count;
  def.patches = patches;
  def.strengths = view->strengths;
  return def;
}

/* The definition points into `view`, the patches into `arena`. */
static bool unpack(SupArena *arena, const SupEnvelopeView *view, SupEnvelopeDef *out_def) {
  uint32_t *vertices = SUP_ALLOC(arena, uint32_t, (size_t)BLOCK * view->block_count);
  SupEnvelopeBlend *blends = SUP_ALLOC(arena, SupEnvelopeBlend, view->blend_count);
  SupEnvelopePatch *patches = SUP_ALLOC(arena, SupEnvelopePatch, view->patch_count);
  if (!vertices || !blends || !patches) return false;
  find_vertices(view, vertices);
  unpack_blends(view, blends);
  for (uint32_t p = 0; p < view->patch_count; p++) {
    if (!unpack_patch(arena, view, vertices, p, &patches[p])) return false;
  }
  *out_def = def_of(view, blends, patches);
  return true;
}

/* Pointers to the names that the model has. */
static bool unpack_origin(SupArena *arena, const SupModel *model, SupEnvelopeDef *io_def) {
  io_def->shape_poses = sup_envelope_shape_joints(model, 0);
  const char *at = sup_envelope_control_label(model, 0);
  if (!at) return true;
  const size_t controls = io_def->control_count, shapes = io_def->shape_count;
  const char **names = SUP_ALLOC(arena, const char *, controls + shapes);
  for (size_t k = 0; names && k < controls + shapes; k++) {
    names[k] = at;
    while (*at++ != 0) continue;
  }
  io_def->control_names = names;
  io_def->shape_names = names ? names + controls : NULL;
  return names != NULL;
}

SupResult sup_envelope_unpack(SupArena *arena, const SupModel *model, SupEnvelopeDef *out_def,
                              SupError *error) {
  SupModel *copy =
      (SupModel *)(void *)SUP_COPY(arena, char, (const char *)model, (size_t)model->bytes);
  if (!copy) return sup_fail_memory(error, "unpacking an envelope");
  const SupEnvelopeView view = sup_envelope_view(copy);
  if (!unpack(arena, &view, out_def) || !unpack_origin(arena, copy, out_def)) {
    return sup_fail_memory(error, "unpacking an envelope");
  }
  return SUP_OK;
}

/* ---- Binding again ----------------------------------------------------------------------------
 */

/* x_now = (x_then - offset) / scale. */
static SupVec3 point_now(const SupRestSpace *space, SupVec3 then) {
  return (SupVec3){(float)(((double)then.x - space->offset.x) / space->scale),
                   (float)(((double)then.y - space->offset.y) / space->scale),
                   (float)(((double)then.z - space->offset.z) / space->scale)};
}

static void move_points(const SupRestSpace *space, size_t count, const SupVec3 *points) {
  SupVec3 *own = (SupVec3 *)(uintptr_t)points; /* of the copy that was unpacked */
  for (size_t i = 0; i < count; i++) own[i] = point_now(space, points[i]);
}

static void scale_vectors(const SupRestSpace *space, size_t count, const SupVec3 *vectors) {
  SupVec3 *own = (SupVec3 *)(uintptr_t)vectors;
  const float factor = (float)(1 / space->scale);
  for (size_t i = 0; i < count; i++) own[i] = sup_vec3_scale(vectors[i], factor);
}

/* Lengths and places of the copy, in the units of now. */
static void move_def(const SupRestSpace *space, const SupEnvelopeDef *def) {
  const size_t controls = (size_t)def->control_count * def->shape_count;
  SupEnvelopeRevision *revisions = (SupEnvelopeRevision *)(uintptr_t)def->revisions;
  move_points(space, (size_t)def->influence_offsets[def->control_count] * def->shape_count,
              def->influence_points);
  move_points(space, controls, def->revision_points);
  for (uint32_t c = 0; c < def->control_count; c++) {
    if (revisions[c].bone == SUP_ENVELOPE_NONE) continue;
    revisions[c].centre = point_now(space, revisions[c].centre);
  }
  for (uint32_t p = 0; p < def->patch_count; p++) {
    const SupEnvelopePatch *patch = &def->patches[p];
    scale_vectors(space, patch->vertex_count, patch->offsets);
    scale_vectors(space, (size_t)patch->vertex_count * patch->field_count, patch->fields);
  }
}

static void renumber(const uint32_t *now, const SupEnvelopeDef *def) {
  SupEnvelopeSeam *seams = (SupEnvelopeSeam *)(uintptr_t)def->seams;
  for (uint32_t s = 0; s < def->seam_count; s++) {
    seams[s].a = now[seams[s].a];
    seams[s].b = now[seams[s].b];
  }
  for (uint32_t p = 0; p < def->patch_count; p++) {
    uint32_t *vertices = (uint32_t *)(uintptr_t)def->patches[p].vertices;
    for (uint32_t i = 0; i < def->patches[p].vertex_count; i++) {
      if (vertices[i] != SUP_ENVELOPE_NONE) vertices[i] = now[vertices[i]];
    }
  }
}

static SupResult rebind(SupArena *arena, const SupCharacter *character, const SupModel *model,
                        const SupRebinding *binding, SupModel **out_model, SupError *error) {
  const uint32_t count = character->body.vertex_count;
  const SupRestSpace *space = &binding->space;
  SupEnvelopeDef def;
  SupResult result = sup_envelope_unpack(arena, model, &def, error);
  if (result) return result;
  uint32_t *now = SUP_ALLOC(arena, uint32_t, count);
  if (!now) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < count; v++) now[binding->then[v]] = v;
  renumber(now, &def);
  if (character->skeleton.joint_count != sup_envelope_view(model).joint_count) {
    def.shape_poses = NULL; /* of other joints */
  }
  if (space->scale != 1 || space->offset.x != 0 || space->offset.y != 0 || space->offset.z != 0) {
    move_def(space, &def);
  }
  return sup_envelope_pack(arena, character, &def, out_model, error);
}

const SupPacker sup_envelope_packer = {SUP_ENVELOPE_KIND, rebind};
