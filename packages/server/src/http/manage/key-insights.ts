import type { Application } from '../../domain/applications/application.ts';
import type { CompiledCatalog, PlacedKey } from '../../domain/catalog/compile.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { includesAccess } from '../../domain/manage/access.ts';
import { toDate, writeInsightsCsv } from '../../domain/selections/insights-csv.ts';
import {
  firstDay,
  type KeyInsights,
  listedValuesOnly,
  PERIODS,
  readInsights,
  type Tally,
} from '../../domain/selections/key-insights.ts';
import { Surveys } from '../../domain/selections/surveys.ts';
import type { Service } from '../../domain/service.ts';
import { atOnceOrInSlices } from '../../domain/slices.ts';
import { type Static, Type } from '../../schema.ts';

import { ValueAnswer } from '../options/schemas.ts';
import type { Routes } from '../server/routes.ts';
import { formatTime } from '../time.ts';

import { type ApplicationRequest, applicationRoute, FileAnswer } from './manage-route.ts';
import { KeyParams, Nullable, Time } from './schemas.ts';

const DEFAULT_PERIODS = 30;
const MOST_PERIODS = 366;

const COUNTS = {
  total: Type.Integer({ description: 'users with a selection' }),
  counts: Type.Array(Type.Integer(), { description: 'for each of `values`, in the same order; none for an open key' }),
};

const Day = Type.String({ description: 'YYYY-MM-DD' });

const querystring = Type.Object({
  period: Type.Optional(Type.Enum([...PERIODS], { default: 'day', description: 'in UTC; weeks start on Monday' })),
  last: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_PERIODS,
      default: DEFAULT_PERIODS,
      description: 'number of periods, including the current one',
    }),
  ),
});

const schema = {
  operationId: 'getKeyInsights',
  summary: 'Get insights of a key, now and over time',
  description:
    'Current selections by the day or week in which each was last saved. ' +
    'For a multiple-choice key each value counts separately; for an open key, the 200 most frequent values. ' +
    'Among millions of users this takes seconds; slow results are cached for a while, and `at` is the time of the result.',
  params: KeyParams,
  querystring,
  response: {
    200: Type.Object({
      keyUid: Type.String({ format: 'uuid' }),
      at: Time,
      users: Type.Integer({ description: 'of the application' }),
      chose: Type.Integer(),
      neverChose: Type.Integer({ description: 'users without a selection; they get the default, if there is one' }),
      defaultValue: Nullable(ValueAnswer),
      values: Type.Array(
        Type.Object({
          value: ValueAnswer,
          label: Type.String({ description: 'in the default language of the catalog' }),
          count: Type.Integer(),
          offered: Type.Boolean({ description: 'false: retired, or no longer in the catalog' }),
        }),
        { description: 'in catalog order; for an open key, most frequent first' },
      ),
      otherValues: Type.Integer({
        description: 'number of further distinct values; without access "users" this includes values that users typed',
      }),
      earlier: Type.Object(COUNTS, { description: 'last saved before the first period' }),
      periods: Type.Array(Type.Object({ from: Day, ...COUNTS }), { description: 'oldest first' }),
    }),
  },
  errors: ['catalogItemNotFound'] as const,
};

const csvSchema = {
  operationId: 'exportKeyInsights',
  summary: 'Get insights of a key as CSV',
  description:
    'One row for now, one for earlier saves and one per period; one column per value. ' +
    'Cells that a spreadsheet would read as formulas are quoted.',
  params: KeyParams,
  querystring,
  produces: 'text/csv',
  response: { 200: Type.String({ description: 'RFC 4180, UTF-8 with a byte order mark' }) },
  errors: ['catalogItemNotFound'] as const,
};

export function keyInsightsRoutes(app: Routes, service: Service): void {
  const surveys = new Surveys(service.storage, service.now);
  const operation = { method: 'GET', path: '/keys/:keyUid/insights', access: 'read', schema } as const;
  const insightsOf = async ({ application, manager, params, readQuery }: ApplicationRequest<typeof schema>) => {
    const query = readQuery();
    const catalog = await service.catalogs.get(application.appId);
    const placed = catalog.keyByUid.get(params.keyUid as string);
    if (!placed) throw new InnkeeperError('catalogItemNotFound');
    const all = await take(surveys, service.now(), application, placed, query);
    const mayRead = includesAccess(manager.accessTo(application.appId), 'users');
    return { catalog, placed, insights: mayRead ? all : listedValuesOnly(placed.key, all) };
  };

  applicationRoute(app, service, operation, async (request) => {
    const { catalog, placed, insights } = await insightsOf(request);
    return viewInsights(catalog, placed, insights);
  });

  const csv = { method: 'GET', path: '/keys/:keyUid/insights/csv', access: 'read', schema: csvSchema } as const;
  applicationRoute(app, service, csv, async (request) => {
    const { placed, insights } = await insightsOf(request);
    const name = `${placed.group.name}-${placed.key.name}`.replaceAll(/[^\w.-]+/g, '_').slice(0, 100);
    const content = await atOnceOrInSlices(writeInsightsCsv(insights, placed.key.values === null));
    return new FileAnswer('text/csv', `${name}.csv`, content);
  });
}

async function take(
  surveys: Surveys,
  now: number,
  { appId }: Application,
  { key }: PlacedKey,
  { period = 'day', last: periods = DEFAULT_PERIODS }: Static<typeof querystring>,
): Promise<KeyInsights> {
  const from = firstDay(now, period, periods);
  return readInsights(key, await surveys.take(appId, key, from - 1), { from, period, periods });
}

function viewInsights({ languages }: CompiledCatalog, { key }: PlacedKey, insights: KeyInsights) {
  const { at, users, chose, values, otherValues, earlier, periods } = insights;
  const counts = (tally: Tally) => ({ total: tally.total, counts: tally.counts });
  const allowed = new Map(key.values?.map((each) => [each.value, each]));
  return {
    keyUid: key.keyUid,
    at: formatTime(at),
    users,
    chose,
    neverChose: users - chose,
    defaultValue: key.defaultValue,
    values: values.map(({ value, count }) => {
      const known = Array.isArray(value) ? undefined : allowed.get(value);
      const name = Array.isArray(value) ? value.join(', ') : String(value);
      return {
        value,
        label: known ? languages.textFor(known.texts, languages.byDefault, name).text : name,
        count,
        offered: !key.archived && (key.values === null || known?.retired === false),
      };
    }),
    otherValues,
    earlier: counts(earlier),
    periods: periods.map((tally) => ({ from: toDate(tally.day), ...counts(tally) })),
  };
}
