// SPDX-License-Identifier: MIT
/** A character in motion, and what is done to it. */
import type { Character } from './character.js';
import { Chunks } from './chunks.js';
import { blendMaterials } from './scratch.js';
import type { Supple } from './supple.js';

/** bytes of a patch's name */
const NAME = 32;

export interface Pull {
  /** of the body */
  vertex: number;
  target: [number, number, number];
  /** 1: exactly there; below: fraction of the way per step */
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

/** A control vertex of one example shape put elsewhere. */
export interface ControlMove {
  control: number;
  shape: number;
  move: [number, number, number];
}

/** The envelope of a stage: its patches, its control mesh. */
export class Envelope {
  readonly names: string[];
  /** pairs of control vertices */
  readonly edges: Uint32Array;
  readonly controlCount: number;
  /** of control vertices; empty where the model does not know */
  readonly controlNames: string[];
  /** of example shapes; shape 0 is the dress shape, which has none */
  readonly shapeNames: string[];
  private strengthsAt: number;

  constructor(private stage: Stage, words: Uint32Array) {
    const { supple } = stage;
    this.names = Array.from({ length: words[0] }, (_, k) => supple.text(words[1] + NAME * k));
    this.strengthsAt = words[2];
    this.controlCount = words[3];
    this.edges = supple.uints(words[5], 2 * words[4]).slice();
    const { stage_control_label, stage_shape_label } = supple.exports;
    const known = words[7] !== 0;
    this.controlNames = Array.from({ length: known ? words[3] : 0 }, (_, k) => supple.text(stage_control_label(stage.handle, k)));
    this.shapeNames = Array.from({ length: known ? words[6] : 0 }, (_, k) => supple.text(stage_shape_label(stage.handle, k)));
  }

  /** of each patch's residual, 0 to 4, from the next frame on: to be written */
  get strengths(): Float32Array {
    return this.stage.supple.floats(this.strengthsAt, this.names.length);
  }
  /** control vertices of the last frame */
  get controls(): Float32Array {
    const { supple, handle } = this.stage;
    return supple.floats(supple.exports.stage_controls(handle), 3 * this.controlCount);
  }
  /** Of a shape in a control vertex in the last frame. */
  share(control: number, shape: number): number {
    return this.stage.supple.exports.stage_share(this.stage.handle, control, shape);
  }
  /**
   * Control vertices of shapes put elsewhere from the next frame on, by moves in the scene as the character stands in the shape's
   * pose; all others as the model has them. Those that cannot be moved are left where they are, and counted.
   */
  moveControls(moves: readonly ControlMove[]): number {
    const { supple, handle } = this.stage;
    supple.exports.stage_move_none(handle);
    return moves.filter(({ control, shape, move }) => !supple.exports.stage_move_control(handle, control, shape, ...move)).length;
  }
  /** Which move takes a control vertex so much farther in the pose of the last frame. */
  moveSeen(control: number, shape: number, seen: [number, number, number]): [number, number, number] | null {
    const { supple, handle } = this.stage;
    const at = supple.exports.stage_move_seen(handle, control, shape, ...seen);
    return at ? [...supple.floats(at, 3)] as [number, number, number] : null;
  }
  /** Turns the joints as they are in a shape's pose, from the next frame on. */
  stand(shape: number): void {
    this.stage.supple.exports.stage_stand(this.stage.handle, shape);
  }
  /** Metres that stitching moved each body vertex in the last frame, and the lengths of residuals. */
  measure(): { stitched: Float32Array; residual: Float32Array } {
    const { supple, handle, character } = this.stage;
    const count = character.bodyVertexCount;
    const at = supple.allocate(8 * count);
    supple.exports.stage_stitching(handle, at);
    const both = supple.floats(at, 2 * count).slice();
    supple.release(at);
    return { stitched: both.subarray(0, count), residual: both.subarray(count) };
  }
}

/** One living character. */
export class Stage {
  /** seconds per step of its dynamics; 0 without */
  readonly h: number;
  /** diagonal of the body */
  readonly size: number;
  readonly hasSurface: boolean;
  /** names of the muscle groups */
  readonly muscles: string[];
  /** joints that swing by themselves */
  readonly helpers: number;
  /** how many its helpers know, in the order of the model; 0: one, without a name */
  readonly materials: number;
  /** its envelope, if it has one */
  readonly envelope: Envelope | null;
  /** its chunks, if it has some */
  readonly chunks: Chunks | null;
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
    this.helpers = supple.exports.stage_helpers(handle);
    this.materials = supple.exports.stage_materials(handle);
    const { stage_muscles, stage_muscle } = supple.exports;
    const envelope = supple.exports.stage_envelope(handle);
    this.envelope = envelope ? new Envelope(this, supple.uints(envelope, 8).slice()) : null;
    const chunks = supple.exports.stage_chunks(handle);
    this.chunks = chunks ? new Chunks(this, supple.uints(chunks, 18).slice()) : null;
    this.muscles = Array.from({ length: stage_muscles(handle) }, (_, k) => supple.text(stage_muscle(handle, k)));
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

  /**
   * A muscle begins to pull in the next step, for so many seconds (0: until it is told otherwise);
   * with strength 0 it lets go. `ago`: seconds before the end of that step.
   */
  activate(muscle: number, strength: number, seconds = 0, ago = 0): void {
    this.supple.exports.stage_activate(this.handle, muscle, strength, seconds, ago);
  }

  /** What swings of the helpers times `exaggerate`; 0: they stand still, 1: follow the pose, 2: swing. */
  help(exaggerate: number, level: number): void {
    this.supple.exports.stage_help(this.handle, exaggerate, level);
  }

  /** What this character is made of: a fraction of each material, 1 together. Others of the model stay as they are. */
  blend(fractions: number[]): void {
    blendMaterials(this.supple, this.materials, fractions, (at) => this.supple.exports.stage_blend(this.handle, at));
  }

  /** Starts afresh at its pose. */
  reset(): void {
    this.supple.exports.stage_reset(this.handle);
  }

  /** Of the positions. */
  hash(): bigint {
    return BigInt.asUintN(64, this.supple.exports.stage_hash(this.handle));
  }

  exaggerate(plain: Stage, fraction: number): void {
    this.supple.exports.stage_exaggerate(this.handle, plain.handle, fraction);
  }

  /** Turns the joints above so that `joint` comes to the target. */
  reach(joint: number, chain: number, target: [number, number, number]): void {
    this.supple.exports.stage_reach(this.handle, joint, chain, ...target);
  }
  look(joint: number, fraction: number, target: [number, number, number]): void {
    this.supple.exports.stage_look(this.handle, joint, fraction, ...target);
  }
  /** Lets go of what reach and look did, by a fraction. */
  relax(fraction: number): void {
    this.supple.exports.stage_relax(this.handle, fraction);
  }
  /** Takes over another stage's turns. */
  follow(leader: Stage): void {
    this.supple.exports.stage_follow(this.handle, leader.handle);
  }

  free(): void {
    this.supple.exports.stage_free(this.handle);
  }
}
