// SPDX-License-Identifier: MIT
// Puts script, style and module into one HTML file under a content security policy that allows
// these and nothing else, and writes it as a C array too: one-page.mjs FOLDER SUPPLE_WASM PATCHES_WASM OUT.html OUT.c
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const [folder, wasm, patches, outPage, outArray] = process.argv.slice(2);
const read = (name) => fs.readFileSync(path.join(folder, name), 'utf8');
// What could end the element would end it: a script may hold it in a string only.
const script = read('page.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = read('page.css');
const packed = (file) => gzipSync(fs.readFileSync(file), { level: 9 }).toString('base64');
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  `style-src ${hash(style)}`,
  'img-src data: blob:',
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const body = read('index.html').match(/<body[^>]*>([\s\S]*)<\/body>/)[1]
  .replaceAll(/<script[^>]*><\/script>/g, '');
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>Supple</title>
<style>${style}</style>
</head>
<body>${body}
<!--supple-data-->
<script type="text/plain" id="supple-wasm">${packed(wasm)}</script>
<script type="text/plain" id="patches-wasm">${packed(patches)}</script>
<script type="module">${script}</script>
</body>
</html>
`;
fs.writeFileSync(outPage, page);
const bytes = Buffer.from(page);
const rows = [];
for (let k = 0; k < bytes.length; k += 32) rows.push(bytes.subarray(k, k + 32).join(','));
fs.writeFileSync(outArray, `/* SPDX-License-Identifier: MIT */
/* Written by web/one-page.mjs. */
#include "page.h"

const unsigned char cli_page[] = {
${rows.join(',\n')}};
const size_t cli_page_bytes = ${bytes.length};
`);
