// SPDX-License-Identifier: MIT
// The page in headless Chromium, as a person uses it: page_check.mjs SUPPLE FOLDER_FOR_PICTURES
// Exit 77 (skipped) where there is no Chromium.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

const [tool, shots] = process.argv.slice(2).map((p) => path.resolve(p));
const executable = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((p) => fs.existsSync(p));
if (!executable) {
  console.log('skipped: no chromium');
  process.exit(77);
}
fs.mkdirSync(shots, { recursive: true });
const here = fs.mkdtempSync(path.join(os.tmpdir(), 'supple-page-'));
const run = (...words) => execFileSync(tool, [...words, '--quiet'], { cwd: here });
run('make', 'mochi', '--vertices', '1500', '-o', 'mochi.glb');
run('build', 'surface', 'mochi.glb', '--preset', 'soft', '-o', 'soft.glb');
run('build', 'surface', 'mochi.glb', '--preset', 'fat', '-o', 'fat.glb');
run('play', 'fat.glb', '--clip', 'jump', '--fps', '30', '-o', 'jump.pc2');
run('play', 'soft.glb', '--clip', 'jump', '--fps', '30', '-o', 'soft.pc2');
run('view', 'soft.glb', 'jump.pc2', '-o', 'soft.html');
run('view', 'mochi.glb', '-o', 'mochi.html');
run('view', '-o', 'empty.html');
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
run('make', 'toy', '--vertices', '500', '-o', 'toy.glb');
run('view', 'fat.glb', 'toy.glb', '-o', 'both.html');
run('compare', 'soft.pc2', 'jump.pc2', '--of', 'soft.glb', '--clip', 'jump', '--json', 'compare.json');

const browser = await chromium.launch({ executablePath: executable, args: [
  '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
const problems = [];
let failures = 0;

async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 960, height: 540 }, colorScheme: 'dark', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
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

async function check(name, body) {
  const began = Date.now();
  try {
    await body();
    console.log(`ok ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (problem) {
    failures++;
    console.log(`FAILED ${name}: ${problem.message}`);
  }
}

/** Numbers about the moment, in the page. */
const moved = (page) => page.evaluate(() => window.supple.figure('alive').displacement());
const steps = (page, count) => page.evaluate((n) => {
  for (let k = 0; k < n; k++) window.supple.step(1 / 60);
  window.supple.seen.forEach((figure) => figure.update(window.supple.shown));
}, count);
/** Where the foremost vertex of the belly, or a joint, is on the screen. */
const onScreen = (page, joint) => page.evaluate((name) => {
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
const still = (page, clip = -1) => page.evaluate((k) => {
  const app = window.supple;
  app.setPlaying(false);
  app.setClip(k);
  app.reset();
  app.world.draw();
}, clip);

// ---- A character with a model, and samples of another one -------------------------------------------

const page = await open('soft.html');

await check('it loads and moves', async () => {
  const before = await page.evaluate(() => ({ time: window.supple.main.time, frames: window.supple.frames }));
  await page.waitForFunction((n) => window.supple.frames > n + 4, before.frames);
  const after = await page.evaluate(() => window.supple.main.time);
  assert.notEqual(after, before.time);
  assert.equal(await page.evaluate(() => window.supple.main.flesh), 'file');
});

await check('a pause that nobody touched stands still', async () => {
  const [before, after] = await page.evaluate(async () => {
    const app = window.supple;
    app.setPlaying(false);
    const seen = [...app.main.alive.positions];
    const { frames } = app;
    while (app.frames < frames + 6) await new Promise((done) => requestAnimationFrame(done));
    const later = [...app.main.alive.positions];
    return [seen, later];
  });
  assert.deepEqual(after, before);
});

await check('flesh differs from skinning', async () => {
  await page.evaluate(() => window.supple.scrub(1.2));
  const { most } = await moved(page);
  assert.ok(most > 0.005, `${most} m`);
});

await check('skinning, alive and truth stand side by side', async () => {
  await page.evaluate(() => window.supple.scrub(1.2));
  const places = await page.evaluate(() => window.supple.seen.map((f) => [f.version, f.group.position.x]));
  assert.deepEqual(places.map(([v]) => v), ['skinning', 'alive', 'truth']);
  assert.ok(places[0][1] < places[1][1] && places[1][1] < places[2][1]);
  await page.screenshot({ path: path.join(shots, 'three.png') });
  await page.click('#figures button[data-version="truth"]');
  assert.equal(await page.evaluate(() => window.supple.seen.length), 2);
  await page.click('#figures button[data-version="truth"]');
});

await check('the measured error is that of supple compare', async () => {
  const found = await page.evaluate(() => {
    window.supple.measure();
    return window.supple.comparison.relativeError;
  });
  const expected = JSON.parse(fs.readFileSync(path.join(here, 'compare.json'), 'utf8')).result.relative_error;
  assert.ok(Math.abs(found - expected) < 2e-3 * expected, `${found} against ${expected}`);
});

await check('scrubbing comes to the same picture from both sides', async () => {
  const at = async (time) => page.evaluate((t) => {
    window.supple.scrub(t);
    return window.supple.main.alive.hash().toString(16);
  }, time);
  const first = await at(0.8);
  assert.notEqual(await at(1.6), first);
  assert.equal(await at(0.8), first);
  await page.locator('#bar .scrub').fill('1.5');
  assert.ok(Math.abs(await page.evaluate(() => window.supple.main.time) - 1.5) < 1e-3);
});

await check('the frame rate does not change the motion', async () => {
  const at = (fps) => page.evaluate((rate) => {
    window.supple.setFps(rate);
    window.supple.scrub(1.4);
    return [...window.supple.main.alive.positions];
  }, fps);
  const [slow, fast] = [await at(15), await at(144)];
  const { most } = await moved(page);
  const off = Math.max(...slow.map((x, k) => Math.abs(x - fast[k])));
  assert.ok(off < 0.01 * most, `${off} of ${most}`);
  await page.selectOption('select[aria-label="Frames per second"]', '60');
  assert.equal(await page.evaluate(() => window.supple.fps), 60);
});

await check('a preset changes the motion', async () => {
  await page.evaluate(() => window.supple.scrub(1.2));
  const before = await moved(page);
  await page.click('button[data-preset="jelly"]');
  await page.evaluate(() => window.supple.scrub(1.2));
  const after = await moved(page);
  assert.ok(Math.abs(after.mean - before.mean) > 0.1 * before.mean, `${before.mean}, ${after.mean}`);
  await page.click('button[data-preset="file"]');
  await page.evaluate(() => window.supple.scrub(1.2));
  assert.ok(Math.abs((await moved(page)).mean - before.mean) < 1e-6);
});

await check('the body is coloured by numbers', async () => {
  for (const heat of ['displacement', 'error', 'map:stiffness', 'weights:5']) {
    await page.evaluate((name) => window.supple.setHeat(name), heat);
    const legend = await page.locator('.legend').textContent();
    assert.ok(/\d/.test(legend), `${heat}: ${legend}`);
  }
  await page.evaluate(() => window.supple.setHeat('displacement'));
  await page.screenshot({ path: path.join(shots, 'heat.png') });
  await page.evaluate(() => window.supple.setHeat('none'));
});

await check('overlay, wireframe, normals and skeleton', async () => {
  await page.evaluate(() => {
    const app = window.supple;
    app.setLayout(true);
    for (const key of ['wireframe', 'normals', 'skeleton']) app.setShown(key, true);
    app.world.draw();
  });
  await page.screenshot({ path: path.join(shots, 'overlay.png') });
  await page.evaluate(() => {
    const app = window.supple;
    for (const key of ['wireframe', 'normals', 'skeleton']) app.setShown(key, false);
    app.setLayout(false);
  });
});
await page.context().close();

// ---- A character without a model: touch --------------------------------------------------------------

const touch = await open('mochi.html');

await check('a preset gives life to a file without a model', async () => {
  assert.equal(await touch.evaluate(() => window.supple.main.flesh), 'fat');
  await still(touch);
  await steps(touch, 60);
  assert.ok((await moved(touch)).most < 1e-4);
});

await check('flesh that is dragged comes along, and returns', async () => {
  const at = await onScreen(touch);
  await touch.mouse.move(at.x, at.y);
  await touch.mouse.down();
  await touch.mouse.move(at.x + 30, at.y - 25, { steps: 3 });
  await steps(touch, 20);
  const held = await moved(touch);
  assert.ok(held.most > 0.01, `held ${held.most} m`);
  await touch.screenshot({ path: path.join(shots, 'grab.png') });
  await touch.mouse.up();
  await steps(touch, 300);
  const after = await moved(touch);
  assert.ok(after.most < 0.03 * held.most, `${after.most} of ${held.most}`);
});

await check('a joint that is pulled follows, and the flesh with it', async () => {
  await still(touch);
  await touch.click('button[data-tool="pose"]');
  const joint = await touch.evaluate(() => window.supple.main.raw.jointNames.find((n) => /hand/i.test(n)));
  const place = () => touch.evaluate((name) => {
    const app = window.supple;
    const j = app.main.raw.jointNames.indexOf(name);
    return [...app.main.plain.joints.subarray(12 * j + 9, 12 * j + 12)];
  }, joint);
  const rest = await place();
  const at = await onScreen(touch, joint);
  await touch.mouse.move(at.x, at.y);
  await touch.mouse.down();
  await touch.mouse.move(at.x + 6, at.y - 45, { steps: 3 });
  await steps(touch, 4);
  assert.ok((await moved(touch)).most > 1e-3, 'flesh lags behind');
  await steps(touch, 40);
  const pulled = await place();
  await touch.screenshot({ path: path.join(shots, 'pose.png') });
  assert.ok(pulled[1] > rest[1] + 0.02, `${rest} -> ${pulled}`);
  await touch.mouse.up();
  await steps(touch, 300);
  const after = await place();
  assert.ok(Math.hypot(...after.map((x, k) => x - rest[k])) < 0.005, `${after}`);
});

await check('the head looks where one clicks', async () => {
  await still(touch);
  await touch.keyboard.press('l');
  const turn = () => touch.evaluate(() => {
    const app = window.supple;
    const j = app.main.raw.jointNames.findIndex((n) => /head/i.test(n));
    return app.main.plain.joints.slice(12 * j, 12 * j + 9).join();
  });
  const before = await turn();
  await touch.mouse.click(150, 120);
  await steps(touch, 60);
  assert.notEqual(await turn(), before);
});

await check('a ball that hits the belly pushes it in', async () => {
  await still(touch);
  await touch.click('button[data-tool="ball"]');
  const at = await onScreen(touch);
  await touch.mouse.click(at.x, at.y);
  let most = 0;
  for (let k = 0; k < 40; k++) {
    await steps(touch, 2);
    most = Math.max(most, (await moved(touch)).most);
    if (k === 10) await touch.screenshot({ path: path.join(shots, 'ball.png') });
  }
  assert.ok(most > 0.02, `${most} m`);
  assert.ok(await touch.evaluate(() => window.supple.balls.list.some((ball) => ball.hits > 0)), 'it bounces');
});

await check('wind, shake, sliders and reset', async () => {
  await still(touch);
  await touch.evaluate(() => window.supple.setWind(15));
  await steps(touch, 40);
  assert.ok((await moved(touch)).most > 1e-3, 'wind');
  await still(touch);
  await steps(touch, 2);
  await touch.keyboard.press('s');
  await steps(touch, 4);
  assert.ok((await moved(touch)).most > 5e-3, 'shake');
  await touch.locator('input[aria-label="Frequency"]').fill('6');
  await touch.waitForFunction(() => window.supple.main.flesh === 'your own');
  assert.equal(await touch.evaluate(() => window.supple.main.numbers.frequency), 6);
  await touch.click('button[data-tool="reset"]');
  assert.ok((await moved(touch)).most < 1e-4);
});

await check('a vertex that is probed is plotted', async () => {
  await still(touch);
  const plots = () => touch.locator('canvas.plot:visible').count();
  await touch.evaluate(() => window.supple.picked(window.supple.figure('alive'), -1));
  assert.equal(await plots(), 1);
  await touch.keyboard.press('v');
  const at = await onScreen(touch);
  await touch.mouse.click(at.x, at.y);
  assert.equal(await plots(), 3);
  await touch.keyboard.press('s');
  await steps(touch, 90);
  const ink = await touch.evaluate(() => {
    window.supple.meter.plot();
    return [...document.querySelectorAll('canvas.plot')].map((c) => c.getContext('2d')
      .getImageData(0, 0, c.width, c.height).data.filter((x, k) => k % 4 === 3 && x > 0).length);
  });
  assert.ok(ink.every((n) => n > 200), `${ink}`);
});

await check('keyboard, clips and themes', async () => {
  await touch.evaluate(() => window.supple.setClip(0));
  await touch.locator('#view').focus();
  await touch.keyboard.press('2');
  assert.equal(await touch.evaluate(() => window.supple.clip), 1);
  await touch.keyboard.press(' ');
  assert.equal(await touch.evaluate(() => window.supple.playing), true);
  await touch.keyboard.press(' ');
  await touch.keyboard.press('ArrowRight');
  assert.ok(await touch.evaluate(() => window.supple.main.time) > 0);
  await touch.keyboard.press('d');
  assert.equal(await touch.evaluate(() => document.documentElement.classList.contains('light')), true);
});
await touch.context().close();

// ---- Two characters -------------------------------------------------------------------------------------

const both = await open('both.html');

await check('two characters play on one clock', async () => {
  const seen = await both.evaluate(() => window.supple.seen.map((f) => [f.instance.name, f.version, f.group.position.x]));
  assert.deepEqual(seen.map(([name, version]) => `${name} ${version}`), ['fat.glb alive', 'toy.glb alive']);
  assert.ok(seen[0][2] < seen[1][2]);
  await both.evaluate(() => window.supple.scrub(0.3));
  const times = await both.evaluate(() => window.supple.instances.map((a) => a.time));
  assert.ok(Math.abs(times[0] - 0.3) < 1e-6);
  await both.screenshot({ path: path.join(shots, 'both.png') });
});
await both.context().close();

// ---- A dancer ------------------------------------------------------------------------------------------

const dancer = await open('dancer.html');

await check('a muscle clenches while its pad is pressed, and on the beat', async () => {
  await still(dancer);
  await dancer.evaluate(() => window.supple.toggle('skinning'));
  await steps(dancer, 5);
  const calm = (await moved(dancer)).most;
  await dancer.locator('#beatbox .pad[data-muscle="belly"]').dispatchEvent('pointerdown');
  await steps(dancer, 30);
  const held = (await moved(dancer)).most;
  await dancer.locator('#beatbox .pad[data-muscle="belly"]').dispatchEvent('pointerup');
  await steps(dancer, 90);
  const after = (await moved(dancer)).most;
  assert.ok(held > calm + 0.005 && after < calm + 0.001, `${calm}, ${held}, ${after}`);
  const beat = await dancer.evaluate(() => { // in one go: the music goes on between two calls
    const app = window.supple;
    app.beatbox.run(true);
    for (let k = 0; k < 8; k++) app.step(1 / 60);
    return app.figure('alive').displacement().most;
  });
  assert.ok(beat > calm + 0.005, `${beat}`);
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
  assert.ok(await live.evaluate(() => !window.supple.crowd.crowd && window.supple.seen.length === 1));
});
await live.context().close();

// ---- A page that takes a file --------------------------------------------------------------------------

const empty = await open('empty.html', { viewport: { width: 390, height: 780 }, hasTouch: true, colorScheme: 'light' });

await check('a broken file gives a message, a good one is taken', async () => {
  await empty.setInputFiles('#file', { name: 'broken.glb', mimeType: '', buffer: fs.readFileSync(path.join(here, 'soft.glb')).subarray(0, 5000) });
  await empty.waitForFunction(() => document.getElementById('note').classList.contains('bad'));
  assert.match(await empty.locator('#note').textContent(), /broken\.glb: the file is cut short/);
  await empty.setInputFiles('#file', path.join(here, 'soft.glb'));
  await empty.waitForFunction(() => window.supple.instances.length && window.supple.main.lives && window.supple.playing);
  await empty.evaluate(() => window.supple.scrub(1.2));
  assert.ok((await moved(empty)).most > 0.005);
  await empty.screenshot({ path: path.join(shots, 'phone.png') });
});

/** A file with other JSON, and bytes behind those that it had; returns its path. */
function edited(from, name, edit) {
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
/** A joint of that scale; so many joints below each other. */
const scaled = (name, scale) => edited('soft.glb', name, (json) => { json.nodes[json.skins[0].joints[3]].scale = [scale, scale, scale]; });
const nested = (name, count) => edited('plain.glb', name, (json, bytes) => {
  const [skin] = json.skins;
  const first = json.nodes.length;
  const matrices = Buffer.alloc(64 * (skin.joints.length + count));
  for (let k = 0; k < matrices.length / 64; k++) for (const i of [0, 5, 10, 15]) matrices.writeFloatLE(1, 64 * k + 4 * i);
  (json.nodes[skin.joints.at(-1)].children ??= []).push(first);
  for (let k = 0; k < count; k++) {
    json.nodes.push({ name: `joint ${k}`, translation: [0, 1e-5, 0], ...(k + 1 < count && { children: [first + k + 1] }) });
    skin.joints.push(first + k);
  }
  json.bufferViews.push({ buffer: 0, byteOffset: bytes, byteLength: matrices.length });
  skin.inverseBindMatrices = json.accessors.push({ bufferView: json.bufferViews.length - 1, componentType: 5126, type: 'MAT4',
    count: matrices.length / 64 }) - 1;
  return matrices;
});
/** From now on the page counts its heartbeats and keeps the longest time between two. */
const listen = (page) => page.evaluate(() => {
  clearInterval(window.heart?.timer);
  const heart = window.heart = { beats: 0, longest: 0, last: performance.now() };
  heart.timer = setInterval(() => {
    const now = performance.now();
    heart.longest = Math.max(heart.longest, now - heart.last);
    heart.last = now;
    heart.beats++;
  }, 20);
});
const longest = async (page, what) => console.log(`   ${what}: blocked for ${Math.round(await page.evaluate(() => window.heart.longest))} ms at most`);
const drop = (page, file) => page.setInputFiles('#file', file);

await check('a joint that is scaled by 1e30 gives a message, not a frozen page', async () => {
  await listen(empty);
  await drop(empty, scaled('huge.glb', 1e30));
  await empty.waitForFunction(() => /huge\.glb: a vertex is .* units away/.test(document.getElementById('note').textContent));
  assert.equal(await empty.evaluate(() => window.supple.main.name), 'soft.glb');
  await longest(empty, 'scaled by 1e30');
  await drop(empty, scaled('large.glb', 3));
  await empty.waitForFunction(() => window.supple.main.name === 'large.glb' && window.supple.playing);
});

await check('a clip that scales a joint by 1e30 is not drawn', async () => {
  await empty.evaluate(() => {
    const app = window.supple;
    app.setPlaying(false);
    app.main.plain.positions[0] = 4e29;
    app.figure('skinning').update(app.shown);
  });
  assert.match(await empty.locator('#note').textContent(), /farther away than can be drawn/);
  assert.ok(await empty.evaluate(() => {
    const app = window.supple;
    const hidden = !app.figure('skinning').mesh.visible;
    app.scrub(0.5);
    app.figure('skinning').update(app.shown);
    return hidden && app.figure('skinning').mesh.visible;
  }));
});

await check('a file of 300,000 nested joints can be stopped, and the next one is taken', async () => {
  const file = nested('deep.glb', 300000);
  await empty.evaluate(() => window.supple.setPlaying(true));
  await listen(empty);
  await drop(empty, file);
  await empty.locator('#loading').waitFor();
  assert.match(await empty.locator('#loading').textContent(), /deep\.glb/);
  // The page lives on while it is read.
  const before = await empty.evaluate(() => window.heart.beats);
  await empty.waitForFunction((n) => window.heart.beats > n + 10, before);
  assert.ok(await empty.locator('#loading').isVisible());
  await empty.locator('#loading button').dispatchEvent('click'); // at once, whether it moves or not
  await empty.locator('#loading').waitFor({ state: 'hidden' });
  // Stopped while it was read, the one before is still there; later, it is there without flesh.
  await empty.waitForFunction(() => window.supple.main.name === 'large.glb' || (!window.supple.main.lives && window.supple.playing));
  // One that is dropped meanwhile takes its place.
  await drop(empty, file);
  await empty.locator('#loading').waitFor();
  await empty.screenshot({ path: path.join(shots, 'loading.png') });
  await empty.setInputFiles('#file', path.join(here, 'soft.glb'));
  await empty.waitForFunction(() => window.supple.main.name === 'soft.glb' && window.supple.playing);
  assert.ok(await empty.evaluate(() => window.supple.main.lives), 'it plays before it lives');
  assert.ok(!await empty.locator('#loading').isVisible());
  await longest(empty, '300,000 nested joints, stopped twice');
});

await check('a finger drags flesh', async () => {
  await still(empty);
  const at = await onScreen(empty);
  const client = await empty.context().newCDPSession(empty);
  const send = (type, x, y) => client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
  await send('touchStart', at.x, at.y);
  await send('touchMove', at.x + 20, at.y - 30);
  await steps(empty, 20);
  const { most } = await moved(empty);
  assert.ok(most > 0.005, `${most} m`);
  await send('touchEnd');
});
await browser.close();

await check('no error, no warning, no request', () => assert.deepEqual(problems, []));
fs.rmSync(here, { recursive: true });
console.log(`pictures in ${shots}`);
process.exit(failures ? 1 : 0);
