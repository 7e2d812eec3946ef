// SPDX-License-Identifier: MIT
// The page in headless Chromium, as a person uses it: page_check.mjs SUPPLE FOLDER_FOR_PICTURES
// Exit 77 (skipped) where there is no Chromium.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { check, closeBrowser, edited, finish, here, moved, onScreen, open, problems, run, shots, steps, still } from './browser.mjs';

run('make', 'mochi', '--vertices', '1500', '-o', 'mochi.glb');
run('build', 'surface', 'mochi.glb', '--preset', 'soft', '-o', 'soft.glb');
run('build', 'surface', 'mochi.glb', '--preset', 'fat', '-o', 'fat.glb');
run('play', 'fat.glb', '--clip', 'jump', '--fps', '30', '-o', 'jump.pc2');
run('play', 'soft.glb', '--clip', 'jump', '--fps', '30', '-o', 'soft.pc2');
run('view', 'soft.glb', 'jump.pc2', '-o', 'soft.html');
run('view', 'mochi.glb', '-o', 'mochi.html');
run('view', '-o', 'empty.html');
run('make', 'mochi', '--vertices', '494', '-o', 'plain.glb');
run('make', 'toy', '--vertices', '500', '-o', 'toy.glb');
run('view', 'fat.glb', 'toy.glb', '-o', 'both.html');
run('compare', 'soft.pc2', 'jump.pc2', '--of', 'soft.glb', '--clip', 'jump', '--json', 'compare.json');

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
await closeBrowser();

await check('no error, no warning, no request', () => assert.deepEqual(problems, []));
finish();
