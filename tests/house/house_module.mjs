// SPDX-License-Identifier: MIT
// The module needs nothing from its host, hashes as published for XXH64, and moves memory.
import assert from 'node:assert';
import fs from 'node:fs';

const module = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
assert.deepEqual(WebAssembly.Module.imports(module), []);
const { exports } = new WebAssembly.Instance(module, {});
assert.equal(exports.hash(0, 0) >>> 0, 0x51d8e999); // low half of XXH64("", 0)

const bytes = new Uint8Array(exports.memory.buffer, exports.block(), 4096);
const truth = Uint8Array.from({ length: 4096 }, (_, i) => (i * 131) & 255);
bytes.set(truth);
for (const [to, from, count] of [[3, 0, 100], [0, 3, 100], [200, 201, 7], [999, 990, 64], [5, 5, 9]]) {
  exports.move(to, from, count);
  truth.copyWithin(to, from, from + count);
  assert.deepEqual(bytes, truth);
}
console.log('wasm module: no imports, right hash, right moves');
