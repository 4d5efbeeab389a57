import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { changeGroup } from '../../domain/catalog/edits/groups.ts';
import type { Service } from '../../domain/service.ts';
import { membersReadElsewhere, Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { PositionMember } from './create-group.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer, GroupParams, Nullable } from './schemas.ts';

export const TranslationsPatch = Type.Optional(
  Type.Record(Type.String(), Nullable(Type.String()), {
    description: 'texts by language (name or tag); null removes one, others stay unchanged',
  }),
);
export const DescriptionsPatch = Type.Optional(
  Type.Record(Type.String(), Nullable(Type.String()), {
    description: 'help texts by language (name or tag); null removes one, others stay unchanged',
  }),
);
export const ArchivedMember = Type.Optional(Type.Literal(false, { description: 'restores it from the archive' }));

const schema = {
  operationId: 'changeGroup',
  summary: 'Change a group: name, texts or position, or restore it',
  description: 'Restoring a group restores the keys that were live when it was archived.',
  headers: IfMatchHeader,
  params: GroupParams,
  querystring: EditQuery,
  body: Type.Object({
    ...membersReadElsewhere({
      name: Type.Optional(Type.String()),
      translations: TranslationsPatch,
      descriptions: DescriptionsPatch,
    }),
    position: PositionMember,
    archived: ArchivedMember,
  }),
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: [...EDIT_ERRORS, 'catalogItemNotFound'] as const,
};

export function changeGroupRoute(app: Routes, service: Service): void {
  applicationRoute(app, service, { method: 'PATCH', path: '/catalog/groups/:groupUid', schema }, async (context) => {
    const options = readEditOptions(context);
    const body = context.readBody();
    const { position, archived, ...patch } = body;
    const where = { position, unarchive: archived === false };
    const edit = changeGroup(context.params.groupUid as string, patch, where);
    return answerEdited(context.reply, await editCatalog(service, context.application, edit, options));
  });
}
