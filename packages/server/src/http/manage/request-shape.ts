import { Type } from '../../schema.ts';
import type { LoggedRequest } from '../../storage/port.ts';
import { formatTime } from '../time.ts';
import { Nullable, Time } from './schemas.ts';

export const RequestShape = {
  requestUid: Type.String({ format: 'uuid' }),
  at: Time,
  method: Type.String(),
  route: Nullable(Type.String({ description: 'path pattern; null: unknown path' })),
  path: Type.String({ description: 'with its query; possible secrets are [masked]' }),
  status: Type.Integer(),
  code: Nullable(Type.String({ description: 'error code' })),
  milliseconds: Type.Number(),
  requestId: Type.String({ description: 'X-Request-Id of the response' }),
  address: Type.String({ description: 'network of the client' }),
  userAgent: Type.String(),
  credentials: Type.Enum(['none', 'basic', 'bearer'], { description: 'kind of Authorization header' }),
  userUid: Nullable(Type.String({ format: 'uuid', description: 'the affected user, if any' })),
};

export function viewRequest({ at, userId, request: _, answer: _answer, ...facts }: LoggedRequest) {
  return { ...facts, at: formatTime(at), userUid: userId };
}
