/* SPDX-License-Identifier: MIT */
/*
 * Supple: results, errors, memory, hashing, random numbers and jobs.
 *
 * Everything else in Supple stands on this header. It needs only the freestanding C headers, so
 * that it also compiles to WebAssembly without a C library. Nothing here keeps global state.
 */
#ifndef SUPPLE_BASE_H
#define SUPPLE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_VERSION_MAJOR 0
#define SUP_VERSION_MINOR 1
#define SUP_VERSION_PATCH 0

/* The version of the library that was linked, "major.minor.patch". Static storage. */
const char *sup_version(void);

/* ---- Results -------------------------------------------------------------------------------- */

/* What became of a call whose input came from outside the program. A programmer's mistake is an
 * assertion, never a result. */
typedef enum SupResult {
  SUP_OK = 0,
  SUP_ERROR_MEMORY,      /* an allocation failed, or a memory limit was reached */
  SUP_ERROR_FORMAT,      /* the data contradicts its format */
  SUP_ERROR_UNSUPPORTED, /* the data is legal but this build or version cannot use it */
  SUP_ERROR_IO,          /* the operating system refused */
  SUP_ERROR_ARGUMENT,    /* an option or a combination of options makes no sense */
  SUP_ERROR_NUMERIC      /* a solver could not do it (singular, not converged) */
} SupResult;

/* One sentence for a person: what is wrong, where, and what to do. Always terminated. */
typedef struct SupError {
  char text[512];
} SupError;

/* Writes the sentence (see sup_format) into *error, which may be NULL, and returns `result`, so
 * that a caller can write `return sup_fail(error, SUP_ERROR_FORMAT, "...", ...)`. */
SupResult sup_fail(SupError *error, SupResult result, const char *format, ...);

/* The one sentence for a lack of memory: "WHAT: out of memory", or "out of memory" where `what` is
 * NULL. Writes it into *error, which may be NULL, and returns SUP_ERROR_MEMORY. */
SupResult sup_fail_memory(SupError *error, const char *what);

/* Puts "context: " in front of an existing sentence. `error` may be NULL. */
void sup_error_prefix(SupError *error, const char *format, ...);

/* Formats into buffer[size], always terminated, and returns the length the whole text would have.
 * Understands %s %c %d %u %ld %lu %lld %llu %zu %x %f %.Nf %g %.Ng %%; width and flags are not
 * supported. %g gives up to 6 significant digits without trailing zeros. */
size_t sup_format(char *buffer, size_t size, const char *format, ...);
size_t sup_format_v(char *buffer, size_t size, const char *format, va_list arguments);

/* The name of names[count] that `word` was probably meant to be, or NULL when none is near enough:
 * the first of these that there is. A name one edit away (insert, delete, replace, swap
 * neighbours); the shortest that begins with `word`; the one with the fewest edits, one and one
 * more for every three letters at most; the shortest that contains `word`. Capitals do not matter.
 * Entries may be NULL. Names of more than 64 bytes have no edits. */
const char *sup_nearest_name(const char *word, const char *const *names, size_t count);

/* The same for names that are members of structs: `first` points to the name (a const char *) in
 * the first of `count` structs of `stride` bytes. `first` may be NULL when count is 0. */
const char *sup_nearest_member(const char *word, const void *first, size_t stride, size_t count);

/* "; did you mean 'X'?" for a sentence that refuses a name, or "" when `nearest` is NULL. Writes
 * into buffer[size], size > 0, and returns it. */
const char *sup_did_you_mean(char *buffer, size_t size, const char *nearest);

/* ---- Names ---------------------------------------------------------------------------------- */

/* Names in a list, or members of structs: `first` points to the name (a const char *, may be NULL)
 * in the first of `count` structs of `stride` bytes. `first` may be NULL when count is 0. */
typedef struct SupNameList {
  const void *first;
  size_t stride, count;
} SupNameList;

#define SUP_NAME_NONE SIZE_MAX
#define SUP_NAME_SEVERAL (SIZE_MAX - 1)

/* The name that `word` gives, as an index: the first of these that any name is. The word itself;
 * the word but for capitals (A to Z); the same for what follows the name's last ':' or '|'
 * ("head" for "mixamorig:Head"); a name that contains it. SUP_NAME_SEVERAL where different names
 * are, SUP_NAME_NONE where none is; of equal names the first. An empty word is in no name. */
size_t sup_name_find(const char *word, SupNameList names);

/* For a sentence that refuses `word`: which names contain it, where there are several, else the
 * nearest ("; did you mean 'X'?"), else "". Writes into buffer[size], size > 0, and returns it. */
const char *sup_name_hint(char *buffer, size_t size, const char *word, SupNameList names);

/* Whether the word has a * or a ?, and whether a name fits such a pattern: * stands for any
 * characters, ? for one byte; capitals do not matter. */
bool sup_name_is_pattern(const char *word);
bool sup_name_fits(const char *pattern, const char *name);

/* ---- Memory --------------------------------------------------------------------------------- */

/* Every block the libraries own is aligned to this many bytes. */
#define SUP_ALIGNMENT 64

/* The caller's memory, passed by value in whatever allocates. `allocate` returns `bytes` bytes
 * aligned to SUP_ALIGNMENT, or NULL; the contents are undefined. `release` takes a pointer that
 * `allocate` gave and the same size. Both must be safe to call from the threads that the owner
 * uses the object on; Supple itself never shares one object between threads while allocating. */
typedef struct SupAllocator {
  void *(*allocate)(void *user, size_t bytes);
  void (*release)(void *user, void *block, size_t bytes);
  void *user;
} SupAllocator;

/* A growing region that is freed whole. Set up with sup_arena_init, or zeroed and then given an
 * allocator. Memory comes zeroed. Not thread-safe. */
typedef struct SupArena {
  SupAllocator allocator;
  struct SupArenaChunk *chunks; /* newest first */
  size_t used;                  /* bytes handed out, padding included */
  size_t reserved;              /* bytes taken from the allocator */
  size_t limit;                 /* most bytes to reserve; 0 means no limit */
} SupArena;

/* Sets up an empty arena; nothing is allocated yet. `limit` in bytes, 0 for none. */
void sup_arena_init(SupArena *arena, SupAllocator allocator, size_t limit);

/* Gives everything back to the allocator. The arena is empty and usable again. */
void sup_arena_free(SupArena *arena);

/* `count` items of `item_bytes`, zeroed, aligned to SUP_ALIGNMENT; NULL if memory is short, the
 * limit is reached, or the product overflows. A count of zero gives a valid, empty pointer. */
void *sup_arena_alloc(SupArena *arena, size_t count, size_t item_bytes);

/* A copy of `count` items; NULL as above. */
void *sup_arena_copy(SupArena *arena, const void *items, size_t count, size_t item_bytes);

/* A terminated copy of text[length]; NULL as above. */
char *sup_arena_string(SupArena *arena, const char *text, size_t length);

/* Typed forms. */
#define SUP_ALLOC(arena, type, count) ((type *)sup_arena_alloc((arena), (count), sizeof(type)))
#define SUP_COPY(arena, type, items, count) \
  ((type *)sup_arena_copy((arena), (items), (count), sizeof(type)))

/* The C library's memory and string functions, for code that has none. */
void *sup_copy(void *to, const void *from, size_t bytes); /* no overlap; returns `to` */
void sup_zero(void *block, size_t bytes);
size_t sup_string_length(const char *text);
bool sup_string_equal(const char *a, const char *b);

/* ---- Hash and random numbers ---------------------------------------------------------------- */

/* XXH64 of a block: the same value on every machine of either byte order. */
uint64_t sup_hash(const void *block, size_t bytes, uint64_t seed);

/* PCG32 (XSH-RR, 64-bit state, O'Neill 2014): reproducible everywhere, never seeded by time. */
typedef struct SupRng {
  uint64_t state;
  uint64_t increment; /* odd */
} SupRng;

SupRng sup_rng(uint64_t seed, uint64_t stream);
uint32_t sup_rng_u32(SupRng *rng); /* all 32 bits uniform */
uint32_t sup_rng_below(SupRng *rng,
                       uint32_t bound); /* uniform in [0, bound), unbiased; bound > 0 */
float sup_rng_float(SupRng *rng);       /* uniform in [0, 1), 24 bits */
double sup_rng_double(SupRng *rng);     /* uniform in [0, 1), 53 bits */

/* ---- Jobs ----------------------------------------------------------------------------------- */

/* One task of a job: `index` in [0, task_count). */
typedef void SupTask(void *context, uint32_t index);

/* The caller's way to run tasks: `run` calls task(context, k) once for every k in
 * [0, task_count), in any order, on any threads, and returns when all are done. A NULL SupJobs
 * pointer, or a NULL `run`, means one after the other on the calling thread. */
typedef struct SupJobs {
  void (*run)(void *user, uint32_t task_count, SupTask *task, void *context);
  void *user;
} SupJobs;

/* The items first .. first + count - 1 of a loop; `chunk` is the number of the range. */
typedef struct SupRange {
  uint32_t first;
  uint32_t count;
  uint32_t chunk;
} SupRange;

typedef void SupRangeTask(void *context, SupRange range);

/* Splits [0, count) into ranges of `grain` items (the last may be shorter) and runs them. The
 * split depends on count and grain alone, never on the number of threads, so sums taken per chunk
 * and added in chunk order are the same for every thread count. grain > 0. */
void sup_parallel_for(const SupJobs *jobs, uint32_t count, uint32_t grain, SupRangeTask *task,
                      void *context);

/* How many ranges sup_parallel_for makes. */
uint32_t sup_range_count(uint32_t count, uint32_t grain);

#ifdef __cplusplus
}
#endif
#endif
