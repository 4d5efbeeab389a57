import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { viewApplication } from './application-view.ts';

import { applicationRoute } from './manage-route.ts';
import { ApplicationAnswer } from './schemas.ts';

const schema = {
  operationId: 'getApplication',
  summary: 'Get one application',
  description: 'With its effective settings, the age of its secrets, and counts of its contents.',
  response: { 200: ApplicationAnswer },
};

export function getApplicationRoute(app: Routes, service: Service): void {
  applicationRoute(app, service, { method: 'GET', path: '', schema }, ({ manager, application }) =>
    viewApplication(service, manager, application),
  );
}
