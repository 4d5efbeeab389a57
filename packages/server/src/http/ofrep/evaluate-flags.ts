import { createHash } from 'node:crypto';
import type { Application } from '../../domain/applications/application.ts';
import { allowsOrigin } from '../../domain/applications/settings.ts';
import { parseValue } from '../../domain/catalog/check-value.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { missingReason } from '../../domain/required.ts';
import { type EffectiveSelection, effectiveSelection, effectiveSelections } from '../../domain/selections/effective.ts';
import type { Service } from '../../domain/service.ts';
import { directlyOrInSlices, type Steps } from '../../domain/slices.ts';
import { authenticate, hasSecretOf } from '../../domain/users/credentials.ts';
import { findNamedKey } from '../../domain/users/key-names.ts';
import { PAGE_BYTES } from '../../page-bytes.ts';
import { NotModified, Type } from '../../schema.ts';
import type { SelectionRecord, UserRecord } from '../../storage/port.ts';
import { readUuid } from '../../uuid.ts';
import { inChunks, readJsonObject } from '../bodies.ts';
import { allowOrigin, FOR_ANY_PAGE } from '../options/api-key.ts';
import { etagOfHash, hasCurrent, readAuthorization } from '../request-headers.ts';
import { type HttpReply, type HttpRequest, JSON_TYPE, noteUser } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';

const PATH = '/ofrep/v1/evaluate/flags';

const Flag = Type.Object(
  {
    key: Type.String({ description: 'group.key' }),
    value: Type.Optional(Type.Unknown({ description: 'absent: use the default in your code' })),
    reason: Type.Enum(['TARGETING_MATCH', 'DEFAULT']),
    metadata: Type.Object({ option_key_uid: Type.String({ format: 'uuid' }) }),
  },
  { title: 'Flag' },
);

/** Members besides code and message. */
const FlagError = Type.Object({
  key: Type.Optional(Type.String()),
  errorCode: Type.String(),
  errorDetails: Type.String(),
});

const Context = Type.Object({
  context: Type.Optional(
    Type.Object({
      targetingKey: Type.Optional(
        Type.String({ description: 'service_user_code or clientUserId; required with HTTP Basic' }),
      ),
    }),
  ),
});

const ERRORS = [
  'accessTokenInvalid',
  'userCredentialsNeeded',
  'userSuspended',
  'badParameter',
  'unavailable',
  'tokenServiceDown',
] as const;

const described = {
  tags: ['options'],
  security: [{ bearer: [] }, { basic: [] }],
  body: Context,
};

const one = {
  ...described,
  operationId: 'evaluateFlag',
  summary: 'Evaluate one option key (OFREP)',
  description:
    "OpenFeature Remote Evaluation Protocol: the user's effective value of one key, identified by group.key or option_key_uid.",
  params: Type.Object({ key: Type.String() }),
  response: { 200: Flag, 400: FlagError, 404: FlagError },
  errors: [...ERRORS, 'keyNotFound'],
} satisfies RouteSchema;

const all = {
  ...described,
  operationId: 'evaluateFlags',
  summary: 'Evaluate all option keys (OFREP)',
  description: "OpenFeature Remote Evaluation Protocol: the user's effective values, with an ETag for polling.",
  response: { 200: Type.Object({ flags: Type.Array(Flag) }), 304: NotModified, 400: FlagError },
  responseHeaders: { ETag: 'send it as If-None-Match to get 304 while nothing changed' },
  errors: ERRORS,
} satisfies RouteSchema;

/** Selections for any OpenFeature SDK. */
export function flagRoutes(app: Routes, service: Service): void {
  app.post(`${PATH}/:key`, { schema: one }, async (request, reply) => {
    const { key: name = '' } = request.params;
    const { appId, selections } = await readTarget(service, request, reply, name);
    const catalog = await service.catalogs.get(appId);
    const placed = findNamedKey(catalog, name);
    if (!placed || placed === 'ambiguous' || placed.key.archived) throw flagNotFound(name, placed === 'ambiguous');
    const record = selections.find(({ keyNo }) => keyNo === placed.key.keyNo);
    const found = await effectiveSelection(service, appId, catalog, placed, record);
    // Neither saved nor with a default: without a value, SDKs use the default in the code.
    const unset = { key: name, reason: 'DEFAULT', metadata: { option_key_uid: placed.key.keyUid } };
    return reply.header('cache-control', 'no-store').send(found ? flagOf(found, name) : unset);
  });

  app.post(PATH, { schema: all }, async (request, reply) => {
    const { appId, selections } = await readTarget(service, request, reply);
    const catalog = await service.catalogs.get(appId);
    const effective = await effectiveSelections(service, appId, catalog, selections);
    const { etag, body } = await directlyOrInSlices(tagFlags(effective));
    reply.header('etag', etag).header('cache-control', 'private, no-cache').header('vary', 'Authorization, Origin');
    if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return body === undefined ? reply.stream(JSON_TYPE, inChunks(writeFlags(effective))) : reply.send(body);
  });
}

/** The ETag of all flags, and their text unless it is long: defaults of a megabyte each may not fit into memory together. */
function* tagFlags(effective: readonly EffectiveSelection[]): Steps<{ etag: string; body: string | undefined }> {
  const hash = createHash('sha256');
  let body: string | undefined = '';
  for (const text of writeFlags(effective)) {
    yield;
    hash.update(text);
    if (body !== undefined) body = body.length < PAGE_BYTES ? body + text : undefined;
  }
  return { etag: etagOfHash(hash), body };
}

function* writeFlags(effective: readonly EffectiveSelection[]): Generator<string, void> {
  yield '{"flags":[';
  for (const [index, each] of effective.entries()) yield `${index > 0 ? ',' : ''}${JSON.stringify(flagOf(each))}`;
  yield ']}';
}

function flagOf({ placed, source, record }: EffectiveSelection, name?: string) {
  const isSaved = source === 'saved' && record !== undefined;
  return {
    key: name ?? `${placed.group.name}.${placed.key.name}`,
    value: isSaved ? parseValue(record.value) : placed.key.defaultValue,
    reason: isSaved ? 'TARGETING_MATCH' : 'DEFAULT',
    metadata: { option_key_uid: placed.key.keyUid },
  };
}

type Target = { appId: number; selections: readonly SelectionRecord[] };

/** Whose flags to evaluate: the token's owner, or the user that the application names. */
async function readTarget(service: Service, request: HttpRequest, reply: HttpReply, key?: string): Promise<Target> {
  const credentials = readAuthorization(request.headers.authorization);
  if (credentials.kind === 'bearer') {
    const { selections: store } = service.storage;
    const owner = await authenticate(service, credentials.accessToken, (id, now) => store.listOfToken(id, now));
    const application = owner && (await service.applications.findById(owner.appId));
    if (!owner || !application) throw new InnkeeperError('accessTokenInvalid', { headers: FOR_ANY_PAGE });
    admit(application, request, reply);
    const targetingKey = readTargetingKey(request, key);
    if (targetingKey !== undefined && !isNamed(owner, targetingKey)) {
      throw invalid('INVALID_CONTEXT', 'context.targetingKey names another user than the access token.', key);
    }
    noteUser(request, owner);
    return owner;
  }
  const application =
    credentials.kind === 'basic' ? await service.applications.findByClientId(credentials.clientId) : undefined;
  if (!application || !(await hasSecretOf(service, application, credentials))) {
    throw new InnkeeperError('userCredentialsNeeded', { headers: FOR_ANY_PAGE });
  }
  admit(application, request, reply);
  const targetingKey = readTargetingKey(request, key);
  if (targetingKey === undefined) throw invalid('TARGETING_KEY_MISSING', 'context.targetingKey is required.', key);
  const user = await findTarget(service, application, targetingKey, key);
  if (!user) throw invalid('INVALID_CONTEXT', 'context.targetingKey names no user.', key);
  if (user.status === 'suspended') throw new InnkeeperError('userSuspended');
  noteUser(request, user);
  return user;
}

function admit(application: Application, request: HttpRequest, reply: HttpReply): void {
  request.about = { appId: application.appId };
  const { origin } = request.headers;
  if (origin !== undefined && allowsOrigin(application.settings, origin)) allowOrigin(reply, origin);
  request.admission.admitApplication(application, 'options');
}

/** The user with their selections, or only that of the requested key. */
async function findTarget(
  { storage: { users, selections }, catalogs }: Service,
  { appId }: Application,
  targetingKey: string,
  key: string | undefined,
): Promise<(UserRecord & Target) | undefined> {
  const placed = key === undefined ? undefined : findNamedKey(await catalogs.get(appId), key);
  const keyNo = typeof placed === 'object' ? placed.key.keyNo : undefined;
  const userId = readUuid(targetingKey);
  const named = userId && (await selections.listOfUser(appId, userId, keyNo));
  if (named) return named;
  const user = await users.findByClientUserId(appId, targetingKey);
  return user && selections.listOfUser(appId, user.userId, keyNo);
}

function isNamed({ userId, clientUserId }: UserRecord, targetingKey: string): boolean {
  return targetingKey === clientUserId || readUuid(targetingKey) === userId;
}

function readTargetingKey(request: HttpRequest, key: string | undefined): string | undefined {
  const context = readBody(request, key).context ?? {};
  if (typeof context !== 'object' || Array.isArray(context)) {
    throw invalid('INVALID_CONTEXT', 'context must be an object.', key);
  }
  const { targetingKey } = context as { targetingKey?: unknown };
  if (targetingKey === undefined || targetingKey === null || targetingKey === '') return undefined;
  const problem = missingReason(targetingKey);
  if (problem === undefined) return targetingKey as string;
  throw invalid('INVALID_CONTEXT', `context.targetingKey ${problem}.`, key);
}

function readBody(request: HttpRequest, key: string | undefined): Record<string, unknown> {
  try {
    return readJsonObject(request);
  } catch (error) {
    if (error instanceof InnkeeperError) throw invalid('PARSE_ERROR', error.message, key);
    throw error;
  }
}

type FlagErrorCode = 'PARSE_ERROR' | 'TARGETING_KEY_MISSING' | 'INVALID_CONTEXT';

/** Adds OFREP's members to the code and message that every error has. */
function invalid(errorCode: FlagErrorCode, message: string, key: string | undefined): InnkeeperError {
  const more = { ...(key !== undefined && { key }), errorCode, errorDetails: message };
  return new InnkeeperError('badParameter', { message, more });
}

function flagNotFound(key: string, isAmbiguous: boolean): InnkeeperError {
  const message = isAmbiguous
    ? 'Several option keys have this name. Use the option_key_uid.'
    : 'There is no option key of this name. Write it as group.key.';
  return new InnkeeperError('keyNotFound', {
    message,
    more: { key, errorCode: 'FLAG_NOT_FOUND', errorDetails: message },
  });
}
