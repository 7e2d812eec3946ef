/* SPDX-License-Identifier: MIT */
/* Whether a definition of chunks makes sense: what packing itself relies on. Everything else is
 * looked at by the check of the packed model. */
#include "author/pack/chunks_packing.h"
#include "runtime/chunks/chunks_sections.h"

uint64_t sup_chunks_driven_columns(const SupChunksPackDef *def, const SupChunksPieceDef *piece) {
  if (piece->limb == SUP_CHUNKS_NONE) {
    return 27 * (uint64_t)sup_chunks_corner_count(def, piece->face);
  }
  return (uint64_t)sup_chunks_end_columns(piece->ends[0], piece->place_counts[0]) +
         sup_chunks_end_columns(piece->ends[1], piece->place_counts[1]);
}

static const char *name_of(const SupChunksPieceDef *piece) {
  return piece->name && piece->name[0] ? piece->name : "without a name";
}

static SupResult check_bulge(const SupChunksPackDef *def, uint32_t p,
                             const SupChunksBulgeDef *bulge, SupError *error) {
  const char *name = name_of(&def->pieces[p]);
  if (bulge->driver == SUP_CHUNKS_BY_ANGLE &&
      (bulge->angle >= def->angle_count || bulge->sample_count < 2 ||
       bulge->sample_count > SUP_CHUNKS_SAMPLES)) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "chunks: a bulge of chunk %u (%s) has angle %u of %u and %u samples; it takes 2 "
        "to %u",
        p, name, bulge->angle, def->angle_count, bulge->sample_count, SUP_CHUNKS_SAMPLES);
  }
  if (bulge->driver == SUP_CHUNKS_BY_AREA && bulge->face >= def->face_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "chunks: a bulge of chunk %u (%s) follows face %u of the shell, which has %u",
                    p, name, bulge->face, def->face_count);
  }
  if (!(bulge->most > 0)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "chunks: a bulge of chunk %u (%s) needs a greatest height above 0", p, name);
  }
  return SUP_OK;
}

/* The joint of a limb's end; SUP_CHUNKS_NONE where it has none. */
static uint32_t joint_at(const SupChunksPackDef *def, uint32_t limb, uint32_t end) {
  for (uint32_t j = 0; j < def->limb_joint_count; j++) {
    const SupChunksJoint *joint = &def->limb_joints[j];
    if ((end ? joint->first : joint->second) == limb) return j;
  }
  return SUP_CHUNKS_NONE;
}

static SupResult check_limb(const SupChunksPackDef *def, uint32_t p, SupError *error) {
  const SupChunksPieceDef *piece = &def->pieces[p];
  if (piece->limb >= def->limb_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "chunks: chunk %u (%s) is of limb %u of %u", p,
                    name_of(piece), piece->limb, def->limb_count);
  }
  for (uint32_t end = 0; end < 2; end++) {
    const bool rim = piece->ends[end] == SUP_CHUNKS_END_RIM;
    if (rim != (piece->place_counts[end] > 0)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "chunks: the %s of chunk %u (%s) has %u places: a rim has some, nothing else "
                      "does",
                      end ? "end" : "start", p, name_of(piece), piece->place_counts[end]);
    }
    if (piece->ends[end] == SUP_CHUNKS_END_JOINT &&
        joint_at(def, piece->limb, end) == SUP_CHUNKS_NONE) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "chunks: the %s of chunk %u (%s) is at a joint that there is not",
                      end ? "end" : "start", p, name_of(piece));
    }
  }
  return SUP_OK;
}

static SupResult check_piece(const SupChunksPackDef *def, uint32_t p, SupError *error) {
  const SupChunksPieceDef *piece = &def->pieces[p];
  const bool ordinary = piece->limb == SUP_CHUNKS_NONE;
  const uint64_t nodes = (uint64_t)piece->free_count + piece->held_count;
  SupResult result = SUP_OK;
  if (ordinary && piece->face >= def->face_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "chunks: chunk %u (%s) is above face %u of the shell, which has %u", p,
                    name_of(piece), piece->face, def->face_count);
  }
  if (ordinary && p > 0 && def->pieces[p - 1].limb != SUP_CHUNKS_NONE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "chunks: chunk %u (%s) is above the shell and comes after one of a limb", p,
                    name_of(piece));
  }
  if (nodes == 0 || nodes > SUP_CHUNKS_NODES || piece->slice_count < 2 ||
      piece->slice_count > SUP_CHUNKS_SLICES) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "chunks: chunk %u (%s) has %llu surface nodes and %u slices; it takes 1 to %u "
                    "and 2 to %u",
                    p, name_of(piece), (unsigned long long)nodes, piece->slice_count,
                    SUP_CHUNKS_NODES, SUP_CHUNKS_SLICES);
  }
  if (!ordinary) result = check_limb(def, p, error);
  for (uint32_t b = 0; b < piece->bulge_count && !result; b++) {
    result = check_bulge(def, p, &piece->bulges[b], error);
  }
  if (!result && sup_chunks_driven_columns(def, piece) + piece->bulge_count > SUP_CHUNKS_COLUMNS) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "chunks: chunk %u (%s) follows more than %u numbers",
                    p, name_of(piece), SUP_CHUNKS_COLUMNS);
  }
  return result;
}

/* A border vertex is its seam; a point on an edge is not a vertex. */
static SupResult check_patch(const ChunksPack *pack, uint32_t p, SupError *error) {
  const SupChunksPackDef *def = pack->def;
  const SupChunksPatchDef *patch = &def->patches[p];
  const uint32_t count = pack->character->body.vertex_count;
  if (patch->piece >= def->piece_count || patch->border_count < 3 ||
      patch->border_count > patch->vertex_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "chunks: patch %u follows chunk %u of %u and has %u vertices of which %u are "
                    "its border",
                    p, patch->piece, def->piece_count, patch->vertex_count, patch->border_count);
  }
  for (uint32_t i = 0; i < patch->vertex_count; i++) {
    const uint32_t v = patch->vertices[i];
    if (v != SUP_CHUNKS_NONE && v >= count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "chunks: patch %u has vertex %u, but the body has %u", p, v, count);
    }
    if (i >= patch->border_count) continue;
    if (patch->seams[i] >= def->seam_count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "chunks: patch %u borders on seam %u, but there are %u", p, patch->seams[i],
                      def->seam_count);
    }
    const SupSeam *seam = &def->seams[patch->seams[i]];
    if (v != (seam->a == seam->b ? seam->a : SUP_CHUNKS_NONE)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "chunks: border point %u of patch %u is not where its seam %u is", i, p,
                      patch->seams[i]);
    }
  }
  return SUP_OK;
}

/* The faces' corners are looked at before the model is: their areas are of this side. */
static SupResult check_shell(const SupChunksPackDef *def, SupError *error) {
  for (uint32_t f = 0; f < def->face_count; f++) {
    const uint32_t first = def->face_offsets[f], end = def->face_offsets[f + 1];
    if (end < first || end - first < 3 || end - first > SUP_CHUNKS_CORNERS) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "chunks: face %u of the shell takes 3 to %u corners", f, SUP_CHUNKS_CORNERS);
    }
    for (uint32_t k = first; k < end; k++) {
      if (def->corners[k] >= def->vertex_count) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "chunks: face %u of the shell has vertex %u, but there are %u", f,
                        def->corners[k], def->vertex_count);
      }
    }
  }
  return SUP_OK;
}

SupResult sup_chunks_pack_check(const ChunksPack *pack, SupError *error) {
  const SupChunksPackDef *def = pack->def;
  if (def->cookie != SUP_CHUNKS_COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "chunks: start from sup_chunks_pack_def()");
  }
  if (def->piece_count == 0 || def->piece_count > SUP_CHUNKS_PIECES) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "chunks: %u chunks; a model has 1 to %u",
                    def->piece_count, SUP_CHUNKS_PIECES);
  }
  if (def->vertex_count > def->point_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "chunks: the shell's %u vertices are not among the %u points",
                    def->vertex_count, def->point_count);
  }
  SupResult result = check_shell(def, error);
  for (uint32_t p = 0; p < def->piece_count && !result; p++) result = check_piece(def, p, error);
  for (uint32_t p = 0; p < def->patch_count && !result; p++) result = check_patch(pack, p, error);
  return result;
}
