// Loaded before the test files (vitest.config.ts): threads run the built files, as in production. From the sources,
// every thread would load about a hundred modules.

import { registerHooks } from 'node:module';

const STARTS_THREADS = /\/packages\/server\/src\/(?:storage\/sqlite|work|monitoring)\/[a-z-]+\.ts$/;
const ADDRESS = /'\.\/([a-z]+-thread)\.ts', import\.meta\.url/;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!STARTS_THREADS.test(url)) return loaded;
    const built = `'${new URL('../dist/', import.meta.url)}$1.js'`;
    return { ...loaded, source: String(loaded.source).replace(ADDRESS, built) };
  },
});
