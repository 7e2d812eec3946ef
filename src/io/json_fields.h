/* SPDX-License-Identifier: MIT */
/*
 * JSON objects into structs, by tables of fields: an unknown key, a missing one and a value of
 * another kind than expected are refused with a sentence that names file and line.
 */
#ifndef SUP_IO_JSON_FIELDS_H
#define SUP_IO_JSON_FIELDS_H

#include <jansson.h>

#include "supple/math.h"

#define SUP_JSON_ITEMS_MAX 100000u /* items of a list, and the largest count */

/* Where values stand in the text. */
typedef struct SupJsonPlace {
  const json_t *node;
  unsigned line;
} SupJsonPlace;

typedef struct SupJsonReading {
  SupArena *arena; /* for what is read */
  const char *path;
  SupError *error;
  size_t place_count, place_capacity;
  SupJsonPlace *places; /* [place_count] sorted by node once the text is read */
} SupJsonReading;

/* Reads the text into a tree, which the caller owns, and keeps its lines. path and error are set.
 */
SupResult sup_json_read_placed(SupJsonReading *r, const char *text, size_t bytes,
                               json_t **out_root);

/* The line of a value, or that of the object that holds it where it is true, false or null. */
uint32_t sup_json_line(const SupJsonReading *r, const json_t *node, const json_t *holder);

typedef struct SupJsonField SupJsonField;

/* Reads `value`, the value of a field of `object`, into `into`. */
typedef SupResult SupJsonReadFn(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                                const json_t *value, void *into);

struct SupJsonField {
  const char *key;
  SupJsonReadFn *read;
  size_t offset; /* of the member in what `into` points to */
  bool required;
};

/* "PATH, line N: "KEY" must be WANTED" */
SupResult sup_json_refuse(const SupJsonReading *r, const SupJsonField *field, const json_t *object,
                          const json_t *value, const char *wanted);

/* Reads the members of `object`, which a person calls `what`. */
SupResult sup_json_object(SupJsonReading *r, const json_t *object, const char *what,
                          const SupJsonField *fields, size_t count, void *into);

/* The items of a list, each zeroed and `size` bytes long, by `read`. */
SupResult sup_json_list(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                        const json_t *value, size_t size,
                        SupResult (*read)(SupJsonReading *, const json_t *, void *),
                        void **out_items, uint32_t *out_count);

/* A list of places, [x, y, z] each. */
SupResult sup_json_vectors(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                           const json_t *value, const SupVec3d **out_places, uint32_t *out_count);

/* The number of the one of names[count] that the value is. */
SupResult sup_json_choice(const SupJsonReading *r, const SupJsonField *field, const json_t *object,
                          const json_t *value, const char *const *names, size_t count,
                          size_t *out_choice);

/* A copy of a text in the arena. */
SupResult sup_json_copy(SupJsonReading *r, const char *text, const char **out);

/* Three numbers. */
bool sup_json_three(const json_t *value, double out[3]);

/* Whether x is a whole number from 0 to SUP_JSON_ITEMS_MAX. */
bool sup_json_is_count(double x);

/* Of a field: `into` is a const char *, the same and not empty, a double, a bool, a SupVec3d,
 * three uint32_t. */
SupJsonReadFn sup_json_text, sup_json_name, sup_json_number, sup_json_bool, sup_json_vector,
    sup_json_counts;

#endif
