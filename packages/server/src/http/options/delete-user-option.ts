import { InnkeeperError } from '../../domain/errors.ts';
import { isTagOf } from '../../domain/selections/record-tag.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { withCurrentRecord } from './changed-record.ts';
import { readUserOptionRequest } from './find-user-option.ts';
import { READ_SECURITY, UserOptionParams, UserUidQuery } from './get-user-option.ts';
import { ChangedMembers, queryOf, USER_ERRORS } from './schemas.ts';
import { readIfMatch } from './wanted-selection.ts';

const schema = {
  operationId: 'deleteUserOption',
  summary: 'Unset a user option',
  tags: ['options'],
  security: READ_SECURITY,
  params: UserOptionParams,
  querystring: queryOf(UserUidQuery),
  headers: Type.Object({
    'If-Match': Type.Optional(
      Type.String({ description: 'the ETag of the record: it is unset only if the record is still the same' }),
    ),
  }),
  response: { 204: Type.Null({ description: 'The default applies again.' }), 412: ChangedMembers },
  errors: [...USER_ERRORS, 'selectionNotFound', 'selectionChanged'],
} satisfies RouteSchema;

/** CONTRACT.md section 3 */
export function deleteUserOptionRoute(app: Routes, service: Service): void {
  app.delete('/api/user_options/:user_options_uid', { schema }, async (request, reply) => {
    const { application, user, means, selectionId } = await readUserOptionRequest(service, request, reply);
    const ifMatch = readIfMatch(request.headers['if-match'], 'If-Match');
    const { selections } = service.storage;
    const find = async () => (await selections.list(user.userId)).find((each) => each.selectionId === selectionId);
    const record = ifMatch === undefined ? undefined : await find();
    const isSame = !record || ifMatch === '*' || ifMatch?.some((tag) => isTagOf(tag, record));
    const change = { at: service.now(), means };
    const outcome = isSame && (await selections.unset(user.userId, selectionId, change, record?.version));
    if (outcome !== 'unset') {
      const now = record && (await find());
      if (!now) throw new InnkeeperError('selectionNotFound');
      const fields = [{ field: 'If-Match', message: 'is not of the record as it is' }];
      const changed = new InnkeeperError('selectionChanged', { fields, more: { record: now } });
      throw await withCurrentRecord(changed, service, application, user, request.headers['accept-language']);
    }
    service.activity.count(user.appId, 'selectionsUnset');
    return reply.code(204).send();
  });
}
