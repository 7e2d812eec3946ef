/* SPDX-License-Identifier: MIT */
/*
 * Supple: files that list the example shapes of an envelope and their poses, and files of edits of
 * its control mesh (docs/formats.md).
 */
#ifndef SUPPLE_IO_ENVELOPE_FILE_H
#define SUPPLE_IO_ENVELOPE_FILE_H

#include "supple/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One example as an author names it. */
typedef struct SupEnvelopeSource {
  const char *name;    /* for sentences and patches; NULL: as `written` */
  const char *shape;   /* a morph target, or a file: .obj, .glb, .gltf, .vrm, .pc2, .mdd */
  const char *pose;    /* CLIP:SECONDS, rest, file, @poses or @far; NULL: none was given */
  const char *written; /* `shape` as its list has it; NULL: as `shape` */
} SupEnvelopeSource;

/* A joint on whose turn a patch depends. */
typedef struct SupEnvelopeAngleSource {
  const char *joint;
  SupVec3d axis; /* in its own frame; zero: the one that the examples turn it about most */
} SupEnvelopeAngleSource;

/* What an author says about one patch. */
typedef struct SupEnvelopePatchSource {
  const char *patch;
  bool chosen; /* `examples` counts: with none, the patch only follows its corners */
  uint32_t example_count;
  const char *const *examples;          /* [example_count] names of examples */
  uint32_t angle_count;                 /* 0: automatic */
  const SupEnvelopeAngleSource *angles; /* [angle_count] */
  double strength;                      /* of the bulges; 1 */
  SupVec3d scale;                       /* in the frame of the patch's face; zero: by its box */
} SupEnvelopePatchSource;

typedef struct SupEnvelopeFile {
  uint32_t example_count;
  const SupEnvelopeSource *examples; /* [example_count] each with a shape and a pose */
  uint32_t patch_count;
  const SupEnvelopePatchSource *patches; /* [patch_count] */
} SupEnvelopeFile;

/* Reads one, in `arena`; shapes that are files are paths from the folder of `path`. A mistake is
 * SUP_ERROR_FORMAT with file and line. */
SupResult sup_envelope_file_read(SupArena *arena, const char *path, SupEnvelopeFile *out_file,
                                 SupError *error);

/* The same from text[bytes]. */
SupResult sup_envelope_file_parse(SupArena *arena, const char *text, size_t bytes, const char *path,
                                  SupEnvelopeFile *out_file, SupError *error);

/* A control vertex put elsewhere by hand in one example shape. */
typedef struct SupEnvelopeEditSource {
  const char *feature;
  const char *example; /* its name */
  SupVec3d move;       /* in the scene, as the character stands there */
} SupEnvelopeEditSource;

typedef struct SupEnvelopeEditFile {
  uint32_t edit_count;
  const SupEnvelopeEditSource *edits; /* [edit_count] */
} SupEnvelopeEditFile;

/* The same for files of edits. */
SupResult sup_envelope_edits_read(SupArena *arena, const char *path, SupEnvelopeEditFile *out_file,
                                  SupError *error);
SupResult sup_envelope_edits_parse(SupArena *arena, const char *text, size_t bytes,
                                   const char *path, SupEnvelopeEditFile *out_file,
                                   SupError *error);

#ifdef __cplusplus
}
#endif
#endif
