import type { Group } from '../../domain/catalog/catalog.ts';
import { type ErrorName, InnkeeperError } from '../../domain/errors.ts';
import { type TSchema, Type } from '../../schema.ts';
import { readPage, readParameter, readUidParameter, writeListing } from '../paging.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { answerFromCatalog, type CatalogRead, type CatalogRequest, type CatalogSource } from './catalog-answer.ts';
import { viewGroup, viewKey } from './catalog-views.ts';
import { findGroup } from './find-group.ts';
import {
  AcceptLanguageHeader,
  API_KEY_ERRORS,
  CACHED_HEADERS,
  GroupAnswer,
  KeyAnswer,
  LanguageQuery,
  LIST_HEADERS,
  ListAnswer,
  NotModified,
  PagingQuery,
  queryOf,
} from './schemas.ts';

type Read = Omit<RouteSchema, 'response' | 'errors'> & { answer: TSchema; errors?: ErrorName[] };

/** Groups and keys of the catalog. */
export function catalogReadRoutes(app: Routes, from: CatalogSource): void {
  const read = (
    path: string,
    { answer, errors = [], ...schema }: Read,
    resolve: (request: CatalogRequest) => CatalogRead,
  ): void => {
    const whole: RouteSchema = {
      ...schema,
      tags: ['options'],
      security: [{ apiKey: [] }],
      headers: AcceptLanguageHeader,
      response: { 200: answer, 304: NotModified },
      errors: [...API_KEY_ERRORS, 'languageUnknown', 'badParameter', ...errors],
    };
    app.get(path, { schema: whole, underLoad: 'served' }, (request, reply) =>
      answerFromCatalog(from, request, reply, resolve),
    );
  };

  const listGroups: Read = {
    operationId: 'listOptionGroups',
    summary: 'List option groups',
    querystring: queryOf(PagingQuery, LanguageQuery),
    answer: ListAnswer(GroupAnswer),
    answerHeaders: LIST_HEADERS,
  };
  read('/api/option_groups', listGroups, ({ catalog, query }) => {
    const page = readPage(query);
    return {
      name: `${page.offset} ${page.limit}`,
      make: (wording) =>
        writeListing(catalog.groups, page, (group, index) => viewGroup(catalog, group, page.offset + index, wording)),
    };
  });

  const getGroup: Read = {
    operationId: 'getOptionGroup',
    summary: 'Get one option group',
    params: Type.Object({ option_group_uid: Type.String({ format: 'uuid' }) }),
    querystring: queryOf(LanguageQuery),
    answer: GroupAnswer,
    answerHeaders: CACHED_HEADERS,
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
    answer: ListAnswer(KeyAnswer),
    answerHeaders: LIST_HEADERS,
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
        return writeListing(keys, page, (placed) => viewKey(catalog, placed, wording));
      },
    };
  });

  const getKey: Read = {
    operationId: 'getOptionKey',
    summary: 'Get one option key',
    description: 'Also returns archived keys, with `archived: true`.',
    params: Type.Object({ option_key_uid: Type.String({ format: 'uuid' }) }),
    querystring: queryOf(LanguageQuery),
    answer: KeyAnswer,
    answerHeaders: CACHED_HEADERS,
    errors: ['keyNotFound'],
  };
  read('/api/option_keys/:option_key_uid', getKey, ({ catalog, params }) => {
    const placed = catalog.keyByUid.get(params.option_key_uid as string);
    if (!placed) throw new InnkeeperError('keyNotFound');
    return {
      name: placed.key.keyUid,
      make: (wording) => ({ text: JSON.stringify(viewKey(catalog, placed, wording)) }),
    };
  });
}
