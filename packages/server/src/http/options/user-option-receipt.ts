import type { Application } from '../../domain/applications/application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { findReceipt, type Receipt, signReceipt } from '../../domain/selections/receipts.ts';
import { recordTag } from '../../domain/selections/record-tag.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { hasCurrent } from '../etag.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { formatTime } from '../time.ts';
import { readUserOptionRequest } from './find-user-option.ts';
import { READ_SECURITY, UserOptionParams, UserUidQuery } from './get-user-option.ts';
import { NotModified, queryOf, RECORD_HEADERS, USER_ERRORS } from './schemas.ts';

const JWT_TYPE = 'application/jwt';

const schema = {
  operationId: 'getUserOptionReceipt',
  summary: 'Get a signed receipt of the last save of a user option',
  description:
    'A compact JWS (RFC 7515) with `typ` `receipt+jwt`, signed by a key of /oauth/v2/jwks, which keeps the public keys for good: it can be verified ' +
    'years later, and no byte of it can be altered. Its claims: `iss`, `sub` (the service_user_code), `aud` (the clientId), `iat`, `clientUserId`, ' +
    '`user_options_uid`, `option_group_uid`, `option_key_uid`, `group`, `option`, `value`, `texts` (what was shown: `group`, `group_description`, `option`, ' +
    '`option_description`, `value`), `language` and `language_tag` of these texts, `language_known` (false: the save named none, and they are those of the default ' +
    'language), `revision` of the catalog, `created_at`, `saved_at`, and `by`, how it was saved (null: before this was kept).',
  tags: ['options'],
  security: READ_SECURITY,
  params: UserOptionParams,
  querystring: queryOf(UserUidQuery),
  produces: JWT_TYPE,
  response: { 200: Type.String({ description: 'the receipt' }), 304: NotModified },
  answerHeaders: RECORD_HEADERS,
  errors: [...USER_ERRORS, 'selectionNotFound'],
} satisfies RouteSchema;

/** CONTRACT.md section 9 */
export function userOptionReceiptRoute(app: Routes, service: Service): void {
  app.get('/api/user_options/:user_options_uid/receipt', { schema }, async (request, reply) => {
    const { application, user, selectionId } = await readUserOptionRequest(service, request, reply);
    const receipt = await findReceipt(service, user, selectionId);
    if (!receipt) throw new InnkeeperError('selectionNotFound');
    const { record } = receipt;
    // A save that leaves the value as it was is a save: it has a receipt of its own.
    const etag = `"${recordTag(record)}.${record.updatedAt}"`;
    reply
      .header('etag', etag)
      .header('cache-control', 'private, no-cache')
      .header('vary', 'apiKey, Authorization, Origin');
    if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type(JWT_TYPE).send(await writeReceipt(service, application, receipt));
  });
}

export function writeReceipt(
  service: Pick<Service, 'publicUrl' | 'now' | 'signReceipt'>,
  application: Pick<Application, 'clientId' | 'settings'>,
  receipt: Receipt,
): Promise<string> {
  const { user, placed, record, means, value, language, isLanguageKnown, texts } = receipt;
  return signReceipt(service, application, user.userId, {
    clientUserId: user.clientUserId,
    user_options_uid: record.selectionId,
    option_group_uid: placed.group.groupUid,
    option_key_uid: placed.key.keyUid,
    group: placed.group.name,
    option: placed.key.name,
    value,
    texts: {
      group: texts.group,
      group_description: texts.groupDescription,
      option: texts.key,
      option_description: texts.keyDescription,
      value: texts.values,
    },
    language: language?.name ?? null,
    language_tag: language?.tag ?? null,
    language_known: isLanguageKnown,
    revision: record.revision,
    created_at: formatTime(record.createdAt),
    saved_at: formatTime(record.updatedAt),
    by: means,
  });
}
