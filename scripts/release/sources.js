import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const SERVER = join(ROOT, 'packages/server');
export const { version: VERSION } = JSON.parse(readFileSync(join(SERVER, 'package.json'), 'utf8'));

const EXPLORER = ['explorer.html', 'explorer.js', 'explorer.css', 'icon.svg'];
const SWAGGER_UI = ['swagger-ui-bundle.js', 'swagger-ui.css'];

/** Files for browsers, as packages/server/src/package.ts looks for them: [name, path], sorted by name. */
export function shippedFiles() {
  const swaggerUi = dirname(createRequire(join(SERVER, 'package.json')).resolve('swagger-ui-dist/package.json'));
  return [
    ...built('portal'),
    ...built('guide'),
    ...EXPLORER.map((name) => [`explorer/${name}`, join(SERVER, 'src/http/docs/page', name)]),
    ...SWAGGER_UI.map((name) => [`explorer/${name}`, join(swaggerUi, name)]),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
}

function built(folder) {
  const dist = join(ROOT, 'packages', folder, 'dist');
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'made-of.txt')
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [`${folder}${path.slice(dist.length).replaceAll('\\', '/')}`, path]);
}
