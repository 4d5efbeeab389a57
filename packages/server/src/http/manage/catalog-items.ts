import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import {
  addGroup,
  addKey,
  archiveGroup,
  archiveKey,
  changeGroup,
  changeKey,
  setOrder,
  setValues,
} from '../../domain/catalog/edits/groups-and-keys.ts';
import { CatalogFileSchema } from '../../domain/catalog/file-schema.ts';
import { migrateValues, migrationProblem, planMigration } from '../../domain/catalog/migrate-values.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { inNfc } from '../../nfc.ts';
import { membersReadElsewhere, Nullable, readElsewhere, type TProperties, Type } from '../../schema.ts';
import { EDIT, EDIT_ITEM, EDIT_LIMIT, readEditOptions, respondEdited, respondToEdit } from './edit-options.ts';
import { refuse } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { EditedResponse, FileKeySchema, GroupParams, KeyParams } from './schemas.ts';

const { name, translations, descriptions, keys } = CatalogFileSchema.properties.groups.items.properties;

const PositionMember = Type.Optional(
  Type.Integer({ minimum: 0, description: 'position among its siblings; default: last' }),
);

const patchOf = (texts: string) =>
  Type.Optional(
    Type.Record(Type.String(), Nullable(Type.String()), {
      description: `${texts} by language (name or tag); null removes one, others stay unchanged`,
    }),
  );

const TEXTS_PATCH = { translations: patchOf('texts'), descriptions: patchOf('help texts') };

const ArchivedMember = Type.Optional(Type.Literal(false, { description: 'restores it from the archive' }));

const { was: _, ...KeyMembers } = FileKeySchema.properties;

const patched: TProperties = Object.fromEntries(
  Object.entries(KeyMembers).map(([name, member]) => [name, Type.Optional(Nullable(member))]),
);

/** A request ends well before proxies time out. */
const REQUEST_MS = 20_000;

const ScalarMember = (description: string) =>
  Type.Union([Type.Boolean(), Type.String(), Type.Number()], { description });

const MAX_GROUPS = 10_000;

/** Groups and keys of the catalog, one at a time. */
export function catalogItemRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('POST', '/catalog/groups', {
    operationId: 'createGroup',
    ...EDIT,
    bodyLimit: EDIT_LIMIT,
    summary: 'Add a group to the catalog',
    description: 'As in the catalog file. An archived group of this name is restored.',
    body: Type.Object({
      ...membersReadElsewhere({ name, translations, descriptions, keys }),
      position: PositionMember,
    }),
    response: { 201: Type.Object({ groupUid: Type.String({ format: 'uuid' }), ...EditedResponse.properties }) },
    async handle(context) {
      const options = readEditOptions(context);
      const { position, ...group } = context.readBody();
      const edited = await editCatalog(service, context.application, addGroup(group, position), options);
      const made = edited.plan.next.groups.find((each) => !each.archived && each.name === inNfc(group.name as string));
      return { groupUid: made?.groupUid, ...(await respondEdited(context.reply, edited)) };
    },
  });

  applicationRoute('PATCH', '/catalog/groups/:groupUid', {
    operationId: 'changeGroup',
    ...EDIT_ITEM,
    summary: 'Change a group: name, texts or position, or restore it',
    description: 'Restoring a group restores the keys that were live when it was archived.',
    params: GroupParams,
    body: Type.Object({
      ...membersReadElsewhere({ name: Type.Optional(Type.String()), ...TEXTS_PATCH }),
      position: PositionMember,
      archived: ArchivedMember,
    }),
    handle: (context) =>
      respondToEdit(service, context, () => {
        const { position, archived, ...patch } = context.readBody();
        return changeGroup(context.params.groupUid, patch, { position, unarchive: archived === false });
      }),
  });

  applicationRoute('DELETE', '/catalog/groups/:groupUid', {
    operationId: 'archiveGroup',
    ...EDIT_ITEM,
    summary: 'Archive a group with its keys',
    description: 'It is no longer offered; users keep their selections.',
    params: GroupParams,
    handle: (context) => respondToEdit(service, context, () => archiveGroup(context.params.groupUid)),
  });

  applicationRoute('POST', '/catalog/groups/:groupUid/keys', {
    operationId: 'createKey',
    ...EDIT_ITEM,
    bodyLimit: EDIT_LIMIT,
    summary: 'Add a key to a group',
    description: 'As in the catalog file. An archived key of this name is restored.',
    params: GroupParams,
    body: Type.Object({ ...membersReadElsewhere(KeyMembers), position: PositionMember }),
    response: { 201: Type.Object({ keyUid: Type.String({ format: 'uuid' }), ...EditedResponse.properties }) },
    async handle(context) {
      const options = readEditOptions(context);
      const { position, ...key } = context.readBody();
      const { groupUid } = context.params;
      const edited = await editCatalog(service, context.application, addKey(groupUid, key, position), options);
      const group = edited.plan.next.groups.find((each) => each.groupUid === groupUid);
      const made = group?.keys.find((each) => !each.archived && each.name === inNfc(key.name as string));
      return { keyUid: made?.keyUid, ...(await respondEdited(context.reply, edited)) };
    },
  });

  applicationRoute('PATCH', '/catalog/keys/:keyUid', {
    operationId: 'changeKey',
    ...EDIT_ITEM,
    bodyLimit: EDIT_LIMIT,
    summary: 'Change a key: definition, texts, group or position, or restore it',
    description:
      'Fields that are not given stay unchanged, null removes one. Texts change one by one; anything else is replaced completely.',
    params: KeyParams,
    body: Type.Object({
      ...membersReadElsewhere({ ...patched, ...TEXTS_PATCH }),
      groupUid: Type.Optional(
        Type.String({ format: 'uuid', description: 'moves it to this group; UID and selections stay' }),
      ),
      position: PositionMember,
      archived: ArchivedMember,
    }),
    handle: (context) =>
      respondToEdit(service, context, () => {
        const { position, archived, groupUid, ...patch } = context.readBody();
        const where = { position, unarchive: archived === false, groupUid: groupUid?.toLowerCase() };
        return changeKey(context.params.keyUid, patch, where);
      }),
  });

  applicationRoute('POST', '/catalog/keys/:keyUid/migrate', {
    operationId: 'migrateValues',
    summary: 'Replace a value in the selections of all users',
    description:
      'In a list, the new value replaces the old one, without duplicates. Selections change in small batches, with their history, while users keep saving. A request takes at most 20 seconds: repeat it until `remaining` is 0.',
    params: KeyParams,
    body: Type.Object({
      from: ScalarMember('the value to replace; it may be retired, or no longer in the catalog'),
      to: ScalarMember('an allowed value of the key'),
      dryRun: Type.Optional(Type.Boolean({ description: 'only count them', default: false })),
    }),
    response: {
      200: Type.Object({
        keyUid: Type.String({ format: 'uuid' }),
        planned: Type.Integer({ description: 'selections with the value when the request arrived' }),
        migrated: Type.Integer({ description: 'selections changed by this request' }),
        remaining: Type.Integer({ description: 'selections that still have it' }),
      }),
    },
    errors: ['catalogItemNotFound', 'manageBadRequest'],
    async handle({ application: { appId }, manager, params, readBody }) {
      const { from, to, dryRun = false } = readBody();
      await service.refresh();
      const catalog = await service.catalogs.get(appId);
      const placed = catalog.keyByUid.get(params.keyUid);
      if (!placed) throw new InnkeeperError('catalogItemNotFound');
      const wanted = { placed, from, to };
      const problem = migrationProblem(wanted);
      if (problem) throw refuse(problem.field, problem.message);
      const { selections: planned } = await planMigration(service.storage, appId, wanted);
      const { keyUid } = placed.key;
      if (dryRun) return { keyUid, planned, migrated: 0, remaining: planned };
      const end = performance.now() + REQUEST_MS;
      const how = { now: service.now, actor: manager.author, isOver: () => performance.now() > end };
      const done = await migrateValues(service.storage, appId, catalog, wanted, how);
      return { keyUid, planned, ...done };
    },
  });

  applicationRoute('DELETE', '/catalog/keys/:keyUid', {
    operationId: 'archiveKey',
    ...EDIT_ITEM,
    summary: 'Archive a key',
    description: 'It is no longer offered; users keep their selections.',
    params: KeyParams,
    handle: (context) => respondToEdit(service, context, () => archiveKey(context.params.keyUid)),
  });

  applicationRoute('PUT', '/catalog/keys/:keyUid/values', {
    operationId: 'putValues',
    ...EDIT_ITEM,
    bodyLimit: EDIT_LIMIT,
    summary: 'Set the allowed values of a key, in order, with their texts',
    description: 'An open key becomes limited to these values.',
    params: KeyParams,
    body: Type.Object({ values: Type.Array(readElsewhere(FileKeySchema.properties.values.items)) }),
    handle: (context) =>
      respondToEdit(service, context, () => setValues(context.params.keyUid, context.readBody().values)),
  });

  applicationRoute('PUT', '/catalog/order', {
    operationId: 'putOrder',
    ...EDIT,
    bodyLimit: EDIT_LIMIT,
    summary: 'Set the order of groups and keys',
    description: 'All groups that are not archived, each with all its keys; omit `keys` to keep their order.',
    body: Type.Object({
      groups: Type.Array(
        Type.Object({
          groupUid: Type.String({ format: 'uuid' }),
          keys: Type.Optional(Type.Array(Type.String({ format: 'uuid' }))),
        }),
        { maxItems: MAX_GROUPS },
      ),
    }),
    handle: (context) => respondToEdit(service, context, () => setOrder(context.readBody().groups)),
  });
}
