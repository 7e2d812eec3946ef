/* SPDX-License-Identifier: MIT */
/*
 * The surface technique as a compute shader: one step of many characters of one model.
 *
 * Not GLSL yet: scripts/make-shader.py puts the included files in and the version in front. One
 * work group per tile (x) and character (y), 256 threads. Before compiling, the host defines
 * MOST_ENTRIES, MOST_BONES and MOST_SEGMENTS, the most that a tile of the model has.
 *
 * Buffers: 0 the words of SupTiles, 1 the states one after the other, which sup_tiles_init made,
 * 2 the palettes likewise (SupAffine), 3 colliders (SupCollider), 11 floats each.
 *
 * step_numbers, for acceleration a, wind v, w = wind_drag * h between 0 and 1, and the model's h:
 * a h^2 + v w h (x, y, z); w; feed_forward; how many colliders there are.
 *
 * What to draw: x y z of each lane's first 16 bytes (of SupTiles.records) in the set that is NOT
 * the lowest bit of the state's first word after the step; for a model with SUP_SURFACE_UNDELAYED in
 * the third set, always: the other two lack what the next step will know. Lane i is the model's
 * lane order[i], that is vertex skin.order[order[i]]; those beyond the vertices are spare.
 */
layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Model { uint model_words[]; };
layout(std430, binding = 1) buffer States { uvec4 states[]; };
layout(std430, binding = 2) readonly buffer Palettes { float palettes[]; };
layout(std430, binding = 3) readonly buffer Colliders { float colliders[]; };

layout(location = 0) uniform uvec4 state_size; /* quadruples: a state, to its history, to its records; lanes */
layout(location = 1) uniform float step_numbers[6];

#include "runtime/tiles/tiles_layout.h"

#define FUN
#define FUN_RARE
#define BEGIN_STRUCT(name) struct name {
#define END_STRUCT(name) };
#define V3 vec3
#define V4 vec4
#define U4 uvec4

vec3 add3(vec3 a, vec3 b) { return a + b; }
vec3 sub3(vec3 a, vec3 b) { return a - b; }
vec3 scale3(vec3 a, float s) { return a * s; }
vec3 mad3(vec3 a, vec3 b, float s) { return a + b * s; }
float dot3(vec3 a, vec3 b) { return dot(a, b); }
vec3 cross3(vec3 a, vec3 b) { return cross(a, b); }
float smaller(float a, float b) { return min(a, b); }
float larger(float a, float b) { return max(a, b); }
uint smaller_uint(uint a, uint b) { return min(a, b); }
vec3 larger3(vec3 a, vec3 b) { return max(a, b); }
vec3 abs3(vec3 a) { return abs(a); }
int to_int(float a) { return int(a); }
uint to_uint(int a) { return uint(a); }
uint to_uint_f(float a) { return uint(a); }
int to_signed(uint a) { return int(a); }
float to_float(int a) { return float(a); }
float to_float_u(uint a) { return float(a); }
bool is_finite(float a) { return !(isnan(a) || isinf(a)); }
float as_float(uint a) { return uintBitsToFloat(a); }
uint as_uint(float a) { return floatBitsToUint(a); }
float root(float a) { return sqrt(a); }
float inverse_root(float a) { return inversesqrt(a); }
float cube_root(float a) { return pow(a, 1.0 / 3.0); }
float clamp01(float a) { return clamp(a, 0.0, 1.0); }
float one_over(float a) { return 1.0 / a; }
float low_half(uint word) { return unpackHalf2x16(word).x; }
float high_half(uint word) { return unpackHalf2x16(word).y; }
uint two_halves(float low, float high) { return packHalf2x16(vec2(low, high)); }

shared vec4 entry_a[MOST_ENTRIES], entry_b[MOST_ENTRIES];
shared float entry_c[MOST_ENTRIES];
shared vec4 bone_rows[9 * MOST_BONES];
shared float bone_scales[MOST_BONES];
shared vec4 segment_rows[2 * MOST_SEGMENTS];
shared uint some_scaled;

#define STATE (gl_WorkGroupID.y * state_size.x)
#define CTX_ONLY
#define CTX_TILE Tile t,
#define PASS_ONLY
#define PASS_TILE t,
#define MODEL(i) model_words[i]
#define MODEL4(i) uvec4(model_words[i], model_words[(i) + 1u], model_words[(i) + 2u], model_words[(i) + 3u])
#define STAGED(i) MODEL(t.numbers + (i))
#define STAGED4(i) MODEL4(t.numbers + (i))
#define MODEL_FLAGS model_words[TILES_FLAGS]
#define MODEL_TIED model_words[TILES_TIED]
#define MODEL_WHOLE model_words[TILES_WHOLE]
#define MODEL_BONES model_words[TILES_BONE_ALL]
#define MODEL_NUMBER(i) uintBitsToFloat(model_words[i])
#define PALETTE(i) palettes[gl_WorkGroupID.y * 12u * model_words[TILES_BONE_ALL] + (i)]
#define HISTORY(i) uintBitsToFloat(states[STATE + state_size.y + (i)])
#define PUT_HISTORY(i, v) states[STATE + state_size.y + (i)] = floatBitsToUint(v)
#define RECORD(set, part, lane) states[STATE + state_size.z + (2u * (set) + (part)) * state_size.w + (lane)]
#define STEP(i) step_numbers[i]
#define COLLIDER(i) colliders[i]
#define NOW(k, r) bone_rows[9u * (k) + (r)]
#define MOVED(k, r) bone_rows[9u * (k) + 3u + (r)]
#define MOVED_LAST(k, r) bone_rows[9u * (k) + 6u + (r)]
#define BONE_SCALE(k) bone_scales[k]
#define SEGMENT(i) segment_rows[i]
#define ENTRY_A(i) entry_a[i]
#define ENTRY_B(i) entry_b[i]
#define ENTRY_C(i) entry_c[i]
#define AT_A(o) entry_a[(o) / 16u]
#define AT_B(o) entry_b[(o) / 16u]
#define AT_C(o) entry_c[(o) / 16u]
#define NOT_UNROLLED

#include "runtime/tiles/tiles_body.h"

void main() {
  uint index = gl_WorkGroupID.x, thread = gl_LocalInvocationIndex;
  uint word = states[STATE + index / 4u][index % 4u];
  Tile t = tile_turn(tile_open(index, thread), word);
  uint entry = own_entry(t, thread);
  Lane lane = tile_lane(t, entry);
  Flesh flesh = tile_flesh(t, t.first + entry);
  if (thread == 0u) some_scaled = 0u;
  barrier();
  if (tile_bones(t, 0u, thread, 256u)) atomicOr(some_scaled, 1u);
  tile_keep(t, thread, 256u);
  memoryBarrierShared();
  barrier();
  t.scaled = some_scaled != 0u;
  Goal goal = tile_goal(t, entry, lane);
  flesh = tile_caught_up(t, entry, lane, flesh, goal);
  tile_own_entry(t, thread, lane, flesh, goal);
  tile_segments(t, thread, 256u);
  tile_halo(t, 0u, thread, 256u);
  memoryBarrierShared();
  barrier();
  tile_solve(t, thread, lane, flesh, goal);
  if (thread == 0u) states[STATE + index / 4u][index % 4u] = tile_next_word(t, step_numbers[4]);
}
