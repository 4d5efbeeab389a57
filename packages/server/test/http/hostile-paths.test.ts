import { expect, test } from 'vitest';
import { Routes } from '../../src/http/server/routes.ts';
import { isDecodable } from '../../src/percent.ts';
import { processorTime } from '../processor-time.ts';

/** Node's maximum for the target of a request, as part of its headers. */
const TARGET_BYTES = 15_800;

function makeRoutes(): Routes {
  const routes = new Routes({ maxParamLength: 100 });
  for (const path of ['/guide/*', '/things/:uid']) routes.get(path, { schema: {} }, () => undefined);
  return routes;
}

test.each(['/%', '/%e0', '/%e0%', '/%41%', '/%41', '/%25', '%', '%e0', '/'])(
  'a path of %s is refused without thousands of exceptions',
  (unit) => {
    const routes = makeRoutes();
    const target = `/things${unit.repeat(Math.floor(TARGET_BYTES / unit.length))}`;
    const ms = processorTime(() => {
      expect(routes.find('GET', target)).toBeUndefined();
      expect(routes.refusalOf(target).code).toBe('9404');
    });
    // At most 30 ms on a slow machine; with an exception for each segment, 90 to 440 ms.
    expect(ms).toBeLessThan(80);
  },
);

test('a wildcard gets malformed segments literally', () => {
  expect(makeRoutes().find('GET', '/guide/%zz/%41/%e0%/日%41')?.params).toEqual({ '*': '%zz/A/%e0%/日A' });
});

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

test('a text is decodable if and only if decodeURIComponent decodes it', () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => `%${byte.toString(16).padStart(2, '0')}`);
  const edges = bytes.filter((_, at) => at % 16 === 0 || at % 16 === 15);
  const ends = ['', '%80', '%BF%bf', '日%80', 'é', '\n', '%', '%4', '%zz', '\ud800', '%\uff12\uff12'];
  const texts = ['', '日', '\udc00', ...bytes].flatMap((first) =>
    ['', '日', ...edges].flatMap((second) => ends.map((end) => first + second + end)),
  );
  expect(texts.filter((text) => isDecodable(text) !== canDecode(text))).toEqual([]);
});
