// SPDX-License-Identifier: MIT
/**
 * A character of the page: its plain skinning, its living version, and samples of it. All three
 * show the same moment.
 */
import { Character, Crowd, FleshNumbers, Model, Stage, Supple } from '../module/supple.js';
import type { Before, Gltf, GltfCharacter } from '../module/gltf.js';
import { Path } from './path.js';
import { ReadCharacter, wantsFlesh } from './read.js';
import { Samples } from './samples.js';

/** A longer frame is played in parts: a stack starts afresh after a quarter of a second. */
const LONGEST = 0.1;
/** What flesh remembers: so much is played before a moment that was jumped to. */
export const MEMORY = 1.5;

/** A model that is made elsewhere. */
export class Coming {
  give!: (block: Uint8Array) => void;
  refuse!: (problem: Error) => void;
  readonly block = new Promise<Uint8Array>((give, refuse) => {
    this.give = give;
    this.refuse = refuse;
  });

  constructor() {
    this.block.catch(() => {}); // whoever waits for it is told
  }
}

export class Instance {
  readonly raw: GltfCharacter;
  readonly character: Character;
  readonly plain: Stage;
  alive: Stage;
  /** what moves it by name: a preset, 'file' (its models), or 'baked' (its keys) */
  flesh = 'none';
  numbers: FleshNumbers;
  exaggeration = 1;
  clip = -1;
  /** where the clip takes it */
  path: Path;
  /** it cannot come alive; why was said */
  refused = false;
  loop = true;
  samples: Samples[] = [];
  /** of the materials of `blended`, in its order; empty: as the file has them */
  private fractions: number[] = [];
  readonly fileModels: Model[];
  /** the first preset's flesh, for a file without models */
  readonly coming: Coming | null;
  private own: Model | null = null;
  private unbaked: Character | null = null;

  constructor(readonly supple: Supple, readonly name: string, readonly gltf: Gltf,
    read: ReadCharacter) {
    this.raw = read.raw;
    this.character = new Character(supple, read.handle, read.raw);
    this.numbers = { ...supple.presets[0].numbers };
    if (read.raw.before) this.unbaked = new Character(supple, read.before, read.raw.before.raw);
    this.plain = (this.unbaked ?? this.character).stage();
    this.alive = this.plain;
    this.fileModels = read.models.map((handle) => new Model(supple, handle, this.character));
    this.coming = wantsFlesh(read) ? new Coming() : null;
    this.path = new Path(this.plain, -1, 0);
  }

  /** What it was before its motion was baked. */
  get before(): Before | null {
    return this.raw.before;
  }
  get isBaked(): boolean {
    return !!this.before;
  }
  /** Its flesh comes with the file: nothing is added to it here. */
  get isMade(): boolean {
    return this.hasFile || this.isBaked;
  }

  get hasFile(): boolean {
    return this.fileModels.length > 0;
  }
  get duration(): number {
    return this.clip >= 0 ? this.character.clipDuration(this.clip) : 0;
  }
  get time(): number {
    return this.plain.time;
  }
  /** Is there a living version yet? */
  get lives(): boolean {
    return this.alive !== this.plain;
  }
  /** The surface model in use, whose maps can be shown. */
  get surface(): Model | null {
    return this.own ?? this.fileModels.find((model) => model.kind === 'SURF') ?? null;
  }

  /** Helpers of several materials, if the file has some. */
  get blended(): Model | null {
    return this.fileModels.find((model) => model.materials.length > 0) ?? null;
  }

  /** What it is made of from now on; without its helpers, as soon as it has them. */
  blend(fractions: number[]): void {
    if (this.alive.materials) this.alive.blend(fractions);
    this.fractions = fractions;
  }

  /** The same for another of its kind: a new stage, or a crowd. */
  blendLike(other: Stage | Crowd): void {
    if (other.materials && this.fractions.length) other.blend(this.fractions);
  }

  /** The models as the file has them. */
  useFile(): void {
    this.replace('file', null, this.fileModels);
  }

  /** The keys of helper joints and morph targets, beside the skeleton without them. */
  useBaked(): void {
    this.replace('baked', null, []);
  }

  /** Flesh by numbers, in place of the surface in the file; other models stay. Never over baked motion. */
  useFlesh(name: string, numbers: FleshNumbers, block?: Uint8Array): void {
    if (this.isBaked) return;
    const own = block ? this.character.model(block) : this.character.surface(numbers);
    this.numbers = { ...numbers };
    this.replace(name, own, [...this.fileModels.filter((m) => m.kind !== 'SURF'), own]);
  }

  private replace(name: string, own: Model | null, models: Model[]): void {
    const stage = this.character.stage(models);
    const before = this.alive;
    this.blendLike(stage);
    stage.follow(before);
    stage.wind = before.wind;
    stage.windDrag = before.windDrag;
    if (before !== this.plain) before.free();
    this.own?.free();
    this.own = own;
    this.alive = stage;
    this.flesh = name;
    stage.play(this.clip, this.plain.time, this.loop);
    this.seek(this.plain.time, 1 / 60);
  }

  play(clip: number, time: number, loop: boolean): void {
    this.clip = clip;
    this.loop = loop;
    for (const stage of this.stages) stage.play(clip, time, loop);
  }

  /** Another clip, from its start. */
  begin(clip: number, loop: boolean): void {
    if (clip !== this.clip) {
      this.clip = clip;
      this.path = new Path(this.plain, clip, this.duration);
    }
    this.play(clip, 0, loop);
    this.seek(0, 1 / 60);
  }

  get stages(): Stage[] {
    return this.lives ? [this.plain, this.alive] : [this.plain];
  }

  /** What the clip tells its muscles in the next dt seconds; a loop's music begins again with it. */
  private hear(dt: number): void {
    const events = this.clip >= 0 ? this.raw.clips[this.clip].events ?? [] : [];
    const { alive, loop, duration } = this;
    const from = alive.time;
    for (const event of events) {
      for (const time of loop ? [event.time, event.time + duration] : [event.time]) {
        if (!(time > from && time <= from + dt) && !(dt === 0 && time === from)) continue;
        const muscle = event.muscle === '*' ? 0xffffffff : alive.muscles.indexOf(event.muscle);
        if (muscle >= 0) alive.activate(muscle, event.strength, event.length, from + dt - time);
      }
    }
  }

  private stepAlive(dt: number): void {
    this.hear(dt);
    this.alive.step(dt);
  }

  /** Goes to a moment as if it had been played, in frames of dt. */
  seek(time: number, dt: number): void {
    // A loop's end is its start: the last moment is just before it.
    const last = this.loop ? this.duration * (1 - 1e-7) : this.duration;
    const end = this.clip >= 0 ? Math.min(time, last) : time;
    const begin = Math.max(end - MEMORY, 0);
    const frames = Math.max(Math.round((end - begin) / Math.min(dt, LONGEST)), 1);
    this.plain.play(this.clip, end, this.loop);
    this.plain.step(0);
    if (this.lives) {
      this.alive.play(this.clip, begin, this.loop);
      this.stepAlive(0);
      for (let i = 0; i < frames; i++) this.stepAlive((end - begin) / frames);
    }
    this.show();
  }

  step(dt: number): void {
    const parts = Math.max(Math.ceil(dt / LONGEST - 1e-9), 1);
    for (let k = 0; k < parts; k++) {
      this.plain.step(dt / parts);
      if (this.lives) this.stepAlive(dt / parts);
    }
    this.show();
  }

  private show(): void {
    if (this.lives && this.exaggeration !== 1) this.alive.exaggerate(this.plain, this.exaggeration);
  }

  /** Lets go of everything that somebody did. */
  reset(): void {
    for (const stage of this.stages) {
      stage.relax(1);
      stage.pulls = [];
      stage.balls = [];
      stage.reset();
    }
  }

  /** The samples of the clip that plays. */
  truth(): Samples | null {
    if (this.clip < 0) return null;
    const name = this.character.clips[this.clip].name;
    return this.samples.find((samples) => samples.clip === name) ?? null;
  }

  /** Distances of the living body from plain skinning, per render vertex. */
  displacements(out: Float32Array): { mean: number; most: number } {
    return distances(this.alive.positions, this.plain.positions, out);
  }

  free(): void {
    if (this.lives) this.alive.free();
    this.own?.free();
    for (const model of this.fileModels) model.free();
    this.plain.free();
    this.unbaked?.free();
    this.character.free();
  }
}

/** Lengths of a - b, their mean and the greatest. */
export function distances(a: ArrayLike<number>, b: ArrayLike<number>, out: Float32Array):
  { mean: number; most: number } {
  let sum = 0;
  let most = 0;
  for (let v = 0; v < out.length; v++) {
    const d = Math.hypot(a[3 * v] - b[3 * v], a[3 * v + 1] - b[3 * v + 1], a[3 * v + 2] - b[3 * v + 2]);
    out[v] = d;
    sum += d;
    if (d > most) most = d;
  }
  return { mean: sum / out.length, most };
}
