/* SPDX-License-Identifier: MIT */
/* A stranger's program on libsupple_io: threads, files and memory. Exit 1 if something is wrong. */
#include <stdio.h>
#include <supple/base.h>
#include <supple/io/file.h>
#include <supple/io/pool.h>

static void square(void *context, SupRange range) {
  unsigned *squares = (unsigned *)context;
  for (unsigned i = range.first; i < range.first + range.count; i++) squares[i] = i * i;
}

int main(void) {
  unsigned squares[100] = {0};
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 2);
  if (!pool) return 1;
  SupJobs jobs = sup_pool_jobs(pool);
  sup_parallel_for(&jobs, 100, 7, square, squares);
  sup_pool_destroy(pool);
  printf("%s\n", sup_version());
  return squares[99] == 9801 ? 0 : 1;
}
