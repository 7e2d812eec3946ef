// SPDX-License-Identifier: MIT
// One script and one style sheet; one-page.mjs puts them into the page.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('page'),
  build: {
    outDir: at('../build/web/page'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { output: { inlineDynamicImports: true, entryFileNames: 'page.js',
      assetFileNames: 'page.[ext]' } },
  },
});
