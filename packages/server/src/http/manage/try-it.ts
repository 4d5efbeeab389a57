import { withoutActor } from '../../domain/audit.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { type SampleSelection, sampleSelection, type Trial, withTrial } from '../../domain/try-it.ts';
import { mask } from '../../monitoring/logging.ts';
import { Nullable, Type } from '../../schema.ts';
import type { SendOwn } from '../server/door.ts';
import type { ManageRoutes } from './manage-route.ts';

const Step = Type.Object(
  {
    operationId: Type.String(),
    method: Type.String(),
    path: Type.String({ description: 'with its query' }),
    headers: Type.Record(Type.String(), Type.String()),
    body: Nullable(Type.Unknown({ description: 'as JSON; null: none' })),
    status: Type.Integer(),
    durationMs: Type.Number(),
    answer: Nullable(Type.Unknown({ description: 'as JSON; null: none' })),
  },
  { title: 'TriedRequest' },
);

/** Routes of this process, for areas that it serves itself. */
type Own = { sendOwn: SendOwn; isServed(path: string): boolean };

export function tryItRoutes({ applicationRoute }: ManageRoutes, service: Service, { sendOwn, isServed }: Own): void {
  applicationRoute('POST', '/try', {
    operationId: 'tryIt',
    summary: 'Run the whole flow with a temporary user',
    description:
      'Creates a user, exchanges the specialToken, lists groups and keys, saves a selection, reads it back and deletes ' +
      'the user, with the same operations that an application calls, and returns each request and response. ' +
      'It needs no clientSecret: a temporary one is used. Secrets and tokens are masked. The user is deleted even if a step fails.',
    response: {
      200: Type.Object({
        complete: Type.Boolean({ description: 'false: a step failed, and the flow ended there' }),
        steps: Type.Array(Step, { description: 'in the order they were sent' }),
      }),
    },
    errors: ['areasNotServed'],
    async handle({ application }) {
      const served = ['/api/v2/app/create-user', '/api/user_options'].every(isServed);
      if (!served) throw new InnkeeperError('areasNotServed');
      const catalog = await service.catalogs.get(application.appId);
      const sample = sampleSelection(catalog, new Date(service.now()).toISOString().slice(0, 10));
      const language = catalog.languages.byDefault?.tag;
      return withTrial(service, application, (trial) =>
        withoutActor(() => runFlow(sendOwn, { clientId: application.clientId, ...trial, sample, language })),
      );
    },
  });
}

type TriedRequest = {
  operationId: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
  status: number;
  durationMs: number;
  answer: unknown;
};

type Flow = Trial & {
  clientId: string;
  /** undefined: there is nothing to choose. */
  sample: SampleSelection | undefined;
  language: string | undefined;
};

type Sent = {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, string | undefined>;
  headers?: Record<string, string>;
  body?: Record<string, unknown>;
};

/** Each step is a request to this process's own routes, as an application would send it. */
async function runFlow(
  sendOwn: SendOwn,
  { clientId, clientSecret, clientUserId, sample, language }: Flow,
): Promise<{ complete: boolean; steps: TriedRequest[] }> {
  const steps: TriedRequest[] = [];
  const placeholders = new Map([[clientSecret, 'YOUR_CLIENT_SECRET']]);
  const send = async (operationId: string, sent: Sent): Promise<Record<string, string>> => {
    const { step, answer } = await sendOne(sendOwn, operationId, sent);
    steps.push(step);
    if (step.status >= 400) throw new StepFailed();
    return answer;
  };
  let complete = false;
  try {
    const user = { clientUserId, clientUserName: 'Innkeeper trial' };
    const { specialToken } = await send('createUser', {
      method: 'POST',
      path: '/api/v2/app/create-user',
      body: { clientId, clientSecret, ...user },
    });
    placeholders.set(specialToken as string, 'YOUR_SPECIAL_TOKEN');
    const { service_user_code, access_token } = await send('getAccessToken', {
      method: 'POST',
      path: '/oauth/v2/get-access-token',
      body: { clientSecret, specialToken },
    });
    placeholders.set(access_token as string, 'YOUR_ACCESS_TOKEN');
    const apiKey = { apiKey: clientId };
    const signedIn = { ...apiKey, authorization: `Bearer ${access_token}` };
    await send('listOptionGroups', { method: 'GET', path: '/api/option_groups', query: { language }, headers: apiKey });
    if (sample) {
      const { group, key } = sample.placed;
      const query = { option_group_name: group.name, language };
      await send('listOptionKeys', { method: 'GET', path: '/api/option_keys', query, headers: apiKey });
      const body = { option_group_uid: group.groupUid, option_key_uid: key.keyUid, value: sample.values };
      await send('saveUserOption', { method: 'POST', path: '/api/user_options', headers: signedIn, body });
    }
    const effective = { effective: 'true', language };
    await send('listUserOptions', { method: 'GET', path: '/api/user_options', query: effective, headers: signedIn });
    await send('deleteUser', {
      method: 'DELETE',
      path: `/api/v2/app/${clientId}/users/${service_user_code}`,
      headers: { authorization: `Bearer ${access_token}` },
    });
    complete = true;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
  }
  return { complete, steps: withPlaceholders(steps, placeholders) };
}

class StepFailed extends Error {}

async function sendOne(sendOwn: SendOwn, operationId: string, { method, path, query = {}, headers = {}, body }: Sent) {
  const given = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined);
  const url = given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
  const all = { ...headers, ...(body && { 'content-type': 'application/json' }) };
  const from = performance.now();
  const { status, text } = await sendOwn({
    method,
    url,
    headers: all,
    ...(body && { body: JSON.stringify(body) }),
  });
  const durationMs = Math.round((performance.now() - from) * 10) / 10;
  const answer = text === '' ? null : JSON.parse(text);
  const request = { operationId, method, path: url, headers: all, body: body ?? null };
  const step: TriedRequest = { ...request, status, durationMs, answer };
  return { step, answer: (answer ?? {}) as Record<string, string> };
}

/**
 * Replaces ids and secrets by placeholders. The shown requests work once these are filled in. Any other secret is
 * masked.
 */
function withPlaceholders<T>(value: T, placeholders: ReadonlyMap<string, string>): T {
  const replace = (part: unknown): unknown => {
    if (typeof part === 'string') {
      return mask(
        [...placeholders].reduce((text, [secret, placeholder]) => text.replaceAll(secret, placeholder), part),
      );
    }
    if (Array.isArray(part)) return part.map(replace);
    if (part === null || typeof part !== 'object') return part;
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, replace(each)]));
  };
  return replace(value) as T;
}
