/* SPDX-License-Identifier: MIT */
/*
 * The files beside a .gltf that is written: which names they may take without harm to others, and
 * how all of them are written or none.
 */
#ifndef SUP_IO_GLTF_BESIDE_H
#define SUP_IO_GLTF_BESIDE_H

#include "io/gltf/gltf_document.h"
#include "supple/io/file.h"

/* A file to be written, of a name that nothing has yet. */
typedef struct GltfBesideFile {
  char *path;
  const uint8_t *data;
  size_t bytes;
  SupFileWriter *writer; /* while writing */
  bool is_there;         /* it has its name, which was free before */
} GltfBesideFile;

typedef struct GltfBeside {
  SupArena *arena;        /* for names */
  SupAllocator allocator; /* for writers */
  const char *path;       /* of the .gltf */
  json_t *earlier;        /* the document that is there now, or NULL */
  uint32_t file_count;
  GltfBesideFile *files; /* [most] */
} GltfBeside;

/* Room for `most` files. */
SupResult sup_gltf_beside_init(GltfBeside *beside, SupArena *arena, SupAllocator allocator,
                               const char *path, uint32_t most, SupError *error);
void sup_gltf_beside_free(GltfBeside *beside);

/* A file of the given name, relative to the .gltf. Where another file has the name it stays, the
 * new one takes a name by its contents, and *out_uri (else NULL) is what to call it. */
SupResult sup_gltf_beside_add(GltfBeside *beside, const SupGltf *document, const char *relative,
                              const uint8_t *data, size_t bytes, const char **out_uri,
                              SupError *error);

/* A file named after the .gltf and its own contents: hero-0123456789abcdef.bin. *out_uri is in the
 * arena. */
SupResult sup_gltf_beside_add_named(GltfBeside *beside, const SupGltf *document,
                                    const uint8_t *data, size_t bytes, const char **out_uri,
                                    SupError *error);

/* Writes all files, then what `write_document` gives to its writer, then gives them their names,
 * the document last: nothing is replaced before everything has been written, and only the document.
 */
SupResult sup_gltf_beside_write(GltfBeside *beside,
                                void (*write_document)(void *user, SupFileWriter *writer),
                                void *user, SupError *error);

/* Removes the buffers that the replaced document had beside it, if they have its name and no
 * document of the folder names them any more. */
void sup_gltf_beside_retire(const GltfBeside *beside);

#endif
