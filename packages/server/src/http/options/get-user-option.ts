import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { EXAMPLE } from '../examples.ts';
import { type Query, readParameter } from '../paging.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { findLanguage } from './catalog-answer.ts';
import { GERMAN_USER_OPTION_EXAMPLE } from './examples.ts';
import { readUserOptionRequest } from './find-user-option.ts';
import { placeAt } from './list-user-options.ts';
import { answerPrivately } from './private-answer.ts';
import { CACHED_HEADERS, LanguageQuery, NotModified, queryOf, USER_ERRORS, UserOptionAnswer } from './schemas.ts';
import { writeOwner, writeUserOption } from './user-option-view.ts';

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
  answerHeaders: CACHED_HEADERS,
  errors: [...USER_ERRORS, 'languageUnknown', 'selectionNotFound'],
  examples: {
    german: {
      summary: 'In German',
      params: { user_options_uid: EXAMPLE.userOptionsUid },
      query: { user_uid: EXAMPLE.userCode, language: 'Deutsch' },
      status: 200,
      answer: GERMAN_USER_OPTION_EXAMPLE,
    },
  },
} satisfies RouteSchema;

/** CONTRACT.md section 3 */
export function getUserOptionRoute(app: Routes, service: Service): void {
  app.get('/api/user_options/:user_options_uid', { schema }, async (request, reply) => {
    const { application, user, selectionId } = await readUserOptionRequest(service, request, reply);
    const asked = readParameter(request.query as Query, 'language');
    const { languages } = await service.catalogs.get(application.appId);
    const language = asked === undefined ? undefined : findLanguage(languages, asked);
    const records = await service.storage.selections.list(user.userId);
    const record = records.find((each) => each.selectionId === selectionId);
    if (!record) throw new InnkeeperError('selectionNotFound');
    const { catalog, placed } = await placeAt(service, application.appId, record);
    const owner = writeOwner(application.clientId, user.userId);
    return answerPrivately(request, reply, writeUserOption(catalog, placed, record, owner, language));
  });
}
