/* SPDX-License-Identifier: MIT */
/* Reads a character, plays its first clip for two seconds and skins every frame, without flesh:
 * play_clip FILE.glb. With live models: live.c. */
#include <stdio.h>
#include <supple/author/skin_pack.h>
#include <supple/clip.h>
#include <supple/io/file.h>
#include <supple/io/gltf.h>

static int play(const char *path) {
  SupError error;
  SupArena arena;
  SupGltf *document = NULL;
  SupGltfCharacter *found;
  SupSkinView skin;
  uint32_t count;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  if (sup_gltf_open(path, NULL, &document, &error) ||
      sup_gltf_characters(document, &arena, &count, &found, &error) ||
      sup_skin_pack_character(&arena, &found->character, SUP_ORDER_RENDER, &skin, &error)) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  const SupCharacter *hero = &found->character;
  SupPose pose = {.joint_count = hero->skeleton.joint_count};
  pose.joints = SUP_ALLOC(&arena, SupTransform, pose.joint_count);
  SupAffine *globals = SUP_ALLOC(&arena, SupAffine, pose.joint_count);
  SupAffine *palette = SUP_ALLOC(&arena, SupAffine, hero->skeleton.bone_count);
  float *positions = SUP_ALLOC(&arena, float, 3 * hero->render.vertex_count);
  const SupSkinCall call = {.skin = &skin, .palette = palette, .positions = {positions, 3}};
  const SupBackend *backend = sup_backend_cpu();

  for (int i = 0; i < 120; i++) { /* what an engine does in a frame; nothing here allocates */
    sup_pose_rest(&hero->skeleton, &pose);
    if (hero->clip_count) sup_clip_sample(hero->clips, (float)i / 60, true, NULL, &pose, NULL);
    sup_pose_evaluate(&hero->skeleton, &pose, globals, palette);
    sup_skin_lbs(backend, NULL, &call);
  }
  printf("%s: %u vertices, the first ends at %.4f %.4f %.4f\n", hero->name,
         hero->render.vertex_count, (double)positions[0], (double)positions[1],
         (double)positions[2]);
  sup_gltf_close(document);
  sup_arena_free(&arena);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2) return play(argv[1]);
  fprintf(stderr, "usage: play_clip FILE.glb\n");
  return 2;
}
