import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { addGroup } from '../../domain/catalog/edits/groups.ts';
import { CatalogFileSchema } from '../../domain/catalog/file-schema.ts';
import type { Service } from '../../domain/service.ts';
import { membersReadElsewhere, Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer } from './schemas.ts';
import { EDIT_LIMIT } from './uploads.ts';

const { name, translations, descriptions, keys } = CatalogFileSchema.properties.groups.items.properties;
export const PositionMember = Type.Optional(
  Type.Integer({ minimum: 0, description: 'position among its siblings; default: last' }),
);

const schema = {
  operationId: 'createGroup',
  summary: 'Add a group to the catalog',
  description: 'As in the catalog file. An archived group of this name is restored.',
  headers: IfMatchHeader,
  querystring: EditQuery,
  body: Type.Object({
    ...membersReadElsewhere({ name, translations, descriptions, keys }),
    position: PositionMember,
  }),
  response: { 201: Type.Object({ groupUid: Type.String({ format: 'uuid' }), ...EditedAnswer.properties }) },
  answerHeaders: EDITED_HEADERS,
  errors: EDIT_ERRORS,
};

export function createGroupRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/catalog/groups', schema, bodyLimit: EDIT_LIMIT } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = readEditOptions(context);
    const { position, ...group } = context.readBody();
    const edited = await editCatalog(service, context.application, addGroup(group, position), options);
    const made = edited.plan.next.groups.find((each) => !each.archived && each.name === group.name);
    context.reply.code(201);
    return { groupUid: made?.groupUid, ...(await answerEdited(context.reply, edited)) };
  });
}
