/* SPDX-License-Identifier: MIT */
/*
 * Supple: a Character out of raw arrays.
 *
 * Whoever has vertices, weights, joints and clips (a glTF reader, a generator, an engine's own
 * asset pipeline) fills a SupRawCharacter and gets the welded, checked Character.
 */
#ifndef SUPPLE_AUTHOR_BUILD_H
#define SUPPLE_AUTHOR_BUILD_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One primitive: render vertices with everything that belongs to them. */
typedef struct SupRawPart {
  const char *name;                         /* NULL means "" */
  uint32_t node, mesh, primitive, material; /* the file's indices, kept in SupPart */
  bool mirrored;
  uint32_t vertex_count;
  uint32_t triangle_count;
  const SupVec3 *positions;  /* [vertex_count] bind space of the body */
  const uint32_t *triangles; /* [3 * triangle_count], below vertex_count */
  const SupVec3 *normals;    /* [vertex_count] or NULL */
  const SupVec4 *tangents;   /* [vertex_count] or NULL */
  const float *uvs;          /* [2 * vertex_count] or NULL */
  uint32_t influence_count;  /* slots per vertex; 0 for an unskinned mesh */
  const uint32_t *bones;     /* [vertex_count * influence_count], below bone_count */
  const float *weights;      /* the same shape; zero slots are ignored, the rest is normalised */
  /* [morph_count] of the raw character; each [vertex_count], or NULL where the part does not
   * take part in that target. The array itself may be NULL. */
  const SupVec3 *const *morph_offsets;
  /* [map_count] of the raw character, each [vertex_count] or NULL; the array may be NULL. */
  const float *const *map_values;
  uint32_t joints_outside; /* kept in SupPart */
} SupRawPart;

typedef struct SupRawMorph {
  const char *name;
  float weight;
} SupRawMorph;

typedef struct SupRawCharacter {
  const char *name;
  SupSkeleton skeleton;
  uint32_t part_count;
  const SupRawPart *parts;
  uint32_t clip_count;
  const SupClip *clips;
  uint32_t morph_count;
  const SupRawMorph *morphs;
  uint32_t map_count;
  const char *const *map_names;
  uint32_t material_count; /* 0 unless the character comes from no file */
  const SupMaterial *materials;
  float weld_tolerance; /* fraction of the bounding diagonal; 0 means the default, 1e-6 */
} SupRawCharacter;

/* Checks everything (indices, finiteness, parents before children, key times), welds the parts
 * into one body, merges weights, morphs and maps, and copies all of it into `arena`: the result
 * does not point into `raw`. Fails with a sentence that names the part, joint or clip. Vertices of
 * one mesh node weld by position alone; vertices of different ones also need weights equal within
 * 1e-3. Weights are normalised as three.js does: divided by their sum; a vertex without weight in a
 * skinned character is given to the bone of its first slot (bone 0 if it has no slots); both are
 * counted. Duplicates that differ are averaged: weights, morph offsets and map values. */
SupResult sup_character_build(SupArena *arena, const SupRawCharacter *raw,
                              SupCharacter *out_character, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
