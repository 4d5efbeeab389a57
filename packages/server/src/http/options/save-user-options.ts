import type { Application } from '../../domain/applications/application.ts';
import type { Language } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import type { ErrorName } from '../../domain/errors.ts';
import type { Refusals, WantedSelection } from '../../domain/selections/check-selection.ts';
import { type SavedForUser, saveForUser } from '../../domain/selections/save-for-user.ts';
import { recordTag } from '../../domain/selections/save-selections.ts';
import type { Service } from '../../domain/service.ts';
import { directlyOrInSlices, type Steps } from '../../domain/slices.ts';
import { PAGE_BYTES } from '../../page-bytes.ts';
import { Type } from '../../schema.ts';
import { badParameter } from '../paging.ts';
import { type HttpRequest, JSON_TYPE, noteUser, WireText } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { identifyApplication } from './api-key.ts';
import { withCurrentRecord } from './list-user-options.ts';
import { findLanguage, type Wording } from './responses.ts';
import { AcceptLanguageHeader, ChangedMembers, USER_ERRORS, UserOptionResponse } from './schemas.ts';
import { type RecordView, recordView, writeUserOption } from './user-option-view.ts';
import {
  claimsOfBody,
  isGiven,
  optionalText,
  readConditions,
  readIfMatch,
  readOptionsBody,
  readWantedSelection,
} from './wanted-selection.ts';

const Values = Type.Array(Type.Union([Type.Boolean(), Type.String(), Type.Number()]));

const WantedOption = {
  option_group_uid: Type.String({ format: 'uuid' }),
  option_group_name: Type.Optional(Type.String({ description: 'if given, must identify the same group' })),
  option_key_uid: Type.String({ format: 'uuid' }),
  value: Type.Optional(Values),
  add: Type.Optional(
    Type.Unsafe({
      ...Values,
      description: 'instead of `value`, for a multiple-choice key: values to add to the current list',
    }),
  ),
  remove: Type.Optional(Type.Unsafe({ ...Values, description: 'likewise: values to remove from the current list' })),
  language: Type.Optional(
    Type.String({ description: 'language of the values; for an open text, the language to save' }),
  ),
};

const UserClaimsBody = {
  user_uid: Type.Optional(Type.String({ format: 'uuid', description: 'the service_user_code' })),
  access_token: Type.Optional(Type.String({ description: 'or as Bearer' })),
};

const SAVE_SECURITY = [{ apiKey: [] }, { apiKey: [], bearer: [] }, { apiKey: [], basic: [] }];

/** Errors that concern the selections themselves, in any route. */
export const SELECTION_ERRORS = [
  'languageUnknown',
  'groupNotFound',
  'groupsDisagree',
  'keyNotFound',
  'keyArchived',
  'valueNotAllowed',
  'selectionChanged',
] as const satisfies ErrorName[];

const SAVE_ERRORS = [...USER_ERRORS, 'userUidNotAccepted', ...SELECTION_ERRORS] as const satisfies ErrorName[];

const SaveHeaders = Type.Object({
  'If-Match': Type.Optional(
    Type.String({ description: 'ETag of the record; saves only if the record has not changed' }),
  ),
  'If-None-Match': Type.Optional(Type.String({ description: '`*`: it is saved only if there is no record yet' })),
  ...AcceptLanguageHeader.properties,
});

const saveOneSchema = {
  operationId: 'saveUserOption',
  summary: 'Save a user option',
  tags: ['options'],
  description:
    'Checks the values against those the key allows, then stores them for all languages defined at that time. Identify the user by user_uid, or by access_token in the body or as Bearer.',
  security: SAVE_SECURITY,
  body: Type.Object({ ...UserClaimsBody, ...WantedOption }),
  headers: SaveHeaders,
  response: { 200: UserOptionResponse, 201: UserOptionResponse, 412: ChangedMembers },
  responseHeaders: { ETag: 'of the record, as in `etag`', Location: 'URL of the record' },
  errors: SAVE_ERRORS,
} satisfies RouteSchema;

const MAX_OPTIONS = 500;

/** The body of a PUT, without the user. */
export const OptionsToSave = {
  language: Type.Optional(Type.String({ description: 'default for options without one' })),
  options: Type.Array(
    Type.Object({
      ...WantedOption,
      if_match: Type.Optional(
        Type.String({ description: '`etag` of the record; saves all options only if it has not changed' }),
      ),
    }),
    { maxItems: MAX_OPTIONS },
  ),
};

const saveManySchema = {
  operationId: 'saveUserOptions',
  summary: 'Save many user options at once, all or none',
  tags: ['options'],
  description: 'An error lists every invalid field. Its code is that of the first.',
  security: SAVE_SECURITY,
  headers: AcceptLanguageHeader,
  body: Type.Object({ ...UserClaimsBody, ...OptionsToSave }),
  response: {
    200: Type.Object({ items: Type.Array(UserOptionResponse), total: Type.Integer() }),
    412: ChangedMembers,
  },
  errors: SAVE_ERRORS,
} satisfies RouteSchema;

export function saveUserOptionRoutes(app: Routes, service: Service): void {
  app.post('/api/user_options', { schema: saveOneSchema }, async (request, reply) => {
    const application = await identifyApplication(service, request, reply);
    const body = readOptionsBody(request);
    const read = (today: CompiledCatalog, refusals: Refusals) => {
      const ifMatch = refusals.attempt(0, () => readConditions(request.headers));
      const sent = readWantedSelection(today, body, refusals);
      return sent ? [{ ...sent, ifMatch }] : [];
    };
    const { user, catalog, wanted, saved } = await saveRequested(service, application, request, body, read);
    const [option] = wanted;
    const [done] = saved;
    if (!option || !done) throw new Error('a save returned no record');
    reply
      .code(done.created ? 201 : 200)
      .header('cache-control', 'no-store')
      .header('etag', `"${recordTag(done.record)}"`)
      .header('location', `/api/user_options/${done.record.selectionId}`);
    const wording = wordingOfSave(catalog, option.language, request);
    const view = recordView(catalog, wording, { clientId: application.clientId, userId: user.userId });
    const written = writeUserOption(view, { catalog, placed: option.placed }, done.record);
    const { bytes } = await directlyOrInSlices(written);
    return reply.type(JSON_TYPE).send(new WireText(bytes));
  });

  app.put('/api/user_options', { schema: saveManySchema }, async (request, reply) => {
    const application = await identifyApplication(service, request, reply);
    const body = readOptionsBody(request);
    const done = await saveRequested(service, application, request, body, (today, refusals) =>
      readWantedOptions(today, body, refusals),
    );
    reply.header('cache-control', 'no-store');
    const language = optionalText(body, 'language');
    const wording = wordingOfSave(done.catalog, language ? done.catalog.languages.find(language) : undefined, request);
    const owner = { clientId: application.clientId, userId: done.user.userId };
    const view = recordView(done.catalog, wording, owner);
    const first = await directlyOrInSlices(writePage(view, done, 0));
    if (first.next === done.saved.length)
      return reply.type(JSON_TYPE).send(new WireText(`{"items":[${first.bytes}],"total":${first.next}}`));
    return reply.stream(JSON_TYPE, writePages(view, done, first));
  });
}

/** Saves for the user that the request names; 1014 includes the current record. */
async function saveRequested(
  service: Service,
  application: Application,
  request: HttpRequest,
  body: Record<string, unknown>,
  readWanted: (catalog: CompiledCatalog, refusals: Refusals) => readonly WantedSelection[],
): Promise<SavedForUser> {
  let named: { userId: string } | undefined;
  try {
    const readClaims = () => claimsOfBody(request, body);
    return await saveForUser(service, application, readClaims, (user, catalog, refusals) => {
      if (user) {
        named = user;
        noteUser(request, user);
      }
      const wanted = readWanted(catalog, refusals);
      const accepted = request.headers['accept-language'];
      if (accepted === undefined || accepted === '*' || wanted.every(({ language }) => language)) return wanted;
      const shownIn = catalog.languages.negotiate(accepted);
      return wanted.map((each) => ({ ...each, shownIn }));
    });
  } catch (error) {
    throw await withCurrentRecord(error, service, application, named, request.headers['accept-language']);
  }
}

/** Labels are in the language of the saved value, else by Accept-Language. */
function wordingOfSave(
  { languages }: CompiledCatalog,
  language: Language | undefined,
  { headers }: HttpRequest,
): Wording {
  return { language: language ?? languages.negotiate(headers['accept-language']), only: false };
}

/** The selections in the body of a PUT; everything wrong with its options goes to `refusals`. */
export function readWantedOptions(
  catalog: CompiledCatalog,
  body: Record<string, unknown>,
  refusals: Refusals,
): WantedSelection[] {
  const seen = new Set<string>();
  const options = readOptions(body.options, refusals);
  const language = isGiven(body.language)
    ? (refusals.attempt(-1, () => findLanguage(catalog.languages, optionalText(body, 'language') ?? '')) ?? 'unknown')
    : undefined;
  return options.flatMap(({ option, place }) => {
    const field = `options[${place}].`;
    const ifMatch = refusals.attempt(place, () =>
      readIfMatch(optionalText(option, 'if_match', field), `${field}if_match`),
    );
    const wanted = readWantedSelection(catalog, option, refusals, { place, field, language });
    if (!wanted) return [];
    const { keyUid } = wanted.placed.key;
    if (seen.has(keyUid)) {
      refusals.refuse(place, badParameter([{ field: `${field}option_key_uid`, message: 'is a duplicate' }]));
    }
    seen.add(keyUid);
    return [{ ...wanted, ifMatch }];
  });
}

type Done = Pick<SavedForUser, 'catalog' | 'wanted' | 'saved'>;
/** Records in wire text, and the index of the next. */
type SavedPage = { bytes: string; next: number };

/** The records from an index on, until the page is full. */
function* writePage(view: RecordView, { catalog, wanted, saved }: Done, from: number): Steps<SavedPage> {
  const items: string[] = [];
  let next = from;
  for (let size = 0; next < saved.length && size < PAGE_BYTES; next++) {
    yield;
    const { placed } = wanted[next] ?? {};
    const { record } = saved[next] ?? {};
    if (!placed || !record) throw new Error('a save returned more than was sent');
    const { bytes } = yield* writeUserOption(view, { catalog, placed }, record);
    items.push(bytes);
    size += bytes.length;
  }
  return { bytes: items.join(), next };
}

/** In pages made while they are sent: with two hundred languages, all records may not fit into memory. */
async function* writePages(view: RecordView, done: Done, first: SavedPage): AsyncGenerator<string> {
  const total = done.saved.length;
  let start = '{"items":[';
  for (let page = first; ; page = await directlyOrInSlices(writePage(view, done, page.next))) {
    yield start + Buffer.from(page.bytes, 'latin1').toString();
    if (page.next === total) break;
    start = ',';
  }
  yield `],"total":${total}}`;
}

function readOptions(options: unknown, refusals: Refusals): { option: Record<string, unknown>; place: number }[] {
  const refuse = (message: string) => {
    refusals.refuse(-1, badParameter([{ field: 'options', message }]));
    return [];
  };
  if (!Array.isArray(options)) return refuse('must be an array');
  if (options.length > MAX_OPTIONS) return refuse(`must contain at most ${MAX_OPTIONS}`);
  return options.flatMap((option: unknown, place) => {
    const isObject = option !== null && typeof option === 'object' && !Array.isArray(option);
    if (isObject) return [{ option: option as Record<string, unknown>, place }];
    refusals.refuse(place, badParameter([{ field: `options[${place}]`, message: 'must be an object' }]));
    return [];
  });
}
