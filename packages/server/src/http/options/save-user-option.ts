import type { ErrorName } from '../../domain/errors.ts';
import { saveForUser } from '../../domain/selections/save-for-user.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { EXAMPLE } from '../examples.ts';
import { noteUser } from '../request-log/about.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { JSON_TYPE, WireText } from '../server/wire-text.ts';
import { identifyApplication } from './api-key.ts';
import { USER_OPTION_EXAMPLE } from './examples.ts';
import { USER_ERRORS, UserOptionAnswer } from './schemas.ts';
import { claimsOfBody, readOptionsBody } from './user-claims.ts';
import { writeOwner, writeUserOption } from './user-option-view.ts';
import { readWantedSelection } from './wanted-selection.ts';

export const WantedOption = {
  option_group_uid: Type.String({ format: 'uuid' }),
  option_group_name: Type.Optional(Type.String({ description: 'if it is sent, it must mean the same group' })),
  option_key_uid: Type.String({ format: 'uuid' }),
  value: Type.Array(Type.Union([Type.Boolean(), Type.String(), Type.Number()])),
  language: Type.Optional(Type.String({ description: 'with it, values may be in that language' })),
};

export const UserClaimsBody = {
  user_uid: Type.Optional(Type.String({ format: 'uuid', description: 'the service_user_code' })),
  access_token: Type.Optional(Type.String({ description: 'or as Bearer' })),
};

export const SAVE_SECURITY = [{ apiKey: [] }, { apiKey: [], bearer: [] }, { apiKey: [], basic: [] }];

export const SAVE_ERRORS = [
  ...USER_ERRORS,
  'userUidNotAccepted',
  'languageUnknown',
  'groupNotFound',
  'groupsDisagree',
  'keyNotFound',
  'keyArchived',
  'valueNotAllowed',
] as const satisfies ErrorName[];

const THEME = { option_group_uid: EXAMPLE.groupUid, option_key_uid: EXAMPLE.keyUid };

const MEMBERS = { ...UserClaimsBody, ...WantedOption };

const schema = {
  operationId: 'saveUserOption',
  summary: 'Save a user option',
  tags: ['options'],
  description:
    'The values are checked against those the key allows, then stored for all languages defined at that time. The user is named by user_uid, or by access_token in the body or as Bearer.',
  security: SAVE_SECURITY,
  body: Type.Object(MEMBERS),
  response: { 200: UserOptionAnswer, 201: UserOptionAnswer },
  answerHeaders: { Location: 'where the record is' },
  errors: SAVE_ERRORS,
  examples: {
    first: {
      summary: 'Saved for the first time',
      body: { user_uid: EXAMPLE.userCode, ...THEME, value: ['dark'] },
      status: 201,
      answer: USER_OPTION_EXAMPLE,
    },
    replaced: {
      summary: 'Replaced, by the access token and in the words of a German form',
      body: { access_token: EXAMPLE.accessToken, ...THEME, value: ['Dunkel'], language: 'Deutsch' },
      status: 200,
      answer: USER_OPTION_EXAMPLE,
    },
    notAllowed: {
      summary: 'A value that the key does not allow',
      body: { user_uid: EXAMPLE.userCode, ...THEME, value: ['blue'] },
      status: 422,
      answer: {
        code: '1008',
        message: 'value[0] is not among the allowed values.',
        errors: [
          { field: 'value[0]', message: 'is not among the allowed values', allowed: ['system', 'light', 'dark'] },
        ],
      },
    },
  },
} satisfies RouteSchema;

/** SPEC.md 4.7 */
export function saveUserOptionRoute(app: Routes, service: Service): void {
  app.post('/api/user_options', { schema }, async (request, reply) => {
    const application = await identifyApplication(service, request, reply);
    const body = readOptionsBody(request);
    const done = await saveForUser(service, application, claimsOfBody(request, body), (user, catalog) => {
      noteUser(request, user);
      return [readWantedSelection(catalog, body, '')];
    });
    const {
      user,
      catalog,
      wanted: [wanted],
      saved: [saved],
    } = done;
    if (!wanted || !saved) throw new Error('a save without a record');
    const owner = writeOwner(application.clientId, user.userId);
    reply
      .code(saved.created ? 201 : 200)
      .header('cache-control', 'no-store')
      .header('location', `/api/user_options/${saved.record.selectionId}`);
    const { bytes } = writeUserOption(catalog, wanted.placed, saved.record, owner, undefined);
    return reply.type(JSON_TYPE).send(new WireText(bytes));
  });
}
