// SPDX-License-Identifier: MIT
// The patches module in node: what it finds against arithmetic of this file.
// SUPPLE=the tool, MODULE=build/web/npm; run by node --test
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const folder = process.env.MODULE;
const wasm = fs.readFileSync(path.join(folder, 'patches.wasm'));
const { Supple } = await import(path.join(folder, 'supple.js'));
const { Patches, emptyPlan } = await import(path.join(folder, 'patches.js'));
const { openGltf, readCharacters } = await import(path.join(folder, 'gltf.js'));
const here = fs.mkdtempSync(path.join(os.tmpdir(), 'supple-patches-'));
process.on('exit', () => fs.rmSync(here, { recursive: true }));
execFileSync(path.resolve(process.env.SUPPLE), ['make', 'mochi', '--vertices', '1500', '-o', 'mochi.glb', '--quiet'], { cwd: here });
const supple = await Supple.load(fs.readFileSync(path.join(folder, 'supple.wasm')));
const [raw] = readCharacters(openGltf(new Uint8Array(fs.readFileSync(path.join(here, 'mochi.glb')))), supple);
const hero = supple.character(raw);
const { positions, triangles } = hero.body;
const patches = await Patches.load(wasm);
const skin = patches.skin(hero);

const corner = (v) => positions.subarray(3 * v, 3 * v + 3);
const place = ({ a, b, t }, k) => [0, 1, 2].map((c) => (1 - t[k]) * corner(a[k])[c] + t[k] * corner(b[k])[c]);
const area = (p, q, r) => {
  const [u, v] = [q, r].map((x) => x.map((y, c) => y - p[c]));
  return 0.5 * Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
};
const whole = Array.from({ length: triangles.length / 3 }, (_, f) => area(...[0, 1, 2].map((k) => [...corner(triangles[3 * f + k])])))
  .reduce((sum, x) => sum + x, 0);
const near = (x, y, relative) => assert.ok(Math.abs(x - y) <= relative * Math.abs(y), `${x} is not ${y}`);

/** Areas, and that each patch is a disc: vertices - edges + triangles is 1. */
function checkCut(cut) {
  const areas = cut.list.map(() => 0);
  const parts = cut.list.map(() => ({ vertices: new Set(), edges: new Set(), triangles: 0 }));
  cut.regions.forEach((region, f) => {
    if (region < 0) return;
    const [a, b, c] = cut.triangles.subarray(3 * f, 3 * f + 3);
    areas[region] += area(place(cut.points, a), place(cut.points, b), place(cut.points, c));
    parts[region].triangles++;
    for (const [p, q] of [[a, b], [b, c], [c, a]]) {
      parts[region].vertices.add(p);
      parts[region].edges.add(p < q ? `${p}/${q}` : `${q}/${p}`);
    }
  });
  cut.list.forEach((patch, k) => {
    near(areas[k], patch.area, 1e-12);
    assert.equal(parts[k].vertices.size - parts[k].edges.size + parts[k].triangles, 1, patch.name);
  });
  near(areas.reduce((sum, x) => sum + x, cut.leftOut.area), whole, 1e-12);
}

test('it is small and asks nothing of its host', () => {
  assert.ok(wasm.length < 136 * 1024, `${wasm.length} bytes`);
  assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(wasm)), []);
});

test('a skin that is divided without asking: discs that cover it, and the same again on itself', () => {
  const { plan } = skin.divide();
  const trace = skin.trace(plan, 'hero.json');
  const cut = skin.cut(plan, trace, 'hero.json');
  checkCut(cut);
  assert.ok(cut.list.length > 20, `${cut.list.length} patches`);
  assert.equal(cut.leftOut.count, 0);
  assert.equal(cut.euler, 2);
  assert.deepEqual(cut.list.map(({ name }) => name).sort(), plan.patches.map(({ name }) => name).sort());
  for (const [k, { a, b, t }] of trace.paths.entries()) {
    const places = Array.from(a, (_, i) => place({ a, b, t }, i));
    const length = places.slice(1).reduce((sum, p, i) => sum + Math.hypot(...p.map((x, c) => x - places[i][c])), 0);
    near(length, trace.paths[k].length, 1e-12);
    for (const [end, feature] of [[0, plan.boundaries[k].from], [a.length - 1, plan.boundaries[k].to]]) {
      assert.deepEqual([a[end], b[end], t[end]], [trace.features.a[feature], trace.features.b[feature], trace.features.t[feature]]);
    }
  }
  const other = skin.cut(plan, trace, 'other.json');
  assert.equal(cut.difference(other), '');
  const renamed = { ...plan, boundaries: plan.boundaries.map((one, k) => (k === 3 ? { ...one, name: 'hem' } : one)) };
  const third = skin.cut(renamed, trace, 'third.json');
  assert.equal(cut.difference(third), `boundary '${plan.boundaries[3].name}' is in hero.json, but not in third.json`);
  for (const one of [cut, other, third]) one.free();
});

test('a triangle of each kind of path divides a closed skin in two', () => {
  const at = (direction) => {
    let [best, most] = [-1, -Infinity];
    for (let v = 0; v < positions.length / 3; v++) {
      const d = corner(v).reduce((sum, x, c) => sum + x * direction[c], 0);
      if (d > most) [best, most] = [v, d];
    }
    return best;
  };
  const features = [[1, -0.5, 0.3], [-1, -0.5, 0.3], [0, 0.4, 1]].map((direction, k) => {
    const vertex = at(direction);
    return { name: 'abc'[k], place: 'vertex', vertex, position: [...corner(vertex)], placed: true, joint: '', direction: [0, 0, 0] };
  });
  for (const kind of ['edges', 'geodesic', 'curve']) {
    const boundaries = [[0, 1], [1, 2], [2, 0]].map(([from, to]) => {
      const ends = [features[from].position, features[to].position];
      const middle = ends[0].map((x, c) => 0.55 * (x + ends[1][c]));
      return { name: `${from}${to}`, from, to, kind, points: kind === 'curve' ? [ends[0], middle, ends[1]] : [], weights: [] };
    });
    const plan = { ...emptyPlan(), features, boundaries };
    const cut = skin.cut(plan, skin.trace(plan, 'x'), 'x');
    checkCut(cut);
    assert.equal(cut.list.length, 2, kind);
    cut.free();
  }
});

test('a plan is laid on another mesh, and mirrored', () => {
  const { plan } = skin.divide();
  const moved = { ...plan, vertexCount: positions.length / 3 + 1, features: plan.features.map((one) => ({ ...one, position: one.position.map((x) => x + 0.002) })) };
  const fit = skin.fit(moved, 'x.json');
  assert.ok(fit.moved > 0 && fit.farthest > 0.001 && fit.farthest < 0.1, `${fit.moved} ${fit.farthest}`);
  const far = { ...moved, features: moved.features.map((one, k) => (k ? one : { ...one, position: [9, 9, 9] })) };
  assert.throws(() => skin.fit(far, 'x.json'), new RegExp(`x\\.json: feature '${plan.features[0].name}'`));
  const image = skin.mirror(plan, true, 'x.json').plan;
  const cut = skin.cut(image, skin.trace(image, 'x.json'), 'x.json');
  checkCut(cut);
  assert.equal(cut.euler, 2);
  cut.free();
});

test('what cannot be is a sentence, and nothing is lost', () => {
  const plan = { ...emptyPlan(), features: [{ name: 'a', place: 'vertex', vertex: 1e6, position: [0, 0, 0], placed: true, joint: '', direction: [0, 0, 0] },
    { name: 'b', place: 'landmark', vertex: 0, position: [0, 0, 0], placed: false, joint: 'nose', direction: [0, 0, 1] }],
  boundaries: [{ name: 'ab', from: 0, to: 1, kind: 'edges', points: [], weights: [] }] };
  assert.throws(() => skin.trace(plan, 'x.json'), /x\.json: feature 'a' is at vertex 1000000; the skin has \d+/);
  plan.features[0].vertex = 0;
  assert.throws(() => skin.trace(plan, 'x.json'), /x\.json: feature 'b'.*nose/);
  const before = patches.memory.byteLength;
  for (let k = 0; k < 200; k++) {
    assert.throws(() => skin.trace(plan, 'x.json'));
    skin.nearest([0, 1, 0]);
  }
  assert.equal(patches.memory.byteLength, before);
});
