// Writes docs/openapi.json from the routes' own schemas. `npm run docs` runs it; test/docs/openapi.test.ts checks it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { type AppParts, createApp } from '../src/app.ts';
import { RateLimits } from '../src/domain/limits/rate-limits.ts';
import type { Service } from '../src/domain/service.ts';
import { CatalogCache } from '../src/http/options/catalog-cache.ts';
import { RequestCounts } from '../src/monitoring/request-counts.ts';
import { AREAS } from '../src/service-settings.ts';

export const OPENAPI_DOC = join(import.meta.dirname, '../../../docs/openapi.json');

const NO_LIMITS = new RateLimits({} as never, { rateLimit: 'off', addressRateLimit: 'off' });

/** Uses an app with every area but no service behind it: describing needs none. */
export async function renderOpenapiDoc(): Promise<string> {
  const nothing = {} as never;
  const config: AppParts['config'] = {
    areas: new Set(AREAS),
    host: '127.0.0.1',
    port: 8080,
    publicUrl: 'http://127.0.0.1:8080',
    metricsToken: undefined,
    trustedProxies: [],
    pageTexts: {},
  };
  const counts = new RequestCounts();
  const metrics = { counts, observe: counts.add.bind(counts), count() {}, text: async () => '' };
  const logger = pino({ level: 'silent' });
  const app = createApp({
    config,
    service: { publicUrl: config.publicUrl, limits: NO_LIMITS } as Service,
    catalogCache: new CatalogCache(0),
    liveEvents: nothing,
    keys: nothing,
    metrics,
    requestLog: { observe() {} },
    logger,
  });
  const { text } = await app.sendOwn({ method: 'GET', url: '/openapi.json' });
  return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
}

if (import.meta.main) writeFileSync(OPENAPI_DOC, await renderOpenapiDoc());
