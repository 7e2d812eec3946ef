// SPDX-License-Identifier: MIT
// An envelope in the page: strengths of patches, colours, its control mesh, and the pose of the moment as an example, in
// headless Chromium: page_envelope_check.mjs SUPPLE FOLDER_FOR_PICTURES
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { check, closeBrowser, edited, finish, here, open, problems, run, shots, still, tool } from './browser.mjs';

// A tube whose side bulges where it bends: its offsets are a morph target.
run('make', 'tube', '--vertices', '494', '-o', 'tube.glb');
edited('tube.glb', 'bulged.glb', (json, at) => {
  const source = fs.readFileSync(path.join(here, 'tube.glb'));
  const begin = 28 + source.readUInt32LE(12);
  const added = [];
  for (const part of json.meshes[0].primitives) {
    const accessor = json.accessors[part.attributes.POSITION];
    const view = json.bufferViews[accessor.bufferView];
    const from = begin + (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    const bump = Buffer.alloc(12 * accessor.count);
    for (let v = 0; v < accessor.count; v++) {
      const x = source.readFloatLE(from + 12 * v);
      const y = source.readFloatLE(from + 12 * v + 4);
      bump.writeFloatLE(x > 0 ? 0.03 * Math.exp(-(((y - 0.5) / 0.15) ** 2)) : 0, 12 * v);
    }
    json.bufferViews.push({ buffer: 0, byteOffset: at + Buffer.concat(added).length, byteLength: bump.length });
    json.accessors.push({ bufferView: json.bufferViews.length - 1, componentType: 5126, count: accessor.count, type: 'VEC3',
      min: [0, 0, 0], max: [0.03, 0, 0] });
    part.targets = [{ POSITION: json.accessors.length - 1 }];
    added.push(bump);
  }
  json.meshes[0].extras = { targetNames: ['bulged'] };
  return Buffer.concat(added);
});
run('build', 'envelope', 'bulged.glb', '--example', 'bulged', '--at', 'bend:1', '-o', 'tube-envelope.glb');
run('view', 'tube-envelope.glb', '-o', 'envelope.html');
run('view', 'tube.glb', '-o', 'tube.html');

const page = await open('envelope.html');
/** Mean distance from what the file has, in the pose of the example. */
const changed = () => page.evaluate(() => {
  const { positions } = window.supple.main.alive;
  return positions.reduce((sum, x, k) => sum + Math.abs(x - window.own[k]), 0) / positions.length;
});

await still(page);
await page.evaluate(() => {
  const app = window.supple;
  app.setClip(app.main.character.clips.findIndex((c) => c.name === 'bend'));
  app.scrub(1);
  window.own = app.main.alive.positions.slice();
});

await check('strengths change the shape of the moment, all together and patch by patch', async () => {
  assert.equal(await page.locator('#envelope').isVisible(), true);
  await page.locator('#envelope summary').click();
  const patches = await page.locator('#envelope .patch-list .slider').count();
  assert.equal(patches, await page.evaluate(() => window.supple.main.alive.envelope.names.length));
  await page.locator('#envelope input[aria-label="Strength"]').fill('0');
  const layered = await changed();
  await page.locator('#envelope input[aria-label="Strength"]').fill('2');
  const twice = await changed();
  await page.locator('#envelope input[aria-label="Strength"]').fill('1');
  assert.equal(await changed(), 0);
  assert.ok(layered > 1e-4 && Math.abs(twice / layered - 1) < 0.05, `${layered} ${twice}`);
  await page.getByRole('button', { name: 'None', exact: true }).click();
  assert.ok(Math.abs(await changed() / layered - 1) < 1e-6);
  await page.getByRole('button', { name: 'All', exact: true }).click();
  assert.equal(await changed(), 0);
});

await check('only the patches that are found are muted', async () => {
  const names = await page.evaluate(() => window.supple.main.alive.envelope.names);
  await page.locator('#envelope input[type=search]').fill(names[3].toUpperCase());
  const listed = names.filter((name) => name.includes(names[3])).length;
  assert.equal(await page.locator('#envelope .patch-list .slider:visible').count(), listed);
  assert.ok(listed < names.length);
  await page.getByRole('button', { name: 'None', exact: true }).click();
  const strengths = await page.evaluate(() => [...window.supple.main.alive.envelope.strengths]);
  assert.deepEqual(strengths.map((x, k) => (x === 0) === names[k].includes(names[3])), names.map(() => true));
  await page.locator(`#envelope input[aria-label="${names[3]} bulges"]`).check();
  assert.equal(await page.evaluate(() => window.supple.main.alive.envelope.strengths[3]), 1);
  await page.locator('#envelope input[type=search]').fill('');
  await page.getByRole('button', { name: 'All', exact: true }).click();
});

await check('colours tell bulges and stitching', async () => {
  const seen = await page.evaluate(() => {
    const app = window.supple;
    const { envelope } = app.main.alive;
    const most = (values) => Math.max(...values);
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
    const bent = envelope.measure();
    app.envelope.strengthen(2);
    const twice = envelope.measure();
    app.envelope.strengthen(1);
    const bulging = bent.residual.indexOf(most(bent.residual));
    const parted = envelope.names.map((_, k) => { // each patch alone without its bulge: seams part
      app.envelope.set(k, null, false);
      const { stitched, residual } = envelope.measure();
      app.envelope.set(k, null, true);
      return [most(stitched), residual[bulging]];
    });
    app.envelope.strengthen(0);
    const none = envelope.measure();
    app.envelope.strengthen(1);
    app.setClip(-1);
    const rest = envelope.measure();
    app.setClip(app.main.character.clips.findIndex((c) => c.name === 'bend'));
    app.scrub(1);
    return { bent: mean(bent.residual), twice: mean(twice.residual), none: most(none.residual), stitched: most(bent.stitched), parted: Math.max(...parted.map(([x]) => x)),
      muted: parted.filter(([, x]) => x === 0).length, most: most(bent.residual),
      rest: [most(rest.stitched), most(rest.residual)] };
  });
  assert.ok(seen.bent > 1e-4 && Math.abs(seen.twice / seen.bent - 2) < 1e-3 && seen.none < 1e-6, JSON.stringify(seen));
  assert.ok(seen.stitched < 1e-5 && seen.parted > 0.3 * seen.most && seen.muted === 1, JSON.stringify(seen));
  assert.ok(seen.rest[0] < 1e-5 && seen.rest[1] < 1e-6, JSON.stringify(seen));
  for (const kind of ['stitched', 'residual']) {
    await page.evaluate((name) => { window.supple.setHeat(name); window.supple.world.draw(); }, kind);
    await page.screenshot({ path: path.join(shots, `envelope-${kind}.png`) });
  }
  await page.evaluate(() => window.supple.setHeat('none'));
});

await check('the control mesh lies on the body', async () => {
  await page.locator('#envelope label', { hasText: 'control mesh' }).click();
  const far = await page.evaluate(() => {
    const { envelope, positions } = window.supple.main.alive;
    let worst = 0;
    for (let c = 0; c < envelope.controlCount; c++) {
      let near = Infinity;
      for (let v = 0; v < positions.length / 3; v++) {
        near = Math.min(near, Math.hypot(...[0, 1, 2].map((k) => positions[3 * v + k] - envelope.controls[3 * c + k])));
      }
      worst = Math.max(worst, near);
    }
    return worst / window.supple.main.plain.size;
  });
  assert.ok(far < 0.08, `${far}`);
  await page.evaluate(() => window.supple.world.draw());
  await page.screenshot({ path: path.join(shots, 'envelope-mesh.png') });
});

await check('the pose of the moment is an example that the tool reads', async () => {
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save this pose' }).click();
  const download = await coming;
  assert.equal(download.suggestedFilename(), 'tube-envelope-pose.glb');
  await download.saveAs(path.join(here, 'tube-envelope-pose.glb'));
  const command = await page.locator('#envelope code').textContent();
  assert.match(command, /^supple build envelope tube-envelope.glb --example tube-envelope-pose.glb --at file -o /);
  const said = execFileSync(tool, ['build', 'envelope', 'tube-envelope.glb', '--example', 'tube-envelope-pose.glb', '--at', 'file', '-o',
    'again.glb'], { cwd: here, encoding: 'utf8' });
  assert.match(said, /1 example/);
  assert.doesNotMatch(said, /is that its pose/);
  // What was learned from it shows it.
  run('view', 'again.glb', '-o', 'again.html');
  const again = await open('again.html');
  await still(again);
  const off = await again.evaluate((wanted) => {
    const app = window.supple;
    app.setClip(app.main.character.clips.findIndex((c) => c.name === 'bend'));
    app.scrub(1);
    return Math.max(...app.main.alive.positions.map((x, k) => Math.abs(x - wanted[k])));
  }, await page.evaluate(() => [...window.own]));
  assert.ok(off < 5e-4, `${off}`);
  await again.context().close();
});
await page.screenshot({ path: path.join(shots, 'envelope.png') });
await page.context().close();

await check('a phone and a bright room', async () => {
  const phone = await open('envelope.html', { viewport: { width: 390, height: 780 }, colorScheme: 'light', hasTouch: true });
  await phone.locator('#envelope summary').click();
  const wide = await phone.evaluate(() => [...document.querySelectorAll('#envelope *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).length);
  assert.equal(wide, 0);
  const unnamed = await phone.evaluate(() => [...document.querySelectorAll('#envelope input')].filter((e) => !e.getAttribute('aria-label') && !e.closest('label')).length);
  assert.equal(unnamed, 0);
  await phone.screenshot({ path: path.join(shots, 'envelope-phone.png') });
  await phone.context().close();
});

await check('a character without an envelope has no such panel', async () => {
  const plain = await open('tube.html');
  assert.equal(await plain.locator('#envelope').isVisible(), false);
  await plain.context().close();
});

await closeBrowser();

await check('no error, no warning, no request', () => assert.deepEqual(problems, []));
finish();
