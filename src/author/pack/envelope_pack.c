/* SPDX-License-Identifier: MIT */
/* An envelope as a model block: patches in rows of 16 vertices, arrays in the order of reading. */
#include "supple/author/envelope_pack.h"

#include "author/pack/envelope_rows.h"
#include "author/pack/one_rings.h"
#include "base/scratch.h"

#define BLOCK SUP_SKIN_BLOCK
#define COUNTS 11 /* flags and how many of everything */

/* How many numbers all patches have. */
typedef struct Totals {
  uint64_t corners, borders, blocks, values, weights, spread, fields, tables;
  uint64_t blend_angles, centres, cardinal;
} Totals;

typedef struct Pack {
  const SupCharacter *character;
  const SupEnvelopeDef *def;
  SupSkinView skin;
  SupFans rings;
  Totals all;
  SupEnvelopeMix *mixes;
  uint32_t *blend_angles, *shape_centres;
  float *centres, *shape_shares;
  double *cardinal;
  SupEnvelopeRevision *revisions;
  SupEnvelopeFace *faces;
  char *names;
  uint32_t *corners, *borders, *sources;
  float *weights, *offsets, *spread, *fields, *tables, *strengths;
  char *labels;
  size_t label_bytes;
} Pack;

SupEnvelopeDef sup_envelope_def(void) { return (SupEnvelopeDef){.cookie = SUP_ENVELOPE_COOKIE}; }

/* ---- Does the definition make sense? ----------------------------------------------------------
 */

static SupResult check_patch(const SupEnvelopeDef *def, uint32_t p, SupError *error) {
  const SupEnvelopePatch *patch = &def->patches[p];
  if (patch->corner_count < 3 || patch->corner_count > SUP_ENVELOPE_CORNERS) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "envelope: patch %u has %u corners; it takes 3 to %u", p, patch->corner_count,
                    SUP_ENVELOPE_CORNERS);
  }
  if (patch->border_count < 3 || patch->border_count > patch->vertex_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "envelope: patch %u has %u vertices of which %u are its border", p,
                    patch->vertex_count, patch->border_count);
  }
  if (patch->field_count > SUP_ENVELOPE_FIELDS || patch->angle_count > SUP_ENVELOPE_PATCH_ANGLES) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "envelope: patch %u has %u fields and %u angles; at most %u and %u are possible", p,
        patch->field_count, patch->angle_count, SUP_ENVELOPE_FIELDS, SUP_ENVELOPE_PATCH_ANGLES);
  }
  for (uint32_t a = 0; a < patch->angle_count; a++) {
    if (patch->samples[a] < 4 || patch->samples[a] > SUP_ENVELOPE_SAMPLES) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "envelope: patch %u has %u samples along an angle; it takes 4 to %u", p,
                      patch->samples[a], SUP_ENVELOPE_SAMPLES);
    }
  }
  return SUP_OK;
}

/* A border vertex is its seam; a point on an edge is not a vertex. */
static SupResult check_points(const Pack *pack, uint32_t p, SupError *error) {
  const SupEnvelopeDef *def = pack->def;
  const SupEnvelopePatch *patch = &def->patches[p];
  for (uint32_t i = 0; i < patch->vertex_count; i++) {
    const uint32_t v = patch->vertices[i];
    if (v != SUP_ENVELOPE_NONE && v >= pack->character->body.vertex_count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "envelope: patch %u has vertex %u, but the body has %u", p, v,
                      pack->character->body.vertex_count);
    }
    if (i >= patch->border_count) continue;
    if (patch->seams[i] >= def->seam_count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "envelope: patch %u borders on seam %u, but there are %u", p, patch->seams[i],
                      def->seam_count);
    }
    const SupEnvelopeSeam *seam = &def->seams[patch->seams[i]];
    if (v != (seam->a == seam->b ? seam->a : SUP_ENVELOPE_NONE)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "envelope: border point %u of patch %u is not where its seam %u is", i, p,
                      patch->seams[i]);
    }
  }
  return SUP_OK;
}

static SupResult check_def(const Pack *pack, SupError *error) {
  const SupEnvelopeDef *def = pack->def;
  if (def->cookie != SUP_ENVELOPE_COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: start from sup_envelope_def()");
  }
  if (def->patch_count == 0 || def->patch_count > SUP_ENVELOPE_PATCHES) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: %u patches; a model has 1 to %u",
                    def->patch_count, SUP_ENVELOPE_PATCHES);
  }
  if (def->revisions && (!def->revision_points || !def->revision_angles)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "envelope: revisions need points and angles of the shapes");
  }
  SupResult result = SUP_OK;
  for (uint32_t p = 0; p < def->patch_count && !result; p++) {
    result = check_patch(def, p, error);
    if (!result) result = check_points(pack, p, error);
  }
  return result;
}

/* ---- Room -------------------------------------------------------------------------------------
 */

static SupEnvelopeFace next_face(const SupEnvelopePatch *patch, Totals *io) {
  SupEnvelopeFace face = {.corner_count = patch->corner_count,
                          .border_count = patch->border_count,
                          .interior_count = patch->vertex_count - patch->border_count,
                          .field_count = patch->field_count,
                          .angle_count = patch->field_count ? patch->angle_count : 0,
                          .first_corner = (uint32_t)io->corners,
                          .first_border = (uint32_t)io->borders,
                          .first_block = (uint32_t)io->blocks,
                          .first_value = (uint32_t)io->values,
                          .first_weight = io->weights,
                          .first_spread = io->spread,
                          .first_field = io->fields,
                          .first_table = io->tables};
  const uint64_t inside = sup_range_count(face.interior_count, BLOCK);
  const uint64_t blocks = sup_range_count(face.border_count, BLOCK) + inside;
  uint64_t samples = face.field_count;
  for (uint32_t a = 0; a < face.angle_count; a++) {
    face.angles[a] = patch->angles[a];
    face.samples[a] = patch->samples[a];
    samples *= patch->samples[a];
  }
  io->corners += face.corner_count;
  io->borders += face.border_count;
  io->blocks += blocks;
  io->values += face.field_count;
  io->weights += BLOCK * blocks * face.corner_count;
  io->spread += BLOCK * inside * face.border_count;
  io->fields += 3 * BLOCK * blocks * face.field_count;
  io->tables += samples;
  return face;
}

static SupEnvelopeMix next_mix(const SupEnvelopeBlend *blend, Totals *io) {
  const SupEnvelopeMix mix = {.angle_count = blend->angle_count,
                              .centre_count = blend->centre_count,
                              .first_angle = (uint32_t)io->blend_angles,
                              .first_centre = (uint32_t)io->centres,
                              .first_cardinal = (uint32_t)io->cardinal,
                              .inverse_sigma = blend->inverse_sigma};
  io->blend_angles += blend->angle_count;
  io->centres += (uint64_t)blend->centre_count * blend->angle_count;
  io->cardinal += (uint64_t)blend->centre_count * (blend->centre_count + 1);
  return mix;
}

/* Counts have 64 bits also where sizes have 32. */
static void *room(SupArena *arena, uint64_t count, size_t item_bytes) {
  return count <= SIZE_MAX ? sup_arena_alloc(arena, (size_t)count, item_bytes) : NULL;
}

#define ROOM(arena, type, count) ((type *)room(arena, count, sizeof(type)))

static bool make_room(SupArena *arena, Pack *p) {
  const SupEnvelopeDef *def = p->def;
  const size_t shapes = (size_t)def->blend_count * def->shape_count;
  p->faces = ROOM(arena, SupEnvelopeFace, def->patch_count);
  p->mixes = ROOM(arena, SupEnvelopeMix, def->blend_count);
  if (!p->faces || !p->mixes) return false;
  for (uint32_t k = 0; k < def->patch_count; k++) {
    p->faces[k] = next_face(&def->patches[k], &p->all);
  }
  for (uint32_t b = 0; b < def->blend_count; b++) {
    p->mixes[b] = next_mix(&def->blends[b], &p->all);
  }
  p->blend_angles = ROOM(arena, uint32_t, p->all.blend_angles);
  p->centres = ROOM(arena, float, p->all.centres);
  p->cardinal = ROOM(arena, double, p->all.cardinal);
  p->shape_centres = ROOM(arena, uint32_t, shapes);
  p->shape_shares = ROOM(arena, float, shapes);
  p->revisions = ROOM(arena, SupEnvelopeRevision, def->control_count);
  p->names = ROOM(arena, char, (size_t)SUP_ENVELOPE_NAME * def->patch_count);
  p->corners = ROOM(arena, uint32_t, p->all.corners);
  p->borders = ROOM(arena, uint32_t, p->all.borders);
  p->sources = ROOM(arena, uint32_t, (size_t)BLOCK * p->skin.block_count);
  p->weights = ROOM(arena, float, p->all.weights);
  p->offsets = ROOM(arena, float, 3 * BLOCK * p->all.blocks);
  p->spread = ROOM(arena, float, p->all.spread);
  p->fields = ROOM(arena, float, p->all.fields);
  p->tables = ROOM(arena, float, p->all.tables);
  p->strengths = ROOM(arena, float, def->patch_count);
  return p->blend_angles && p->centres && p->cardinal && p->shape_centres && p->shape_shares &&
         p->revisions && p->names && p->corners && p->borders && p->sources && p->weights &&
         p->offsets && p->spread && p->fields && p->tables && p->strengths;
}

/* ---- Filling it -------------------------------------------------------------------------------
 */

static void fill_blends(Pack *p) {
  const uint32_t shapes = p->def->shape_count;
  for (uint32_t b = 0; b < p->def->blend_count; b++) {
    const SupEnvelopeBlend *blend = &p->def->blends[b];
    const SupEnvelopeMix *mix = &p->mixes[b];
    const size_t n = blend->centre_count;
    sup_copy(p->blend_angles + mix->first_angle, blend->angles,
             blend->angle_count * sizeof(uint32_t));
    sup_copy(p->centres + mix->first_centre, blend->centres,
             n * blend->angle_count * sizeof(float));
    sup_copy(p->cardinal + mix->first_cardinal, blend->cardinal, n * (n + 1) * sizeof(double));
    sup_copy(p->shape_centres + (size_t)b * shapes, blend->centre_of_shape,
             shapes * sizeof(uint32_t));
    sup_copy(p->shape_shares + (size_t)b * shapes, blend->share_of_shape, shapes * sizeof(float));
  }
}

static void fill_revisions(Pack *p) {
  for (uint32_t c = 0; c < p->def->control_count; c++) {
    p->revisions[c] = (SupEnvelopeRevision){.bone = SUP_ENVELOPE_NONE};
    if (p->def->revisions && p->def->revisions[c].bone != SUP_ENVELOPE_NONE) {
      p->revisions[c] = p->def->revisions[c];
    }
  }
}

static void fill_name(const SupEnvelopePatch *patch, char *out_name) {
  const char *name = patch->name ? patch->name : "";
  for (uint32_t k = 0; k < SUP_ENVELOPE_NAME - 1 && name[k]; k++) out_name[k] = name[k];
}

static void put_vector(float *to, SupVec3 v) { to[0] = v.x, to[BLOCK] = v.y, to[2 * BLOCK] = v.z; }

static void fill_vertex(Pack *p, const SupEnvelopePatch *patch, const SupEnvelopeFace *face,
                        uint32_t i) {
  const uint32_t row = sup_envelope_row(face, i), block = row / BLOCK, lane = row % BLOCK;
  float *weights = p->weights + face->first_weight + (size_t)BLOCK * block * face->corner_count;
  float *fields = p->fields + face->first_field + (size_t)3 * BLOCK * block * face->field_count;
  for (uint32_t k = 0; k < face->corner_count; k++) {
    weights[BLOCK * k + lane] = patch->corner_weights[(size_t)i * face->corner_count + k];
  }
  put_vector(p->offsets + (size_t)3 * BLOCK * (face->first_block + block) + lane,
             patch->offsets[i]);
  for (uint32_t k = 0; k < face->field_count; k++) {
    put_vector(fields + (size_t)3 * BLOCK * k + lane,
               patch->fields[(size_t)k * patch->vertex_count + i]);
  }
}

static void fill_spread(Pack *p, const SupEnvelopePatch *patch, const SupEnvelopeFace *face) {
  float *spread = p->spread + face->first_spread;
  for (uint32_t i = 0; i < face->interior_count; i++) {
    float *to = spread + (size_t)BLOCK * (i / BLOCK) * face->border_count + i % BLOCK;
    const float *from = patch->spread + (size_t)i * face->border_count;
    for (uint32_t b = 0; b < face->border_count; b++) to[(size_t)BLOCK * b] = from[b];
  }
}

static void fill_patch(Pack *p, uint32_t k) {
  const SupEnvelopePatch *patch = &p->def->patches[k];
  const SupEnvelopeFace *face = &p->faces[k];
  uint64_t samples = face->field_count;
  for (uint32_t a = 0; a < face->angle_count; a++) samples *= face->samples[a];
  fill_name(patch, p->names + (size_t)SUP_ENVELOPE_NAME * k);
  sup_copy(p->corners + face->first_corner, patch->corners, face->corner_count * sizeof(uint32_t));
  sup_copy(p->borders + face->first_border, patch->seams, face->border_count * sizeof(uint32_t));
  for (uint32_t i = 0; i < patch->vertex_count; i++) fill_vertex(p, patch, face, i);
  fill_spread(p, patch, face);
  sup_copy(p->tables + face->first_table, patch->tables, (size_t)samples * sizeof(float));
  p->strengths[k] = p->def->strengths ? p->def->strengths[k] : 1;
}

/* ---- Names ------------------------------------------------------------------------------------
 */

/* With its end; returns how long that is. Nothing is written where `out` is NULL. */
static size_t put_label(const char *name, char *out) {
  size_t bytes = 0;
  while (name && name[bytes]) bytes++;
  if (out && bytes) sup_copy(out, name, bytes);
  if (out) out[bytes] = 0;
  return bytes + 1;
}

static size_t put_labels(const SupEnvelopeDef *def, char *out) {
  size_t bytes = 0;
  for (uint32_t c = 0; c < def->control_count; c++) {
    bytes += put_label(def->control_names[c], out ? out + bytes : NULL);
  }
  for (uint32_t s = 0; s < def->shape_count; s++) {
    bytes += put_label(def->shape_names[s], out ? out + bytes : NULL);
  }
  return bytes;
}

static bool fill_labels(SupArena *arena, Pack *p) {
  if (!p->def->control_names || !p->def->shape_names) return true;
  p->label_bytes = put_labels(p->def, NULL);
  p->labels = ROOM(arena, char, p->label_bytes);
  if (p->labels) put_labels(p->def, p->labels);
  return p->labels != NULL;
}

/* ---- Which row a vertex takes -----------------------------------------------------------------
 */

/* out_rows[vertex_count]: of the first patch that has it; nobody else may have what is inside. */
static SupResult find_rows(const Pack *p, uint32_t *out_rows, SupError *error) {
  for (uint32_t v = 0; v < p->character->body.vertex_count; v++) out_rows[v] = SUP_ENVELOPE_NONE;
  for (uint32_t k = 0; k < p->def->patch_count; k++) {
    const SupEnvelopePatch *patch = &p->def->patches[k];
    const SupEnvelopeFace *face = &p->faces[k];
    for (uint32_t i = 0; i < patch->vertex_count; i++) {
      const uint32_t v = patch->vertices[i];
      if (v == SUP_ENVELOPE_NONE) continue;
      const uint32_t row = BLOCK * face->first_block + sup_envelope_row(face, i);
      if (out_rows[v] == SUP_ENVELOPE_NONE) {
        out_rows[v] = row;
      } else if (i >= face->border_count || !sup_envelope_on_border(p->faces, out_rows[v], k)) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "envelope: vertex %u is inside patch %u and in another one too", v, k);
      } else if (sup_envelope_seam_of_row(p->faces, p->borders, out_rows[v], k) !=
                 patch->seams[i]) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "envelope: vertex %u is at two seams, one of them %u of patch %u", v,
                        patch->seams[i], k);
      }
    }
  }
  return SUP_OK;
}

static SupResult fill_sources(SupArena *arena, Pack *p, SupError *error) {
  uint32_t *rows = SUP_ALLOC(arena, uint32_t, p->character->body.vertex_count);
  if (!rows) return sup_fail_memory(error, "packing an envelope");
  SupResult result = find_rows(p, rows, error);
  if (result) return result;
  for (uint32_t i = 0; i < BLOCK * p->skin.block_count; i++) {
    p->sources[i] = rows[p->skin.order[i]];
  }
  return SUP_OK;
}

/* ---- The block --------------------------------------------------------------------------------
 */

/* What nobody needs to play it goes behind the rest: how many parts there are then. */
static uint32_t add_origin(const Pack *p, uint32_t count, SupModelPart *io_parts) {
  const SupEnvelopeDef *def = p->def;
  const uint64_t joints = (uint64_t)def->shape_count * p->character->skeleton.joint_count;
  if (p->labels) {
    io_parts[count++] = (SupModelPart){SUP_SECTION_ENVELOPE_LABELS, 1, p->label_bytes, p->labels};
  }
  if (def->shape_poses) {
    io_parts[count++] =
        (SupModelPart){SUP_SECTION_ENVELOPE_POSES, sizeof(SupTransform), joints, def->shape_poses};
  }
  return count;
}

static SupResult make_model(SupArena *arena, const Pack *p, SupModel **out_model, SupError *error) {
  const SupEnvelopeDef *def = p->def;
  const uint32_t influences = def->influence_offsets[def->control_count];
  const uint64_t blends = (uint64_t)def->blend_count * def->shape_count;
  const uint64_t controls = (uint64_t)def->control_count * def->shape_count;
  const uint32_t counts[COUNTS] = {0,
                                   p->character->skeleton.joint_count,
                                   def->root,
                                   def->shape_count,
                                   def->angle_count,
                                   def->blend_count,
                                   def->control_count,
                                   def->seam_count,
                                   def->patch_count,
                                   (uint32_t)p->all.blocks,
                                   (uint32_t)p->all.values};
  enum { OWN = SUP_ENVELOPE_SECTION_COUNT + 1, ORIGIN = 2 };
  SupModelPart own[OWN + ORIGIN] = {
      {SUP_SECTION_ENVELOPE_COUNTS, 4, COUNTS, counts},
      {SUP_SECTION_ENVELOPE_ANGLES, sizeof(SupEnvelopeAngle), def->angle_count, def->angles},
      {SUP_SECTION_ENVELOPE_BLENDS, sizeof(SupEnvelopeMix), def->blend_count, p->mixes},
      {SUP_SECTION_ENVELOPE_BLEND_ANGLES, 4, p->all.blend_angles, p->blend_angles},
      {SUP_SECTION_ENVELOPE_CENTRES, 4, p->all.centres, p->centres},
      {SUP_SECTION_ENVELOPE_CARDINAL, 8, p->all.cardinal, p->cardinal},
      {SUP_SECTION_ENVELOPE_SHAPE_CENTRES, 4, blends, p->shape_centres},
      {SUP_SECTION_ENVELOPE_SHAPE_SHARES, 4, blends, p->shape_shares},
      {SUP_SECTION_ENVELOPE_CONTROL_BLENDS, 4, def->control_count, def->control_blends},
      {SUP_SECTION_ENVELOPE_INFLUENCE_FIRST, 4, (uint64_t)def->control_count + 1,
       def->influence_offsets},
      {SUP_SECTION_ENVELOPE_INFLUENCES, sizeof(SupEnvelopeInfluence), influences, def->influences},
      {SUP_SECTION_ENVELOPE_POINTS, sizeof(SupVec3), (uint64_t)influences * def->shape_count,
       def->influence_points},
      {SUP_SECTION_ENVELOPE_REVISIONS, sizeof(SupEnvelopeRevision), def->control_count,
       p->revisions},
      {SUP_SECTION_ENVELOPE_REVISION_POINTS, sizeof(SupVec3), controls, def->revision_points},
      {SUP_SECTION_ENVELOPE_REVISION_ANGLES, 4, controls, def->revision_angles},
      {SUP_SECTION_ENVELOPE_SEAMS, sizeof(SupEnvelopeSeam), def->seam_count, def->seams},
      {SUP_SECTION_ENVELOPE_FACES, sizeof(SupEnvelopeFace), def->patch_count, p->faces},
      {SUP_SECTION_ENVELOPE_NAMES, 1, (uint64_t)SUP_ENVELOPE_NAME * def->patch_count, p->names},
      {SUP_SECTION_ENVELOPE_CORNERS, 4, p->all.corners, p->corners},
      {SUP_SECTION_ENVELOPE_BORDERS, 4, p->all.borders, p->borders},
      {SUP_SECTION_ENVELOPE_WEIGHTS, 4, p->all.weights, p->weights},
      {SUP_SECTION_ENVELOPE_OFFSETS, 4, 3 * BLOCK * p->all.blocks, p->offsets},
      {SUP_SECTION_ENVELOPE_SPREAD, 4, p->all.spread, p->spread},
      {SUP_SECTION_ENVELOPE_FIELDS, 4, p->all.fields, p->fields},
      {SUP_SECTION_ENVELOPE_TABLES, 4, p->all.tables, p->tables},
      {SUP_SECTION_ENVELOPE_STRENGTHS, 4, def->patch_count, p->strengths},
      {SUP_SECTION_ENVELOPE_SOURCES, 4, (uint64_t)BLOCK * p->skin.block_count, p->sources},
      {SUP_SECTION_ENVELOPE_LANES, 4, p->skin.vertex_count, p->rings.lanes},
      {SUP_SECTION_ENVELOPE_RING_FIRST, 4, (uint64_t)p->skin.block_count + 1, p->rings.first},
      {SUP_SECTION_ENVELOPE_RINGS, 4, (uint64_t)(2 * BLOCK) * p->rings.first[p->skin.block_count],
       p->rings.one_rings},
      {SUP_SECTION_REST, sizeof(SupVec3), p->skin.vertex_count, p->character->body.positions}};
  const SupModelDef container = {.kind = SUP_ENVELOPE_KIND,
                                 .version = SUP_ENVELOPE_VERSION,
                                 .h = 1.0f / 60, /* means nothing: the pose alone says all */
                                 .part_count = add_origin(p, OWN, own),
                                 .parts = own};
  return sup_skin_pack_model(arena, p->character, &p->skin, &container, out_model, error);
}

static SupResult fill(SupArena *arena, Pack *p, SupError *error) {
  const SupCharacter *character = p->character;
  SupResult result = sup_skin_pack_character(arena, character, SUP_ORDER_BODY, &p->skin, error);
  if (!result) result = sup_one_rings_pack(arena, &character->body, &p->skin, &p->rings, error);
  if (result) return result;
  if (!make_room(arena, p) || !fill_labels(arena, p))
    return sup_fail_memory(error, "packing an envelope");
  fill_blends(p);
  fill_revisions(p);
  for (uint32_t k = 0; k < p->def->patch_count; k++) fill_patch(p, k);
  return fill_sources(arena, p, error);
}

SupResult sup_envelope_pack(SupArena *arena, const SupCharacter *character,
                            const SupEnvelopeDef *def, SupModel **out_model, SupError *error) {
  Pack p = {.character = character, .def = def};
  SupResult result = check_def(&p, error);
  if (result) return result;
  SupArena scratch = sup_scratch(arena);
  result = fill(&scratch, &p, error);
  if (!result) result = make_model(arena, &p, out_model, error);
  sup_arena_free(&scratch);
  return result;
}
