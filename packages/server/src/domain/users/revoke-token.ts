import type { Application } from '../applications/application.ts';
import type { Service } from '../service.ts';
import { findTokenOwner } from './authenticate.ts';

/**
 * RFC 7009: a text that is not a token of this application counts as already revoked. A suspended user's token does
 * not.
 */
export async function revokeToken(service: Service, application: Application, accessToken: string): Promise<void> {
  const { tokens } = service.storage;
  const user = await findTokenOwner(service, accessToken, (tokenId, now) => tokens.findOwner(tokenId, now));
  if (user?.appId === application.appId) await tokens.revoke(application.appId, user.token.tokenId);
}
