// SPDX-License-Identifier: MIT
/** The chunks of a stage: how strong each is, its bulges, its nodes and lines between them. */
import type { Stage } from './stage.js';

/** bytes of a name, of a bulge, of a chunk; words of an edge; the order of SupChunksPiece */
const NAME = 32;
const BULGE = 40;
const PIECE = 200;
const EDGE = 4;
const NONE = 0xffffffff;
/** what is less is no weight of a node */
const LITTLE = 1e-4;

export interface Bulge {
  name: string;
  /** raised by an angle of a joint, the area of the shell below it, or by nothing but whoever plays */
  driver: 'hand' | 'angle' | 'area';
  /** no higher and no deeper than this */
  most: number;
}

export interface Chunk {
  name: string;
  /** around a bone; else above the shell */
  limb: boolean;
  /** its nodes among all */
  first: number;
  count: number;
  /** pairs of places: nodes of all chunks, then vertices of the shell */
  lines: number[];
}

/** What stage_chunks points to. */
class Words {
  constructor(private stage: Stage, private words: Uint32Array) {}
  at(k: number): number {
    return this.words[k];
  }
  uints(k: number, count: number, from = 0): Uint32Array {
    return this.stage.supple.uints(this.words[k] + 4 * from, count);
  }
  floats(k: number, count: number, from = 0): Float32Array {
    return this.stage.supple.floats(this.words[k] + 4 * from, count);
  }
  name(k: number, i: number): string {
    return this.stage.supple.text(this.words[k] + NAME * i);
  }
}

/** Rings around the bone, and lines along it where two slices have as many nodes. Places are in the chunk's own space. */
export function limbLines(places: Float32Array, slices: Uint32Array): number[] {
  const rings: { node: number; angle: number }[][] = [];
  slices.forEach((slice, node) => {
    (rings[slice] ??= []).push({ node, angle: Math.atan2(places[3 * node + 1], places[3 * node]) });
  });
  const lines: number[] = [];
  const turn = (a: number, b: number): number => Math.abs(Math.atan2(Math.sin(a - b), Math.cos(a - b)));
  rings.forEach((ring, j) => {
    ring.sort((a, b) => a.angle - b.angle);
    ring.forEach(({ node }, k) => lines.push(node, ring[(k + 1) % ring.length].node));
    const before = rings[j - 1];
    if (before?.length !== ring.length) return;
    const apart = (shift: number): number => ring.reduce((sum, { angle }, k) => sum + turn(angle, before[(k + shift) % ring.length].angle), 0);
    let best = 0;
    for (let shift = 1; shift < ring.length; shift++) if (apart(shift) < apart(best)) best = shift;
    ring.forEach(({ node }, k) => lines.push(node, before[(k + best) % ring.length].node));
  });
  return lines;
}

/**
 * Sides of the triangles of a fan that was divided: `weights` are those of each node on the `sides` corners. Beside the lines, the
 * node at each corner.
 */
export function fanLines(weights: Float32Array, sides: number): { lines: number[]; corners: number[] } {
  const count = weights.length / sides;
  // How much each node has of the corners, then of the centre, which has as much of each.
  const shares = Array.from({ length: count }, (_, i) => {
    const own = weights.subarray(sides * i, sides * (i + 1));
    const least = Math.min(...own);
    return [...Array.from(own, (w) => w - least), sides * least].map((x) => (x > LITTLE ? x : 0));
  });
  const parts = Math.round(1 / Math.min(1, ...shares.flat().filter((x) => x > 0)));
  const steps = shares.map((share) => share.map((x) => Math.round(x * parts)));
  const numbers = new Map(steps.map((step, i) => [step.join(), i]));
  const centre = sides;
  /** Whether one triangle between two corners and the centre has all of these. */
  const together = (points: number[]): boolean => {
    const [a, b, c] = points.filter((p) => p !== centre);
    return c === undefined && (b === undefined || b - a === 1 || (a === 0 && b === sides - 1));
  };
  const lines: number[] = [];
  steps.forEach((step, i) => {
    for (let from = 0; from <= centre; from++) {
      for (let to = 0; to <= centre && step[from]; to++) {
        if (to === from || !together(step.map((x, p) => (x || p === to ? p : -1)).filter((p) => p >= 0))) continue;
        const next = numbers.get(step.map((x, p) => x - Number(p === from) + Number(p === to)).join());
        if (next !== undefined && next > i) lines.push(i, next);
      }
    }
  });
  const corners = Array.from({ length: sides }, (_, k) => steps.findIndex((step) => step[k] === parts));
  return { lines, corners };
}

export class Chunks {
  readonly chunks: Chunk[];
  readonly bulges: Bulge[];
  /** of the shell inside the trunk: pairs of places, as in the lines of a chunk */
  readonly shell: number[];
  /** nodes of all chunks, and vertices of the shell behind them */
  readonly placeCount: number;
  private words: Words;

  constructor(private stage: Stage, words: Uint32Array) {
    const w = this.words = new Words(stage, words);
    const [nodes, vertices] = [w.at(9), w.at(13)];
    this.placeCount = nodes + vertices;
    this.bulges = Array.from({ length: w.at(3) }, (_, k) => {
      const at = (BULGE / 4) * k;
      const driver = (['hand', 'angle', 'area'] as const)[w.uints(7, 1, at)[0]];
      return { name: w.name(4, k), driver, most: w.floats(7, 1, at + 7)[0] };
    });
    this.chunks = Array.from({ length: w.at(0) }, (_, k) => this.read(k));
    this.shell = Array.from({ length: w.at(16) }, (_, k) => [...w.uints(17, 2, EDGE * k)]).flat().map((vertex) => nodes + vertex);
  }

  private read(k: number): Chunk {
    const { words: w } = this;
    const piece = w.uints(8, PIECE / 4, (PIECE / 4) * k);
    const [limb, face, free, held, first, weight] = [24, 25, 33, 34, 38, 46].map((at) => piece[at]);
    const count = free + held;
    const chunk = { name: w.name(1, k), limb: limb !== NONE, first, count };
    if (chunk.limb) {
      const lines = limbLines(w.floats(10, 3 * count, 3 * first), w.uints(11, count, first));
      return { ...chunk, lines: lines.map((node) => first + node) };
    }
    const [begin, end] = w.uints(14, 2, face);
    const below = w.uints(15, end - begin, begin);
    const fan = fanLines(w.floats(12, count * below.length, weight), below.length);
    const columns = fan.corners.flatMap((node, c) => (node < 0 ? [] : [first + node, w.at(9) + below[c]]));
    return { ...chunk, lines: [...fan.lines.map((node) => first + node), ...columns] };
  }

  /** of each chunk, 0 to 1, from the next frame on: to be written */
  get strengths(): Float32Array {
    return this.words.floats(2, this.chunks.length);
  }
  /** times the height that the pose gives each bulge; to be written */
  get scales(): Float32Array {
    return this.words.floats(5, this.bulges.length);
  }
  /** added to it; to be written */
  get heights(): Float32Array {
    return this.words.floats(6, this.bulges.length);
  }

  /** Where nodes and the shell's vertices are in the last frame, three numbers each: out[3 * placeCount]. */
  places(out: Float32Array): void {
    const { supple, handle } = this.stage;
    const at = supple.allocate(12 * this.placeCount);
    supple.exports.stage_chunk_places(handle, at);
    out.set(supple.floats(at, 3 * this.placeCount));
    supple.release(at);
  }
}
