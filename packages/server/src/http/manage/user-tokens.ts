import { recordLink } from '../../domain/audit.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { makePreferenceLink } from '../../domain/preferences/links.ts';
import type { Service } from '../../domain/service.ts';
import { reissueSpecialToken } from '../../domain/users/credentials.ts';
import { findUser } from '../../domain/users/identify-user.ts';
import { membersReadElsewhere, Type } from '../../schema.ts';
import { formatTime } from '../../time.ts';
import { readUuid } from '../../uuid.ts';
import { DELETION_RECEIPT, JWT_TYPE, writeDeletionReceipt } from '../users/deletion-receipt.ts';
import { PreferenceLinkBody } from '../users/preference-link.ts';
import { FileResponse, type ManageRoutes } from './manage-route.ts';
import { OF_USER, Time } from './schemas.ts';

const { groups, language, expires_in, unsubscribe } = PreferenceLinkBody.properties;

/** Tokens, links and receipts of a user. */
export function userTokenRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('POST', '/users/:userUid/special-token', {
    operationId: 'reissueSpecialToken',
    ...OF_USER,
    summary: 'Issue a new specialToken for a user',
    description: 'Earlier unused ones stop working.',
    response: { 201: Type.Object({ specialToken: Type.String(), expiresAt: Time }) },
    async handle({ application, params }) {
      const user = await findUser(service, application, params.userUid);
      const { specialToken, expiresAt } = await reissueSpecialToken(service, application, user);
      return { specialToken, expiresAt: formatTime(expiresAt) };
    },
  });

  applicationRoute('POST', '/users/:userUid/preference-link', {
    operationId: 'createUserLink',
    ...OF_USER,
    summary: 'Create a link to the preferences of a user',
    description:
      'Anyone with the link can see and change the options of this user without signing in. At most 200 characters.',
    body: Type.Object(membersReadElsewhere({ groups, language, expiresIn: expires_in, unsubscribe })),
    response: {
      201: Type.Object({
        url: Type.String({ format: 'uri' }),
        expiresAt: Time,
        unsubscribeUrl: Type.Optional(Type.String({ format: 'uri', description: 'with `unsubscribe`' })),
      }),
    },
    async handle({ application, manager, params, readBody }) {
      const wanted = readBody();
      const user = await findUser(service, application, params.userUid);
      const { expiresAt, ...made } = await makePreferenceLink(service, application, user, wanted);
      const about = { actor: manager.author, appId: application.appId, userId: user.userId };
      await recordLink(service.storage.audit, about, service.now());
      return { ...made, expiresAt: formatTime(expiresAt) };
    },
  });

  applicationRoute('DELETE', '/users/:userUid/preference-link', {
    operationId: 'withdrawUserLinks',
    ...OF_USER,
    summary: 'Withdraw the preference links of a user',
    description: 'All links created for this user so far stop working.',
    response: { 204: Type.Null() },
    async handle({ application, params }) {
      const { userId } = await findUser(service, application, params.userUid);
      const outcome = await service.storage.users.withdrawLinks(application.appId, userId);
      if (outcome === 'unknown') throw new InnkeeperError('userNotFound');
    },
  });

  applicationRoute('GET', '/users/:userUid/deletion-receipt', {
    ...OF_USER,
    ...DELETION_RECEIPT,
    operationId: 'getUserDeletionReceipt',
    async handle({ application, params }) {
      const { userUid } = params;
      const receipt = await writeDeletionReceipt(service, application, userUid);
      if (receipt === undefined) throw new InnkeeperError('userNotFound');
      return new FileResponse(JWT_TYPE, `deleted-${userUid}.jwt`, receipt);
    },
  });

  applicationRoute('DELETE', '/users/:userUid/tokens/:tokenId', {
    operationId: 'revokeAccessToken',
    ...OF_USER,
    summary: 'Revoke an access token of a user',
    description: 'It stops working immediately, in every replica.',
    params: Type.Object({ ...OF_USER.params.properties, tokenId: Type.String() }),
    response: { 204: Type.Null({ description: 'The token was revoked.' }) },
    errors: [...OF_USER.errors, 'accessTokenNotFound'],
    async handle({ application, params }) {
      const { userId } = await findUser(service, application, params.userUid);
      const tokens = await service.storage.tokens.list(userId, service.now());
      // The id of a token from another server is no UUID.
      const wanted = readUuid(params.tokenId) ?? params.tokenId;
      const token = tokens.find(({ tokenId }) => tokenId === wanted);
      if (!token) throw new InnkeeperError('accessTokenNotFound');
      await service.storage.tokens.revoke(application.appId, token.tokenId);
    },
  });

  applicationRoute('DELETE', '/users/:userUid/tokens', {
    operationId: 'revokeAccessTokens',
    ...OF_USER,
    summary: 'Revoke all tokens of a user',
    description:
      'Every access token, and an unused specialToken. They stop working immediately, in every replica; the user has to sign in again.',
    response: { 204: Type.Null({ description: 'The user has no valid token.' }) },
    async handle({ application, params }) {
      const { userId } = await findUser(service, application, params.userUid);
      await service.storage.tokens.revokeAll(application.appId, userId);
    },
  });
}
