// SPDX-License-Identifier: MIT
/**
 * What a character was before its motion was baked: the names of what carries it are those of
 * supple/author/baked.h. Its weights are in the file where Supple wrote it (SUPPLE_original_skin): joints of
 * any name that only the new ones hang on carry baked motion too.
 */
import type { RawCharacter, RawPart, RawTrack } from '../raw.js';
import { originalInfluences } from './parts.js';
import type { Build } from './skeleton.js';

const JOINT = /^helper_\d{2,}$/;
const MORPH = /^flesh_\d{2,}$/;

export interface Before {
  /** the same joints, bones and render vertices; what carries baked motion stands still */
  raw: RawCharacter;
  /** its weights are those of the original; else they hang on joints that stand still */
  exact: boolean;
  joints: number;
  morphs: number;
}

/** One value for the whole length: the clip lasts as long as before. */
function held(track: RawTrack, value: Float32Array): RawTrack {
  const last = track.times[track.times.length - 1];
  const times = track.times.length > 1 ? [track.times[0], last] : [last];
  const values = new Float32Array(times.length * value.length);
  times.forEach((_, k) => values.set(value, k * value.length));
  return { ...track, interpolation: 0, times: Float32Array.from(times), values };
}

function withoutMorphs(track: RawTrack, baked: boolean[]): RawTrack {
  return { ...track, values: track.values.map((x, k) => (baked[track.target + (k % track.width)] ? 0 : x)) };
}

/** Bones that hold some of a part. */
const holding = ({ bones, weights }: { bones: Uint32Array; weights: Float32Array }): number[] =>
  Array.from(bones).filter((_, k) => weights[k] > 0);

/** Joints that hold skin now and held none in the original. */
function addedJoints(build: Build, raw: RawCharacter): Set<number> {
  const now = new Set<number>();
  const before = new Set<number>();
  for (const part of raw.parts) {
    const original = originalInfluences(build, part);
    for (const bone of holding(part)) now.add(raw.boneJoints[bone]);
    for (const bone of holding(original ?? part)) before.add(raw.boneJoints[bone]);
  }
  return new Set([...now].filter((joint) => !before.has(joint)));
}

/** null: nothing was baked. */
export function readBefore(build: Build, raw: RawCharacter): Before | null {
  const added = addedJoints(build, raw);
  const joints = raw.jointNames.map((name, j) => added.has(j) || (JOINT.test(name) && raw.boneJoints.includes(j)));
  const morphs = raw.morphs.map(({ name }) => MORPH.test(name));
  const jointCount = joints.filter(Boolean).length;
  const names = new Set(raw.morphs.filter((_, m) => morphs[m]).map(({ name }) => name));
  if (!jointCount && !names.size) return null;
  // [first number at rest, how many] of translation, rotation, scale
  const places = [[0, 3], [3, 4], [7, 3]];
  const clips = raw.clips.map((clip) => ({ ...clip, tracks: clip.tracks.map((track) => {
    if (track.channel === 3) return names.size ? withoutMorphs(track, morphs) : track;
    if (!joints[track.target]) return track;
    const [first, width] = places[track.channel];
    const at = 10 * track.target + first;
    return held(track, raw.rest.slice(at, at + width));
  }) }));
  let exact = true;
  const parts = raw.parts.map((part): RawPart => {
    const original = jointCount ? originalInfluences(build, part) : null;
    const moved = !original && part.bones.some((bone, k) => part.weights[k] > 0 && joints[raw.boneJoints[bone]]);
    exact &&= !moved;
    return original ? { ...part, ...original } : part;
  });
  const still = raw.morphs.map((morph, m) => (morphs[m] ? { ...morph, weight: 0 } : morph));
  return { raw: { ...raw, clips, parts, morphs: still }, exact, joints: jointCount, morphs: names.size };
}
