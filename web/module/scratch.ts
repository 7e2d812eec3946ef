// SPDX-License-Identifier: MIT
/** What crosses into the module's memory for the time of one call. */
import type { Supple } from './supple.js';

export type Exports = Record<string, (...numbers: number[]) => number> & {
  memory: WebAssembly.Memory;
  hash(block: number, bytes: number, seed: bigint): bigint;
  stage_hash(stage: number): bigint;
};

/** A failure with a sentence for people. */
export class SuppleError extends Error {
  override name = 'SuppleError';
}

/** The memory of a module. */
export interface Heap {
  readonly memory: ArrayBuffer;
  allocate(bytes: number): number;
  release(block: number): void;
}

/** Arrays that live in the module for the time of one call, or of what was made of them. */
export class Scratch {
  private blocks: number[] = [];
  constructor(private heap: Heap) {}

  bytes(data: ArrayBufferView): number {
    const at = this.heap.allocate(data.byteLength);
    this.blocks.push(at);
    new Uint8Array(this.heap.memory, at, data.byteLength).set(
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
    for (const block of this.blocks.splice(0)) this.heap.release(block);
  }
}

/** Gives `blend` the fractions of so many materials; whatever is wrong with them is thrown. */
export function blendMaterials(supple: Supple, count: number, fractions: number[], blend: (at: number) => number): void {
  if (fractions.length !== count) throw new SuppleError(`${fractions.length} fractions for ${count} materials`);
  const scratch = new Scratch(supple);
  const good = blend(scratch.bytes(Float32Array.from(fractions)));
  scratch.free();
  if (!good) throw supple.fail('');
}
