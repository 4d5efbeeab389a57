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

test('strings end at the same quote as in JSON.parse, however far apart their escapes are', () => {
  for (let length = 0; length < 40; length++) {
    for (const escaped of ['\\"', '\\\\', '\\\\\\"', '\\n\\"']) {
      const text = `"${'a'.repeat(length)}${escaped}${'{'.repeat(length % 19)}${escaped}"`;
      const twice = `{"x":[${`${text},`.repeat(600)}${text}],"b":1,"b":2}`;
      expect(() => parseJsonObject(Buffer.from(twice))).toThrow('contains the member "b" twice');
      const once = twice.replace('"b":2', '"c":2');
      expect(parseJsonObject(Buffer.from(once))).toEqual(JSON.parse(once));
    }
  }
});

test.each([
  ['{"a":{"b":1,"\\u0062":2}}', 'b'],
  ['{"a":[{"__proto__":1,"__proto__":2}]}', '__proto__'],
  ['{"a":{"1":1,"1":2}}', '1'],
])('a long body must not repeat a member either: %s', (body, name) => {
  const long = body.replace('}', `,"long":"${':'.repeat(5_000)}"}`);
  expect(() => parseJsonObject(Buffer.from(long))).toThrow(`contains the member "${name}" twice`);
});

test.each([
  ['escaped quotes', { lines: ['"'.repeat(3_900_000)] }],
  ['objects', { texts: Array.from({ length: 49_990 }, () => ({ path: '', language: '', text: '' })) }],
])('a body of many %s is parsed in a few times as long as JSON.parse takes', (_, value) => {
  const body = Buffer.from(JSON.stringify(value));
  const parse = () => processorTime(() => void JSON.parse(body.toString()));
  const read = () => processorTime(() => void parseJsonObject(body));
  const least = (measure: () => number) => Math.min(...Array.from({ length: 5 }, measure));
  expect(least(read)).toBeLessThan(50 + 4 * least(parse));
});
