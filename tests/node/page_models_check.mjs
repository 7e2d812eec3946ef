// SPDX-License-Identifier: MIT
// Files with muscles and helpers in the page, one by one and as a crowd, in headless Chromium:
// page_models_check.mjs SUPPLE FOLDER_FOR_PICTURES
import assert from 'node:assert/strict';
import path from 'node:path';
import { check, closeBrowser, finish, open, problems, run, shots, steps, still } from './browser.mjs';

run('make', 'mochi', '--vertices', '1500', '-o', 'mochi.glb');
run('simulate', 'clench', 'mochi.glb', '--at', 'pop:0', '--at', 'pop:1', '--tets', '1000', '--young', '60000', '-o', 'pairs.pc2');
run('build', 'popping', 'mochi.glb', '--example', 'pairs.pc2', '--at', 'pop:0', '--at', 'pop:1', '--group', 'belly=spine+chest',
  '--group', 'head', '-o', 'dancer.glb');
run('view', 'dancer.glb', '-o', 'dancer.html');
run('make', 'mochi', '--vertices', '494', '-o', 'plain.glb');
run('build', 'modes', 'plain.glb', '--modes', '6', '--tets', '300', '-o', 'flesh.glb');
run('play', 'flesh.glb', '--clip', 'jump', '-o', 'lesson.pc2');
run('build', 'helpers', 'plain.glb', '--bones', '4', '--example', 'lesson.pc2', '--clip', 'jump', '-o', 'live.glb');
run('view', 'live.glb', '-o', 'live.html');
run('build', 'modes', 'plain.glb', '--modes', '6', '--tets', '300', '--frequency', '4.5', '-o', 'firm.glb');
run('play', 'firm.glb', '--clip', 'jump', '-o', 'firm.pc2');
run('build', 'helpers', 'plain.glb', '--bones', '2', '--material', 'soft', '--example', 'lesson.pc2', '--clip', 'jump',
  '--material', 'firm', '--example', 'firm.pc2', '--clip', 'jump', '-o', 'blend.glb');
run('view', 'blend.glb', '-o', 'blend.html');

// ---- A dancer ------------------------------------------------------------------------------------------

const dancer = await open('dancer.html');

await check('a muscle clenches while its pad is pressed, and on the beat', async () => {
  await still(dancer);
  // How far the skin is from where it was: what pops need not be what stands off farthest.
  await steps(dancer, 5);
  await dancer.evaluate(() => { window.calm = window.supple.main.alive.positions.slice(); });
  const popped = () => dancer.evaluate(() => {
    const { positions } = window.supple.main.alive;
    return Math.max(...window.calm.map((x, k) => Math.abs(x - positions[k])));
  });
  await dancer.locator('#beatbox .pad[data-muscle="belly"]').dispatchEvent('pointerdown');
  await steps(dancer, 30);
  const held = await popped();
  await dancer.locator('#beatbox .pad[data-muscle="belly"]').dispatchEvent('pointerup');
  await steps(dancer, 90);
  const after = await popped();
  assert.ok(held > 0.005 && after < 0.1 * held, `${held}, ${after}`);
  const beat = await dancer.evaluate(() => { // in one go: the music goes on between two calls
    const app = window.supple;
    app.beatbox.run(true);
    for (let k = 0; k < 8; k++) app.step(1 / 60);
    return Math.max(...window.calm.map((x, k) => Math.abs(x - app.main.alive.positions[k])));
  });
  assert.ok(beat > 0.4 * held, `${beat} of ${held}`);
  console.log(`   the belly pops by ${held.toFixed(4)} m, on the beat by ${beat.toFixed(4)} m`);
  await dancer.evaluate(() => { window.supple.seen.forEach((f) => f.update(window.supple.shown)); window.supple.world.draw(); });
  await dancer.screenshot({ path: path.join(shots, 'beatbox.png') });
  await dancer.locator('#beatbox .step').first().click();
  assert.equal(await dancer.evaluate(() => window.supple.beatbox.rows[0][0]), false);
  await dancer.evaluate(() => window.supple.beatbox.run(false));
});

await check('a clip with events clenches by itself', async () => {
  const at = (events) => dancer.evaluate((list) => {
    const app = window.supple;
    const clip = app.main.character.clips.findIndex((c) => c.name === 'idle');
    app.main.raw.clips[clip].events = list;
    app.setClip(clip);
    app.scrub(1);
    return app.main.alive.hash().toString(16);
  }, events);
  const silent = await at([]);
  const clenched = await at([{ time: 0.9, muscle: 'belly', strength: 1, length: 0.3 }]);
  assert.notEqual(clenched, silent);
  assert.equal(await at([{ time: 1.5, muscle: 'belly', strength: 1, length: 0.3 }]), silent);
});
await dancer.context().close();

// ---- Helpers -------------------------------------------------------------------------------------------

const live = await open('live.html');

await check('helpers swing farther, follow the pose or stand still', async () => {
  assert.equal(await live.locator('#helpers').isVisible(), true);
  const at = (exaggeration, level) => live.evaluate(([x, y]) => {
    const app = window.supple;
    app.setClip(app.main.character.clips.findIndex((c) => c.name === 'jump'));
    app.helpers.set(x, y);
    app.scrub(1.2);
    return [...app.main.alive.positions];
  }, [exaggeration, level]);
  const apart = (a, b) => Math.sqrt(a.reduce((sum, x, k) => sum + (x - b[k]) ** 2, 0) / a.length);
  const [posed, once, twice, off] = [await at(1, 1), await at(1, 2), await at(2, 2), await at(1, 0)];
  const ratio = apart(twice, posed) / apart(once, posed);
  assert.ok(ratio > 1.6 && ratio < 2.4, `${ratio}`);
  assert.ok(apart(off, posed) > 1e-5, 'the pose moves them');
  await at(1, 2);
  await live.locator('input[aria-label="Swing"]').fill('3');
  await live.locator('input[aria-label="Detail"]').fill('1');
  assert.deepEqual(await live.evaluate(() => [window.supple.helpers.exaggeration, window.supple.helpers.level]), [3, 1]);
  assert.match(await live.locator('#helpers').textContent(), /by the pose/);
  // Where it plays, the level fades instead of jumping.
  const way = await live.evaluate(() => {
    const app = window.supple;
    app.helpers.set(6, 2);
    app.scrub(1.2);
    const seen = [app.main.alive.positions.slice()];
    app.helpers.set(6, 1);
    for (let k = 0; k < 30; k++) {
      app.step(1 / 60);
      seen.push(app.main.alive.positions.slice());
    }
    return seen.slice(1).map((p, k) => Math.max(...p.map((x, i) => Math.abs(x - seen[k][i]))));
  });
  assert.ok(way[0] < 0.5 * way.reduce((a, b) => a + b), `${way.slice(0, 5)}`);
  await live.evaluate(() => { window.supple.helpers.set(3, 2); window.supple.scrub(1.2); window.supple.world.draw(); });
  await live.screenshot({ path: path.join(shots, 'helpers.png') });
});

await check('a slider between two materials changes the flesh while it moves', async () => {
  assert.equal(await live.locator('#materials input').count(), 0);
  const blend = await open('blend.html');
  const drag = (fraction) => blend.evaluate((x) => {
    const app = window.supple;
    app.setClip(app.main.character.clips.findIndex((c) => c.name === 'jump'));
    if (x !== null) app.helpers.mix([1 - x, x]);
    app.scrub(1.2);
    return [...app.main.alive.positions];
  }, fraction);
  const apart = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));
  const [soft, half, firm] = [await drag(0), await drag(0.5), await drag(1)];
  assert.ok(apart(soft, firm) > 1e-3 && apart(soft, half) > 1e-4 && apart(half, firm) > 1e-4);
  await blend.locator('#materials input').fill('0.25');
  assert.deepEqual(await blend.evaluate(() => window.supple.helpers.fractions), [0.75, 0.25]);
  assert.match(await blend.locator('#materials').textContent(), /25 % firm/);
  // Other characters get them by name, and what one of them refuses is said.
  const given = await blend.evaluate(() => {
    const { instances, helpers } = window.supple;
    const seen = [];
    const other = (name, materials, take) => ({ name, alive: {}, blended: { materials }, blend: take });
    instances.push(other('turned', ['firm', 'soft'], (fractions) => seen.push(fractions)),
      other('stranger', ['firm', 'fat'], (fractions) => seen.push(fractions)),
      other('stubborn', ['soft', 'firm'], () => { throw new Error('no such flesh'); }));
    helpers.mix([0.75, 0.25]);
    instances.length -= 3;
    return seen;
  });
  assert.deepEqual(given, [[0.25, 0.75]]);
  assert.equal(await blend.locator('#note').textContent(), 'stubborn: no such flesh');
  await blend.evaluate(() => window.supple.reset());
  assert.ok(apart(await drag(null), soft) < 1e-6);
  await blend.context().close();
});

await check('a crowd is stepped by levels and drawn where it is in sight', async () => {
  await live.evaluate(() => { window.supple.helpers.set(1, 2); window.supple.crowd.resize(225); });
  await live.click('#crowd button');
  const seen = await live.evaluate(() => {
    const app = window.supple;
    app.setPlaying(false);
    const { camera, controls, size } = app.world;
    camera.position.set(0.6 * size, 2 * size, 2.5 * size);
    controls.target.set(0, 0, -5 * size);
    controls.update();
    app.setPlaying(true);
    for (let k = 0; k < 40; k++) app.step(1 / 60);
    app.setPlaying(false);
    app.crowd.draw();
    const before = app.crowd.crowd.positions.slice(0, 3000);
    app.setPlaying(true);
    for (let k = 0; k < 6; k++) app.step(1 / 60);
    app.setPlaying(false);
    app.crowd.draw();
    const { crowd, drawn } = app.crowd;
    const moved = Math.max(...before.map((x, k) => Math.abs(x - crowd.positions[k])));
    app.world.draw();
    return { drawn, moved, figures: app.seen.length, ...crowd.active, count: crowd.count };
  });
  assert.equal(seen.figures, 0);
  assert.ok(seen.drawn > 50 && seen.drawn < 225, `${seen.drawn} drawn`);
  assert.ok(seen.swinging > 5 && seen.posed > 20 && seen.swinging + seen.posed < 225, JSON.stringify(seen));
  assert.ok(seen.moved > 1e-3, `${seen.moved} m`);
  assert.match(await live.locator('#crowd').textContent(), /225 characters: \d+ swing/);
  await live.screenshot({ path: path.join(shots, 'crowd.png') });
  // All in the character's own materials, near ones with smooth normals; by level when that is asked for.
  const looks = () => live.evaluate(() => {
    const { crowd, main } = window.supple;
    const figure = window.supple.figure('alive');
    const { mesh } = crowd.mesh;
    const hex = (look) => look.color.getHexString();
    const n = mesh.geometry.attributes.normal.array;
    return { used: [...new Set(mesh.geometry.groups.map(({ materialIndex }) => hex(mesh.material[materialIndex])))].sort(),
      own: [...new Set(main.raw.parts.map((_, k) => hex(figure.mesh.material[k])))].sort(), normal: Math.hypot(n[0], n[1], n[2]) };
  });
  const { used, own, normal } = await looks();
  assert.deepEqual(used, own);
  assert.ok(own.length > 2 && Math.abs(normal - 1) < 1e-3, `${own}, ${normal}`);
  await live.locator('#crowd input[type=checkbox]').check();
  assert.deepEqual((await looks()).used, ['5aa9ff', '6f7480', 'ff7a59']);
  await live.locator('#crowd input[type=checkbox]').uncheck();
  // Paused: no one moves, but who is in sight is chosen anew, from as far as it takes to see all.
  const paused = await live.evaluate(async () => {
    const app = window.supple;
    const { camera, controls, size } = app.world;
    const { crowd } = app.crowd;
    app.scrub(app.main.time);
    crowd.draw(0, 0);
    const one = 3 * crowd.character.bodyVertexCount;
    const before = crowd.positions.slice(0, one);
    camera.position.set(0, 20 * size, 30 * size);
    controls.update();
    const { frames } = app;
    while (app.frames < frames + 6) await new Promise((done) => requestAnimationFrame(done));
    crowd.draw(0, 0);
    const still = crowd.positions.slice(0, one).every((x, k) => x === before[k]);
    return { still, drawn: app.crowd.drawn, away: camera.position.distanceTo(controls.target) / size };
  });
  assert.ok(paused.still && paused.away > 30 && paused.drawn === 225, JSON.stringify(paused));
});

await check('a crowd obeys the scrubber, the loop and the detail', async () => {
  const bar = live.locator('input[aria-label="Time"]');
  const detail = live.locator('input[aria-label="Detail"]');
  await live.evaluate(() => {
    const { camera, controls, size } = window.supple.world;
    camera.position.set(0.6 * size, 2 * size, 2.5 * size);
    controls.target.set(0, 0, -5 * size);
    controls.update();
    window.supple.setPlaying(true);
  });
  // Those in front, wherever the crowd was before.
  const front = () => live.evaluate(() => {
    const { crowd } = window.supple.crowd;
    const seen = [];
    for (let k = 0; k < 12; k++) {
      crowd.draw(k, 0);
      seen.push(...crowd.positions.subarray(0, 300));
    }
    return seen;
  });
  const apart = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));
  const at = async (time) => {
    await bar.fill(String(time));
    return front();
  };
  const there = await at(0.8);
  assert.ok(!await live.evaluate(() => window.supple.playing));
  const elsewhere = await at(0.3);
  assert.ok(apart(there, elsewhere) > 1e-2, 'another moment');
  assert.deepEqual(await at(0.8), there);
  await live.evaluate(() => document.activeElement.blur()); // arrows belong to a field that is typed in
  await live.keyboard.press('ArrowRight');
  const next = await front();
  assert.ok(apart(next, there) > 1e-5 && apart(next, there) < 0.5 * apart(there, elsewhere), 'one frame on');
  // Detail: no one has more of it; changes fade while the clip pauses.
  const counts = () => live.evaluate(() => window.supple.crowd.crowd.active);
  const until = (test) => live.waitForFunction(test);
  const all = await counts();
  assert.ok(all.swinging > 5 && all.posed > 20, JSON.stringify(all));
  await detail.fill('1');
  await until(() => window.supple.crowd.crowd.active.swinging === 0);
  assert.equal((await counts()).posed, all.swinging + all.posed);
  await live.screenshot({ path: path.join(shots, 'crowd-posed.png') });
  await detail.fill('0');
  await until(() => window.supple.crowd.crowd.active.posed === 0);
  await detail.fill('2');
  await until(() => window.supple.crowd.crowd.active.swinging > 5);
  // Without a loop all stay where the clip ends.
  await live.locator('#bar label', { hasText: 'loop' }).click();
  const stay = await live.evaluate(() => {
    const app = window.supple;
    const { crowd } = app.crowd;
    const look = () => {
      const seen = [];
      for (let k = 100; k < 104; k++) {
        crowd.draw(k, 0);
        seen.push(crowd.positions.slice(0, 300));
      }
      return seen;
    };
    const moved = (a, b) => Math.max(...a.map((p, k) => Math.max(...p.map((x, i) => Math.abs(x - b[k][i])))));
    app.helpers.set(1, 1);
    const off = !app.loop;
    app.setPlaying(true);
    for (let k = 0; k < 60 * (app.main.duration + 1); k++) app.step(1 / 60);
    const before = look();
    for (let k = 0; k < 20; k++) app.step(1 / 60);
    const held = moved(look(), before);
    document.querySelector('#bar input[type=checkbox]').click();
    for (let k = 0; k < 20; k++) app.step(1 / 60);
    const again = moved(look(), before);
    app.setPlaying(false);
    app.helpers.set(1, 2);
    return { off, held, again };
  });
  assert.ok(stay.off && stay.held === 0 && stay.again > 1e-3, JSON.stringify(stay));
  await live.evaluate(() => window.supple.scrub(0.5));
  await live.screenshot({ path: path.join(shots, 'crowd-scrubbed.png') });
  await live.click('#crowd button');
  assert.ok(await live.evaluate(() => !window.supple.crowd.crowd && window.supple.seen.length === 2));
});
await live.context().close();

await closeBrowser();

await check('no error, no warning, no request', () => assert.deepEqual(problems, []));
finish();
