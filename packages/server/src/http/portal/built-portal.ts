import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { makeFile, once, type StaticFile } from '../docs/static-file.ts';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};

export type BuiltPortal = {
  /** The page that all addresses of the portal begin with. */
  html: string;
  /** By their path below /portal/; made when first asked for. */
  files: ReadonlyMap<string, () => Promise<StaticFile>>;
};

/** What packages/portal was built into; undefined where it was not. */
export async function readBuiltPortal(): Promise<BuiltPortal | undefined> {
  const dist = join(dirname(createRequire(import.meta.url).resolve('@innkeeper/portal/package.json')), 'dist');
  try {
    const html = await readFile(join(dist, 'index.html'), 'utf8');
    const names = await readdir(dist, { recursive: true });
    const served = names.flatMap((name) => {
      const type = TYPES[extname(name)];
      const path = name.replaceAll('\\', '/');
      return type ? [[path, once(async () => makeFile(await readFile(join(dist, name)), type))] as const] : [];
    });
    return { html, files: new Map(served) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
