import type { UserRecord } from '../../storage/port.ts';
import { type IssuedToken, type Reserve, TokenServiceRefused, TokenServiceUnreachable } from '../../tokens/port.ts';
import type { Application } from '../applications/application.ts';
import type { Scalar } from '../catalog/catalog.ts';
import { InnkeeperError } from '../errors.ts';
import type { Admission } from '../limits/rate-limits.ts';
import { required } from '../required.ts';
import { MAX_STEPS_INLINE, matchWithin } from '../selections/check-selection.ts';
import type { Service } from '../service.ts';
import { readSpecialToken } from './credentials.ts';
import { emailOf } from './email.ts';
import { findNamedKey } from './key-names.ts';
import { effectiveValue } from './where.ts';

/** A longer value is left out of the token: all of them must fit into a header. */
const MAX_CHARACTERS = 500;

type Options = Record<string, Record<string, Scalar | Scalar[]>>;

/** The effective values of the keys that the application wants in its tokens; keys without one are omitted. */
async function readTokenOptions(
  { storage, catalogs }: Service,
  { appId, settings }: Application,
  userId: string,
): Promise<Options> {
  const catalog = await catalogs.get(appId);
  const saved = new Map((await storage.selections.list(userId)).map((record) => [record.keyNo, record]));
  const options = new Map<string, Map<string, Scalar | Scalar[]>>();
  const matches = matchWithin(MAX_STEPS_INLINE, true);
  for (const name of settings.tokenClaims) {
    const placed = findNamedKey(catalog, name);
    if (!placed || placed === 'ambiguous') continue;
    const record = saved.get(placed.key.keyNo);
    const value = effectiveValue(catalog, placed, record && [record.revision, record.value], matches);
    if (value === undefined || JSON.stringify(value).length > MAX_CHARACTERS) continue;
    const group = options.get(placed.group.name) ?? new Map<string, Scalar | Scalar[]>();
    options.set(placed.group.name, group.set(placed.key.name, value));
  }
  return Object.fromEntries([...options].map(([group, values]) => [group, Object.fromEntries(values)]));
}

type GetAccessTokenRequest = {
  clientSecret: unknown;
  specialToken: unknown;
  /** Filled in as soon as the application and user are known, even if the request is refused later. */
  about: { appId?: number; userId?: string };
  admission: Admission;
};

type AccessGrant = {
  userId: string;
  name: string;
  email: string;
  accessToken: string;
  expiresInSeconds: number;
};

/**
 * Exchanges a specialToken for an access token, in one conditional statement: the first caller to find it unused wins.
 */
export async function getAccessToken(service: Service, request: GetAccessTokenRequest): Promise<AccessGrant> {
  const clientSecret = required(request.clientSecret, 'clientSecret', 'clientSecretMissingOnExchange');
  const specialToken = required(request.specialToken, 'specialToken', 'specialTokenMissing');

  const application = await service.applications.findBySecret(clientSecret, service.now());
  if (!application) throw new InnkeeperError('secretAndTokenNotRecognised');
  request.about.appId = application.appId;
  request.admission.admitApplication(application, 'users');
  const named = readSpecialToken(specialToken);
  if (named === undefined) throw new InnkeeperError('specialTokenInvalid');
  if (named.appId !== application.appId) throw new InnkeeperError('secretAndTokenNotRecognised');

  const held = { tokenHash: service.keyring.hashToken(specialToken), home: named.home };
  const { reserve } = service.tokens;
  const exchange = reserve ? exchangeThenMake(reserve) : makeThenExchange;
  const { user, accessToken, issuedAt, expiresAt } = await exchange(service, application, held, request.about);
  service.activity.count(application.appId, 'tokensIssued');

  return {
    userId: user.userId,
    name: user.clientUserName,
    email: emailOf(user.clientUserId),
    accessToken,
    expiresInSeconds: Math.round((expiresAt - issuedAt) / 1000),
  };
}

type HeldToken = { tokenHash: string; home: number };

type Exchange = (
  service: Service,
  application: Application,
  held: HeldToken,
  about: GetAccessTokenRequest['about'],
) => Promise<IssuedToken & { user: UserRecord }>;

/**
 * For services where issuing cannot fail once the special token is used up: one statement finds its user and uses it
 * up.
 */
const exchangeThenMake =
  (reserve: Reserve): Exchange =>
  async (service, application, held, about) => {
    // Before the special token is used up: if this fails, it stays valid.
    const more = await readClaims(service, application, held);
    const { make, ...token } = await timed(service, application, () =>
      reserve({ ...requestOf(application), home: held.home }),
    );
    const user = await spend(service, held, token);
    about.userId = user.userId;
    const accessToken = await timed(service, application, () => make(user, more));
    return { ...token, accessToken, user };
  };

/** A remote service may fail: the special token then stays valid. */
const makeThenExchange: Exchange = async (service, application, held, about) => {
  const user = await service.storage.tokens.findSpecialToken(held.tokenHash, service.now(), held.home);
  if (!user) throw new InnkeeperError('specialTokenInvalid');
  if (user.status === 'suspended') throw suspended();
  about.userId = user.userId;
  const issued = await timed(service, application, () => service.tokens.issue({ user, ...requestOf(application) }));
  await spend(service, held, issued);
  return { ...issued, user };
};

async function readClaims(
  service: Service,
  application: Application,
  held: HeldToken,
): Promise<Record<string, unknown>> {
  if (application.settings.tokenClaims.length === 0) return {};
  const user = await service.storage.tokens.findSpecialToken(held.tokenHash, service.now(), held.home);
  return user ? { options: await readTokenOptions(service, application, user.userId) } : {};
}

async function spend(
  service: Service,
  { tokenHash, home }: HeldToken,
  token: Omit<IssuedToken, 'accessToken'>,
): Promise<UserRecord> {
  const { tokenId, issuedAt, expiresAt } = token;
  const outcome = await service.storage.tokens.exchange(
    tokenHash,
    service.now(),
    { tokenId, issuedAt, expiresAt },
    home,
  );
  if (outcome === 'spent') throw new InnkeeperError('specialTokenInvalid');
  if (outcome === 'suspended') throw suspended();
  if (outcome === 'token-taken') throw new InnkeeperError('tokenNotGenerated');
  return outcome;
}

function suspended(): InnkeeperError {
  return new InnkeeperError('tokenNotGenerated', {
    message: 'The user is suspended, so a token cannot be added to the user. The specialToken is still valid.',
  });
}

function requestOf({ clientId, settings }: Application) {
  return { clientId, lifetimeSeconds: settings.accessTokenTtl, algorithm: settings.tokenAlgorithm };
}

/** Counts how long it took, or that it failed. */
async function timed<T>({ activity }: Service, { appId }: Application, make: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    const made = await make();
    activity.count(appId, 'tokenMicroseconds', Math.round((performance.now() - began) * 1000));
    return made;
  } catch (error) {
    activity.count(appId, 'tokensFailed');
    if (error instanceof TokenServiceUnreachable) throw new InnkeeperError('tokenServiceUnreachable', { cause: error });
    if (error instanceof TokenServiceRefused) throw new InnkeeperError('tokenNotGenerated', { cause: error });
    throw error;
  }
}
