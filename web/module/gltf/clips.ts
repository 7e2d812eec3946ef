// SPDX-License-Identifier: MIT
/** Animations. */
import type { RawClip, RawEvent, RawTrack } from '../raw.js';
import { accessor, floats } from './accessors.js';
import { fail, Json } from './container.js';
import type { Build } from './skeleton.js';

const CHANNELS: Record<string, [number, number]> =
  { translation: [0, 3], rotation: [1, 4], scale: [2, 3] };
const INTERPOLATIONS: Record<string, number> = { LINEAR: 0, STEP: 1, CUBICSPLINE: 2 };

/** Keys whose time does not rise are dropped. */
function risingKeys(times: Float32Array, values: Float32Array, stride: number) {
  const kept: number[] = [0];
  for (let i = 1; i < times.length; i++) if (times[i] > times[kept[kept.length - 1]]) kept.push(i);
  if (kept.length === times.length) return { times, values };
  const less = new Float32Array(kept.length * stride);
  kept.forEach((i, k) => less.set(values.subarray(i * stride, (i + 1) * stride), k * stride));
  return { times: Float32Array.from(kept, (i) => times[i]), values: less };
}

function readTrack(build: Build, sampler: Json, where: string, target: number, channel: number,
  width: number): RawTrack {
  const interpolation = INTERPOLATIONS[sampler?.interpolation ?? 'LINEAR'];
  if (interpolation === undefined) fail(`${where}: unknown interpolation`);
  if (sampler?.input === undefined || sampler.output === undefined) {
    fail(`${where}: a sampler has no input or output; export the file again`);
  }
  const input = accessor(build.gltf, sampler.input);
  const output = accessor(build.gltf, sampler.output);
  const stride = width * (interpolation === 2 ? 3 : 1);
  if (output.count * output.width !== input.count * stride) {
    fail(`${where}: ${input.count} times do not fit ${output.count} values; export the file again`);
  }
  return { target, channel, interpolation, width,
    ...risingKeys(floats(build.gltf, input), floats(build.gltf, output), stride) };
}

/** Muscles that clench in a clip, as `supple play` reads them. */
function readEvents(animation: Json, name: string): RawEvent[] {
  const list: Json[] = Array.isArray(animation.extras?.supple_events) ? animation.extras.supple_events : [];
  return list.map((event, k) => {
    const { time, muscle = '*', strength = 1, length = 0 } = event ?? {};
    if (![time, strength, length].every((x) => Number.isFinite(x) && x >= 0)) {
      fail(`animation ${name}, extras.supple_events[${k}]: needs a time, and numbers from 0 on`);
    }
    return { time, muscle: String(muscle), strength, length };
  });
}

export function readClips(build: Build): RawClip[] {
  const clips: RawClip[] = [];
  (build.gltf.json.animations ?? []).forEach((animation: Json, k: number) => {
    const name = animation.name || `animation ${k}`;
    const tracks: RawTrack[] = [];
    for (const channel of animation.channels ?? []) {
      const { node, path } = channel.target ?? {};
      const sampler = animation.samplers?.[channel.sampler];
      if (node === undefined) continue;
      if (path === 'weights') {
        const first = build.morphs.findIndex((morph) => morph.node === node);
        const count = build.morphs.filter((morph) => morph.node === node).length;
        if (first >= 0) tracks.push(readTrack(build, sampler, name, first, 3, count));
      } else if (CHANNELS[path] && build.nodeJoints.has(node)) {
        const [code, width] = CHANNELS[path];
        tracks.push(readTrack(build, sampler, name, build.nodeJoints.get(node)!, code, width));
      }
    }
    if (tracks.length) clips.push({ name, tracks, events: readEvents(animation, name) });
  });
  return clips;
}
