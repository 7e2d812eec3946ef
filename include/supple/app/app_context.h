/* SPDX-License-Identifier: MIT */
/*
 * Supple: what the functions of supple/app work with and tell while they work.
 *
 * The functions in this folder do what the verbs of the tool do: they open files, simulate, learn,
 * bake and save. They take a definition and fill a report; they never print. What takes long tells
 * how far it is through the callbacks here, any of which may be NULL.
 */
#ifndef SUPPLE_APP_APP_CONTEXT_H
#define SUPPLE_APP_APP_CONTEXT_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The document limit of sup_gltf_options, 4 GiB. */
#define SUP_APP_USUAL_LIMIT SIZE_MAX

/* Start from sup_app_context. Copied by value; what it points to belongs to the caller and stays
 * until the call returns. Callbacks come on the thread that made the call. */
typedef struct SupAppContext {
  uint32_t cookie;
  SupAllocator allocator; /* thread-safe */
  SupArena *arena;        /* of this job: everything that is returned lives in it */
  const SupJobs *jobs;    /* or NULL: this thread alone */
  uint64_t seed;          /* of everything random; 1 */
  size_t document_limit;  /* bytes that an open document may take; 0: no limit */
  uint32_t depth;         /* 0; one more inside a function that is part of another one */
  /* A part of the work is `done` of `total` in any unit; `label` stays valid until the next. */
  void (*progress)(void *user, const char *label, double done, double total);
  /* One long call that tells nothing begins; NULL: it is over. */
  void (*busy)(void *user, const char *label);
  /* A sentence, or a part of one, for a person: what was found on the way. With its line end. */
  void (*note)(void *user, uint32_t depth, const char *text);
  /* A phase of the work took so long; `phase` is a string constant. Only at depth 0. */
  void (*timing)(void *user, const char *phase, double seconds);
  void *user;
} SupAppContext;

SupAppContext sup_app_context(SupAllocator allocator, SupArena *arena);

/* Seconds on a clock that only goes forward. */
double sup_app_seconds(void);

/* ---- For the functions of this folder -------------------------------------------------------- */

/* The same context one level deeper. */
SupAppContext sup_app_inside(const SupAppContext *app);

/* Calls the callback of that name, if there is one. A note has up to 2 KB. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sup_app_note(const SupAppContext *app, const char *format, ...);
void sup_app_progress(const SupAppContext *app, const char *label, double done, double total);
void sup_app_busy(const SupAppContext *app, const char *label);

/* The seconds since `began`, a sup_app_seconds. */
void sup_app_timing(const SupAppContext *app, const char *phase, double began);

/* `name` for a note: control characters are blanks. In the arena, or a constant. */
const char *sup_app_shown(const SupAppContext *app, const char *name);

/* A number with a comma every three digits. */
typedef struct SupCountText {
  char text[32];
} SupCountText;
SupCountText sup_count_text(uint64_t value);

#ifdef __cplusplus
}
#endif
#endif
