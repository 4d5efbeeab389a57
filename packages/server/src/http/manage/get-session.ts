import type { FastifyInstance } from 'fastify';
import type { Service } from '../../domain/service.ts';
import { SignedInShape, viewSignedIn } from './account-views.ts';
import { accountRoute } from './manage-route.ts';

const schema = {
  operationId: 'getSession',
  summary: 'See who is signed in to the portal',
  response: { 200: SignedInShape },
};

export function getSessionRoute(app: FastifyInstance, service: Service): void {
  accountRoute(app, service, { method: 'GET', path: '/session', schema }, async ({ signedIn }) =>
    viewSignedIn(signedIn),
  );
}
