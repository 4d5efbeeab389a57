import { join } from 'node:path';
import { buildWhenChanged } from '../../scripts/build-when-changed.js';

const SERVER = import.meta.dirname;

/** Threads are started by file URL, which changes once they are built. */
export const THREADS = {
  'writer-thread': 'storage/sqlite/writer-thread.ts',
  'scrub-thread': 'storage/sqlite/scrub-thread.ts',
  'survey-thread': 'storage/sqlite/survey-thread.ts',
  'check-thread': 'storage/sqlite/check-thread.ts',
  'work-thread': 'work/work-thread.ts',
  'telemetry-thread': 'monitoring/telemetry-thread.ts',
};

/** What every start loads is in two files: the second is read while the database opens. */
const GROUPS = [
  {
    name: 'start',
    test: /src[\\/](cli[\\/]serve|ephemeral|run|storage[\\/]sqlite[\\/]index)\.ts$/,
    priority: 2,
  },
  { name: 'app', test: /src[\\/](app|ephemeral-commands)\.ts$/, priority: 1 },
];

/** Loaded before these two. */
const EARLY = { name: 'early', test: /src[\\/]storage[\\/]sqlite[\\/]start-writer\.ts$/, priority: 3 };

/**
 * Bundles the service and its dependencies into a few files in dist/: half of the startup time is finding, reading and
 * linking about six hundred modules (decision 29). Modules that are loaded on demand stay separate files.
 */
export function buildServer() {
  return buildWhenChanged({
    dist: join(SERVER, 'dist'),
    madeOf: [join(SERVER, '../../package-lock.json'), join(SERVER, 'src'), join(SERVER, 'build.js')],
    async build(dir) {
      await bundle('main', 'main.ts', { dir, codeSplitting: { groups: GROUPS } });
      await bundle('ephemeral-main', 'ephemeral-main.ts', {
        ...{ dir, codeSplitting: { groups: [EARLY, ...GROUPS] }, format: 'cjs' },
        ...{ entryFileNames: '[name]-[hash].cjs', chunkFileNames: '[name]-[hash].cjs' },
      });
      for (const [name, path] of Object.entries(THREADS))
        await bundle(name, path, { file: join(dir, `${name}.js`), codeSplitting: false });
    },
  });
}

async function bundle(name, path, output) {
  const { rolldown } = await import('rolldown');
  const built = await rolldown({
    input: { [name]: join(SERVER, 'src', path) },
    platform: 'node',
    // Code that looks unused may be there for what it throws, so nothing is removed.
    treeshake: false,
    // Commands load parts that the service has in its files.
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      {
        name: 'thread-addresses',
        transform: (code) => code.replace(/new URL\('\.\/([a-z]+-thread)\.ts'/g, "new URL('./$1.js'"),
      },
      { name: 'ascii', renderChunk: escapeNonAscii },
    ],
  });
  await built.write({ format: 'esm', ...output, minify: false });
}

/**
 * Node reads a megabyte of ASCII in 1 ms and of anything else in 8. An escape means the same as its character in strings
 * and regular expressions.
 * @param {string} code
 */
function escapeNonAscii(code) {
  return code.replace(/(\\?)[^\0-\x7f]/g, (found, backslash) => {
    if (backslash) throw new Error(`${found}: write it without the backslash`);
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
