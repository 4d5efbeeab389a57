import { saveForUser } from '../../domain/selections/save-for-user.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { EXAMPLE } from '../examples.ts';
import { badParameter } from '../paging.ts';
import { noteUser } from '../request-log/about.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { JSON_TYPE, WireText } from '../server/wire-text.ts';
import { identifyApplication } from './api-key.ts';
import { SECOND_USER_OPTION_EXAMPLE, USER_OPTION_EXAMPLE } from './examples.ts';
import { SAVE_ERRORS, SAVE_SECURITY, UserClaimsBody, WantedOption } from './save-user-option.ts';
import { UserOptionAnswer } from './schemas.ts';
import { claimsOfBody, readOptionsBody } from './user-claims.ts';
import { writeOwner, writeUserOption } from './user-option-view.ts';
import { readWantedSelection } from './wanted-selection.ts';

const MAX_OPTIONS = 500;

const MEMBERS = {
  ...UserClaimsBody,
  language: Type.Optional(Type.String({ description: 'of all options that name none' })),
  options: Type.Array(Type.Object(WantedOption), { maxItems: MAX_OPTIONS }),
};

const schema = {
  operationId: 'saveUserOptions',
  summary: 'Save many user options at once, all or none',
  tags: ['options'],
  security: SAVE_SECURITY,
  body: Type.Object(MEMBERS),
  response: {
    200: Type.Object({ items: Type.Array(UserOptionAnswer), total: Type.Integer() }),
  },
  errors: SAVE_ERRORS,
  examples: {
    two: {
      summary: 'Two at once',
      body: {
        user_uid: EXAMPLE.userCode,
        options: [
          { option_group_uid: EXAMPLE.groupUid, option_key_uid: EXAMPLE.keyUid, value: ['dark'] },
          { option_group_uid: EXAMPLE.groupUid, option_key_uid: EXAMPLE.secondKeyUid, value: [1.5] },
        ],
      },
      status: 200,
      answer: { items: [USER_OPTION_EXAMPLE, SECOND_USER_OPTION_EXAMPLE], total: 2 },
    },
  },
} satisfies RouteSchema;

/** CONTRACT.md section 3 */
export function saveUserOptionsRoute(app: Routes, service: Service): void {
  app.put('/api/user_options', { schema }, async (request, reply) => {
    const application = await identifyApplication(service, request, reply);
    const body = readOptionsBody(request);
    const done = await saveForUser(service, application, claimsOfBody(request, body), (user, catalog) => {
      noteUser(request, user);
      const wanted = readOptions(body.options).map((option, index) => {
        return readWantedSelection(catalog, { language: body.language, ...option }, `options[${index}].`);
      });
      refuseRepeats(wanted.map(({ placed }) => placed.key.keyUid));
      return wanted;
    });
    const { user, catalog, wanted, saved } = done;
    const owner = writeOwner(application.clientId, user.userId);
    reply.header('cache-control', 'no-store');
    const items = saved.map(({ record }, index) => {
      const placed = wanted[index]?.placed;
      if (!placed) throw new Error('a save returned more than was sent');
      return writeUserOption(catalog, placed, record, owner, undefined).bytes;
    });
    return reply.type(JSON_TYPE).send(new WireText(`{"items":[${items.join()}],"total":${items.length}}`));
  });
}

function readOptions(options: unknown): Record<string, unknown>[] {
  if (!Array.isArray(options)) throw badParameter([{ field: 'options', message: 'must be an array' }]);
  if (options.length > MAX_OPTIONS)
    throw badParameter([{ field: 'options', message: `must hold at most ${MAX_OPTIONS}` }]);
  const problems = options.flatMap((option, index) =>
    option === null || typeof option !== 'object' || Array.isArray(option)
      ? [{ field: `options[${index}]`, message: 'must be an object' }]
      : [],
  );
  if (problems.length > 0) throw badParameter(problems);
  return options;
}

function refuseRepeats(keyUids: readonly string[]): void {
  keyUids.forEach((keyUid, index) => {
    if (keyUids.indexOf(keyUid) === index) return;
    throw badParameter([{ field: `options[${index}].option_key_uid`, message: 'is there twice' }]);
  });
}
