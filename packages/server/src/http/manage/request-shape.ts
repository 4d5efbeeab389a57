import { Type } from '../../schema.ts';
import type { LoggedRequest } from '../../storage/port.ts';
import { formatTime } from '../time.ts';
import { Nullable, Time } from './schemas.ts';

export const RequestShape = {
  requestUid: Type.String({ format: 'uuid' }),
  at: Time,
  method: Type.String(),
  route: Nullable(Type.String({ description: 'the path as a pattern; null: no route knew it' })),
  path: Type.String({ description: 'with its query; what could be a secret is [masked]' }),
  status: Type.Integer(),
  code: Nullable(Type.String({ description: 'of an error' })),
  milliseconds: Type.Number(),
  requestId: Type.String({ description: 'X-Request-Id of the answer' }),
  address: Type.String({ description: 'the network that it came from' }),
  userAgent: Type.String(),
  credentials: Type.Enum(['none', 'basic', 'bearer'], { description: 'what the Authorization header was' }),
  userUid: Nullable(Type.String({ format: 'uuid', description: 'the user it was about, where there was one' })),
};

export function viewRequest({ at, userId, request: _, answer: _answer, ...facts }: LoggedRequest) {
  return { ...facts, at: formatTime(at), userUid: userId };
}
