/* SPDX-License-Identifier: MIT */
/*
 * Supple: the model block, what an engine loads and steps.
 *
 * A model is one block of memory without pointers: a header, a table of sections, the sections.
 * The same bytes are a `.supple` file, a bufferView of a .glb (extension `SUPPLE_model`) and the
 * block in memory: reading is copying it to 64-byte alignment and checking it once. After
 * sup_model_check a step trusts every offset, count and index; before, nothing may be believed.
 *
 * Little-endian, every section at a multiple of 64 bytes. docs/formats.md has the layout.
 */
#ifndef SUPPLE_MODEL_H
#define SUPPLE_MODEL_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Four letters as a number, first letter in the lowest byte: kinds and sections have such names. */
#define SUP_FOURCC(a, b, c, d) \
  ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

#define SUP_MODEL_MAGIC SUP_FOURCC('S', 'U', 'P', 'M')
#define SUP_MODEL_LAYOUT 1u       /* of header and table; a newer one is refused */
#define SUP_MODEL_SECTION_MAX 64u /* sections in one block */

/* Rest positions, 3 floats per body vertex: every kind that belongs to a mesh has this section, so
 * that the model can be bound again after another tool has reordered the vertices. */
#define SUP_SECTION_REST SUP_FOURCC('R', 'E', 'S', 'T')

/* Whose mesh? Connectivity exactly, shape approximately (supple/author/fingerprint.h). */
typedef struct SupFingerprint {
  uint64_t topology; /* of the triangles, in any order */
  uint32_t vertex_count;
  uint32_t triangle_count;
  float diagonal;  /* of the bounding box */
  float sketch[3]; /* sums of the positions with random signs, in diagonals */
} SupFingerprint;

/* The first 128 bytes of a block. */
typedef struct SupModel {
  uint32_t magic;         /* SUP_MODEL_MAGIC */
  uint32_t layout;        /* SUP_MODEL_LAYOUT */
  uint32_t kind;          /* which technique, a fourcc */
  uint32_t version;       /* of the kind */
  uint64_t bytes;         /* of the whole block, a multiple of 64 */
  uint64_t checksum;      /* sup_model_checksum */
  SupFingerprint mesh;    /* the body it belongs to; zeroed for a model without a mesh */
  float h;                /* seconds per step, > 0 */
  uint32_t section_count; /* the table follows the header */
  uint32_t reserved[14];  /* zero */
} SupModel;

/* An entry of the table: `count` items of `item_bytes` at `offset` from the start of the block. */
typedef struct SupModelSection {
  uint32_t id;         /* a fourcc, unique in the block */
  uint32_t item_bytes; /* > 0 */
  uint64_t count;
  uint64_t offset;   /* a multiple of 64 */
  uint64_t reserved; /* zero */
} SupModelSection;

struct SupTechnique; /* supple/technique.h */

/* Checks the container only: magic, layout, size, checksum, table, no section outside the block,
 * misaligned or overlapping another. `block` is aligned to 64 bytes and `bytes` long (trailing
 * bytes are allowed). Enough to look at a model, not to step it. */
SupResult sup_model_check_container(const void *block, size_t bytes, SupError *error);

/* Checks everything: the container, that the kind is one of `techniques` (ended by NULL; NULL: this
 * build's), that its version is not newer, and the kind's own check. After SUP_OK the block may be
 * used as a SupModel and stepped. */
SupResult sup_model_check(const void *block, size_t bytes,
                          const struct SupTechnique *const *techniques, SupError *error);

/* What `checksum` has to be for block[bytes] (its own `bytes` field; at least a header). */
uint64_t sup_model_checksum(const SupModel *model);

/* The items of a section, and their number in *out_count (may be NULL); NULL when the block has no
 * such section or its items have another size. The container has been checked. */
const void *sup_model_section(const SupModel *model, uint32_t id, size_t item_bytes,
                              uint64_t *out_count);

/* A fourcc as text, out_text[5]; what cannot be printed becomes '?'. */
void sup_fourcc_text(uint32_t fourcc, char *out_text);

#ifdef __cplusplus
}
#endif
#endif
