import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { accountRoute } from './manage-route.ts';
import { endedCookie } from './session-cookie.ts';

const schema = {
  operationId: 'endSession',
  summary: 'Sign out of the portal',
  description: 'The session stops working immediately, in every replica.',
  response: { 204: Type.Null({ description: 'The session has ended.' }) },
  answerHeaders: { 'Set-Cookie': 'clears the cookie' },
};

export function signOutRoute(app: Routes, service: Service): void {
  accountRoute(app, service, { method: 'DELETE', path: '/session', schema }, async ({ signedIn, reply }) => {
    await service.storage.sessions.end(signedIn.account.accountId, signedIn.session.sessionId);
    reply.header('set-cookie', endedCookie(service.publicUrl));
    return undefined;
  });
}
