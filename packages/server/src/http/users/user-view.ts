import { emailOf } from '../../domain/users/email.ts';
import { Type } from '../../schema.ts';
import { USER_STATUSES, type UserRecord } from '../../storage/port.ts';
import { etagOf, hasCurrent } from '../etag.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import { JSON_TYPE } from '../server/wire-text.ts';
import { formatTime } from '../time.ts';

const Time = Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' });

export const UserAnswer = Type.Object(
  {
    service_user_code: Type.String({ format: 'uuid' }),
    clientUserId: Type.String(),
    clientUserName: Type.String(),
    email: Type.String({ description: 'the clientUserId when it is an e-mail address, otherwise ""' }),
    status: Type.Enum([...USER_STATUSES], { description: 'a suspended user cannot get tokens, save or be read' }),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'ApplicationUser' },
);

export function viewUser({ userId, clientUserId, clientUserName, status, createdAt, updatedAt }: UserRecord) {
  return {
    service_user_code: userId,
    clientUserId,
    clientUserName,
    email: emailOf(clientUserId),
    status,
    created_at: formatTime(createdAt),
    updated_at: formatTime(updatedAt),
  };
}

/** One user or a page of them: has an ETag and is not for shared caches. */
export function answerUsers(request: HttpRequest, reply: HttpReply, answer: object): HttpReply {
  const body = JSON.stringify(answer);
  const etag = etagOf(body);
  reply.header('etag', etag).header('cache-control', 'private, no-cache').header('vary', 'Authorization, Accept');
  if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(JSON_TYPE).send(body);
}
