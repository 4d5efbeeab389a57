import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import type { Refusals } from '../../domain/selections/refusals.ts';
import type { SavedForUser } from '../../domain/selections/save-for-user.ts';
import type { WantedSelection } from '../../domain/selections/save-selections.ts';
import type { Service } from '../../domain/service.ts';
import { directlyOrInSlices, mapSteps, type Steps } from '../../domain/slices.ts';
import { Type } from '../../schema.ts';
import { badParameter } from '../paging.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { JSON_TYPE, WireText } from '../server/wire-text.ts';
import { identifyApplication } from './api-key.ts';
import { findLanguage } from './catalog-answer.ts';
import {
  SAVE_ERRORS,
  SAVE_SECURITY,
  saveRequested,
  UserClaimsBody,
  WantedOption,
  wordingOfSave,
} from './save-user-option.ts';
import { AcceptLanguageHeader, ChangedMembers, UserOptionAnswer } from './schemas.ts';
import { optionalText, readOptionsBody } from './user-claims.ts';
import { type RecordView, recordView, writeUserOption } from './user-option-view.ts';
import { isGiven, readIfMatch, readWantedSelection } from './wanted-selection.ts';

const MAX_OPTIONS = 500;

const SavedOptions = Type.Object({ items: Type.Array(UserOptionAnswer), total: Type.Integer() });

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

const schema = {
  operationId: 'saveUserOptions',
  summary: 'Save many user options at once, all or none',
  tags: ['options'],
  description: 'An error lists every invalid field. Its code is that of the first.',
  security: SAVE_SECURITY,
  headers: AcceptLanguageHeader,
  body: Type.Object({ ...UserClaimsBody, ...OptionsToSave }),
  response: {
    200: SavedOptions,
    412: ChangedMembers,
  },
  errors: SAVE_ERRORS,
} satisfies RouteSchema;

export function saveUserOptionsRoute(app: Routes, service: Service): void {
  app.put('/api/user_options', { schema }, async (request, reply) => {
    const application = await identifyApplication(service, request, reply);
    const body = readOptionsBody(request);
    const done = await saveRequested(service, application, request, body, (today, refusals) =>
      readWantedOptions(today, body, refusals),
    );
    reply.header('cache-control', 'no-store');
    const language = optionalText(body, 'language');
    const wording = wordingOfSave(done.catalog, language ? done.catalog.languages.find(language) : undefined, request);
    const owner = { clientId: application.clientId, userId: done.user.userId };
    const bytes = await directlyOrInSlices(writeSaved(recordView(done.catalog, wording, owner), done));
    return reply.type(JSON_TYPE).send(new WireText(bytes));
  });
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

function* writeSaved(
  view: RecordView,
  { catalog, wanted, saved }: Pick<SavedForUser, 'catalog' | 'wanted' | 'saved'>,
): Steps<string> {
  const items = yield* mapSteps(saved, ({ record }, index) => {
    const placed = wanted[index]?.placed;
    if (!placed) throw new Error('a save returned more than was sent');
    return writeUserOption(view, { catalog, placed }, record).bytes;
  });
  return `{"items":[${items.join()}],"total":${items.length}}`;
}

function readOptions(options: unknown, refusals: Refusals): { option: Record<string, unknown>; place: number }[] {
  if (!Array.isArray(options)) throw badParameter([{ field: 'options', message: 'must be an array' }]);
  if (options.length > MAX_OPTIONS)
    throw badParameter([{ field: 'options', message: `must contain at most ${MAX_OPTIONS}` }]);
  return options.flatMap((option: unknown, place) => {
    const isObject = option !== null && typeof option === 'object' && !Array.isArray(option);
    if (isObject) return [{ option: option as Record<string, unknown>, place }];
    refusals.refuse(place, badParameter([{ field: `options[${place}]`, message: 'must be an object' }]));
    return [];
  });
}
