import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { addKey } from '../../domain/catalog/edits/keys.ts';
import type { Service } from '../../domain/service.ts';
import { membersReadElsewhere, Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { PositionMember } from './create-group.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer, FileKeySchema, GroupParams } from './schemas.ts';
import { EDIT_LIMIT } from './uploads.ts';

const { was: _, ...KeyMembers } = FileKeySchema.properties;
export const KEY_MEMBERS = Object.keys(KeyMembers) as (keyof typeof KeyMembers)[];

const schema = {
  operationId: 'createKey',
  summary: 'Add a key to a group',
  description: 'As in the catalog file. An archived key of this name is restored.',
  headers: IfMatchHeader,
  params: GroupParams,
  querystring: EditQuery,
  body: Type.Object({ ...membersReadElsewhere(KeyMembers), position: PositionMember }),
  response: { 201: Type.Object({ keyUid: Type.String({ format: 'uuid' }), ...EditedAnswer.properties }) },
  answerHeaders: EDITED_HEADERS,
  errors: [...EDIT_ERRORS, 'catalogItemNotFound'] as const,
};

export function createKeyRoute(app: Routes, service: Service): void {
  const path = '/catalog/groups/:groupUid/keys';
  const operation = { method: 'POST', path, schema, bodyLimit: EDIT_LIMIT } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = readEditOptions(context);
    const { position, ...key } = context.readBody();
    const groupUid = context.params.groupUid as string;
    const edit = addKey(groupUid, key, position);
    const edited = await editCatalog(service, context.application, edit, options);
    const group = edited.plan.next.groups.find((each) => each.groupUid === groupUid);
    const made = group?.keys.find((each) => !each.archived && each.name === key.name);
    context.reply.code(201);
    return { keyUid: made?.keyUid, ...(await answerEdited(context.reply, edited)) };
  });
}
