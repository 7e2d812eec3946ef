/* SPDX-License-Identifier: MIT */
/* A rig process for tests: the rig of a file and its description, with switches for everything that
 * such a process can do wrong. rig_server CHARACTER.glb RIG.json [single] [FAULT [MARK]]
 *
 * FAULT: nan, count, version, garbage, banner, late, die, exit, sentence, other, range. With MARK,
 * a file that is made then, it is at fault once only. Faults are of the tenth evaluation, but for
 * banner, garbage, version and range, which are of the first answer. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supple/app/character_file.h"
#include "supple/io/file.h"
#include "supple/io/rig_file.h"
#include "supple/rig/character_rig.h"
#include "supple/rig/rig.h"

typedef struct Head {
  char magic[8];
  uint32_t version, kind, count, unused;
  uint64_t bytes;
} Head;

typedef struct Server {
  SupArena arena;
  SupCharacterFile file;
  const SupCharacterRig *made;
  const SupRig *rig;
  bool single;
  const char *fault, *mark;
  uint32_t asked;
} Server;

static void put(const void *data, size_t bytes) {
  if (fwrite(data, 1, bytes, stdout) != bytes) exit(3);
}

static void put_head(uint32_t kind, uint32_t count, uint64_t bytes, uint32_t version) {
  const Head head = {{'\x8f', 'S', 'U', 'P', 'R', 'I', 'G', '\n'}, version, kind, count, 0, bytes};
  put(&head, sizeof head);
}

static void put_vertices(const Server *s, const SupVec3d *x, size_t count) {
  for (size_t v = 0; v < count; v++) {
    const float y[3] = {(float)x[v].x, (float)x[v].y, (float)x[v].z};
    put(s->single ? (const void *)y : &x[v], s->single ? sizeof y : sizeof x[v]);
  }
}

/* Whether to be at fault now. */
static bool faulty(Server *s, const char *fault) {
  if (!s->fault || strcmp(s->fault, fault) != 0) return false;
  if (!s->mark) return true;
  FILE *mark = fopen(s->mark, "rb");
  if (mark) {
    fclose(mark);
    return false;
  }
  mark = fopen(s->mark, "wb");
  if (mark) fclose(mark);
  return true;
}

static void say_hello(Server *s) {
  const SupRig *rig = s->rig;
  const uint32_t head[] = {rig->parameter_count, rig->vertex_count, s->single ? 0 : 1, 4};
  uint64_t bytes = sizeof head + 4 + (uint64_t)rig->vertex_count * (s->single ? 12 : 24);
  double *rest = SUP_ALLOC(&s->arena, double, rig->parameter_count);
  SupVec3d *x = SUP_ALLOC(&s->arena, SupVec3d, rig->vertex_count);
  sup_rig_rest(rig, rest);
  if (sup_rig_evaluate(rig, 1, rest, x, NULL) != SUP_OK) exit(4);
  for (uint32_t k = 0; k < rig->parameter_count; k++) {
    bytes += 44 + strlen(rig->parameters[k].name) + strlen(rig->parameters[k].zone);
  }
  if (faulty(s, "banner")) put("A program, version 3\nloading\n", 29);
  for (int k = 0; k < 9000 && faulty(s, "garbage"); k++) put("hello world\n", 12);
  put_head(1, 0, bytes, faulty(s, "version") ? 7 : 1);
  put(head, sizeof head);
  put("test", 4);
  for (uint32_t k = 0; k < rig->parameter_count; k++) {
    const SupRigParameter *p = &rig->parameters[k];
    const double off = k == 0 && faulty(s, "range") ? 1e6 : 0;
    const double numbers[] = {p->rest + off, p->low, p->high, p->scale};
    const uint32_t role = (uint32_t)p->role, name = (uint32_t)strlen(p->name);
    const uint32_t zone = (uint32_t)strlen(p->zone);
    put(numbers, sizeof numbers);
    put(&role, 4);
    put(&name, 4);
    put(p->name, name);
    put(&zone, 4);
    put(p->zone, zone);
  }
  put_vertices(s, x, rig->vertex_count);
}

/* What happens before an answer, and to it. */
static void do_wrong(Server *s, SupVec3d *x) {
  if (s->asked++ < 10) return;
  if (faulty(s, "die")) abort();
  if (faulty(s, "exit")) exit(5);
  if (faulty(s, "late")) sleep(60);
  if (faulty(s, "nan")) x[7].y = NAN;
}

static void evaluate(Server *s, uint32_t count, const double *parameters) {
  const size_t vertices = (size_t)count * s->rig->vertex_count;
  SupVec3d *x = calloc(vertices, sizeof *x);
  if (!x || sup_rig_evaluate(s->rig, count, parameters, x, NULL) != SUP_OK) exit(4);
  do_wrong(s, x);
  const bool less = s->asked > 10 && faulty(s, "count");
  if (s->asked > 10 && faulty(s, "sentence")) {
    put_head(0, 0, 17, 1);
    put("the lattice broke", 17);
  } else {
    put_head(s->asked > 10 && faulty(s, "other") ? 3 : 2, less ? count - 1 : count,
             vertices * (s->single ? 12 : 24), 1);
    put_vertices(s, x, vertices);
  }
  free(x);
}

static void script(Server *s, uint32_t count, const double *data) {
  const uint32_t n = s->rig->parameter_count;
  const SupCharacter *character = s->file.character;
  const SupClip *clip;
  uint64_t length;
  memcpy(&length, &data[count], sizeof length);
  char *name = calloc(1, length + 1);
  double *p = calloc(n, sizeof *p), *morphs = calloc(character->morph_count + 1u, sizeof *morphs);
  SupPosed pose = {character->skeleton.joint_count, sup_transformd_identity(),
                   calloc(character->skeleton.joint_count, sizeof(SupTransformd))};
  if (!name || !p || !morphs || !pose.joints) exit(4);
  memcpy(name, &data[count + 1], length);
  if (sup_file_clip(&s->file, name, &clip, NULL) != SUP_OK) exit(6);
  put_head(3, count, (uint64_t)count * n * 8, 1);
  sup_rig_rest(s->rig, p);
  for (uint32_t i = 0; i < count; i++) {
    sup_pose_rest_f64(&character->skeleton, &pose);
    sup_clip_sample_f64(clip, data[i], false, NULL, &pose, morphs);
    sup_character_rig_script(s->made, &pose, morphs, p);
    sup_character_rig_keyed(s->made, &pose, morphs, p);
    put(p, n * sizeof *p);
  }
  free(name);
  free(p);
  free(morphs);
  free(pose.joints);
}

static void serve(Server *s) {
  Head head;
  while (fread(&head, sizeof head, 1, stdin) == 1 && head.kind != 4) {
    double *data = malloc((size_t)head.bytes + 8);
    if (!data || (head.bytes && fread(data, (size_t)head.bytes, 1, stdin) != 1)) exit(3);
    if (head.kind == 1) say_hello(s);
    if (head.kind == 2) evaluate(s, head.count, data);
    if (head.kind == 3) script(s, head.count, data);
    fflush(stdout);
    free(data);
  }
}

int main(int count, char **words) {
  Server s = {.asked = 0};
  SupRigDef def;
  SupError error;
  if (count < 3) return 2;
  sup_arena_init(&s.arena, sup_heap_allocator(), 0);
  const SupAppContext app = sup_app_context(sup_heap_allocator(), &s.arena);
  const SupOpenDef open = sup_open_def();
  int next = 3;
  if (count > next && strcmp(words[next], "single") == 0) s.single = next++ > 0;
  if (count > next) s.fault = words[next++];
  if (count > next) s.mark = words[next];
  SupResult result = sup_character_open(&app, words[1], &open, &s.file, &error);
  if (result == SUP_OK) result = sup_rig_file_read(&s.arena, words[2], &def, &error);
  const SupCharacterRigDef all = {.character = s.file.character, .rig = &def};
  if (result == SUP_OK) result = sup_character_rig_create(&s.arena, &all, &s.made, &error);
  if (result != SUP_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 2;
  }
  s.rig = sup_character_rig(s.made);
  serve(&s);
  sup_character_close(&s.file);
  sup_arena_free(&s.arena);
  return 0;
}
