import { discardDraft } from '../../domain/catalog/draft.ts';
import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { IfMatchHeader, readDraftOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';

const schema = {
  operationId: 'discardDraft',
  summary: 'Discard the draft of the catalog',
  description:
    'The published catalog stays unchanged. Access "write" is required if the draft changes more than texts.',
  headers: IfMatchHeader,
  response: { 204: { description: 'The draft was discarded.', type: 'null' } },
  errors: ['ifMatchMissing', 'draftChanged', 'draftNotFound'] as const,
};

export function discardDraftRoute(app: Routes, service: Service): void {
  const operation = { method: 'DELETE', path: '/catalog/draft', schema, access: 'texts' } as const;
  applicationRoute(app, service, operation, async (context) => {
    await discardDraft(service, context.application, readDraftOptions(context));
    return undefined;
  });
}
