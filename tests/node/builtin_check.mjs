// SPDX-License-Identifier: MIT
// Every built-in character as a .glb: the Khronos validator finds no error and nothing to warn of.
//   node builtin_check.mjs SUPPLE
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import validator from 'gltf-validator';

const supple = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'supple_builtin_'));
let failures = 0;
try {
  const json = join(folder, 'list.json');
  execFileSync(supple, ['make', '--list', '--quiet', '--json', json]);
  const { characters } = JSON.parse(readFileSync(json, 'utf8')).result;
  if (characters.length !== 7) throw new Error(`${characters.length} characters in the list`);
  for (const { name, joints } of characters) {
    const path = join(folder, `${name}.glb`);
    execFileSync(supple, ['make', name, '--quiet', '-o', path]);
    const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), { uri: path });
    const { issues, info } = report;
    for (const message of issues.messages.filter((m) => m.severity < 2)) {
      failures++;
      console.log(`${name}: ${message.code} ${message.pointer}: ${message.message}`);
    }
    if (info.animationCount < 4 || info.materialCount < 1 || !info.hasSkins) failures++;
    console.log(`${name}: ${info.totalVertexCount} vertices, ${info.totalTriangleCount} triangles, ` +
      `${joints} joints, ${info.animationCount} clips, ${info.materialCount} materials`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(failures ? 1 : 0);
