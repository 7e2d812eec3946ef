/* SPDX-License-Identifier: MIT */
/* One character on its way from the document to sup_character_build. */
#ifndef SUP_IO_GLTF_BUILD_H
#define SUP_IO_GLTF_BUILD_H

#include "io/gltf/gltf_scene.h"
#include "supple/author/build.h"

/* Everything is in the reader's scratch memory until the character is built. */
typedef struct GltfBuild {
  GltfReader *reader;
  const GltfScene *scene;
  uint32_t *node_joints; /* [node_count] joint of a node, or SUP_NONE */
  uint32_t *node_morphs; /* [node_count] first morph target of a mesh node, or SUP_NONE */
  uint32_t *skin_slots;  /* [skin_count of the file] place in skins, or SUP_NONE */
  uint32_t *node_list;   /* [mesh_node_count] its skinned mesh nodes, rising */
  uint32_t mesh_node_count;
  uint32_t skin_count;
  uint32_t *skins;     /* [skin_count] those that its mesh nodes use, by first use */
  SupAffined *to_body; /* [skin_count] */
  SupAffine *skin_to_body;
  const uint32_t **skin_bones;
  uint32_t *skin_joint_counts;
  SupRawCharacter raw;
  SupRawPart *parts;
  uint32_t *part_skins; /* [part_count] */
  SupRawMorph *morphs;
  uint32_t *morph_nodes;   /* [morph_count] */
  uint32_t *morph_targets; /* [morph_count] */
  const char **map_names;
  SupGltfCharacter out; /* without the character itself */
} GltfBuild;

/* Joints, bones, and the relation of the skins' bind spaces. Needs node_list. */
SupResult sup_gltf_build_skeleton(GltfBuild *build);

/* The list of morph targets. */
SupResult sup_gltf_build_morphs(GltfBuild *build);

/* Morph targets, maps and primitives. Needs the skeleton. */
SupResult sup_gltf_build_parts(GltfBuild *build);

/* Animations that move the character. Needs skeleton and parts. */
SupResult sup_gltf_build_clips(GltfBuild *build);

/* Whether a primitive's mode is triangles, a strip or a fan. */
bool sup_gltf_mode_has_triangles(uint32_t mode);

/* How many targets the primitives of a mesh have; fails if they differ. */
SupResult sup_gltf_morph_count(const SupGltf *document, uint32_t mesh, uint32_t *out_count,
                               SupError *error);

#endif
