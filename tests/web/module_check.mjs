// SPDX-License-Identifier: MIT
// The WebAssembly module in node: the same bits as the native tool, from the same files.
// SUPPLE=the tool, MODULE=build/web/npm; run by node --test
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

const tool = process.env.SUPPLE;
const folder = process.env.MODULE;
const wasm = fs.readFileSync(path.join(folder, 'supple.wasm'));
const { Crowd, Supple, SuppleError } = await import(path.join(folder, 'supple.js'));
const { fanLines, limbLines } = await import(path.join(folder, 'chunks.js'));
const { openGltf, readCharacters } = await import(path.join(folder, 'gltf.js'));
const supple = await Supple.load(wasm);
let here;

const file = (name) => path.join(here, name);
const run = (...words) => execFileSync(tool, [...words, '--quiet'], { cwd: here });
const read = (name) => new Uint8Array(fs.readFileSync(file(name)));
const report = (name) => JSON.parse(fs.readFileSync(file(name), 'utf8')).result;

function cast(bytes, module = supple) {
  const [raw] = readCharacters(openGltf(bytes), module);
  return { raw, character: module.character(raw) };
}

/** The hash over all frames of a clip, as `supple play --json` reports it. */
function playHash(character, models, clip, fps = 60) {
  const stage = character.stage(models);
  const frames = Math.floor(character.clipDuration(clip) * fps + 1e-4) + 1;
  let hash = 0n;
  stage.play(clip, 0, false);
  stage.step(0);
  for (let i = 0; i < frames; i++) {
    const way = i / fps - stage.time;
    if (way > 0) stage.step(way);
    hash = supple.hash(stage.positions.slice(), hash);
  }
  stage.free();
  return hash.toString(16).padStart(16, '0');
}

before(() => {
  here = fs.mkdtempSync(path.join(os.tmpdir(), 'supple-web-'));
  run('make', 'mochi', '--vertices', '1500', '-o', 'mochi.glb');
  run('build', 'surface', 'mochi.glb', '--preset', 'soft', '-o', 'soft.glb');
  run('play', 'mochi.glb', '--clip', 'jump', '-o', 'skin.pc2', '--json', 'skin.json');
  run('play', 'soft.glb', '--clip', 'jump', '-o', 'soft.pc2', '--json', 'soft.json');
});
after(() => fs.rmSync(here, { recursive: true }));

test('it is small and asks nothing of its host', () => {
  assert.ok(wasm.length < 320 * 1024, `${wasm.length} bytes`);
  assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(wasm)), []);
});

test('the package names files that are there', () => {
  const json = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const there = fs.readdirSync(folder);
  for (const name of json.files) {
    assert.ok(there.some((file) => (name.startsWith('*') ? file.endsWith(name.slice(1)) : file === name)), name);
  }
  const header = fs.readFileSync(new URL('../../include/supple/base.h', import.meta.url), 'utf8');
  const version = [...header.matchAll(/#define SUP_VERSION_\w+ (\d+)/g)].map((m) => m[1]).join('.');
  assert.equal(json.version, version);
});

test('plain skinning has the bits of the native tool', () => {
  const { raw, character } = cast(read('mochi.glb'));
  const clip = raw.clips.findIndex((c) => c.name === 'jump');
  assert.equal(playHash(character, [], clip), report('skin.json').clips[0].positions_hash);
  character.free();
});

test('a model out of a file has them', () => {
  const { raw, character } = cast(read('soft.glb'));
  const models = raw.models.map(({ block }) => character.model(block));
  assert.deepEqual(models.map((m) => m.kind), ['SURF']);
  const clip = raw.clips.findIndex((c) => c.name === 'jump');
  assert.equal(playHash(character, models, clip), report('soft.json').clips[0].positions_hash);
  character.free();
});

test('a loop has them, round after round', () => {
  run('play', 'soft.glb', '--clip', 'walk', '--loop', '--preroll', '2', '-o', 'loop.pc2', '--json', 'loop.json');
  const { raw, character } = cast(read('soft.glb'));
  const clip = raw.clips.findIndex((c) => c.name === 'walk');
  const stage = character.stage(raw.models.map(({ block }) => character.model(block)));
  const duration = character.clipDuration(clip);
  let hash = 0n;
  let time = -duration; // a round before, in steps of at most a tenth of a second
  const parts = Math.ceil(duration / 0.1 - 1e-9);
  const goTo = (next) => {
    stage.step(next - time);
    time = next;
  };
  stage.play(clip, time, true);
  goTo(time);
  for (let k = 1; k <= parts; k++) goTo(-duration + (duration * k) / parts);
  for (let i = 0; i <= Math.round(duration * 60); i++) {
    if (i) goTo(i / 60);
    hash = supple.hash(stage.positions.slice(), hash);
  }
  assert.equal(hash.toString(16).padStart(16, '0'), report('loop.json').clips[0].positions_hash);
  assert.ok(stage.time < 1e-9);
  character.free();
});

test('lines of chunks: a fan in parts, rings around a bone', () => {
  for (const [sides, parts] of [[3, 1], [3, 4], [4, 2], [5, 4], [6, 8]]) {
    // Every place of the triangles between two corners and the centre, as weights on the corners.
    const nodes = new Map();
    for (let side = 0; side < sides; side++) {
      for (let i = 0; i <= parts; i++) {
        for (let j = 0; i + j <= parts; j++) {
          const weights = Array(sides).fill((parts - i - j) / parts / sides);
          weights[side] += i / parts;
          weights[(side + 1) % sides] += j / parts;
          nodes.set(weights.map((x) => x.toFixed(6)).join(), weights);
        }
      }
    }
    const all = [...nodes.values()];
    const { lines, corners } = fanLines(Float32Array.from(all.flat()), sides);
    const name = `${sides} sides in ${parts} parts`;
    assert.equal(all.length, 1 + (sides * parts * (parts + 1)) / 2, name);
    assert.equal(lines.length / 2, all.length + sides * parts * parts - 1, name); // Euler, of a disc
    assert.deepEqual(corners.map((node) => all[node].indexOf(Math.max(...all[node]))), corners.map((_, k) => k), name);
    // On a polygon no line is longer than the longest side of a triangle.
    const at = (w) => [0, 1].map((c) => w.reduce((sum, x, k) => sum + x * Math[c ? 'sin' : 'cos']((2 * Math.PI * k) / sides), 0));
    const longest = Math.max(1, 2 * Math.sin(Math.PI / sides)) / parts;
    for (let k = 0; k < lines.length; k += 2) {
      const [a, b] = [at(all[lines[k]]), at(all[lines[k + 1]])];
      assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) < longest * 1.0001, name);
    }
  }
  // Three rings of five nodes in any order: five lines each, and five to the next.
  const order = [3, 0, 4, 1, 2];
  const places = [0, 1, 2].flatMap((z) => order.flatMap((k) => [Math.cos(k + 0.1 * z), Math.sin(k + 0.1 * z), z]));
  const lines = limbLines(Float32Array.from(places), Uint32Array.from(places.filter((_, k) => k % 3 === 2)));
  assert.equal(lines.length / 2, 3 * 5 + 2 * 5);
  const along = [];
  for (let k = 0; k < lines.length; k += 2) if (Math.abs(lines[k] - lines[k + 1]) >= 5) along.push(Math.abs(lines[k] - lines[k + 1]));
  assert.deepEqual(along, Array(10).fill(5));
});

test('every kind of model that plays natively plays here', () => {
  run('make', 'mochi', '--vertices', '700', '-o', 'small.glb');
  run('build', 'modes', 'small.glb', '-o', 'modes.glb');
  run('build', 'surface', 'modes.glb', '--preset', 'soft', '-o', 'both.glb');
  run('make', 'tube', '--vertices', '494', '-o', 'tube.glb');
  run('simulate', 'tube.glb', '--clip', 'bend', '--until', '0.7', '--tets', '500', '-o', 'bend.pc2');
  run('build', 'correctives', 'tube.glb', '--example', 'bend.pc2', '--clip', 'bend', '-o', 'shapes.glb');
  run('build', 'chunks', 'mochi.glb', '-o', 'chunks.glb');
  for (const [name, clip, kinds] of [['chunks.glb', 'jump', ['CHNK']], ['modes.glb', 'jump', ['MODE']], ['both.glb', 'jump', ['MODE', 'SURF']],
    ['shapes.glb', 'bend', ['CORR']]]) {
    run('play', name, '--clip', clip, '-o', 'stack.pc2', '--json', 'stack.json');
    const { raw, character } = cast(read(name));
    const models = raw.models.map(({ block }) => character.model(block));
    assert.deepEqual(models.map((m) => m.kind), kinds);
    const k = raw.clips.findIndex((c) => c.name === clip);
    assert.equal(playHash(character, models, k), report('stack.json').clips[0].positions_hash, name);
    character.free();
  }
});

test('flesh made here has them too', () => {
  const { raw, character } = cast(read('mochi.glb'));
  const preset = supple.presets.find((p) => p.name === 'soft');
  const clip = raw.clips.findIndex((c) => c.name === 'jump');
  const hash = playHash(character, [character.surface(preset.numbers)], clip);
  assert.equal(hash, report('soft.json').clips[0].positions_hash);
  character.free();
});

test('real characters are read as the tool reads them', { timeout: 60000 }, (t) => {
  const data = process.env.SUPPLE_TEST_DATA;
  if (!data) {
    // node's exit status does not tell of it; scripts/test.sh counts the lines of this file.
    const told = process.env.SUPPLE_SKIPPED;
    if (told) fs.appendFileSync(told, 'module_check.mjs:real_characters\n');
    return t.skip('no SUPPLE_TEST_DATA');
  }
  const names = fs.readdirSync(data, { recursive: true }).map(String).filter((n) => n.endsWith('.glb'))
    .filter((n) => fs.statSync(path.join(data, n)).size < 4e6).sort();
  let played = 0;
  for (const name of names) {
    let expected;
    try {
      run('play', path.join(data, name), '--order', 'file', '--fps', '5', '-o', file('one.pc2'), '--json', 'one.json');
      expected = report('one.json').clips;
    } catch {
      continue; // several files hold no skinned character, or no clip
    }
    const gltf = openGltf(new Uint8Array(fs.readFileSync(path.join(data, name))));
    if (JSON.stringify(gltf.json.extensionsUsed ?? []).includes('meshopt')) continue;
    const [raw] = readCharacters(gltf, supple);
    const character = supple.character(raw);
    for (const [k, clip] of expected.slice(0, 3).entries()) {
      assert.equal(playHash(character, [], k, 5), clip.positions_hash, `${name}, ${clip.clip}`);
      played++;
    }
    character.free();
  }
  t.diagnostic(`${played} clips of ${names.length} files`);
  assert.ok(played > 0);
});

test('errors are those of supple compare', () => {
  const { raw, character } = cast(read('soft.glb'));
  run('compare', 'soft.pc2', 'skin.pc2', '--of', 'mochi.glb', '--json', 'compare.json');
  const n = character.bodyVertexCount;
  const clip = raw.clips.findIndex((c) => c.name === 'jump');
  const motion = (models) => {
    const stage = character.stage(models);
    const out = [];
    stage.play(clip, 0, false);
    stage.step(0);
    for (let i = 0; i < 145; i++) {
      if (i) stage.step(i / 60 - stage.time);
      for (let v = 0; v < n; v++) out.push(...stage.positions.subarray(3 * character.firstRender[v]).subarray(0, 3));
    }
    stage.free();
    return Float32Array.from(out);
  };
  const [soft, skin] = [motion([character.model(raw.models[0].block)]), motion([])];
  const found = character.compare(60, soft, skin, skin);
  const expected = report('compare.json');
  const { peak, reference_peak: wanted } = expected.volume;
  assert.ok(peak > 0.01 && Math.abs(found.volume - peak) < 1e-5, `volume ${found.volume} against ${peak}`);
  assert.ok(Math.abs(found.referenceVolume - wanted) < 1e-5, `volume ${found.referenceVolume} against ${wanted}`);
  const turned = character.compare(60, skin, soft, skin); // skinning shows nothing of how the flesh swings
  assert.ok(turned.clarity >= 1 && turned.amplitudeRatio < 1e-6, `${turned.clarity} ${turned.amplitudeRatio}`);
  const rms = expected.rms ?? expected.error?.rms;
  assert.ok(Math.abs(found.rms - rms) <= 1e-6 * rms, `${found.rms} against ${rms}`);
  assert.equal(found.vertices.length, n);
  assert.equal(found.frames.length, 145);
});

test('the frame rate does not change the motion', () => {
  const { raw, character } = cast(read('soft.glb'));
  const models = raw.models.map(({ block }) => character.model(block));
  const clip = raw.clips.findIndex((c) => c.name === 'jump');
  const at = (fps) => {
    const stage = character.stage(models);
    stage.play(clip, 0, false);
    stage.step(0);
    for (let i = 0; i < fps; i++) stage.step(1 / fps);
    return { stage, positions: stage.positions.slice() };
  };
  const [slow, fast] = [at(15), at(144)];
  const plain = character.stage();
  plain.play(clip, 1, false);
  plain.step(0);
  const off = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));
  const moved = off(fast.positions, plain.positions);
  assert.ok(moved > 0.01, `flesh moves ${moved}`);
  assert.ok(off(slow.positions, fast.positions) < 1e-4 * moved + 1e-6,
    `${off(slow.positions, fast.positions)} of ${moved}`);
  character.free();
});

test('flesh that is pulled comes, and goes back when it is let go', () => {
  const { character } = cast(read('mochi.glb'));
  const stage = character.stage([character.surface(supple.presets[0].numbers)]);
  const plain = character.stage();
  for (const s of [stage, plain]) s.play(-1, 0, false), s.step(0);
  let vertex = 0; // the belly: the foremost vertex
  for (let v = 0; v < character.bodyVertexCount; v++) {
    const z = (u) => plain.positions[3 * character.firstRender[u] + 2];
    if (z(v) > z(vertex)) vertex = v;
  }
  const at = 3 * character.firstRender[vertex];
  const goal = [...plain.positions.subarray(at, at + 3)];
  const far = () => Math.hypot(...goal.map((x, k) => stage.positions[at + k] - x));
  stage.pulls = [{ vertex, target: [goal[0], goal[1] + 0.03, goal[2]], strength: 1 }];
  for (let i = 0; i < 30; i++) stage.step(1 / 60);
  assert.ok(Math.abs(far() - 0.03) < 1e-3, `held at ${far()}`);
  stage.pulls = [];
  stage.step(1 / 60);
  assert.ok(far() > 1e-3);
  for (let i = 0; i < 400; i++) stage.step(1 / 60);
  assert.ok(far() < 1e-4, `came back to ${far()}`);
  character.free();
});

test('a joint that is pulled arrives, and relaxes', () => {
  const { raw, character } = cast(read('mochi.glb'));
  const stage = character.stage();
  stage.play(-1, 0, false);
  stage.step(0);
  const joint = raw.jointNames.findIndex((name) => /hand/i.test(name));
  assert.ok(joint > 0, raw.jointNames.join());
  const place = () => [...stage.joints.subarray(12 * joint + 9, 12 * joint + 12)];
  const rest = place();
  const target = [rest[0] * 0.9, rest[1] + 0.06, rest[2] + 0.06];
  stage.reach(joint, 2, target);
  stage.step(1 / 60);
  const off = Math.hypot(...place().map((x, k) => x - target[k]));
  const way = Math.hypot(...rest.map((x, k) => x - target[k]));
  assert.ok(off < 0.35 * way, `${off} of ${way}`);
  stage.relax(1);
  stage.step(1 / 60);
  assert.ok(Math.hypot(...place().map((x, k) => x - rest[k])) < 1e-6);
  character.free();
});

test('muscles clench with the bits of the native tool', () => {
  run('simulate', 'clench', 'mochi.glb', '--at', 'rest', '--tets', '1000', '-o', 'pair.pc2');
  run('build', 'popping', 'mochi.glb', '--example', 'pair.pc2', '--at', 'rest', '--group', 'belly=spine+chest', '--group',
    'head', '-o', 'pop.glb');
  fs.writeFileSync(file('events.txt'), '0.11 belly 1 0.2\n0.31 head 1.2 0.25\n0.7 * 1 0.1\n');
  run('play', 'pop.glb', '--clip', 'wave', '--events', 'events.txt', '-o', 'pop.pc2', '--json', 'pop.json');
  const { raw, character } = cast(read('pop.glb'));
  const stage = character.stage(raw.models.map(({ block }) => character.model(block)));
  assert.deepEqual(stage.muscles, ['belly', 'head']);
  const clip = raw.clips.findIndex((c) => c.name === 'wave');
  const events = [[0.11, 0, 1, 0.2], [0.31, 1, 1.2, 0.25], [0.7, 0xffffffff, 1, 0.1]];
  const frames = Math.floor(character.clipDuration(clip) * 60 + 1e-4) + 1;
  let hash = 0n;
  stage.play(clip, 0, false);
  stage.step(0);
  for (let i = 0; i < frames; i++) {
    const before = stage.time;
    for (const [time, muscle, strength, length] of events) {
      if (time > before && time <= i / 60) stage.activate(muscle, strength, length, i / 60 - time);
    }
    if (i / 60 - before > 0) stage.step(i / 60 - before);
    hash = supple.hash(stage.positions.slice(), hash);
  }
  assert.equal(hash.toString(16).padStart(16, '0'), report('pop.json').clips[0].positions_hash);
  character.free();
});

test('events of a clip are read as the tool reads them', () => {
  const good = Buffer.from(read('pop.glb'));
  const length = good.readUInt32LE(12);
  const withEvents = (events) => {
    const json = JSON.parse(good.subarray(20, 20 + length).toString('utf8'));
    json.animations.find((a) => a.name === 'wave').extras = { supple_events: events };
    let text = JSON.stringify(json);
    text += ' '.repeat((4 - (Buffer.byteLength(text) % 4)) % 4);
    const chunk = Buffer.from(text);
    const head = Buffer.from(good.subarray(0, 20));
    head.writeUInt32LE(good.length - length + chunk.length, 8);
    head.writeUInt32LE(chunk.length, 12);
    return new Uint8Array(Buffer.concat([head, chunk, good.subarray(20 + length)]));
  };
  const { raw, character } = cast(withEvents([{ time: 0.5 }, { time: 1, muscle: 'head', strength: 0.5, length: 0.2 }]));
  assert.deepEqual(raw.clips.find((c) => c.name === 'wave').events, [
    { time: 0.5, muscle: '*', strength: 1, length: 0 }, { time: 1, muscle: 'head', strength: 0.5, length: 0.2 }]);
  character.free();
  assert.throws(() => cast(withEvents([{ time: -1 }])), /supple_events\[0\]/);
});

test('fractions of materials change while a character moves, without a jump', () => {
  run('make', 'mochi', '--vertices', '494', '-o', 'plain.glb');
  const lessons = ['soft', 'firm'].flatMap((name, k) => {
    run('build', 'modes', 'plain.glb', '--modes', '6', '--tets', '300', '--frequency', `${2.2 + k}`, '-o', 'flesh.glb');
    run('play', 'flesh.glb', '--clip', 'jump', '-o', `${name}.pc2`);
    return ['--material', name, '--example', `${name}.pc2`, '--clip', 'jump'];
  });
  run('build', 'helpers', 'plain.glb', '--bones', '2', ...lessons, '-o', 'blend.glb');
  const { raw, character } = cast(read('blend.glb'));
  const model = character.model(raw.models[0].block);
  assert.deepEqual(model.materials, ['soft', 'firm']);
  const stage = character.stage([model]);
  const play = (fractions) => {
    stage.play(character.clips.findIndex(({ name }) => name === 'jump'), 0, true);
    stage.reset();
    const seen = [];
    for (let i = 0; i < 90; i++) {
      stage.blend(fractions(i));
      stage.step(i ? 1 / 60 : 0);
      seen.push(stage.positions.slice());
    }
    return seen;
  };
  const apart = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));
  const fastest = (seen) => Math.max(...seen.slice(1).map((p, k) => apart(p, seen[k])));
  const [soft, firm] = [play(() => [1, 0]), play(() => [0, 1])];
  const drag = play((i) => [Math.cos(i / 15) ** 2, Math.sin(i / 15) ** 2]);
  const gap = Math.max(...soft.map((p, k) => apart(p, firm[k])));
  assert.ok(gap > 5e-3, `${gap} m`);
  assert.ok(fastest(drag) < Math.max(fastest(soft), fastest(firm)) + 0.1 * gap);
  // A second one of the model stays what it is, and a crowd is what it is told.
  const other = character.stage([model]);
  const crowd = Crowd.make(character, model, 1, 1);
  const clip = character.clips.findIndex(({ name }) => name === 'jump');
  other.play(clip, 0, true);
  crowd.blend([0, 1]);
  crowd.play(clip, other.size);
  stage.blend([0, 1]);
  stage.play(clip, 0, true);
  stage.reset();
  let away = 0;
  for (let i = 0; i < 60; i++) {
    for (const one of [stage, other]) one.step(i ? Math.fround(1 / 60) : 0);
    crowd.step(Math.fround(1 / 60));
    crowd.draw(0, 0);
    const body = [...character.firstRender].flatMap((v) => [...stage.positions.subarray(3 * v, 3 * v + 3)]);
    assert.ok(apart(body, crowd.positions) < 1e-5, `frame ${i}`);
    assert.ok(apart(other.positions, soft[i]) < 1e-5, `frame ${i}, the other`);
    away = Math.max(away, apart(stage.positions, other.positions));
  }
  assert.ok(away > 5e-3, `${away} m`);
  assert.throws(() => crowd.blend([1]), /1 fractions for 2 materials/);
  crowd.free();
  other.free();
  assert.throws(() => stage.blend([0.5, 0.6]), /sum to 1\.1/);
  for (const fractions of [[], [1], [1, 0, 5]]) {
    assert.throws(() => stage.blend(fractions), new RegExp(`^SuppleError: ${fractions.length} fractions for 2 materials`));
  }
  stage.free();
  model.free();
  character.free();
});

test('a crowd moves as each alone, whatever its level, and draws no one else', () => {
  run('make', 'mochi', '--vertices', '494', '-o', 'plain.glb');
  run('build', 'modes', 'plain.glb', '--modes', '6', '--tets', '300', '-o', 'flesh.glb');
  for (const clip of ['jump', 'run']) run('play', 'flesh.glb', '--clip', clip, '-o', `${clip}.pc2`);
  run('build', 'helpers', 'plain.glb', '--bones', '4', '--example', 'jump.pc2', '--clip', 'jump', '--example', 'run.pc2',
    '--clip', 'run', '-o', 'live.glb');
  const { raw, character } = cast(read('live.glb'));
  const model = character.model(raw.models[0].block);
  const clip = character.clips.findIndex(({ name }) => name === 'run');
  const [full, posed] = [character.stage([model]), character.stage([model])];
  const h = Math.fround(1 / 60); // as the model has it
  const crowd = Crowd.make(character, model, 40, 2);
  crowd.places.fill(0);
  crowd.places.set([3, 0, 0, 9, 0, 0], 3);
  crowd.times.fill(0);
  posed.help(2, 1);
  full.help(2, 2);
  for (const stage of [full, posed]) stage.play(clip, 0, true);
  crowd.play(clip, full.size);
  const body = (stage) => [...character.firstRender].flatMap((v) => [...stage.positions.subarray(3 * v, 3 * v + 3)]);
  const n = 3 * character.bodyVertexCount;
  const off = (a, b, x) => Math.max(...a.map((value, k) => Math.abs(value + (k % 3 ? 0 : x) - b[k])));
  let swing = 0;
  for (let i = 0; i < 90; i++) {
    for (const stage of [full, posed]) stage.step(i ? h : 0);
    crowd.levelsFrom([0, 0, 0], 2, 6);
    assert.equal(crowd.step(h, 2), 1);
    crowd.draw(0, 0);
    crowd.draw(1, 1);
    const [one, other] = [body(full), body(posed)];
    assert.ok(off(one, crowd.positions.subarray(0, n), 0) < 1e-5, `frame ${i}`);
    assert.ok(off(other, crowd.positions.subarray(n), 3) < 1e-5, `frame ${i}, by the pose`);
    swing = Math.max(swing, off(one, other, 0));
  }
  assert.ok(swing > 1e-3, `${swing} m`);
  assert.deepEqual([...crowd.levels.subarray(0, 3)], [2, 1, 0]);
  assert.deepEqual(crowd.active, { swinging: 38, posed: 1 });
  for (const dt of [NaN, Infinity, -Infinity, -1]) assert.equal(crowd.step(dt), 0, `${dt} s`);
  assert.equal(crowd.step(h), 1);
  assert.equal(crowd.step(1e6), 16);
  // To a moment: as all would have come there; the same from whichever side.
  const seen = () => {
    crowd.draw(0, 0);
    crowd.draw(5, 1);
    return [...crowd.positions];
  };
  const at = (time) => {
    crowd.seek(time, 1.5, 2);
    return seen();
  };
  const spread = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));
  crowd.places.fill(0);
  crowd.levelsFrom([0, 0, 0], 2, 6);
  const duration = character.clipDuration(clip);
  crowd.times[5] = 0.4 * duration;
  const there = at(0.5);
  at(0.1);
  assert.deepEqual(at(0.5), there);
  full.play(clip, 0, true);
  full.step(0);
  for (let i = 0; i < 30; i++) full.step(h);
  crowd.seek(0.5, 0.5, 2);
  crowd.draw(0, 0);
  const apart = off(body(full), crowd.positions.subarray(0, n), 0);
  assert.ok(apart < 1e-5, `played up to it: ${apart}`);
  // The clip stands still, the flesh comes to rest.
  at(0.5);
  let last = seen();
  const changes = [];
  for (let i = 0; i < 240; i++) {
    crowd.step(h, 2, true);
    const next = seen();
    changes.push(spread(next, last));
    last = next;
  }
  assert.ok(changes[0] > 1e-3 && changes.at(-1) < 0.05 * changes[0], `${changes[0]} .. ${changes.at(-1)} m`);
  // No more than is asked for.
  crowd.levelsFrom([0, 0, 0], 2, 6, 1);
  assert.deepEqual([...new Set(crowd.levels)], [1]);
  crowd.levelsFrom([0, 0, 0], 2, 6, 0);
  crowd.seek(0.5, 0.5, 2);
  assert.deepEqual(crowd.active, { swinging: 0, posed: 0 });
  crowd.levelsFrom([0, 0, 0], 2, 6);
  // Without a loop no one jumps, and each stays where the clip ends; with one it goes on.
  at(0.9 * duration);
  crowd.step(h, 2);
  const before = seen();
  crowd.loop(false);
  crowd.step(h, 2);
  assert.ok(spread(seen(), before) < 0.2 * full.size, 'nobody jumped');
  crowd.levelsFrom([0, 0, 0], 2, 6, 1); // by the pose: nothing swings on
  for (let i = 0; i < Math.ceil(2 * duration / 0.25); i++) crowd.step(0.25, 2);
  const ends = seen();
  assert.ok(spread(ends.slice(0, n), ends.slice(n)) < 1e-6, 'all at the end');
  crowd.step(0.25, 2);
  assert.deepEqual(seen(), ends, 'and there they stay');
  crowd.loop(true);
  crowd.step(0.25, 2);
  assert.ok(spread(seen(), ends) > 1e-2, 'until they go round again');
  for (const time of [NaN, Infinity, -1]) at(time);
  for (const name of ['plain.glb', 'mochi.glb']) {
    assert.throws(() => Crowd.make(cast(read(name)).character, model, 4, 1), /helpers belong to another character/, name);
  }
  assert.throws(() => Crowd.make(character, model, 0xffffffff, 1), /no more memory/);
  for (const thing of [crowd, full, posed, model, character]) thing.free();
});

test('a crowd at the end of an open clip starts afresh when the loop is turned on', () => {
  const [raw] = readCharacters(openGltf(read('live.glb')), supple);
  const clip = raw.clips.findIndex(({ name }) => name === 'jump');
  for (const track of raw.clips[clip].tracks) {
    const keys = track.times.filter((time) => time <= 1.12).length || 1; // in the middle of the leap
    track.values = track.values.slice(0, (keys * track.values.length) / track.times.length);
    track.times = track.times.slice(0, keys);
  }
  const character = supple.character(raw);
  const model = character.model(raw.models[0].block);
  const duration = character.clipDuration(clip);
  const stage = character.stage([model]);
  const h = Math.fround(1 / 60);
  const crowdOf = (count, loop) => {
    const crowd = Crowd.make(character, model, count, 1);
    crowd.places.fill(0);
    for (let k = 0; k < count; k++) crowd.times[k] = (duration * k) / count;
    crowd.play(clip, stage.size, loop);
    crowd.levelsFrom([0, 0, 0], 2, 6);
    return crowd;
  };
  const draw = (crowd, k) => {
    crowd.draw(k, 0);
    return crowd.positions.slice();
  };
  const apart = (a, b) => a.reduce((most, x, k) => Math.max(most, Math.abs(x - b[k])), 0);
  const [crowd, fresh] = [crowdOf(40, false), crowdOf(1, true)];
  for (let i = 0; i < Math.ceil((2 * duration) / h); i++) crowd.step(h);
  const ends = draw(crowd, 7);
  crowd.loop(true);
  for (let i = 0; i < 20; i++) {
    for (const each of [crowd, fresh]) each.step(h);
    const one = draw(fresh, 0);
    if (i === 0) assert.ok(apart(one, ends) > 0.02, 'the clip is open');
    for (let k = 0; k < 40; k++) {
      const far = apart(draw(crowd, k), one);
      assert.ok(far < 1e-4, `${far} m, frame ${i}, character ${k}`);
    }
  }
  for (const thing of [crowd, fresh, stage, model, character]) thing.free();
});

test('broken files and models give sentences', () => {
  const good = read('soft.glb');
  for (let k = 0; k < 200; k++) {
    const length = Math.floor((good.length * k) / 200);
    assert.throws(() => cast(good.slice(0, length)), SuppleError, `cut at ${length}`);
  }
  assert.throws(() => openGltf(new TextEncoder().encode('hello')), /not a glTF file/);
  const { raw, character } = cast(good);
  for (let k = 0; k < 64; k++) {
    const block = raw.models[0].block.slice();
    block[Math.floor((block.length * k) / 64)] ^= 0x40;
    assert.throws(() => character.model(block), SuppleError);
  }
  const other = cast(read('mochi.glb'));
  const moved = { ...other.raw, parts: other.raw.parts.map((p) => ({ ...p, positions: p.positions.map((x) => 1.3 * x) })) };
  assert.throws(() => supple.character(moved).model(raw.models[0].block), /an earlier version of this mesh/);
});

test('what is freed can be had again', () => {
  const { raw, character } = cast(read('soft.glb'));
  const round = () => {
    const models = raw.models.map(({ block }) => character.model(block));
    const stage = character.stage(models);
    stage.play(0, 0, true);
    for (let i = 0; i < 3; i++) stage.step(1 / 60);
    stage.free();
    models.forEach((m) => m.free());
  };
  round();
  const size = supple.memory.byteLength;
  for (let k = 0; k < 40; k++) round();
  assert.equal(supple.memory.byteLength, size);
  character.free();
});
