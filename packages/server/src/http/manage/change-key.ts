import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { changeKey } from '../../domain/catalog/edits/keys.ts';
import type { Service } from '../../domain/service.ts';
import { membersReadElsewhere, type TProperties, Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { ArchivedMember, DescriptionsPatch, TranslationsPatch } from './change-group.ts';
import { PositionMember } from './create-group.ts';
import { KEY_MEMBERS } from './create-key.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer, FileKeySchema, KeyParams, Nullable } from './schemas.ts';
import { EDIT_LIMIT } from './uploads.ts';

const patched: TProperties = Object.fromEntries(
  KEY_MEMBERS.map((name) => [name, Type.Optional(Nullable(FileKeySchema.properties[name]))]),
);

const schema = {
  operationId: 'changeKey',
  summary: 'Change a key: definition, texts, group or position, or restore it',
  description:
    'Fields that are not given stay unchanged, null removes one. Texts change one by one; anything else is replaced completely.',
  headers: IfMatchHeader,
  params: KeyParams,
  querystring: EditQuery,
  body: Type.Object({
    ...membersReadElsewhere({ ...patched, translations: TranslationsPatch, descriptions: DescriptionsPatch }),
    groupUid: Type.Optional(
      Type.String({ format: 'uuid', description: 'moves it to this group; UID and selections stay' }),
    ),
    position: PositionMember,
    archived: ArchivedMember,
  }),
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: [...EDIT_ERRORS, 'catalogItemNotFound'] as const,
};

export function changeKeyRoute(app: Routes, service: Service): void {
  const operation = { method: 'PATCH', path: '/catalog/keys/:keyUid', schema, bodyLimit: EDIT_LIMIT } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = readEditOptions(context);
    const body = context.readBody();
    const { position, archived, groupUid, ...patch } = body;
    const where = {
      position,
      unarchive: archived === false,
      groupUid: groupUid?.toLowerCase(),
    };
    const edit = changeKey(context.params.keyUid as string, patch, where);
    return answerEdited(context.reply, await editCatalog(service, context.application, edit, options));
  });
}
