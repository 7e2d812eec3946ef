// SPDX-License-Identifier: MIT
/**
 * Supple in JavaScript: libsupple and libsupple_author as a WebAssembly module.
 *
 *   const supple = await Supple.load(bytes);                 // the bytes of supple.wasm
 *   const [raw] = readGltf(glb, supple);                     // gltf.ts; or arrays of your own
 *   const hero = supple.character(raw);
 *   const flesh = hero.surface(supple.presets[0].numbers);   // or hero.model(block) out of a file
 *   const stage = hero.stage([flesh]);
 *   stage.play(0, 0, true);
 *   stage.step(1 / 60);                                      // each frame
 *   stage.positions;                                         // [3 * renderVertexCount]
 *
 * Arrays that are handed out are views of the module's memory: use them before the next call, or
 * copy them. Everything that was made is freed by its free(); nothing is shared between modules.
 */

/** One primitive of a file: arrays as in supple/author/build.h. */
export interface RawPart {
  name: string;
  node: number;
  mesh: number;
  primitive: number;
  material: number;
  mirrored: boolean;
  positions: Float32Array;
  triangles: Uint32Array;
  normals: Float32Array | null;
  tangents: Float32Array | null;
  uvs: Float32Array | null;
  influenceCount: number;
  bones: Uint32Array;
  weights: Float32Array;
  morphOffsets: (Float32Array | null)[];
  mapValues: (Float32Array | null)[];
}

export interface RawTrack {
  target: number;
  /** 0 translation, 1 rotation, 2 scale, 3 morph weights */
  channel: number;
  /** 0 linear, 1 step, 2 cubic */
  interpolation: number;
  width: number;
  times: Float32Array;
  values: Float32Array;
}

export interface RawClip {
  name: string;
  tracks: RawTrack[];
}

export interface RawCharacter {
  name: string;
  parents: Int32Array;
  /** per joint: translation, rotation xyzw, scale */
  rest: Float32Array;
  jointNames: string[];
  boneJoints: Uint32Array;
  /** per bone: 12 numbers, column by column */
  inverseBind: Float32Array;
  parts: RawPart[];
  clips: RawClip[];
  morphs: { name: string; weight: number }[];
  mapNames: string[];
}

/** Numbers of a preset: how flesh is. */
export interface FleshNumbers {
  /** Hz, how the thickest tenth of the body swings */
  frequency: number;
  /** ratio: 0 rings for ever, 1 does not swing */
  damping: number;
  slope: number;
  thin: number;
  thick: number;
  /** of the inertia that is felt, 0..1 */
  amount: number;
  detail: number;
  volume: number;
  spread: number;
  /** greatest offset, in thicknesses of the flesh */
  reach: number;
}

export interface Preset {
  name: string;
  summary: string;
  numbers: FleshNumbers;
}

const FLESH: (keyof FleshNumbers)[] = [
  'frequency', 'damping', 'slope', 'thin', 'thick', 'amount', 'detail', 'volume', 'spread', 'reach',
];

/** The maps of a surface model, in the order of its rows. */
export const SURFACE_MAPS = [
  'stiffness', 'detail', 'volume', 'damping', 'drag', 'amount', 'reach', 'backstop',
];

export interface Pull {
  /** of the body */
  vertex: number;
  target: [number, number, number];
  /** 1: exactly there; below: share of the way per step */
  strength: number;
}

export interface Ball {
  centre: [number, number, number];
  /** metres per second */
  velocity: [number, number, number];
  radius: number;
}

export interface Blow {
  centre: [number, number, number];
  radius: number;
  velocity: [number, number, number];
}

export interface Comparison {
  /** RMS(A - B) / RMS(skinning - B): 1 is no better than plain skinning */
  relativeError: number;
  rms: number;
  worst: number;
  worstVertex: number;
  worstFrame: number;
  /** of the strongest vibration of B: Hz, metres, A's amplitude over B's, likeness 0..1 */
  frequency: number;
  amplitude: number;
  amplitudeRatio: number;
  coherence: number;
  /** per frame, metres */
  frames: Float32Array;
  skinningFrames: Float32Array;
  /** per body vertex, metres */
  vertices: Float32Array;
}

type Exports = Record<string, (...numbers: number[]) => number> & {
  memory: WebAssembly.Memory;
  hash(block: number, bytes: number, seed: bigint): bigint;
  stage_hash(stage: number): bigint;
};

/** A failure with a sentence for people. */
export class SuppleError extends Error {
  override name = 'SuppleError';
}

/** Arrays that live in the module for the time of one call. */
class Scratch {
  private blocks: number[] = [];
  constructor(private supple: Supple) {}

  bytes(data: ArrayBufferView): number {
    const at = this.supple.allocate(data.byteLength);
    this.blocks.push(at);
    new Uint8Array(this.supple.memory, at, data.byteLength).set(
      new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return at;
  }
  array(data: ArrayBufferView | null): number {
    return data ? this.bytes(data) : 0;
  }
  text(text: string): number {
    return this.bytes(new TextEncoder().encode(text + '\0'));
  }
  words(words: number[]): number {
    return this.bytes(new Uint32Array(words));
  }
  texts(list: string[]): number {
    return this.words(list.map((text) => this.text(text)));
  }
  free(): void {
    for (const block of this.blocks) this.supple.exports.release(block);
  }
}

const floatBits = (x: number): number => new Uint32Array(new Float32Array([x]).buffer)[0];

export class Supple {
  readonly exports: Exports;
  readonly presets: Preset[] = [];

  private constructor(instance: WebAssembly.Instance) {
    this.exports = instance.exports as unknown as Exports;
    const { preset_count, preset_name, preset_summary, preset_numbers } = this.exports;
    for (let k = 0; k < preset_count(); k++) {
      const values = this.floats(preset_numbers(k), FLESH.length);
      const numbers = Object.fromEntries(FLESH.map((key, i) => [key, values[i]]));
      this.presets.push({
        name: this.text(preset_name(k)),
        summary: this.text(preset_summary(k)),
        numbers: numbers as unknown as FleshNumbers,
      });
    }
  }

  /** Starts a module from the bytes of supple.wasm. */
  static async load(wasm: BufferSource): Promise<Supple> {
    const { instance } = await WebAssembly.instantiate(wasm, {});
    return new Supple(instance);
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

  floats(at: number, count: number): Float32Array {
    return new Float32Array(this.memory, at >>> 0, count);
  }
  uints(at: number, count: number): Uint32Array {
    return new Uint32Array(this.memory, at >>> 0, count);
  }
  text(at: number): string {
    const bytes = new Uint8Array(this.memory);
    return new TextDecoder().decode(bytes.slice(at >>> 0, bytes.indexOf(0, at >>> 0)));
  }

  /** XXH64, as in every report of the command line. */
  hash(data: ArrayBufferView, seed = 0n): bigint {
    const scratch = new Scratch(this);
    const value = this.exports.hash(scratch.bytes(data), data.byteLength, seed);
    scratch.free();
    return BigInt.asUintN(64, value);
  }

  /** A node's matrix as translation, rotation, scale: 10 numbers. */
  decompose(matrix: ArrayLike<number>): Float32Array {
    const scratch = new Scratch(this);
    const at = scratch.bytes(Float32Array.from(matrix));
    const out = scratch.bytes(new Float32Array(10));
    this.exports.decompose(at, out);
    const parts = this.floats(out, 10).slice();
    scratch.free();
    return parts;
  }

  /** The last failure as an exception. */
  fail(context: string): SuppleError {
    const sentence = this.text(this.exports.error());
    return new SuppleError(context ? `${context}: ${sentence}` : sentence);
  }

  /** Welds and checks; the arrays are copied. */
  character(raw: RawCharacter): Character {
    const scratch = new Scratch(this);
    try {
      const made = this.exports.character_make(writeRaw(scratch, raw)) >>> 0;
      if (!made) throw this.fail(raw.name);
      return new Character(this, made, raw);
    } finally {
      scratch.free();
    }
  }
}

function writeRaw(s: Scratch, raw: RawCharacter): number {
  const part = (p: RawPart): number[] => [
    s.text(p.name), p.node, p.mesh, p.primitive, p.material, p.mirrored ? 1 : 0,
    p.positions.length / 3, p.triangles.length / 3, s.bytes(p.positions), s.bytes(p.triangles),
    s.array(p.normals), s.array(p.tangents), s.array(p.uvs), p.influenceCount, s.bytes(p.bones),
    s.bytes(p.weights),
    p.morphOffsets.length ? s.words(p.morphOffsets.map((offsets) => s.array(offsets))) : 0,
    p.mapValues.length ? s.words(p.mapValues.map((values) => s.array(values))) : 0,
  ];
  const track = (t: RawTrack): number[] => [
    t.target, t.channel, t.interpolation, t.width, t.times.length, s.bytes(t.times),
    s.bytes(t.values),
  ];
  const clip = (c: RawClip): number[] => [
    s.text(c.name), 0, c.tracks.length, s.words(c.tracks.flatMap(track)),
  ];
  return s.words([
    s.text(raw.name),
    raw.parents.length, raw.boneJoints.length, s.bytes(raw.parents), s.bytes(raw.rest),
    s.texts(raw.jointNames), s.bytes(raw.boneJoints), s.bytes(raw.inverseBind),
    raw.parts.length, s.words(raw.parts.flatMap(part)),
    raw.clips.length, s.words(raw.clips.flatMap(clip)),
    raw.morphs.length, s.words(raw.morphs.flatMap((m) => [s.text(m.name), floatBits(m.weight)])),
    raw.mapNames.length, s.texts(raw.mapNames),
    0, 0, 0,
  ]);
}

/** A welded character. */
export class Character {
  readonly bodyVertexCount: number;
  readonly bodyTriangleCount: number;
  readonly renderVertexCount: number;
  readonly renderTriangleCount: number;
  readonly jointCount: number;
  readonly boneCount: number;
  readonly verticesMerged: number;
  /** [renderVertexCount] body vertex of each render vertex */
  readonly toBody: Uint32Array;
  /** [bodyVertexCount] first render vertex of each body vertex */
  readonly firstRender: Uint32Array;
  private view: Uint32Array;

  constructor(readonly supple: Supple, readonly handle: number, readonly raw: RawCharacter) {
    this.view = supple.uints(supple.exports.character_view(handle), 20).slice();
    [this.bodyVertexCount, this.bodyTriangleCount, this.renderVertexCount,
      this.renderTriangleCount, this.jointCount, this.boneCount] = this.view;
    this.verticesMerged = this.view[19];
    this.toBody = supple.uints(this.view[11], this.renderVertexCount).slice();
    this.firstRender = new Uint32Array(this.bodyVertexCount);
    for (let v = this.renderVertexCount; v-- > 0;) this.firstRender[this.toBody[v]] = v;
  }

  get bodyPositions(): Float32Array {
    return this.supple.floats(this.view[9], 3 * this.bodyVertexCount);
  }
  get renderTriangles(): Uint32Array {
    return this.supple.uints(this.view[12], 3 * this.renderTriangleCount);
  }
  get parents(): Int32Array {
    return new Int32Array(this.supple.memory, this.view[13], this.jointCount);
  }
  get clips(): RawClip[] {
    return this.raw.clips;
  }

  /** Seconds. */
  clipDuration(clip: number): number {
    let end = 0;
    for (const track of this.raw.clips[clip].tracks) {
      end = Math.max(end, track.times[track.times.length - 1]);
    }
    return end;
  }

  /** How much each body vertex hangs on a joint, 0..1. */
  jointWeights(joint: number): Float32Array {
    const n = this.bodyVertexCount;
    const offsets = this.supple.uints(this.view[15], n + 1);
    const bones = this.supple.uints(this.view[16], offsets[n]);
    const weights = this.supple.floats(this.view[17], offsets[n]);
    const joints = this.supple.uints(this.view[14], this.boneCount);
    const out = new Float32Array(n);
    for (let v = 0; v < n; v++) {
      for (let k = offsets[v]; k < offsets[v + 1]; k++) {
        if (joints[bones[k]] === joint) out[v] += weights[k];
      }
    }
    return out;
  }

  /** How much skin each joint carries: sums of weights. */
  jointShares(): Float32Array {
    const n = this.bodyVertexCount;
    const offsets = this.supple.uints(this.view[15], n + 1);
    const bones = this.supple.uints(this.view[16], offsets[n]);
    const weights = this.supple.floats(this.view[17], offsets[n]);
    const joints = this.supple.uints(this.view[14], this.boneCount);
    const out = new Float32Array(this.jointCount);
    for (let k = 0; k < offsets[n]; k++) out[joints[bones[k]]] += weights[k];
    return out;
  }

  /** A painted map of the file on the body's vertices. */
  map(index: number): Float32Array {
    const [, values] = this.supple.uints(this.view[18] + 8 * index, 2);
    return this.supple.floats(values, this.bodyVertexCount).slice();
  }

  /** A model block out of a file. */
  model(block: Uint8Array): Model {
    const scratch = new Scratch(this.supple);
    const made = this.supple.exports.model_load(this.handle, scratch.bytes(block), block.length);
    scratch.free();
    if (!made) throw this.supple.fail('');
    return new Model(this.supple, made >>> 0, this);
  }

  /** Flesh by numbers. Takes a moment: the model is probed for stability. */
  surface(numbers: FleshNumbers): Model {
    const scratch = new Scratch(this.supple);
    const list = scratch.bytes(Float32Array.from(FLESH.map((key) => numbers[key])));
    const made = this.supple.exports.surface_make(this.handle, list);
    scratch.free();
    if (!made) throw this.supple.fail('');
    return new Model(this.supple, made >>> 0, this);
  }

  /** A character in motion; without models by plain skinning. */
  stage(models: Model[] = [], dual = false): Stage {
    const scratch = new Scratch(this.supple);
    const list = scratch.words(models.map((model) => model.handle));
    const made = this.supple.exports.stage_make(this.handle, list, models.length, dual ? 1 : 0);
    scratch.free();
    if (!made) throw this.supple.fail('');
    return new Stage(this.supple, made >>> 0, this);
  }

  /** Motion A against motion B: positions [frames * 3 * bodyVertexCount]. */
  compare(fps: number, a: Float32Array, b: Float32Array, skinning: Float32Array): Comparison {
    const n = this.bodyVertexCount;
    const frames = a.length / (3 * n);
    const scratch = new Scratch(this.supple);
    try {
      const report = scratch.bytes(new Float32Array(9));
      const perFrame = scratch.bytes(new Float32Array(3 * frames));
      const perVertex = scratch.bytes(new Float32Array(n));
      const good = this.supple.exports.compare(this.handle, frames, fps, scratch.bytes(a),
        scratch.bytes(b), scratch.bytes(skinning), report, perFrame, perVertex);
      if (!good) throw this.supple.fail('');
      const [relativeError, rms, worst, worstVertex, worstFrame, frequency, amplitude,
        amplitudeRatio, coherence] = this.supple.floats(report, 9);
      const triples = this.supple.floats(perFrame, 3 * frames);
      return {
        relativeError, rms, worst, worstVertex, worstFrame, frequency, amplitude, amplitudeRatio,
        coherence,
        frames: triples.filter((_, k) => k % 3 === 0),
        skinningFrames: triples.filter((_, k) => k % 3 === 2),
        vertices: this.supple.floats(perVertex, n).slice(),
      };
    } finally {
      scratch.free();
    }
  }

  free(): void {
    this.supple.exports.character_free(this.handle);
  }
}

export class Model {
  constructor(readonly supple: Supple, readonly handle: number, readonly character: Character) {}

  /** Four letters, for example SURF. */
  get kind(): string {
    const code = this.supple.exports.model_kind(this.handle);
    return String.fromCharCode(code & 255, (code >> 8) & 255, (code >> 16) & 255, (code >> 24) & 255);
  }
  get bytes(): number {
    return this.supple.exports.model_bytes(this.handle);
  }
  /** A map of a surface model, on the body's vertices. */
  map(row: number): Float32Array {
    const n = this.character.bodyVertexCount;
    const at = this.supple.allocate(4 * n);
    this.supple.exports.model_map(this.handle, row, at);
    const values = this.supple.floats(at, n).slice();
    this.supple.release(at);
    return values;
  }
  free(): void {
    this.supple.exports.model_free(this.handle);
  }
}

/** One living character. */
export class Stage {
  /** seconds per step of its dynamics; 0 without */
  readonly h: number;
  /** diagonal of the body */
  readonly size: number;
  readonly hasSurface: boolean;
  /** seconds in the clip, after the last step */
  time = 0;
  pulls: Pull[] = [];
  balls: Ball[] = [];
  blows: Blow[] = [];
  wind: [number, number, number] = [0, 0, 0];
  /** 1/s: how fast flesh takes on the air's velocity */
  windDrag = 0;
  private view: Uint32Array;

  constructor(readonly supple: Supple, readonly handle: number, readonly character: Character) {
    this.view = supple.uints(supple.exports.stage_view(handle), 18).slice();
    const numbers = new Float32Array(this.view.buffer);
    this.h = numbers[13];
    this.size = numbers[14];
    this.hasSurface = this.view[15] !== 0;
  }

  get positions(): Float32Array {
    return this.supple.floats(this.view[0], 3 * this.character.renderVertexCount);
  }
  get normals(): Float32Array {
    return this.supple.floats(this.view[1], 3 * this.character.renderVertexCount);
  }
  /** per joint 12 numbers: joint -> scene */
  get joints(): Float32Array {
    return this.supple.floats(this.view[2], 12 * this.character.jointCount);
  }
  /** where the whole character was moved to, rounds of a walk included */
  get root(): Float32Array {
    return this.supple.floats(this.view[5], 3);
  }
  /** moves the whole character; flesh feels it */
  set move(to: [number, number, number]) {
    this.supple.floats(this.view[4], 3).set(to);
  }

  /** The clip (or -1: the rest pose) and where in it the next frame is. */
  play(clip: number, time: number, loop: boolean): void {
    this.supple.exports.stage_play(this.handle, clip >>> 0, time, loop ? 1 : 0);
    this.time = time;
  }

  /** In the next step the clip stands still, and flesh moves on. */
  still(): void {
    this.supple.exports.stage_still(this.handle);
  }

  /** dt seconds on. */
  step(dt: number): void {
    const pulls = Math.min(this.pulls.length, this.view[8]);
    const balls = Math.min(this.balls.length, this.view[10]);
    const blows = Math.min(this.blows.length, this.view[12]);
    const floats = new Float32Array(this.supple.memory);
    const uints = new Uint32Array(this.supple.memory);
    for (let k = 0, at = this.view[7] / 4; k < pulls; k++, at += 5) {
      uints[at] = this.pulls[k].vertex;
      floats.set(this.pulls[k].target, at + 1);
      floats[at + 4] = this.pulls[k].strength;
    }
    const h = this.h || 1 / 60;
    for (let k = 0, at = this.view[9] / 4; k < balls; k++, at += 11) {
      const { centre, velocity, radius } = this.balls[k];
      floats.set(centre, at);
      floats.set(centre, at + 3);
      floats.set(velocity.map((v) => v * h), at + 6);
      floats[at + 9] = radius;
      floats[at + 10] = 0;
    }
    for (let k = 0, at = this.view[11] / 4; k < blows; k++, at += 7) {
      floats.set(this.blows[k].centre, at);
      floats[at + 3] = this.blows[k].radius;
      floats.set(this.blows[k].velocity, at + 4);
    }
    const forces = this.view[6] / 4;
    floats.set([0, 0, 0, ...this.wind, this.windDrag], forces);
    this.time = this.supple.exports.stage_step(this.handle, dt, pulls, balls, blows);
    this.blows.length = 0;
  }

  /** Starts afresh at its pose. */
  reset(): void {
    this.supple.exports.stage_reset(this.handle);
  }

  /** Of the positions. */
  hash(): bigint {
    return BigInt.asUintN(64, this.supple.exports.stage_hash(this.handle));
  }

  exaggerate(plain: Stage, share: number): void {
    this.supple.exports.stage_exaggerate(this.handle, plain.handle, share);
  }

  /** Turns the joints above so that `joint` comes to the target. */
  reach(joint: number, chain: number, target: [number, number, number]): void {
    this.supple.exports.stage_reach(this.handle, joint, chain, ...target);
  }
  look(joint: number, share: number, target: [number, number, number]): void {
    this.supple.exports.stage_look(this.handle, joint, share, ...target);
  }
  /** Lets go of what reach and look did, by a share. */
  relax(share: number): void {
    this.supple.exports.stage_relax(this.handle, share);
  }
  /** Takes over another stage's turns. */
  follow(leader: Stage): void {
    this.supple.exports.stage_follow(this.handle, leader.handle);
  }

  free(): void {
    this.supple.exports.stage_free(this.handle);
  }
}
