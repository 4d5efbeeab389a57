import { posix } from 'node:path';
import type { Resolve } from './draw-markdown.ts';
import type { Source } from './section.ts';
import { ALIASES } from './sources.ts';

/** Files of docs/ that the service itself serves beside the guide. */
const SERVED = new Set(['docs/openapi.json', 'docs/catalog.schema.json']);

/** Turns links of the repository into links of the site, relative, so that a proxy can serve it under any path. */
export function createLinks(pages: readonly Source[]) {
  const pathOf = new Map([...pages.map(({ file, path }) => [file, path] as const), ...Object.entries(ALIASES)]);
  const rootFrom = (path: string): string => '../'.repeat(path.split('/').length - 1) || './';
  return {
    rootFrom,
    from({ file, path }: Source): Resolve {
      const root = rootFrom(path);
      return (href) => {
        if (/^(https?:|mailto:|#)/.test(href)) return href;
        const [target = '', anchor] = href.split('#');
        const named = posix.join(posix.dirname(file), target).replace(/\/$/, '');
        const fragment = anchor === undefined ? '' : `#${anchor}`;
        if (SERVED.has(named)) return `${root}../${posix.basename(named)}`;
        if (/^docs\/.+\.(svg|png)$/.test(named)) return `${root}${named.slice('docs/'.length)}`;
        const page = pathOf.get(named);
        return page === undefined ? undefined : `${root}${page}${fragment}`;
      };
    },
  };
}
