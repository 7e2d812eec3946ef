/* SPDX-License-Identifier: MIT */
/*
 * Raw states of all frames of a clip, in a file: 8 bytes "SUPRIGST", then little-endian numbers:
 * version (32 bits), frames, numbers per frame, 0, the key (64 bits) and a hash of the states; the
 * states, double precision. They belong to the run that wrote them and are no format to exchange.
 */
#include <string.h>

#include "app/curves_parts.h"
#include "supple/io/file.h"

#define VERSION 1u

typedef struct Head {
  char magic[8];
  uint32_t version, frame_count, number_count, unused;
  uint64_t key, hash;
} Head;

static Head head_of(const CurvesStates *states) {
  const size_t bytes = (size_t)states->frame_count * states->number_count * sizeof(double);
  return (Head){.magic = {'S', 'U', 'P', 'R', 'I', 'G', 'S', 'T'},
                .version = VERSION,
                .frame_count = states->frame_count,
                .number_count = states->number_count,
                .key = states->key,
                .hash = sup_hash(states->numbers, bytes, 0)};
}

SupResult sup_curves_write_states(const SupAppContext *app, const char *path,
                                  const CurvesStates *states, SupError *error) {
  const Head head = head_of(states);
  SupFileWriter *writer;
  SupResult result = sup_file_begin(app->allocator, path, &writer, error);
  if (result != SUP_OK) return result;
  sup_file_write(writer, &head, sizeof head);
  sup_file_write(writer, states->numbers,
                 (size_t)states->frame_count * states->number_count * sizeof(double));
  return sup_file_commit(writer, error);
}

SupResult sup_curves_read_states(const SupAppContext *app, const char *path,
                                 const CurvesStates *expected, CurvesStates *out_states,
                                 SupError *error) {
  const uint8_t *data;
  size_t bytes;
  Head head;
  SupResult result = sup_file_read(app->arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  if (bytes < sizeof head || memcmp(data, "SUPRIGST", 8) != 0) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "%s holds no states of an earlier run; write them with --states first", path);
  }
  memcpy(&head, data, sizeof head);
  const size_t count = (size_t)expected->frame_count * expected->number_count;
  if (head.version != VERSION || head.key != expected->key ||
      head.frame_count != expected->frame_count || head.number_count != expected->number_count) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "%s holds the states of another clip, rig, rate or volume; run once from the "
                    "start with these options",
                    path);
  }
  if (bytes != sizeof head + count * sizeof(double) ||
      sup_hash(data + sizeof head, bytes - sizeof head, 0) != head.hash) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s is damaged; run once from the start", path);
  }
  *out_states = *expected;
  out_states->numbers = SUP_ALLOC(app->arena, double, count);
  if (!out_states->numbers) return sup_fail_memory(error, "the states of all frames");
  memcpy(out_states->numbers, data + sizeof head, count * sizeof(double));
  return SUP_OK;
}
