import { expect } from 'vitest';
import { createManageToken, type WantedManageToken } from '../../src/domain/manage/authorize-manager.ts';
import { EXAMPLE, type Wire } from '../http/options/example-catalog.ts';
import type { Answer, TestServer } from '../http/start.ts';

/** A client of /manage/v1 with its own token. */
export type Manage = {
  token: string;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
};

export async function manageWith(server: TestServer, wanted: Partial<WantedManageToken> = {}): Promise<Manage> {
  const { storage, keyring, now } = server.service;
  const made = await createManageToken(
    storage,
    keyring,
    { name: 'tests', accountId: null, appIds: null, access: 'own', lifetimeSeconds: 3600, ...wanted },
    now(),
  );
  if (!made) throw new Error('no token was made');
  return manageAs(server, made.token);
}

/** How the audit log and revisions name a token with this name. */
export const byToken = (name = 'tests') => expect.stringMatching(new RegExp(`^token:${name} \\([0-9a-f]{12}\\)$`));

export function manageAs(server: TestServer, token: string): Manage {
  const send: Manage['send'] = (method, path, body, headers = {}) =>
    server.send(method, `/manage/v1${path}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return { token, send, get: (path, headers) => send('GET', path, undefined, headers) };
}

/** An application with a catalog, and the ETag of its latest read or published revision. */
export async function editor(server: TestServer, file: unknown = EXAMPLE) {
  const application = await server.application();
  const manage = await manageWith(server);
  const path = `/applications/${application.clientId}`;
  const published = await manage.send('PUT', `${path}/catalog`, file, { 'if-match': '"0"' });
  if (published.status !== 200) throw new Error(published.text);
  return { ...editorOf(manage, path), application, manage };
}

export function editorOf(manage: Manage, path: string) {
  const ifMatch = (revision: number | string) => ({
    'if-match': typeof revision === 'number' ? `"${revision}"` : revision,
  });
  const tree = async () => (await manage.get(`${path}/catalog/tree`)).json as unknown as Tree;
  const group = async (name: string) => {
    const found = (await tree()).groups.find((each) => each.name === name);
    if (!found) throw new Error(`no group ${name}`);
    return found;
  };
  const key = async (name: string) => {
    const found = (await tree()).groups.flatMap(({ keys }) => keys).find((each) => each.name === name);
    if (!found) throw new Error(`no key ${name}`);
    return found;
  };
  return {
    path,
    tree,
    group,
    key,
    get: (rest: string, headers?: Record<string, string>) => manage.get(path + rest, headers),
    send: (method: string, rest: string, body?: unknown, headers?: Record<string, string>) =>
      manage.send(method, path + rest, body, headers),
    /** Edits a certain revision, by default the current one. */
    edit: (method: string, rest: string, body: unknown, revision: number | string = '*') =>
      manage.send(method, `${path}/catalog${rest}`, body, ifMatch(revision)),
    file: async () => (await manage.get(`${path}/catalog`)).json as Wire,
  };
}

export type Tree = {
  revision: number;
  languages: Wire[];
  groups: (Wire & { groupUid: string; name: string; archived: boolean; keys: TreeKey[] })[];
};
type TreeKey = Wire & { keyUid: string; name: string; archived: boolean };
