// SPDX-License-Identifier: MIT
/** Many characters of one kind, moved by their helpers; vertices only of those drawn. */
import type { Character, Model } from './character.js';
import { blendMaterials } from './scratch.js';

export class Crowd {
  private view: Uint32Array;

  private constructor(readonly handle: number, readonly character: Character, readonly count: number,
    readonly mostDrawn: number, readonly materials: number) {
    this.view = this.look();
  }

  static make(character: Character, model: Model, count: number, mostDrawn: number): Crowd {
    const made = character.supple.exports.crowd_make(character.handle, model.handle, count, mostDrawn) >>> 0;
    if (!made) throw character.supple.fail('');
    return new Crowd(made, character, count, mostDrawn, model.materials.length);
  }

  private look(): Uint32Array {
    const { supple } = this.character;
    return supple.uints(supple.exports.crowd_view(this.handle), 6).slice();
  }

  /** [3 * count] where each stands */
  get places(): Float32Array {
    return this.character.supple.floats(this.view[0], 3 * this.count);
  }
  /** [count] seconds by which each is ahead of the clip; set before play */
  get times(): Float32Array {
    return this.character.supple.floats(this.view[1], this.count);
  }
  /** [3 * bodyVertexCount] of each place that was drawn */
  get positions(): Float32Array {
    return this.character.supple.floats(this.view[2], 3 * this.character.bodyVertexCount * this.mostDrawn);
  }
  /** [count] 0: still, 1: by the pose, 2: swinging */
  get levels(): Uint32Array {
    return this.character.supple.uints(this.view[3], this.count);
  }
  /** how many are stepped: swinging, and by the pose alone; those that fade count */
  get active(): { swinging: number; posed: number } {
    const [, , , , full, posed] = this.look();
    return { swinging: full, posed: posed - full };
  }

  /** All start afresh in that clip; `size` is that of a stage. Without a loop each stays where the clip ends. */
  play(clip: number, size: number, loop = true): void {
    this.character.supple.exports.crowd_play(this.handle, clip >>> 0, size, Number(loop));
  }
  /** `time` seconds after that, as if all had been played up to it from `lead` seconds before. */
  seek(time: number, lead: number, exaggerate = 1): void {
    this.character.supple.exports.crowd_seek(this.handle, time, lead, exaggerate);
  }
  /** From now on the clip begins again, or each stays where it ends. */
  loop(on: boolean): void {
    this.character.supple.exports.crowd_loop(this.handle, Number(on));
  }
  /** What they are all made of: a fraction of each material, 1 together. */
  blend(fractions: number[]): void {
    const { supple } = this.character;
    blendMaterials(supple, this.materials, fractions, (at) => supple.exports.crowd_blend(this.handle, at));
  }
  /** Level of detail by distance from the eye, `most` at most. */
  levelsFrom(eye: [number, number, number], near: number, far: number, most = 2): void {
    this.character.supple.exports.crowd_levels(this.handle, ...eye, near, far, most);
  }
  /** dt seconds on, `still` in the flesh alone; how many steps that were. */
  step(dt: number, exaggerate = 1, still = false): number {
    return this.character.supple.exports.crowd_step(this.handle, dt, exaggerate, Number(still));
  }
  /** The vertices of one of them, into a place of the positions. */
  draw(instance: number, place: number): void {
    this.character.supple.exports.crowd_draw(this.handle, instance, place);
  }
  free(): void {
    this.character.supple.exports.crowd_free(this.handle);
  }
}
