// SPDX-License-Identifier: MIT
// Chunks in the page: which act and how strongly, their bulges, and their lines inside the body, in headless Chromium:
// page_chunks_check.mjs SUPPLE FOLDER_FOR_PICTURES
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { check, closeBrowser, finish, here, open, problems, run, shots, still } from './browser.mjs';

const BULGE = 'forearm_l.front-outer';
const HAND = 'neck.front.ear_l1-ear_r1';
run('make', 'mochi', '--vertices', '1500', '-o', 'mochi.glb');
run('build', 'chunks', 'mochi.glb', '--bulge', `${BULGE}=0.02@forearm_l:5:40`, '-o', 'chunks.glb');
run('play', 'chunks.glb', '--clip', 'jump', '-o', 'jump.pc2', '--json', 'jump.json');
run('view', 'chunks.glb', '-o', 'chunks.html');
run('view', 'mochi.glb', '-o', 'mochi.html');

const page = await open('chunks.html');
const stand = (time) => page.evaluate((t) => {
  const app = window.supple;
  app.setClip(app.main.character.clips.findIndex((c) => c.name === 'jump'));
  app.scrub(t);
  window.own = app.main.alive.positions.slice();
}, time);
/** Distances from how the file has it in this pose, and from plain skinning: the mean and the greatest. */
const changed = () => page.evaluate(() => {
  const { alive, plain } = window.supple.main;
  const far = (a, b) => {
    const all = Array.from({ length: a.length / 3 }, (_, v) => Math.hypot(...[0, 1, 2].map((k) => a[3 * v + k] - b[3 * v + k])));
    return { mean: all.reduce((x, y) => x + y) / all.length, most: Math.max(...all), moved: all.filter((x) => x > 1e-6).length };
  };
  return { own: far(alive.positions, window.own), plain: far(alive.positions, plain.positions) };
});
const tick = (label) => page.locator('#chunks label', { hasText: label }).locator('input');
const slide = (name, x) => page.locator(`#chunks input[aria-label="${name}"]`).fill(String(x));
const fold = (name) => page.locator('#chunks summary', { hasText: name }).click();

await check('chunks play with the bits of the native tool', async () => {
  await page.evaluate(() => window.supple.setPlaying(false));
  const hash = await page.evaluate(() => {
    const { main, supple } = window.supple;
    const stage = main.character.stage(main.fileModels);
    const clip = main.character.clips.findIndex((c) => c.name === 'jump');
    let seen = 0n;
    stage.play(clip, 0, false);
    stage.step(0);
    for (let i = 0; i < Math.floor(main.character.clipDuration(clip) * 60 + 1e-4) + 1; i++) {
      const way = i / 60 - stage.time;
      if (way > 0) stage.step(way);
      seen = supple.hash(stage.positions.slice(), seen);
    }
    stage.free();
    return seen.toString(16).padStart(16, '0');
  });
  const report = JSON.parse(fs.readFileSync(path.join(here, 'jump.json'), 'utf8'));
  assert.equal(hash, report.result.clips[0].positions_hash);
});

await still(page);
await stand(0.75);

await check('they act in full, in part, or not at all', async () => {
  assert.equal(await page.locator('#chunks').isVisible(), true);
  const full = await changed();
  assert.ok(full.plain.most > 0.01 && full.own.most === 0, JSON.stringify(full));
  await slide('Strength', 0.5);
  const half = await changed();
  assert.ok(half.plain.mean > 0.2 * full.plain.mean && half.plain.mean < 0.8 * full.plain.mean, `${half.plain.mean} ${full.plain.mean}`);
  await slide('Strength', 1);
  assert.equal((await changed()).own.most, 0);
  await tick('chunks act').uncheck();
  assert.ok((await changed()).plain.most < 1e-5);
  await tick('chunks act').check();
  assert.equal((await changed()).own.most, 0);
});

await check('one by one, those that are found, all and none', async () => {
  const names = await page.evaluate(() => window.supple.main.alive.chunks.chunks.map(({ name }) => name));
  const strengths = () => page.evaluate(() => [...window.supple.main.alive.chunks.strengths]);
  await fold('Chunks');
  assert.equal(await page.locator('#chunks details >> nth=0 >> .slider').count(), names.length);
  await slide('Find a chunk or a bulge', 'THIGH_L');
  const found = names.map((name) => name.includes('thigh_l'));
  assert.equal(await page.locator('#chunks details >> nth=0 >> .slider:visible').count(), found.filter(Boolean).length);
  assert.match(await page.locator('#chunks summary').first().textContent(), new RegExp(`${found.filter(Boolean).length} of ${names.length}`));
  await page.getByRole('button', { name: 'None', exact: true }).click();
  assert.deepEqual(await strengths(), found.map((x) => (x ? 0 : 1)));
  const without = await changed();
  assert.ok(without.own.most > 1e-3 && without.plain.most > 1e-2, JSON.stringify(without));
  await page.locator('#chunks input[aria-label="thigh_l acts"]').check();
  await slide('thigh_l', 0.5);
  assert.equal((await strengths())[names.indexOf('thigh_l')], 0.5);
  await slide('Strength', 0.5);
  assert.deepEqual(await strengths(), names.map((name, k) => (name === 'thigh_l' ? 0.25 : found[k] ? 0 : 0.5)));
  await slide('Strength', 1);
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await slide('Find a chunk or a bulge', '');
  assert.equal((await changed()).own.most, 0);
  await fold('Chunks');
});

await check('bulges are scaled and raised, while it stands and while it plays', async () => {
  await fold('Bulges');
  // What a joint raises has two sliders, what only a hand raises one.
  assert.equal(await page.locator(`#chunks input[aria-label="Scale of ${BULGE}"]`).count(), 1);
  assert.equal(await page.locator(`#chunks input[aria-label="Scale of ${HAND}"]`).count(), 0);
  const most = async (scale) => {
    await slide(`Scale of ${BULGE}`, scale);
    return (await changed()).own.most;
  };
  // Smoothed seams take more than half of a bulge on a limb of so few vertices.
  const [none, twice] = [await most(0), await most(2)];
  assert.ok(none > 2e-4 && Math.abs(twice / none - 1) < 0.02, `${none} ${twice}`);
  assert.equal(await most(1), 0);
  const raised = async (way) => {
    await slide(`Added height of ${HAND}`, way);
    return changed();
  };
  const range = await page.evaluate((name) => window.supple.main.alive.chunks.bulges.find((b) => b.name === name).most, HAND);
  const low = await raised(0.3); // the sliders are quadratic: 9 and 36 % of the range
  const high = await raised(0.6);
  assert.ok(low.own.most > 0.02 * range && low.own.most < 0.1 * range && Math.abs(high.own.most / low.own.most - 4) < 0.04, JSON.stringify([low, high, range]));
  const { renderVertexCount } = await page.evaluate(() => ({ renderVertexCount: window.supple.main.character.renderVertexCount }));
  assert.ok(low.own.moved < 0.2 * renderVertexCount, `${low.own.moved} of ${renderVertexCount}`);
  await page.evaluate(() => window.supple.world.draw());
  await page.screenshot({ path: path.join(shots, 'chunks-bulge.png') });
  await page.getByRole('button', { name: 'As the pose says' }).click();
  assert.equal((await changed()).own.most, 0);
  // While it plays, in the very next frame.
  const next = await page.evaluate((name) => {
    const app = window.supple;
    const k = app.main.alive.chunks.bulges.findIndex((b) => b.name === name);
    const after = (height) => {
      app.setPlaying(false);
      app.seek(0.5);
      app.playing = true;
      app.chunks.raise(k, 1, height);
      app.main.step(1 / 60);
      app.playing = false;
      return app.main.alive.positions.slice();
    };
    const [flat, high] = [after(0), after(0.05)];
    app.chunks.raise(k, 1, 0);
    return Math.max(...flat.map((x, i) => Math.abs(x - high[i])));
  }, HAND);
  assert.ok(next > 0.005, `${next}`);
  await fold('Bulges');
  await stand(0.75);
});

await check('lines are the sides of what is below each patch', async () => {
  // A fan with n parts of r sides: 1 + r n (n + 1) / 2 nodes, r n^2 triangles, columns at r corners. Rings and lines along a bone.
  const wrong = await page.evaluate(() => window.supple.main.alive.chunks.chunks.filter(({ limb, count, lines }) => {
    const seen = new Set();
    for (let k = 0; k < lines.length; k += 2) seen.add(`${Math.min(lines[k], lines[k + 1])} ${Math.max(lines[k], lines[k + 1])}`);
    if (2 * seen.size !== lines.length) return true;
    if (limb) return ![8, 16, 32].some((ring) => count % ring === 0 && seen.size === 2 * count - ring);
    return ![1, 2, 4, 8].some((n) => [3, 4, 5, 6, 7].some((r) => count === 1 + (r * n * (n + 1)) / 2 && seen.size === count + r * n * n - 1 + r));
  }).map(({ name, count, lines }) => `${name}: ${count} nodes, ${lines.length / 2} lines`));
  assert.deepEqual(wrong, []);
});

await check('they lie on the skin and inside it, in every pose', async () => {
  await tick('draw the chunks').check();
  for (const time of [0.75, 1.2]) {
    await stand(time);
    const seen = await page.evaluate(() => {
      const { alive, plain } = window.supple.main;
      const { chunks, placeCount } = alive.chunks;
      const places = new Float32Array(3 * placeCount);
      alive.chunks.places(places);
      const apart = (k) => {
        let near = Infinity;
        for (let v = 0; v < alive.positions.length; v += 3) {
          near = Math.min(near, Math.hypot(...[0, 1, 2].map((c) => alive.positions[v + c] - places[3 * k + c])));
        }
        return near / plain.size;
      };
      const nodes = chunks.reduce((sum, { count }) => sum + count, 0);
      const far = Array.from({ length: placeCount }, (_, k) => apart(k));
      const mean = (list) => list.reduce((a, b) => a + b) / list.length;
      const drawn = window.supple.figure('alive').mesh.children.find((child) => child.geometry?.attributes.color && child.isLineSegments);
      const first = chunks[0].lines[0];
      return { skin: Math.max(...far.slice(0, nodes)), on: mean(far.slice(0, nodes)), below: mean(far.slice(nodes)), shell: placeCount - nodes,
        drawn: Math.hypot(...[0, 1, 2].map((c) => drawn.geometry.attributes.position.array[c] - places[3 * first + c])) };
    });
    assert.ok(seen.skin < 0.08 && seen.shell > 10 && seen.below > 2 * seen.on && seen.drawn === 0, JSON.stringify(seen));
  }
});

await check('skin is see-through, hidden or as it is', async () => {
  const look = (value) => page.evaluate((skin) => {
    if (skin) {
      const list = document.querySelector('#chunks select');
      list.value = skin;
      list.dispatchEvent(new Event('change'));
    }
    const { mesh } = window.supple.figure('alive');
    window.supple.world.draw();
    return Array.isArray(mesh.material) ? 'own' : [mesh.material.visible, mesh.material.transparent].join();
  }, value);
  assert.equal(await look(null), 'true,true');
  await page.screenshot({ path: path.join(shots, 'chunks-glass.png') });
  assert.equal(await look('hidden'), 'false,false');
  await page.screenshot({ path: path.join(shots, 'chunks-hidden.png') });
  assert.equal(await look('solid'), 'own');
  await look('glass');
  assert.ok(Array.isArray(await page.evaluate(() => window.supple.figure('skinning').mesh.material)));
  await tick('draw the chunks').uncheck();
  assert.equal(await look(null), 'own');
});

await check('flesh that is added leaves what chunks were told', async () => {
  await page.evaluate(() => { window.supple.chunks.set(0, 0.25, true); window.supple.chunks.raise(0, 1, 0.01); });
  await page.getByRole('button', { name: 'soft', exact: true }).click();
  const kept = await page.evaluate(() => {
    const { chunks, hasSurface } = window.supple.main.alive;
    return [hasSurface, chunks.strengths[0], Math.round(1000 * chunks.heights[0])];
  });
  assert.deepEqual(kept, [true, 0.25, 10]);
});
await page.context().close();

await check('a phone and a bright room', async () => {
  const phone = await open('chunks.html', { viewport: { width: 390, height: 780 }, colorScheme: 'light', hasTouch: true });
  await phone.locator('#chunks summary').nth(1).click();
  const wide = await phone.evaluate(() => [...document.querySelectorAll('#chunks *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).length);
  assert.equal(wide, 0);
  const unnamed = await phone.evaluate(() => [...document.querySelectorAll('#chunks input, #chunks select')]
    .filter((e) => !e.getAttribute('aria-label') && !e.closest('label')).length);
  assert.equal(unnamed, 0);
  await phone.locator('#chunks label', { hasText: 'draw the chunks' }).locator('input').check();
  await phone.evaluate(() => { window.supple.scrub(0.75); window.supple.world.draw(); });
  await phone.screenshot({ path: path.join(shots, 'chunks-phone.png') });
  await phone.context().close();
});

await check('a character without chunks has no such panel', async () => {
  const plain = await open('mochi.html');
  assert.equal(await plain.locator('#chunks').isVisible(), false);
  await plain.context().close();
});

await closeBrowser();

await check('no error, no warning, no request', () => assert.deepEqual(problems, []));
finish();
