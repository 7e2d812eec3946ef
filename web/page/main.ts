// SPDX-License-Identifier: MIT
/** The page: what `supple view` put into it, or a file that is dropped on it. */
import './style.css';
import { Supple } from '../module/supple.js';
import { byId, fromBase64, note, unzipped } from './bits.js';
import { App } from './app.js';
import { Instance } from './instance.js';
import { Cancelled, Loader } from './loader.js';
import { Samples, SamplesHead } from './samples.js';

declare global {
  interface Window {
    /** for scripts and tests */
    supple?: App;
    suppleReady?: Promise<App>;
  }
}

/** What was asked for last is what is shown. */
class Turns {
  private last = 0;

  /** Whether nothing was asked for since. */
  take(): () => boolean {
    const mine = ++this.last;
    return () => mine === this.last;
  }
}

async function openEntries(app: App, module: WebAssembly.Module, latest: () => boolean): Promise<void> {
  const heads = [...document.querySelectorAll('script.supple-entry')];
  const blocks = [...document.querySelectorAll('script.supple-bytes')];
  const firsts: (Instance | undefined)[] = [];
  for (const [k, element] of heads.entries()) {
    const head = JSON.parse(element.textContent ?? '{}');
    const bytes = fromBase64(blocks[k].textContent ?? '');
    blocks[k].remove();
    if (head.kind === 'character') {
      const loader = new Loader(module, app.presets[0].numbers);
      let found: Instance[] = [];
      try {
        found = await loader.open(head.name, bytes);
      } catch (problem) {
        tellFailure(head.name, problem as Error);
      }
      if (!latest()) { // a file was dropped meanwhile
        loader.cancel();
        return;
      }
      for (const instance of found) app.add(instance);
      firsts.push(found[0]);
    } else if (head.kind === 'samples') {
      const instance = firsts[head.of];
      instance?.samples.push(new Samples(head as SamplesHead, bytes, instance.character));
    }
  }
}

/** Says what is wrong with a file, on the card where the next one is dropped as well. */
function tellFailure(name: string, problem: Error): void {
  if (problem instanceof Cancelled) return;
  const sentence = `${name}: ${problem.message}`;
  note(sentence, true);
  const said = byId('welcome').querySelector('p')!;
  said.textContent = sentence;
  said.classList.add('bad');
}

async function openDropped(app: App, loader: Loader, file: File, latest: () => boolean): Promise<void> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (!latest()) return;
    const instances = await loader.open(file.name, bytes);
    if (!latest()) return;
    app.clear();
    for (const instance of instances) app.add(instance);
    await app.begin();
    if (app.instances[0] !== instances[0]) return;
    note(`${file.name}: ${instances[0].character.bodyVertexCount.toLocaleString('en')} vertices`);
  } catch (problem) {
    tellFailure(file.name, problem as Error);
  }
}

function takeDrops(app: App, module: WebAssembly.Module, turns: Turns): void {
  const loader = new Loader(module, app.presets[0].numbers);
  const welcome = byId('welcome');
  const take = (file: File | undefined): void => {
    if (file) void openDropped(app, loader, file, turns.take());
  };
  window.addEventListener('dragover', (event) => {
    event.preventDefault();
    welcome.classList.add('over');
  });
  window.addEventListener('dragleave', () => welcome.classList.remove('over'));
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    welcome.classList.remove('over');
    take(event.dataTransfer?.files[0]);
  });
  const input = byId<HTMLInputElement>('file');
  byId('choose').addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    take(input.files?.[0]);
    input.value = ''; // the same file may be chosen again
  });
}

async function main(): Promise<App> {
  const module = await WebAssembly.compile(await unzipped(fromBase64(byId('supple-wasm').textContent ?? '')));
  const app = new App(await Supple.start(module));
  window.supple = app;
  const turns = new Turns();
  const latest = turns.take();
  takeDrops(app, module, turns);
  await openEntries(app, module, latest);
  if (!latest()) return app;
  byId('welcome').hidden = app.instances.length > 0;
  if (app.instances.length) await app.begin();
  return app;
}

window.suppleReady = main();

/** What stands in the way, and what to do about it. */
function explain(problem: Error): string {
  if (/WebGL/i.test(problem.message)) {
    return 'This browser gives no WebGL: switch on hardware acceleration, or open the page in another browser.';
  }
  if (problem instanceof WebAssembly.CompileError || typeof DecompressionStream === 'undefined') {
    return 'This browser is too old to run the flesh (it should be of 2023 or later): update it, or use another one.';
  }
  return problem.message;
}
window.suppleReady.catch((problem: Error) => note(explain(problem), true));
