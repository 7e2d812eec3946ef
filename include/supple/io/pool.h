/* SPDX-License-Identifier: MIT */
/*
 * Supple: a thread pool for programs that have no job system of their own.
 */
#ifndef SUPPLE_IO_POOL_H
#define SUPPLE_IO_POOL_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupPool SupPool;

/* `thread_count` threads in all, the calling one included: 1 makes no thread. 0 means as many as
 * the machine has processors. The threads block all signals. Returns NULL when memory or threads
 * are short. */
SupPool *sup_pool_create(SupAllocator allocator, uint32_t thread_count);

/* Waits for the threads to end and frees everything. NULL is allowed. */
void sup_pool_destroy(SupPool *pool);

/* The pool as a job system. Valid as long as the pool. One job at a time: a job that is started
 * while another runs, from a task of it or from another thread, is run whole by the thread that
 * starts it. Starting and ending a job costs about a microsecond if the last one ended less than
 * some 20 us ago, else what the system takes to wake a thread. */
SupJobs sup_pool_jobs(SupPool *pool);

uint32_t sup_pool_thread_count(const SupPool *pool);

#ifdef __cplusplus
}
#endif
#endif
