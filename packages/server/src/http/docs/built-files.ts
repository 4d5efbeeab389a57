import { extname } from 'node:path';
import { listShipped, readShipped } from '../../shipped-files.ts';
import { makeFile, once, type StaticFile } from './static-file.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Written by a build for the next build. */
const NOT_SERVED = new Set(['made-of.txt']);

/** By path in dist/; read on first use. */
export type BuiltFiles = Map<string, () => Promise<StaticFile>>;

/** The build output of the portal or the guide; undefined if it was not built. */
export async function readBuiltFiles(folder: 'portal' | 'guide'): Promise<BuiltFiles | undefined> {
  const paths = await listShipped(folder);
  return (
    paths &&
    new Map(
      paths.flatMap((path) => {
        const type = TYPES[extname(path)];
        if (type === undefined || NOT_SERVED.has(path)) return [];
        return [[path, once(async () => makeFile(await readShipped(folder, path), type))] as const];
      }),
    )
  );
}

/** The page shown in place of one that was not built. */
export function notBuilt(what: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Innkeeper</title>
<h1>The ${what} is not built</h1><p>Run <code>npm ci --include=dev</code> and <code>npm run build</code> where Innkeeper is installed, then load this page again.</p></html>`;
}
