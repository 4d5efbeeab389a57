import { type FieldError, InnkeeperError } from '../../domain/errors.ts';
import type { UserClaims } from '../../domain/users/identify-user.ts';
import { readAuthorization } from '../authorization.ts';
import { readJsonObject } from '../json-body.ts';
import { maskName } from '../logging.ts';
import { badParameter, type Query, readParameter } from '../paging.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';

/** Who a request that saves says the user is: in its body, or as Bearer. */
export function claimsOfBody(request: HttpRequest, body: Record<string, unknown>): UserClaims {
  return {
    userUid: optionalText(body, 'user_uid'),
    accessToken: optionalText(body, 'access_token'),
    credentials: readAuthorization(request.headers.authorization),
  };
}

/** Who a request that reads says the user is: as Bearer, or as Basic with user_uid. */
export function claimsOfQuery(request: HttpRequest): UserClaims {
  return {
    userUid: readParameter(request.query as Query, 'user_uid'),
    accessToken: undefined,
    credentials: readAuthorization(request.headers.authorization),
  };
}

/** Area B answers a body that is no JSON object of these members with its own code, 1009. */
export function readOptionsBody(request: HttpRequest, members: object): Record<string, unknown> {
  const body = readObject(request);
  const problems = unknownMembers(body, members);
  if (problems.length > 0) throw badParameter(problems);
  return body;
}

function readObject(request: HttpRequest): Record<string, unknown> {
  try {
    return readJsonObject(request);
  } catch (error) {
    if (error instanceof InnkeeperError) throw new InnkeeperError('badParameter', { message: error.message });
    throw error;
  }
}

/** A misspelt one would be a choice that is not what was meant: it is told, not passed over. */
export function unknownMembers(body: object, members: object, prefix = ''): FieldError[] {
  return Object.keys(body)
    .filter((name) => !Object.hasOwn(members, name))
    .map((name) => ({
      field: prefix + maskName(name),
      message: 'is not a member of this body',
      allowed: Object.keys(members),
    }));
}

/** A text that may be left out, or null. */
export function optionalText(body: Record<string, unknown>, field: string, prefix = ''): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw badParameter([{ field: prefix + field, message: 'must be a text' }]);
  return value;
}
