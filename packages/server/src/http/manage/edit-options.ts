import type { Application } from '../../domain/applications/application.ts';
import { type Catalog, toItems } from '../../domain/catalog/catalog.ts';
import { type CatalogDefinition, unpackDefinition } from '../../domain/catalog/definition.ts';
import type { DraftOptions, Edited, Seen } from '../../domain/catalog/draft.ts';
import { type Edit, type EditOptions, editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { readableDifference } from '../../domain/catalog/publish.ts';
import { knownOf } from '../../domain/catalog/read-definition.ts';
import { type ErrorName, InnkeeperError } from '../../domain/errors.ts';
import { includesAccess } from '../../domain/manage/access.ts';
import { MAX_NOTE, readNote } from '../../domain/required.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import { type Static, Type } from '../../schema.ts';
import type { StoredCatalog } from '../../storage/port.ts';
import { readEntityTags } from '../request-headers.ts';
import type { HttpReply } from '../server/request-and-reply.ts';
import { refuse } from './input.ts';
import type { ApplicationRequest } from './manage-route.ts';
import { EDITED_HEADERS, EditedResponse } from './schemas.ts';
import { draftTag, viewDraft, viewPlan } from './views.ts';

/** Query of operations that show the catalog. */
export const DraftQuery = Type.Object({
  draft: Type.Optional(
    Type.Boolean({ description: 'read the draft; without a draft, the published catalog', default: false }),
  ),
});

export const NoteShape = Type.Optional(
  Type.String({ description: `why, at most ${MAX_NOTE} characters; shown with the revision` }),
);

/** Query of operations that change the catalog. */
export const EditQuery = Type.Object({
  draft: Type.Optional(
    Type.Boolean({
      description: 'change the draft, starting one if needed, instead of publishing',
      default: false,
    }),
  ),
  allow_breaking: Type.Optional(Type.Boolean({ description: 'publish breaking changes too', default: false })),
  note: NoteShape,
});

export const IfMatchHeader = Type.Object({
  'If-Match': Type.String({
    description: 'ETag of the catalog or draft that you changed, or * for any version',
  }),
});

/** What all operations that change a catalog have in common. */
export const EDIT = {
  headers: IfMatchHeader,
  querystring: EditQuery,
  response: { 200: EditedResponse },
  responseHeaders: EDITED_HEADERS,
  errors: ['ifMatchMissing', 'catalogChanged', 'draftChanged', 'catalogBreaking', 'catalogInvalid'] as ErrorName[],
};

/** The same for a single group or key. */
export const EDIT_ITEM = { ...EDIT, errors: [...EDIT.errors, 'catalogItemNotFound'] as ErrorName[] };

type Querying<Query> = Omit<ApplicationRequest, 'readQuery'> & { readQuery(): Query };

/** A change names the version it is based on, so that two editors never overwrite each other unnoticed. */
export function readEditOptions({
  request,
  manager,
  application,
  readQuery,
}: Querying<Static<typeof EditQuery>>): EditOptions {
  const { draft = false, allow_breaking: allowBreaking = false, note: given } = readQuery();
  const seen = readIfMatch(request.headers['if-match']);
  if (!draft && seen?.draftId !== undefined) {
    throw refuse('If-Match', 'belongs to a draft: send draft=true with it, or the ETag of the published catalog');
  }
  const note = requireNote(given);
  if (draft && note !== undefined) throw refuse('note', 'belongs to a revision: send it when you publish the draft');
  const languages = manager.languagesOf(application.appId);
  return { author: manager.author, allowBreaking, seen, draft, languages, ...(note !== undefined && { note }) };
}

export function requireNote(given: string | undefined): string | undefined {
  const read = readNote(given);
  if ('problem' in read) throw refuse('note', read.problem);
  return read.note;
}

/** The same for operations on drafts only. */
export function readDraftOptions({ request, manager, application }: ApplicationRequest): DraftOptions {
  return {
    author: manager.author,
    seen: readIfMatch(request.headers['if-match']),
    textsOnly: !includesAccess(manager.accessTo(application.appId), 'write'),
    languages: manager.languagesOf(application.appId),
  };
}

function readIfMatch(header: string | undefined): Seen | undefined {
  const tag = header?.trim();
  if (tag === undefined || tag === '') throw new InnkeeperError('ifMatchMissing');
  const tags = readEntityTags(tag);
  if (tags === undefined) throw refuse('If-Match', 'must be ETags of the catalog, for example "7", or *');
  if (tags === '*') return undefined;
  // Only the newest of several can be current. A tag that is not a catalog's is never current.
  return tags.map(readSeen).reduce((newest, seen) => (isNewer(seen, newest) ? seen : newest));
}

/** A compressing proxy makes tags weak (nginx does): they still name the same revision. */
function readSeen(tag: string): Seen {
  const match = /^(?:W\/)?(\d{1,9})(?:-([\da-f-]{36})-(\d{1,9}))?$/.exec(tag);
  if (!match) return { revision: -1 };
  const [, revision, draftId, version] = match;
  if (draftId === undefined) return { revision: Number(revision) };
  return { revision: Number(revision), draftId, version: Number(version) };
}

function isNewer(one: Seen, other: Seen): boolean {
  return one.revision - other.revision > 0 || (one.revision === other.revision && versionOf(one) > versionOf(other));
}

function versionOf(seen: Seen): number {
  return seen.draftId === undefined ? -1 : seen.version;
}

/** Makes the edit that `read` finds in the body, and responds with what changed. */
export async function respondToEdit(service: Service, context: Querying<Static<typeof EditQuery>>, read: () => Edit) {
  const options = readEditOptions(context);
  return respondEdited(context.reply, await editCatalog(service, context.application, read(), options));
}

/** What changed, with the ETag of the catalog as it is now. */
export async function respondEdited(reply: HttpReply, { revision, changed, plan, draft }: Edited) {
  if (draft === undefined) {
    reply.header('etag', revisionTag(revision));
    return { revision, changed, ...(await viewPlan(plan)) };
  }
  reply.header('etag', draft ? draftTag(draft) : revisionTag(revision));
  const { changes, notes } = plan;
  return {
    revision,
    changed,
    changes: await inSlices(readableDifference(changes)),
    notes,
    draft: draft && viewDraft(draft),
  };
}

/** The requested catalog, draft or published; also sets its ETag. */
export async function openRequestedCatalog(
  service: Service,
  { application, readQuery, reply }: Querying<Static<typeof DraftQuery>>,
): Promise<Catalog> {
  const { appId } = application;
  const { published, draft } = readQuery().draft
    ? await service.openCatalogs.open(appId)
    : { published: await service.openCatalogs.published(appId), draft: undefined };
  reply.header('etag', draft ? draftTag(draft) : revisionTag(published.revision));
  return draft?.catalog ?? published;
}

export function revisionTag(revision: number): string {
  return `"${revision}"`;
}

/** For a whole catalog or file of texts, which worker threads read: five thousand keys in twenty languages. */
export const UPLOAD_LIMIT = 32 * 1024 ** 2;
/** For one edit, which is parsed on the HTTP thread: about 30 ms. */
export const EDIT_LIMIT = 2 * 1024 ** 2;

/** The catalog definition in the body, read with the existing catalog in view. */
export async function readCatalogBody(
  { work, openCatalogs }: Service,
  { appId }: Application,
  body: Buffer,
): Promise<CatalogDefinition> {
  const known = knownOf(await openCatalogs.published(appId));
  return inSlices(unpackDefinition(await work.run('readCatalogBody', { body, known }, { appId })));
}

/** In stored form, for a worker thread: strings are cheap to copy, objects are not. */
export async function toStored(catalog: Catalog): Promise<StoredCatalog> {
  const { revision, languages } = catalog;
  return { revision, languages: JSON.stringify(languages), items: await inSlices(toItems(catalog)) };
}
