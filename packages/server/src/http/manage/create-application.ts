import { createApplication } from '../../domain/applications/create-application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { whyNoName } from '../../domain/required.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { refuse } from './input.ts';
import { manageRoute } from './manage-route.ts';

const schema = {
  operationId: 'createApplication',
  summary: 'Create an application',
  description:
    'The clientSecret is shown only in this response. Requires an administrator, or a token for all applications with access own.',
  body: Type.Object({ name: Type.String({ description: 'display name, 1 to 255 characters' }) }),
  response: {
    201: Type.Object({ clientId: Type.String(), clientSecret: Type.String(), name: Type.String() }),
  },
  errors: ['manageForbidden'] as const,
};

export function createApplicationRoute(app: Routes, service: Service): void {
  manageRoute(app, service, { method: 'POST', path: '/applications', schema }, async ({ manager, readBody, reply }) => {
    if (!manager.canCreateApplications) {
      throw new InnkeeperError('manageForbidden', {
        message: 'Only an administrator, or a token for all applications with access "own", can create applications.',
      });
    }
    const { name } = readBody();
    const problem = whyNoName(name);
    if (problem !== undefined) throw refuse('name', problem);
    const { storage, keyring, now, refresh } = service;
    const made = await createApplication(storage, keyring, name, now());
    await refresh().catch(() => {});
    reply.code(201).header('location', `/manage/v1/applications/${made.clientId}`);
    return made;
  });
}
