/* SPDX-License-Identifier: MIT */
/*
 * The compute shader against the processor, by any OpenGL 4.3: Mesa's software one will do.
 *
 * usage: shader_check SHADER      the output of scripts/make-shader.py without a first line;
 *                                 exit 77 where there is no OpenGL
 */
#include "check.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "crowd.h"
#include "runtime/tiles/tiles_layout.h"
#include "supple/surface.h"
#include "supple/tiles.h"

enum { CHARACTERS = 2, FRAMES = 120 };

/* ---- OpenGL, loaded when the program runs -------------------------------------------------------
 */

#define FUNCTIONS(X)                                 \
  X(PFNGLCREATESHADERPROC, glCreateShader)           \
  X(PFNGLSHADERSOURCEPROC, glShaderSource)           \
  X(PFNGLCOMPILESHADERPROC, glCompileShader)         \
  X(PFNGLGETSHADERIVPROC, glGetShaderiv)             \
  X(PFNGLGETSHADERINFOLOGPROC, glGetShaderInfoLog)   \
  X(PFNGLCREATEPROGRAMPROC, glCreateProgram)         \
  X(PFNGLATTACHSHADERPROC, glAttachShader)           \
  X(PFNGLLINKPROGRAMPROC, glLinkProgram)             \
  X(PFNGLGETPROGRAMIVPROC, glGetProgramiv)           \
  X(PFNGLGETPROGRAMINFOLOGPROC, glGetProgramInfoLog) \
  X(PFNGLUSEPROGRAMPROC, glUseProgram)               \
  X(PFNGLGENBUFFERSPROC, glGenBuffers)               \
  X(PFNGLBINDBUFFERPROC, glBindBuffer)               \
  X(PFNGLBUFFERDATAPROC, glBufferData)               \
  X(PFNGLBUFFERSUBDATAPROC, glBufferSubData)         \
  X(PFNGLGETBUFFERSUBDATAPROC, glGetBufferSubData)   \
  X(PFNGLBINDBUFFERBASEPROC, glBindBufferBase)       \
  X(PFNGLDISPATCHCOMPUTEPROC, glDispatchCompute)     \
  X(PFNGLMEMORYBARRIERPROC, glMemoryBarrier)         \
  X(PFNGLUNIFORM4UIPROC, glUniform4ui)               \
  X(PFNGLUNIFORM1FVPROC, glUniform1fv)               \
  X(PFNGLGETSTRINGPROC, glGetString)                 \
  X(PFNGLGETERRORPROC, glGetError)
#define DECLARE(type, name) static type name;
FUNCTIONS(DECLARE)

typedef void (*Function)(void);

static void *library;

static Function symbol(const char *name) {
  Function f;
  void *found = dlsym(library, name);
  memcpy(&f, &found, sizeof f);
  return f;
}

/* A context without a window; NULL with a sentence. */
static const char *open_gl(void) {
  library = dlopen("libEGL.so.1", RTLD_NOW);
  if (!library) return "there is no libEGL.so.1";
#define EGL(name) __typeof__(&name) p_##name = (__typeof__(&name))symbol(#name)
  EGL(eglGetProcAddress);
  EGL(eglInitialize);
  EGL(eglBindAPI);
  EGL(eglCreateContext);
  EGL(eglMakeCurrent);
  PFNEGLGETPLATFORMDISPLAYEXTPROC display_of =
      (PFNEGLGETPLATFORMDISPLAYEXTPROC)p_eglGetProcAddress("eglGetPlatformDisplayEXT");
  if (!display_of) return "EGL cannot do without a screen";
  EGLDisplay display = display_of(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
  if (!display || !p_eglInitialize(display, NULL, NULL)) return "EGL does not start";
  if (!p_eglBindAPI(EGL_OPENGL_API)) return "EGL has no OpenGL";
  const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
  EGLContext context = p_eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
  if (!context || !p_eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
    return "there is no OpenGL 4.3";
  }
#define LOAD(type, name) name = (type)p_eglGetProcAddress(#name);
  FUNCTIONS(LOAD)
  return NULL;
}

static GLuint compile(const char *path, const SupTiles *tiles) {
  static char text[1 << 18];
  char first[256];
  uint32_t entries = 1, bones = 1, segments = 1;
  for (uint32_t k = 0; k < tiles->tile_count; k++) {
    const uint32_t *h = tiles->words + TILES_HEADERS + (size_t)TILE_WORDS * k;
    const uint32_t n = (h[TILE_LANES] & 65535u) + (h[TILE_LANES] >> 16);
    entries = n > entries ? n : entries;
    bones = (h[TILE_BONES] & 65535u) > bones ? h[TILE_BONES] & 65535u : bones;
    segments = h[TILE_BONES] >> 16 > segments ? h[TILE_BONES] >> 16 : segments;
  }
  snprintf(first, sizeof first,
           "#version 430 core\n#define MOST_ENTRIES %u\n#define MOST_BONES %u\n"
           "#define MOST_SEGMENTS %u\n",
           entries, bones, segments);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  char *body = strchr(text, '\n'); /* behind the version */
  assert_non_null(body);
  const char *parts[2] = {first, body};
  GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
  GLint good = 0;
  char log[4096] = "";
  glShaderSource(shader, 2, parts, NULL);
  glCompileShader(shader);
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  glGetShaderInfoLog(shader, sizeof log, NULL, log);
  if (!good) printf("%s\n", log);
  assert_true(good);
  glAttachShader(program, shader);
  glLinkProgram(program);
  glGetProgramiv(program, GL_LINK_STATUS, &good);
  glGetProgramInfoLog(program, sizeof log, NULL, log);
  if (!good) printf("%s\n", log);
  assert_true(good);
  return program;
}

static void fill(GLuint buffer, GLuint binding, const void *data, size_t bytes) {
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
  glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)bytes, data, GL_DYNAMIC_COPY);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffer);
}

/* ---- The comparison -----------------------------------------------------------------------------
 */

static float at_lane(const SupSurfaceState *state, uint64_t offset, uint32_t lane, uint32_t k) {
  const float *rows = (const float *)(const void *)((const char *)state + offset);
  return rows[(size_t)48 * (lane / 16) + 16 * k + lane % 16];
}

static void step_cpu(const CrowdModel *m, SupSurfaceState *state, const SupAffine *palette) {
  const bool turned = sup_surface_wants_normals(m->view.flags);
  const SupSkinCall call = {.skin = &m->view.skin,
                            .palette = palette,
                            .positions = {sup_surface_next_goal(state), 0},
                            .normals = {turned ? sup_surface_next_normals(state) : NULL, 0}};
  const SupExternalForces forces = {.acceleration = {0, -2, 0}};
  sup_skin_lbs(sup_backend_cpu(), NULL, &call);
  sup_surface_step(&m->view, state, sup_backend_cpu(), NULL, palette, &forces);
}

static const char *shader_path;

static void compare(uint32_t flags) {
  SupArena arena = crowd_arena();
  SupError error;
  const CrowdModel m = crowd_model(&arena, 494, flags, true);
  SupTiles tiles;
  assert_int_equal(sup_tiles_make(&arena, &m.view, 256, &tiles, &error), SUP_OK);
  const GLuint program = compile(shader_path, &tiles);
  GLuint buffers[4];
  glGenBuffers(4, buffers);
  char *states = sup_arena_alloc(&arena, CHARACTERS, tiles.state_bytes);
  SupSurfaceState *single[CHARACTERS];
  for (uint32_t k = 0; k < CHARACTERS; k++) {
    sup_tiles_init(&tiles, states + tiles.state_bytes * k);
    single[k] = sup_surface_init(&m.view, sup_arena_alloc(&arena, 1, sup_surface_bytes(&m.view)));
  }
  SupAffine palettes[CHARACTERS * CROWD_BONES];
  const float none[11] = {0};
  fill(buffers[0], 0, tiles.words, tiles.bytes);
  fill(buffers[1], 1, states, CHARACTERS * tiles.state_bytes);
  fill(buffers[2], 2, NULL, sizeof palettes);
  fill(buffers[3], 3, none, sizeof none);
  const float h = m.view.h, step[6] = {0, -2 * h * h, 0, 0, 0, 0};
  glUseProgram(program);
  glUniform4ui(0, (GLuint)(tiles.state_bytes / 16), (GLuint)(tiles.history / 16),
               (GLuint)(tiles.records / 16), tiles.lane_count);
  glUniform1fv(1, 6, step);
  double apart = 0, moved = 0;
  for (uint32_t frame = 0; frame < FRAMES; frame++) {
    for (uint32_t k = 0; k < CHARACTERS; k++) {
      crowd_palette(k, frame / 60.0, false, palettes + (size_t)CROWD_BONES * k);
      step_cpu(&m, single[k], palettes + (size_t)CROWD_BONES * k);
    }
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[2]);
    glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof palettes, palettes);
    glDispatchCompute(tiles.tile_count, CHARACTERS, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    if (frame % 10 && frame + 1 != FRAMES) continue;
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[1]);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)(CHARACTERS * tiles.state_bytes),
                       states);
    for (uint32_t i = 0; i < CHARACTERS * tiles.lane_count; i++) {
      const uint32_t who = i / tiles.lane_count, lane = i % tiles.lane_count;
      const char *state = states + tiles.state_bytes * who;
      const uint32_t set = *(const uint32_t *)(const void *)state & 1;
      const float *x = (const float *)(const void *)(state + tiles.records) +
                       4 * ((size_t)2 * set * tiles.lane_count + lane);
      double way = 0, far = 0;
      for (uint32_t k = 0; k < 3; k++) {
        const uint32_t from = tiles.order[lane];
        const double own = at_lane(single[who], single[who]->x, from, k);
        way += pow((double)x[k] - own, 2);
        far += pow(own - at_lane(single[who], single[who]->goal, from, k) -
                       at_lane(single[who], single[who]->goal_step, from, k),
                   2);
      }
      apart = fmax(apart, way < 1e18 ? sqrt(way) : 1e9);
      moved = fmax(moved, sqrt(far));
    }
  }
  printf("%s, flags %u: %d frames, %.2g apart of %.3g m (%.2g)\n",
         (const char *)glGetString(GL_RENDERER), flags, FRAMES, apart, moved, apart / moved);
  assert_int_equal(glGetError(), 0);
  assert_true(moved > 0.01);
  assert_true(apart < 1e-4 * moved);
  sup_arena_free(&arena);
}

static void test_shader(void **unused) {
  (void)unused;
  compare(0);
  compare(SUP_SURFACE_UNDELAYED | SUP_SURFACE_NORMAL);
  compare(CROWD_SPREAD | SUP_SURFACE_UNDELAYED | SUP_SURFACE_NORMAL);
}

int main(int count, char **arguments) {
  if (count < 2) return 2;
  shader_path = arguments[1];
  const char *why = open_gl();
  if (why) {
    printf("skipped: %s\n", why);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shader)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
