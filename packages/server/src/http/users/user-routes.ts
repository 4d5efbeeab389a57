import type { Application } from '../../domain/applications/application.ts';
import type { Service } from '../../domain/service.ts';
import { authorizeApplication } from '../../domain/users/authorize-application.ts';
import { findUserOfPath, type UserOfPath } from '../../domain/users/user-of-path.ts';
import type { TProperties } from '../../schema.ts';
import { Type } from '../../schema.ts';
import type { UserRecord } from '../../storage/port.ts';
import { noteUser } from '../about.ts';
import { readAuthorization } from '../authorization.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import type { Method, RouteSchema, Routes } from '../server/routes.ts';

export const USERS_PATH = '/api/v2/app/:clientId/users';
const USER_PATH = `${USERS_PATH}/:serviceUserCode`;

/** What every operation for back ends can answer. */
export const BACK_END_ERRORS = ['applicationUnknown', 'credentialsWrong', 'tooManyFailures', 'unavailable'] as const;

type Way = {
  path: string;
  hide: boolean;
  operation: string;
  params: TProperties;
  error: 'userUnknown' | 'clientUserUnknown';
  read(params: Record<string, string | undefined>): UserOfPath;
};

/**
 * The paths of one user, each with how it names the user. A path that ends before the code is the same operation with
 * the code missing (0025). Slashes of a clientUserId are read escaped and, where a proxy unescaped them, as they are.
 */
export const WAYS_TO_USER: readonly Way[] = [
  ...[USER_PATH, `${USERS_PATH}/`].map((path, index) => ({
    path,
    hide: index > 0,
    operation: '',
    params: { serviceUserCode: Type.String({ format: 'uuid' }) },
    error: 'userUnknown' as const,
    read: ({ serviceUserCode }: Record<string, string | undefined>) => ({ userCode: serviceUserCode }),
  })),
  ...[`${USERS_PATH}/by-client-id/:clientUserId`, `${USERS_PATH}/by-client-id/*`].map((path, index) => ({
    path,
    hide: index > 0,
    operation: 'ByClientId',
    params: { clientUserId: Type.String({ description: 'percent-encoded, including slashes' }) },
    error: 'clientUserUnknown' as const,
    read: (params: Record<string, string | undefined>) => ({
      clientUserId: params.clientUserId ?? params['*'] ?? '',
    }),
  })),
];

/** Where no other operation is: the list of users is read at the same path. */
export const WITHOUT_CODE = { ...(WAYS_TO_USER[1] as Way), path: USERS_PATH };

/** Fills in what the ways differ by: the name of the operation, its parameters and the error for nobody. */
export function schemaOf(schema: RouteSchema & { operationId: string }, way: Way): RouteSchema {
  const { operationId, errors = [] } = schema;
  return {
    ...schema,
    operationId: operationId + way.operation,
    tags: ['users'],
    params: Type.Object({ clientId: Type.String(), ...way.params }),
    errors: [...errors, way.error],
    hide: way.hide,
  };
}

export type UserRequest = { request: HttpRequest; reply: HttpReply; application: Application; user: UserRecord };

type UserOperation = {
  method: Method;
  schema: RouteSchema & { operationId: string };
  /** What follows the user's code in the path. */
  under?: string;
};

/** An operation on one user, for the back end of an application: 0012, 0011, 0025, then what the operation itself refuses. */
export function userRoute(
  app: Routes,
  service: Service,
  { method, schema, under }: UserOperation,
  handle: (request: UserRequest) => Promise<object>,
): void {
  const ways = under === undefined ? WAYS_TO_USER : [{ ...(WAYS_TO_USER[0] as Way), path: `${USER_PATH}/${under}` }];
  for (const way of ways) {
    const full = schemaOf(
      { ...schema, security: [{ basic: [] }], errors: [...BACK_END_ERRORS, ...(schema.errors ?? [])] },
      way,
    );
    app.add({
      method,
      path: way.path,
      schema: full,
      async handler(request, reply) {
        const { clientId = '' } = request.params;
        request.about = { clientId };
        const credentials = readAuthorization(request.headers.authorization);
        const application = await authorizeApplication(service, {
          clientId,
          credentials,
          admission: request.admission,
        });
        const user = await findUserOfPath(service, application, way.read(request.params));
        noteUser(request, user);
        reply.header('cache-control', 'no-store');
        return handle({ request, reply, application, user });
      },
    });
  }
}
