// SPDX-License-Identifier: MIT
/** Small things that everybody here uses. */

export const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

type Child = Node | string;

/** An element with properties and children; `class` and `aria-*` as attributes. */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K,
  properties: Record<string, unknown> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes('-') || key === 'class') element.setAttribute(key, String(value));
    else (element as unknown as Record<string, unknown>)[key] = value;
  }
  element.append(...children);
  return element;
}

export const clamp = (x: number, low: number, high: number): number =>
  Math.min(Math.max(x, low), high);

export type Triple = [number, number, number];

let noteTimer = 0;

/** Says something for some seconds; what went wrong stays longer. */
export function note(text: string, bad = false): void {
  const box = byId('note');
  box.textContent = text;
  box.classList.add('on');
  box.classList.toggle('bad', bad);
  clearTimeout(noteTimer);
  noteTimer = window.setTimeout(() => box.classList.remove('on'), bad ? 12000 : 3500);
}

export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

/** What gzip made smaller. */
export async function unzipped(bytes: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** Offers a file for saving. */
export function download(data: Uint8Array | string, name: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([data as BlobPart], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A length for people. */
export function metres(x: number): string {
  if (x >= 1) return `${x.toFixed(2)} m`;
  return x >= 0.01 ? `${(100 * x).toFixed(1)} cm` : `${(1000 * x).toFixed(x >= 0.001 ? 1 : 2)} mm`;
}
