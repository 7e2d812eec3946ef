// SPDX-License-Identifier: MIT
/** Files as instances: read by a worker while the page goes on, with a way to stop it. */
import type { Gltf } from '../module/gltf.js';
import { FleshNumbers, Supple } from '../module/supple.js';
import { byId } from './bits.js';
import { Instance } from './instance.js';
import { ReadCharacter, wantsFlesh } from './read.js';
import LoaderWorker from './loader.worker.ts?worker&inline';

export type WorkerAnswer =
  | { kind: 'progress'; text: string }
  | { kind: 'read'; memory: ArrayBuffer; characters: ReadCharacter[]; gltf: Gltf }
  | { kind: 'flesh'; index: number; block?: Uint8Array; problem?: string }
  | { kind: 'failed'; sentence: string };

/** Somebody wanted something else. */
export class Cancelled extends Error {
  override name = 'Cancelled';
}

/** Milliseconds without a word: what is done sooner needs none. */
const QUIET = 250;

/** What is being read, and the button that stops it; there is one place for it, the latest has it. */
class Progress {
  private static latest: Progress | null = null;
  private box = byId('loading');
  private timer = 0;

  begin(name: string, stop: () => void): void {
    Progress.latest = this;
    this.box.querySelector('b')!.textContent = name;
    this.say('Opening the file');
    this.box.querySelector('button')!.onclick = stop;
    this.timer = window.setTimeout(() => { this.box.hidden = Progress.latest !== this; }, QUIET);
  }
  say(text: string): void {
    if (Progress.latest === this) this.box.querySelector('.words span')!.textContent = text;
  }
  end(): void {
    clearTimeout(this.timer);
    if (Progress.latest === this) this.box.hidden = true;
  }
}

/** One file is read at a time: the next one ends that. Flesh of the one before goes on being made until the next is read. */
export class Loader {
  private stop: (() => void) | null = null;
  private reading = false;

  constructor(private module: WebAssembly.Module, private numbers: FleshNumbers) {}

  cancel(): void {
    this.stop?.();
  }

  /** The file's characters; flesh for those without models comes later (Instance.coming). */
  open(name: string, bytes: Uint8Array): Promise<Instance[]> {
    if (this.reading) this.cancel();
    let before = this.stop;
    this.reading = true;
    const worker = new LoaderWorker();
    const progress = new Progress();
    return new Promise((resolve, reject) => {
      let opened: Promise<Instance[]> = Promise.resolve([]);
      let left = 0;
      let over = false;
      const end = (): void => {
        over = true;
        worker.terminate();
        progress.end();
        if (this.stop !== stop) return;
        this.stop = before;
        this.reading = false;
      };
      const quit = (problem: Error): void => {
        end();
        reject(problem);
        void opened.then((list) => list.forEach((instance) => instance.coming?.refuse(problem)), () => {});
      };
      const stop = (): void => quit(new Cancelled('stopped'));
      const take = async (answer: WorkerAnswer): Promise<void> => {
        if (answer.kind === 'progress') progress.say(answer.text);
        if (answer.kind === 'failed') quit(new Error(answer.sentence));
        if (answer.kind === 'read') {
          before?.();
          before = null;
          if (this.stop === stop) this.reading = false;
          left = answer.characters.filter(wantsFlesh).length;
          opened = this.adopt(name, answer);
          progress.say('Making flesh: limits and stability');
          const list = await opened;
          if (!left && !over) end();
          resolve(list);
        }
        if (answer.kind === 'flesh') {
          const { coming } = (await opened)[answer.index];
          if (answer.block) coming?.give(answer.block);
          else coming?.refuse(new Error(answer.problem));
          if (--left === 0 && !over) end();
        }
      };
      this.stop = stop;
      progress.begin(name, stop);
      worker.addEventListener('error', (event) => {
        event.preventDefault();
        quit(new Error(event.message || 'the file could not be read'));
      });
      worker.addEventListener('messageerror', () => quit(new Error('the file could not be read')));
      worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => { take(data).catch(quit); });
      worker.postMessage({ module: this.module, bytes, numbers: this.numbers }, [bytes.buffer as ArrayBuffer]);
    });
  }

  private async adopt(name: string, read: WorkerAnswer & { kind: 'read' }): Promise<Instance[]> {
    const supple = await Supple.start(this.module, read.memory);
    return read.characters.map((one) => new Instance(supple, name, read.gltf, one));
  }
}
