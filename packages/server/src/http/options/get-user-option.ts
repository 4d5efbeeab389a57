import { InnkeeperError } from '../../domain/errors.ts';
import { recordTag } from '../../domain/selections/record-tag.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Query } from '../paging.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { readWording } from './catalog-answer.ts';
import { readUserOptionRequest } from './find-user-option.ts';
import { placeAt } from './list-user-options.ts';
import { answerPrivately } from './private-answer.ts';
import {
  AcceptLanguageHeader,
  LanguageQuery,
  NotModified,
  queryOf,
  RECORD_HEADERS,
  USER_ERRORS,
  UserOptionAnswer,
} from './schemas.ts';
import { recordView, writeUserOption } from './user-option-view.ts';

export const UserOptionParams = Type.Object({ user_options_uid: Type.String({ format: 'uuid' }) });
export const UserUidQuery = {
  user_uid: Type.Optional(Type.String({ format: 'uuid', description: 'with HTTP Basic' })),
};
export const READ_SECURITY = [
  { apiKey: [], bearer: [] },
  { apiKey: [], basic: [] },
];

const schema = {
  operationId: 'getUserOption',
  summary: 'Get one user option',
  tags: ['options'],
  security: READ_SECURITY,
  params: UserOptionParams,
  querystring: queryOf(LanguageQuery, UserUidQuery),
  response: { 200: UserOptionAnswer, 304: NotModified },
  headers: AcceptLanguageHeader,
  answerHeaders: RECORD_HEADERS,
  errors: [...USER_ERRORS, 'languageUnknown', 'selectionNotFound'],
} satisfies RouteSchema;

/** CONTRACT.md section 3 */
export function getUserOptionRoute(app: Routes, service: Service): void {
  app.get('/api/user_options/:user_options_uid', { schema }, async (request, reply) => {
    const { application, user, selectionId } = await readUserOptionRequest(service, request, reply);
    const today = await service.catalogs.get(application.appId);
    const wording = readWording(today, request.query as Query, request.headers['accept-language']);
    const records = await service.storage.selections.list(user.userId);
    const record = records.find((each) => each.selectionId === selectionId);
    if (!record) throw new InnkeeperError('selectionNotFound');
    const then = await placeAt(service, application.appId, record);
    const view = recordView(today, wording, { clientId: application.clientId, userId: user.userId });
    return answerPrivately(request, reply, writeUserOption(view, then, record), recordTag(record));
  });
}
