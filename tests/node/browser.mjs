// SPDX-License-Identifier: MIT
// Pages in headless Chromium, for tests: a folder of files that the tool makes, pages of it, checks that are counted.
// Exit 77 (skipped) where there is no Chromium.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

export const [tool, shots] = process.argv.slice(2).map((p) => path.resolve(p));
const executable = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((p) => fs.existsSync(p));
if (!executable) {
  console.log('skipped: no chromium');
  process.exit(77);
}
fs.mkdirSync(shots, { recursive: true });
export const here = fs.mkdtempSync(path.join(os.tmpdir(), 'supple-page-'));
export const run = (...words) => execFileSync(tool, [...words, '--quiet'], { cwd: here });
/** What pages complain of, and what they ask for. */
export const problems = [];
/** on a machine that has no time for it: SUPPLE_PATIENCE=20 */
const patience = Number(process.env.SUPPLE_PATIENCE) || 1;
let browser = null;
let failures = 0;

export async function open(name, options = {}) {
  browser ??= await chromium.launch({ executablePath: executable, args: [
    '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
  const context = await browser.newContext({ viewport: { width: 960, height: 540 }, colorScheme: 'dark', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15000 * patience);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text())) {
      problems.push(`${name}: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => problems.push(`${name}: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) problems.push(`${name} asks for ${request.url()}`);
  });
  await page.goto(`file://${path.join(here, name)}`);
  await page.evaluate(() => window.suppleReady);
  return page;
}

export async function check(name, body) {
  const began = Date.now();
  try {
    await body();
    console.log(`ok ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (problem) {
    failures++;
    console.log(`FAILED ${name}: ${problem.message}`);
  }
}

/** A file with other JSON, and bytes behind those that it had; returns its path. */
export function edited(from, name, edit) {
  const file = fs.readFileSync(path.join(here, from));
  const length = file.readUInt32LE(12);
  const json = JSON.parse(file.subarray(20, 20 + length).toString());
  const binary = Buffer.concat([file.subarray(28 + length), edit(json, file.length - 28 - length) ?? Buffer.alloc(0)]);
  json.buffers[0].byteLength = binary.length;
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
  const head = Buffer.alloc(20);
  [0x46546c67, 2, 28 + padded.length + binary.length, padded.length, 0x4e4f534a].forEach((x, k) => head.writeUInt32LE(x, 4 * k));
  const middle = Buffer.alloc(8);
  [binary.length, 0x004e4942].forEach((x, k) => middle.writeUInt32LE(x, 4 * k));
  const made = path.join(here, name);
  fs.writeFileSync(made, Buffer.concat([head, padded, middle, binary]));
  return made;
}

/** Numbers about the moment, in the page. */
export const moved = (page) => page.evaluate(() => window.supple.figure('alive').displacement());
export const steps = (page, count) => page.evaluate((n) => {
  for (let k = 0; k < n; k++) window.supple.step(1 / 60);
  window.supple.seen.forEach((figure) => figure.update(window.supple.shown));
}, count);
/** Where the foremost vertex of the belly, or a joint, is on the screen. */
export const onScreen = (page, joint) => page.evaluate((name) => {
  const app = window.supple;
  const figure = app.figure('alive');
  const p = figure.positions;
  let at = null;
  if (name) {
    const j = app.main.raw.jointNames.findIndex((n) => n === name);
    const m = app.main.plain.joints;
    at = [m[12 * j + 9], m[12 * j + 10], m[12 * j + 11]];
  } else {
    for (let v = 0; v < p.length; v += 3) if (!at || p[v + 2] > at[2]) at = [p[v], p[v + 1], p[v + 2]];
  }
  const point = figure.mesh.localToWorld(figure.mesh.position.clone().set(...at)).project(app.world.camera);
  const box = app.world.canvas.getBoundingClientRect();
  return { x: box.left + (point.x * 0.5 + 0.5) * box.width, y: box.top + (0.5 - point.y * 0.5) * box.height };
}, joint);
export const still = (page, clip = -1) => page.evaluate((k) => {
  const app = window.supple;
  app.setPlaying(false);
  app.setClip(k);
  app.reset();
  app.world.draw();
}, clip);

export async function closeBrowser() {
  await browser?.close();
}

/** The folder goes, and the process with it. */
export function finish() {
  fs.rmSync(here, { recursive: true });
  console.log(`pictures in ${shots}`);
  process.exit(failures ? 1 : 0);
}
