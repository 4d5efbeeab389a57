import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { expect } from 'vitest';

/** Serves page.tsx on its own origin; with the React of the given node_modules, if any. */
export async function servePage(modules?: string) {
  const alias = modules ? { react: join(modules, 'react'), 'react-dom': join(modules, 'react-dom') } : {};
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'page.tsx'),
    platform: 'browser',
    resolve: { alias },
    // "use client" only matters to server rendering.
    onLog: (level, log, report) => log.code === 'MODULE_LEVEL_DIRECTIVE' || report(level, log),
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const styles = readFileSync(join(import.meta.dirname, '../../packages/react/src/styles.css'), 'utf8');
  const html = `<!doctype html><html lang="en"><title>Page</title><style>:root { color-scheme: light dark } ${styles}</style>
    <body><div id="root"></div><script type="module" src="/page.js"></script></body></html>`;
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript; charset=utf-8' : 'text/html; charset=utf-8');
    response.end(isScript ? output[0].code : html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Axe = { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };

/** No axe violation at all, not even a minor one. */
export async function expectAxeClean(page: Page): Promise<void> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: Axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  });
  expect(found).toEqual([]);
}
