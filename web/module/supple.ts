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
import { Character } from './character.js';
import { FLESH, FleshNumbers, Preset } from './flesh.js';
import { RawCharacter, writeRaw } from './raw.js';
import { Exports, Scratch, SuppleError } from './scratch.js';

export { Character, Model } from './character.js';
export type { Body, Comparison } from './character.js';
export { Chunks } from './chunks.js';
export type { Bulge, Chunk } from './chunks.js';
export { Crowd } from './crowd.js';
export { SURFACE_MAPS } from './flesh.js';
export type { FleshNumbers, Preset } from './flesh.js';
export type { RawCharacter, RawClip, RawEvent, RawPart, RawTrack } from './raw.js';
export { SuppleError } from './scratch.js';
export { Envelope, Stage } from './stage.js';
export type { ControlMove } from './stage.js';
export type { Ball, Blow, Pull } from './stage.js';

/** Of a memory, copied at a time. */
const SLICE = 1 << 24;

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

  /**
   * Starts a module that was compiled before. With the memory of another one (a copy), it goes on
   * where that one was: the handles of its characters and models are good here.
   */
  static async start(module: WebAssembly.Module, memory?: ArrayBuffer): Promise<Supple> {
    const instance = await WebAssembly.instantiate(module, {});
    if (memory) {
      const own = instance.exports.memory as WebAssembly.Memory;
      const more = memory.byteLength - own.buffer.byteLength;
      if (more > 0) own.grow(more / 65536);
      for (let at = 0; at < memory.byteLength; at += SLICE) {
        if (at) await new Promise((done) => setTimeout(done, 0)); // pages go on between slices
        const bytes = Math.min(SLICE, memory.byteLength - at);
        new Uint8Array(own.buffer, at, bytes).set(new Uint8Array(memory, at, bytes));
      }
    }
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
