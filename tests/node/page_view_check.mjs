// SPDX-License-Identifier: MIT
// What a page shows of what `view` is given, and how it fits into the window, in headless Chromium:
// page_view_check.mjs SUPPLE FOLDER_FOR_PICTURES
import assert from 'node:assert/strict';
import path from 'node:path';
import { check, closeBrowser, edited, finish, open, problems, run, shots } from './browser.mjs';

run('make', 'mochi', '--vertices', '494', '-o', 'mochi.glb');
run('build', 'surface', 'mochi.glb', '--preset', 'fat', '-o', 'fat.glb');
run('play', 'fat.glb', '--clip', 'jump', '--as', 'helpers', '--bones', '4', '-o', 'baked.glb');
run('play', 'fat.glb', '--clip', 'jump', '--as', 'morphs', '--targets', '4', '-o', 'morphs.glb');
run('make', 'cat', '--vertices', '700', '-o', 'cat.glb');
/** As another program writes it: without what only Supple reads. */
edited('baked.glb', 'exported.glb', (json) => {
  for (const mesh of json.meshes) for (const primitive of mesh.primitives) delete primitive.extensions;
});
/** A jump that ends six metres away. */
edited('mochi.glb', 'far.glb', (json, bytes) => {
  const jump = json.animations.find(({ name }) => name === 'jump');
  const node = json.nodes.push({ name: 'way', children: [...json.scenes[0].nodes] }) - 1;
  json.scenes[0].nodes = [node];
  const keys = new Float32Array([0, 2.4, 0, 0, 0, 0, 0, 6]);
  const view = json.bufferViews.push({ buffer: 0, byteOffset: bytes, byteLength: 32 }) - 1;
  const times = json.accessors.push({ bufferView: view, componentType: 5126, type: 'SCALAR', count: 2, min: [0], max: [2.4] }) - 1;
  const values = json.accessors.push({ bufferView: view, byteOffset: 8, componentType: 5126, type: 'VEC3', count: 2 }) - 1;
  jump.samplers.push({ input: times, output: values });
  jump.channels.push({ sampler: jump.samplers.length - 1, target: { node, path: 'translation' } });
  return Buffer.from(keys.buffer);
});
const pages = { mochi: ['mochi'], baked: ['baked'], exported: ['exported'], morphs: ['mochi', 'morphs'], pair: ['mochi', 'baked'],
  turned: ['baked', 'mochi'], models: ['mochi', 'fat'], far: ['far'], zoo: ['cat', 'mochi'] };
for (const [name, files] of Object.entries(pages)) run('view', ...files.map((file) => `${file}.glb`), '-o', `${name}.html`);

/** What stands on the stage, and what is written below it. */
const seen = (page) => page.evaluate(() => ({
  figures: window.supple.seen.map((f) => `${f.instance.name} ${f.version}`),
  labels: [...document.querySelectorAll('#labels span')].map((label) => label.textContent),
}));
const apart = (page, code) => page.evaluate((text) => {
  const app = window.supple;
  const measure = new Function('app', `return (${text})(app)`);
  let most = 0;
  for (const time of [0.4, 0.9, 1.2, 1.7]) {
    app.scrub(time);
    const [a, b] = measure(app);
    for (let k = 0; k < a.length; k++) most = Math.max(most, Math.abs(a[k] - b[k]));
  }
  return most;
}, String(code));

// ---- What is shown ---------------------------------------------------------------------------------------

await check('a page opens with before and after', async () => {
  const page = await open('mochi.html');
  const { figures, labels } = await seen(page);
  assert.deepEqual(figures, ['mochi.glb skinning', 'mochi.glb alive']);
  assert.deepEqual(labels, ['Before plain skinning', 'After live: fat']);
  await page.click('#figures button[data-version="skinning"]');
  assert.deepEqual((await seen(page)).labels, ['After live: fat']);
  await page.context().close();
});

await check('a baked file is shown without and with its motion, never with new flesh', async () => {
  const page = await open('baked.html');
  const { figures, labels } = await seen(page);
  assert.deepEqual(figures, ['baked.glb skinning', 'baked.glb alive']);
  assert.deepEqual(labels, ['Before plain skinning', 'After baked motion']);
  assert.ok(await apart(page, (app) => [app.main.plain.positions, app.main.alive.positions]) > 0.005, 'it moves');
  // As `play` shows the file: plain skinning with its helper joints.
  assert.equal(await apart(page, (app) => {
    const stage = app.main.character.stage();
    stage.play(app.main.clip, app.main.time, true);
    stage.step(0);
    const all = [[...app.main.alive.positions], [...stage.positions]];
    stage.free();
    return all;
  }), 0);
  assert.equal(await page.locator('button[data-preset]:visible').count(), 0);
  assert.match(await page.locator('#panel').textContent(), /Baked: the keys of 4 helper joints/);
  await page.evaluate(() => window.supple.chooseFlesh('jelly'));
  assert.equal(await page.evaluate(() => window.supple.main.flesh), 'baked');
  await page.context().close();
});

await check('before is the skinning of the original, as helpers and as morph targets', async () => {
  for (const name of ['pair', 'morphs']) {
    const page = await open(`${name}.html`);
    const off = await apart(page, (app) => app.instances.map(({ plain }) => plain.positions));
    assert.ok(off < 1e-5, `${name}: ${off} m`);
    assert.ok(await apart(page, (app) => [app.main.plain.positions, app.main.alive.positions]) > 0.005, `${name} moves`);
    await page.context().close();
  }
});

await check('a baked file that another program wrote says what it lacks', async () => {
  const page = await open('exported.html');
  const { figures, labels } = await seen(page);
  assert.deepEqual(figures, ['exported.glb skinning', 'exported.glb alive']);
  assert.deepEqual(labels, ['Before without its baked motion', 'After baked motion']);
  await page.context().close();
});

await check('original and what was made from it are two figures, in any order', async () => {
  for (const [name, made, words] of [['pair', 'baked', 'baked motion'], ['turned', 'baked', 'baked motion'], ['models', 'fat', 'live: surface']]) {
    const page = await open(`${name}.html`);
    const { figures, labels } = await seen(page);
    assert.deepEqual(figures.sort(), [`${made}.glb alive`, 'mochi.glb skinning'], name);
    assert.deepEqual(labels.sort(), [`After ${made}.glb: ${words}`, 'Before mochi.glb: plain skinning'], name);
    if (name === 'pair') await page.screenshot({ path: path.join(shots, 'pair.png') });
    await page.context().close();
  }
});

await check('characters that have nothing in common are shown with their flesh', async () => {
  const page = await open('zoo.html');
  const { figures, labels } = await seen(page);
  assert.deepEqual(figures, ['cat.glb alive', 'mochi.glb alive']);
  assert.deepEqual(labels, ['cat.glb live: fat', 'mochi.glb live: fat']);
  await page.context().close();
});

// ---- Where it is shown ------------------------------------------------------------------------------------

/** Edges of everything that is on the page while the clip plays. */
const edges = (page) => page.evaluate(() => {
  const app = window.supple;
  const { camera, canvas } = app.world;
  const box = (id) => {
    const { left, top, right, bottom, width, height } = document.getElementById(id).getBoundingClientRect();
    return width && height ? { id, left, top, right, bottom } : null;
  };
  const all = { id: 'figures', left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let k = 0; k <= 8; k++) {
    app.scrub((k / 8) * app.main.duration);
    camera.updateMatrixWorld();
    for (const figure of app.seen) {
      figure.group.updateMatrixWorld();
      const p = figure.positions;
      for (let v = 0; v < p.length; v += 3) {
        const at = figure.mesh.localToWorld(figure.mesh.position.clone().set(p[v], p[v + 1], p[v + 2])).project(camera);
        const [x, y] = [(at.x * 0.5 + 0.5) * canvas.clientWidth, (0.5 - at.y * 0.5) * canvas.clientHeight];
        all.left = Math.min(all.left, x);
        all.right = Math.max(all.right, x);
        all.top = Math.min(all.top, y);
        all.bottom = Math.max(all.bottom, y);
      }
    }
  }
  app.labels.place();
  const labels = [...document.querySelectorAll('#labels span')].map((label, k) => {
    const { left, top, right, bottom } = label.getBoundingClientRect();
    return { id: `label ${k}`, left, top, right, bottom };
  });
  return { all, labels, panels: ['top', 'tools', 'panel', 'bar'].map(box).filter(Boolean), width: innerWidth, height: innerHeight };
});

function checkEdges({ all, labels, panels, width, height }, what) {
  const boxes = [all, ...labels, ...panels];
  for (const { id, left, top, right, bottom } of boxes) {
    assert.ok(left > -1 && top > -1 && right < width + 1 && bottom < height + 1, `${what}: ${id} is outside: ${[left, top, right, bottom].map(Math.round)}`);
  }
  boxes.forEach((a, k) => boxes.slice(k + 1).forEach((b) => {
    if (a.id === 'figures' && b.id.startsWith('label')) return;
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    assert.ok(wide < 1 || high < 1, `${what}: ${a.id} and ${b.id} overlap by ${Math.round(wide)} x ${Math.round(high)}`);
  }));
}

const screens = { desktop: [1280, 720], upright: [390, 844], small: [360, 640], sideways: [844, 390], narrow: [667, 375] };

await check('figures, labels and panels are all inside of any window, and apart', async () => {
  const page = await open('pair.html', { hasTouch: true, colorScheme: 'light' });
  for (const [name, [width, height]] of Object.entries(screens)) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction(() => { // the page has seen it
      const { view } = window.supple.world.camera;
      return view.fullWidth === innerWidth && view.fullHeight === innerHeight;
    });
    const found = await edges(page);
    await page.screenshot({ path: path.join(shots, `fit-${name}.png`) });
    checkEdges(found, name);
    const size = Math.max((found.all.right - found.all.left) / width, (found.all.bottom - found.all.top) / height);
    assert.ok(size > 0.3, `${name}: figures fill ${size.toFixed(2)} of it`);
    const panel = found.panels.find(({ id }) => id === 'panel');
    if (name === 'upright') assert.ok(panel && panel.top > found.all.bottom && panel.bottom > height - 1, 'the panel docks below');
    if (name === 'sideways') assert.ok(panel && panel.left > found.all.right, 'the panel stands beside');
  }
  await page.keyboard.press('p');
  checkEdges(await edges(page), 'without the panel');
  await page.context().close();
});

await check('the camera follows who travels, and the floor stays behind', async () => {
  const page = await open('far.html');
  assert.ok(await page.evaluate(() => window.supple.main.path.travels));
  checkEdges(await edges(page), 'six metres');
  const floor = await page.evaluate(() => [0.5, 0.62, 0.74].map((time) => {
    window.supple.scrub(time);
    return window.supple.world.floor.group.children.find((one) => one.visible && one.type === 'LineSegments').position.toArray();
  }));
  assert.ok(floor.some((at, k) => k && Math.hypot(...at.map((x, i) => x - floor[k - 1][i])) > 0.01), `${floor}`);
  await page.screenshot({ path: path.join(shots, 'follow.png') });
  // From the end of a round to the beginning of the next it does not jump.
  const jump = await page.evaluate(() => {
    const app = window.supple;
    const middle = () => {
      const { positions, mesh } = app.figure('skinning');
      app.figure('skinning').update(app.shown);
      let sum = 0;
      for (let v = 2; v < positions.length; v += 3) sum += positions[v];
      return sum / (positions.length / 3) + mesh.position.z;
    };
    app.scrub(app.main.duration - 1 / 60);
    app.setPlaying(true);
    const before = middle();
    app.step(1 / 30);
    app.setPlaying(false);
    return Math.abs(middle() - before);
  });
  assert.ok(jump < 0.05, `${jump} m`);
  await page.context().close();
});

await closeBrowser();
await check('no error, no warning, no request', () => assert.deepEqual(problems, []));
finish();
