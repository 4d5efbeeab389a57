import type { Application } from '../../domain/applications/application.ts';
import { recordExport } from '../../domain/audit/user-reads.ts';
import { describeOptions } from '../../domain/selections/describe-options.ts';
import { readReceipts } from '../../domain/selections/receipts.ts';
import type { Service } from '../../domain/service.ts';
import { collectTraces } from '../../domain/users/export-user.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { Type } from '../../schema.ts';
import type { UserRecord } from '../../storage/port.ts';
import { EXAMPLE } from '../examples.ts';
import { writeReceipt } from '../options/user-option-receipt.ts';
import { readParameter } from '../paging.ts';
import type { Routes } from '../server/routes.ts';
import { ACCESS_TOKEN, ADA, CHOSEN_OPTION, SAVED_EVENT, USER } from './examples.ts';
import { refuse } from './input.ts';
import { applicationRoute, FileAnswer } from './manage-route.ts';
import { AccessTokenShape, EventShape, OptionShape, UserParams, UserShape } from './schemas.ts';
import { writeUserPage } from './user-export-page.ts';
import { viewAccessToken, viewEvent, viewOption, viewUser } from './views.ts';

const schema = {
  operationId: 'exportUser',
  summary: 'Export all data about a user',
  description:
    'The profile, selections, history, access tokens (without the tokens themselves), and a signed receipt of each selection. With `format=html`, a page to read.',
  params: UserParams,
  querystring: Type.Object({ format: Type.Optional(Type.Enum(['json', 'html'])) }),
  produces: ['application/json', 'text/html'],
  response: {
    200: Type.Object({
      clientId: Type.String(),
      user: Type.Object(UserShape, { title: 'ManagedUser' }),
      accessTokens: Type.Array(AccessTokenShape),
      options: Type.Array(OptionShape, { description: 'their selections' }),
      history: Type.Array(EventShape, { description: 'newest first' }),
      receipts: Type.Array(Type.String(), {
        description: 'as GET /api/user_options/{user_options_uid}/receipt returns',
      }),
    }),
  },
  errors: ['userNotFound'] as const,
  examples: {
    ada: {
      summary: 'A user who is signed in and chose once',
      params: USER,
      status: 200,
      answer: {
        clientId: EXAMPLE.clientId,
        user: ADA,
        accessTokens: [ACCESS_TOKEN],
        options: [CHOSEN_OPTION],
        history: [SAVED_EVENT],
        receipts: [EXAMPLE.receipt],
      },
    },
  },
};

export type UserExport = Awaited<ReturnType<typeof describeUser>>;

export function exportUserRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/users/:userUid/export', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, manager, params, query, reply }) => {
    const format = readParameter(query, 'format') ?? 'json';
    if (format !== 'json' && format !== 'html') throw refuse('format', 'must be json or html');
    const user = await findUser(service, application, params.userUid as string);
    const { userId } = user;
    const about = { actor: manager.author, appId: application.appId, userId };
    await recordExport(service.storage.audit, about, service.now());
    const exported = await describeUser(service, application, user);
    if (format === 'html') {
      return new FileAnswer('text/html', `user-${userId}.html`, writeUserPage(exported));
    }
    reply.header('content-disposition', `attachment; filename="user-${userId}.json"`);
    return exported;
  });
}

/** What it takes: the service has it, and the command line makes it. */
export type ExportSource = Pick<Service, 'storage' | 'now' | 'catalogs' | 'publicUrl' | 'signReceipt'>;

export async function describeUser(
  service: ExportSource,
  application: Pick<Application, 'appId' | 'clientId' | 'settings'>,
  user: UserRecord,
) {
  const catalog = await service.catalogs.get(application.appId);
  const { tokens, events } = await collectTraces(service, user);
  const options = await describeOptions(service, catalog, user.userId);
  const receipts: string[] = [];
  for (const receipt of await readReceipts(service, user)) {
    receipts.push(await writeReceipt(service, application, receipt));
  }
  return {
    clientId: application.clientId,
    user: viewUser(user),
    accessTokens: tokens.map(viewAccessToken),
    options: options.filter(({ record }) => record !== undefined).map(viewOption),
    history: events.map((event) => viewEvent(catalog, event)),
    receipts,
  };
}
