import type { AllowedValue, Group, GroupDefinition, Key, Language, Texts } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog, PlacedKey } from '../../domain/catalog/compile.ts';
import type { Languages } from '../../domain/catalog/languages.ts';
import { translationUid } from '../../domain/catalog/translatable.ts';
import type { ErrorName } from '../../domain/errors.ts';
import { mapSteps, type Steps } from '../../domain/slices.ts';
import { NotModified, type TSchema, Type } from '../../schema.ts';
import { readPage, readParameter, readUidParameter, writeListing } from '../paging.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import type { Wording } from './responses.ts';
import {
  type CatalogRead,
  type CatalogRequest,
  type CatalogSource,
  findGroup,
  findKey,
  respondFromCatalog,
} from './responses.ts';
import {
  AcceptLanguageHeader,
  API_KEY_ERRORS,
  CACHED_HEADERS,
  GroupResponse,
  KeyResponse,
  LanguageQuery,
  LIST_HEADERS,
  ListResponse,
  PagingQuery,
  queryOf,
} from './schemas.ts';

type Read = Omit<RouteSchema, 'response' | 'errors'> & { content: TSchema; errors?: ErrorName[] };

/** Groups and keys of the catalog. */
export function catalogReadRoutes(app: Routes, from: CatalogSource): void {
  const read = (
    path: string,
    { content, errors = [], ...schema }: Read,
    resolve: (request: CatalogRequest) => CatalogRead,
  ): void => {
    const whole: RouteSchema = {
      ...schema,
      tags: ['options'],
      security: [{ apiKey: [] }],
      headers: AcceptLanguageHeader,
      response: { 200: content, 304: NotModified },
      errors: [...API_KEY_ERRORS, 'languageUnknown', 'badParameter', ...errors],
    };
    app.get(path, { schema: whole, underLoad: 'served' }, (request, reply) =>
      respondFromCatalog(from, request, reply, resolve),
    );
  };

  const listGroups: Read = {
    operationId: 'listOptionGroups',
    summary: 'List option groups',
    querystring: queryOf(PagingQuery, LanguageQuery),
    content: ListResponse(GroupResponse),
    responseHeaders: LIST_HEADERS,
  };
  read('/api/option_groups', listGroups, ({ catalog, query }) => {
    const page = readPage(query);
    return {
      name: `${page.offset} ${page.limit}`,
      make: (wording) =>
        writeListing(catalog.groups, page, function* (group, index) {
          yield;
          return JSON.stringify(viewGroup(catalog, group, page.offset + index, wording));
        }),
    };
  });

  const getGroup: Read = {
    operationId: 'getOptionGroup',
    summary: 'Get one option group',
    params: Type.Object({ option_group_uid: Type.String({ format: 'uuid' }) }),
    querystring: queryOf(LanguageQuery),
    content: GroupResponse,
    responseHeaders: CACHED_HEADERS,
    errors: ['groupNotFound'],
  };
  read('/api/option_groups/:option_group_uid', getGroup, ({ catalog, params }) => {
    const group = findGroup(catalog, params.option_group_uid, undefined) as Group;
    return {
      name: group.groupUid,
      make: (wording) => ({
        text: JSON.stringify(viewGroup(catalog, group, catalog.groups.indexOf(group), wording)),
      }),
    };
  });

  const listKeys: Read = {
    operationId: 'listOptionKeys',
    summary: 'List option keys',
    description: 'With allowed values and value types. For one group, by name or UID, or for all.',
    querystring: queryOf(PagingQuery, LanguageQuery, {
      option_group_name: Type.Optional(Type.String()),
      option_group_uid: Type.Optional(Type.String({ format: 'uuid' })),
    }),
    content: ListResponse(KeyResponse),
    responseHeaders: LIST_HEADERS,
    errors: ['groupNotFound', 'groupsDisagree'],
  };
  read('/api/option_keys', listKeys, ({ catalog, query }) => {
    const page = readPage(query);
    const uid = readUidParameter(query, 'option_group_uid');
    const group = findGroup(catalog, uid, readParameter(query, 'option_group_name'));
    return {
      name: `${group?.groupUid ?? ''} ${page.offset} ${page.limit}`,
      make(wording) {
        const keys = group ? catalog.keys.filter((placed) => placed.group === group) : catalog.keys;
        return writeListing(keys, page, (placed) => writeKey(catalog, placed, wording));
      },
    };
  });

  const getKey: Read = {
    operationId: 'getOptionKey',
    summary: 'Get one option key',
    description: 'Also returns archived keys, with `archived: true`.',
    params: Type.Object({ option_key_uid: Type.String({ format: 'uuid' }) }),
    querystring: queryOf(LanguageQuery),
    content: KeyResponse,
    responseHeaders: CACHED_HEADERS,
    errors: ['keyNotFound'],
  };
  read('/api/option_keys/:option_key_uid', getKey, ({ catalog, params }) => {
    const placed = findKey(catalog, params.option_key_uid as string);
    return {
      name: placed.key.keyUid,
      *make(wording) {
        return { text: yield* writeKey(catalog, placed, wording) };
      },
    };
  });
}

/** A group as the API returns it. */
function viewGroup({ languages }: CompiledCatalog, group: Group, position: number, wording: Wording) {
  const label = languages.textFor(group.texts, wording.language, group.name);
  return {
    option_group_uid: group.groupUid,
    name: group.name,
    label: label.text,
    label_language: label.language,
    ...viewDescription(languages, group, wording),
    position,
    translations: describedIn(languages, group, wording).map(({ language, ...texts }) => ({
      option_group_translation_uid: translationUid(group.groupUid, language.tag),
      ...texts,
      language: language.name,
    })),
  };
}

/**
 * A key as the API returns it, as JSON: with allowed_values, or with constraint if it is open. Value by value: there may
 * be 2,000, in many languages.
 */
function* writeKey(catalog: CompiledCatalog, { key, group, position }: PlacedKey, wording: Wording): Steps<string> {
  const { languages } = catalog;
  const label = languages.textFor(key.texts, wording.language, key.name);
  const start = {
    option_key_uid: key.keyUid,
    option_group_uid: group.groupUid,
    option_group_name: group.name,
    name: key.name,
    label: label.text,
    label_language: label.language,
    ...viewDescription(languages, key, wording),
    position,
    value_type: key.type,
    multiple: key.multiple,
    min_selected: key.minSelected,
    max_selected: key.maxSelected,
    default_value: key.defaultValue,
  };
  const end = {
    archived: key.archived,
    translations: describedIn(languages, key, wording).map(({ language, ...texts }) => ({
      option_key_translation_uid: translationUid(key.keyUid, language.tag),
      language: language.name,
      ...texts,
    })),
  };
  const allowed = key.values
    ? `"allowed_values":[${(yield* mapSteps(key.values, (value) => JSON.stringify(viewValue(catalog, value, wording)))).join()}]`
    : `"constraint":${JSON.stringify(viewConstraint(key))}`;
  return `${JSON.stringify(start).slice(0, -1)},${allowed},${JSON.stringify(end).slice(1)}`;
}

function viewValue({ languages }: CompiledCatalog, value: AllowedValue, wording: Wording) {
  return {
    value: value.value,
    label: languages.textFor(value.texts, wording.language, String(value.value)).text,
    translations: translated(languages.all, value.texts, wording).map(({ text, language }) => ({
      language: language.name,
      value: text,
    })),
    retired: value.retired,
    ...(value.replacement !== undefined && { replacement: value.replacement }),
  };
}

function viewConstraint({ constraint }: Key) {
  const { min, max, step, pattern, maxLength } = constraint;
  return {
    min: min ?? null,
    max: max ?? null,
    step: step ?? null,
    pattern: pattern ?? null,
    max_length: maxLength ?? null,
  };
}

/** Falls back like the label; null if there is none at all. */
function viewDescription(languages: Languages, { descriptions }: GroupDefinition, { language }: Wording) {
  const { text, language: writtenIn } = languages.textFor(descriptions, language, '');
  return { description: writtenIn === null ? null : text, description_language: writtenIn };
}

/** Languages with a name or a description; a missing name is filled in like a label. */
function describedIn(languages: Languages, { name, texts, descriptions }: GroupDefinition, wording: Wording) {
  return translated(languages.all, { ...descriptions, ...texts }, wording).map(({ language }) => ({
    name: languages.textFor(texts, language, name).text,
    description: descriptions[language.tag] ?? null,
    language,
  }));
}

/** The existing texts: all of them, or only the requested language. */
function translated(languages: readonly Language[], texts: Texts, { language, only }: Wording) {
  return languages
    .filter((each) => !only || each.tag === language?.tag)
    .flatMap((each) => {
      const text = texts[each.tag];
      return text === undefined ? [] : [{ language: each, text }];
    });
}
