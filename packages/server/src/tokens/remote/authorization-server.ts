import {
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discoveryRequest,
  type AuthorizationServer as Metadata,
  processDiscoveryResponse,
} from 'oauth4webapi';
import { TokenServiceRefused, TokenServiceUnreachable } from '../port.ts';
import type { Deadlines } from './deadlines.ts';
import { fetchAnswer } from './fetch-answer.ts';
import { createRemembered, type Remembered } from './remembered.ts';

export type { Metadata };

/** The server as described by its metadata, and our client there. */
export type AuthorizationServer = {
  metadata: Remembered<Metadata>;
  client: Client;
  authenticate(metadata: Metadata): ClientAuth;
};

const TEN_MINUTES = 600_000;
const ONE_DAY = 86_400_000;

export function createAuthorizationServer(options: {
  issuer: URL;
  clientId: string;
  clientSecret: string;
  deadlines: Deadlines;
  /** RFC 8414 first, then OpenID Connect Discovery: many servers publish only one of them. */
  discovery?: readonly Discovery[];
}): AuthorizationServer {
  const { issuer, clientId, clientSecret, deadlines, discovery = ['oauth2', 'oidc'] } = options;
  return {
    metadata: createRemembered({
      load: () => deadlines.run((signal) => discover(issuer, discovery, signal)),
      freshMs: TEN_MINUTES,
      keptMs: ONE_DAY,
    }),
    client: { client_id: clientId },
    authenticate(metadata) {
      // RFC 8414: a server that lists no methods accepts HTTP Basic.
      const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const post = methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
      return post ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
    },
  };
}

/** Options for every oauth4webapi call. fetchAnswer decides which http addresses are allowed. */
export function requestOptions(signal: AbortSignal) {
  return { signal, [customFetch]: fetchAnswer, [allowInsecureRequests]: true } as const;
}

type Discovery = 'oauth2' | 'oidc';

async function discover(issuer: URL, discovery: readonly Discovery[], signal: AbortSignal): Promise<Metadata> {
  let reason = '';
  for (const algorithm of discovery) {
    try {
      const response = await discoveryRequest(issuer, { ...requestOptions(signal), algorithm });
      return await processDiscoveryResponse(issuer, response);
    } catch (error) {
      if (error instanceof TokenServiceUnreachable) throw error;
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  throw new TokenServiceRefused(
    `${issuer.href} publishes no OAuth 2.0 metadata; this URL must be its issuer (${reason})`,
  );
}
