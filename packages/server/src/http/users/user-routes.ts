import type { Application } from '../../domain/applications/application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { hasSecretOf } from '../../domain/users/credentials.ts';
import { findUserOfPath, type UserOfPath } from '../../domain/users/identify-user.ts';
import { type TProperties, Type } from '../../schema.ts';
import type { UserRecord } from '../../storage/port.ts';
import { readAuthorization } from '../request-headers.ts';
import { type HttpReply, type HttpRequest, noteUser } from '../server/request-and-reply.ts';
import type { Method, RouteSchema, Routes } from '../server/routes.ts';

export const USERS_PATH = '/api/v2/app/:clientId/users';
const USER_PATH = `${USERS_PATH}/:serviceUserCode`;

/** Errors of every operation for back ends. */
export const BACK_END_ERRORS = [
  'applicationUnknown',
  'backEndCredentialsWrong',
  'tooManyFailures',
  'unavailable',
] as const;

type UserPath = {
  path: string;
  hide: boolean;
  operation: string;
  params: TProperties;
  error: 'userUnknown' | 'clientUserUnknown';
  read(params: Record<string, string | undefined>): UserOfPath;
};

/**
 * The paths of one user, each with how it names the user. A path that ends before the code is the same operation
 * without a code (0025). Slashes in a clientUserId may be escaped, or unescaped by a proxy.
 */
export const PATHS_OF_USER: readonly UserPath[] = [
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

/** The path without a code, for methods other than GET: the list of users is at the same path. */
export const PATH_WITHOUT_CODE = { ...(PATHS_OF_USER[1] as UserPath), path: USERS_PATH };

/** Fills in where the paths differ: operationId, parameters and the error for an unknown user. */
export function schemaOf(schema: RouteSchema & { operationId: string }, userPath: UserPath): RouteSchema {
  const { operationId, errors = [] } = schema;
  return {
    ...schema,
    operationId: operationId + userPath.operation,
    tags: ['users'],
    params: Type.Object({ clientId: Type.String(), ...userPath.params }),
    errors: [...errors, userPath.error],
    hide: userPath.hide,
  };
}

export type UserRequest = { request: HttpRequest; reply: HttpReply; application: Application; user: UserRecord };

/**
 * The application in the path, for its own back end: 0012 if the id is unknown, then 0011. `isAllowed`: whether its
 * credentials are still valid, for responses that take long.
 */
export async function admitBackEnd(
  service: Service,
  request: HttpRequest,
): Promise<{ application: Application; isAllowed: () => Promise<boolean> }> {
  const { clientId = '' } = request.params;
  request.about = { clientId };
  const credentials = readAuthorization(request.headers.authorization);
  const application = await service.applications.findByClientId(clientId);
  if (!application) throw new InnkeeperError('applicationUnknown');
  if (!(await hasSecretOf(service, application, credentials))) throw new InnkeeperError('backEndCredentialsWrong');
  request.admission.admitApplication(application, 'users');
  const isAllowed = async (): Promise<boolean> => {
    const now = await service.applications.findByClientId(clientId);
    return now !== undefined && hasSecretOf(service, now, credentials);
  };
  return { application, isAllowed };
}

type UserOperation = {
  method: Method;
  schema: RouteSchema & { operationId: string };
  /** The path after the user's code. */
  under?: string;
};

/**
 * An operation on one user for an application's back end. Errors are checked in this order: 0012, 0011, 0025, then the
 * operation's own.
 */
export function userRoute(
  app: Routes,
  service: Service,
  { method, schema, under }: UserOperation,
  handle: (request: UserRequest) => Promise<object>,
): void {
  const paths =
    under === undefined ? PATHS_OF_USER : [{ ...(PATHS_OF_USER[0] as UserPath), path: `${USER_PATH}/${under}` }];
  for (const userPath of paths) {
    const full = schemaOf(
      { ...schema, security: [{ basic: [] }], errors: [...BACK_END_ERRORS, ...(schema.errors ?? [])] },
      userPath,
    );
    app.add({
      method,
      path: userPath.path,
      schema: full,
      async handler(request, reply) {
        const { application } = await admitBackEnd(service, request);
        const user = await findUserOfPath(service, application, userPath.read(request.params));
        noteUser(request, user);
        reply.header('cache-control', 'no-store');
        return handle({ request, reply, application, user });
      },
    });
  }
}
