// SPDX-License-Identifier: MIT
// An envelope in the page: strengths of patches, colours, its control mesh and moves of it, the pose of the moment as an
// example, in headless Chromium: page_envelope_check.mjs SUPPLE FOLDER_FOR_PICTURES
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

// Carried over to a tube: what is dragged there is what the tool makes of the edits.
const carried = ['build', 'envelope', 'tube.glb', '--from', 'bulged.glb', '--example', 'bulged', '--at', 'bend:1'];
run(...carried, '-o', 'carried.glb');
run('view', 'carried.glb', '-o', 'carried.html');
const hand = await open('carried.html');
/** Its places, in the pose of the clip's end. */
const bent = (where) => where.evaluate(() => {
  const app = window.supple;
  app.setPlaying(false);
  app.setClip(app.main.character.clips.findIndex((c) => c.name === 'bend'));
  app.scrub(1);
  return [...app.main.alive.positions];
});
const places = () => hand.evaluate(() => [...window.supple.main.alive.positions]);
const apart = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));
await still(hand);
const before = await bent(hand);

await check('a corner that is dragged takes the skin near it along', async () => {
  await hand.locator('#control-mesh label', { hasText: 'move corners' }).click();
  // The corner of the patches at the bend that is nearest to the eye.
  const chosen = await hand.evaluate(() => {
    const { controls } = window.supple;
    const { envelope } = window.supple.main.alive;
    const all = envelope.controlNames.map((_, c) => ({ c, y: Math.abs(envelope.controls[3 * c + 1] - 0.5), ...controls.hands.seen(c) }));
    all.sort((a, b) => a.y - b.y);
    return all.slice(0, 4).sort((a, b) => a.depth - b.depth)[0];
  });
  await hand.mouse.move(chosen.x, chosen.y);
  await hand.mouse.down();
  await hand.mouse.move(chosen.x + 6, chosen.y - 4);
  await hand.mouse.move(chosen.x + 30, chosen.y - 12, { steps: 4 });
  const held = await places();
  await hand.evaluate(() => window.supple.world.draw());
  await hand.screenshot({ path: path.join(shots, 'envelope-drag.png') });
  await hand.mouse.up();
  const seen = await hand.evaluate((c) => {
    const { controls, main } = window.supple;
    const { envelope } = main.alive;
    return { ...controls.hands.seen(c), at: [...envelope.controls.slice(3 * c, 3 * c + 3)], size: main.plain.size, chosen: controls.chosen,
      list: controls.moves.list };
  }, chosen.c);
  assert.equal(seen.chosen, chosen.c);
  assert.equal(seen.list.length, 1);
  assert.ok(Math.hypot(seen.x - chosen.x - 30, seen.y - chosen.y + 12) < 1.5, JSON.stringify(seen)); // the corner is under the pointer
  const after = await places();
  assert.ok(apart(held, after) < 1e-6, `${apart(held, after)}`); // what was seen while it was held
  let near = 0;
  let far = 0;
  for (let v = 0; v < after.length; v += 3) {
    const moved = Math.hypot(...[0, 1, 2].map((k) => after[v + k] - before[v + k]));
    const away = Math.hypot(...[0, 1, 2].map((k) => after[v + k] - seen.at[k])) / seen.size;
    if (away < 0.12) near = Math.max(near, moved);
    if (away > 0.5) far = Math.max(far, moved);
  }
  const length = Math.hypot(...seen.list[0].move);
  assert.ok(length > 0.01 * seen.size && near > 0.5 * length && far < 2e-3 * length, `${length} ${near} ${far}`);
});

await check('moves are undone, done again and typed', async () => {
  const dragged = await places();
  await hand.keyboard.press('Control+z');
  assert.ok(apart(await places(), before) === 0);
  await hand.getByRole('button', { name: 'Redo' }).click();
  assert.ok(apart(await places(), dragged) === 0);
  const field = hand.getByLabel('Move along y, millimetres');
  const value = Number(await field.inputValue());
  await field.fill(String(value + 13));
  await field.press('Enter');
  assert.ok(apart(await places(), dragged) > 0.005);
  assert.equal(await hand.evaluate(() => window.supple.controls.moves.list.length), 1);
  await hand.locator('#control-mesh').getByRole('button', { name: 'None' }).click();
  assert.ok(apart(await places(), before) === 0);
  await hand.getByRole('button', { name: 'Undo' }).click();
  assert.ok(apart(await places(), dragged) > 0.005);
});

await check('the edits are built as they are seen', async () => {
  await hand.getByLabel('Example shape').selectOption('1');
  const typed = await places();
  const coming = hand.waitForEvent('download');
  await hand.getByRole('button', { name: 'Download edits' }).click();
  const download = await coming;
  assert.equal(download.suggestedFilename(), 'carried-edits.json');
  await download.saveAs(path.join(here, 'carried-edits.json'));
  const command = await hand.locator('#control-mesh code').textContent();
  assert.match(command, /^supple build envelope carried.glb --from FIRST.glb --example EXAMPLES.json --edits carried-edits.json -o carried-edited.glb$/);
  run(...carried, '--edits', 'carried-edits.json', '-o', 'carried-edited.glb');
  run('view', 'carried-edited.glb', '-o', 'carried-edited.html');
  const built = await open('carried-edited.html');
  await still(built);
  const off = apart(await bent(built), typed);
  const way = apart(typed, before);
  assert.ok(off < 1e-5 && way > 0.01, `${off} of ${way}`);
  await built.context().close();
});

await check('far from an example nothing is dragged, and it can be stood in', async () => {
  await hand.evaluate(() => { const app = window.supple; app.setClip(-1); });
  const rest = await places();
  const count = await hand.evaluate(() => window.supple.controls.moves.list.length);
  const at = await hand.evaluate(() => window.supple.controls.hands.seen(window.supple.controls.chosen));
  await hand.mouse.move(at.x, at.y);
  await hand.mouse.down();
  await hand.mouse.move(at.x + 30, at.y);
  await hand.mouse.up();
  assert.equal(apart(await places(), rest), 0);
  assert.match(await hand.locator('#note').textContent(), /far from “bulged/);
  assert.equal(await hand.evaluate(() => window.supple.controls.moves.list.length), count);
  await hand.getByRole('button', { name: 'Stand like it' }).click();
  const share = await hand.evaluate(() => window.supple.main.alive.envelope.share(window.supple.controls.chosen, 1));
  assert.ok(Math.abs(share - 1) < 1e-4, `${share}`);
  assert.match(await hand.getByLabel('Example shape').textContent(), /bulged.* · 100 %/);
  await hand.evaluate(() => window.supple.world.draw());
  await hand.locator('#control-mesh').scrollIntoViewIfNeeded();
  await hand.screenshot({ path: path.join(shots, 'envelope-stand.png') });
});
await hand.context().close();

await check('a phone and a bright room', async () => {
  const phone = await open('envelope.html', { viewport: { width: 390, height: 780 }, colorScheme: 'light', hasTouch: true });
  await phone.locator('#envelope summary').click();
  await phone.locator('#control-mesh label', { hasText: 'move corners' }).click();
  const wide = await phone.evaluate(() => [...document.querySelectorAll('#envelope *, #control-mesh *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).length);
  assert.equal(wide, 0);
  const unnamed = await phone.evaluate(() => [...document.querySelectorAll('#envelope input, #control-mesh input')].filter((e) => !e.getAttribute('aria-label') && !e.closest('label')).length);
  assert.equal(unnamed, 0);
  await phone.screenshot({ path: path.join(shots, 'envelope-phone.png') });
  await phone.context().close();
});

await check('a character without an envelope has no such panel', async () => {
  const plain = await open('tube.html');
  assert.equal(await plain.locator('#envelope').isVisible(), false);
  assert.equal(await plain.locator('#control-mesh').isVisible(), false);
  await plain.context().close();
});

await closeBrowser();

await check('no error, no warning, no request', () => assert.deepEqual(problems, []));
finish();
