import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { SignedInShape, viewSignedIn } from './account-views.ts';
import { SIGNED_IN } from './examples.ts';
import { accountRoute } from './manage-route.ts';

const schema = {
  operationId: 'getSession',
  summary: 'Get the current portal session and its permissions',
  response: { 200: SignedInShape },
  examples: { owner: { summary: 'The owner', status: 200, answer: SIGNED_IN } },
};

export function getSessionRoute(app: Routes, service: Service): void {
  accountRoute(app, service, { method: 'GET', path: '/session', schema }, async ({ signedIn }) =>
    viewSignedIn(service, signedIn),
  );
}
