import { genericTokenEndpointRequest, processGenericTokenEndpointResponse } from 'oauth4webapi';
import { type IssuedToken, TokenServiceRefused } from '../port.ts';
import { type AuthorizationServer, type Metadata, requestOptions } from './authorization-server.ts';
import { checkNewToken, isTokenText, type PublishedKeys } from './identify-token.ts';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const TEN_YEARS_SECONDS = 315_360_000;

/**
 * Token exchange (RFC 8693): trades our signed statement of who the user is for a token that the application's APIs
 * accept.
 */
export async function issueToken(options: {
  server: AuthorizationServer;
  signal: AbortSignal;
  audience: string;
  lifetimeSeconds: number;
  signSubjectToken(metadata: Metadata): Promise<string>;
  hashToken(token: string): string;
  keys: PublishedKeys;
  now(): number;
}): Promise<IssuedToken> {
  const { server, signal } = options;
  const metadata = await server.metadata.get();
  const subjectToken = await options.signSubjectToken(metadata);
  signal.throwIfAborted();
  // Read the clock before the request, so that the token never appears to live longer than it does.
  const issuedAt = options.now();
  const response = await genericTokenEndpointRequest(
    metadata,
    server.client,
    server.authenticate(metadata),
    TOKEN_EXCHANGE,
    {
      subject_token: subjectToken,
      subject_token_type: JWT,
      requested_token_type: ACCESS_TOKEN,
      audience: options.audience,
    },
    requestOptions(signal),
  );
  const issued = await processGenericTokenEndpointResponse(metadata, server.client, response);
  const lifetime = issued.expires_in ?? options.lifetimeSeconds;
  if (issued.token_type !== 'bearer') throw new TokenServiceRefused(`its token is of type ${issued.token_type}`);
  if (!isTokenText(issued.access_token)) throw new TokenServiceRefused('its token cannot be sent in a header');
  if (lifetime < 1) throw new TokenServiceRefused('its token has already expired');
  const endsAt = await checkNewToken(issued.access_token, options.keys, metadata, issuedAt);
  const expiresAt = issuedAt + Math.floor(Math.min(lifetime, TEN_YEARS_SECONDS) * 1000);
  return {
    accessToken: issued.access_token,
    tokenId: options.hashToken(issued.access_token),
    issuedAt,
    expiresAt: Math.min(expiresAt, endsAt ?? expiresAt),
  };
}
