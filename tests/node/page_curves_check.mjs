// SPDX-License-Identifier: MIT
// Curves of a clip under the figure, in headless Chromium: drawn, scrubbed, held at rest, released.
// page_curves_check.mjs SUPPLE FOLDER_FOR_PICTURES
import assert from 'node:assert/strict';
import path from 'node:path';
import { check, closeBrowser, finish, open, problems, run, shots } from './browser.mjs';

run('make', 'tube', '-o', 'tube.glb');
run('play', 'tube.glb', '--as', 'curves', '--clip', 'lateral', '--tets', '300', '-o', 'curves.glb');
run('view', 'curves.glb', '-o', 'curves.html');
run('view', 'tube.glb', '-o', 'plain.html');

const page = await open('curves.html', { viewport: { width: 1280, height: 720 } });
/** What is seen at half a second, as a copy. */
const shape = () => page.evaluate(() => {
  window.supple.scrub(0.5);
  return Array.from(window.supple.main.alive.positions);
});
const apart = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));

await check('the curves of a file with cubic keys are listed, and open by a button and a key', async () => {
  const names = await page.evaluate(() => window.supple.curves.curves.map(({ name }) => name));
  assert.ok(names.length > 0 && names.every((name) => /_flesh(_\d+)?$/.test(name)), `${names}`);
  assert.equal(await page.locator('#curves').isVisible(), false);
  await page.locator('#curves-toggle').click();
  assert.equal(await page.locator('#curves').isVisible(), true);
  assert.equal(await page.locator('#curves .list .name').count(), names.length);
  await page.keyboard.press('c');
  assert.equal(await page.locator('#curves').isVisible(), false);
  await page.keyboard.press('c');
});

await check('what is drawn is what is played', async () => {
  const off = await page.evaluate(async () => {
    const app = window.supple;
    const { curves } = app.curves;
    const { raw, alive } = app.main;
    const track = raw.clips[app.clip].tracks[curves[0].track];
    let most = 0;
    // A joint's translation is where it stands in its parent's space: of a key, what the file has there.
    for (let k = 0; k < track.times.length; k++) {
      app.scrub(track.times[k]);
      const j = track.target;
      const parent = raw.parents[j];
      const m = alive.joints;
      const at = [0, 1, 2].map((i) => m[12 * j + 9 + i] - m[12 * parent + 9 + i]);
      const own = [0, 1, 2].map((c) => [0, 1, 2].reduce((sum, i) => sum + m[12 * parent + 3 * c + i] * at[i], 0)
        / [0, 1, 2].reduce((sum, i) => sum + m[12 * parent + 3 * c + i] ** 2, 0));
      for (let i = 0; i < 3; i++) most = Math.max(most, Math.abs(own[i] - track.values[(3 * k + 1) * 3 + i]));
    }
    return most;
  });
  assert.ok(off < 1e-4, `${off} m`);
});

await check('a curve is held at rest and released, to the bit', async () => {
  const before = await shape();
  const moved = [];
  for (const k of [0, 1]) {
    await page.locator('#curves .list .lock').nth(k).click();
    moved.push(await shape());
  }
  assert.ok(apart(before, moved[0]) > 1e-4, `${apart(before, moved[0])} m`);
  assert.ok(apart(moved[0], moved[1]) > 1e-5);
  await page.screenshot({ path: path.join(shots, 'curves.png') });
  await page.locator('#curves .list .lock').nth(0).click();
  await page.locator('#curves .list .lock').nth(1).click();
  assert.equal(apart(before, await shape()), 0);
});

await check('all held: plain skinning; reset releases', async () => {
  const before = await shape();
  await page.evaluate(() => { window.supple.curves.curves.forEach((_, k) => window.supple.curves.hold(k, true)); });
  const still = await shape();
  const plain = await page.evaluate(() => Array.from(window.supple.main.plain.positions));
  assert.ok(apart(still, plain) < 1e-5, `${apart(still, plain)} m`);
  await page.evaluate(() => window.supple.reset());
  assert.equal(apart(before, await shape()), 0);
});

await check('a drag over the curves goes through time', async () => {
  const box = await page.locator('#curves canvas').boundingBox();
  const { time, duration } = await (async () => {
    await page.mouse.click(box.x + 8 + 0.75 * (box.width - 16), box.y + 40);
    return page.evaluate(() => ({ time: window.supple.main.time, duration: window.supple.main.duration }));
  })();
  assert.ok(Math.abs(time / duration - 0.75) < 0.02, `${time} of ${duration}`);
});

await check('strip, panel and tools stay apart in any window', async () => {
  for (const [name, width, height] of [['desktop', 1280, 720], ['upright', 390, 844], ['sideways', 844, 390]]) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction(() => window.supple.world.camera.view.fullWidth === innerWidth);
    await page.evaluate(() => window.supple.curves.draw());
    const boxes = await page.evaluate(() => ['top', 'tools', 'panel', 'bar'].map((id) => {
      const { left, top, right, bottom } = document.getElementById(id).getBoundingClientRect();
      return { id, left, top, right, bottom };
    }));
    const canvas = await page.locator('#curves canvas').boundingBox();
    const bar = boxes.find(({ id }) => id === 'bar');
    assert.ok(canvas.width > 100 && canvas.x + canvas.width < bar.right, `${name}: the curves end at ${canvas.x + canvas.width} of ${bar.right}`);
    await page.screenshot({ path: path.join(shots, `curves-${name}.png`) });
    boxes.forEach((a, k) => boxes.slice(k + 1).forEach((b) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      assert.ok(wide < 1 || high < 1, `${name}: ${a.id} and ${b.id} overlap by ${Math.round(wide)} x ${Math.round(high)}`);
    }));
  }
  await page.context().close();
});

await check('a file without such keys has no button', async () => {
  const plain = await open('plain.html');
  assert.equal(await plain.locator('#curves-toggle').isVisible(), false);
  await plain.context().close();
});

await closeBrowser();
await check('no error, no warning, no request', () => assert.deepEqual(problems, []));
finish();
