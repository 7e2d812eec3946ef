/* SPDX-License-Identifier: MIT */
/* The node hierarchy and the skins of a document, as plain arrays. */
#ifndef SUP_IO_GLTF_SCENE_H
#define SUP_IO_GLTF_SCENE_H

#include "io/gltf/gltf_reader.h"

typedef struct GltfNode {
  uint32_t parent; /* or SUP_NONE */
  uint32_t mesh;   /* or SUP_NONE */
  uint32_t skin;   /* or SUP_NONE */
  SupTransform rest;
  bool sheared;        /* its matrix is no translation, rotation and scale */
  SupAffined to_scene; /* of the rest pose */
} GltfNode;

typedef struct GltfSkin {
  uint32_t joint_count;
  const uint32_t *joints;         /* [joint_count] nodes */
  const SupAffined *inverse_bind; /* [joint_count] */
  uint32_t skeleton;              /* node, or SUP_NONE */
  const char *name;               /* or NULL */
  uint32_t first_user;            /* lowest node that uses it with a mesh, or SUP_NONE */
  uint32_t character;             /* skins with the same number make one character */
} GltfSkin;

typedef struct GltfScene {
  uint32_t node_count;
  GltfNode *nodes; /* [node_count] */
  uint32_t *order; /* [node_count] nodes, parents before children, each subtree together */
  uint32_t skin_count;
  GltfSkin *skins; /* [skin_count] */
} GltfScene;

/* Reads nodes and skins into the reader's scratch memory; refuses cycles and two parents. */
SupResult sup_gltf_scene(GltfReader *reader, GltfScene *out_scene);

/* A 4x4 matrix of glTF without its last row. */
SupAffined sup_gltf_affine(const float m[16]);

#endif
