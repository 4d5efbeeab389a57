import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { type TakenTexts, takeTexts } from '../../domain/catalog/edits/import-texts.ts';
import { loadExported } from '../../domain/catalog/import-texts.ts';
import type { OutdatedText } from '../../domain/catalog/merge-texts.ts';
import { unpack } from '../../domain/packed.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import { type Static, Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { refuse, requireShape } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer, Nullable } from './schemas.ts';
import { TextsFileShape } from './texts-file-body.ts';
import { UPLOAD_LIMIT } from './uploads.ts';

const MAX_TAKEN = 100_000;

const Outdated = Type.Object({
  path: Type.String(),
  language: Type.String({ description: 'its name' }),
  line: Type.Integer({ description: 'position in the file' }),
  was: Type.String({ description: 'the text it was translated from' }),
  is: Type.String({ description: 'the current text' }),
});

const Conflict = Type.Object({
  path: Type.String(),
  language: Type.String({ description: 'its name' }),
  line: Type.Integer({ description: 'position in the file' }),
  inFile: Type.String(),
  inCatalog: Nullable(Type.String()),
});

/** All but the file, which a worker thread reads. */
const Members = Type.Object({
  name: TextsFileShape.name,
  prefer: Type.Optional(
    Type.Enum(['file', 'catalog'], {
      description: 'which text wins if both changed since the export; without it 9409',
    }),
  ),
  take: Type.Optional(
    Type.Array(Type.Object({ path: Type.String(), language: Type.String({ description: 'name or tag' }) }), {
      maxItems: MAX_TAKEN,
      description: 'import only these texts, overwriting the catalog',
    }),
  ),
});

const schema = {
  operationId: 'importTranslations',
  summary: 'Import texts from a CSV or XLIFF 2 file, all or none',
  description:
    'From a file exported by this application, only changed texts are imported. An empty cell removes nothing.',
  headers: IfMatchHeader,
  querystring: Type.Object({ draft: EditQuery.properties.draft }),
  body: Type.Object({ ...TextsFileShape, ...Members.properties }),
  response: {
    200: Type.Object(
      {
        ...EditedAnswer.properties,
        outdated: Type.Array(Outdated, { description: 'texts to review: their source has changed' }),
      },
      { title: 'ImportedTranslations' },
    ),
    409: Type.Object({ conflicts: Type.Array(Conflict, { description: 'at most 200' }) }),
  },
  answerHeaders: EDITED_HEADERS,
  errors: [
    'ifMatchMissing',
    'catalogChanged',
    'draftChanged',
    'catalogInvalid',
    'textsFileInvalid',
    'textsConflict',
  ] as const,
};

export function importTranslationsRoute(app: Routes, service: Service): void {
  const operation = {
    method: 'POST',
    path: '/catalog/translations/import',
    schema,
    access: 'texts',
    bodyLimit: UPLOAD_LIMIT,
  } as const;
  applicationRoute(app, service, operation, async (context) => {
    const { application, reply } = context;
    const options = readEditOptions(context);
    const sent = await service.work.run('readTextsBody', { body: context.body }, application);
    const taken = readTaken(requireShape(Members, sent.members));
    const entries = await inSlices(unpack(sent.entries));
    const base = await loadExported(service.storage, application, sent.stamp);
    let outdated: OutdatedText[] = [];
    const edit = takeTexts(entries, { base, taken, note: (found) => (outdated = found) });
    const edited = await editCatalog(service, application, edit, options);
    return { ...(await answerEdited(reply, edited)), outdated };
  });
}

function readTaken({ prefer, take }: Static<typeof Members>): TakenTexts {
  if (take !== undefined && prefer !== undefined) throw refuse('prefer', 'cannot be combined with take');
  if (take !== undefined) return { take };
  return prefer === undefined ? {} : { prefer };
}
