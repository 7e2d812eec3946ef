/* SPDX-License-Identifier: MIT */
/*
 * Supple: the instruction set as a table of functions.
 *
 * A backend is a const table of batch kernels, compiled for one instruction set. The caller picks
 * one (usually sup_backend_cpu(), once) and passes it to whatever steps, so nothing is global and
 * two backends can be compared in one program. All processor tables give the same bits for the
 * same input; the table named "scalar" is always there and is the reference.
 *
 * Arrays of structures of blocks: where a comment says `blocks`, items come in blocks of
 * SUP_BACKEND_BLOCK = 16, and component k of item i lies at
 * [(i / 16 * components + k) * 16 + i % 16]. Such arrays are aligned to SUP_ALIGNMENT.
 * Plain arrays may lie anywhere.
 *
 * A table for a GPU has the same shape; its functions take pointers into that GPU's memory.
 */
#ifndef SUPPLE_BACKEND_H
#define SUPPLE_BACKEND_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_BACKEND_BLOCK 16

/* Entries are added at the end of their section, never removed. */
typedef struct SupBackend {
  const char *name; /* "scalar", "sse2", "avx2", "avx512", "neon", "wasm128" */
  uint32_t lanes;   /* floats in one vector: 1, 4, 8 or 16 */
} SupBackend;

/* The fastest table that this build has and this processor can run; never NULL. Asks the
 * processor each time (microseconds on a virtual machine), so call it once and keep the result. */
const SupBackend *sup_backend_cpu(void);

/* The table of that name, or NULL where the build or the processor lacks it. */
const SupBackend *sup_backend_find(const char *name);

/* Writes the tables usable here, slowest first ("scalar"), into out_backends[capacity] and returns
 * how many there are, which may be more than `capacity`. out_backends may be NULL when capacity is
 * 0. */
uint32_t sup_backend_list(const SupBackend **out_backends, uint32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
