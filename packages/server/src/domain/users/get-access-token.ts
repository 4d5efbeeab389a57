import type { UserRecord } from '../../storage/port.ts';
import { type IssuedToken, TokenServiceRefused, TokenServiceUnreachable } from '../../tokens/port.ts';
import type { Admit } from '../applications/admit.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import { required } from '../required.ts';
import type { Service } from '../service.ts';
import { emailOf } from './email.ts';
import { applicationOfToken } from './special-token.ts';

export type GetAccessTokenRequest = {
  clientSecret: unknown;
  specialToken: unknown;
  /** Told whose request it is as soon as that is known, also where it is refused later. */
  about: { appId?: number; userId?: string };
  admit: Admit;
};

export type AccessGrant = {
  userId: string;
  name: string;
  email: string;
  accessToken: string;
  expiresInSeconds: number;
};

/**
 * Exchanges a specialToken for an access token. The token is made first and spent last, in one
 * conditional act: whoever's act finds it unspent wins, and while the token service fails it stays good.
 */
export async function getAccessToken(service: Service, request: GetAccessTokenRequest): Promise<AccessGrant> {
  const clientSecret = required(request.clientSecret, 'clientSecret', 'clientSecretMissingOnExchange');
  const specialToken = required(request.specialToken, 'specialToken', 'specialTokenMissing');

  const application = await service.applications.findBySecret(clientSecret, service.now());
  if (!application) throw new InnkeeperError('secretAndTokenNotRecognised');
  request.about.appId = application.appId;
  request.admit(application);
  const owner = applicationOfToken(specialToken);
  if (owner !== undefined && owner !== application.appId) throw new InnkeeperError('secretAndTokenNotRecognised');

  const tokenHash = service.keyring.hashToken(specialToken);
  const user = await service.storage.tokens.findSpecialToken(tokenHash, service.now());
  if (!user) throw new InnkeeperError('specialTokenInvalid');
  if (user.appId !== application.appId) throw new InnkeeperError('secretAndTokenNotRecognised');

  request.about.userId = user.userId;
  const issued = await issue(service, application, user);
  const outcome = await service.storage.tokens.exchange(tokenHash, service.now(), issued);
  if (outcome === 'spent') throw new InnkeeperError('specialTokenInvalid');
  if (outcome === 'token-taken') throw new InnkeeperError('tokenNotGenerated');
  service.activity.count(application.appId, 'tokensIssued');

  return {
    userId: user.userId,
    name: user.clientUserName,
    email: emailOf(user.clientUserId),
    accessToken: issued.accessToken,
    expiresInSeconds: Math.round((issued.expiresAt - issued.issuedAt) / 1000),
  };
}

async function issue(service: Service, application: Application, user: UserRecord): Promise<IssuedToken> {
  const { appId, clientId, settings } = application;
  const began = performance.now();
  try {
    const issued = await service.tokens.issue({ user, clientId, lifetimeSeconds: settings.accessTokenTtl });
    service.activity.count(appId, 'tokenMicroseconds', Math.round((performance.now() - began) * 1000));
    return issued;
  } catch (error) {
    service.activity.count(appId, 'tokensFailed');
    if (error instanceof TokenServiceUnreachable) throw new InnkeeperError('tokenServiceUnreachable', { cause: error });
    if (error instanceof TokenServiceRefused) throw new InnkeeperError('tokenNotGenerated', { cause: error });
    throw error;
  }
}
