import type { Application } from '../../domain/applications/application.ts';
import type { Language } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import type { ErrorName } from '../../domain/errors.ts';
import type { Refusals } from '../../domain/selections/refusals.ts';
import { type SavedForUser, saveForUser } from '../../domain/selections/save-for-user.ts';
import { recordTag, type WantedSelection } from '../../domain/selections/save-selections.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { noteUser } from '../about.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { JSON_TYPE, WireText } from '../server/wire-text.ts';
import { identifyApplication } from './api-key.ts';
import type { Wording } from './catalog-views.ts';
import { withCurrentRecord } from './changed-record.ts';
import { AcceptLanguageHeader, ChangedMembers, USER_ERRORS, UserOptionAnswer } from './schemas.ts';
import { claimsOfBody, readOptionsBody } from './user-claims.ts';
import { recordView, writeUserOption } from './user-option-view.ts';
import { readConditions, readWantedSelection } from './wanted-selection.ts';

const Values = Type.Array(Type.Union([Type.Boolean(), Type.String(), Type.Number()]));

export const WantedOption = {
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

export const UserClaimsBody = {
  user_uid: Type.Optional(Type.String({ format: 'uuid', description: 'the service_user_code' })),
  access_token: Type.Optional(Type.String({ description: 'or as Bearer' })),
};

export const SAVE_SECURITY = [{ apiKey: [] }, { apiKey: [], bearer: [] }, { apiKey: [], basic: [] }];

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

export const SAVE_ERRORS = [...USER_ERRORS, 'userUidNotAccepted', ...SELECTION_ERRORS] as const satisfies ErrorName[];

const SaveHeaders = Type.Object({
  'If-Match': Type.Optional(
    Type.String({ description: 'ETag of the record; saves only if the record has not changed' }),
  ),
  'If-None-Match': Type.Optional(Type.String({ description: '`*`: it is saved only if there is no record yet' })),
  ...AcceptLanguageHeader.properties,
});

const MEMBERS = { ...UserClaimsBody, ...WantedOption };

const schema = {
  operationId: 'saveUserOption',
  summary: 'Save a user option',
  tags: ['options'],
  description:
    'Checks the values against those the key allows, then stores them for all languages defined at that time. Identify the user by user_uid, or by access_token in the body or as Bearer.',
  security: SAVE_SECURITY,
  body: Type.Object(MEMBERS),
  headers: SaveHeaders,
  response: { 200: UserOptionAnswer, 201: UserOptionAnswer, 412: ChangedMembers },
  answerHeaders: { ETag: 'of the record, as in `etag`', Location: 'URL of the record' },
  errors: SAVE_ERRORS,
} satisfies RouteSchema;

export function saveUserOptionRoute(app: Routes, service: Service): void {
  app.post('/api/user_options', { schema }, async (request, reply) => {
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
    const { bytes } = writeUserOption(view, { catalog, placed: option.placed }, done.record);
    return reply.type(JSON_TYPE).send(new WireText(bytes));
  });
}

/** Saves for the user that the request names; 1014 includes the current record. */
export async function saveRequested(
  service: Service,
  application: Application,
  request: HttpRequest,
  body: Record<string, unknown>,
  readWanted: (catalog: CompiledCatalog, refusals: Refusals) => readonly WantedSelection[],
): Promise<SavedForUser> {
  let named: { userId: string } | undefined;
  try {
    return await saveForUser(service, application, claimsOfBody(request, body), (user, catalog, refusals) => {
      named = user;
      noteUser(request, user);
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
export function wordingOfSave(
  { languages }: CompiledCatalog,
  language: Language | undefined,
  { headers }: HttpRequest,
): Wording {
  return { language: language ?? languages.negotiate(headers['accept-language']), only: false };
}
