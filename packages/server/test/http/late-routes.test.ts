import { expect, test } from 'vitest';
import { Routes } from '../../src/http/server/routes.ts';

/**
 * The router loads the routes under a first path segment when it is first requested, so the order of requests must not
 * matter.
 */
const PATHS = ['/api/things', '/api/things/:uid', '/apis', '/manage/v1/*'];

function makeRoutes(): Routes {
  const routes = new Routes({ maxParamLength: 100 });
  for (const path of PATHS) routes.get(path, { schema: {} }, () => undefined);
  routes.post('/api/things', { schema: {} }, () => undefined);
  return routes;
}

const TARGETS = [
  ['GET', '/api/things?x=1', '/api/things'],
  ['HEAD', '/api/things', '/api/things'],
  ['POST', '/api/things', '/api/things'],
  ['GET', '/%61pi/things/7', '/api/things/:uid'],
  ['GET', '/apis', '/apis'],
  ['GET', '/manage/v1/a/b', '/manage/v1/*'],
  ['GET', '/', undefined],
  ['GET', '/nowhere', undefined],
  ['PUT', '/apis', undefined],
] as const;

test.each(TARGETS)('%s %s is found in any order of requests', (method, target, path) => {
  for (const [otherMethod, other] of [[method, target] as const, ...TARGETS]) {
    const routes = makeRoutes();
    routes.find(otherMethod, other);
    expect(routes.find(method, target)?.store.path).toBe(path);
  }
});

test('405 responses include routes that were not requested yet', () => {
  expect(makeRoutes().refusalOf('/api/things').headers).toEqual({ allow: 'GET, HEAD, POST' });
  expect(makeRoutes().refusalOf('/nowhere').code).toBe('9404');
});
