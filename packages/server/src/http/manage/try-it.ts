import { actingForNobody } from '../../domain/audit/actor.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { sampleSelection } from '../../domain/selections/sample-selection.ts';
import type { Service } from '../../domain/service.ts';
import { withTrial } from '../../domain/users/with-trial.ts';
import { Type } from '../../schema.ts';
import type { Ask } from '../server/door.ts';
import type { ManageRoutes } from './manage-route.ts';
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

/** Routes of this process: it answers them itself, if it has them. */
type Own = { ask: Ask; isServed(path: string): boolean };

export function tryItRoutes({ applicationRoute }: ManageRoutes, service: Service, { ask, isServed }: Own): void {
  applicationRoute('POST', '/try', {
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
    errors: ['areasNotServed'],
    async handle({ application }) {
      const served = ['/api/v2/app/create-user', '/api/user_options'].every(isServed);
      if (!served) throw new InnkeeperError('areasNotServed');
      const catalog = await service.catalogs.get(application.appId);
      const sample = sampleSelection(catalog, new Date(service.now()).toISOString().slice(0, 10));
      const language = catalog.languages.byDefault?.tag;
      return withTrial(service, application, (trial) =>
        actingForNobody(() => runFlow(ask, { clientId: application.clientId, ...trial, sample, language })),
      );
    },
  });
}
