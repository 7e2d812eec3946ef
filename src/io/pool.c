/* SPDX-License-Identifier: MIT */
/*
 * A thread pool of one job at a time. Which thread runs which task is not fixed; what a task
 * computes may depend on its index only, and therefore the result does not depend on the threads.
 *
 * Each thread has a stretch of the tasks to itself, handed out by a counter, and helps with the
 * others' when it is done. Jobs that follow each other over the same data (the passes of a frame,
 * frame after frame) so find it in the cache of the same processor.
 *
 * A job of 0.2 ms must not spend a tenth of it on waking threads, which takes some 10 us. So a
 * thread that has run out of work looks for the next job for a while before it sleeps. The mutex
 * is taken twice per thread and job, never per task.
 */
#define _POSIX_C_SOURCE 200809L
#include "supple/io/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* Looks before a thread sleeps: 20 to 60 us, about the price of the sleep it saves. */
#define SPIN_COUNT 2000u

/* Tasks of one thread: those before `end` that nobody has taken begin at `next`, which runs past
 * it. In a line of the cache by itself. */
typedef struct Stretch {
  _Alignas(SUP_ALIGNMENT) _Atomic uint64_t next;
  uint64_t end;
} Stretch;

typedef struct Worker {
  SupPool *pool;
  uint32_t index; /* of its stretch; the caller has 0 */
  pthread_t thread;
} Worker;

struct SupPool {
  SupAllocator allocator;
  size_t bytes;
  uint32_t thread_count; /* without the caller's */
  uint32_t spin_count;   /* 0 where there are more threads than processors */
  atomic_bool busy;      /* a job is running; whoever comes now runs his tasks himself */
  pthread_mutex_t mutex;
  pthread_cond_t work; /* a job has begun, or the pool ends */
  pthread_cond_t idle; /* the last thread has left the job */
  /* Changed under the mutex only; atomic where they are also looked at without it. */
  atomic_uint job;    /* number of the latest job */
  atomic_uint inside; /* threads in the job, without the caller's */
  atomic_bool ending;
  bool open;         /* the job may be entered */
  uint32_t sleeping; /* threads that wait for `work` */
  /* The job; constant while it is open or somebody is inside. */
  SupTask *task;
  void *context;
  uint32_t task_count;
  Stretch *stretches; /* [thread_count + 1] */
  Worker workers[];   /* [thread_count] */
};

static void pause_processor(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* The tasks of stretch `own`, then what is left of the others. */
static void work_off(SupPool *pool, uint32_t own) {
  const uint32_t count = pool->thread_count + 1;
  for (uint32_t k = 0; k < count; k++) {
    Stretch *stretch = &pool->stretches[(own + k) % count];
    for (;;) {
      uint64_t index = atomic_fetch_add_explicit(&stretch->next, 1, memory_order_relaxed);
      if (index >= stretch->end) break;
      pool->task(pool->context, (uint32_t)index);
    }
  }
}

static void look_for_job(SupPool *pool, unsigned seen) {
  for (uint32_t k = 0; k < pool->spin_count; k++) {
    if (atomic_load_explicit(&pool->job, memory_order_relaxed) != seen) break;
    if (atomic_load_explicit(&pool->ending, memory_order_relaxed)) break;
    pause_processor();
  }
}

/* Waits for a job other than `*seen` and enters it; false when the pool ends. */
static bool enter_job(SupPool *pool, unsigned *seen) {
  bool entered = false;
  while (!entered) {
    look_for_job(pool, *seen);
    pthread_mutex_lock(&pool->mutex);
    while (!pool->ending && pool->job == *seen) {
      pool->sleeping++;
      pthread_cond_wait(&pool->work, &pool->mutex);
      pool->sleeping--;
    }
    bool ending = pool->ending;
    entered = !ending && pool->open; /* a job that is over already is only noted */
    *seen = pool->job;
    if (entered) pool->inside++;
    pthread_mutex_unlock(&pool->mutex);
    if (ending) return false;
  }
  return true;
}

static void *work(void *user) {
  const Worker *worker = user;
  SupPool *pool = worker->pool;
  unsigned seen = 0;
  while (enter_job(pool, &seen)) {
    work_off(pool, worker->index);
    pthread_mutex_lock(&pool->mutex);
    if (--pool->inside == 0) pthread_cond_signal(&pool->idle);
    pthread_mutex_unlock(&pool->mutex);
  }
  return NULL;
}

static void open_job(SupPool *pool, uint32_t task_count, SupTask *task, void *context) {
  pthread_mutex_lock(&pool->mutex);
  pool->task = task;
  pool->context = context;
  pool->task_count = task_count;
  for (uint64_t k = 0, count = pool->thread_count + 1; k < count; k++) {
    atomic_store_explicit(&pool->stretches[k].next, task_count * k / count, memory_order_relaxed);
    pool->stretches[k].end = task_count * (k + 1) / count;
  }
  pool->open = true;
  pool->job++;
  if (pool->sleeping) pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->mutex);
}

/* Nobody may enter any more; waits for those who are inside. */
static void close_job(SupPool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pool->open = false;
  pthread_mutex_unlock(&pool->mutex);
  for (uint32_t k = 0; k < pool->spin_count; k++) {
    if (atomic_load_explicit(&pool->inside, memory_order_relaxed) == 0) break;
    pause_processor();
  }
  pthread_mutex_lock(&pool->mutex);
  while (pool->inside) pthread_cond_wait(&pool->idle, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

static void pool_run(void *user, uint32_t task_count, SupTask *task, void *context) {
  SupPool *pool = user;
  bool alone = task_count < 2 || pool->thread_count == 0 || atomic_exchange(&pool->busy, true);
  if (alone) {
    for (uint32_t k = 0; k < task_count; k++) task(context, k);
    return;
  }
  open_job(pool, task_count, task, context);
  work_off(pool, 0);
  close_job(pool);
  atomic_store(&pool->busy, false);
}

/* Starts a thread that leaves the program's signals to the program's own threads. */
static bool start_thread(Worker *worker) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  bool started = pthread_create(&worker->thread, NULL, work, worker) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return started;
}

SupPool *sup_pool_create(SupAllocator allocator, uint32_t thread_count) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t processors = online > 0 ? (uint32_t)online : 1;
  if (thread_count == 0) thread_count = processors;
  size_t head = sizeof(SupPool) + (thread_count - 1) * sizeof(Worker);
  head = (head + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  size_t bytes = head + thread_count * sizeof(Stretch);
  SupPool *pool = allocator.allocate(allocator.user, bytes);
  if (!pool) return NULL;
  sup_zero(pool, bytes);
  pool->allocator = allocator;
  pool->bytes = bytes;
  pool->stretches = (Stretch *)(void *)((char *)pool + head);
  pool->spin_count = thread_count <= processors ? SPIN_COUNT : 0;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->idle, NULL);
  while (pool->thread_count < thread_count - 1) {
    Worker *worker = &pool->workers[pool->thread_count];
    *worker = (Worker){.pool = pool, .index = pool->thread_count + 1};
    if (!start_thread(worker)) {
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
  for (uint32_t k = 0; k < pool->thread_count; k++) pthread_join(pool->workers[k].thread, NULL);
  pthread_cond_destroy(&pool->idle);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->mutex);
  pool->allocator.release(pool->allocator.user, pool, pool->bytes);
}

SupJobs sup_pool_jobs(SupPool *pool) { return (SupJobs){pool_run, pool}; }

uint32_t sup_pool_thread_count(const SupPool *pool) { return pool->thread_count + 1; }
