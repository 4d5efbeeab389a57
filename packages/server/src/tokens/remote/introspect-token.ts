import {
  type IntrospectionResponse,
  introspectionRequest,
  processIntrospectionResponse,
  ResponseBodyError,
} from 'oauth4webapi';
import { type AuthorizationServer, type Metadata, requestOptions } from './authorization-server.ts';

/** Introspection (RFC 7662): what the server says about an opaque token; undefined if it is not active. */
export async function introspectToken(
  token: string,
  server: AuthorizationServer,
  metadata: Metadata,
  signal: AbortSignal,
): Promise<IntrospectionResponse | undefined> {
  const response = await introspectionRequest(metadata, server.client, server.authenticate(metadata), token, {
    ...requestOptions(signal),
    additionalParameters: { token_type_hint: 'access_token' },
  });
  try {
    const answer = await processIntrospectionResponse(metadata, server.client, response);
    if (!answer.active) return undefined;
    return answer.iss === undefined || answer.iss === metadata.issuer ? answer : undefined;
  } catch (error) {
    // Some servers answer like this to text that cannot be one of their tokens. 401 and 403 concern us, not the token.
    if (error instanceof ResponseBodyError && error.status === 400) return undefined;
    throw error;
  }
}
