/* SPDX-License-Identifier: MIT */
/*
 * A thread pool of one job at a time. Tasks are handed out by a counter, so which thread runs
 * which task is not fixed; what a task computes may depend on its index only, and therefore the
 * result does not depend on the threads.
 */
#define _POSIX_C_SOURCE 200809L
#include "supple/io/pool.h"

#include <pthread.h>
#include <unistd.h>

struct SupPool {
  SupAllocator allocator;
  size_t bytes;
  pthread_mutex_t mutex;
  pthread_cond_t work; /* a job has begun, or the pool ends */
  pthread_cond_t idle; /* the last task of a job has ended */
  SupTask *task;
  void *context;
  uint32_t task_count;
  uint32_t next;    /* first task that nobody has taken */
  uint32_t running; /* tasks taken and not ended */
  uint64_t job;     /* number of the present job */
  bool ending;
  uint32_t thread_count; /* without the caller's */
  pthread_t threads[];
};

/* Takes tasks until none is left. Called and left with the mutex held. */
static void work_off(SupPool *pool) {
  while (pool->next < pool->task_count) {
    uint32_t index = pool->next++;
    pool->running++;
    pthread_mutex_unlock(&pool->mutex);
    pool->task(pool->context, index);
    pthread_mutex_lock(&pool->mutex);
    pool->running--;
  }
  if (pool->running == 0) pthread_cond_signal(&pool->idle);
}

static void *worker(void *user) {
  SupPool *pool = user;
  uint64_t seen = 0;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    while (!pool->ending && pool->job == seen) pthread_cond_wait(&pool->work, &pool->mutex);
    if (pool->ending) break;
    seen = pool->job;
    work_off(pool);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

static void pool_run(void *user, uint32_t task_count, SupTask *task, void *context) {
  SupPool *pool = user;
  pthread_mutex_lock(&pool->mutex);
  pool->task = task;
  pool->context = context;
  pool->task_count = task_count;
  pool->next = 0;
  pool->job++;
  if (pool->thread_count && task_count > 1) pthread_cond_broadcast(&pool->work);
  work_off(pool);
  while (pool->running) pthread_cond_wait(&pool->idle, &pool->mutex);
  pool->task_count = 0; /* a thread that wakes late finds nothing */
  pthread_mutex_unlock(&pool->mutex);
}

SupPool *sup_pool_create(SupAllocator allocator, uint32_t thread_count) {
  if (thread_count == 0) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    thread_count = processors > 0 ? (uint32_t)processors : 1;
  }
  size_t bytes = sizeof(SupPool) + (thread_count - 1) * sizeof(pthread_t);
  SupPool *pool = allocator.allocate(allocator.user, bytes);
  if (!pool) return NULL;
  sup_zero(pool, bytes);
  pool->allocator = allocator;
  pool->bytes = bytes;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->idle, NULL);
  while (pool->thread_count < thread_count - 1) {
    if (pthread_create(&pool->threads[pool->thread_count], NULL, worker, pool) != 0) {
      sup_pool_destroy(pool);
      return NULL;
    }
    pool->thread_count++;
  }
  return pool;
}

void sup_pool_destroy(SupPool *pool) {
  if (!pool) return;
  pthread_mutex_lock(&pool->mutex);
  pool->ending = true;
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->mutex);
  for (uint32_t k = 0; k < pool->thread_count; k++) pthread_join(pool->threads[k], NULL);
  pthread_cond_destroy(&pool->idle);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->mutex);
  pool->allocator.release(pool->allocator.user, pool, pool->bytes);
}

SupJobs sup_pool_jobs(SupPool *pool) { return (SupJobs){pool_run, pool}; }

uint32_t sup_pool_thread_count(const SupPool *pool) { return pool->thread_count + 1; }
