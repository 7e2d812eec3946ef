// SPDX-License-Identifier: MIT
/** A character as arrays, and how the module is handed it. */
import type { Scratch } from './scratch.js';

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

/** A muscle clenches: of the animation's extras (docs/formats.md, "Events"). */
export interface RawEvent {
  time: number;
  /** '*': all */
  muscle: string;
  /** 0: release */
  strength: number;
  /** seconds; 0: until told otherwise */
  length: number;
}

export interface RawClip {
  name: string;
  tracks: RawTrack[];
  events?: RawEvent[];
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

const floatBits = (x: number): number => new Uint32Array(new Float32Array([x]).buffer)[0];

/** The words of a SupRawCharacter; cast.c checks the order. */
export function writeRaw(s: Scratch, raw: RawCharacter): number {
  const part = (p: RawPart): number[] => [
    s.text(p.name), p.node, p.mesh, p.primitive, p.material, p.mirrored ? 1 : 0,
    p.positions.length / 3, p.triangles.length / 3, s.bytes(p.positions), s.bytes(p.triangles),
    s.array(p.normals), s.array(p.tangents), s.array(p.uvs), p.influenceCount, s.bytes(p.bones),
    s.bytes(p.weights),
    p.morphOffsets.length ? s.words(p.morphOffsets.map((offsets) => s.array(offsets))) : 0,
    p.mapValues.length ? s.words(p.mapValues.map((values) => s.array(values))) : 0,
    0, // joints outside of the skin are not counted here
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
