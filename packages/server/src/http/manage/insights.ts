import type { CompiledCatalog, PlacedKey } from '../../domain/catalog/compile.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { includesAccess } from '../../domain/manage/access.ts';
import {
  firstDay,
  type KeyInsights,
  listedValuesOnly,
  PERIODS,
  readInsights,
  Surveys,
  surveyOf,
  type Tally,
  toDate,
  writeInsightsCsv,
} from '../../domain/selections/insights.ts';
import type { Service } from '../../domain/service.ts';
import { directlyOrInSlices, ownTurn } from '../../domain/slices.ts';
import { Nullable, type Static, Type } from '../../schema.ts';
import { formatTime } from '../../time.ts';
import { ValueResponse } from '../options/schemas.ts';
import { type ApplicationRequest, FileResponse, type ManageRoutes } from './manage-route.ts';
import { KeyParams, Time } from './schemas.ts';

const DEFAULT_PERIODS = 30;

const MAX_PERIODS = 366;

const COUNTS = {
  total: Type.Integer({ description: 'users with a selection' }),
  counts: Type.Array(Type.Integer(), { description: 'for each of `values`, in the same order; none for an open key' }),
};

const Day = Type.String({ description: 'YYYY-MM-DD' });

const InsightsQuery = Type.Object({
  period: Type.Optional(Type.Enum([...PERIODS], { default: 'day', description: 'in UTC; weeks start on Monday' })),
  last: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_PERIODS,
      default: DEFAULT_PERIODS,
      description: 'number of periods, including the current one; 0 for current counts only, which is much faster',
    }),
  ),
});

type KeyRequest = Pick<
  ApplicationRequest<undefined, undefined, 'keyUid'>,
  'application' | 'manager' | 'params' | 'request'
>;

/** Statistics of what users have chosen. */
export function insightRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  const surveys = new Surveys(service.storage, service.now);

  /** Without access "users" only of listed values. `ofEach`: of several open values, each is counted separately. */
  const insightsOf = async (
    { application: { appId }, manager, params, request }: KeyRequest,
    { period = 'day', last: periods = DEFAULT_PERIODS }: Static<typeof InsightsQuery>,
    ofEach = false,
  ) => {
    const catalog = await service.catalogs.get(appId);
    const placed = catalog.keyByUid.get(params.keyUid);
    if (!placed) throw new InnkeeperError('catalogItemNotFound');
    const { key } = placed;
    const over = { from: firstDay(service.now(), period, periods), period, periods };
    const wanted = surveyOf(key, over);
    const listed = wanted.listed ?? (ofEach && key.multiple ? [] : null);
    const survey = await surveys.take(appId, key, { ...wanted, listed }, request.signal);
    // Of all who waited for it, one per turn: a result has up to 800,000 numbers.
    await ownTurn();
    const all = readInsights(key, survey, over);
    const mayRead = includesAccess(manager.accessTo(appId), 'users');
    return { catalog, placed, insights: mayRead ? all : listedValuesOnly(key, all) };
  };

  applicationRoute('GET', '/keys/:keyUid/counts', {
    operationId: 'countValues',
    summary: 'Count the selections of each value of a key',
    description:
      'For a multiple-choice key each value counts separately, so the sum can exceed `total`. For an open key, the 200 most frequent values; of values no longer in the catalog, the 200 most frequent, last. Slow results are cached for a while.',
    params: KeyParams,
    response: {
      200: Type.Object({
        keyUid: Type.String({ format: 'uuid' }),
        total: Type.Integer({ description: 'users with a selection' }),
        items: Type.Array(
          Type.Object({
            value: ValueResponse,
            count: Type.Integer(),
            offered: Type.Boolean({ description: 'false: retired, or no longer in the catalog' }),
          }),
        ),
        otherValues: Type.Integer({
          description:
            'number of further distinct values; without access "users" this includes values that users typed',
        }),
      }),
    },
    errors: ['catalogItemNotFound'],
    async handle(call) {
      const { catalog, placed, insights } = await insightsOf(call, { last: 0 }, true);
      const { keyUid, chose, values, otherValues } = viewInsights(catalog, placed, insights);
      return { keyUid, total: chose, items: values.map(({ label: _, ...each }) => each), otherValues };
    },
  });

  applicationRoute('GET', '/insights', {
    operationId: 'getInsights',
    summary: 'Get insights of all keys',
    description:
      'How many users chose for each key, and the most common choice. ' +
      'Among millions of users this takes seconds: with `wait`, the response comes earlier with the progress so far, and the next request within 5 seconds continues. Slow results are cached for a while; `at` is the time of the result.',
    querystring: Type.Object({
      wait: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 60, description: 'seconds; without it, until all is counted' }),
      ),
    }),
    response: {
      200: Type.Object({
        counted: Type.Number({ description: 'progress, from 0 to 1; below 1 there are no items yet' }),
        at: Nullable(Time),
        users: Nullable(Type.Integer({ description: 'of the application' })),
        items: Type.Array(
          Type.Object({
            keyUid: Type.String({ format: 'uuid' }),
            chose: Type.Integer(),
            neverChose: Type.Integer({
              description: 'users without a selection; they get the default, if there is one',
            }),
            defaultValue: Nullable(ValueResponse),
            mostCommon: Nullable(
              Type.Object(
                { value: ValueResponse, count: Type.Integer() },
                {
                  description:
                    'for a multiple-choice key, each value counts separately; of an open key only with access "users"',
                },
              ),
            ),
          }),
        ),
      }),
    },
    async handle({ application, manager, request, readQuery }) {
      const { wait } = readQuery();
      const { signal } = request;
      const waitMs = wait === undefined ? undefined : wait * 1000;
      const catalog = await service.catalogs.get(application.appId);
      const totals = await surveys.takeAll(application.appId, catalog, { waitMs, signal });
      if (typeof totals === 'number') return { counted: totals, at: null, users: null, items: [] };
      const { at, users, keys } = totals;
      const mayRead = includesAccess(manager.accessTo(application.appId), 'users');
      const items = keys.map(({ key, chose, mostCommon }) => ({
        keyUid: key.keyUid,
        chose,
        neverChose: users - chose,
        defaultValue: key.defaultValue,
        mostCommon: mayRead || key.values !== null ? mostCommon : null,
      }));
      return { counted: 1, at: formatTime(at), users, items };
    },
  });

  applicationRoute('GET', '/keys/:keyUid/insights', {
    operationId: 'getKeyInsights',
    access: 'read',
    summary: 'Get insights of a key, now and over time',
    description:
      'Current selections by the day or week in which each was last saved. ' +
      'For a multiple-choice key each value counts separately; for an open key, the 200 most frequent values. ' +
      'Among millions of users this takes seconds; slow results are cached for a while, and `at` is the time of the result.',
    params: KeyParams,
    querystring: InsightsQuery,
    response: {
      200: Type.Object({
        keyUid: Type.String({ format: 'uuid' }),
        at: Time,
        users: Type.Integer({ description: 'of the application' }),
        chose: Type.Integer(),
        neverChose: Type.Integer({ description: 'users without a selection; they get the default, if there is one' }),
        defaultValue: Nullable(ValueResponse),
        values: Type.Array(
          Type.Object({
            value: ValueResponse,
            label: Type.String({ description: 'in the default language of the catalog' }),
            count: Type.Integer(),
            offered: Type.Boolean({ description: 'false: retired, or no longer in the catalog' }),
          }),
          { description: 'in catalog order; for an open key, most frequent first' },
        ),
        otherValues: Type.Integer({
          description:
            'number of further distinct values; without access "users" this includes values that users typed',
        }),
        earlier: Type.Object(COUNTS, { description: 'last saved before the first period' }),
        periods: Type.Array(Type.Object({ from: Day, ...COUNTS }), { description: 'oldest first' }),
      }),
    },
    errors: ['catalogItemNotFound'],
    async handle(call) {
      const { catalog, placed, insights } = await insightsOf(call, call.readQuery());
      return viewInsights(catalog, placed, insights);
    },
  });

  applicationRoute('GET', '/keys/:keyUid/insights/csv', {
    operationId: 'exportKeyInsights',
    access: 'read',
    summary: 'Get insights of a key as CSV',
    description:
      'One row for now, one for earlier saves and one per period; one column per value. ' +
      'Cells that a spreadsheet would read as formulas are quoted.',
    params: KeyParams,
    querystring: InsightsQuery,
    produces: 'text/csv',
    response: { 200: Type.String({ description: 'RFC 4180, UTF-8 with a byte order mark' }) },
    errors: ['catalogItemNotFound'],
    async handle(call) {
      const { placed, insights } = await insightsOf(call, call.readQuery());
      const name = `${placed.group.name}-${placed.key.name}`.replaceAll(/[^\w.-]+/g, '_').slice(0, 100);
      const content = await directlyOrInSlices(writeInsightsCsv(insights, placed.key.values === null));
      return new FileResponse('text/csv', `${name}.csv`, content);
    },
  });
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
