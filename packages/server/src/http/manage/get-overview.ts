import { readOverview, STEPS } from '../../domain/activity/read-overview.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { formatTime } from '../time.ts';
import { ActivityShape } from './activity-shape.ts';

import { applicationRoute } from './manage-route.ts';
import { Nullable, Time } from './schemas.ts';

const Total = Type.Object({
  count: Type.Integer(),
  more: Type.Boolean({ description: 'true: there are more; counting stopped at a limit' }),
});

const schema = {
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
};

export function getOverviewRoute(app: Routes, service: Service): void {
  applicationRoute(app, service, { method: 'GET', path: '/overview', schema }, async ({ application }) => {
    const { tokenService, lastRequestAt, ...overview } = await readOverview(service, application);
    const { lastFailedAt } = tokenService;
    return {
      ...overview,
      tokenService: { ...tokenService, lastFailedAt: lastFailedAt === null ? null : formatTime(lastFailedAt) },
      lastRequestAt: lastRequestAt === null ? null : formatTime(lastRequestAt),
    };
  });
}
