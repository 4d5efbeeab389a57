import { MAX_STEPS, readActivity } from '../../domain/activity.ts';
import { ERRORS } from '../../domain/errors.ts';
import { readOverview, STEPS } from '../../domain/overview.ts';
import type { Service } from '../../domain/service.ts';
import { Nullable, type Static, Type } from '../../schema.ts';
import { type ActivityStep, STEP_MS } from '../../storage/port.ts';
import { formatTime } from '../../time.ts';
import { readSpan, refuse, SpanQuery } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { Time } from './schemas.ts';

const ActivityShape = {
  requests: Type.Integer({ description: 'requests that belong to this application' }),
  errors: Type.Integer({ description: 'requests with an error code' }),
  usersCreated: Type.Integer(),
  usersErased: Type.Integer(),
  tokensIssued: Type.Integer({ description: 'access tokens' }),
  tokensFailed: Type.Integer({ description: 'exchanges that failed at the token service (0002, 0009)' }),
  selectionsSaved: Type.Integer(),
  selectionsUnset: Type.Integer(),
};

const Total = Type.Object({
  count: Type.Integer(),
  more: Type.Boolean({ description: 'true: there are more; counting stopped at a limit' }),
});

const ActivityQuery = Type.Object({ ...SpanQuery, step: Type.Optional(Type.Enum(['hour', 'day'])) });

/** How much an application is used. */
export function activityRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('GET', '/overview', {
    operationId: 'getOverview',
    summary: 'Get an overview of an application',
    response: {
      200: Type.Object(
        {
          totals: Type.Object({ users: Total, selections: Total, liveTokens: Total }),
          catalog: Type.Object({
            revision: Type.Integer({ description: '0: nothing published yet' }),
            languages: Type.Integer(),
            groups: Type.Integer(),
            keys: Type.Integer(),
          }),
          lastDay: Type.Object(ActivityShape, { description: 'of the last 24 hours' }),
          tokenService: Type.Object({
            kind: Type.Enum(['embedded', 'remote']),
            state: Type.Enum(['ok', 'failing', 'unreachable'], {
              description: '`failing`: reachable, but it issued no token the last time',
            }),
            averageMilliseconds: Nullable(
              Type.Number({ description: 'time to issue a token in the last 24 hours; null: none issued' }),
            ),
            lastFailedAt: Nullable(Time),
          }),
          lastRequestAt: Nullable(Time),
          steps: Type.Array(Type.Object({ step: Type.Enum([...STEPS]), done: Type.Boolean() }), {
            description: 'set-up steps, in order',
          }),
        },
        { title: 'ApplicationOverview' },
      ),
    },
    async handle({ application }) {
      const { tokenService, lastRequestAt, ...overview } = await readOverview(service, application);
      const { lastFailedAt } = tokenService;
      return {
        ...overview,
        tokenService: { ...tokenService, lastFailedAt: lastFailedAt === null ? null : formatTime(lastFailedAt) },
        lastRequestAt: lastRequestAt === null ? null : formatTime(lastRequestAt),
      };
    },
  });

  applicationRoute('GET', '/activity', {
    operationId: 'getActivity',
    summary: 'Get the activity of an application over time',
    description:
      'Counted in memory and saved every few seconds, so a killed process loses its last seconds. ' +
      'Hours are kept for 7 days, days for 400, in UTC. Without from and to: the last 24 hours or 30 days.',
    querystring: ActivityQuery,
    response: {
      200: Type.Object({
        step: Type.Enum(['hour', 'day']),
        from: Time,
        to: Time,
        points: Type.Array(Type.Object({ at: Time, ...ActivityShape }, { title: 'ActivityPoint' }), {
          description: 'every step, including empty ones, oldest first',
        }),
        total: Type.Object(ActivityShape),
        errorsByCode: Type.Array(
          Type.Object({
            code: Type.String(),
            count: Type.Integer(),
            messages: Type.Array(Type.String(), { description: 'what the code can mean' }),
          }),
          {
            description: 'most frequent first',
          },
        ),
      }),
    },
    async handle({ application, readQuery }) {
      const span = readSteps(readQuery(), service.now());
      await service.activity.flush();
      const { points, total, errors } = await readActivity(service.storage, application.appId, span);
      return {
        step: span.step,
        from: formatTime(span.from),
        to: formatTime(span.to),
        points: points.map(({ at, ...counts }) => ({ at: formatTime(at), ...counts })),
        total,
        errorsByCode: errors.map(({ code, count }) => ({ code, count, messages: MESSAGES.get(code) ?? [] })),
      };
    },
  });
}

const MESSAGES = new Map(
  Object.entries(Object.groupBy(Object.values(ERRORS), ({ code }) => code)).map(([code, all]) => [
    code,
    [...new Set(all.map(({ message }) => message))],
  ]),
);

/** Whole steps: from the one that contains `from` to the one in which `to` ends. */
function readSteps(query: Static<typeof ActivityQuery>, now: number): { step: ActivityStep; from: number; to: number } {
  const { step = 'hour' } = query;
  const length = STEP_MS[step];
  const { from: wantedFrom, to: wantedTo } = readSpan(query) ?? {};
  const to = Math.ceil((wantedTo ?? now + 1) / length) * length;
  const from =
    wantedFrom === undefined ? to - (step === 'hour' ? 24 : 30) * length : wantedFrom - (wantedFrom % length);
  if (from >= to) throw refuse('from', 'must be earlier than to');
  if (to - from > MAX_STEPS * length) throw refuse('from', `must be at most ${MAX_STEPS} steps before to`);
  return { step, from, to };
}
