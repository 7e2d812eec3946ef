// SPDX-License-Identifier: MIT
/** A whole clip, played beside what is shown: how near the living version is to the samples. */
import { Comparison } from '../module/supple.js';
import { Instance } from './instance.js';
import { Samples } from './samples.js';

/** Plays the clip from its start at the samples' rate and compares, as `supple compare` does. */
export function compareClip(instance: Instance, truth: Samples): Comparison {
  const { character } = instance;
  const { frames, fps, start, vertices } = truth.head;
  const models = instance.flesh === 'file' ? instance.fileModels
    : [...instance.fileModels.filter((m) => m.kind !== 'SURF'), ...(instance.surface ? [instance.surface] : [])];
  const [alive, plain] = [character.stage(models), instance.plain.character.stage()];
  const [a, b, s] = [0, 1, 2].map(() => new Float32Array(3 * vertices * frames));
  const toBody = (positions: Float32Array, out: Float32Array, at: number): void => {
    for (let v = 0; v < vertices; v++) {
      const from = 3 * character.firstRender[v];
      for (let k = 0; k < 3; k++) out[at + 3 * v + k] = positions[from + k];
    }
  };
  for (const stage of [alive, plain]) {
    stage.play(instance.clip, 0, false);
    stage.step(0);
  }
  for (let i = 0; i < frames; i++) {
    const time = start + i / fps;
    for (const stage of [alive, plain]) {
      const way = time - stage.time;
      const parts = Math.ceil(way / 0.1 - 1e-9);
      for (let k = 0; k < parts; k++) stage.step(way / parts);
    }
    toBody(alive.positions, a, 3 * vertices * i);
    toBody(plain.positions, s, 3 * vertices * i);
    truth.frame(i, b.subarray(3 * vertices * i, 3 * vertices * (i + 1)));
  }
  alive.free();
  plain.free();
  return character.compare(fps, a, b, s);
}
