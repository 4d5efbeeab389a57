import { includesAccess } from '../../domain/manage/access.ts';
import type { Service } from '../../domain/service.ts';
import { pauses } from '../../domain/slices.ts';
import { foldCase } from '../../domain/users/search-users.ts';
import { Nullable, type Static, Type } from '../../schema.ts';
import { AUDIT_ACTIONS, type AuditEntry, type AuditFilter, type Storage } from '../../storage/port.ts';
import { formatTime } from '../../time.ts';
import { forbidden, NewestFirstMembers, NewestFirstQuery, newestFirst, readSpan, SpanQuery } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { Time } from './schemas.ts';
import { withoutPath } from './webhooks.ts';

/** Entries scanned for a page of a search, and entries read at a time. */
const SEARCHED = 5_000;
const SLICE = 500;

const Members = Nullable(Type.Unknown({ description: 'changed members, as an object; null: none' }));

const AuditShape = Type.Object(
  {
    auditUid: Type.String({ format: 'uuid' }),
    at: Time,
    actor: Type.String({
      description:
        'an address, token:NAME with the end of the tokenId, or cli:NAME; without access "write" only the first part of an address',
    }),
    action: Type.Enum([...AUDIT_ACTIONS]),
    subject: Type.String({ description: 'a name, an address or a revision; may be empty' }),
    userUid: Nullable(
      Type.String({
        format: 'uuid',
        description: 'the affected user, unless deleted since; null without access "users"',
      }),
    ),
    before: Members,
    after: Members,
  },
  { title: 'AuditEntry' },
);

const common = {
  querystring: Type.Object({
    ...SpanQuery,
    actor: Type.Optional(Type.String({ maxLength: 255, description: 'exact match; requires access "write"' })),
    action: Type.Optional(Type.Enum([...AUDIT_ACTIONS])),
    userUid: Type.Optional(Type.String({ format: 'uuid', description: 'requires access "users"' })),
    search: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'any part of an entry, in upper or lower case; requires access "write". A page ends after ' +
          `${SEARCHED} entries: it may be short or empty although \`next\` is not null`,
      }),
    ),
    ...NewestFirstQuery,
  }),
  response: { 200: Type.Object({ items: Type.Array(AuditShape), ...NewestFirstMembers }) },
};

/** Who changed what. */
export function auditRoutes({ manageRoute, applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('GET', '/audit', {
    operationId: 'listAudit',
    summary: 'List the audit log of an application, newest first',
    description:
      'Every change through /manage/v1 or the command line, including edits of drafts, and every read or export of users, kept for 400 days. The entry of a change is written in its transaction. Reading the same user again within 15 minutes adds no entry. Details of a catalog revision are in the revision. Entries do not name deleted users.',
    ...common,
    errors: ['manageForbidden'],
    async handle({ application, manager, readQuery }) {
      const query = readQuery();
      const held = manager.accessTo(application.appId);
      // Filtering must not reveal what is hidden either.
      const seesAll = includesAccess(held, 'write');
      const seesUsers = includesAccess(held, 'users');
      if (query.actor !== undefined && !seesAll) throw forbidden('Filtering by actor requires access "write".');
      if (query.search !== undefined && !seesAll) throw forbidden('Searching the audit log requires access "write".');
      if (query.userUid !== undefined && !seesUsers) throw forbidden('Filtering by userUid requires access "users".');
      const listed = await listAudit(service, application.appId, query);
      if (seesAll) return listed;
      const items = listed.items.map(({ before, after, ...entry }) => ({
        ...entry,
        ...(!seesUsers && { userUid: null }),
        before: withoutPaths(before),
        after: withoutPaths(after),
      }));
      return { ...listed, items };
    },
  });

  manageRoute('GET', '/audit', {
    operationId: 'listInstallationAudit',
    summary: 'List the audit log of the installation, newest first',
    description: 'Changes not tied to one application: accounts, global tokens, deleted applications.',
    ...common,
    errors: ['manageForbidden'],
    async handle({ manager, readQuery }) {
      if (!manager.canCreateApplications) throw forbidden('This requires administrator access.');
      return listAudit(service, null, readQuery());
    },
  });
}

async function listAudit({ storage }: Service, appId: number | null, query: Static<typeof common.querystring>) {
  const { actor, action, userUid: userId } = query;
  const filter = { ...readSpan(query), ...(actor && { actor }), ...(action && { action }), ...(userId && { userId }) };
  const { before, limit } = newestFirst(query);
  if (query.search) return searchAudit(storage, appId, filter, { before, limit, search: query.search });
  const found = await storage.audit.list(appId, filter, { before, limit: limit + 1 });
  const items = found.slice(0, limit);
  const next = found.length > limit ? (items.at(-1)?.auditUid ?? null) : null;
  return { items: items.map(viewEntry), limit, next };
}

async function searchAudit(
  { audit }: Storage,
  appId: number | null,
  filter: AuditFilter,
  { before: begin, limit, search }: { before: string | null; limit: number; search: string },
) {
  const wanted = foldCase(search);
  const items: ReturnType<typeof viewEntry>[] = [];
  let [before, looked] = [begin, 0];
  const pause = pauses();
  while (looked < SEARCHED) {
    const entries = await audit.list(appId, filter, { before, limit: SLICE });
    for (const entry of entries) {
      const paused = pause();
      if (paused) await paused;
      before = entry.auditUid;
      const { actor, action, subject, userId, before: from, after: to } = entry;
      const holds = [actor, action, subject, userId, from, to].some((text) => text && foldCase(text).includes(wanted));
      if (holds && items.push(viewEntry(entry)) === limit) return { items, limit, next: before };
    }
    if (entries.length < SLICE) return { items, limit, next: null };
    looked += SLICE;
  }
  return { items, limit, next: before };
}

/** Applies to webhooks; nothing else in the audit log has a URL. */
function withoutPaths(detail: unknown): unknown {
  const { url } = (detail ?? {}) as { url?: unknown };
  return typeof url === 'string' ? withoutPath({ ...(detail as object), url }) : detail;
}

function viewEntry({ at, userId, before, after, ...entry }: AuditEntry) {
  const read = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return { ...entry, at: formatTime(at), userUid: userId, before: read(before), after: read(after) };
}
