/* SPDX-License-Identifier: MIT */
/*
 * The glTF document behind supple/io/gltf.h: its JSON, its buffers, and how its objects are named
 * in sentences. Shared by the gltf_*.c files.
 */
#ifndef SUP_IO_GLTF_DOCUMENT_H
#define SUP_IO_GLTF_DOCUMENT_H

#include "io/gltf/gltf_json.h"
#include "supple/io/gltf.h"

/* ---- Objects of the file -------------------------------------------------------------------- */

typedef enum GltfKind {
  GLTF_ACCESSOR,
  GLTF_ANIMATION,
  GLTF_BUFFER,
  GLTF_VIEW,
  GLTF_CAMERA,
  GLTF_IMAGE,
  GLTF_MATERIAL,
  GLTF_MESH,
  GLTF_NODE,
  GLTF_SCENE,
  GLTF_SKIN,
  GLTF_TEXTURE,
  GLTF_KIND_COUNT
} GltfKind;

/* One object, with its name for sentences: "accessor 12", "mesh 3, primitive 0". */
typedef struct GltfItem {
  json_t *json; /* an object, borrowed */
  char name[64];
} GltfItem;

/* The root's array of that kind; NULL if the file has none. */
json_t *sup_gltf_array(const SupGltf *document, GltfKind kind);
uint32_t sup_gltf_count(const SupGltf *document, GltfKind kind);
const char *sup_gltf_array_key(GltfKind kind); /* "bufferViews" */

/* Object `index`; fails if there is none of that number. */
SupResult sup_gltf_item(const SupGltf *document, GltfKind kind, uint32_t index, GltfItem *out_item,
                        SupError *error);

/* Object `index` of array `key` inside `parent`, named "PARENT, KIND INDEX". */
SupResult sup_gltf_child(const GltfItem *parent, const char *key, const char *kind, uint32_t index,
                         GltfItem *out_item, SupError *error);

/* Members. Absent ones leave *io_value alone; wrong ones fail with a sentence. */
SupResult sup_gltf_get_uint(const GltfItem *item, const char *key, uint64_t most,
                            uint64_t *io_value, SupError *error);
SupResult sup_gltf_get_u32(const GltfItem *item, const char *key, uint32_t *io_value,
                           SupError *error);
SupResult sup_gltf_get_bool(const GltfItem *item, const char *key, bool *io_value, SupError *error);
/* An index of an existing object of that kind; an absent one gives SUP_NONE. */
SupResult sup_gltf_get_index(const SupGltf *document, const GltfItem *item, const char *key,
                             GltfKind kind, uint32_t *out_index, SupError *error);
/* `count` numbers, finite as floats; *out_present (may be NULL) says whether they were there. */
SupResult sup_gltf_get_floats(const GltfItem *item, const char *key, uint32_t count,
                              float *io_values, bool *out_present, SupError *error);
/* Length of the array, 0 if absent; fails if it is no array. */
SupResult sup_gltf_get_length(const GltfItem *item, const char *key, uint32_t *out_length,
                              SupError *error);
/* NULL if absent or not a string. */
const char *sup_gltf_get_string(const json_t *object, const char *key);
/* One entry of an array that must be an index of that kind. */
SupResult sup_gltf_array_index(const SupGltf *document, const GltfItem *item, const char *key,
                               uint32_t entry, GltfKind kind, uint32_t *out_index, SupError *error);

/* ---- The document --------------------------------------------------------------------------- */

/* One of the file's buffers, whole in memory. */
typedef struct GltfBuffer {
  const uint8_t *data; /* NULL for a fallback buffer, whose contents nobody needs */
  size_t bytes;
  size_t capacity; /* of data, when it is our own growing copy; else 0 */
} GltfBuffer;

struct SupGltf {
  SupArena arena; /* everything below; `limit` is what the JSON tree leaves of the options' */
  SupGltfOptions options;
  GltfJson json;
  const char *folder; /* real path of the document's folder, or NULL for memory alone */
  bool binary;
  uint32_t buffer_count;
  GltfBuffer *buffers;      /* [buffer_count] */
  uint32_t bin_buffer;      /* the buffer that is a .glb's binary chunk, or SUP_NONE */
  uint32_t own_buffer;      /* the buffer that edits append to, or SUP_NONE: none was made yet */
  bool may_have_free_views; /* false: a search found no place to use again */
  bool may_have_free_accessors; /* the same */
  const uint8_t *extra_chunks;  /* of a .glb, behind the binary chunk: kept as they are */
  size_t extra_bytes;
};

/* An empty document; the arena and options are set. */
SupResult sup_gltf_new(const SupGltfOptions *options, SupGltf **out_document, SupError *error);

/* Loads the buffers that the JSON names. `bin` is a .glb's binary chunk or NULL. */
SupResult sup_gltf_load_buffers(SupGltf *document, const uint8_t *bin, size_t bin_bytes,
                                SupError *error);

/* The JSON of a .gltf or .glb in data[bytes]; what is neither is left to the reader of JSON. */
void sup_gltf_find_json(const uint8_t *data, size_t bytes, const char **out_text,
                        size_t *out_bytes);

/* Whether buffer `index` is a fallback for compressed data, which is never read. */
bool sup_gltf_buffer_is_fallback(const SupGltf *document, uint32_t index);

/* ---- External data -------------------------------------------------------------------------- */

/* Whether a URI carries its data itself ("data:...;base64,..."). */
bool sup_gltf_uri_is_data(const char *uri);

/* The bytes behind a URI, in `arena`: base64, or a file inside the document's folder. `name` says
 * whose URI it is. */
SupResult sup_gltf_uri_load(const SupGltf *document, SupArena *arena, const char *uri,
                            const char *name, const uint8_t **out_data, size_t *out_bytes,
                            SupError *error);

/* The URI as a relative path: percent-decoded, in `arena`. NULL without an error if the URI is
 * absolute, has a scheme, or climbs out with `..`. */
SupResult sup_gltf_uri_path(SupArena *arena, const char *uri, const char **out_path,
                            SupError *error);

/* Whether a URI of any kind might end in the file name that `path` ends in: yes when in doubt. */
bool sup_gltf_uri_may_end_in(SupArena *arena, const char *uri, const char *path);

/* "data:MIME;base64,..." in `arena`. */
SupResult sup_gltf_uri_encode(SupArena *arena, const char *mime, const uint8_t *data, size_t bytes,
                              const char **out_uri, SupError *error);

#endif
