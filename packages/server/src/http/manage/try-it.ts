import { actingForNobody } from '../../domain/audit/actor.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { sampleSelection } from '../../domain/selections/sample-selection.ts';
import type { Service } from '../../domain/service.ts';
import { withTrial } from '../../domain/users/with-trial.ts';
import { Type } from '../../schema.ts';
import type { Ask } from '../server/door.ts';
import type { Routes } from '../server/routes.ts';
import { applicationRoute } from './manage-route.ts';
import { Nullable } from './schemas.ts';

import { runFlow } from './try-flow.ts';

const Step = Type.Object(
  {
    operationId: Type.String(),
    method: Type.String(),
    path: Type.String({ description: 'with its query' }),
    headers: Type.Record(Type.String(), Type.String()),
    body: Nullable(Type.Unknown({ description: 'as JSON; null: none' })),
    status: Type.Integer(),
    durationMs: Type.Number(),
    answer: Nullable(Type.Unknown({ description: 'as JSON; null: none' })),
  },
  { title: 'TriedRequest' },
);

const schema = {
  operationId: 'tryIt',
  summary: 'Run the whole flow with a temporary user',
  description:
    'Creates a user, exchanges the specialToken, lists groups and keys, saves a selection, reads it back and deletes ' +
    'the user, with the same operations that an application calls, and returns each request and response. ' +
    'It needs no clientSecret: a temporary one is used. Secrets and tokens are masked. The user is deleted even if a step fails.',
  response: {
    200: Type.Object({
      complete: Type.Boolean({ description: 'false: a step failed, and the flow ended there' }),
      steps: Type.Array(Step, { description: 'in the order they were sent' }),
    }),
  },
  errors: ['areasNotServed'] as const,
};

export function tryItRoute(app: Routes, service: Service, ask: Ask): void {
  applicationRoute(app, service, { method: 'POST', path: '/try', schema }, async ({ application }) => {
    const served = ['/api/v2/app/create-user', '/api/user_options'].every((path) => app.has('POST', path));
    if (!served) throw new InnkeeperError('areasNotServed');
    const catalog = await service.catalogs.get(application.appId);
    const sample = sampleSelection(catalog, new Date(service.now()).toISOString().slice(0, 10));
    const language = catalog.languages.byDefault?.tag;
    return withTrial(service, application, (trial) =>
      actingForNobody(() => runFlow(ask, { clientId: application.clientId, ...trial, sample, language })),
    );
  });
}
