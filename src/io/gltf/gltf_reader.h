/* SPDX-License-Identifier: MIT */
/* Reading the numbers of a glTF document: buffer views, accessors. */
#ifndef SUP_IO_GLTF_READER_H
#define SUP_IO_GLTF_READER_H

#include "io/gltf/gltf_document.h"

/* One pass over a document. Results go to `arena`, the rest to `scratch`, which ends with it. */
typedef struct GltfReader {
  const SupGltf *document;
  SupArena *arena;
  SupArena scratch;
  const uint8_t **decoded; /* [bufferView count] decompressed data, or NULL where not (yet) */
  SupError *error;
  uint64_t own_room; /* bytes that may still be read, see sup_gltf_spend */
  uint64_t *room;    /* that, or the one of the pass that this is part of */
} GltfReader;

SupResult sup_gltf_reader_init(GltfReader *reader, const SupGltf *document, SupArena *arena,
                               SupError *error);
void sup_gltf_reader_free(GltfReader *reader);

/* Takes what is about to be read, `count` things of `size` bytes for `name`, off what the pass may
 * read in all: 64 MiB and a hundred times what the file's buffers hold. Accessors without data, and
 * data that is used over and over, would else let a small file ask for any amount of memory and
 * time. */
SupResult sup_gltf_spend(GltfReader *reader, const char *name, uint64_t count, uint64_t size);

/* The bytes of a buffer view, decompressed if need be. */
typedef struct GltfView {
  const uint8_t *data;
  size_t bytes;
  uint32_t stride; /* 0 if the elements are packed */
} GltfView;

SupResult sup_gltf_view(GltfReader *reader, uint32_t index, GltfView *out_view);

#define GLTF_BYTE 5120u
#define GLTF_UBYTE 5121u
#define GLTF_SHORT 5122u
#define GLTF_USHORT 5123u
#define GLTF_UINT 5125u
#define GLTF_FLOAT 5126u

/* An accessor with every offset checked. */
typedef struct GltfAccessor {
  uint32_t index;
  uint32_t count;
  uint32_t component; /* GLTF_BYTE ... */
  uint32_t width;     /* components per element: 1 SCALAR ... 16 MAT4 */
  bool normalised;
  const uint8_t *data; /* NULL: zeros */
  size_t stride;
  uint32_t sparse_count;
  uint32_t sparse_component; /* of the indices */
  const uint8_t *sparse_indices;
  const uint8_t *sparse_values; /* packed */
} GltfAccessor;

SupResult sup_gltf_accessor(GltfReader *reader, uint32_t index, GltfAccessor *out_accessor);

/* All elements as floats (normalised integers divided), [count * width] in `to`; not finite ones
 * fail with a sentence that names accessor and element. */
SupResult sup_gltf_read_floats(GltfReader *reader, const GltfAccessor *accessor, SupArena *to,
                               float **out_values);

/* All elements of an integer accessor, [count * width]. */
SupResult sup_gltf_read_uints(GltfReader *reader, const GltfAccessor *accessor, SupArena *to,
                              uint32_t **out_values);

#endif
