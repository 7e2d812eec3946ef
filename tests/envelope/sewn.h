/* SPDX-License-Identifier: MIT */
/* A patchwork, its model, and the shape of a pose: what the envelope's tests share. */
#ifndef SUP_TESTS_ENVELOPE_SEWN_H
#define SUP_TESTS_ENVELOPE_SEWN_H

#include "check.h"
#include "reference.h"

typedef struct Sewn {
  SupArena arena;
  PatchworkDef def;
  Patchwork patchwork;
  SupModel *model;
  SupEnvelopeView view;
  SupEnvelopeState *state;
  uint32_t count; /* body vertices */
  float *rows;    /* [48 * blocks] */
  float *normals; /* [48 * blocks] */
  float *frames;  /* [144 * blocks] */
} Sewn;

/* Three around and two along, five cells, three fields, bare ends, points on edges, revised. */
PatchworkDef sewn_def(void);

Sewn *sewn_create(const PatchworkDef *def);
void sewn_free(Sewn *sewn);

/* Packs the definition of the patchwork as it is now. */
void sewn_pack(Sewn *sewn);

/* The shape of a pose, out[count]; also into rows, normals and frames. */
void sewn_shape(Sewn *sewn, SupTransform root, float bend, float twist, const float *strengths,
                SupVec3 *out);

/* Plain skinning by the run time, out[count]. */
void sewn_skin(Sewn *sewn, SupTransform root, float bend, float twist, SupVec3 *out);

/* Largest distance of a from b. */
double sewn_distance(const Sewn *sewn, const SupVec3 *a, const SupVec3d *b);

SupVec3 *sewn_room(Sewn *sewn);
SupVec3d *sewn_wide_room(Sewn *sewn);

/* Some rigid motion. */
SupTransform sewn_root(float scale);

#endif
