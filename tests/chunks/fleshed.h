/* SPDX-License-Identifier: MIT */
/* A fleshwork, its model, and the shape of a pose: what the tests of playing chunks share. */
#ifndef SUP_TESTS_CHUNKS_FLESHED_H
#define SUP_TESTS_CHUNKS_FLESHED_H

#include "check.h"
#include "fleshwork.h"

typedef struct Fleshed {
  SupArena arena;
  PatchworkDef plan;
  Patchwork patchwork;
  Fleshwork fleshwork;
  SupCharacter character;
  SupChunksPackDef def;
  SupModel *model;
  SupChunksView view;
  SupChunksState *state;
  uint32_t count; /* body vertices */
  float *rows;    /* [48 * blocks] */
  float *normals; /* [48 * blocks] */
  float *frames;  /* [144 * blocks] */
} Fleshed;

/* Three around and six along, "lollol": limbs that end on their own, at joints, beside ordinary
 * chunks and at skinned points; points on edges, bare ends. */
Fleshed *fleshed_create(void);

/* The same for any character and definition; nothing of the patchwork. `arena` becomes its own. */
Fleshed *fleshed_of(SupArena arena, const SupCharacter *character, const SupChunksPackDef *def);
void fleshed_free(Fleshed *fleshed);

/* Packs character and def as they are now. */
void fleshed_pack(Fleshed *fleshed);

/* The shape of a pose, out[count]; also into rows, normals and frames. */
void fleshed_shape(Fleshed *fleshed, const SupPose *pose, const SupChunksControls *controls,
                   SupVec3 *out);
void fleshed_skin(Fleshed *fleshed, const SupPose *pose, SupVec3 *out);

/* The same by the law of docs/techniques/chunks.md, in double precision, from the definition.
 * out_nodes, if not NULL, [nodes of all chunks], still. */
void fleshed_law(Fleshed *fleshed, const SupPose *pose, const SupChunksControls *controls,
                 SupVec3d *out, SupVec3d *out_nodes);

/* Without the smoothing across seams. */
void fleshed_law_creased(Fleshed *fleshed, const SupPose *pose, const SupChunksControls *controls,
                         SupVec3d *out, SupVec3d *out_nodes);

SupVec3 *fleshed_room(Fleshed *fleshed);

/* Largest distance of a from b. */
double fleshed_distance(const Fleshed *fleshed, const SupVec3 *a, const SupVec3d *b);

/* A pose of the patchwork, in joints[PATCHWORK_JOINTS]. */
SupPose fleshed_pose(const Fleshed *fleshed, SupTransform root, float bend, float twist,
                     SupTransform *joints);

/* Some motion. */
SupTransform fleshed_root(float scale);

#endif
