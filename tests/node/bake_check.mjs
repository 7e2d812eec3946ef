// SPDX-License-Identifier: MIT
// Baked characters, one whose helpers hang below each other, and one with cubic keys of curves, as
// others see them: the Khronos validator has nothing to say, and three.js moves every vertex as our
// player does.
//   node bake_check.mjs SUPPLE SKIN_DUMP
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import validator from 'gltf-validator';

const [supple, dump] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'supple_bake_'));
const file = (name) => join(folder, name);
const run = (...words) => execFileSync(supple, [...words, '--quiet'], { stdio: 'inherit' });
let failures = 0;
try {
  run('make', 'mochi', '--vertices', '494', '-o', file('mochi.glb'));
  run('build', 'surface', file('mochi.glb'), '--preset', 'fat', '-o', file('fat.glb'));
  for (const as of ['helpers', 'morphs', 'chains', 'curves']) {
    const path = file(`${as}.glb`);
    if (as === 'chains') {
      const lesson = ['--example', file('jump.pc2'), '--clip', 'jump', '--chains', 'on'];
      run('play', file('fat.glb'), '--clip', 'jump', '-o', file('jump.pc2'));
      run('build', 'helpers', file('mochi.glb'), '--bones', '6', ...lesson, '-o', path);
    } else if (as === 'curves') {
      const ear = (joint, channel) => ({ name: `${joint}.${channel}`, range: [-0.6, 0.6], drives: { joint, channel } });
      const parameters = ['ear_l1', 'ear_r1'].flatMap((j) => ['turn.x', 'turn.z'].map((c) => ear(j, c)));
      parameters.push({ ...ear('ear_l2', 'translation.y'), range: [-0.05, 0.05] });
      writeFileSync(file('ears.rig.json'), JSON.stringify({ rig: 1, parameters }));
      const quick = ['--tets', '1200', '--step', '0.02', '--rig', file('ears.rig.json')];
      run('play', file('mochi.glb'), '--clip', 'shake', '--as', as, ...quick, '-o', path);
    } else {
      run('play', file('fat.glb'), '--clip', 'jump', '--as', as, '--bones', '6', '-o', path);
    }
    const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(path)));
    console.log(`${as}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
    failures += issues.numErrors + issues.numWarnings;
    const script = new URL('three_skin.mjs', import.meta.url).pathname;
    const env = { ...process.env, SUPPLE_TEST_DATA: folder };
    console.log(execFileSync('node', [script, dump, path], { env, encoding: 'utf8' }));
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(failures ? 1 : 0);
