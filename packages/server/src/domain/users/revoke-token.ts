import type { Application } from '../applications/application.ts';
import type { Service } from '../service.ts';
import { introspectToken } from './introspect-token.ts';

/** RFC 7009: whatever is not a live token of this application is already as revoked as it can be. */
export async function revokeToken(service: Service, application: Application, accessToken: string): Promise<void> {
  const user = await introspectToken(service, application, accessToken);
  if (user) await service.storage.tokens.revoke(application.appId, user.token.tokenId);
}
