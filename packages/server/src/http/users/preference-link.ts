import { InnkeeperError } from '../../domain/errors.ts';
import { makePreferenceLink } from '../../domain/preferences/links.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { formatTime } from '../../time.ts';
import { readJsonObject } from '../bodies.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';
import type { Routes } from '../server/routes.ts';
import { userRoute } from './user-routes.ts';

/** What a link may show, and for how long; the same for back ends and for /manage/v1. */
export const PreferenceLinkBody = Type.Object({
  groups: Type.Optional(
    Type.Array(Type.String(), { description: 'names or UIDs of the option groups to show; all by default' }),
  ),
  language: Type.Optional(Type.String({ description: 'name or tag; by default, that of the browser' })),
  expires_in: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'seconds; 2592000 (30 days) by default' }),
  ),
  unsubscribe: Type.Optional(
    Type.Record(Type.String(), Type.Array(Type.Union([Type.Boolean(), Type.String(), Type.Number()])), {
      description: 'what one click in a mail program saves: `{"group.key": [values]}`',
    }),
  ),
});

const PreferenceLinkResponse = Type.Object(
  {
    url: Type.String({ format: 'uri', description: 'the page; at most 200 characters' }),
    expires_at: Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' }),
    list_unsubscribe: Type.Optional(
      Type.String({ description: 'with `unsubscribe`: the value of the mail header List-Unsubscribe' }),
    ),
    list_unsubscribe_post: Type.Optional(
      Type.String({ description: 'with `unsubscribe`: the value of the mail header List-Unsubscribe-Post' }),
    ),
  },
  { title: 'PreferenceLink' },
);

const created = {
  operationId: 'createPreferenceLink',
  summary: 'Create a link to the preferences of a user',
  description:
    'Anyone with the link can see and change the options of this user without signing in: send it only to this user. It expires, ' +
    'and stops working when the user is deleted or suspended or the links are withdrawn. With `unsubscribe`, the response has the two mail ' +
    'headers of RFC 8058, which give mail programs an unsubscribe button.',
  body: PreferenceLinkBody,
  response: { 200: PreferenceLinkResponse },
  errors: ['bodyNotJson', 'usersBadRequest'] as const,
};

const withdrawn = {
  operationId: 'withdrawPreferenceLinks',
  summary: 'Withdraw the preference links of a user',
  description: 'All links created for this user so far stop working. You can create new ones.',
  response: { 204: Type.Null({ description: 'The links are withdrawn.' }) },
};

export function preferenceLinkRoutes(app: Routes, service: Service): void {
  const under = 'preference-link';
  userRoute(app, service, { method: 'POST', schema: created, under }, async ({ request, application, user }) => {
    return createLink(service, application, user, request);
  });
  userRoute(app, service, { method: 'DELETE', schema: withdrawn, under }, async ({ reply, application, user }) => {
    const outcome = await service.storage.users.withdrawLinks(application.appId, user.userId);
    if (outcome === 'unknown') throw new InnkeeperError('userUnknown');
    return reply.code(204).send();
  });
}

/** Reads the body, which may be empty. */
async function createLink(
  service: Service,
  application: { appId: number },
  user: { userId: string },
  request: Pick<HttpRequest, 'body'>,
): Promise<object> {
  const { groups, language, expires_in, unsubscribe } = request.body?.length ? readJsonObject(request) : {};
  const wanted = { groups, language, expiresIn: expires_in, unsubscribe };
  const { url, expiresAt, unsubscribeUrl } = await makePreferenceLink(service, application, user, wanted);
  return {
    url,
    expires_at: formatTime(expiresAt),
    ...(unsubscribeUrl !== undefined && {
      list_unsubscribe: `<${unsubscribeUrl}>`,
      list_unsubscribe_post: 'List-Unsubscribe=One-Click',
    }),
  };
}
