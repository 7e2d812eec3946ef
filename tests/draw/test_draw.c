/* SPDX-License-Identifier: MIT */
/* Whole pictures: what the camera sees, light, the same bits, short memory; PNG, WebP, text. */
#include "check.h"

#include <math.h>

#include "draw/deflate.h"
#include "supple/draw/draw.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

enum { RINGS = 24, AROUND = 40, BALL = (RINGS + 1) * AROUND, WIDE = 120, HIGH = 90 };

/* A ball of radius 1 on the floor at 0, red on its left. */
typedef struct Ball {
  SupVec3 positions[BALL + 2], normals[BALL + 2];
  float colors[3 * (BALL + 2)];
  uint32_t triangles[6 * RINGS * AROUND + 6];
  SupDrawMesh mesh;
  uint8_t pixels[3 * WIDE * HIGH];
  SupImage image;
} Ball;

static void make_ball(Ball *b) {
  for (uint32_t v = 0; v < BALL; v++) {
    double sine, cosine, down, out;
    sup_sincos(SUP_PI * (v / AROUND) / RINGS, &out, &down);
    sup_sincos(2 * SUP_PI * (v % AROUND) / AROUND, &sine, &cosine);
    const SupVec3 n = {(float)(out * cosine), (float)down, (float)(out * sine)};
    b->normals[v] = n;
    b->positions[v] = (SupVec3){n.x, n.y + 1, n.z};
    const float color[3] = {0.8f, n.x < 0 ? 0.1f : 0.8f, n.x < 0 ? 0.1f : 0.8f};
    memcpy(b->colors + 3 * v, color, sizeof color);
  }
  uint32_t *t = b->triangles;
  for (uint32_t k = 0; k < RINGS * AROUND; k++) {
    const uint32_t right = k / AROUND * AROUND + (k + 1) % AROUND;
    const uint32_t six[6] = {k, right, right + AROUND, k, right + AROUND, k + AROUND};
    memcpy(t, six, sizeof six);
    t += 6;
  }
  b->mesh = (SupDrawMesh){.vertex_count = BALL,
                          .triangle_count = 2 * RINGS * AROUND,
                          .positions = b->positions,
                          .normals = b->normals,
                          .triangles = b->triangles,
                          .colors = b->colors};
  b->image = (SupImage){WIDE, HIGH, 3 * WIDE, b->pixels};
}

static SupDrawDef ball_view(double azimuth) {
  const SupDrawBasis basis = sup_draw_basis(azimuth, 15);
  const SupVec3 middle = sup_draw_along(&basis, (SupVec3){0, 1, 0});
  const SupBounds box = {{middle.x - 1, middle.y - 1, middle.z - 1},
                         {middle.x + 1, middle.y + 1, middle.z + 1}};
  SupDrawDef def = sup_draw_def();
  def.camera = sup_draw_fit(&basis, 1, &box, (float)WIDE / HIGH, 0.1f);
  return def;
}

static void draw_ball(Ball *b, const SupDrawDef *def) {
  SupArena arena;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  if (sup_draw(&arena, def, &b->mesh, b->image, &error) != SUP_OK) fail_msg("%s", error.text);
  sup_arena_free(&arena);
}

static const uint8_t *pixel(const Ball *b, uint32_t x, uint32_t y) {
  return b->pixels + 3 * (y * WIDE + x);
}

static void a_ball_looks_like_one(void **state) {
  (void)state;
  static Ball b;
  make_ball(&b);
  const SupDrawDef def = ball_view(0);
  draw_ball(&b, &def);
  const uint8_t *left = pixel(&b, WIDE / 2 - 12, HIGH / 2),
                *right = pixel(&b, WIDE / 2 + 12, HIGH / 2);
  assert_true(left[0] > 2 * left[1]); /* the camera stands in front: -x is on its left */
  assert_true(abs(right[0] - right[1]) < 30);
  const uint8_t *lit = pixel(&b, WIDE / 2 + 3, HIGH / 2 - 18),
                *under = pixel(&b, WIDE / 2 + 18, HIGH / 2 + 24);
  assert_true(lit[0] > under[0] + 40); /* light comes from above and the left */
  const uint8_t *corner = pixel(&b, 1, 1), *shadow = pixel(&b, WIDE / 2 + 12, HIGH / 2 + 40);
  assert_true(corner[1] > 215 && shadow[1] < 170);
  uint32_t inside = 0;
  for (uint32_t k = 0; k < WIDE * HIGH; k++) {
    const uint8_t *p = b.pixels + 3 * k;
    inside += p[0] > p[2] + 40;
  }
  /* Half of a disc. The box's front fills nine tenths of the height: the eye is 6.56 away, and the
   * ball's edge is seen at 0.77 of the half height. */
  const double half = SUP_PI / 2 * 0.77 * 0.77 * HIGH * HIGH / 4;
  if (fabs(inside / half - 1) > 0.15) fail_msg("%u red pixels, %g expected", inside, half);
}

/* Golden: the same on every compiler, instruction set and number of threads. */
static void the_bits_are_the_same_for_all(void **state) {
  (void)state;
  static Ball b;
  make_ball(&b);
  SupDrawDef def = ball_view(30);
  def.grid = 0.7f;
  for (uint32_t threads = 1; threads <= 4; threads += 3) {
    SupPool *pool = sup_pool_create(sup_heap_allocator(), threads);
    const SupJobs jobs = sup_pool_jobs(pool);
    memset(b.pixels, 0, sizeof b.pixels);
    def.jobs = threads > 1 ? &jobs : NULL;
    draw_ball(&b, &def);
    const uint64_t hash = sup_hash(b.pixels, sizeof b.pixels, 0);
    if (hash != UINT64_C(0xf9a6128ab0b17af0))
      fail_msg("%u threads: %016llx", threads, (unsigned long long)hash);
    sup_pool_destroy(pool);
  }
}

/* Corners that are no numbers, or far away, change nothing else. */
static void broken_vertices_spoil_nothing(void **state) {
  (void)state;
  static Ball b, broken;
  make_ball(&b);
  make_ball(&broken);
  const SupDrawDef def = ball_view(0);
  broken.positions[BALL] = (SupVec3){NAN, INFINITY, -INFINITY};
  broken.positions[BALL + 1] = (SupVec3){1e30f, -1e30f, 1e30f};
  broken.normals[BALL] = broken.normals[BALL + 1] = (SupVec3){NAN, NAN, NAN};
  uint32_t *t = broken.triangles + 3 * (size_t)broken.mesh.triangle_count;
  t[0] = 0, t[1] = BALL, t[2] = 5, t[3] = 4, t[4] = BALL + 1, t[5] = 9;
  broken.mesh.vertex_count += 2;
  broken.mesh.triangle_count += 2;
  draw_ball(&b, &def);
  draw_ball(&broken, &def);
  uint32_t different = 0;
  for (size_t k = 0; k < sizeof b.pixels; k++) different += b.pixels[k] != broken.pixels[k];
  assert_true(different < sizeof b.pixels / 10); /* the long one is seen as a sliver */
}

static void a_camera_sees_all_of_its_boxes(void **state) {
  (void)state;
  SupRng rng = sup_rng(9, 1);
  for (uint32_t n = 0; n < 200; n++) {
    const SupDrawBasis basis =
        sup_draw_basis(360 * sup_rng_double(&rng), 90 * sup_rng_double(&rng));
    SupBounds boxes[3];
    const float scale = n % 3 == 0 ? 0.01f : n % 3 == 1 ? 1.0f : 150.0f;
    const float aspect = 0.5f + 2 * sup_rng_float(&rng);
    for (int k = 0; k < 3; k++) {
      const SupVec3 at = {sup_rng_float(&rng), sup_rng_float(&rng), sup_rng_float(&rng)};
      const SupVec3 size = {sup_rng_float(&rng), sup_rng_float(&rng), sup_rng_float(&rng)};
      boxes[k] =
          (SupBounds){sup_vec3_scale(at, scale), sup_vec3_scale(sup_vec3_add(at, size), scale)};
    }
    boxes[2].low.x = NAN; /* does not count */
    const SupDrawCamera camera = sup_draw_fit(&basis, 3, boxes, aspect, 0.1f);
    const SupVec3 eye = sup_draw_along(&basis, camera.eye);
    float most = 0;
    for (int k = 0; k < 16; k++) {
      const SupBounds *box = &boxes[k / 8];
      const SupVec3 p = {k & 1 ? box->low.x : box->high.x, k & 2 ? box->low.y : box->high.y,
                         k & 4 ? box->low.z : box->high.z};
      const SupVec3 at = sup_vec3_sub(p, eye);
      assert_true(at.z > 0);
      most = fmaxf(most,
                   fmaxf(fabsf(at.x) / (at.z * camera.tan_x), fabsf(at.y) / (at.z * camera.tan_y)));
    }
    assert_true(most < 0.901f && most > 0.899f); /* all, and no farther away than it must be */
  }
}

static void short_memory_is_told(void **state) {
  (void)state;
  static Ball b;
  make_ball(&b);
  const SupDrawDef def = ball_view(0);
  for (size_t fail_at = 1;; fail_at++) {
    CountingHeap heap = {.fail_at = fail_at};
    SupArena arena;
    SupError error = {""};
    const uint8_t *data;
    size_t bytes;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    memset(b.pixels, 7, sizeof b.pixels);
    SupResult result = sup_draw(&arena, &def, &b.mesh, b.image, &error);
    if (result != SUP_OK) {
      for (size_t k = 0; k < sizeof b.pixels; k++) assert_int_equal(b.pixels[k], 7);
    }
    if (result == SUP_OK) result = sup_png_encode(&arena, b.image, &data, &bytes, &error);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_true(error.text[0]);
  }
}

/* ---- Files ----------------------------------------------------------------------------------- */

static SupTexture read_back(SupArena *arena, const uint8_t *data, size_t bytes) {
  SupTexture texture;
  SupError error;
  if (sup_png_decode(arena, data, bytes, &texture, &error) != SUP_OK) fail_msg("%s", error.text);
  return texture;
}

static void a_png_reads_back(void **state) {
  (void)state;
  SupArena arena;
  SupRng rng = sup_rng(2, 1);
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  for (uint32_t n = 0; n < 60; n++) {
    SupImage image;
    SupError error;
    const uint32_t width = 1 + sup_rng_below(&rng, 200), height = 1 + sup_rng_below(&rng, 40);
    assert_int_equal(sup_image_create(&arena, width, height, &image, &error), SUP_OK);
    for (uint32_t k = 0; k < 3 * width * height; k++) {
      image.pixels[k] = (uint8_t)(n % 3 == 0   ? sup_rng_u32(&rng) /* noise */
                                  : n % 3 == 1 ? k / 7             /* slopes */
                                               : 200);             /* nothing */
    }
    const uint8_t *data;
    size_t bytes;
    assert_int_equal(sup_png_encode(&arena, image, &data, &bytes, &error), SUP_OK);
    const SupTexture texture = read_back(&arena, data, bytes);
    assert_true(texture.width == width && texture.height == height);
    for (uint32_t k = 0; k < width * height; k++) {
      assert_memory_equal(texture.pixels + 4 * k, image.pixels + 3 * k, 3);
      assert_int_equal(texture.pixels[4 * k + 3], 255);
    }
  }
  sup_arena_free(&arena);
}

/* Cut anywhere, or with any byte changed, a PNG is refused or read, never more. */
static void a_damaged_png_is_harmless(void **state) {
  (void)state;
  SupArena arena;
  SupImage image;
  SupTexture texture;
  SupError error;
  const uint8_t *data;
  size_t bytes;
  SupRng rng = sup_rng(4, 1);
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_image_create(&arena, 17, 9, &image, &error), SUP_OK);
  for (uint32_t k = 0; k < 3 * 17 * 9; k++) image.pixels[k] = (uint8_t)(k * k / 9);
  assert_int_equal(sup_png_encode(&arena, image, &data, &bytes, &error), SUP_OK);
  for (size_t k = 0; k < bytes; k++) {
    uint8_t *copy = malloc(k ? k : 1); /* so that a sanitizer sees what is read beyond */
    memcpy(copy, data, k);
    assert_int_not_equal(sup_png_decode(&arena, copy, k, &texture, &error), SUP_OK);
    free(copy);
  }
  for (uint32_t n = 0; n < 4000; n++) {
    uint8_t *copy = malloc(bytes);
    SupArena own;
    sup_arena_init(&own, sup_heap_allocator(), (size_t)1 << 28);
    memcpy(copy, data, bytes);
    copy[8 + sup_rng_below(&rng, (uint32_t)bytes - 8)] = (uint8_t)sup_rng_u32(&rng);
    (void)sup_png_decode(&own, copy, bytes, &texture, &error);
    sup_arena_free(&own);
    free(copy);
  }
  assert_int_not_equal(sup_png_decode(&arena, "GIF89a..", 8, &texture, &error), SUP_OK);
  sup_arena_free(&arena);
}

static void colours_go_both_ways(void **state) {
  (void)state;
  for (int k = 0; k < 256; k++) {
    const double encoded = k / 255.0;
    const double linear =
        encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
    assert_true(fabs((double)sup_srgb_decode((uint8_t)k) - linear) < 1e-6);
    assert_int_equal(sup_srgb_encode((float)linear), k);
  }
  assert_int_equal(sup_srgb_encode(-1), 0);
  assert_int_equal(sup_srgb_encode(NAN), 0);
  assert_int_equal(sup_srgb_encode(INFINITY), 255);
}

static void text_stays_inside(void **state) {
  (void)state;
  static uint8_t pixels[3 * 64 * 32];
  const SupImage whole = {64, 32, 3 * 64, pixels}, part = sup_image_part(whole, 10, 6, 40, 20);
  memset(pixels, 255, sizeof pixels);
  sup_image_text(part, "with Supple\x01\xff", -3, -2, 14, (SupVec3){0, 0, 0});
  sup_image_text(part, "x", 1e9f, NAN, 14, (SupVec3){0, 0, 0});
  sup_image_text(part, "x", 4, 4, 1e9f, (SupVec3){0, 0, 0});
  uint32_t dark = 0;
  for (int k = 0; k < 64 * 32; k++) {
    const int x = k % 64, y = k / 64;
    const bool inside = x >= 10 && x < 50 && y >= 6 && y < 26;
    if (!inside) assert_int_equal(pixels[3 * k], 255);
    dark += pixels[3 * k] < 100;
  }
  assert_true(dark > 40 && dark < 400);
  assert_true(sup_image_text_width("four", 7) == 23);
  assert_int_equal(sup_image_part(whole, 64, 0, 5, 5).width, 0);
}

static void a_webp_is_made_or_missed(void **state) {
  (void)state;
  SupArena arena;
  SupImage image;
  SupError error;
  SupWebpWriter *writer;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_image_create(&arena, 40, 30, &image, &error), SUP_OK);
  SupResult result = sup_webp_begin(&arena, 40, 30, 80, &writer, &error);
  if (!sup_webp_available()) {
    assert_int_equal(result, SUP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "libwebp"));
  } else {
    const uint8_t *data;
    size_t bytes;
    assert_int_equal(result, SUP_OK);
    for (uint32_t i = 0; i < 3; i++) {
      memset(image.pixels + 900 * i, 200, 900);
      assert_int_equal(sup_webp_add(writer, image, 40 * i, &error), SUP_OK);
    }
    const SupImage other = sup_image_part(image, 0, 0, 20, 30);
    assert_int_not_equal(sup_webp_add(writer, other, 200, &error), SUP_OK);
    assert_int_equal(sup_webp_end(writer, 120, &data, &bytes, &error), SUP_OK);
    assert_true(bytes > 100 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WEBP", 4) == 0);
    assert_int_equal(sup_webp_begin(&arena, 40, 30, 80, &writer, &error), SUP_OK);
    assert_int_equal(sup_webp_end(writer, 0, NULL, NULL, &error), SUP_OK); /* thrown away */
  }
  assert_int_equal(sup_image_create(&arena, 0, 4, &image, &error), SUP_ERROR_UNSUPPORTED);
  assert_int_equal(sup_image_create(&arena, 4, 20000, &image, &error), SUP_ERROR_UNSUPPORTED);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_looks_like_one),
      cmocka_unit_test(the_bits_are_the_same_for_all),
      cmocka_unit_test(broken_vertices_spoil_nothing),
      cmocka_unit_test(a_camera_sees_all_of_its_boxes),
      cmocka_unit_test(short_memory_is_told),
      cmocka_unit_test(a_png_reads_back),
      cmocka_unit_test(a_damaged_png_is_harmless),
      cmocka_unit_test(colours_go_both_ways),
      cmocka_unit_test(text_stays_inside),
      cmocka_unit_test(a_webp_is_made_or_missed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
