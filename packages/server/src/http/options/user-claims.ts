import { InnkeeperError } from '../../domain/errors.ts';
import type { UserClaims } from '../../domain/users/identify-user.ts';
import { readAuthorization } from '../authorization.ts';
import { readJsonObject } from '../json-body.ts';
import { badParameter, type Query, readParameter } from '../paging.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';

/** The user that a saving request names: in its body, or as Bearer. */
export function claimsOfBody(request: HttpRequest, body: Record<string, unknown>): UserClaims {
  return {
    userUid: optionalText(body, 'user_uid'),
    accessToken: optionalText(body, 'access_token'),
    credentials: readAuthorization(request.headers.authorization),
  };
}

/** The user that a reading request names: as Bearer, or as Basic with user_uid. */
export function claimsOfQuery(request: HttpRequest): UserClaims {
  return {
    userUid: readParameter(request.query as Query, 'user_uid'),
    accessToken: undefined,
    credentials: readAuthorization(request.headers.authorization),
  };
}

/** Area B has its own code for a body that is not a JSON object: 1009. Unknown members are ignored. */
export function readOptionsBody(request: HttpRequest): Record<string, unknown> {
  try {
    return readJsonObject(request);
  } catch (error) {
    if (error instanceof InnkeeperError) throw new InnkeeperError('badParameter', { message: error.message });
    throw error;
  }
}

/** A string that may be omitted or null. */
export function optionalText(body: Record<string, unknown>, field: string, prefix = ''): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw badParameter([{ field: prefix + field, message: 'must be a string' }]);
  return value;
}
