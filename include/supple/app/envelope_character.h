/* SPDX-License-Identifier: MIT */
/* Supple: an envelope for a character in a file, from example shapes of it or of another one. */
#ifndef SUPPLE_APP_ENVELOPE_CHARACTER_H
#define SUPPLE_APP_ENVELOPE_CHARACTER_H

#include "supple/app/example_files.h"
#include "supple/io/envelope_file.h"
#include "supple/train/envelope.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most times that patches can be divided: 4 ^ 2 parts of one with four sides. */
#define SUP_ENVELOPE_SUBDIVIDE_MAX 2u

/* Start from sup_envelope_character_def. */
typedef struct SupEnvelopeCharacterDef {
  uint32_t cookie;
  SupEnvelopeFile given;            /* the examples, and what is said about patches */
  uint32_t shape_count;             /* above 0: these are the examples, and not those of `given` */
  const SupEnvelopeExample *shapes; /* [shape_count] of the primary's body; no images of them */
  const char *edits;                /* a file of edits of the character's shapes, or NULL */
  const char *patches;             /* a patch file of the character; NULL: sup_patch_auto decides */
  const SupCharacterFile *primary; /* the examples are of this one; NULL: of the character */
  const char *primary_patches;     /* a patch file of that one, or NULL */
  SupOpenDef open;                 /* how shape files are opened */
  float fps;                       /* of caches; 0: what they say */
  bool mirror; /* the mirror image of each example is one, too, unless one has its pose */
  /* As in SupEnvelopeTrainDef. */
  double ease, sigma, ridge;
  SupEnvelopeResidual residual;
  bool literal, revise;
  uint32_t subdivide; /* so many times every patch is divided, on both characters; 0 */
} SupEnvelopeCharacterDef;

SupEnvelopeCharacterDef sup_envelope_character_def(void);

typedef struct SupEnvelopeCharacterReport {
  SupEnvelopeTrainReport trained; /* of what was packed; `left` is of all that is played, and means
                                     nothing where it was carried over */
  uint32_t example_count;         /* mirror images included */
  uint32_t patch_count;           /* of the character, that are learned on */
  uint32_t left_out_count;        /* too distorted to be laid flat: their vertices are skinned */
  const char *left_out;           /* name of the first of these, or NULL */
  uint32_t whole_count;           /* with `subdivide`: patches without room for the last time */
  bool automatic;                 /* found without a patch file */
  bool carried;                   /* from the primary */
  uint32_t joints_mapped;         /* then: joints of the character that follow its */
  double reposed;                 /* radians that a limb was turned to stand as the primary does */
  const SupExample *played;       /* the examples as static poses, to be compared with what is
                                     played; NULL where that is meant to differ: carried over, or
                                     patches were muted or weighed */
} SupEnvelopeCharacterReport;

/* Reads the examples, takes skins apart, learns, carries over and packs. What is wrong with the
 * input is refused with a sentence before anything is learned: skeletons and patches that do not
 * correspond, a shape of another mesh, an example without its pose, the same pose twice. */
SupResult sup_envelope_character(const SupAppContext *app, const SupCharacterFile *file,
                                 const SupEnvelopeCharacterDef *def, SupModel **out_model,
                                 SupEnvelopeCharacterReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
