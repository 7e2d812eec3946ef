/* SPDX-License-Identifier: MIT */
/*
 * Supple: what of a character is not flesh: eyes, teeth, claws, horns, hooves, armour, clothes,
 * things. Found by names (of materials, meshes, nodes, bones, in several languages), by metal and
 * glass, and by pieces that move like a solid; corrected by patterns. What is found follows its
 * bones, and so does the flesh that it covers.
 */
#ifndef SUPPLE_AUTHOR_HARD_PARTS_H
#define SUPPLE_AUTHOR_HARD_PARTS_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What something was taken for. */
typedef enum SupHardKind {
  SUP_HARD_NOT, /* flesh, as far as one can tell */
  SUP_HARD_EYES,
  SUP_HARD_TEETH,
  SUP_HARD_CLAWS, /* and nails */
  SUP_HARD_HORNS,
  SUP_HARD_HOOVES,
  SUP_HARD_SHELL, /* and beaks */
  SUP_HARD_ARMOUR,
  SUP_HARD_CLOTHES,
  SUP_HARD_THINGS, /* tools, weapons, jewellery, whatever a character carries */
  SUP_HARD_METAL,  /* and wood, stone, ... */
  SUP_HARD_GLASS,
  SUP_HARD_HAIR,    /* and fur, that moves like a solid; other hair is flesh */
  SUP_HARD_SOLID,   /* a piece of its own that moves like a solid */
  SUP_HARD_COVERED, /* flesh right below one of the above */
  SUP_HARD_LOCKED,  /* somebody says so */
  SUP_HARD_KINDS
} SupHardKind;

/* "eyes", "teeth", ...; "flesh" for SUP_HARD_NOT. */
const char *sup_hard_kind_name(SupHardKind kind);

/* Why it was. */
typedef enum SupHardSign {
  SUP_SIGN_MATERIAL, /* the name of its material, */
  SUP_SIGN_MESH,     /* of its mesh, */
  SUP_SIGN_NODE,     /* of its mesh node, */
  SUP_SIGN_BONE,     /* of the bones that it follows */
  SUP_SIGN_LOOK,     /* its material is metal or glass */
  SUP_SIGN_SOLID,    /* a small piece of its own whose weights are the same everywhere */
  SUP_SIGN_ENCLOSED, /* nothing but hard parts around it: the shine in an eye */
  SUP_SIGN_COVERED,  /* a hard part lies right over it */
  SUP_SIGN_PATTERN,  /* a pattern to lock */
  SUP_SIGN_PAINTED,  /* the map `lock` of the file */
  SUP_SIGNS
} SupHardSign;

/* "material", "mesh", ... */
const char *sup_hard_sign_name(SupHardSign sign);

/* What a file says about a part besides the name of its node. */
typedef struct SupPartSigns {
  const char *material, *mesh; /* names, never NULL, maybe empty */
  /* 0 .. 1: 0 where the file does not say so itself (its default is metal). */
  float metallic;
  float roughness;
  float transmission; /* of light, or 1 - alpha where it is blended */
} SupPartSigns;

/* Patterns: whole names, without regard to capitals; `*` stands for any letters and `?` for one. A
 * pattern without either that is no whole name stands for all names that contain it. */
typedef struct SupPatterns {
  const char *option; /* for sentences: "lock" */
  uint32_t count;
  const char *const *patterns; /* [count] */
} SupPatterns;

/* Start from sup_hard_parts_def. */
typedef struct SupHardPartsDef {
  uint32_t cookie;
  const SupCharacter *character;
  const SupPartSigns *parts; /* [render.part_count], or NULL: nothing is known */
  /* Names of bones (with all below them), mesh nodes, meshes and materials. */
  SupPatterns lock;
  SupPatterns unlock; /* also names of kinds ("clothes"); comes last */
} SupHardPartsDef;

SupHardPartsDef sup_hard_parts_def(const SupCharacter *character);

/* The name of findings beyond the first 200. */
#define SUP_HARD_OTHERS "..."

/* Something that was found, or taken for flesh against a sign. */
typedef struct SupHardFinding {
  SupHardKind kind;
  SupHardSign sign;
  const char *name; /* that says so; "" where no name does */
  bool dismissed;   /* it would be nearly everything, and so says nothing: taken for flesh */
  double area;      /* fraction of the skin */
  uint32_t count;   /* connected pieces, or bones; 0 where neither is counted */
} SupHardFinding;

typedef struct SupHardParts {
  float *lock;  /* [body.vertex_count] 1: follows its bones, 0: flesh; NULL: all flesh */
  double area;  /* fraction of the skin that is locked */
  bool painted; /* the file has a map `lock`, which counts instead of what would be found */
  uint32_t finding_count;
  const SupHardFinding *findings; /* [finding_count] the largest first, dismissed ones last */
} SupHardParts;

/* Finds them; in `arena`. A file that has a map `lock` is taken at its word: only the patterns are
 * applied. Fails with SUP_ERROR_ARGUMENT where a pattern fits nothing; the sentence says what may
 * be meant. */
SupResult sup_hard_parts(SupArena *arena, const SupHardPartsDef *def, SupHardParts *out_parts,
                         SupError *error);

/* What a name alone says: the kind of its first word that is known, hair only where there is no
 * other. */
SupHardKind sup_hard_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif
