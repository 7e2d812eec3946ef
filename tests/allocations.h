/* SPDX-License-Identifier: MIT */
/* How often memory is asked for, by all that is linked into a test (supple_count_allocations). */
#ifndef SUP_TESTS_ALLOCATIONS_H
#define SUP_TESTS_ALLOCATIONS_H

#include <stddef.h>

extern size_t allocation_count;

#endif
