import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { sqlite } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';

const DEPLOY = join(import.meta.dirname, '../../../../deploy');
const ALERTS = join(DEPLOY, 'prometheus/alerts.yml');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

let server: TestServer;
let metrics: string;
beforeAll(async () => {
  server = await startTestServer(await sqlite.fresh());
  await server.send('GET', '/api/option_groups');
  metrics = (await server.send('GET', '/metrics')).text;
});
afterAll(() => server.close());

type Alerts = { groups: { rules: { expr: string }[] }[] };
type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };

test('alerts and dashboard use existing metrics', () => {
  const alerts = parse(readFileSync(ALERTS, 'utf8')) as Alerts;
  const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/innkeeper.json'), 'utf8')) as Dashboard;
  const expressions = [
    ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  const used = new Set(expressions.flatMap((expr) => expr.match(/\b(innkeeper|nodejs|process)_\w+/g) ?? []));
  expect(used.size).toBeGreaterThan(15);
  // innkeeper_problem only exists while there is a problem.
  const there = new Set([...(metrics.match(/^\w+(?=[ {])/gm) ?? []), 'innkeeper_problem']);
  expect([...used].filter((name) => !there.has(name))).toEqual([]);

  const acts = expressions.flatMap((expr) => /act=~"([\w.|]+)"/.exec(expr)?.[1]?.split('|') ?? []);
  expect(acts.length).toBeGreaterThan(0);
  const stores = server.service.storage as unknown as Record<string, Record<string, unknown>>;
  for (const act of acts) {
    const [store, name] = act.split('.') as [string, string];
    expect(stores[store]?.[name], act).toBeTypeOf('function');
  }
});

test.skipIf(!hasPromtool)(
  `promtool accepts the metrics and the rules, and their tests pass${hasPromtool ? '' : ' (promtool is missing: apt-get install prometheus)'}`,
  () => {
    const promtool = (...args: string[]) => execFileSync('promtool', args, { encoding: 'utf8' });
    expect(promtool('check', 'rules', ALERTS)).toContain('SUCCESS');
    expect(promtool('test', 'rules', ALERTS.replace('.yml', '.test.yml'))).toContain('SUCCESS');
    // promtool returns 3 for advice about names, such as the base unit of prom-client's gauges.
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
    expect(`${checked.stdout}${checked.stderr}`.split('\n').filter((line) => line.startsWith('innkeeper_'))).toEqual(
      [],
    );
  },
);
