/* SPDX-License-Identifier: MIT */
/*
 * Adding data to a document. New bytes go to the end of one buffer (a .glb's own, else a new one
 * named SUPPLE), each array with a bufferView of its own named SUPPLE, so that what Supple wrote
 * can be told from the rest and its place be used again when it is replaced.
 */
#ifndef SUP_IO_GLTF_EDIT_H
#define SUP_IO_GLTF_EDIT_H

#include "io/gltf/gltf_reader.h"

#define GLTF_TARGET_VERTICES 34962u

/* An array to be added. */
typedef struct GltfData {
  const void *values; /* little-endian as in memory */
  uint32_t count;
  uint32_t component; /* GLTF_UBYTE, GLTF_USHORT, GLTF_UINT or GLTF_FLOAT */
  const char *type;   /* "SCALAR", "VEC3", ... */
  uint32_t target;    /* 0 or GLTF_TARGET_... */
  bool bounds;        /* write min and max (floats) */
} GltfData;

SupResult sup_gltf_add_view(SupGltf *document, const void *data, size_t bytes, uint32_t target,
                            uint32_t *out_index, SupError *error);
SupResult sup_gltf_add_accessor(SupGltf *document, const GltfData *data, uint32_t *out_index,
                                SupError *error);

/* Gives the place of something Supple wrote back for later use; anything else is left alone. */
SupResult sup_gltf_free_view(SupGltf *document, uint32_t index, SupError *error);
SupResult sup_gltf_free_accessor(SupGltf *document, uint32_t index, SupError *error);

/* The root's array of that kind, made if it is missing; NULL if memory is short. */
json_t *sup_gltf_need_array(SupGltf *document, GltfKind kind);

/* Member `key`, made as an empty object or array if it is missing; NULL if memory is short. */
json_t *sup_gltf_need_object(json_t *parent, const char *key);
json_t *sup_gltf_need_list(json_t *parent, const char *key);

/* Sets a member; takes over the reference, and reports a NULL value as short memory. */
SupResult sup_gltf_set(json_t *object, const char *key, json_t *value, SupError *error);
SupResult sup_gltf_append(json_t *array, json_t *value, SupError *error);

/* Lists or unlists an extension in extensionsUsed. */
SupResult sup_gltf_use_extension(SupGltf *document, const char *name, SupError *error);
void sup_gltf_unuse_extension(SupGltf *document, const char *name);

/* An accessor index stored in `object[key]`, or SUP_NONE. */
uint32_t sup_gltf_stored_index(const json_t *object, const char *key);

/* The primitive of a part; checked when the character was read. */
json_t *sup_gltf_part_primitive(const SupGltf *document, const SupPart *part);

/* Whether an earlier part has the same primitive (two nodes that share a mesh). */
bool sup_gltf_part_is_repeated(const SupRender *render, uint32_t part);

/* A transform as members translation, rotation, scale; those that are neutral are left out. */
SupResult sup_gltf_set_transform(json_t *node, SupTransform transform, SupError *error);

/* Appends joints to skin `s` of the character: nodes[j] with inverse_bind of joints[j]; its name
 * and rest are not looked at, and its parent, which may be the joint itself, only tells whether the
 * skin's `skeleton` is still above all joints. */
SupResult sup_gltf_extend_skin(SupGltf *document, const SupGltfCharacter *character, uint32_t s,
                               uint32_t count, const SupGltfJoint *joints, const uint32_t *nodes,
                               SupError *error);

#endif
