/* SPDX-License-Identifier: MIT */
/* Chunks as damaged blocks: refused, or played without harm. */
#include "fleshed.h"
#include "supple/author/model_pack.h"

typedef struct Harm {
  const void *at;
  uint32_t value;
} Harm;

#define INFINITE 0x7f800000u
#define NOT_A_NUMBER 0x7fc00000u
#define HUGE_NUMBER 0x7149f2cau /* 1e30 */
#define ONE_AND_A_HALF 0x3fc00000u
#define HIGH(number) ((const char *)&(number) + 4) /* of a double */
#define WIDE_INFINITE 0x7ff00000u

static void assert_refused(Fleshed *f, SupModel *copy, const void *at, uint32_t value) {
  SupError error = {{0}};
  memcpy(copy, f->model, (size_t)f->model->bytes);
  memcpy((char *)copy + ((const char *)at - (const char *)f->model), &value, 4);
  sup_model_seal(copy);
  const SupResult result = sup_model_check(copy, (size_t)copy->bytes, NULL, &error);
  if (result == SUP_OK) {
    fail_msg("byte %zu may be %x", (size_t)((const char *)at - (const char *)f->model), value);
  }
  assert_true(error.text[0] != 0);
}

static void refuse_all(Fleshed *f, size_t count, const Harm *harms) {
  SupModel *copy = (SupModel *)sup_arena_alloc(&f->arena, 1, (size_t)f->model->bytes);
  for (size_t k = 0; k < count; k++) {
    assert_refused(f, copy, harms[k].at, harms[k].value);
  }
}

/* The first piece of a limb that ends so there. */
static const SupChunksPiece *limb_with(const SupChunksView *v, uint32_t end, SupChunksEnd kind) {
  const SupChunksPiece *piece = v->pieces;
  while (piece->limb == SUP_CHUNKS_NONE || piece->ends[end] != (uint32_t)kind) piece++;
  return piece;
}

static const SupChunksBulge *bulge_by(const SupChunksView *v, SupChunksDriver driver) {
  const SupChunksBulge *bulge = v->bulges;
  while (bulge->driver != (uint32_t)driver) bulge++;
  return bulge;
}

static void damaged_drives_are_refused(void **unused) {
  Fleshed *f = fleshed_create();
  const SupChunksView *v = &f->view;
  const SupChunksBulge *angle = bulge_by(v, SUP_CHUNKS_BY_ANGLE);
  const SupChunksBulge *area = bulge_by(v, SUP_CHUNKS_BY_AREA);
  const SupChunksBulge *hand = bulge_by(v, SUP_CHUNKS_BY_HAND);
  const Harm harms[] = {
      {HIGH(v->limbs[1].rest.m[3]), 0x40000000u},
      {HIGH(v->limbs[1].rest.m[10]), WIDE_INFINITE},
      {HIGH(v->limbs[1].length), 0xbff00000u},
      {&v->limbs[1].bone, v->skin.bone_count},
      {&v->limbs[1].reserved, 1},
      {&v->limb_joints[0].first, v->limb_count},
      {&v->limb_joints[0].second, v->limb_count},
      {&v->points[3].y, HUGE_NUMBER},
      {v->influence_first, 1},
      {v->influence_first + 2, 2 * v->point_count + 2},
      {v->influence_first + v->point_count, 1000000},
      {&v->influences[4].bone, v->skin.bone_count},
      {&v->influences[4].weight, NOT_A_NUMBER},
      {v->face_first + 1, 2},
      {v->face_first + 1, 5},
      {v->face_first + v->face_count, 1000000},
      {v->corners + 5, v->vertex_count},
      {v->corner_edges + 5, v->edge_count},
      {&v->edges[2].from, v->edges[2].to},
      {&v->edges[2].to, v->vertex_count},
      {&v->edges[2].faces[0], v->face_count},
      {v->vertex_first + 3, UINT32_MAX},
      {v->vertex_first + v->vertex_count, 3},
      {v->vertex_edges + 3, v->edge_count},
      {&v->angles[1].joint, v->joint_count},
      {&v->angles[0].rest.w, INFINITE},
      {&v->angles[0].low, 0x3f000000u},
      {&angle->driver, 3},
      {&angle->angle, v->angle_count},
      {&angle->sample_count, 1},
      {&angle->sample_count, SUP_CHUNKS_SAMPLES + 1},
      {&angle[0].first_sample, 1000000},
      {&area->face, v->face_count},
      {&area->sample_count, 2},
      {HIGH(area->rest_area), 0xbff00000u},
      {HIGH(area->rest_area), WIDE_INFINITE},
      {&area->height, INFINITE},
      {&area->no_dents, 2},
      {&hand->most, 0},
      {&hand->most, NOT_A_NUMBER},
      {&hand->sample_count, 2},
      {v->bulge_names + SUP_CHUNKS_NAME - 4, 0x61616161u},
      {v->curves + 3, HUGE_NUMBER},
  };
  (void)unused;
  refuse_all(f, sizeof harms / sizeof *harms, harms);
  fleshed_free(f);
}

static void damaged_chunks_are_refused(void **unused) {
  Fleshed *f = fleshed_create();
  const SupChunksView *v = &f->view;
  const SupChunksPiece *piece = &v->pieces[1], *rim = limb_with(v, 0, SUP_CHUNKS_END_RIM);
  const SupChunksPiece *joined = limb_with(v, 1, SUP_CHUNKS_END_JOINT);
  const SupChunksPlace *place = v->places + rim->first_place;
  const SupChunksHold *hold = v->holds + piece->first_hold + 1;
  const Harm harms[] = {
      {HIGH(piece->rest.m[0]), 0x40200000u},
      {HIGH(piece->rest.m[11]), WIDE_INFINITE},
      {&piece->limb, 0},
      {&rim->limb, v->limb_count},
      {&rim->limb, SUP_CHUNKS_NONE},
      {&piece->face, v->face_count},
      {&rim->face, 0},
      {&piece->slice_count, 1},
      {&piece->slice_count, SUP_CHUNKS_SLICES + 1},
      {&rim->slice_count, 4},
      {&piece->ends[0], SUP_CHUNKS_END_JOINT},
      {&rim->ends[0], 3},
      {&rim->ends[0], SUP_CHUNKS_END_OWN},
      {&rim->place_counts[0], 0},
      {&rim->place_counts[0], UINT32_MAX},
      {&joined->joints[1], v->limb_joint_count},
      {&joined->joints[1], SUP_CHUNKS_NONE},
      {&joined->joints[0], 0},
      {&piece->free_count, 0},
      {&piece->free_count, UINT32_MAX},
      {&piece->held_count, piece->held_count + 1},
      {&piece->hold_count, piece->hold_count - 1},
      {&piece->bulge_count, 0},
      {&piece->column_count, piece->column_count + 1},
      {&piece->first_node, 0},
      {&piece->first_block, 0},
      {&piece->first_number, 0},
      {&piece->first_frame, 0},
      {&piece->first_hold, 0},
      {&rim->first_place, UINT32_MAX},
      {&piece->first_bulge, 0},
      {&piece->reserved, 1},
      {&piece->first_weight, 0},
      {&piece->first_matrix, 0},
      {HIGH(piece->first_matrix), 1},
      {v->names + SUP_CHUNKS_NAME - 4, 0x61616161u},
      {&v->nodes[3].x, NOT_A_NUMBER},
      {v->node_slices + 3, 1},
      {v->node_slices + rim->first_node, rim->slice_count},
      {v->node_weights + 3, HUGE_NUMBER},
      {v->matrices + 30, HUGE_NUMBER},
      {&hold->node, 0},
      {&hold->node, piece->free_count + piece->held_count},
      {&hold->column, piece->column_count - 2},
      {&hold->column, UINT32_MAX},
      {&hold->size, 4},
      {&hold->weight, INFINITE},
      {&hold->at.x, HUGE_NUMBER},
      {&place->piece, (uint32_t)(rim - v->pieces)},
      {&place->piece, v->piece_count},
      {&place->node, 1000},
      {&place->at.z, INFINITE},
  };
  (void)unused;
  refuse_all(f, sizeof harms / sizeof *harms, harms);
  fleshed_free(f);
}

static void damaged_skins_are_refused(void **unused) {
  Fleshed *f = fleshed_create();
  const SupChunksView *v = &f->view;
  const SupChunksSkin *patch = &v->patches[1];
  const Harm harms[] = {
      {&v->seams[7].a, v->skin.vertex_count},
      {&v->seams[7].ratio, ONE_AND_A_HALF},
      {&v->seams[7].open, 2},
      {&patch->piece, v->piece_count},
      {&patch->border_count, 2},
      {&patch->border_count, UINT32_MAX},
      {&patch->interior_count, UINT32_MAX},
      {&patch->interior_count, patch->interior_count + 16},
      {&patch->first_border, 0},
      {&patch->first_block, 0},
      {&patch->first_spread, 0},
      {HIGH(patch->first_spread), 1},
      {&patch->reserved, 1},
      {v->borders + 3, v->seam_count},
      {v->vertex_nodes + 5, 1000},
      {v->vertex_weights + 5, NOT_A_NUMBER},
      {v->residuals + 5, HUGE_NUMBER},
      {v->spread + 5, HUGE_NUMBER},
      {v->sources + 40, 16 * v->block_count},
      {v->row_lanes + 3, v->skin.vertex_count},
      {v->lanes + 2, v->lanes[3]},
      {v->ring_first + 1, 0xffffu},
      {v->rings + 33, 16 * v->skin.block_count},
      {v->skin.order, v->skin.vertex_count},
  };
  SupModel *copy = (SupModel *)sup_arena_alloc(&f->arena, 1, (size_t)f->model->bytes);
  uint64_t count;
  const uint32_t *counts =
      (const uint32_t *)sup_model_section(f->model, SUP_SECTION_CHUNKS_COUNTS, 4, &count);
  (void)unused;
  refuse_all(f, sizeof harms / sizeof *harms, harms);
  assert_int_equal(count, 19);
  for (uint64_t k = 0; k < count; k++) {
    if (k == 1) continue; /* joints of the skeleton: more of them harm nobody */
    assert_refused(f, copy, counts + k, UINT32_MAX);
    if (k != 2) assert_refused(f, copy, counts + k, counts[k] + 1); /* another root is a root */
  }
  fleshed_free(f);
}

/* No section may be missing. */
static void sections_are_needed(void **unused) {
  Fleshed *f = fleshed_create();
  const SupModelSection *sections = (const SupModelSection *)(const void *)(f->model + 1);
  SupModel *copy = (SupModel *)sup_arena_alloc(&f->arena, 1, (size_t)f->model->bytes);
  uint32_t tried = 0;
  (void)unused;
  for (uint32_t k = 0; k < f->model->section_count; k++) {
    if (sections[k].id == SUP_SECTION_REST) continue;
    assert_refused(f, copy, &sections[k].id, SUP_FOURCC('N', 'O', 'N', 'E'));
    tried++;
  }
  assert_int_equal(tried, SUP_CHUNKS_SECTION_COUNT + SUP_SKIN_SECTION_COUNT);
  fleshed_free(f);
}

/* Any four bytes may be anything: refused, or played without harm (addresses are watched by the
 * sanitizers' builds). */
static void any_damage_is_survived(void **unused) {
  Fleshed *f = fleshed_create();
  SupModel *copy = (SupModel *)sup_arena_alloc(&f->arena, 1, (size_t)f->model->bytes);
  SupTransform joints[PATCHWORK_JOINTS];
  const SupPose pose = fleshed_pose(f, fleshed_root(1), 0.8f, 0.3f, joints);
  SupVec3 *shown = fleshed_room(f);
  SupRng rng = sup_rng(77, 3);
  uint32_t played = 0, refused = 0;
  (void)unused;
  for (int round = 0; round < 3000; round++) {
    static const uint32_t values[6] = {0, 1, UINT32_MAX, INFINITE, NOT_A_NUMBER, 0x80000000u};
    const size_t words = (size_t)f->model->bytes / 4;
    /* Half of them among the structures, not in the large arrays. */
    const char *base = round % 2 ? (const char *)f->view.pieces : (const char *)f->model;
    const size_t most = round % 2 ? f->view.piece_count * sizeof(SupChunksPiece) / 4 : words;
    const size_t at =
        (size_t)(base - (const char *)f->model) + 4 * (size_t)(sup_rng_double(&rng) * (double)most);
    const uint32_t value =
        round % 3 ? values[round / 2 % 6] : (uint32_t)(sup_rng_double(&rng) * 4e9);
    memcpy(copy, f->model, (size_t)f->model->bytes);
    memcpy((char *)copy + at, &value, 4);
    sup_model_seal(copy);
    if (sup_model_check(copy, (size_t)f->model->bytes, NULL, NULL) != SUP_OK) {
      refused++;
      continue;
    }
    Fleshed other = *f;
    other.model = copy;
    other.view = sup_chunks_view(copy);
    if (other.view.skin.vertex_count != f->count) continue;
    void *block = malloc(sup_chunks_bytes(&other.view));
    assert_non_null(block);
    other.state = sup_chunks_init(&other.view, block);
    fleshed_shape(&other, &pose, NULL, shown);
    f->arena = other.arena;
    free(block);
    played++;
  }
  print_message("%u refused, %u played\n", refused, played);
  assert_true(refused > 1000 && played > 100);
  fleshed_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damaged_drives_are_refused), cmocka_unit_test(damaged_chunks_are_refused),
      cmocka_unit_test(damaged_skins_are_refused),  cmocka_unit_test(sections_are_needed),
      cmocka_unit_test(any_damage_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
