// SPDX-License-Identifier: MIT
// Patches in headless Chromium: features by clicks, boundaries, colours, files, two characters.
// page_patches_check.mjs SUPPLE FOLDER_FOR_PICTURES
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { check, closeBrowser, finish, here, open, problems, run, shots } from './browser.mjs';

run('make', 'mochi', '--vertices', '1500', '-o', 'mochi.glb');
run('make', 'mochi', '--vertices', '900', '-o', 'small.glb');
run('view', 'mochi.glb', '-o', 'mochi.html');
run('view', 'mochi.glb', 'small.glb', '-o', 'two.html');

const page = await open('mochi.html');
await page.waitForFunction(() => window.supple.playing);

/** Where a body vertex is on the screen. */
const vertexAt = (on, vertex, who = 0) => on.evaluate(([v, k]) => {
  const app = window.supple;
  const figure = app.figure('skinning', app.instances[k]);
  const { firstRender } = figure.instance.character;
  const at = figure.positions.subarray(3 * firstRender[v], 3 * firstRender[v] + 3);
  app.world.camera.updateMatrixWorld();
  const point = figure.mesh.localToWorld(figure.mesh.position.clone().fromArray(at)).project(app.world.camera);
  const box = app.world.canvas.getBoundingClientRect();
  return { x: box.left + (point.x * 0.5 + 0.5) * box.width, y: box.top + (0.5 - point.y * 0.5) * box.height };
}, [vertex, who]);
/** The body vertex that is seen at a place of the figure's box, x and y from -1 to 1. */
const seen = (on, x, y, who = 0) => on.evaluate(([across, up, k]) => {
  const app = window.supple;
  const figure = app.figure('skinning', app.instances[k]);
  const { character } = figure.instance;
  const p = figure.positions;
  const box = { low: [Infinity, Infinity], high: [-Infinity, -Infinity] };
  for (let v = 0; v < p.length; v += 3) {
    for (let c = 0; c < 2; c++) {
      box.low[c] = Math.min(box.low[c], p[v + c]);
      box.high[c] = Math.max(box.high[c], p[v + c]);
    }
  }
  const to = [across, up].map((s, c) => 0.5 * (box.low[c] + box.high[c]) + 0.5 * s * (box.high[c] - box.low[c]));
  let [best, least] = [-1, Infinity];
  for (let v = 0; v < character.bodyVertexCount; v++) {
    const r = 3 * character.firstRender[v];
    const d = Math.hypot(p[r] - to[0], p[r + 1] - to[1]) - 0.5 * p[r + 2];
    if (d < least) [best, least] = [v, d];
  }
  return best;
}, [x, y, who]);
const state = (on) => on.evaluate(() => {
  const { patches } = window.supple;
  const { plan, regions, problem } = patches.division;
  return { plan, problem, patches: regions.map(({ name, zone, area }) => ({ name, zone, area })), chosen: patches.chosen };
});

await check('the mode opens with the skin at rest', async () => {
  await page.click('#patches-open');
  await page.locator('#patches-save').waitFor();
  assert.deepEqual(await page.evaluate(() => [window.supple.playing, window.supple.clip, window.supple.seen.map((f) => f.version)]),
    [false, -1, ['skinning']]);
});

const ring = [[-0.2, 0.1], [0.2, 0.1], [0.2, -0.25], [-0.2, -0.25]];
const corners = [];
for (const [x, y] of ring) corners.push(await seen(page, x, y));

await check('clicks on the skin make features, and two that are chosen are joined', async () => {
  for (const [k, vertex] of corners.entries()) {
    const at = await vertexAt(page, vertex);
    await page.mouse.click(at.x, at.y);
    const { plan, chosen } = await state(page);
    assert.equal(plan.features.length, k + 1);
    assert.equal(plan.features[k].place, 'vertex');
    assert.equal(plan.features[k].vertex, vertex);
    assert.deepEqual(chosen.features, k ? [k - 1, k] : [0]);
    if (k) await page.click(`#panel [data-join="${k === 1 ? 'edges' : 'geodesic'}"]`);
  }
  await page.screenshot({ path: path.join(shots, 'patches-open.png') });
  const { plan, problem, patches } = await state(page);
  assert.deepEqual(plan.boundaries.map(({ from, to, kind }) => [from, to, kind]), [[0, 1, 'edges'], [1, 2, 'geodesic'], [2, 3, 'geodesic']]);
  assert.deepEqual([problem, patches], ['', []]);
});

await check('a closed ring bounds a patch', async () => {
  const at = await vertexAt(page, corners[0]);
  await page.mouse.click(at.x, at.y);
  await page.click('#panel [data-join="curve"]');
  const { plan, problem, patches } = await state(page);
  assert.equal(plan.boundaries[3].kind, 'curve');
  assert.equal(problem, '');
  assert.ok(patches.length >= 1, `${patches.length}`);
  await page.screenshot({ path: path.join(shots, 'patches.png') });
});
const click = async (on, vertex, options) => {
  const at = await vertexAt(on, vertex);
  await on.mouse.click(at.x, at.y, options);
};
const fill = async (on, label, text) => {
  await on.getByLabel(label, { exact: true }).fill(text);
  await on.getByLabel(label, { exact: true }).press('Enter');
};
const noted = (on) => on.evaluate(() => document.getElementById('note').textContent);

await check('points bend a curve, and the skin is cut below it', async () => {
  const before = await state(page);
  const length = () => page.evaluate(() => window.supple.patches.division.trace.paths[3].length);
  const straight = await length();
  const at = await page.evaluate(() => {
    const { patches, world } = window.supple;
    world.camera.updateMatrixWorld();
    const box = world.canvas.getBoundingClientRect();
    const [{ x, y }] = patches.views[0].onScreen(world.camera, box.width, box.height).handles;
    return { x: x + box.left, y: y + box.top };
  });
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x - 30, at.y, { steps: 3 });
  await page.mouse.up();
  const after = await state(page);
  assert.ok(await length() > 1.05 * straight, `${straight} -> ${await length()}`);
  assert.equal(after.patches.length, 2);
  assert.ok(after.patches[1].area > 1.05 * before.patches[1].area, `${before.patches[1].area} -> ${after.patches[1].area}`);
  const whole = ({ patches }) => patches.reduce((sum, one) => sum + one.area, 0);
  assert.ok(Math.abs(whole(before) - whole(after)) < 1e-9 * whole(before));
});

await check('a patch has a name and a zone, and its colour in the list is that on the skin', async () => {
  await page.click('#panel [data-list="patches"] .pick:nth-of-type(2)');
  await fill(page, 'Name of the patch', 'bib');
  await fill(page, 'Zone of the patch', 'front');
  const { plan, patches } = await state(page);
  assert.ok(patches.some(({ name, zone, area }) => name === 'bib' && zone === 'front' && area < 0.1), JSON.stringify(patches));
  assert.ok(plan.patches.some(({ name }) => name === 'bib'));
  assert.deepEqual(plan.zones, [{ name: 'front', kind: 'stratum' }]);
  const colours = await page.evaluate(() => {
    const { patches } = window.supple;
    patches.choose({});
    patches.renew();
    const { cut, regions } = patches.division;
    const tints = patches.views[0].fill.geometry.attributes.color.array;
    const k = regions.findIndex(({ name }) => name === 'bib');
    const first = cut.regions.filter((region) => region >= 0).indexOf(k);
    const row = [...document.querySelectorAll('[data-list="patches"] .pick')][k];
    return { skin: [...tints.slice(9 * first, 9 * first + 3)], list: getComputedStyle(row.querySelector('.mark')).backgroundColor };
  });
  const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  colours.list.match(/\d+/g).map(Number).forEach((x, c) => assert.ok(Math.abs(linear(x / 255) - colours.skin[c]) < 1e-3, JSON.stringify(colours)));
});

await check('a feature is dragged, renamed, deleted, and all of it undone', async () => {
  const before = await state(page);
  const from = await vertexAt(page, corners[2]);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 18, from.y + 14, { steps: 3 });
  await page.mouse.up();
  const dragged = await state(page);
  assert.notDeepEqual(dragged.plan.features[2], before.plan.features[2]);
  assert.ok(dragged.patches.some(({ name }) => name === 'bib'), 'the name stays');
  await page.keyboard.press('Control+z');
  assert.deepEqual((await state(page)).plan, before.plan);
  await page.keyboard.press('Control+y');
  assert.deepEqual((await state(page)).plan, dragged.plan);
  await page.click('#patches-undo');
  await click(page, corners[1]);
  await fill(page, 'Name of the feature', 'f1');
  assert.match(await noted(page), /another feature is called 'f1'/);
  await fill(page, 'Name of the feature', 'left');
  assert.equal((await state(page)).plan.features[1].name, 'left');
  await page.click('#patches-delete');
  const { plan, patches } = await state(page);
  assert.deepEqual([plan.features.length, plan.boundaries.length, plan.patches.length, patches.length], [3, 2, 0, 0]);
  await page.keyboard.press('Control+z');
  assert.ok((await state(page)).patches.some(({ name }) => name === 'bib'));
});

let saved = '';
await check('a file is saved, and comes back as it was', async () => {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#patches-save')]);
  assert.equal(download.suggestedFilename(), 'mochi.patches.json');
  await download.saveAs(path.join(here, 'mochi.patches.json'));
  saved = fs.readFileSync(path.join(here, 'mochi.patches.json'), 'utf8');
  const json = JSON.parse(saved);
  assert.deepEqual([json.patch_file, json.features.length, json.boundaries.length, json.zones], [1, 4, 4, { front: 'stratum' }]);
  const before = await state(page);
  for (let k = 0; k < 3; k++) await page.keyboard.press('Control+z');
  await page.setInputFiles('#patches-file', path.join(here, 'mochi.patches.json'));
  await page.waitForFunction((n) => window.supple.patches.division.plan.patches.length === n, before.plan.patches.length);
  const after = await state(page);
  assert.deepEqual({ ...after.plan, vertexCount: 0 }, { ...before.plan, vertexCount: 0 });
  assert.deepEqual(after.patches, before.patches);
  assert.equal(after.plan.vertexCount, await page.evaluate(() => window.supple.main.character.bodyVertexCount));
  const [again] = await Promise.all([page.waitForEvent('download'), page.click('#patches-save')]);
  await again.saveAs(path.join(here, 'again.json'));
  assert.equal(fs.readFileSync(path.join(here, 'again.json'), 'utf8'), saved);
});

await check('the tool reads what the page wrote, and the page what the tool wrote', async () => {
  run('patches', 'mochi.glb', '--plan', 'mochi.patches.json', '--json', 'report.json');
  const report = JSON.parse(fs.readFileSync(path.join(here, 'report.json'), 'utf8'));
  assert.match(JSON.stringify(report), /"bib"/);
  run('patches', 'mochi.glb', '-o', 'tool.json');
  const tool = fs.readFileSync(path.join(here, 'tool.json'), 'utf8');
  await page.setInputFiles('#patches-file', path.join(here, 'tool.json'));
  await page.waitForFunction((n) => window.supple.patches.division.regions.length === n, JSON.parse(tool).patches.length);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#patches-save')]);
  await download.saveAs(path.join(here, 'page.json'));
  assert.deepEqual(JSON.parse(fs.readFileSync(path.join(here, 'page.json'), 'utf8')), JSON.parse(tool));
  await page.keyboard.press('Control+z');
  assert.ok((await state(page)).patches.some(({ name }) => name === 'bib'));
});

await check('what a zone says about its flesh is kept, and found with the patches', async () => {
  const json = JSON.parse(fs.readFileSync(path.join(here, 'tool.json'), 'utf8'));
  const found = Object.entries(json.zones).filter(([, said]) => said.bone);
  assert.ok(found.length > 2, JSON.stringify(json.zones));
  await page.click('#patches-auto');
  await page.waitForFunction((n) => window.supple.patches.division.regions.length === n, json.patches.length);
  const zones = Object.fromEntries((await state(page)).plan.zones.map(({ name, flesh }) => [name, flesh?.bone]));
  assert.deepEqual(zones, Object.fromEntries(Object.entries(json.zones).map(([name, said]) => [name, said.bone])));
  await page.keyboard.press('Control+z');
  Object.assign(found[0][1], { poisson: 0.4, slices: 9, levels: 2 });
  json.zones[found[1][0]] = 'skinned';
  fs.writeFileSync(path.join(here, 'zones.json'), JSON.stringify(json));
  await page.setInputFiles('#patches-file', path.join(here, 'zones.json'));
  await page.waitForFunction((name) => window.supple.patches.division.plan.zones.some((zone) => zone.name === name && zone.flesh?.slices === 9), found[0][0]);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#patches-save')]);
  await download.saveAs(path.join(here, 'page.json'));
  assert.deepEqual(JSON.parse(fs.readFileSync(path.join(here, 'page.json'), 'utf8')).zones, json.zones);
  run('patches', 'mochi.glb', '--plan', 'page.json', '-o', 'again.json');
  assert.deepEqual(JSON.parse(fs.readFileSync(path.join(here, 'again.json'), 'utf8')).zones[found[0][0]], found[0][1]);
  await page.keyboard.press('Control+z');
});

await check('what is wrong with a file is said, and nothing changes', async () => {
  const before = await state(page);
  const change = (edit) => {
    const json = JSON.parse(saved);
    edit(json);
    return JSON.stringify(json);
  };
  const faults = [
    ['{"patch_file": 1', /^wrong\.json: no JSON: /],
    [change((json) => { json.patch_file = 2; }), /version 1/],
    [change((json) => { delete json.boundaries; }), /a patch file needs "boundaries"/],
    [change((json) => { json.features[1].vertx = 3; }), /feature 'left' has an unknown key "vertx"/],
    [change((json) => { json.features[1].vertex = 1e6; delete json.features[1].position; }), /feature 'left'.*1000000/],
    [change((json) => { json.features[1].position = [0, 'x', 0]; }), /"position" of feature 'left' is no number/],
    [change((json) => { json.features[1].name = 'f1'; }), /there is no feature 'left' for boundary 'f1-f2'/],
    [change((json) => { json.features.push({ ...json.features[0] }); }), /another feature is called 'f1'/],
    [change((json) => { json.boundaries[0].to = 'nose'; }), /there is no feature 'nose' for boundary 'f1-f2'/],
    [change((json) => { json.boundaries[0].kind = 'line'; }), /"kind" of boundary 'f1-f2' is none of "edges", "geodesic", "curve", "rim"/],
    [change((json) => { json.boundaries[0].points = [[0, 0, 0], [0, 1, 0]]; }), /boundary 'f1-f2' has "points" if it is a curve, else not/],
    [change((json) => { json.boundaries[0].to = 'f1'; }), /boundary 'f1-f2' ends where it begins/],
    [change((json) => { json.zones.front = { kind: 'stratum', deep: 1 }; }), /zone 'front' has an unknown key "deep"/],
    [change((json) => { json.zones.front = { depth: 0.1 }; }), /zone 'front' needs "kind"/],
    [change((json) => { json.zones.front = { kind: 'soft' }; }), /zone 'front' is none of "stratum", "solid", "skinned"/],
    [change((json) => { json.patches[0].zone = 'back'; }), /there is no zone 'back' for patch '/],
  ];
  for (const [text, sentence] of faults) {
    await page.evaluate(() => { document.getElementById('note').textContent = ''; });
    await page.setInputFiles('#patches-file', { name: 'wrong.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    await page.waitForFunction(() => document.getElementById('note').textContent).catch(() => {});
    assert.match(await noted(page), sentence);
    assert.match(await noted(page), /^wrong\.json/);
  }
  assert.deepEqual((await state(page)).plan, before.plan);
});

await check('boundaries that cross are named, and marked in the list', async () => {
  const json = JSON.parse(saved);
  const [a, b, c, d] = json.features.map(({ name }) => name);
  const place = (k) => json.features[k].position;
  json.patches = [];
  json.zones = {};
  for (const [from, to, k, l] of [[a, c, 0, 2], [b, d, 1, 3]]) {
    json.boundaries.push({ name: `${from}+${to}`, from, to, kind: 'curve', points: [place(k), place(l)] });
  }
  await page.setInputFiles('#patches-file', { name: 'cross.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(json)) });
  await page.locator('#patches-problem').waitFor();
  assert.match(await page.locator('#patches-problem').textContent(), /^mochi\.glb: boundar.*'(f1\+f3|left\+f4)'/);
  assert.ok(await page.locator('[data-list="boundaries"] .pick.bad').count() > 0);
  await page.keyboard.press('Control+z');
  assert.equal((await state(page)).problem, '');
});

await check('patches follow the skin in motion, and the page is as before when the mode closes', async () => {
  const places = () => page.evaluate(() => [...window.supple.patches.views[0].fill.geometry.attributes.position.array.slice(0, 30000)]);
  const before = await places();
  await page.evaluate(() => {
    const app = window.supple;
    app.setClip(app.main.character.clips.findIndex(({ name }) => name === 'jump'));
    app.scrub(0.5);
  });
  const off = await page.evaluate(() => {
    // Each corner of the coloured mesh lies in its place of the plain skin.
    const app = window.supple;
    const { cut } = app.patches.division;
    const { plain, character } = app.main;
    const at = app.patches.views[0].fill.geometry.attributes.position.array;
    let [most, k] = [0, 0];
    cut.regions.forEach((region, f) => {
      if (region < 0) return;
      for (let i = 0; i < 3; i++, k++) {
        const v = cut.triangles[3 * f + i];
        const [a, b, t] = [character.firstRender[cut.points.a[v]], character.firstRender[cut.points.b[v]], cut.points.t[v]];
        for (let c = 0; c < 3; c++) {
          most = Math.max(most, Math.abs((1 - t) * plain.positions[3 * a + c] + t * plain.positions[3 * b + c] - at[3 * k + c]));
        }
      }
    });
    return most;
  });
  assert.ok(off < 1e-6, `${off} m`);
  assert.notDeepEqual(await places(), before);
  await page.screenshot({ path: path.join(shots, 'patches-moving.png') });
  await page.click('#patches-close');
  assert.deepEqual(await page.evaluate(() => [window.supple.seen.map((f) => f.version), window.supple.playing, window.supple.main.plain.clip ?? null,
    document.body.classList.contains('dividing')]), [['skinning', 'alive'], true, null, false]);
  const { plan } = await page.evaluate(() => ({ plan: window.supple.patches.division.plan }));
  await page.click('#patches-open');
  await page.locator('#patches-save').waitFor();
  assert.deepEqual((await state(page)).plan, plan, 'what was made is still there');
});
await page.context().close();

// ---- Two characters ----------------------------------------------------------------------------------

await check('two characters under one camera: the same colours on the same names, and the first difference', async () => {
  const two = await open('two.html');
  await two.waitForFunction(() => window.supple.playing);
  await two.click('#patches-open');
  await two.locator('#patches-match').waitFor();
  assert.match(await two.locator('#patches-match').textContent(), /Divide both/);
  // The places of features are found again on the other mesh: vertices are another's.
  const json = JSON.parse(saved);
  for (const feature of json.features) delete feature.vertex;
  const file = (text) => ({ name: 'body.patches.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  for (const name of ['mochi.glb', 'small.glb']) {
    await two.getByRole('button', { name, exact: true }).click();
    await two.setInputFiles('#patches-file', file(JSON.stringify(json)));
    await two.waitForFunction(() => window.supple.patches.division.cut);
  }
  assert.match(await two.locator('#patches-match').textContent(), /correspond/);
  const names = await two.evaluate(() => window.supple.patches.divisions.map(({ regions }) => regions.map(({ name }) => name).sort()));
  assert.deepEqual(names[0], names[1]);
  await two.screenshot({ path: path.join(shots, 'patches-two.png') });
  await two.click('#panel [data-list="boundaries"] summary');
  await two.click('#panel [data-list="boundaries"] .pick:nth-of-type(3)');
  await fill(two, 'Name of the boundary', 'hem');
  assert.match(await two.locator('#patches-match').textContent(), /Not the same: boundary 'f3-f4' is in mochi\.glb, but not in small\.glb\./);
  for (const name of ['mochi.glb', 'small.glb']) {
    await two.getByRole('button', { name, exact: true }).click();
    const before = (await state(two)).plan;
    await two.click('#patches-auto');
    await two.waitForFunction((n) => window.supple.patches.division.plan.features.length > n, before.features.length);
    const { plan, patches, problem } = await state(two);
    assert.equal(problem, '');
    assert.ok(patches.length > 20 && patches.length === plan.patches.length, `${patches.length}`);
  }
  await two.click('#patches-left');
  const mirrored = await state(two);
  assert.equal(mirrored.problem, '');
  assert.ok(mirrored.patches.length > 20, `${mirrored.patches.length}`);
  const shared = await two.evaluate(() => {
    // Neighbours have other colours.
    const { divisions, colours } = window.supple.patches;
    return divisions.map(({ regions }) => regions.flatMap((one) => regions.filter((other) => other !== one
      && other.boundaries.some((b) => one.boundaries.includes(b)) && colours.get(one.name) === colours.get(other.name))).length);
  });
  assert.deepEqual(shared, [0, 0]);
  await two.screenshot({ path: path.join(shots, 'patches-auto.png') });
  await two.context().close();
});

// ---- On a phone --------------------------------------------------------------------------------------

await check('on a phone a tap makes a feature, and the panel leaves the figure free', async () => {
  const phone = await open('mochi.html', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await phone.waitForFunction(() => window.supple.playing);
  await phone.locator('#patches-open').tap();
  await phone.locator('#patches-save').waitFor();
  for (const vertex of corners) {
    const at = await vertexAt(phone, vertex);
    await phone.touchscreen.tap(at.x, at.y);
  }
  const { plan } = await state(phone);
  assert.deepEqual(plan.features.map(({ vertex }) => vertex), corners);
  await phone.locator('#panel [data-join="geodesic"]').tap();
  await phone.screenshot({ path: path.join(shots, 'patches-phone.png') });
  assert.equal((await state(phone)).plan.boundaries.length, 1);
  const boxes = await phone.evaluate(() => ['panel', 'bar', 'top'].map((id) => document.getElementById(id).getBoundingClientRect().toJSON()));
  assert.ok(boxes[2].bottom < boxes[1].top && boxes[1].bottom <= boxes[0].top + 1, JSON.stringify(boxes));
  await phone.context().close();
});
await closeBrowser();
await check('no error, no warning, no request', () => assert.deepEqual(problems, []));
finish();
