import type { Catalog } from '../../domain/catalog/catalog.ts';
import { toFileKey, toFileLanguages, wording } from '../../domain/catalog/to-file.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices, mapSteps, type Steps } from '../../domain/slices.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { DraftQuery, openAsked } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, FileKeySchema } from './schemas.ts';

const Translations = Type.Record(Type.String(), Type.String(), { description: 'text by language' });

const schema = {
  operationId: 'getCatalogTree',
  summary: 'Get the catalog with the UIDs of its groups and keys',
  description: 'Includes archived ones, after the others. Groups and keys have the form of the catalog file.',
  querystring: DraftQuery,
  response: {
    200: Type.Object({
      revision: Type.Integer({ description: 'of a draft: the revision it started from' }),
      languages: Type.Array(
        Type.Object({ name: Type.String(), tag: Type.String(), default: Type.Optional(Type.Boolean()) }),
      ),
      groups: Type.Array(
        Type.Object({
          groupUid: Type.String({ format: 'uuid' }),
          archived: Type.Boolean(),
          name: Type.String(),
          translations: Type.Optional(Translations),
          descriptions: Type.Optional(Translations),
          keys: Type.Array(
            Type.Object({
              keyUid: Type.String({ format: 'uuid' }),
              archived: Type.Boolean(),
              ...FileKeySchema.properties,
            }),
          ),
        }),
      ),
    }),
  },
  answerHeaders: EDITED_HEADERS,
};

export function getCatalogTreeRoute(app: Routes, service: Service): void {
  applicationRoute(app, service, { method: 'GET', path: '/catalog/tree', schema }, async (context) => {
    const catalog = await openAsked(service, context);
    return inSlices(viewTree(catalog));
  });
}

function* viewTree({ revision, languages, groups }: Catalog): Steps<object> {
  const viewed: object[] = [];
  for (const { groupUid, archived, name, texts, descriptions, keys } of groups) {
    const viewedKeys = yield* mapSteps(keys, (key) => ({
      keyUid: key.keyUid,
      archived: archived || key.archived,
      ...toFileKey(key, languages),
    }));
    viewed.push({ groupUid, archived, name, ...wording({ texts, descriptions }, languages), keys: viewedKeys });
  }
  return { revision, languages: toFileLanguages(languages), groups: viewed };
}
