import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { saveSelections } from '../../domain/selections/save-selections.ts';
import type { Service } from '../../domain/service.ts';
import { identifyUserToSave } from '../../domain/users/identify-user.ts';
import { identifyApplication } from './api-key.ts';
import { optionErrors, UserOptionAnswer } from './schemas.ts';
import { claimsOfBody, readOptionsBody } from './user-claims.ts';
import { viewUserOption } from './user-option-view.ts';
import { readWantedSelection } from './wanted-selection.ts';

export const WantedOption = {
  option_group_uid: Type.String({ format: 'uuid' }),
  option_key_uid: Type.String({ format: 'uuid' }),
  value: Type.Array(Type.Union([Type.Boolean(), Type.String(), Type.Number()])),
  language: Type.Optional(Type.String({ description: 'with it, values may be in that language' })),
};

export const UserClaimsBody = {
  user_uid: Type.Optional(Type.String({ format: 'uuid', description: 'the service_user_code' })),
  access_token: Type.Optional(Type.String({ description: 'or as Bearer' })),
};

const schema = {
  summary: 'Save a user option',
  tags: ['options'],
  security: [{ apiKey: [] }, { apiKey: [], bearer: [] }, { apiKey: [], basic: [] }],
  body: Type.Object({ ...UserClaimsBody, ...WantedOption }),
  response: { 200: UserOptionAnswer, 201: UserOptionAnswer, ...optionErrors(400, 401, 404, 409, 422) },
};

/** SPEC.md 4.7 */
export function saveUserOptionRoute(app: FastifyInstance, service: Service): void {
  app.post('/api/user_options', { schema }, async (request, reply) => {
    const application = await identifyApplication(service, request, reply);
    const body = readOptionsBody(request);
    const { user, means } = await identifyUserToSave(service, application, claimsOfBody(request, body));
    const catalog = await service.catalogs.get(application.appId);
    const wanted = readWantedSelection(catalog, body, '');
    const [saved] = await saveSelections(service, user, catalog, [wanted], means);
    if (!saved) throw new Error('a save without a record');
    const owner = { clientId: application.clientId, userUid: user.userId };
    reply
      .code(saved.created ? 201 : 200)
      .header('cache-control', 'no-store')
      .header('location', `/api/user_options/${saved.record.selectionId}`);
    return viewUserOption(catalog, wanted.placed, saved.record, owner, undefined);
  });
}
