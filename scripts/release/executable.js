// The service as a single executable: the pinned Node with the bundled service, its threads and its files for browsers
// inside.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { findPinnedNode, isNewEnough } from '../../packages/server/bin/runtime.js';
import { THREADS } from '../../packages/server/build.js';
import { SERVER, shippedFiles } from './sources.js';

/**
 * @param {string} output path of the executable
 * @param {string} work a folder for intermediate files
 * @param {string} manifest path of the package.json to include
 */
export async function buildExecutable(output, work, manifest) {
  mkdirSync(work, { recursive: true });
  // An executable can only import Node's built-in modules: every entry is one file that includes what it loads later.
  await bundle('main', join(SERVER, 'src/main.ts'), work);
  const threads = [];
  for (const [name, path] of Object.entries(THREADS)) {
    threads.push([`threads/${name}.mjs`, await bundle(name, join(SERVER, 'src', path), work)]);
  }
  const config = join(work, 'sea.json');
  writeFileSync(
    config,
    JSON.stringify({
      // The path is stored in the executable: a relative one is the same in every folder.
      main: 'main.mjs',
      mainFormat: 'module',
      executable: smallNode(work),
      output,
      disableExperimentalSEAWarning: true,
      // As in bin/hold-less.js.
      execArgv: ['--max-semi-space-size=8'],
      execArgvExtension: 'env',
      useCodeCache: true,
      assets: Object.fromEntries([['package.json', manifest], ...threads, ...shippedFiles()]),
    }),
  );
  // Without a fixed seed, precompiled code differs from run to run.
  execFileSync(pinnedNode(), ['--random-seed=1', '--build-sea', config], {
    cwd: work,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** @param {string} name @param {string} input @param {string} work */
async function bundle(name, input, work) {
  const built = await rolldown({
    input: { [name]: input },
    platform: 'node',
    treeshake: false,
    plugins: [
      {
        name: 'threads-from-assets',
        transform(code, id) {
          const changed = code.replace(
            /new Worker\(new URL\('\.\/([a-z]+-thread)\.ts', import\.meta\.url\)/g,
            "threadFromAsset('$1'",
          );
          if (/-thread\.ts'/.test(changed)) throw new Error(`A thread that is not started as the others are: ${id}`);
          if (changed === code) return undefined;
          const from = JSON.stringify(join(import.meta.dirname, 'thread-from-asset.js'));
          return `import { threadFromAsset } from ${from};\n${changed}`;
        },
      },
    ],
  });
  const file = join(work, `${name}.mjs`);
  await built.write({ file, format: 'esm', minify: false, codeSplitting: false });
  return file;
}

/** Without its symbols, a quarter of its size, if binutils are installed. */
function smallNode(work) {
  const copy = join(work, 'node');
  copyFileSync(pinnedNode(), copy);
  try {
    execFileSync('strip', ['--strip-unneeded', copy], { stdio: 'ignore' });
  } catch {
    copyFileSync(pinnedNode(), copy);
  }
  return copy;
}

function pinnedNode() {
  return (isNewEnough() ? process.execPath : findPinnedNode()) ?? process.execPath;
}
