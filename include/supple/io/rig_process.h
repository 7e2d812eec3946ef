/* SPDX-License-Identifier: MIT */
/*
 * Supple: a rig of somebody else: a process that answers parameters with vertices over its standard
 * input and output. docs/formats.md, "Rig processes", has the protocol.
 *
 * Who calls this runs a command. Take it from a person, never from a file.
 */
#ifndef SUPPLE_IO_RIG_PROCESS_H
#define SUPPLE_IO_RIG_PROCESS_H

#include "supple/author/rig_def.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_RIG_PROTOCOL_VERSION 1u

/* The most parameter vectors in one message. */
#define SUP_RIG_BATCH_MAX 64u

typedef struct SupRigProcess SupRigProcess;

typedef struct SupRigProcessDef {
  const char *command; /* for /bin/sh; must outlive the process */
  double timeout;      /* seconds for an answer; 0 means 30 */
} SupRigProcessDef;

/* Starts the command and asks what it is. Lives in `arena`; close it before that is freed. Every
 * failure of this and the functions below is one sentence: the command ends, answers late, with
 * another version, another count, numbers that are not finite, or no messages at all. A process
 * that ends or is late is started once more and asked again; the second time is a failure. After
 * one the process is gone, and every call fails with the same sentence. */
SupResult sup_rig_process_open(SupArena *arena, const SupRigProcessDef *def,
                               SupRigProcess **out_process, SupError *error);

/* As any rig, without exact derivatives; lives as long. Its parameters are not checked yet:
 * sup_rig_check. */
const SupRig *sup_rig_process_rig(const SupRigProcess *process);

/* What the process calls itself, never NULL; its vertices at rest [vertex_count]. */
const char *sup_rig_process_name(const SupRigProcess *process);
const SupVec3d *sup_rig_process_rest(const SupRigProcess *process);

/* The parameters as the animation `clip` has them at times[count], in seconds of the clip:
 * out_values[count * parameter_count]; those of free parameters are its own keys. */
SupResult sup_rig_process_script(SupRigProcess *process, const char *clip, uint32_t count,
                                 const double *times, double *out_values, SupError *error);

/* Whether a call has failed for good. */
bool sup_rig_process_failed(const SupRigProcess *process);

/* Asks the process to quit, ends it where it does not within a second, and waits for it. NULL is
 * allowed. */
void sup_rig_process_close(SupRigProcess *process);

#ifdef __cplusplus
}
#endif
#endif
