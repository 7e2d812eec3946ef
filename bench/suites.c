/* SPDX-License-Identifier: MIT */
/* The table of suites. */
#include "bench.h"

const BenchSuite *const bench_suites[] = {
    &bench_base,    &bench_math,    &bench_geom,     &bench_skin,   &bench_surface, &bench_modes,
    &bench_popping, &bench_helpers, &bench_envelope, &bench_chunks, NULL,
};
