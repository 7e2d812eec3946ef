// SPDX-License-Identifier: MIT
/** The page: what `supple view` put into it, or a file that is dropped on it. */
import './style.css';
import { Supple } from '../module/supple.js';
import { byId, fromBase64, note, unzipped } from './bits.js';
import { App } from './app.js';
import { openFile } from './open.js';
import { Samples, SamplesHead } from './samples.js';

declare global {
  interface Window {
    /** for scripts and tests */
    supple?: App;
    suppleReady?: Promise<App>;
  }
}

async function openEntries(app: App, supple: Supple): Promise<void> {
  const heads = [...document.querySelectorAll('script.supple-entry')];
  const blocks = [...document.querySelectorAll('script.supple-bytes')];
  const firsts: number[] = [];
  for (const [k, element] of heads.entries()) {
    const head = JSON.parse(element.textContent ?? '{}');
    const bytes = fromBase64(blocks[k].textContent ?? '');
    blocks[k].remove();
    if (head.kind === 'character') {
      firsts.push(app.instances.length);
      for (const instance of await openFile(supple, head.name, bytes)) app.add(instance);
    } else if (head.kind === 'samples') {
      const instance = app.instances[firsts[head.of]];
      instance.samples.push(new Samples(head as SamplesHead, bytes, instance.character));
    }
  }
}

async function openDropped(app: App, supple: Supple, file: File): Promise<void> {
  const welcome = byId('welcome');
  try {
    const instances = await openFile(supple, file.name, new Uint8Array(await file.arrayBuffer()));
    app.clear();
    for (const instance of instances) app.add(instance);
    welcome.hidden = true;
    await app.begin();
    note(`${file.name}: ${instances[0].character.bodyVertexCount.toLocaleString('en')} vertices`);
  } catch (problem) {
    const sentence = `${file.name}: ${(problem as Error).message}`;
    note(sentence, true);
    const said = welcome.querySelector('p')!;
    said.textContent = sentence;
    said.classList.add('bad');
  }
}

function takeDrops(app: App, supple: Supple): void {
  const welcome = byId('welcome');
  const take = (file: File | undefined): void => {
    if (file) void openDropped(app, supple, file);
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
  input.addEventListener('change', () => take(input.files?.[0]));
}

async function main(): Promise<App> {
  const supple = await Supple.load(await unzipped(fromBase64(byId('supple-wasm').textContent ?? '')));
  const app = new App(supple);
  window.supple = app;
  takeDrops(app, supple);
  await openEntries(app, supple);
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
