// SPDX-License-Identifier: MIT
// What other people's programs say about the files that Supple writes.
//   node gltf_check.mjs GLTF_WRITER
// The Khronos validator reports no error that the input did not have; gltf-transform reads what we
// write, and we read what it writes.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { Logger, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';
import validator from 'gltf-validator';

const writer = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'supple_check_'));
let failures = 0;

async function errorsOf(path) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), {
    uri: basename(path),
    maxIssues: 0,
    externalResourceFunction: async (uri) =>
      new Uint8Array(readFileSync(join(dirname(path), decodeURIComponent(uri)))),
  });
  return report.issues.messages.filter((message) => message.severity === 0);
}

function fail(path, text) {
  failures++;
  console.log(`${basename(path)}: ${text}`);
}

try {
  execFileSync(writer, ['write', folder], { stdio: 'inherit' });
  const allowed = new Map();
  for (const name of readdirSync(join(folder, 'in'))) {
    const errors = await errorsOf(join(folder, 'in', name));
    allowed.set(basename(name, extname(name)), new Set(errors.map((error) => error.code)));
    if (name.startsWith('fixture_')) {
      for (const error of errors) fail(name, `${error.code} ${error.pointer}: ${error.message}`);
    }
  }
  let checked = 0;
  for (const name of readdirSync(join(folder, 'out'))) {
    if (!/\.(glb|gltf)$/.test(name)) continue;
    const stem = basename(name, extname(name)).replace(/_(whole|edited|fresh)$/, '');
    for (const error of await errorsOf(join(folder, 'out', name))) {
      if (allowed.get(stem).has(error.code)) continue;
      fail(name, `${error.code} ${error.pointer}: ${error.message}`);
    }
    checked++;
  }
  console.log(`${checked} files validated`);
  if (!process.env.SUPPLE_TEST_DATA && process.env.SUPPLE_SKIPPED) {
    appendFileSync(process.env.SUPPLE_SKIPPED, 'gltf_check.mjs:no_real_characters\n');
  }

  await MeshoptDecoder.ready;
  await MeshoptEncoder.ready;
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
    'meshopt.decoder': MeshoptDecoder,
    'meshopt.encoder': MeshoptEncoder,
  });
  io.setLogger(new Logger(Logger.Verbosity.ERROR));
  mkdirSync(join(folder, 'transform'));
  for (const name of readdirSync(join(folder, 'out'))) {
    if (extname(name) !== '.glb') continue;
    const document = await io.read(join(folder, 'out', name));
    // A .glb of gltf-transform has one buffer; compressed files come with a second, empty one.
    const [first, ...others] = document.getRoot().listBuffers();
    for (const accessor of document.getRoot().listAccessors()) accessor.setBuffer(first);
    for (const buffer of others) buffer.dispose();
    await io.write(join(folder, 'transform', name), document);
  }
  console.log(execFileSync(writer, ['check', folder], { encoding: 'utf8' }).trim());
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(failures ? 1 : 0);
