import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { exportUsers, recordUsersExport } from '../../domain/users/export-users.ts';
import type { FileLine } from '../../domain/users/import-line.ts';
import type { ImportCounts, Rejection } from '../../domain/users/import-users.ts';
import { createSearchTest } from '../../domain/users/search-users.ts';
import { Nullable, type Static, Type } from '../../schema.ts';
import { orderedUuid } from '../../uuid.ts';
import { FilterQuery, readFilter } from '../users/user-filter.ts';
import { CreatedQuery, readSpan, refuse } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';

/** A part of an import is checked on the thread that serves everyone, so it stays small. */
const MAX_IMPORT_LINES = 500;

const IMPORT_LIMIT = 8 * 1024 ** 2;

const IF_THERE = ['compare', 'update', 'keep'] as const;

const COUNTS = [
  'lines',
  'created',
  'adopted',
  'updated',
  'unchanged',
  'keptNewer',
  'skipped',
  'deletedSince',
  'profilesOnly',
  'rejected',
] as const satisfies (keyof ImportCounts)[];

const Counts = Type.Object(Object.fromEntries(COUNTS.map((name) => [name, Type.Integer()])), { title: 'ImportCounts' });

const ImportBody = Type.Object({
  lines: Type.Array(
    Type.Object({
      line: Type.Integer(),
      text: Type.Optional(Type.String()),
      unreadable: Type.Optional(
        Type.Enum(['too long', 'not UTF-8'], { description: 'why `text` is missing; the line is rejected' }),
      ),
    }),
    {
      maxItems: MAX_IMPORT_LINES,
      description: 'line number in the file, and the line: one user as JSON',
    },
  ),
  ifThere: Type.Optional(
    Type.Enum([...IF_THERE], {
      default: 'compare',
      description: 'for existing users: reject a line that differs, update the user, or keep the user',
    }),
  ),
  newCodes: Type.Optional(Type.Boolean({ default: false })),
  withRetired: Type.Optional(Type.Boolean({ default: false })),
  restoreDeleted: Type.Optional(Type.Boolean({ default: false })),
  withoutEvents: Type.Optional(
    Type.Boolean({ default: false, description: 'else each user that is created or changed has one event' }),
  ),
  earlierIds: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_IMPORT_LINES,
      description: 'clientUserIds of this part that were in an earlier part',
    }),
  ),
  import: Type.Optional(Type.String()),
});

type SentLine = Static<typeof ImportBody>['lines'][number];

export function transferUserRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('POST', '/users/import', {
    operationId: 'importUsers',
    bodyLimit: IMPORT_LIMIT,
    summary: 'Import users with their selections, in parts',
    description:
      'Each line is imported completely or not at all, as with `innkeeper users import`, which uses this. Send `import` of the response with the next part of the same file.',
    body: ImportBody,
    response: {
      200: Type.Object({
        counts: Counts,
        rejections: Type.Array(
          Type.Object({
            line: Type.Integer(),
            clientUserId: Nullable(Type.String()),
            code: Type.String(),
            field: Nullable(Type.String()),
            reason: Type.String(),
          }),
        ),
        import: Type.String({ description: 'send it with the next part' }),
      }),
    },
    async handle({ application: { appId }, readBody }) {
      const members = readBody();
      const lines = members.lines.map(readFileLine);
      const importId = members.import === undefined ? orderedUuid() : unseal(service, appId, 'import', members.import);
      const rejections: Omit<Rejection, 'text'>[] = [];
      const { importUsers } = await import('../../domain/users/import-users.ts');
      const { outcome, counts } = await importUsers(service.storage, appId, [lines], {
        at: service.now(),
        ifThere: members.ifThere ?? 'compare',
        newCodes: members.newCodes ?? false,
        withRetired: members.withRetired ?? false,
        restoreDeleted: members.restoreDeleted ?? false,
        withoutEvents: members.withoutEvents ?? false,
        importId,
        earlierIds: members.earlierIds ?? [],
        onRejected: ({ text: _, ...rejection }) => rejections.push(rejection),
      });
      if (outcome === 'application-gone') throw new InnkeeperError('applicationNotFound');
      const created = counts.created + counts.adopted;
      if (created > 0)
        await service.storage.activity.add([{ appId, name: 'usersCreated', count: created, lastAt: service.now() }]);
      return { counts, rejections, import: seal(service, [appId, 'import', importId]) };
    },
  });

  applicationRoute('GET', '/users/export', {
    operationId: 'exportUsers',
    access: 'users',
    alwaysNew: true,
    summary: 'Export users with their selections, in pages',
    description: 'All users in a fixed order, or those that match a filter. Send `next` as `after` until it is null.',
    querystring: Type.Object({
      search: Type.Optional(Type.String({ maxLength: 255, description: 'as in the list of users' })),
      ...FilterQuery,
      ...CreatedQuery,
      after: Type.Optional(Type.String({ description: '`next` of the previous response' })),
    }),
    response: {
      200: Type.Object({
        lines: Type.Array(Type.Object({}, { additionalProperties: true }), {
          description: 'as accepted by `users import`',
        }),
        users: Type.Integer(),
        profilesOnly: Type.Integer(),
        next: Nullable(Type.String()),
      }),
    },
    async handle({ application: { appId }, manager, readQuery, request }) {
      const { search = '', after: place, ...shared } = readQuery();
      const wanted = readFilter(shared, await service.catalogs.get(appId), refuse);
      if (search !== '') wanted.test = createSearchTest(search);
      wanted.created = readSpan(shared);
      const isFiltered =
        wanted.conditions.length > 0 || [wanted.status, wanted.created, wanted.test].some((each) => each !== undefined);
      const filter = isFiltered ? wanted : undefined;
      const use = isFiltered ? 'export of matches' : 'export';
      const after = place === undefined ? null : unseal(service, appId, use, place);
      if (after === null) {
        await recordUsersExport(service.storage, { actor: manager.author, appId }, filter, service.now());
      }
      for await (const { text, users, profilesOnly, next } of exportUsers(service.storage, appId, {
        begin: after,
        filter,
        // Few match: that may take as long as reading every user.
        signal: request.signal,
        pace: service.searchTime.pace(appId, { signal: request.signal, endless: true }),
      })) {
        const lines = text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as object);
        return { lines, users, profilesOnly, next: next === null ? null : seal(service, [appId, use, next]) };
      }
      return { lines: [], users: 0, profilesOnly: 0, next: null };
    },
  });
}

function readFileLine({ line, text, unreadable }: SentLine, index: number): FileLine {
  if (unreadable !== undefined) return { line, unreadable };
  if (text === undefined) throw refuse(`lines[${index}].text`, 'is missing');
  return { line, text };
}

type Use = 'import' | 'export' | 'export of matches';

/**
 * Sealed, so that an import cannot write to another's audit entry, and an export cannot start in the middle without an
 * entry.
 */
function seal({ keyring }: Service, value: [appId: number, use: Use, text: string]): string {
  return keyring.seal(Buffer.from(JSON.stringify(value)));
}

function unseal({ keyring }: Service, appId: number, use: Use, sealed: string): string {
  const plain = keyring.unseal(sealed);
  const [ofApp, ofUse, text] = plain ? (JSON.parse(Buffer.from(plain).toString()) as [number, Use, string]) : [];
  if (ofApp !== appId || ofUse !== use || text === undefined)
    throw refuse(use === 'import' ? 'import' : 'after', 'was not issued by this service for this application and use');
  return text;
}
