import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { setValues } from '../../domain/catalog/edits/keys.ts';
import type { Service } from '../../domain/service.ts';
import { readElsewhere, Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer, FileKeySchema, KeyParams } from './schemas.ts';
import { EDIT_LIMIT } from './uploads.ts';

const schema = {
  operationId: 'putValues',
  summary: 'Set the allowed values of a key, in order, with their texts',
  description: 'An open key becomes limited to these values.',
  headers: IfMatchHeader,
  params: KeyParams,
  querystring: EditQuery,
  body: Type.Object({ values: Type.Array(readElsewhere(FileKeySchema.properties.values.items)) }),
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: [...EDIT_ERRORS, 'catalogItemNotFound'] as const,
};

export function putValuesRoute(app: Routes, service: Service): void {
  const operation = { method: 'PUT', path: '/catalog/keys/:keyUid/values', schema, bodyLimit: EDIT_LIMIT } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = readEditOptions(context);
    const { values } = context.readBody();
    const edit = setValues(context.params.keyUid as string, values);
    return answerEdited(context.reply, await editCatalog(service, context.application, edit, options));
  });
}
