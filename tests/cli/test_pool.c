/* SPDX-License-Identifier: MIT */
/* The thread pool: every task once, together, nested, from several threads, never a deadlock. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "supple/io/file.h"
#include "supple/io/pool.h"

enum { MOST_TASKS = 5000 };

typedef struct Tally {
  atomic_uint runs[MOST_TASKS];
} Tally;

static void count_run(void *context, uint32_t index) {
  atomic_fetch_add(&((Tally *)context)->runs[index], 1);
}

static void run_and_check(const SupJobs *jobs, Tally *tally, uint32_t task_count) {
  for (uint32_t k = 0; k < MOST_TASKS; k++) atomic_store(&tally->runs[k], 0);
  jobs->run(jobs->user, task_count, count_run, tally);
  for (uint32_t k = 0; k < MOST_TASKS; k++) {
    assert_int_equal(atomic_load(&tally->runs[k]), k < task_count ? 1 : 0);
  }
}

static void sleep_milliseconds(long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void every_task_runs_once(void **state) {
  static const uint32_t counts[] = {0, 1, 2, 3, 7, 100, MOST_TASKS};
  static Tally tally;
  (void)state;
  for (uint32_t threads = 1; threads <= 8; threads++) {
    SupPool *pool = sup_pool_create(sup_heap_allocator(), threads);
    assert_non_null(pool);
    SupJobs jobs = sup_pool_jobs(pool);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
      run_and_check(&jobs, &tally, counts[k]);
    }
    sup_pool_destroy(pool);
  }
}

static void add_one(void *context, uint32_t index) {
  (void)index;
  atomic_fetch_add((atomic_uint *)context, 1);
}

/* Jobs so short that threads wake when theirs is over, and the next has begun. */
static void short_jobs_follow_each_other(void **state) {
  (void)state;
  for (uint32_t threads = 2; threads <= 5; threads += 3) {
    SupPool *pool = sup_pool_create(sup_heap_allocator(), threads);
    SupJobs jobs = sup_pool_jobs(pool);
    for (uint32_t job = 0; job < 20000; job++) {
      atomic_uint sum = 0; /* on our stack: a late thread would write where nobody may */
      jobs.run(jobs.user, 2 + job % 5, add_one, &sum);
      assert_int_equal(atomic_load(&sum), 2 + job % 5);
      if (job % 5000 == 0) sleep_milliseconds(2); /* now they sleep */
    }
    sup_pool_destroy(pool);
  }
}

/* Each task waits until all have begun: possible only if as many threads run them. */
typedef struct Meeting {
  atomic_uint arrived;
  atomic_uint met;
  uint32_t expected;
} Meeting;

static void meet(void *context, uint32_t index) {
  Meeting *meeting = context;
  (void)index;
  atomic_fetch_add(&meeting->arrived, 1);
  for (int k = 0; k < 20000 && atomic_load(&meeting->arrived) < meeting->expected; k++) {
    sleep_milliseconds(1);
  }
  if (atomic_load(&meeting->arrived) == meeting->expected) atomic_fetch_add(&meeting->met, 1);
}

static void all_threads_take_part(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 8; threads++) {
    SupPool *pool = sup_pool_create(sup_heap_allocator(), threads);
    assert_int_equal(sup_pool_thread_count(pool), threads);
    SupJobs jobs = sup_pool_jobs(pool);
    for (int round = 0; round < 3; round++) {
      Meeting meeting = {.expected = threads};
      jobs.run(jobs.user, threads, meet, &meeting);
      assert_int_equal(atomic_load(&meeting.met), threads);
      sleep_milliseconds(round);
    }
    sup_pool_destroy(pool);
  }
}

typedef struct Outer {
  const SupJobs *jobs;
  atomic_uint sum;
} Outer;

static void start_inner_job(void *context, uint32_t index) {
  Outer *outer = context;
  atomic_uint inner = 0;
  outer->jobs->run(outer->jobs->user, index, add_one, &inner);
  atomic_fetch_add(&outer->sum, atomic_load(&inner));
}

static void a_task_may_start_a_job(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 4; threads++) {
    SupPool *pool = sup_pool_create(sup_heap_allocator(), threads);
    SupJobs jobs = sup_pool_jobs(pool);
    Outer outer = {.jobs = &jobs};
    jobs.run(jobs.user, 100, start_inner_job, &outer);
    assert_int_equal(atomic_load(&outer.sum), 99 * 100 / 2);
    sup_pool_destroy(pool);
  }
}

static void *use_pool(void *user) {
  SupJobs *jobs = user;
  for (uint32_t job = 0; job < 2000; job++) {
    atomic_uint sum = 0;
    jobs->run(jobs->user, 10, add_one, &sum);
    if (atomic_load(&sum) != 10) return user;
  }
  return NULL;
}

static void several_threads_may_use_a_pool(void **state) {
  (void)state;
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  SupJobs jobs = sup_pool_jobs(pool);
  pthread_t threads[3];
  for (int k = 0; k < 3; k++) pthread_create(&threads[k], NULL, use_pool, &jobs);
  for (int k = 0; k < 3; k++) {
    void *failure;
    pthread_join(threads[k], &failure);
    assert_null(failure);
  }
  sup_pool_destroy(pool);
}

/* A signal to the process would end us if a thread of the pool took it. */
static void signals_stay_with_the_program(void **state) {
  (void)state;
  sigset_t one, old, pending;
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 4);
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &one, &old);
  kill(getpid(), SIGUSR1);
  sleep_milliseconds(50); /* for whoever would take it */
  sigpending(&pending);
  assert_true(sigismember(&pending, SIGUSR1));
  int number;
  sigwait(&one, &number);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  sup_pool_destroy(pool);
}

static void memory_is_given_back(void **state) {
  (void)state;
  CountingHeap heap = {0};
  sup_pool_destroy(sup_pool_create(counting_allocator(&heap), 3));
  assert_int_equal(heap.live_blocks, 0);
  heap = (CountingHeap){.fail_at = 1};
  assert_null(sup_pool_create(counting_allocator(&heap), 3));
  sup_pool_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_task_runs_once),
      cmocka_unit_test(short_jobs_follow_each_other),
      cmocka_unit_test(all_threads_take_part),
      cmocka_unit_test(a_task_may_start_a_job),
      cmocka_unit_test(several_threads_may_use_a_pool),
      cmocka_unit_test(signals_stay_with_the_program),
      cmocka_unit_test(memory_is_given_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
