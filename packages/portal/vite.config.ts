import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig(({ command }) => ({
  // Relative to the page's <base>, which the service sets, so that a proxy may serve it under a path.
  base: command === 'build' ? './' : '/portal/',
  plugins: [react()],
  server: { proxy: { '/manage/v1': 'http://127.0.0.1:8080' } },
  build: {
    target: 'es2023',
    // Browsers that support light-dark(): rewritten for older ones, it would not follow the chosen theme.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // Inline nothing, so that the Content-Security-Policy can stay strict.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
    // Shared code goes into a few files, not one for each set of pages that share it: a page was 75 requests.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'frame', tags: ['$initial'], priority: 3 },
            { name: 'shared', minShareCount: 3, entriesAware: true, entriesAwareMergeThreshold: 4_000, priority: 1 },
          ],
        },
      },
    },
  },
}));
