// SPDX-License-Identifier: MIT
// Files as `supple add` leaves them: the Khronos validator finds no error, and three.js moves every
// vertex as our player does.
//   node add_check.mjs SKIN_DUMP FILE...
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import validator from 'gltf-validator';

const [dump, ...files] = process.argv.slice(2);
let failures = 0;
for (const file of files) {
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(file)));
  const errors = issues.messages.filter((m) => m.severity === 0);
  console.log(`${basename(file)}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
  for (const m of errors.slice(0, 5)) console.log(`  ${m.code} ${m.pointer} ${m.message}`);
  failures += issues.numErrors;
}
const script = new URL('three_skin.mjs', import.meta.url).pathname;
const env = { ...process.env, SUPPLE_TEST_DATA: process.env.SUPPLE_TEST_DATA ?? '.' };
try {
  console.log(execFileSync('node', [script, dump, ...files], { env, encoding: 'utf8' }));
} catch (error) {
  console.log(error.stdout);
  failures++;
}
process.exit(failures ? 1 : 0);
