// SPDX-License-Identifier: MIT
// Computes the table of hashes in WebAssembly and compares it: hash_module.mjs MODULE GOLDEN
import fs from 'node:fs';

const module = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const { exports } = new WebAssembly.Instance(module, {});
const golden = fs.readFileSync(process.argv[3], 'utf8').trim().split('\n').map((l) => l.split(' '));

function text(pointer) {
  const bytes = new Uint8Array(exports.memory.buffer);
  return Buffer.from(bytes.subarray(pointer, bytes.indexOf(0, pointer))).toString();
}

let wrong = 0;
if (golden.length !== exports.row_count()) {
  console.log(`${golden.length} rows in ${process.argv[3]}, ${exports.row_count()} here`);
  wrong++;
}
for (let b = 0; b < exports.backend_count(); b++) {
  console.log(`${text(exports.backend_name(b))}:`);
  for (let r = 0; r < Math.min(golden.length, exports.row_count()); r++) {
    const name = text(exports.row_name(r));
    const hash = BigInt.asUintN(64, exports.row_hash(r, b)).toString(16).padStart(16, '0');
    const same = name === golden[r][0] && hash === golden[r][1];
    console.log(`  ${name.padEnd(20)} ${hash}${same ? '' : '  WRONG'}`);
    if (!same) wrong++;
  }
}
process.exit(wrong ? 1 : 0);
