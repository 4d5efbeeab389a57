import { MAX_STEPS, readActivity } from '../../domain/activity/read-activity.ts';
import type { Service } from '../../domain/service.ts';
import { type Static, Type } from '../../schema.ts';
import { type ActivityStep, STEP_MS } from '../../storage/port.ts';
import type { Routes } from '../server/routes.ts';
import { formatTime } from '../time.ts';
import { ActivityShape } from './activity-shape.ts';

import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { Time } from './schemas.ts';
import { readSpan, SpanQuery } from './time-span.ts';

const schema = {
  operationId: 'getActivity',
  summary: 'Get the activity of an application over time',
  description:
    'Counted in memory and saved every few seconds, so a killed process loses its last seconds. ' +
    'Hours are kept for 7 days, days for 400, in UTC. Without from and to: the last 24 hours or 30 days.',
  querystring: Type.Object({ ...SpanQuery, step: Type.Optional(Type.Enum(['hour', 'day'])) }),
  response: {
    200: Type.Object({
      step: Type.Enum(['hour', 'day']),
      from: Time,
      to: Time,
      points: Type.Array(Type.Object({ at: Time, ...ActivityShape }, { title: 'ActivityPoint' }), {
        description: 'every step, including empty ones, oldest first',
      }),
      total: Type.Object(ActivityShape),
      errorsByCode: Type.Array(Type.Object({ code: Type.String(), count: Type.Integer() }), {
        description: 'most frequent first',
      }),
    }),
  },
};

export function getActivityRoute(app: Routes, service: Service): void {
  applicationRoute(app, service, { method: 'GET', path: '/activity', schema }, async ({ application, readQuery }) => {
    const span = readSteps(readQuery(), service.now());
    await service.activity.flush();
    const { points, total, errors } = await readActivity(service.storage, application.appId, span);
    return {
      step: span.step,
      from: formatTime(span.from),
      to: formatTime(span.to),
      points: points.map(({ at, ...counts }) => ({ at: formatTime(at), ...counts })),
      total,
      errorsByCode: errors,
    };
  });
}

/** Whole steps: the one that `from` lies in, to the one that `to` ends in. */
function readSteps(
  query: Static<typeof schema.querystring>,
  now: number,
): { step: ActivityStep; from: number; to: number } {
  const { step = 'hour' } = query;
  const length = STEP_MS[step];
  const { from: wantedFrom, to: wantedTo } = readSpan(query);
  const to = Math.ceil((wantedTo ?? now + 1) / length) * length;
  const from =
    wantedFrom === undefined ? to - (step === 'hour' ? 24 : 30) * length : wantedFrom - (wantedFrom % length);
  if (from >= to) throw refuse('from', 'must be earlier than to');
  if (to - from > MAX_STEPS * length) throw refuse('from', `must be at most ${MAX_STEPS} steps before to`);
  return { step, from, to };
}
