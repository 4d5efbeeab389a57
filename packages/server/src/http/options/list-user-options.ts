import type { Application } from '../../domain/applications/application.ts';
import type { CompiledCatalog, PlacedKey } from '../../domain/catalog/compile.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { effectiveSelections, readSelections } from '../../domain/selections/effective.ts';
import type { ChangedSelection } from '../../domain/selections/save-selections.ts';
import type { Service } from '../../domain/service.ts';
import { directlyOrInSlices, pauses, type Steps } from '../../domain/slices.ts';
import { PAGE_BYTES } from '../../page-bytes.ts';
import { NotModified, Type } from '../../schema.ts';
import type { SelectionRecord } from '../../storage/port.ts';
import { badParameter, linkHeader, type Query, readPage, readParameter, readUidParameter, toPage } from '../paging.ts';
import { noteUser } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { identifyApplication } from './api-key.ts';
import { findGroup, findKey, readWording, respondPrivately, type Wording, type Written } from './responses.ts';
import {
  AcceptLanguageHeader,
  DefaultOptionResponse,
  LanguageQuery,
  LIST_HEADERS,
  ListResponse,
  PagingQuery,
  queryOf,
  USER_ERRORS,
  UserOptionResponse,
} from './schemas.ts';
import {
  enclose,
  joinWritten,
  type PlacedThen,
  recordView,
  viewUserOption,
  writeDefault,
  writeUserOption,
} from './user-option-view.ts';
import { claimsOfQuery } from './wanted-selection.ts';

const schema = {
  operationId: 'listUserOptions',
  summary: "List a user's options",
  tags: ['options'],
  security: [
    { apiKey: [], bearer: [] },
    { apiKey: [], basic: [] },
  ],
  querystring: queryOf(PagingQuery, LanguageQuery, {
    user_uid: Type.Optional(Type.String({ format: 'uuid', description: 'with HTTP Basic' })),
    option_group_uid: Type.Optional(Type.String({ format: 'uuid' })),
    option_group_name: Type.Optional(Type.String()),
    option_key_uid: Type.Optional(Type.String({ format: 'uuid' })),
    effective: Type.Optional(
      Type.Boolean({
        description:
          'return effective values: includes defaults, omits archived keys, replaces values the key no longer allows by the default, and uses the names of the current catalog',
      }),
    ),
  }),
  response: { 200: ListResponse(Type.Union([UserOptionResponse, DefaultOptionResponse])), 304: NotModified },
  headers: AcceptLanguageHeader,
  responseHeaders: LIST_HEADERS,
  errors: [...USER_ERRORS, 'languageUnknown', 'groupNotFound', 'groupsDisagree', 'keyNotFound'],
} satisfies RouteSchema;

export function listUserOptionsRoute(app: Routes, service: Service): void {
  app.get('/api/user_options', { schema }, async (request, reply) => {
    const application = await identifyApplication(service, request, reply);
    const { user, selections } = await readSelections(service, application, claimsOfQuery(request));
    noteUser(request, user);
    const catalog = await service.catalogs.get(application.appId);
    const query = request.query;
    const filter = readFilter(catalog, query, request.headers['accept-language']);
    const page = readPage(query);

    const view = recordView(catalog, filter.wording, { clientId: application.clientId, userId: user.userId });
    const entries = filter.effective
      ? await effectiveSelections(service, application.appId, catalog, selections)
      : inCatalogOrder(catalog, selections);
    const matching = entries.filter(({ placed }) => filter.matches(placed));
    const options: Written[] = [];
    let bytes = 0;
    const pause = pauses();
    for (const { placed, record, source } of matching.slice(page.offset, page.offset + page.limit)) {
      let steps: Steps<Written>;
      if (!record || source === 'default') steps = writeDefault(view, placed, record);
      else {
        // A value to act on now needs the current names, and a group in which it can be saved again.
        const isOfToday = source === 'saved' || record.revision === catalog.revision;
        const made = isOfToday ? { catalog, placed } : placeAt(service, application.appId, record);
        const then = made instanceof Promise ? await made : made;
        steps = writeUserOption(view, then, record, source);
      }
      const written = directlyOrInSlices(steps);
      options.push(written instanceof Promise ? await written : written);
      bytes += options.at(-1)?.bytes.length ?? 0;
      if (bytes >= PAGE_BYTES) break;
      const paused = pause();
      if (paused) await paused;
    }
    const { total, offset, limit } = toPage(options, matching.length, page);
    const link = linkHeader('/api/user_options', query, { total, offset, limit });
    if (link !== undefined) reply.header('link', link);
    const end = `],"total":${total},"offset":${offset},"limit":${limit}}`;
    return respondPrivately(request, reply, enclose('{"items":[', joinWritten(options), end));
  });
}

/** The revision a selection was saved in, and its key at that time; returns no promise if it is in memory. */
export function placeAt(
  { catalogs }: Service,
  appId: number,
  record: SelectionRecord,
): PlacedThen | Promise<PlacedThen> {
  const catalog = catalogs.getAt(appId, record.revision);
  return catalog instanceof Promise ? catalog.then((loaded) => placeIn(loaded, record)) : placeIn(catalog, record);
}

function placeIn(catalog: CompiledCatalog | undefined, record: SelectionRecord): PlacedThen {
  const placed = catalog?.keyByNo.get(record.keyNo);
  if (!catalog || !placed) throw new Error(`revision ${record.revision} does not have key ${record.keyNo}`);
  return { catalog, placed };
}

type Entry = { placed: PlacedKey; record: SelectionRecord; source?: undefined };

/** In the order of the current catalog; archived keys come last. */
function inCatalogOrder(catalog: CompiledCatalog, saved: readonly SelectionRecord[]): Entry[] {
  const placeOf = ({ record: { keyNo } }: Entry): number => catalog.orderByNo.get(keyNo) ?? catalog.keys.length + keyNo;
  return saved
    .flatMap((record): Entry[] => {
      const placed = catalog.keyByNo.get(record.keyNo);
      return placed ? [{ placed, record }] : [];
    })
    .sort((a, b) => placeOf(a) - placeOf(b));
}

type Filter = { wording: Wording; effective: boolean; matches(placed: PlacedKey): boolean };

function readFilter(catalog: CompiledCatalog, query: Query, acceptLanguage: string | undefined): Filter {
  const uid = readUidParameter(query, 'option_group_uid');
  // A selection in an archived group still belongs to the user.
  const group = findGroup(catalog, uid, readParameter(query, 'option_group_name'), { archivedToo: true });
  const keyUid = readUidParameter(query, 'option_key_uid');
  if (keyUid !== undefined) findKey(catalog, keyUid);
  return {
    wording: readWording(catalog, query, acceptLanguage),
    effective: readEffective(readParameter(query, 'effective')),
    matches: (placed) => (!group || placed.group === group) && (keyUid === undefined || placed.key.keyUid === keyUid),
  };
}

function readEffective(text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw badParameter([{ field: 'effective', message: 'must be true or false', allowed: [true, false] }]);
}

/** Adds the current record to a 1014, with its own texts; other errors are passed through. */
export async function withCurrentRecord(
  error: unknown,
  service: Service,
  { appId, clientId }: Application,
  user: { userId: string } | undefined,
  acceptLanguage: string | undefined,
): Promise<unknown> {
  if (!(error instanceof InnkeeperError) || error.error !== 'selectionChanged' || !user) return error;
  const { message, fields, more } = error;
  const { record } = more as ChangedSelection;
  let current: object | null = null;
  if (record) {
    const today = await service.catalogs.get(appId);
    const view = recordView(today, readWording(today, {}, acceptLanguage), { clientId, userId: user.userId });
    current = await viewUserOption(view, await placeAt(service, appId, record), record);
  }
  return new InnkeeperError('selectionChanged', { message, ...(fields && { fields }), more: { current } });
}
