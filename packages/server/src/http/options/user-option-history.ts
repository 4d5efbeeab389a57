import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { SELECTION_MEANS } from '../../storage/port.ts';
import { linkHeader, type Query, readPage, toPage } from '../paging.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { toWireBytes } from '../server/wire-text.ts';
import { formatTime } from '../time.ts';
import { readUserOptionRequest } from './find-user-option.ts';
import { READ_SECURITY, UserOptionParams, UserUidQuery } from './get-user-option.ts';
import { answerPrivately } from './private-answer.ts';
import { LIST_HEADERS, ListAnswer, NotModified, PagingQuery, queryOf, USER_ERRORS, ValueAnswer } from './schemas.ts';

const HistoryEntry = Type.Object(
  {
    action: Type.Enum(['save', 'unset']),
    at: Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' }),
    by: Type.Enum([...SELECTION_MEANS]),
    language: Type.Union([Type.String(), Type.Null()], {
      description: 'for an open text: tag of the saved language',
    }),
    from_value: Type.Union([ValueAnswer, Type.Null()]),
    to_value: Type.Union([ValueAnswer, Type.Null()]),
  },
  { title: 'UserOptionEvent' },
);

const schema = {
  operationId: 'listUserOptionHistory',
  summary: 'List the history of a user option, newest first',
  tags: ['options'],
  security: READ_SECURITY,
  params: UserOptionParams,
  querystring: queryOf(PagingQuery, UserUidQuery),
  response: { 200: ListAnswer(HistoryEntry), 304: NotModified },
  answerHeaders: LIST_HEADERS,
  errors: [...USER_ERRORS, 'selectionNotFound'],
} satisfies RouteSchema;

/** Also of one that was unset; erased with the user. */
export function userOptionHistoryRoute(app: Routes, service: Service): void {
  app.get('/api/user_options/:user_options_uid/history', { schema }, async (request, reply) => {
    const { user, selectionId } = await readUserOptionRequest(service, request, reply);
    const query = request.query as Query;
    const page = readPage(query);
    const { items, total } = await service.storage.selections.history(user.userId, page, selectionId);
    if (total === 0) throw new InnkeeperError('selectionNotFound');
    const listing = toPage(
      items.map(({ at, means, language, fromValue, toValue }) => ({
        action: toValue === null ? 'unset' : 'save',
        at: formatTime(at),
        by: means,
        language,
        from_value: fromValue === null ? null : JSON.parse(fromValue),
        to_value: toValue === null ? null : JSON.parse(toValue),
      })),
      total,
      page,
    );
    const link = linkHeader(`/api/user_options/${selectionId}/history`, query, listing);
    if (link !== undefined) reply.header('link', link);
    const bytes = toWireBytes(JSON.stringify(listing));
    return answerPrivately(request, reply, { bytes, mark: bytes });
  });
}
