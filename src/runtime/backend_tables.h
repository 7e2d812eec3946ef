/* SPDX-License-Identifier: MIT */
/* The tables that this build has, slowest first. */
#ifndef SUP_SRC_RUNTIME_BACKEND_TABLES_H
#define SUP_SRC_RUNTIME_BACKEND_TABLES_H

#include "supple/backend.h"
#include "supple/batch.h"

/* Batches on the processor, by the kernels of the backend that they are made with. */
extern const SupBatchTable sup_batch_cpu;

extern const SupBackend sup_backend_scalar;
#if defined(__x86_64__)
extern const SupBackend sup_backend_sse2;
extern const SupBackend sup_backend_avx2;
extern const SupBackend sup_backend_avx512;
#elif defined(__aarch64__)
extern const SupBackend sup_backend_neon;
#elif defined(__wasm__)
extern const SupBackend sup_backend_wasm128;
#endif

#endif
