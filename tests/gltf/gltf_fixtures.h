/* SPDX-License-Identifier: MIT */
/*
 * Small glTF files made by code, each with one thing that real files may have, around one planted
 * truth: an open tube along +Y with three joints.
 *
 * The tube has TUBE_RINGS rings of TUBE_SIDES vertices; ring r lies at height r/2. Node 0 `holder`
 * carries node 1 `root` at its origin, node 2 `mid` one above it, node 3 `tip` one above that; the
 * mesh node is 4. Ring weights blend from one joint to the next.
 */
#ifndef SUP_TESTS_GLTF_FIXTURES_H
#define SUP_TESTS_GLTF_FIXTURES_H

#include "supple/io/gltf.h"

enum {
  TUBE_RINGS = 5,
  TUBE_SIDES = 6,
  TUBE_VERTICES = TUBE_RINGS * TUBE_SIDES,
  TUBE_TRIANGLES = 2 * TUBE_SIDES * (TUBE_RINGS - 1),
  TUBE_JOINTS = 3,
  TUBE_KEYS = 4
};

typedef enum FixtureFlag {
  FIX_PLAIN = 0,
  FIX_MORPHS = 1 << 0,      /* two targets, defaults on mesh and node, animated */
  FIX_CUBIC = 1 << 1,       /* CUBICSPLINE rotation of mid */
  FIX_SPARSE = 1 << 2,      /* positions: zeros without a view, all set sparsely */
  FIX_JOINTS_1 = 1 << 3,    /* the second influence is in a second set */
  FIX_QUANTISED = 1 << 4,   /* 16-bit positions, folded into the inverse bind matrices */
  FIX_MESHOPT = 1 << 5,     /* every vertex array and the indices compressed */
  FIX_NEGATIVE = 1 << 6,    /* the holder mirrors x */
  FIX_NO_INDICES = 1 << 7,  /* every corner a vertex of its own */
  FIX_STRIP = 1 << 8,       /* one triangle strip per ring, as one primitive each */
  FIX_INTERLEAVED = 1 << 9, /* position, joints, weights in one view */
  FIX_TWO_SKINS = 1 << 10,  /* node 5: the tube again, bound at ten times the size */
  FIX_UNKNOWN = 1 << 11,    /* extensions, extras, odd numbers, camera, image, lines */
  FIX_BYTES = 1 << 12,      /* normalised 8-bit weights, 8-bit normalised rotation keys */
  FIX_MATRIX = 1 << 13,     /* joints given as matrices */
  FIX_TEXT = 1 << 14,       /* .gltf with base64 */
  FIX_EXTERNAL = 1 << 15,   /* .gltf whose buffer is tube.bin and whose image is tube.png */
  FIX_MAPS = 1 << 16,       /* _SUPPLE_STIFFNESS */
  FIX_FAN = 1 << 17,        /* a second primitive: a fan that closes the last ring */
  FIX_COLORS = 1 << 19,     /* COLOR_0, four normalised bytes */
  FIX_NO_TIP = 1 << 20,     /* the second of two skins has no joint tip: mid takes its weight */
  FIX_FILTERS = 1 << 18     /* every filter of meshoptimizer: positions, normals, rotations */
} FixtureFlag;

typedef struct Fixture {
  uint8_t *file; /* the .glb or .gltf, malloc */
  size_t bytes;
  uint8_t *bin; /* the buffer (for FIX_EXTERNAL), malloc */
  size_t bin_bytes;
} Fixture;

Fixture fixture_make(unsigned flags);
void fixture_free(Fixture *fixture);

/* Every combination that the tests walk over, ended by FIXTURE_END. */
#define FIXTURE_END UINT32_MAX
extern const unsigned fixture_list[];
const char *fixture_name(unsigned flags);

/* The truth. */
SupVec3 tube_position(uint32_t v);
float tube_weight(uint32_t v, uint32_t j); /* j in 0..TUBE_JOINTS-1 */
SupVec3 tube_morph(uint32_t target, uint32_t v);
float tube_stiffness(uint32_t v);
uint8_t tube_red(uint32_t v);
extern const float tube_times[TUBE_KEYS];
SupQuat tube_rotation(uint32_t key); /* of mid */

/* The nearest tube vertex to a position, asserted to be within `tolerance`. */
uint32_t tube_find(SupVec3 position, float tolerance);

/* The fixture as a document; asserts that it opens. */
SupGltf *fixture_open(unsigned flags);

/* Its only character; asserts. */
SupGltfCharacter fixture_character(const SupGltf *document, SupArena *arena);

/* Makes a new folder for a test and removes it with all that is in it; 0 when it went well. */
int fixture_folder(char out_folder[64]);
int fixture_folder_end(const char *folder);

/* The bytes of the image in FIX_UNKNOWN. */
extern const uint8_t fixture_png[];
extern const size_t fixture_png_bytes;

#endif
