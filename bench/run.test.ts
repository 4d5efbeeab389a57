import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { judge } from './bars.ts';
import { drawFlameGraph, hottest, toFrames } from './flame-graph.ts';
import type { Results } from './results.ts';

test('measures a read and a write next to a bare server, and judges them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-test-'));
  try {
    const args = ['--only', 'get-key-304,save-replace', '--database', 'sqlite', '--no-peers', '--users', '20'];
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, 'run.ts'),
      ...args,
      ...['--rounds', '1', '--seconds', '0.3', '--connections', '4', '--results', folder],
    ]);
    const { rows } = JSON.parse(await readFile(join(folder, 'latest.json'), 'utf8')) as Results;
    expect(rows.map(({ operation }) => operation)).toEqual(['get-key-304', 'save-replace']);
    for (const row of rows) {
      expect(row.series).toMatchObject([{ name: 'sqlite' }, { name: 'bare' }]);
      for (const { runs } of row.series) expect(runs).toMatchObject([{ rate: expect.any(Number) }]);
    }
    expect(stdout).toMatch(/^get-key, 304 \/ bare +\d+\.\d\d .* (missed|held|stretch)$/m);
    expect(await readFile(join(folder, 'latest.svg'), 'utf8')).toContain('get-key, 304 / bare');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a bar is missed, held, exceeded or not measured', () => {
  const results = (rate: number): Results => ({
    ...{ date: '', machine: '', loadBefore: 0, conditions: {}, figures: [], isWhole: false, left: [] },
    rows: [
      {
        operation: 'x',
        title: 'x',
        series: [{ name: 'a', runs: [{ rate, seconds: 1, answered: 1, p50: 1, p99: 1 }] }],
      },
    ],
  });
  const bar = {
    what: 'x',
    bar: 0.5,
    stretch: 0.8,
    read: ({ rows }: Results) => {
      const median = rows[0]?.series[0]?.runs[0]?.rate ?? Number.NaN;
      return { median, least: median, most: median };
    },
  };
  expect([0.4, 0.5, 0.8, Number.NaN].map((rate) => judge(bar, results(rate)).verdict)).toEqual([
    'missed',
    'held',
    'stretch',
    'not measured',
  ]);
  expect(judge({ ...bar, atMost: true }, results(0.6)).verdict).toBe('missed');
});

test('a flame graph shows the hot functions between two times', () => {
  const callFrame = (functionName: string) => ({
    functionName,
    url: 'file:///x/packages/server/src/a.ts',
    lineNumber: 0,
  });
  const profile = {
    nodes: [
      { id: 1, callFrame: callFrame('(root)'), children: [2, 4] },
      { id: 2, callFrame: callFrame('outer'), children: [3] },
      { id: 3, callFrame: callFrame('<inner>') },
      { id: 4, callFrame: callFrame('(idle)') },
    ],
    startTime: 0,
    samples: [2, 3, 3, 3, 2, 4],
    timeDeltas: [10, 10, 10, 10, 10, 10],
  };
  const root = toFrames(profile, 15, 60);
  expect(root.total).toBe(4);
  expect(hottest(root, 2)).toMatchObject([
    { label: '<inner>', place: 'packages/server/src/a.ts:1', share: 0.75 },
    { label: 'outer', share: 0.25 },
  ]);
  expect(drawFlameGraph(root, 'A title')).toContain('&lt;inner&gt;');
});
