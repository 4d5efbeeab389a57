import { expect, test } from 'vitest';
import { parseJsonObject } from '../../src/domain/strict-json.ts';
import { processorTime } from '../processor-time.ts';

const parse = (text: string) => parseJsonObject(Buffer.from(text));

test('a string ends at a quote with an even number of backslashes before it', () => {
  for (const value of ['', '\\', '\\\\', '"', '\\"', '"\\', '{"', '\\"}{', '"\\\\"', 'x\\'.repeat(9)]) {
    const sent = { [value]: value, rest: [{ [value]: value }] };
    // Once short, and once long enough to be scanned before it is parsed.
    for (const more of ['', 'x'.repeat(4_000)])
      expect(parse(JSON.stringify({ ...sent, more }))).toEqual({ ...sent, more });
    const twice = `{"a":{${JSON.stringify(value)}:1,${JSON.stringify(value)}:2},"more":"${'x'.repeat(4_000)}"}`;
    expect(() => parse(twice)).toThrow(/twice/);
  }
  for (const text of ['{"a":"', '{"a":"\\"', `{"a":"${'\\'.repeat(4_001)}"}`, `{"a":"${'"\\'.repeat(3_000)}`]) {
    expect(() => parse(text)).toThrow(/cannot be parsed/);
  }
});

test('checking a large body takes little more than parsing it', () => {
  const text = JSON.stringify({ lines: Array.from({ length: 500 }, () => 'x'.repeat(10_000)) });
  const body = Buffer.from(text);
  for (let round = 0; round < 3; round++) parseJsonObject(body);
  const plain = processorTime(() => Array.from({ length: 10 }, () => JSON.parse(body.toString())));
  const checked = processorTime(() => Array.from({ length: 10 }, () => parseJsonObject(body)));
  expect(checked / plain).toBeLessThan(4);
});
