import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { setOrder } from '../../domain/catalog/edits/order.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer } from './schemas.ts';
import { EDIT_LIMIT } from './uploads.ts';

const MAX_GROUPS = 10_000;

const schema = {
  operationId: 'putOrder',
  summary: 'Set the order of groups and keys',
  description: 'All groups that are not archived, each with all its keys; omit `keys` to keep their order.',
  headers: IfMatchHeader,
  querystring: EditQuery,
  body: Type.Object({
    groups: Type.Array(
      Type.Object({
        groupUid: Type.String({ format: 'uuid' }),
        keys: Type.Optional(Type.Array(Type.String({ format: 'uuid' }))),
      }),
      { maxItems: MAX_GROUPS },
    ),
  }),
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: EDIT_ERRORS,
};

export function putOrderRoute(app: Routes, service: Service): void {
  const operation = { method: 'PUT', path: '/catalog/order', schema, bodyLimit: EDIT_LIMIT } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = readEditOptions(context);
    const { groups } = context.readBody();
    const edit = setOrder(groups);
    return answerEdited(context.reply, await editCatalog(service, context.application, edit, options));
  });
}
