import type { Measured, Series } from './compare.ts';
import { operations } from './operations.ts';
import { otherOf, type Results, ratioOf, seriesOf } from './results.ts';
import { type Spread, showSpread, spreadOf } from './spread.ts';

/** The bar that a run must reach, and its goal. Ratios are within one run. */
export type Bar = {
  what: string;
  /** A ratio or a figure; undefined if this run did not measure it. */
  read(results: Results): Spread | undefined;
  bar: number;
  stretch?: number;
  /** Lower is better. */
  atMost?: true;
  unit?: string;
  /** Only measured with `--large`. */
  inLarge?: true;
  /** Only measured with `--against`. */
  againstOther?: true;
};

export type Verdict = 'stretch' | 'held' | 'missed' | 'not measured';

/** The rate of `one`, or another figure, as a share of `other`'s. */
const ratio =
  (operation: string, one: string, other: string, figure?: (run: Measured) => number) =>
  ({ rows }: Results): Spread | undefined => {
    const row = rows.find((each) => each.operation === operation);
    const [a, b] = [row && seriesOf(row, one), row && seriesOf(row, other)];
    return a && b && ratioOf(a, b, figure);
  };

/** As a share of a request to the bare server followed by the same SQLite act in batches of 64: the work that remains. */
const shareOfLimits =
  (operation: string) =>
  ({ rows }: Results): Spread | undefined => {
    const row = rows.find((each) => each.operation === operation);
    const [own, bare, loop] = ['sqlite', 'bare', 'loop, 64'].map((name) => row && seriesOf(row, name));
    return (
      own &&
      bare &&
      loop &&
      spreadOf(own.runs.map(({ rate }, round) => rate * (1 / rateOf(bare, round) + 1 / rateOf(loop, round))))
    );
  };

const rateOf = ({ runs }: Series, round: number): number => runs[round]?.rate ?? Number.NaN;

const figure =
  (name: string) =>
  ({ figures }: Results): Spread | undefined => {
    const found = figures.find((each) => each.name === name);
    return found && spreadOf(found.values);
  };

const catalogReads = ['list-groups', 'list-keys', 'get-key'].flatMap((name): Bar[] => [
  { what: `${name} / bare node:http`, read: ratio(name, 'sqlite', 'bare'), bar: 0.8, stretch: 0.95 },
  { what: `${name} / bare Fastify route`, read: ratio(name, 'sqlite', 'fastify'), bar: 1 },
]);

const onPostgres = ['save', 'create-user', 'get-access-token'].flatMap((name): Bar[] => [
  { what: `${name}, PostgreSQL / bare`, read: ratio(name, 'postgres', 'bare'), bar: 0.25 },
  { what: `${name}, PostgreSQL / pgbench`, read: ratio(name, 'postgres', 'pgbench'), bar: 1 },
]);

const events = ['sqlite', 'postgres'].flatMap((kind): Bar[] => [
  { what: `save-replace, ${kind}, with events / without`, read: figure(`events-save-replace-${kind}`), bar: 0.88 },
  { what: `create-user, ${kind}, with events / without`, read: figure(`events-create-user-${kind}`), bar: 0.88 },
  { what: `an idle stream, ${kind}`, read: figure(`stream-memory-${kind}`), bar: 20, atMost: true, unit: 'kB' },
  { what: `commit to webhook, ${kind}, p99`, read: figure(`webhook-p99-${kind}`), bar: 250, atMost: true, unit: 'ms' },
  { what: `commit to stream, ${kind}, p99`, read: figure(`stream-p99-${kind}`), bar: 250, atMost: true, unit: 'ms' },
]);

const BETTER_AUTH = ['create-user', 'get-access-token', 'delete-user', 'save-replace', 'read-selections', 'introspect'];
const PARSE_SERVER = ['list-keys', 'get-key', 'save', ...BETTER_AUTH];
const DIRECTUS = PARSE_SERVER.filter((name) => name !== 'get-access-token');

/** Each shared operation, on the same database. */
const aheadOf = (peer: string, database: string, names: string[]): Bar[] =>
  names.map((name) => ({ what: `${name} / ${peer}`, read: ratio(name, database, peer), bar: 10, stretch: 20 }));

/**
 * What `--large` measures: everything that uses the database. The catalog is in memory, however many users there are.
 */
export const IN_MILLIONS = [...BETTER_AUTH, 'save', 'find-users'];

const millions = IN_MILLIONS.flatMap((name): Bar[] => {
  const read = (figure?: (run: Measured) => number) => ratio(`large:${name}`, 'large', 'small', figure);
  return [
    { what: `${name}, millions / 10,000 users`, read: read(), bar: 0.85, stretch: 0.95, inLarge: true },
    { what: `${name}, the same, p99`, read: read(({ p99 }) => p99), bar: 1.5, atMost: true, unit: '×', inLarge: true },
  ];
});

/** The maximum cost of a change, measured in the same rounds as the checkout without it. */
const besideOther = operations.flatMap(({ name }) =>
  ['sqlite', 'postgres'].map((database): Bar => {
    const read = ratio(name, database, otherOf(database));
    return { what: `${name}, ${database} / the other checkout`, read, bar: 0.9, stretch: 1, againstOther: true };
  }),
);

export const bars: Bar[] = [
  ...catalogReads,
  { what: 'get-key, 304 / bare', read: ratio('get-key-304', 'sqlite', 'bare'), bar: 0.85, stretch: 1 },
  { what: 'save, new, SQLite / bare', read: ratio('save', 'sqlite', 'bare'), bar: 0.45, stretch: 0.65 },
  {
    what: 'save, another value, SQLite / bare',
    read: ratio('save-replace', 'sqlite', 'bare'),
    bar: 0.45,
    stretch: 0.65,
  },
  { what: 'create-user, SQLite / bare', read: ratio('create-user', 'sqlite', 'bare'), bar: 0.42, stretch: 0.6 },
  {
    what: 'get-access-token, SQLite / bare',
    read: ratio('get-access-token', 'sqlite', 'bare'),
    bar: 0.3,
    stretch: 0.5,
  },
  { what: 'read-selections / bare', read: ratio('read-selections', 'sqlite', 'bare'), bar: 0.5, stretch: 0.7 },
  { what: 'save, SQLite / bare and a batched act', read: shareOfLimits('save'), bar: 0.45, stretch: 0.7 },
  { what: 'create-user, SQLite / bare and a batched act', read: shareOfLimits('create-user'), bar: 0.6, stretch: 0.8 },
  { what: 'evaluate-flag / bare', read: ratio('evaluate-flag', 'sqlite', 'bare'), bar: 0.35, stretch: 0.5 },
  { what: 'evaluate-flags / bare', read: ratio('evaluate-flags', 'sqlite', 'bare'), bar: 0.25, stretch: 0.35 },
  ...onPostgres,
  ...events,
  ...aheadOf('better-auth', 'sqlite', BETTER_AUTH),
  ...aheadOf('parse-server', 'postgres', PARSE_SERVER),
  ...aheadOf('directus', 'postgres', DIRECTUS),
  { what: 'bytes on disk for a selection', read: figure('selection-bytes'), bar: 220, stretch: 140, atMost: true },
  { what: 'memory at rest', read: figure('memory-idle'), bar: 95, atMost: true, unit: 'MB' },
  { what: 'memory under mixed load', read: figure('memory-load'), bar: 170, atMost: true, unit: 'MB' },
  {
    what: 'memory, 5,000 keys × 20 languages',
    read: figure('memory-catalog-5000'),
    bar: 250,
    atMost: true,
    unit: 'MB',
  },
  {
    what: 'publish one text, 5,000 keys × 20 languages',
    read: figure('publish-one-5000'),
    bar: 300,
    atMost: true,
    unit: 'ms',
  },
  {
    what: 'memory for an application among 1,000',
    read: figure('application-memory'),
    bar: 150,
    atMost: true,
    unit: 'kB',
  },
  { what: '@innkeeper/testing, ready', read: figure('testing'), bar: 150, atMost: true, unit: 'ms' },
  { what: '@innkeeper/testing, reset', read: figure('testing-reset'), bar: 10, atMost: true, unit: 'ms' },
  { what: 'executable, start to ready', read: figure('executable'), bar: 600, atMost: true, unit: 'ms' },
  { what: 'size of the OCI image', read: figure('image-size'), bar: 60, atMost: true, unit: 'MB' },
  { what: 'process start to ready', read: figure('start'), bar: 500, stretch: 300, atMost: true, unit: 'ms' },
  { what: 'p99 at half the peak, mixed load', read: figure('mixed-p99'), bar: 5, stretch: 3, atMost: true, unit: 'ms' },
  { what: 'users import', read: figure('import'), bar: 30_000, stretch: 80_000, unit: 'users/s' },
  ...millions,
  ...besideOther,
];

export function judge({ bar, stretch, atMost, read }: Bar, results: Results): { verdict: Verdict; measured?: Spread } {
  const measured = read(results);
  if (!measured || Number.isNaN(measured.median)) return { verdict: 'not measured' };
  const reaches = (goal: number): boolean => (atMost ? measured.median <= goal : measured.median >= goal);
  const verdict = !reaches(bar) ? 'missed' : stretch !== undefined && reaches(stretch) ? 'stretch' : 'held';
  return { verdict, measured };
}

/** One line per bar: name, measured value, bar, goal, verdict. */
export function verdictRows(results: Results): string[][] {
  return bars.flatMap((bar) => {
    const { verdict, measured } = judge(bar, results);
    if (verdict === 'not measured' && (bar.inLarge || bar.againstOther || !results.isWhole)) return [];
    const digits = measured && measured.median >= 20 ? 0 : 2;
    const goal = (value: number | undefined): string =>
      value === undefined ? '' : `${bar.atMost ? '≤' : '≥'} ${value.toLocaleString('en')}`;
    const shown = measured ? `${showSpread(measured, digits)} ${bar.unit ?? (bar.atMost ? '' : '×')}`.trim() : '';
    return [[bar.what, shown, goal(bar.bar), goal(bar.stretch), verdict]];
  });
}
