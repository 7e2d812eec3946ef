// SPDX-License-Identifier: MIT
/** Characters, their models, and how far two motions are apart. */
import { FLESH, FleshNumbers } from './flesh.js';
import type { RawCharacter, RawClip } from './raw.js';
import { Scratch } from './scratch.js';
import { Stage } from './stage.js';
import type { Supple } from './supple.js';

export interface Comparison {
  /** RMS(A - B) / RMS(skinning - B): 1 is no better than plain skinning */
  relativeError: number;
  rms: number;
  worst: number;
  worstVertex: number;
  worstFrame: number;
  /** of the main oscillation of B: Hz, metres, A's amplitude over B's, likeness 0..1, how late A is in radians */
  frequency: number;
  amplitude: number;
  amplitudeRatio: number;
  coherence: number;
  phase: number;
  /** 1 or more: it is an oscillation, not noise or the pose */
  clarity: number;
  /** greatest deviation of the enclosed volume from rest, as a fraction, of A and of B; NaN without a closed piece */
  volume: number;
  referenceVolume: number;
  /** per frame, metres */
  frames: Float32Array;
  skinningFrames: Float32Array;
  /** per body vertex, metres */
  vertices: Float32Array;
}

/** A welded skin: bind positions, triangles, and weights of bones [offsets[v], offsets[v + 1]) of each vertex. */
export interface Body {
  positions: Float32Array;
  triangles: Uint32Array;
  offsets: Uint32Array;
  bones: Uint32Array;
  weights: Float32Array;
  influenceMax: number;
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
  /** The body and its skin weights: copies, for another module. */
  get body(): Body {
    const { supple, view, bodyVertexCount: n } = this;
    const offsets = supple.uints(view[15], n + 1).slice();
    let influenceMax = 0;
    for (let v = 0; v < n; v++) influenceMax = Math.max(influenceMax, offsets[v + 1] - offsets[v]);
    return {
      positions: this.bodyPositions.slice(),
      triangles: supple.uints(view[10], 3 * this.bodyTriangleCount).slice(),
      offsets,
      bones: supple.uints(view[16], offsets[n]).slice(),
      weights: supple.floats(view[17], offsets[n]).slice(),
      influenceMax,
    };
  }
  get renderTriangles(): Uint32Array {
    return this.supple.uints(this.view[12], 3 * this.renderTriangleCount);
  }
  get parents(): Int32Array {
    return new Int32Array(this.supple.memory, this.view[13], this.jointCount);
  }
  /** the joint of each bone */
  get boneJoints(): Uint32Array {
    return this.supple.uints(this.view[14], this.boneCount);
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

  /** The values of a track as they are played: what is written here is seen in the next frame. */
  trackValues(clip: number, track: number): Float32Array {
    const at = this.supple.exports.character_track(this.handle, clip, track);
    return this.supple.floats(at, this.raw.clips[clip].tracks[track].values.length);
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
  jointFractions(): Float32Array {
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
      const report = scratch.bytes(new Float32Array(13));
      const perFrame = scratch.bytes(new Float32Array(3 * frames));
      const perVertex = scratch.bytes(new Float32Array(n));
      const good = this.supple.exports.compare(this.handle, frames, fps, scratch.bytes(a),
        scratch.bytes(b), scratch.bytes(skinning), report, perFrame, perVertex);
      if (!good) throw this.supple.fail('');
      const [relativeError, rms, worst, worstVertex, worstFrame, frequency, amplitude,
        amplitudeRatio, coherence, phase, clarity, volume, referenceVolume] = this.supple.floats(report, 13);
      const triples = this.supple.floats(perFrame, 3 * frames);
      return {
        relativeError, rms, worst, worstVertex, worstFrame, frequency, amplitude, amplitudeRatio,
        coherence, phase, clarity, volume, referenceVolume,
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
  /** As a file has it; a copy. */
  get block(): Uint8Array {
    return new Uint8Array(this.supple.memory, this.supple.exports.model_block(this.handle) >>> 0, this.bytes).slice();
  }
  get bytes(): number {
    return this.supple.exports.model_bytes(this.handle);
  }
  /** Names of the materials that helpers know. */
  get materials(): string[] {
    const { model_materials, model_material } = this.supple.exports;
    return Array.from({ length: model_materials(this.handle) }, (_, k) => this.supple.text(model_material(this.handle, k)));
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
