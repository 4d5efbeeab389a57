import { execFile } from 'node:child_process';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildWhenChanged } from './build-when-changed.js';
import { published } from './release/published.js';

const ROOT = join(import.meta.dirname, '..');

/**
 * Builds a package for publishing into its dist/: ES modules with their declarations, one of each per module of src,
 * README, licence, and a package.json that refers to them. Within the repository, the TypeScript sources are used
 * directly.
 * @param {string} name folder in packages/
 */
export function buildPackage(name) {
  const folder = join(ROOT, 'packages', name);
  const pack = join(folder, 'package.json');
  return buildWhenChanged({
    dist: join(folder, 'dist'),
    madeOf: [
      join(folder, 'src'),
      pack,
      join(ROOT, 'package.json'),
      join(folder, 'README.md'),
      join(folder, 'tsconfig.json'),
      import.meta.filename,
      join(ROOT, 'scripts/release/published.js'),
    ],
    async build(dir) {
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      const flags = ['--noEmit', 'false', '--declaration', '--rewriteRelativeImportExtensions'];
      const places = ['--rootDir', join(folder, 'src'), '--outDir', dir];
      await promisify(execFile)(process.execPath, [
        tsc,
        '-p',
        join(folder, 'tsconfig.build.json'),
        ...flags,
        ...places,
      ]);
      await nameBuiltModules(dir);
      const described = JSON.parse(await readFile(pack, 'utf8'));
      const { exports, ...manifest } = published(described);
      const built = { ...manifest, files: ['**/*.js', '**/*.d.ts', '*.css'], exports: builtOf(exports) };
      await writeFile(join(dir, 'package.json'), `${JSON.stringify(built, null, 2)}\n`);
      const styles = Object.values(exports).filter((path) => path.endsWith('.css'));
      for (const path of styles) await writeFile(join(dir, `${path.replace('./src/', '')}.d.ts`), 'export {};\n');
      for (const [from, to] of [
        [join(folder, 'README.md'), 'README.md'],
        [join(ROOT, 'LICENSE'), 'LICENSE'],
        ...styles.map((path) => [join(folder, path), path.replace('./src/', '')]),
      ]) {
        await copyFile(from, join(dir, to));
      }
    },
  });
}

/**
 * The compiler leaves the names of source files in declarations, but those are not published.
 * @param {string} dir
 */
async function nameBuiltModules(dir) {
  for (const path of await readdir(dir, { recursive: true })) {
    if (!path.endsWith('.d.ts')) continue;
    const text = await readFile(join(dir, path), 'utf8');
    await writeFile(
      join(dir, path),
      text.replaceAll(/(?<=(?:from |import\()['"]\.{1,2}\/[^'"]+)\.tsx?(?=['"])/g, '.js'),
    );
  }
}

/** @param {Record<string, string>} exports by their sources */
function builtOf(exports) {
  const built = Object.entries(exports).map(([entry, path]) => {
    const file = path.replace('./src/', './');
    const [name, isModule] = [file.replace(/\.tsx?$/, ''), /\.tsx?$/.test(file)];
    return [entry, { types: `${name}.d.ts`, default: isModule ? `${name}.js` : file }];
  });
  return { ...Object.fromEntries(built), './package.json': './package.json' };
}
