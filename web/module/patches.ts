// SPDX-License-Identifier: MIT
/**
 * Patches in JavaScript: boundaries traced on skins, and the patches between them (patches.wasm, a
 * module beside supple.wasm).
 *
 *   const patches = await Patches.load(bytes);
 *   const skin = patches.skin(character);                    // of supple.ts; its body is copied
 *   const trace = skin.trace(plan, 'hero.json');
 *   const cut = skin.cut(plan, trace, 'hero.json');
 *   cut.patches; cut.free(); skin.free();
 */
import type { Character } from './character.js';
import { PATH_KINDS, PatchPlan, Triple, ZONE_KINDS } from './patch_plan.js';
import { Exports, Heap, Scratch, SuppleError } from './scratch.js';

export * from './patch_plan.js';

const NONE = 0xffffffff;
const PLACES = ['vertex', 'position', 'landmark'] as const;

/** A chain of places on the skin: (1 - t) a + t b of body vertices. */
export interface Places {
  a: Uint32Array;
  b: Uint32Array;
  t: Float64Array;
}

/** A path between two features. */
export interface Path extends Places {
  length: number;
}

/** Where the features and boundaries of a plan are on a skin. */
export interface Trace {
  features: Places;
  paths: Path[];
}

export interface Patch {
  /** its own, or patch-1 and so on */
  name: string;
  zone: string;
  /** boundaries, counter-clockwise from its first feature on */
  sides: { boundary: number; backwards: boolean }[];
  area: number;
}

export class Patches implements Heap {
  readonly exports: Exports;

  private constructor(instance: WebAssembly.Instance) {
    this.exports = instance.exports as unknown as Exports;
  }
  /** Starts a module from the bytes of patches.wasm. */
  static async load(wasm: BufferSource): Promise<Patches> {
    return new Patches((await WebAssembly.instantiate(wasm, {})).instance);
  }

  get memory(): ArrayBuffer {
    return this.exports.memory.buffer;
  }
  allocate(bytes: number): number {
    const block = this.exports.allocate(bytes) >>> 0;
    if (!block) throw new SuppleError('the browser gives no more memory; close other pages');
    return block;
  }
  release(block: number): void {
    this.exports.release(block);
  }
  text(at: number): string {
    const bytes = new Uint8Array(this.memory);
    return new TextDecoder().decode(bytes.slice(at >>> 0, bytes.indexOf(0, at >>> 0)));
  }
  uints(at: number, count: number): Uint32Array {
    return new Uint32Array(this.memory, at >>> 0, count);
  }
  fail(): SuppleError {
    return new SuppleError(this.text(this.exports.error()));
  }

  /** The skin of a character, which may belong to any other module. */
  skin(character: Character): Skin {
    const scratch = new Scratch(this);
    const { raw } = character;
    const body = character.body;
    const at = scratch.words([
      scratch.text(raw.name),
      raw.parents.length, raw.boneJoints.length, scratch.bytes(raw.parents), scratch.bytes(raw.rest),
      scratch.texts(raw.jointNames), scratch.bytes(raw.boneJoints), scratch.bytes(raw.inverseBind),
      body.positions.length / 3, body.triangles.length / 3, scratch.bytes(body.positions), scratch.bytes(body.triangles),
      body.positions.length / 3, body.influenceMax, scratch.bytes(body.offsets), scratch.bytes(body.bones), scratch.bytes(body.weights),
      ...writeRender(scratch, character), ...new Array<number>(9).fill(0),
    ]);
    const made = this.exports.skin_make(at) >>> 0;
    if (made) return new Skin(this, made, scratch);
    const problem = this.fail();
    scratch.free();
    throw problem;
  }
}

/** What of a character lies between its skin and its materials: what belongs to which part, and what is painted. */
function writeRender(scratch: Scratch, character: Character): number[] {
  const { raw } = character;
  let [vertex, triangle] = [0, 0];
  const parts = raw.parts.flatMap(({ name, node, mesh, primitive, material, mirrored, positions, triangles }) => {
    const words = [scratch.text(name), node, mesh, primitive, material, vertex, positions.length / 3, triangle, triangles.length / 3, mirrored ? 1 : 0, 0];
    vertex += positions.length / 3;
    triangle += triangles.length / 3;
    return words;
  });
  const maps = raw.mapNames.flatMap((name, k) => [scratch.text(name === 'not_flesh' ? 'lock' : name), scratch.bytes(character.map(k))]);
  return [vertex, triangle, raw.parts.length, scratch.words(parts), scratch.bytes(character.toBody), scratch.bytes(character.renderTriangles.slice()),
    0, 0, 0, 0, 0, 0, 0, 0, 0, // positions and normals, skin
    0, 0, 0, 0, // clips, morphs
    raw.mapNames.length, scratch.words(maps)];
}

/** Writes structures field by field. */
class Writer {
  private at = 0;
  constructor(private data: DataView) {}

  word(x: number): this {
    this.data.setUint32(this.at, x >>> 0, true);
    this.at += 4;
    return this;
  }
  numbers(...list: number[]): this {
    this.at = (this.at + 7) & ~7;
    for (const x of list) {
      this.data.setFloat64(this.at, x, true);
      this.at += 8;
    }
    return this;
  }
  align(): this {
    this.at = (this.at + 7) & ~7;
    return this;
  }
}

/** `count` structures of so many bytes, each written by `put`. */
function structures(scratch: Scratch, count: number, bytes: number, put: (k: number) => (writer: Writer) => void): number {
  const data = new Uint8Array(count * bytes);
  for (let k = 0; k < count; k++) put(k)(new Writer(new DataView(data.buffer, k * bytes, bytes)));
  return scratch.bytes(data);
}

function writeNames(scratch: Scratch, plan: PatchPlan): number {
  return structures(scratch, plan.patches.length, 20, (k) => {
    const { name, zone, boundaries } = plan.patches[k];
    const words = [scratch.text(name), scratch.text(zone), boundaries.length, scratch.words(boundaries)];
    return (to) => { for (const word of [...words, 0]) to.word(word); };
  });
}

function writePlan(scratch: Scratch, plan: PatchPlan, source: string): number {
  const features = structures(scratch, plan.features.length, 80, (k) => {
    const { name, place, vertex, position, placed, joint, direction } = plan.features[k];
    const [own, of] = [scratch.text(name), joint ? scratch.text(joint) : 0];
    return (to) => to.word(own).word(PLACES.indexOf(place)).word(vertex).numbers(...position)
      .word(of).numbers(...direction).word(placed ? 0 : 1).word(0);
  });
  const boundaries = structures(scratch, plan.boundaries.length, 32, (k) => {
    const { name, from, to, kind, points, weights } = plan.boundaries[k];
    const words = [scratch.text(name), from, to, PATH_KINDS.indexOf(kind), points.length,
      scratch.bytes(Float64Array.from(points.flat())), weights.length ? scratch.bytes(Float64Array.from(weights)) : 0, 0];
    return (writer) => { for (const word of words) writer.word(word); };
  });
  const zones = structures(scratch, plan.zones.length, 16, (k) => {
    const { name, kind } = plan.zones[k];
    const own = scratch.text(name);
    return (to) => to.word(own).word(ZONE_KINDS.indexOf(kind)).word(0).word(0);
  });
  return scratch.words([scratch.text(source), plan.features.length, plan.boundaries.length, plan.patches.length,
    plan.zones.length, features, boundaries, writeNames(scratch, plan), zones, plan.vertexCount]);
}

function readPlan(patches: Patches, at: number): PatchPlan {
  const view = new DataView(patches.memory);
  const word = (place: number): number => view.getUint32(place, true);
  const number = (place: number): number => view.getFloat64(place, true);
  const triple = (place: number): Triple => [number(place), number(place + 8), number(place + 16)];
  const text = (place: number): string => (word(place) ? patches.text(word(place)) : '');
  const list = <T>(k: number, bytes: number, read: (place: number) => T): T[] =>
    Array.from({ length: word(at + 4 + 4 * k) }, (_, i) => read(word(at + 20 + 4 * k) + bytes * i));
  return {
    features: list(0, 80, (f) => ({ name: text(f), place: PLACES[word(f + 4)], vertex: word(f + 8), position: triple(f + 16), joint: text(f + 40),
      direction: triple(f + 48), placed: !(word(f + 72) & 255) })),
    boundaries: list(1, 32, (b) => ({
      name: text(b), from: word(b + 4), to: word(b + 8), kind: PATH_KINDS[word(b + 12)],
      points: Array.from({ length: word(b + 16) }, (_, k) => triple(word(b + 20) + 24 * k)),
      weights: word(b + 24) ? Array.from({ length: word(b + 16) }, (_, k) => number(word(b + 24) + 8 * k)) : [],
    })),
    patches: list(2, 20, (p) => ({ name: text(p), zone: text(p + 4), boundaries: [...patches.uints(word(p + 12), word(p + 8))] })),
    zones: list(3, 16, (z) => {
      const flesh = word(z + 12); // of an automatic zone: its bone, if it has one
      return { name: text(z), kind: ZONE_KINDS[word(z + 4)], ...(flesh && word(flesh) ? { flesh: { bone: [text(flesh), text(flesh + 4)] } } : {}) };
    }),
    vertexCount: word(at + 36),
  };
}

/** A piece of the body that a decomposition leaves out, and why. */
export interface LeftOut {
  name: string;
  reason: string;
}

/** A plan, and what is to be said about it. */
export interface MadePlan {
  plan: PatchPlan;
  leftOut: LeftOut[];
  /** features that are elsewhere now, and how far the farthest has gone */
  moved: number;
  farthest: number;
}

/** A skin that is divided. */
export class Skin {
  constructor(readonly patches: Patches, readonly handle: number, private scratch: Scratch) {}

  /** Finds the features and boundaries of a plan; what it cannot is thrown. Names and zones are not looked at. */
  trace(plan: PatchPlan, source: string): Trace {
    const { patches } = this;
    const scratch = new Scratch(patches);
    try {
      const made = patches.exports.trace_make(this.handle, writePlan(scratch, plan, source)) >>> 0;
      if (!made) throw patches.fail();
      const features = new DataView(patches.memory, patches.exports.trace_features(made) >>> 0);
      const boundaries = new DataView(patches.memory, patches.exports.trace_boundaries(made) >>> 0);
      const found: Trace = {
        features: readPlaces(features, 8, plan.features.length, 32),
        paths: plan.boundaries.map((_, k) => {
          const at = 40 * k + 16;
          const points = new DataView(patches.memory, boundaries.getUint32(at + 4, true));
          return { ...readPlaces(points, 0, boundaries.getUint32(at, true), 16), length: boundaries.getFloat64(at + 8, true) };
        }),
      };
      patches.exports.trace_free(made);
      return found;
    } finally {
      scratch.free();
    }
  }

  /** The place nearest to a position of bind space. */
  nearest(position: Triple): { a: number; b: number; t: number } {
    const { patches } = this;
    const scratch = new Scratch(patches);
    const at = scratch.bytes(new Uint8Array(16));
    patches.exports.skin_nearest(this.handle, ...position, at);
    const { a, b, t } = readPlaces(new DataView(patches.memory, at), 0, 1, 16);
    scratch.free();
    return { a: a[0], b: b[0], t: t[0] };
  }

  /** A decomposition by skeleton and weights. Takes a moment. */
  divide(): MadePlan {
    return this.made(() => this.patches.exports.plan_find(this.handle));
  }
  /** A plan on the skin as it is now: of another mesh, features go to the nearest place. */
  fit(plan: PatchPlan, source: string): MadePlan {
    return this.made((scratch) => this.patches.exports.plan_fit(this.handle, writePlan(scratch, plan, source)));
  }
  /** One side of the body in place of the other: the left (or the right) one is kept. */
  mirror(plan: PatchPlan, left: boolean, source: string): MadePlan {
    return this.made((scratch) => this.patches.exports.plan_mirror(this.handle, writePlan(scratch, plan, source), left ? 1 : 0));
  }

  private made(make: (scratch: Scratch) => number): MadePlan {
    const { patches } = this;
    const { plan_items, plan_piece_count, plan_pieces, plan_moves, plan_farthest, plan_free } = patches.exports;
    const scratch = new Scratch(patches);
    try {
      const at = make(scratch) >>> 0;
      if (!at) throw patches.fail();
      const leftOut = Array.from({ length: plan_piece_count(at) }, (_, k) => {
        const [name, reason] = patches.uints((plan_pieces(at) >>> 0) + 24 * k, 2);
        return { name: patches.text(name), reason: patches.text(reason) };
      });
      const done = { plan: readPlan(patches, plan_items(at) >>> 0), leftOut, moved: plan_moves(at), farthest: plan_farthest(at) };
      plan_free(at);
      return done;
    } finally {
      scratch.free();
    }
  }

  /** Cuts the skin along what was traced; what is wrong with that is thrown. */
  cut(plan: PatchPlan, trace: Trace, source: string): Cut {
    const { patches } = this;
    const scratch = new Scratch(patches);
    const features = structures(scratch, plan.features.length, 32, (k) => {
      const own = scratch.text(plan.features[k].name);
      const { a, b, t } = trace.features;
      return (to) => to.word(own).align().word(a[k]).word(b[k]).numbers(t[k]).word(0);
    });
    const boundaries = structures(scratch, plan.boundaries.length, 40, (k) => {
      const { name, from, to } = plan.boundaries[k];
      const path = trace.paths[k];
      const own = scratch.text(name);
      const points = structures(scratch, path.a.length, 16, (i) => (writer) => writer.word(path.a[i]).word(path.b[i]).numbers(path.t[i]));
      return (writer) => writer.word(own).word(from).word(to).align().word(path.a.length).word(points).numbers(path.length).word(0);
    });
    const at = scratch.words([0, 0, 0, 0, 0, scratch.text(source), plan.features.length, plan.boundaries.length,
      plan.patches.length, features, boundaries, writeNames(scratch, plan)]);
    const made = patches.exports.cut_make(this.handle, at) >>> 0;
    if (made) return new Cut(patches, made, scratch);
    const problem = patches.fail();
    scratch.free();
    throw problem;
  }

  free(): void {
    this.patches.exports.skin_free(this.handle);
    this.scratch.free();
  }
}

function readPlaces(data: DataView, at: number, count: number, bytes: number): Places {
  const places: Places = { a: new Uint32Array(count), b: new Uint32Array(count), t: new Float64Array(count) };
  for (let k = 0; k < count; k++, at += bytes) {
    places.a[k] = data.getUint32(at, true);
    places.b[k] = data.getUint32(at + 4, true);
    places.t[k] = data.getFloat64(at + 8, true);
  }
  return places;
}

/** The patches of a skin. */
export class Cut {
  /** of the cut mesh: where its vertices are on the skin, its triangles, and the patch of each or -1 */
  readonly points: Places;
  readonly triangles: Uint32Array;
  readonly regions: Int32Array;
  readonly list: Patch[];
  /** regions that are no patches */
  readonly leftOut: { count: number; area: number };
  readonly euler: number;

  constructor(readonly patches: Patches, readonly handle: number, private scratch: Scratch) {
    const at = patches.exports.cut_patches(handle) >>> 0;
    const view = new DataView(patches.memory, at);
    const word = (k: number): number => view.getUint32(4 * k, true);
    this.points = readPlaces(new DataView(patches.memory, word(4)), 0, word(0), 16);
    this.triangles = patches.uints(word(3), 3 * word(1)).slice();
    this.regions = Int32Array.from(patches.uints(word(6), word(1)), (k) => (k === NONE ? -1 : k));
    this.list = Array.from({ length: word(8) }, (_, k) => this.read(word(9) + 48 * k));
    this.leftOut = { count: word(10), area: view.getFloat64(48, true) };
    this.euler = view.getInt32(56, true);
  }

  private read(at: number): Patch {
    const { patches } = this;
    const [name, zone, count, sides] = patches.uints(at, 4);
    const list = patches.uints(sides, 2 * count);
    return {
      name: patches.text(name),
      zone: patches.text(zone),
      sides: Array.from({ length: count }, (_, k) => ({ boundary: list[2 * k], backwards: (list[2 * k + 1] & 255) !== 0 })),
      area: new DataView(patches.memory, at + 40).getFloat64(0, true),
    };
  }

  /** The first difference from the patches of another skin; '' if they correspond. */
  difference(other: Cut): string {
    return this.patches.exports.cut_matches(this.handle, other.handle) ? '' : this.patches.fail().message;
  }

  free(): void {
    this.patches.exports.cut_free(this.handle);
    this.scratch.free();
  }
}
