/* SPDX-License-Identifier: MIT */
/*
 * Supple: the Character, the noun that every tool reads.
 *
 * One skeleton and one *body*: the welded simulation surface. Files store *render* vertices, which
 * are duplicated along seams and between primitives; the body merges them, and the two maps below
 * lead from one to the other. Skin weights, maps and morph targets live on the body; normals,
 * tangents and texture coordinates stay on the render vertices.
 *
 * Plain data: whoever builds a character (sup_character_build, the built-in characters, a glTF
 * file) owns the arrays, usually in one arena. It is const to everything downstream.
 */
#ifndef SUPPLE_AUTHOR_CHARACTER_H
#define SUPPLE_AUTHOR_CHARACTER_H

#include "supple/geom/mesh.h"
#include "supple/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which bones move each vertex, and how much. */
typedef struct SupSkin {
  uint32_t vertex_count;
  uint32_t influence_max;  /* the largest number of influences of any vertex */
  const uint32_t *offsets; /* [vertex_count + 1] into bones and weights; offsets[0] is 0 */
  const uint32_t *bones;   /* [offsets[vertex_count]] by descending weight, then rising index */
  const float *weights;    /* the same shape, each > 0, summing to 1 per vertex */
} SupSkin;

/* A run of render vertices that came from one primitive of one mesh node of the file. */
typedef struct SupPart {
  const char *name; /* of the mesh node, never NULL */
  uint32_t node;    /* the file's node index, mesh index and primitive index */
  uint32_t mesh;
  uint32_t primitive;
  uint32_t material;     /* the file's material index, or SUP_NONE */
  uint32_t first_vertex; /* render vertices first_vertex .. first_vertex + vertex_count - 1 */
  uint32_t vertex_count;
  uint32_t first_triangle; /* render triangles, same convention */
  uint32_t triangle_count;
  bool mirrored; /* bound in a mirrored space: its triangles are turned over in the body */
  uint32_t joints_outside; /* vertices that name a joint their skin does not have, at weight 0 */
} SupPart;

/* The vertices as the file has them, all parts one after the other: mesh nodes in node order,
 * primitive by primitive. */
typedef struct SupRender {
  uint32_t vertex_count;
  uint32_t triangle_count;
  uint32_t part_count;
  const SupPart *parts;      /* [part_count] */
  const uint32_t *to_body;   /* [vertex_count] body vertex of each render vertex */
  const uint32_t *triangles; /* [3 * triangle_count] render indices */
  const SupVec3 *positions;  /* [vertex_count] bind space, as the body's */
  const SupVec3 *normals;    /* [vertex_count] or NULL where no part has them */
  const SupVec4 *tangents;   /* [vertex_count], w = handedness, or NULL */
  const float *uvs;          /* [2 * vertex_count] or NULL */
  /* The weights of the render vertices themselves, where the weld had to average unequal ones
   * (weld.weights_averaged): what every other viewer skins with. vertex_count 0 where the body's
   * weights are theirs too. Whoever replaces the body's skin clears this one. */
  SupSkin skin;
} SupRender;

/* A morph target on the body, dense. */
typedef struct SupMorph {
  const char *name;       /* never NULL, maybe empty */
  float weight;           /* the file's default */
  const SupVec3 *offsets; /* [body.vertex_count] bind space */
} SupMorph;

/* Named numbers on the body's vertices that an artist may paint (`stiffness`, `lock`, ...). */
typedef struct SupMap {
  const char *name;    /* lower case, without the `_SUPPLE_` that glTF attributes carry */
  const float *values; /* [body.vertex_count] */
} SupMap;

/* How a part looks: the factors of glTF's metallic-roughness material, linear colour, no textures.
 * Only characters that come from no file have them (a file keeps its own materials); writing such
 * a character as a fresh file writes these. */
typedef struct SupMaterial {
  const char *name;    /* never NULL */
  float base_color[4]; /* linear red, green, blue, alpha */
  float metallic;
  float roughness;
  float emissive[3]; /* linear */
} SupMaterial;

/* What welding and cleaning found, for `info` and for reports. */
typedef struct SupWeldReport {
  uint32_t vertices_merged;      /* render vertices that became part of another one */
  uint32_t weights_averaged;     /* body vertices whose duplicates had unequal weights */
  uint32_t weights_normalised;   /* render vertices whose weights did not sum to 1 within 1e-3 */
  uint32_t weights_missing;      /* render vertices without any weight (given to a bone, see io) */
  uint32_t triangles_degenerate; /* triangles dropped because two corners became one vertex */
  uint32_t triangles_duplicate;  /* triangles dropped because the body had them already */
} SupWeldReport;

typedef struct SupCharacter {
  const char *name; /* never NULL */
  SupSkeleton skeleton;
  SupMesh body;
  SupSkin skin;
  SupRender render;
  uint32_t clip_count;
  const SupClip *clips; /* [clip_count] */
  uint32_t morph_count;
  const SupMorph *morphs; /* [morph_count] */
  uint32_t map_count;
  const SupMap *maps; /* [map_count] */
  uint32_t material_count;
  const SupMaterial *materials; /* [material_count] for SupPart.material, or none (see above) */
  SupWeldReport weld;
  /* [joint_count] 1: a joint that a model of the file moves (helpers) and no clip; NULL: there is
   * none. Poses to teach with are drawn, and shapes are read off, the other joints alone. */
  const uint8_t *helper_joints;
} SupCharacter;

/* Is the joint one of the character's own? */
static inline bool sup_own_joint(const SupCharacter *character, uint32_t joint) {
  return !character->helper_joints || !character->helper_joints[joint];
}

#ifdef __cplusplus
}
#endif
#endif
