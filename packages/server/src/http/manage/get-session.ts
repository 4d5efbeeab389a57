import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { SignedInShape, viewSignedIn } from './account-views.ts';

import { accountRoute } from './manage-route.ts';

const schema = {
  operationId: 'getSession',
  summary: 'Get the current portal session and its permissions',
  response: { 200: SignedInShape },
};

export function getSessionRoute(app: Routes, service: Service): void {
  accountRoute(app, service, { method: 'GET', path: '/session', schema }, async ({ signedIn }) =>
    viewSignedIn(service, signedIn),
  );
}
