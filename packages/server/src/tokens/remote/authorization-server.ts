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
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { currentSpan } from '../../domain/tracing.ts';
import { TokenServiceRefused, TokenServiceUnreachable } from '../port.ts';
import { type Cached, createCached } from './cached.ts';
import type { Deadlines } from './guarded-calls.ts';

export type { Metadata };

/** The server as described by its metadata, and our client there. */
export type AuthorizationServer = {
  metadata: Cached<Metadata>;
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
    metadata: createCached({
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

/** Options for every oauth4webapi call. fetchResponse decides which http addresses are allowed. */
export function requestOptions(signal: AbortSignal) {
  return { signal, [customFetch]: fetchResponse, [allowInsecureRequests]: true } as const;
}

type Discovery = 'oauth2' | 'oidc';

async function discover(issuer: URL, discovery: readonly Discovery[], signal: AbortSignal): Promise<Metadata> {
  let reason = '';
  for (const algorithm of discovery) {
    try {
      const response = await discoveryRequest(issuer, { ...requestOptions(signal), algorithm });
      const metadata = await processDiscoveryResponse(issuer, response);
      requireHttps(issuer, metadata);
      return metadata;
    } catch (error) {
      if (error instanceof TokenServiceUnreachable) throw error;
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  throw new TokenServiceRefused(
    `${issuer.href} publishes no OAuth 2.0 metadata; this URL must be its issuer (${reason})`,
  );
}

/** A server elsewhere must not make us send its codes and our secret to a program on this machine. */
function requireHttps(issuer: URL, metadata: Metadata): void {
  if (issuer.protocol !== 'https:') return;
  for (const [name, address] of Object.entries(metadata)) {
    const isAddress = name === 'jwks_uri' || name.endsWith('_endpoint');
    if (!isAddress || typeof address !== 'string' || URL.parse(address)?.protocol === 'https:') continue;
    throw new TokenServiceRefused(`its ${name} must use https, as the issuer does`);
  }
}

const MAX_BODY_BYTES = 64 * 1024;
/** A response in chunks of a byte would take half a second to read. */
const MAX_BODY_CHUNKS = 1024;

/** Its response says nothing about a token. Counts as unreachable, except for an exchange: see toTokenError. */
class TokenServiceFailed extends TokenServiceUnreachable {
  readonly #status: number;
  constructor(status: number) {
    super(`the token service responded with HTTP ${status}`);
    this.#status = status;
  }
  get isFromGateway(): boolean {
    return this.#status >= 502 && this.#status <= 504;
  }
}

/**
 * The only code that calls the token service. Returns a complete response of limited size, or throws one of the port's
 * two errors. It has fetch's signature, so that oauth4webapi sends everything through it.
 */
export async function fetchResponse(
  address: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: RequestInit['body'];
    signal?: AbortSignal | undefined;
  },
): Promise<Response> {
  // The server's metadata names the endpoints: they must be as safe as the configured address.
  requireSafeAddress(new URL(address));
  const { method, headers, body, signal } = init;
  const span = currentSpan()?.call(method, address);
  try {
    const response = await fetch(address, {
      method,
      headers: span ? { ...headers, ...span.headers } : headers,
      redirect: 'manual',
      signal: signal ?? null,
      body: body ?? null,
    });
    span?.end({ status: response.status });
    // 429 says nothing about the token, only "not now".
    if (response.status >= 500 || response.status === 429) {
      await response.body?.cancel();
      throw new TokenServiceFailed(response.status);
    }
    return new Response(await readBody(response), { status: response.status, headers: response.headers });
  } catch (error) {
    span?.end({ failure: signal?.aborted ? 'timeout' : 'unreachable' });
    if (error instanceof TokenServiceUnreachable || error instanceof TokenServiceRefused) throw error;
    if (signal?.aborted && signal.reason instanceof TokenServiceUnreachable) throw signal.reason;
    throw new TokenServiceUnreachable('the token service cannot be reached', { cause: error });
  }
}

/** Plain http is only for a token service on the same machine: requests contain a client secret. */
export function requireSafeAddress(url: URL): void {
  const loopback = /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && loopback)) return;
  throw new TokenServiceRefused(
    `${url.origin} is not a valid token service address: use https (http on loopback only)`,
  );
}

/** Counts decompressed bytes, so that a small response cannot expand without limit. */
async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!response.body) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    // Leaving the loop cancels the rest of the body.
    if (size > MAX_BODY_BYTES) throw new TokenServiceRefused(`the response is over ${MAX_BODY_BYTES} bytes`);
    if (chunks.push(chunk) > MAX_BODY_CHUNKS)
      throw new TokenServiceRefused(`the response has over ${MAX_BODY_CHUNKS} chunks`);
  }
  return size === 0 ? null : new Uint8Array(Buffer.concat(chunks));
}

/**
 * Converts any failure to the port's errors. A server that returns 500 or 429 was reached, and issued no token. Drops
 * the `cause` of oauth4webapi's errors: it contains the response body, and a token in it could end up in a log.
 */
export function toTokenError(error: unknown): TokenServiceRefused | TokenServiceUnreachable {
  if (error instanceof TokenServiceFailed && !error.isFromGateway) return new TokenServiceRefused(error.message);
  if (error instanceof TokenServiceUnreachable || error instanceof TokenServiceRefused) return error;
  return new TokenServiceRefused(`no usable token from the token service: ${describe(error)}`);
}

/** For calls that request no token: they can only fail because the service could not respond. */
export function toUnreachable(error: unknown): TokenServiceUnreachable {
  const known = toTokenError(error);
  return known instanceof TokenServiceUnreachable ? known : new TokenServiceUnreachable(known.message);
}

function describe(error: unknown): string {
  if (error instanceof ResponseBodyError) {
    const text = [`HTTP ${error.status}`, error.error, error.error_description].filter(Boolean).join(' ');
    return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
  }
  if (error instanceof WWWAuthenticateChallengeError)
    return `HTTP ${error.status}, our client credentials are not accepted`;
  return error instanceof Error ? error.message : String(error);
}
