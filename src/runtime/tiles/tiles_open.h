/* SPDX-License-Identifier: MIT */
/* A tile's parts, in the language of tiles_body.h, which includes it. */

BEGIN_STRUCT(Tile)
uint first, lanes, halo, bones, segments, extras, eta, flags;
uint records, numbers, halos, segments_at; /* offsets, tiles_layout.h */
uint slots, slot_rows, spokes, spoke_rows; /* of the thread's warp: where they begin in STAGED */
uint set;                                  /* of the records that are read */
uint fresh;                                /* goals to come that are taken over without dynamics */
uint owed;   /* not 0: what is read lacks what its goals handed on undelayed */
bool scaled; /* some bone is larger or smaller than at rest */
END_STRUCT(Tile)

FUN Tile tile_open(CTX_ONLY uint index, uint thread) {
  Tile t;
  uint header = uint(TILES_HEADERS) + uint(TILE_WORDS) * index;
  uint warp = header + uint(TILE_WARPS) + thread / 32u * 2u;
  uvec4 a = MODEL4(header), b = MODEL4(header + 4u);
  uint slots = MODEL(warp), spokes = MODEL(warp + 1u);
  t.first = a.x;
  t.lanes = a.y & 65535u;
  t.halo = a.y >> 16;
  t.bones = a.z & 65535u;
  t.segments = a.z >> 16;
  t.extras = a.w & 65535u;
  t.eta = a.w >> 16;
  t.records = b.x;
  t.numbers = b.y;
  t.halos = b.z;
  t.segments_at = b.w;
  t.slots = 32u * (slots & 65535u) + thread % 32u;
  t.slot_rows = slots >> 16;
  t.spokes = 32u * (spokes & 65535u) + thread % 32u;
  t.spoke_rows = spokes >> 16;
  t.flags = MODEL_FLAGS;
  t.set = 0u;
  t.fresh = 0u;
  t.owed = 0u;
  t.scaled = true;
  return t;
}

/* The character's turn: the tile's word of its state. */
FUN Tile tile_turn(Tile t, uint word) {
  t.set = word & TILES_ODD;
  t.fresh = word >> TILES_FRESH;
  t.owed = (t.flags & FLAG_UNDELAYED) != 0u ? word & TILES_OWED : 0u;
  return t;
}

/* What the tile's word becomes after a step with that feed, which is STEP(4): here is no context
 * to ask. */
FUN uint tile_next_word(Tile t, float feed) {
  if (t.fresh > 0u) return (1u - t.set) | (t.fresh - 1u) << TILES_FRESH;
  bool owes = (t.flags & FLAG_UNDELAYED) != 0u && !(feed > 0.0f);
  return (1u - t.set) | (owes ? TILES_OWED : 0u);
}

/* Further parts of a tile. */
FUN uint bones_at(Tile t) { return t.halos + t.halo; }
FUN uint more_at(Tile t) { return t.segments_at + 8u * t.segments; }
FUN uint stops_at(Tile t) { return TILES_ROUND(more_at(t) + t.extras * (t.lanes + t.halo), 4u); }
FUN uint stiffs_at(Tile t) {
  return stops_at(t) + ((t.flags & (FLAG_BACKSTOPS | FLAG_NORMAL)) != 0u ? 4u * t.lanes : 0u);
}
FUN uint one_rings_at(Tile t) {
  return TILES_ROUND(stiffs_at(t) + ((t.flags & FLAG_NORMAL) != 0u ? t.lanes : 0u), 32u);
}

/* Does the change of the goals' velocity act in the step; before it, on what the last one left; is
 * how far bones moved in the last step looked at? */
#define TILE_FED (STEP(4) > 0.0f)
#define TILE_BENDS (TILE_FED || (t.eta != 0u && (t.flags & FLAG_UNDELAYED) == 0u))
#define TILE_CATCHES_UP (t.owed != 0u && !TILE_FED)
#define TILE_LOOKS_BACK ((t.flags & FLAG_UNDELAYED) != 0u || TILE_BENDS)

/* Number i, alpha .. eta and alpha and delta along the normal, from its 16 bits. */
#define NUMBER(i, half) \
  (MODEL_NUMBER(TILES_LOW + i) + to_float_u(half) * MODEL_NUMBER(TILES_STEP + i))

/* ---- What a thread reads of a lane --------------------------------------------------------------
 */

/* What does not change from step to step. */
BEGIN_STRUCT(Lane)
vec3 rest;
uint counts; /* influences | neighbours << 16; in the halo: influences | eta << 16 */
uvec4 influences;
END_STRUCT(Lane)

FUN Lane tile_lane(CTX_TILE uint entry) {
  Lane l;
  uint at = t.records + 4u * entry;
  uvec4 a = MODEL4(at);
  l.influences = MODEL4(at + 4u * (t.lanes + t.halo));
  l.rest = V3(as_float(a.x), as_float(a.y), as_float(a.z));
  l.counts = a.w;
  return l;
}

/* What does. */
BEGIN_STRUCT(Flesh)
vec3 x, dx;
uint q_xy, q_zw;
END_STRUCT(Flesh)

FUN Flesh tile_flesh(CTX_TILE uint lane) {
  Flesh f;
  uvec4 a = RECORD(t.set, 0u, lane), b = RECORD(t.set, 1u, lane);
  f.x = V3(as_float(a.x), as_float(a.y), as_float(a.z));
  f.dx = V3(as_float(a.w), as_float(b.x), as_float(b.y));
  f.q_xy = b.z;
  f.q_zw = b.w;
  return f;
}

/* The entry of a thread: the last for those beyond the lanes. */
FUN uint own_entry(Tile t, uint thread) { return smaller_uint(thread, t.lanes - 1u); }

FUN float weight_of(uint word) { return to_float_u(word) * TILES_WEIGHT_UNIT; }
