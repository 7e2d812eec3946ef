/* SPDX-License-Identifier: MIT */
/* The stored set-up of rigspace as sections of a block: packing, checking, looking at it. */
#include "supple/author/rigspace_pack.h"

#include "runtime/model_checks.h"
#include "supple/author/fingerprint.h"
#include "supple/author/model_pack.h"

#define VERSION 1u
#define NOTHING_STEPS 0.01f /* a header needs a step; a set-up has none of its own */

#define NUMBERS SUP_FOURCC('N', 'U', 'M', 'S')
#define NAME SUP_FOURCC('N', 'A', 'M', 'E')
#define RIG SUP_FOURCC('R', 'I', 'G', 'J')
#define NODES SUP_FOURCC('N', 'O', 'D', 'E')
#define TETS SUP_FOURCC('T', 'E', 'T', 'S')
#define FRACTIONS SUP_FOURCC('F', 'R', 'A', 'C')
#define SKIN SUP_FOURCC('S', 'K', 'I', 'N')
#define CORNERS SUP_FOURCC('C', 'O', 'R', 'N')
#define CORNER_WEIGHTS SUP_FOURCC('C', 'W', 'G', 'T')
#define INSIDE_OFFSETS SUP_FOURCC('I', 'O', 'F', 'F')
#define INSIDE_NODES SUP_FOURCC('I', 'N', 'O', 'D')
#define INSIDE_WEIGHTS SUP_FOURCC('I', 'W', 'G', 'T')
enum { PARTS = 13 };

_Static_assert(sizeof(SupRigspaceNumbers) == 21 * 8, "part of the file format");

/* ---- Packing -------------------------------------------------------------------------------- */

static uint64_t length_of(const char *text) {
  uint64_t n = 0;
  while (text[n]) n++;
  return n;
}

static uint64_t hash_text(const char *text, uint64_t seed) {
  return sup_hash(text, (size_t)length_of(text) + 1, seed);
}

uint64_t sup_rigspace_character_key(const SupCharacter *character) {
  const SupSkeleton *s = &character->skeleton;
  const SupSkin *skin = &character->skin;
  const size_t influences = skin->vertex_count ? skin->offsets[skin->vertex_count] : 0;
  uint64_t key = sup_hash(s->parents, s->joint_count * sizeof *s->parents, 0);
  key = sup_hash(s->rest, s->joint_count * sizeof *s->rest, key);
  key = sup_hash(s->bone_joints, s->bone_count * sizeof *s->bone_joints, key);
  key = sup_hash(s->inverse_bind, s->bone_count * sizeof *s->inverse_bind, key);
  for (uint32_t j = 0; j < s->joint_count; j++) key = hash_text(s->names[j], key);
  key = sup_hash(skin->offsets, ((size_t)skin->vertex_count + 1) * sizeof *skin->offsets, key);
  key = sup_hash(skin->bones, influences * sizeof *skin->bones, key);
  key = sup_hash(skin->weights, influences * sizeof *skin->weights, key);
  for (uint32_t m = 0; m < character->morph_count; m++) {
    key = hash_text(character->morphs[m].name, key);
    key =
        sup_hash(character->morphs[m].offsets, character->body.vertex_count * sizeof(SupVec3), key);
  }
  return key ? key : 1;
}

SupResult sup_rigspace_pack(SupArena *arena, const SupCharacter *character,
                            const SupRigspaceSetup *setup, SupModel **out_model, SupError *error) {
  const uint64_t surface = setup->numbers.surface_count;
  const uint64_t inside = setup->inside_count ? setup->offsets[setup->inside_count] : 0;
  const SupModelPart parts[PARTS] = {
      {SUP_SECTION_REST, sizeof(SupVec3), character->body.vertex_count, character->body.positions},
      {NUMBERS, sizeof setup->numbers, 1, &setup->numbers},
      {NAME, 1, length_of(setup->name) + 1, setup->name},
      {RIG, 1, setup->rig_bytes, setup->rig},
      {NODES, sizeof(SupVec3d), setup->volume.node_count, setup->volume.nodes},
      {TETS, sizeof(uint32_t), 4 * (uint64_t)setup->volume.tet_count, setup->volume.tets},
      {FRACTIONS, sizeof(double), setup->volume.tet_count, setup->fractions},
      {SKIN, sizeof(uint32_t), setup->skin_count, setup->skin},
      {CORNERS, sizeof(uint32_t), 3 * surface, setup->corners},
      {CORNER_WEIGHTS, sizeof(double), 3 * surface, setup->weights},
      {INSIDE_OFFSETS, sizeof(uint32_t), setup->inside_count + (uint64_t)(setup->inside_count > 0),
       setup->offsets},
      {INSIDE_NODES, sizeof(uint32_t), inside, setup->nodes},
      {INSIDE_WEIGHTS, sizeof(double), inside, setup->inside}};
  const SupModelDef def = {.kind = SUP_RIGSPACE_KIND,
                           .version = VERSION,
                           .h = NOTHING_STEPS,
                           .mesh = sup_fingerprint(&character->body),
                           .part_count = PARTS,
                           .parts = parts,
                           .techniques = sup_rigspace_techniques};
  SupResult result = sup_model_pack(arena, &def, out_model, error);
  if (result != SUP_OK) return result;
  return sup_model_check(*out_model, (size_t)(*out_model)->bytes, sup_rigspace_techniques, error);
}

/* ---- Sections ------------------------------------------------------------------------------- */

typedef struct Counts {
  uint64_t rest, numbers, name, rig, nodes, tets, fractions, skin, corners, corner_weights;
  uint64_t inside_offsets, inside_nodes, inside_weights;
} Counts;

static bool find_sections(const SupModel *model, SupRigspaceSetup *out, Counts *n) {
  bool all = true;
#define FIND(type, id, count) \
  ((const type *)sup_need_section(model, id, sizeof(type), &n->count, &all))
  (void)FIND(SupVec3, SUP_SECTION_REST, rest);
  const SupRigspaceNumbers *numbers = FIND(SupRigspaceNumbers, NUMBERS, numbers);
  out->name = FIND(char, NAME, name);
  out->rig = FIND(char, RIG, rig);
  out->volume.nodes = FIND(SupVec3d, NODES, nodes);
  out->volume.tets = FIND(uint32_t, TETS, tets);
  out->fractions = FIND(double, FRACTIONS, fractions);
  out->skin = FIND(uint32_t, SKIN, skin);
  out->corners = FIND(uint32_t, CORNERS, corners);
  out->weights = FIND(double, CORNER_WEIGHTS, corner_weights);
  out->offsets = FIND(uint32_t, INSIDE_OFFSETS, inside_offsets);
  out->nodes = FIND(uint32_t, INSIDE_NODES, inside_nodes);
  out->inside = FIND(double, INSIDE_WEIGHTS, inside_weights);
#undef FIND
  if (!all || n->numbers != 1) return false;
  out->numbers = *numbers;
  out->rig_bytes = n->rig;
  out->volume.node_count = (uint32_t)n->nodes;
  out->volume.tet_count = (uint32_t)(n->tets / 4);
  out->skin_count = (uint32_t)n->skin;
  out->inside_count = n->inside_offsets ? (uint32_t)(n->inside_offsets - 1) : 0;
  return true;
}

SupRigspaceSetup sup_rigspace_setup(const SupModel *model) {
  SupRigspaceSetup setup = {.name = ""};
  Counts n;
  find_sections(model, &setup, &n);
  return setup;
}

/* ---- The check ------------------------------------------------------------------------------ */

static SupResult bad(SupError *error, const char *what) {
  return sup_fail(error, SUP_ERROR_FORMAT, "the set-up is damaged (%s): build it again", what);
}

/* Within +-1e30, which nothing that is no number is. */
static bool moderate(double x) { return x >= -1e30 && x <= 1e30; }

static bool counts_fit(const SupModel *model, const SupRigspaceSetup *s, const Counts *n) {
  const uint64_t surface = s->numbers.surface_count;
  return n->rest == model->mesh.vertex_count && n->nodes < UINT32_MAX / 16 &&
         n->tets < UINT32_MAX / 16 && n->tets >= 4 && n->tets % 4 == 0 && surface >= 1 &&
         surface <= n->nodes && n->fractions == n->tets / 4 && n->skin >= 1 && n->skin <= n->rest &&
         n->corners == 3 * surface && n->corner_weights == 3 * surface &&
         (n->inside_offsets == 0 || n->inside_offsets == n->nodes - surface + 1) &&
         n->inside_nodes == n->inside_weights && n->inside_nodes < UINT32_MAX &&
         (n->inside_offsets > 0 || n->inside_nodes == 0);
}

static bool numbers_fit(const SupRigspaceNumbers *n) {
  const double positive[] = {n->scale, n->unit, n->young, n->density};
  const double others[] = {n->poisson, n->damping, n->drag,      n->stiffening,
                           n->size,    n->natural, n->frequency, n->flesh_young,
                           n->ratio,   n->felt,    n->swing};
  for (size_t k = 0; k < sizeof positive / sizeof *positive; k++) {
    if (!(positive[k] > 0) || !moderate(positive[k])) return false;
  }
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    if (!moderate(others[k])) return false;
  }
  return n->material_kind <= 2 && n->clip_count <= UINT32_MAX && n->example_count <= UINT32_MAX;
}

static bool texts_fit(const SupRigspaceSetup *s, const Counts *n) {
  for (uint64_t k = 0; k < n->name; k++) {
    if ((s->name[k] == 0) != (k == n->name - 1)) return false;
  }
  return n->name > 0 && (s->rig_bytes > 0) == (s->numbers.process == 0);
}

static bool rest_fits(const SupModel *model) {
  uint64_t count;
  const SupVec3 *rest = sup_model_section(model, SUP_SECTION_REST, sizeof *rest, &count);
  return sup_all_moderate(&rest->x, 3 * count);
}

static bool volume_fits(const SupTetMesh *mesh, const double *fractions) {
  if (!sup_all_below(mesh->tets, 4 * (uint64_t)mesh->tet_count, mesh->node_count)) return false;
  for (uint32_t k = 0; k < mesh->node_count; k++) {
    const SupVec3d x = mesh->nodes[k];
    if (!moderate(x.x) || !moderate(x.y) || !moderate(x.z)) return false;
  }
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    const uint32_t *c = &mesh->tets[4 * (size_t)t];
    const SupVec3d x = mesh->nodes[c[0]], a = sup_vec3d_sub(mesh->nodes[c[1]], x),
                   b = sup_vec3d_sub(mesh->nodes[c[2]], x), d = sup_vec3d_sub(mesh->nodes[c[3]], x);
    if (!(sup_vec3d_dot(a, sup_vec3d_cross(b, d)) > 0)) return false;
    if (!(fractions[t] > 0 && fractions[t] <= 1)) return false;
  }
  return true;
}

/* Weights from `least` on whose sum is 1 but for rounding. */
static bool shares_fit(const double *weights, uint64_t count, double least) {
  double sum = 0;
  for (uint64_t k = 0; k < count; k++) {
    if (!(weights[k] >= least && weights[k] <= 4)) return false;
    sum += weights[k];
  }
  return sum >= 1 - 1e-6 && sum <= 1 + 1e-6;
}

static bool binding_fits(const SupModel *model, const SupRigspaceSetup *s) {
  const uint64_t surface = s->numbers.surface_count;
  for (uint32_t k = 0; k < s->skin_count; k++) {
    if (s->skin[k] >= model->mesh.vertex_count || (k && s->skin[k] <= s->skin[k - 1])) return false;
  }
  if (!sup_all_below(s->corners, 3 * surface, s->skin_count)) return false;
  for (uint64_t i = 0; i < surface; i++) {
    if (!shares_fit(&s->weights[3 * i], 3, 0)) return false;
  }
  return true;
}

static bool inside_fits(const SupRigspaceSetup *s, const Counts *n) {
  if (s->inside_count == 0) return n->inside_nodes == 0;
  if (s->offsets[0] != 0 || s->offsets[s->inside_count] != n->inside_nodes) return false;
  for (uint32_t k = 0; k < s->inside_count; k++) {
    const uint32_t first = s->offsets[k], end = s->offsets[k + 1];
    if (end < first || end > n->inside_nodes || !shares_fit(&s->inside[first], end - first, -4)) {
      return false;
    }
  }
  return sup_all_below(s->nodes, n->inside_nodes, (uint32_t)s->numbers.surface_count);
}

static SupResult check(const SupModel *model, SupError *error) {
  SupRigspaceSetup s = {.name = ""};
  Counts n;
  if (!find_sections(model, &s, &n)) return bad(error, "a section is missing");
  if (!counts_fit(model, &s, &n)) return bad(error, "sections have the wrong sizes");
  if (!numbers_fit(&s.numbers)) return bad(error, "numbers out of range");
  if (!texts_fit(&s, &n)) return bad(error, "names or the rig");
  if (!rest_fits(model)) return bad(error, "rest positions");
  if (!volume_fits(&s.volume, s.fractions)) return bad(error, "the volume");
  if (!binding_fits(model, &s)) return bad(error, "what the skin drives");
  if (!inside_fits(&s, &n)) return bad(error, "the weights inside");
  return SUP_OK;
}

/* ---- The entry ------------------------------------------------------------------------------ */

static void describe(const SupModel *model, const SupFacts *facts) {
  const SupRigspaceSetup s = sup_rigspace_setup(model);
  const uint32_t surface = (uint32_t)s.numbers.surface_count;
  const double mean =
      s.inside_count ? (double)s.offsets[s.inside_count] / (double)s.inside_count : 0;
  char text[256];
  facts->line(facts->user, "rig", s.name);
  sup_format(text, sizeof text, "%u tetrahedra, %u nodes on the skin, %u inside",
             s.volume.tet_count, surface, s.volume.node_count - surface);
  facts->line(facts->user, "volume", text);
  if (s.inside_count) {
    sup_format(text, sizeof text, "%.3g weights per node inside, fitted to %u examples", mean,
               (unsigned)s.numbers.example_count);
    facts->line(facts->user, "weights", text);
  }
  facts->text(facts->user, "rig", s.name);
  facts->flag(facts->user, "rig_process", s.numbers.process != 0);
  facts->number(facts->user, "tetrahedra", s.volume.tet_count);
  facts->number(facts->user, "surface_nodes", surface);
  facts->number(facts->user, "inside_nodes", s.volume.node_count - surface);
  facts->number(facts->user, "weights_mean", mean);
  facts->number(facts->user, "young", s.numbers.flesh_young);
  facts->number(facts->user, "frequency", s.numbers.frequency);
}

const SupTechnique sup_rigspace_technique = {.kind = SUP_RIGSPACE_KIND,
                                             .name = "rigspace",
                                             .version = VERSION,
                                             .stage = SUP_STAGE_COUNT,
                                             .check = check,
                                             .describe = describe};
const SupTechnique *const sup_rigspace_techniques[2] = {&sup_rigspace_technique, NULL};
