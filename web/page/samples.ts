// SPDX-License-Identifier: MIT
/** Positions frame by frame, as `supple view` packs them: body order, 16 bits within a box. */
import { Character } from '../module/supple.js';
import { smoothNormals } from './normals.js';

export interface SamplesHead {
  kind: 'samples';
  name: string;
  of: number;
  clip: string;
  fps: number;
  start: number;
  frames: number;
  vertices: number;
  x0: number; y0: number; z0: number; x1: number; y1: number; z1: number;
}

export class Samples {
  readonly clip: string;
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  private packed: Uint16Array;
  private body: Float32Array;
  private sums: Float32Array;

  constructor(readonly head: SamplesHead, bytes: Uint8Array, readonly character: Character) {
    this.clip = head.clip;
    this.packed = new Uint16Array(bytes.slice().buffer);
    this.body = new Float32Array(3 * head.vertices);
    this.sums = new Float32Array(3 * head.vertices);
    this.positions = new Float32Array(3 * character.renderVertexCount);
    this.normals = new Float32Array(3 * character.renderVertexCount);
  }

  get name(): string {
    return this.head.name.replace(/\.\w+$/, '');
  }

  /** A stored frame on the body's vertices. */
  frame(i: number, out: Float32Array): void {
    const { head, packed } = this;
    const at = i * 3 * head.vertices;
    const low = [head.x0, head.y0, head.z0];
    const step = [head.x1 - head.x0, head.y1 - head.y0, head.z1 - head.z0].map((s) => s / 65535);
    for (let k = 0; k < 3 * head.vertices; k++) out[k] = low[k % 3] + step[k % 3] * packed[at + k];
  }

  /** The moment `time` of the clip, on the render vertices, between frames linearly. */
  show(time: number): void {
    const { head, packed } = this;
    const at = Math.min(Math.max((time - head.start) * head.fps, 0), head.frames - 1);
    const i = Math.min(Math.floor(at), Math.max(head.frames - 2, 0));
    const part = at - i;
    const a = i * 3 * head.vertices;
    const b = Math.min(i + 1, head.frames - 1) * 3 * head.vertices;
    const low = [head.x0, head.y0, head.z0];
    const step = [head.x1 - head.x0, head.y1 - head.y0, head.z1 - head.z0].map((s) => s / 65535);
    for (let k = 0; k < 3 * head.vertices; k++) {
      const x = packed[a + k] * (1 - part) + packed[b + k] * part;
      this.body[k] = low[k % 3] + step[k % 3] * x;
    }
    const { toBody } = this.character;
    for (let v = 0; v < toBody.length; v++) {
      for (let k = 0; k < 3; k++) this.positions[3 * v + k] = this.body[3 * toBody[v] + k];
    }
    smoothNormals(this.character, this.body, this.sums, this.normals);
  }
}
