/* SPDX-License-Identifier: MIT */
/* Plays the first clip of a character with live models, as an engine does: live FILE.glb
 * The README shows this program whole, but for these lines; a test compares them and builds it. */
#include <stdio.h>
#include <supple/clip.h>
#include <supple/io/file.h>
#include <supple/io/gltf.h>
#include <supple/stack.h>

static int fail(const char *sentence) {
  fprintf(stderr, "live: %s\n", sentence);
  return 1;
}

int main(int argc, char **argv) {
  SupError error;
  SupArena arena;
  SupGltf *file;
  SupGltfCharacter *found;
  SupGltfModel *stored;
  uint32_t character_count, model_count;
  if (argc != 2) return fail("give one file: live cat_live.glb");

  /* Once per file: the character, the models in it, and the stack that plays them. */
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  if (sup_gltf_open(argv[1], NULL, &file, &error) ||
      sup_gltf_characters(file, &arena, &character_count, &found, &error) ||
      sup_gltf_models(file, found, &arena, &model_count, &stored, &error)) {
    return fail(error.text);
  }
  const SupCharacter *cat = &found->character;
  const SupModel *models[SUP_STACK_MODELS];
  if (model_count == 0 || model_count > SUP_STACK_MODELS || cat->clip_count == 0) {
    return fail("the file has no live models or no clips; make one with supple add --live");
  }
  for (uint32_t k = 0; k < model_count; k++) {
    models[k] = sup_arena_copy(&arena, stored[k].data, stored[k].bytes, 1);
    if (!models[k]) return fail("not enough memory");
    if (sup_model_check(models[k], stored[k].bytes, NULL, &error)) return fail(error.text);
  }
  SupStackDef def = sup_stack_def();
  SupStack stack;
  def.skeleton = &cat->skeleton;
  def.model_count = model_count;
  def.models = models;
  def.render = (SupStackRender){cat->render.vertex_count, cat->render.to_body, cat->render.normals,
                                cat->render.tangents};
  if (sup_stack_make(&def, &stack, &error)) return fail(error.text);

  /* Once per instance: one block of memory, a pose, and room for the vertices. */
  SupPose pose = {.joint_count = cat->skeleton.joint_count};
  void *block = sup_arena_alloc(&arena, 1, sup_stack_bytes(&stack));
  pose.joints = SUP_ALLOC(&arena, SupTransform, pose.joint_count);
  float *positions = SUP_ALLOC(&arena, float, 3 * (size_t)stack.vertex_count);
  if (!block || !pose.joints || !positions) return fail("not enough memory");
  SupStackState *state = sup_stack_init(&stack, block);

  /* Each frame: a pose in, vertices out. Nothing here allocates or fails. */
  for (int i = 0; i < 120; i++) {
    sup_pose_rest(&cat->skeleton, &pose);
    sup_clip_sample(&cat->clips[0], (float)i / 60, true, NULL, &pose, NULL);
    const SupStackFrame frame = {.dt = 1.0f / 60, .pose = &pose, .positions = {positions, 3}};
    sup_stack_step(&stack, state, sup_backend_cpu(), NULL, &frame);
  }
  printf("%s: %u vertices, the first is at %.3f %.3f %.3f after 120 frames\n", cat->name,
         stack.vertex_count, (double)positions[0], (double)positions[1], (double)positions[2]);
  sup_gltf_close(file);
  sup_arena_free(&arena);
  return 0;
}
