import { isDeepStrictEqual } from 'node:util';
import { renderOpenapiDoc } from '../../packages/server/scripts/write-openapi.ts';
import { fillDemo } from '../../packages/server/src/demo/make-demo.ts';
import { ACCESS, type Access, includesAccess } from '../../packages/server/src/domain/manage/access.ts';
import type { OpenApiDocument } from '../../packages/server/src/http/docs/describe-api.ts';
import { EXAMPLE } from '../../packages/server/src/http/docs/examples.ts';
import {
  type ResolvedDocument,
  type ResolvedOperation,
  withoutReferences,
} from '../../packages/server/test/http/documented-answers.ts';
import {
  basic,
  bearer,
  makeSignedInUser,
  startTestServer,
  type TestServer,
} from '../../packages/server/test/http/start.ts';
import { manageWith } from '../../packages/server/test/manage/manage.ts';
import { fromPortal, memberWith } from '../../packages/server/test/portal/portal.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { bothDatabases } from '../databases.ts';

/** A caller, with its credentials for headers and for members of bodies. */
type Caller = {
  who: string;
  headers: Record<string, string>;
  secret: string;
  token: string;
  /** Its access to the application; undefined: it must not even learn that the application exists. */
  access?: Access;
  isKnown?: boolean;
  /** It may introspect its own tokens, and does. */
  isApplication?: boolean;
};
type Call = {
  title: string;
  method: string;
  path: string;
  body?: string;
  type: string;
  access?: Access;
  isOfTokens: boolean;
};

const ROLE_OF = { read: 'viewer', texts: 'translator', users: 'support', write: 'editor', own: 'owner' } as const;

export const accessMatrix: Campaign = {
  name: 'access-matrix',
  title:
    'every documented operation, called without permission: no credentials, wrong or foreign ones, every lesser role',
  promise: 'all are refused, nothing changes, foreign resources look missing',
  operatorSees: '401, 403 and 404; refused sign-ins are throttled',
  unit: 'requests',
  times: { short: 1_400, full: 1_400 },
  run: (context) => run(context, callers),
  control: { what: 'guards that accept everyone as owner', times: 1, run: (context) => run(context, owners) },
};

async function run(context: CampaignContext, callersOf: typeof callers): Promise<void> {
  for (const { kind, url } of await bothDatabases(context)) {
    const server = await startTestServer(url);
    context.defer(() => server.close());
    const { storage, keyring } = server.service;
    const application = await server.application();
    const demo = await fillDemo(storage, keyring, application, Date.now());
    const { appId } = application;
    const look = async () => [
      await storage.applications.list([appId]).then((all) => all.map(({ secrets: _, ...rest }) => rest)),
      await storage.catalogs.load(appId),
      await storage.drafts.load(appId),
      await storage.users.find(appId, demo.ada),
      await storage.selections.list(demo.ada),
      (await storage.members.list(appId)).length,
    ];
    for (const caller of await callersOf(server, application)) {
      for (const call of await operations(application, demo, caller)) {
        if (call.access && caller.access && includesAccess(caller.access, call.access)) continue;
        if (caller.isApplication && call.isOfTokens) continue;
        await context.attempt(async (lose) => {
          const before = await look();
          const { status, json } = await ask(server, call, caller);
          const label = `${kind}: ${call.title} by ${caller.who}`;
          if (status < 400 || status >= 500) lose(`${label}: HTTP ${status}`);
          if (caller.isKnown && !caller.access && call.access && json.code !== '9404')
            lose(`${label}: got ${json.code}`);
          if (!isDeepStrictEqual(await look(), before)) lose(`${label} changed something`);
        });
      }
    }
  }
}

async function ask(server: TestServer, { method, path, body, type }: Call, { headers }: Caller) {
  const response = await fetch(server.url + path, {
    method,
    headers: { 'content-type': type, 'if-match': '*', ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, json: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {} };
}

type Application = Awaited<ReturnType<TestServer['application']>>;
type Demo = Awaited<ReturnType<typeof fillDemo>>;

let document: ResolvedDocument | undefined;

/** Operations that require credentials, each with its first example, for this application and its user. */
async function operations(application: Application, demo: Demo, caller: Caller): Promise<Call[]> {
  document ??= withoutReferences(JSON.parse(await renderOpenapiDoc()) as OpenApiDocument);
  const { paths } = document;
  const stands: Record<string, string> = {
    [EXAMPLE.clientId]: application.clientId,
    [EXAMPLE.clientSecret]: caller.secret,
    [EXAMPLE.accessToken]: caller.token,
    [EXAMPLE.userCode]: demo.ada,
    [EXAMPLE.groupUid]: demo.theme.groupUid,
    [EXAMPLE.keyUid]: demo.theme.keyUid,
  };
  const filled = (text: string) => Object.entries(stands).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]): Call[] => {
      if (isPublic(operation, path)) return [];
      const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [
        'application/json',
        undefined,
      ];
      const example = Object.values(content?.examples ?? {})[0]?.value;
      const body = type.includes('json')
        ? JSON.stringify(example)
        : new URLSearchParams(example as Record<string, string>).toString();
      const named = path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const parameter = operation.parameters?.find((each) => each.in === 'path' && each.name === name);
        const [shown] = Object.values(parameter?.examples ?? {}) as { value?: unknown }[];
        return name === 'clientId' ? EXAMPLE.clientId : String(shown?.value ?? EXAMPLE.userCode);
      });
      return [
        {
          ...{ title: operation.operationId, method: method.toUpperCase(), path: filled(named), type },
          ...(example !== undefined && { body: filled(body) }),
          ...(operation['x-access'] && { access: operation['x-access'] }),
          isOfTokens: operation.tags.includes('tokens'),
        },
      ];
    }),
  );
}

/** Their credentials are in the body, which the document cannot express. */
const BY_BODY = ['createUser', 'issueSpecialToken', 'getAccessToken', 'introspectToken', 'revokeToken'];

/** Open to everyone by design, about the caller's own account, or for operators. */
function isPublic({ security, operationId, tags }: ResolvedOperation, path: string): boolean {
  if (BY_BODY.includes(operationId)) return false;
  if (tags.includes('operations') || (path.startsWith('/manage/v1/') && !path.includes('{clientId}'))) return true;
  return security.length === 0 || security.some((each) => Object.keys(each).every((name) => name === 'apiKey'));
}

async function callers(server: TestServer, application: Application): Promise<Caller[]> {
  const foreign = await server.application();
  const stranger = await makeSignedInUser(server, foreign);
  const { clientId } = application;
  const secret = foreign.clientSecret;
  const nobody = { secret: 'wrong', token: 'wrong' };
  const apiKey = { apiKey: clientId };
  const outsider = await memberWith(server, [{ appId: foreign.appId, role: 'owner' }]);
  const known = { secret, token: stranger.accessToken, isKnown: true };
  const scoped = await manageWith(server, { appIds: [foreign.appId] });
  const roles = ACCESS.filter((access) => access !== 'own').map(async (access): Promise<Caller> => {
    const { cookie } = await memberWith(server, [{ appId: application.appId, role: ROLE_OF[access] }]);
    return { who: `a ${ROLE_OF[access]}`, headers: { ...apiKey, ...fromPortal, cookie }, ...known, access };
  });
  return [
    { who: 'nobody', headers: apiKey, ...nobody },
    { who: 'a made-up token', headers: { ...apiKey, ...bearer(`ikp_${'a'.repeat(43)}`) }, ...nobody },
    { who: 'a wrong secret', headers: { ...apiKey, ...basic({ clientId, clientSecret: 'wrong' }) }, ...nobody },
    {
      who: 'the secret of another application',
      headers: { ...apiKey, ...basic({ clientId, clientSecret: secret }) },
      secret,
      token: 'wrong',
    },
    {
      who: 'another application',
      headers: { ...apiKey, ...basic(foreign) },
      secret,
      token: stranger.accessToken,
      isApplication: true,
    },
    {
      who: 'a user of another application',
      headers: { ...apiKey, ...bearer(stranger.accessToken) },
      secret,
      token: stranger.accessToken,
    },
    { who: 'a token for another application', headers: { ...apiKey, ...bearer(scoped.token) }, ...known },
    {
      who: 'the owner of another application',
      headers: { ...apiKey, ...fromPortal, cookie: outsider.cookie },
      ...known,
    },
    ...(await Promise.all(roles)),
  ];
}

/** The same requests from callers that are allowed: they have the access that the others lack. */
async function owners(server: TestServer, application: Application): Promise<Caller[]> {
  const { token } = await manageWith(server);
  const { clientSecret: secret, clientId } = application;
  return [{ who: 'the owner', headers: { apiKey: clientId, ...bearer(token) }, secret, token }];
}
