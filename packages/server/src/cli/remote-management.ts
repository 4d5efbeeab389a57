import type { Remote } from '../config.ts';
import type { ValueType } from '../domain/catalog/catalog.ts';
import { ERRORS, type FieldError } from '../domain/errors.ts';
import type { ImportCounts, Rejection } from '../domain/users/import-batches.ts';
import type { FileLine } from '../domain/users/import-line.ts';
import { readUuid } from '../domain/users/user-code.ts';
import { Failure, UsageError } from './failure.ts';
import type {
  ApplyOptions,
  Importing,
  Management,
  Published,
  Revision,
  ShownToken,
  ShownUser,
  UserLink,
} from './management.ts';
import { readTypedValue, unknownKey } from './migrated-key.ts';
import { refusedArgument } from './refused-argument.ts';
import { remoteWebhooks, rotationBody } from './remote-webhooks.ts';
import { unknownApplication, unknownRevision, unknownUser } from './unknown.ts';

/** How long to wait for a service that does not respond. */
const PATIENCE_MS = 60_000;
/** Maximum items of a list per response. */
const PAGE = 200;
/** Texts of a review per request: even the longest fit into its body. */
const REVIEWED_AT_ONCE = 200;
/** A part of an import, within the service's limits (http/manage/transfer-users.ts). */
const PART = { lines: 500, characters: 1024 ** 2 };

type Answer = { status: number; body: Record<string, unknown>; text: string; etag: string | null };
type Request = { body?: unknown; headers?: Record<string, string> };
export type Call = (method: string, path: string, request?: Request, expected?: number[]) => Promise<Answer>;

/** Uses /manage/v1 of a service: needs neither its database nor its secret. */
export function remoteManagement({ url, token }: Remote): Management {
  const open = (method: string, path: string, { body, headers }: Request, signal: AbortSignal): Promise<Response> =>
    fetch(`${url}/manage/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal,
    }).catch((error: Error) => {
      const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
      throw new Failure(`${url} cannot be reached: ${code ?? message}.`, {
        wayOut: 'Check INNKEEPER_URL, and that the service is running and ready (/readyz).',
      });
    });
  const read = async (response: Response): Promise<Answer> => {
    // Not text(), which removes the byte order mark that spreadsheets need.
    const text = Buffer.from(await response.arrayBuffer()).toString();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const body = isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: response.status, body, text, etag: response.headers.get('etag') };
  };
  /** `expected`: statuses besides 2xx that the caller handles. */
  const call: Call = async (method, path, request, expected = []) => {
    const answer = await read(await open(method, path, request ?? {}, AbortSignal.timeout(PATIENCE_MS)));
    const [, , clientId] = path.startsWith('/applications/') ? path.split(/[/?]/) : [];
    if (clientId !== undefined && answer.body.message === ERRORS.applicationNotFound.message) {
      throw unknownApplication(decodeURIComponent(clientId));
    }
    if (answer.status < 300 || expected.includes(answer.status)) return answer;
    throw refusal(url, answer);
  };
  /** Streams what may be too large for memory. */
  const stream = async (path: string): Promise<AsyncIterable<string>> => {
    const overdue = new AbortController();
    const timer = setTimeout(() => overdue.abort(), PATIENCE_MS);
    const response = await open('GET', path, {}, overdue.signal).finally(() => clearTimeout(timer));
    if (!response.ok || !response.body) throw refusal(url, await read(response));
    return readTexts(url, response.body);
  };
  const of = (clientId: string, path = ''): string => `/applications/${encodeURIComponent(clientId)}${path}`;
  const get = async <T>(path: string): Promise<T> => (await call('GET', path)).body as T;
  const findUser = async (clientId: string, id: string): Promise<ShownUser> => {
    const code = readUuid(id);
    const byCode = code && (await call('GET', of(clientId, `/users/${code}`), {}, [404]));
    if (byCode && byCode.status === 200) return showUser(byCode.body as ManagedUser);
    // First check the application itself: the 404 above may have been about it.
    const query = new URLSearchParams({ search: id, limit: '1', partial: 'true' });
    const { items } = await get<{ items: ManagedUser[] }>(of(clientId, `/users?${query}`));
    // Among all ids with this prefix, the exact one comes first.
    const [found] = items;
    if (found?.clientUserId !== id) throw unknownUser(id);
    return showUser(found);
  };
  const revisionOf = async (clientId: string): Promise<number> => {
    const { items } = await get<{ items: Revision[] }>(of(clientId, '/revisions?limit=1'));
    return items[0]?.revision ?? 0;
  };
  const notFound = (revision: number) => (error: unknown) => {
    if (error instanceof Failure && error.message === ERRORS.revisionNotFound.message) throw unknownRevision(revision);
    throw error;
  };
  const publish = async (method: string, path: string, body: unknown, options: ApplyOptions) => {
    const headers = { 'if-match': options.ifRevision === undefined ? '*' : `"${options.ifRevision}"` };
    const query = new URLSearchParams({
      ...(options.allowBreaking && { allow_breaking: 'true' }),
      ...(options.note !== undefined && { note: options.note }),
    });
    return call(method, query.size > 0 ? `${path}?${query}` : path, { body, headers }, [409, 412]);
  };

  return {
    place: url,
    applications: {
      async list() {
        const all: { clientId: string; name: string; createdAt: string }[] = [];
        for (let total = 1; all.length < total; ) {
          const page = await get<{ items: typeof all; total: number }>(
            `/applications?offset=${all.length}&limit=${PAGE}`,
          );
          all.push(...page.items.map(({ clientId, name, createdAt }) => ({ clientId, name, createdAt })));
          total = page.items.length === 0 ? 0 : page.total;
        }
        return all;
      },
      async show(clientId) {
        const { counts, changedSettings, ...shown } = await get<Shown>(of(clientId));
        return { ...shown, users: counts.users, changed: changedSettings };
      },
      create: async (name) => (await call('POST', '/applications', { body: { name } })).body as never,
      async change(clientId, { name, settings }) {
        const set = Object.entries(settings).map(([setting, value]) => [setting, value ?? null]);
        const body = { ...(name !== undefined && { name }), settings: Object.fromEntries(set) };
        const answer = await call('PATCH', of(clientId), { body }, [400]);
        if (answer.status === 400) {
          const errors = (answer.body.errors ?? []) as FieldError[];
          return { problems: errors.map(({ field, message }) => ({ field: field.replace('settings.', ''), message })) };
        }
        const { changedSettings, ...shown } = answer.body as Shown;
        return { name: shown.name, settings: shown.settings, changed: changedSettings };
      },
      async rotateSecret(clientId, rotation) {
        const body = rotationBody(rotation);
        const answer = await call('POST', of(clientId, '/secrets'), { body }, [409]);
        return answer.status === 409 ? undefined : (answer.body as never);
      },
      async delete(clientId) {
        await call('DELETE', of(clientId, `?confirm=${encodeURIComponent(clientId)}`));
      },
    },
    catalog: {
      plan: async (clientId, { data }) =>
        (await call('POST', of(clientId, '/catalog/plan'), { body: data })).body as never,
      async apply(clientId, file, options) {
        const answer = await publish('PUT', of(clientId, '/catalog'), file.data, options);
        // The refusal lists what breaks, but not the other changes.
        return readPublished(answer, async () => (await this.plan(clientId, file)).changes);
      },
      async restore(clientId, revision, options) {
        const path = of(clientId, `/revisions/${revision}/restore`);
        const answer = await publish('POST', path, undefined, options).catch(notFound(revision));
        return readPublished(
          answer,
          async () => (await this.compare(clientId, await revisionOf(clientId), revision)).changes,
        );
      },
      async read(clientId, revision) {
        if (revision === undefined) {
          const { body, etag } = await call('GET', of(clientId, '/catalog'));
          return { revision: Number(etag?.replaceAll('"', '')), file: body as never };
        }
        const found = await get<{ catalog: never }>(of(clientId, `/revisions/${revision}`)).catch(notFound(revision));
        return { revision, file: found.catalog };
      },
      async texts(clientId, { format, language, revision: wanted }) {
        const revision = wanted ?? (await revisionOf(clientId));
        const query = new URLSearchParams({ format, revision: String(revision), ...(language && { language }) });
        const path = of(clientId, `/catalog/translations/export?${query}`);
        const { body, text } = await call('GET', path, {}, [400]).catch(notFound(revision));
        const [problem] = (body.errors ?? []) as FieldError[];
        if (problem) throw refusedArgument(problem);
        return { revision, content: text };
      },
      async types(clientId, withSchemas) {
        const revision = await revisionOf(clientId);
        return { revision, content: (await call('GET', of(clientId, `/catalog/types?schemas=${withSchemas}`))).text };
      },
      async importTexts(clientId, { name, text }, { prefer, note }) {
        const body = { name, file: text, ...(prefer && { prefer }) };
        const headers = { 'if-match': '*' };
        const query = note === undefined ? '' : `?${new URLSearchParams({ note })}`;
        const path = of(clientId, `/catalog/translations/import${query}`);
        const answer = await call('POST', path, { body, headers }, [409, 422]);
        if (answer.status === 422) return { outcome: 'refused', problems: problemsOf(answer), conflicts: [] };
        const { conflicts, outdated } = answer.body as { conflicts?: never; outdated: never };
        if (conflicts) return { outcome: 'refused', problems: [], conflicts };
        return { ...(await readPublished(answer, async () => [])), outdated };
      },
      async review(clientId, input, reviewed) {
        const { readReviewedFile } = await import('./reviewed-file.ts');
        const { items } = await get<{ items: { name: string; tag: string; default: boolean }[] }>(
          of(clientId, `/catalog/languages?limit=${PAGE}`),
        );
        const languages = items.map(({ name, tag, default: isDefault }) => ({ name, tag, isDefault }));
        const read = await readReviewedFile(input, languages);
        if ('problems' in read) return { outcome: 'refused', problems: read.problems };
        let count = 0;
        const changed: { path: string; language: string }[] = [];
        for (let from = 0; from < read.texts.length; from += REVIEWED_AT_ONCE) {
          const texts = read.texts.slice(from, from + REVIEWED_AT_ONCE);
          const path = of(clientId, '/catalog/translations/review');
          const part = (await call('POST', path, { body: { texts, reviewed } })).body as never as {
            count: number;
            changed: typeof changed;
          };
          count += part.count;
          changed.push(...part.changed);
        }
        return { outcome: 'marked', count, changed };
      },
      async revisions(clientId, { offset, limit }) {
        const items: Revision[] = [];
        let total = 0;
        do {
          const query = `offset=${offset + items.length}&limit=${Math.min(PAGE, limit - items.length)}`;
          const page = await get<{ items: Revision[]; total: number }>(of(clientId, `/revisions?${query}`));
          items.push(...page.items);
          total = page.total;
          if (page.items.length === 0) break;
        } while (items.length < Math.min(limit, total - offset));
        return { total, items: items.map(toRevision) };
      },
      revision: async (clientId, revision) =>
        toRevision(await get<Revision>(of(clientId, `/revisions/${revision}`)).catch(notFound(revision))),
      async migrate(clientId, { key: name, from, to, dryRun }, onProgress) {
        const { groups } = await get<Tree>(of(clientId, '/catalog/tree'));
        const keys = groups.flatMap((group) =>
          group.keys.map((key) => ({ ...key, path: `${group.name}.${key.name}` })),
        );
        const found = keys.filter(({ keyUid, path }) => keyUid === name.toLowerCase() || path === name);
        const live = found.filter(({ archived }) => !archived);
        const [key, ...others] = live.length > 0 ? live : found;
        if (!key || others.length > 0) throw unknownKey(name, others.length > 0);
        const about = { key: key.path, from: readTypedValue(from, key.type), to: readTypedValue(to, key.type) };
        const body = { from: about.from, to: about.to, dryRun };
        const path = of(clientId, `/catalog/keys/${key.keyUid}/migrate`);
        const total = { planned: 0, migrated: 0, remaining: 0 };
        // A request migrates for a few seconds; the next one continues.
        for (let round = 0; ; round++) {
          const sent = await call('POST', path, { body }, [400]);
          const [problem] = (sent.body.errors ?? []) as FieldError[];
          if (problem) throw refusedArgument(problem);
          const answer = sent.body as typeof total;
          if (round === 0) total.planned = answer.planned;
          total.migrated += answer.migrated;
          total.remaining = answer.remaining;
          onProgress(total.migrated, total.migrated + total.remaining);
          if (answer.remaining === 0 || answer.migrated === 0) return { ...about, ...total };
        }
      },
      async compare(clientId, from, wanted) {
        const to = wanted ?? (await revisionOf(clientId));
        const path = of(clientId, `/revisions/compare?from=${from}&to=${to}`);
        return get<never>(path).catch(notFound(Math.max(from, to)));
      },
    },
    users: {
      async import(clientId, lines, options) {
        return importInParts(lines, options, async (part) => {
          const path = of(clientId, '/users/import');
          return (await call('POST', path, { body: part })).body as PartAnswer;
        });
      },
      async *export(clientId, wanted) {
        const query = new URLSearchParams(wanted?.where.map((each) => ['where', each]));
        if (wanted?.effective) query.set('effective', 'true');
        if (wanted?.status) query.set('status', wanted.status);
        for (let after: string | null = ''; after !== null; ) {
          if (after !== '') query.set('after', after);
          const answer: Answer = await call('GET', of(clientId, `/users/export?${query}`), {}, [400]);
          if (answer.status === 400) throw new UsageError(String(answer.body.message));
          const page = answer.body as ExportPage;
          const text = page.lines.map((line) => `${JSON.stringify(line)}\n`).join('');
          if (page.lines.length > 0) yield { text, users: page.users, profilesOnly: page.profilesOnly };
          after = page.next;
        }
      },
      find: findUser,
      async setStatus(clientId, id, status) {
        const { service_user_code } = await findUser(clientId, id);
        const path = of(clientId, `/users/${service_user_code}`);
        return showUser((await call('PATCH', path, { body: { status } })).body as ManagedUser);
      },
      async delete(clientId, { service_user_code }) {
        const path = of(clientId, `/users/${service_user_code}`);
        await call('DELETE', path);
        // A service of an earlier version has none.
        const { status, text } = await call('GET', `${path}/deletion-receipt`, {}, [404]);
        return status === 200 ? text : null;
      },
      async exportOne(clientId, id, format) {
        const user = await findUser(clientId, id);
        const path = of(clientId, `/users/${user.service_user_code}/export?format=${format}`);
        return { user, texts: await stream(path) };
      },
      async link(clientId, id, body) {
        const { service_user_code } = await findUser(clientId, id);
        const path = of(clientId, `/users/${service_user_code}/preference-link`);
        const answer = await call('POST', path, { body }, [400]);
        if (answer.status === 400) throw new UsageError(String(answer.body.message));
        return answer.body as UserLink;
      },
      async withdrawLinks(clientId, id) {
        const user = await findUser(clientId, id);
        await call('DELETE', of(clientId, `/users/${user.service_user_code}/preference-link`));
        return user;
      },
    },
    webhooks: remoteWebhooks(call, of),
    tokens: {
      async create({ lifetimeSeconds, ...wanted }) {
        const body = { ...wanted, expires: `${lifetimeSeconds}s` };
        const answer = await call('POST', '/tokens', { body }, [404]);
        // Find out which application does not exist.
        if (answer.status === 404) for (const clientId of wanted.apps ?? []) await get(of(clientId));
        if (answer.status === 404) throw refusal(url, answer);
        return answer.body as never;
      },
      list: async () => (await get<{ items: ShownToken[] }>('/tokens')).items,
      async revoke(tokenId) {
        const { status } = await call('DELETE', `/tokens/${encodeURIComponent(tokenId)}`, {}, [404]);
        return status === 404 ? 'unknown' : 'revoked';
      },
    },
  };
}

type Shown = Awaited<ReturnType<Management['applications']['show']>> & {
  counts: { users: number };
  changedSettings: string[];
};
type ManagedUser = {
  userUid: string;
  clientUserId: string;
  clientUserName: string;
  email: string;
  status: ShownUser['status'];
  createdAt: string;
  updatedAt: string;
};

function showUser({
  userUid,
  clientUserId,
  clientUserName,
  email,
  status,
  createdAt,
  updatedAt,
}: ManagedUser): ShownUser {
  return {
    ...{ service_user_code: userUid, clientUserId, clientUserName, email, status },
    ...{ created_at: createdAt, updated_at: updatedAt },
  };
}

type Tree = {
  groups: { name: string; keys: { keyUid: string; name: string; type: ValueType; archived: boolean }[] }[];
};
type ExportPage = { lines: object[]; users: number; profilesOnly: number; next: string | null };

function toRevision({ revision, createdAt, author, authors, note, changes }: Revision): Revision {
  return { revision, createdAt, author, authors, ...(note !== undefined && { note }), changes };
}

/** A 409 without breaking changes, and a 412, mean that someone else was faster. */
async function readPublished(
  { status, body }: Answer,
  changes: () => Promise<Revision['changes']>,
): Promise<Published> {
  if (status === 409) return { outcome: 'breaking', breaking: body.breaking as never, changes: await changes() };
  if (status === 412) return { outcome: 'conflict', revision: body.revision as number };
  const { changed, ...published } = body as { changed: boolean } & Record<string, never>;
  return { outcome: changed ? 'published' : 'unchanged', ...published } as never;
}

async function* readTexts(url: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const some of bytes) yield decoder.decode(some, { stream: true });
  } catch {
    throw new Failure(`The connection to ${url} was lost.`, { wayOut: 'Try again.' });
  }
}

function problemsOf({ body }: Answer): string[] {
  const errors = (body.errors ?? []) as FieldError[];
  return errors.length === 0 ? [String(body.message)] : errors.map(({ field, message }) => `${field} ${message}`);
}

function refusal(url: string, { status, body }: Answer): Failure {
  if (typeof body.message !== 'string') {
    return new Failure(`${url} returned ${status}, which is not an Innkeeper response.`, {
      wayOut: 'Check INNKEEPER_URL.',
    });
  }
  const errors = (body.errors ?? []) as FieldError[];
  const definition = Object.values(ERRORS).find(({ code, message }) => code === body.code && message === body.message);
  const wayOut =
    status === 401 ? 'Check INNKEEPER_TOKEN, or create a new one with: innkeeper token create' : definition?.remedy;
  return new Failure(body.message, {
    problems: errors.length > 1 ? problemsOf({ body } as Answer) : [],
    ...(wayOut !== undefined && { wayOut }),
  });
}

type Part = Omit<Importing, 'signal' | 'onRejected' | 'onProgress'> & {
  lines: FileLine[];
  earlierIds: string[];
  import?: string;
};
type PartAnswer = { counts: ImportCounts; rejections: Omit<Rejection, 'text'>[]; import: string };

/** Sends lines in parts that the service answers one by one: what was imported stays if a later part fails. */
async function importInParts(
  lines: AsyncIterable<readonly FileLine[]>,
  { signal, onRejected, onProgress, ...rules }: Importing,
  sendPart: (part: Part) => Promise<PartAnswer>,
): Promise<{ outcome: 'done' | 'interrupted'; counts: ImportCounts }> {
  const { SeenIds } = await import('../domain/users/seen-ids.ts');
  const seen = new SeenIds();
  const counts = {} as ImportCounts;
  let part: FileLine[] = [];
  let size = 0;
  let importId: string | undefined;
  const flush = async (isLast = false): Promise<void> => {
    if (part.length === 0 && !(isLast && importId === undefined)) return;
    const earlierIds = idsOf(part).filter((id) => seen.add(id));
    const answer = await sendPart({ ...rules, lines: part, earlierIds, ...(importId && { import: importId }) });
    importId = answer.import;
    for (const [name, count] of Object.entries(answer.counts) as [keyof ImportCounts, number][])
      counts[name] = (counts[name] ?? 0) + count;
    const texts = new Map(part.map((line) => [line.line, 'text' in line ? line.text : null]));
    for (const rejection of answer.rejections) onRejected({ ...rejection, text: texts.get(rejection.line) ?? null });
    [part, size] = [[], 0];
    onProgress?.(counts);
  };
  for await (const some of lines) {
    for (const line of some) {
      if (signal?.aborted) break;
      const length = 'text' in line ? line.text.length : 0;
      if (part.length === PART.lines || (part.length > 0 && size + length > PART.characters)) await flush();
      part.push(line);
      size += length;
    }
    if (signal?.aborted) break;
  }
  await flush(true);
  return { outcome: signal?.aborted ? 'interrupted' : 'done', counts };
}

/** Each clientUserId once: within a part, the service finds repeats itself. */
function idsOf(part: readonly FileLine[]): string[] {
  const ids = part.flatMap((line) => {
    try {
      const { clientUserId } = 'text' in line ? (JSON.parse(line.text) as { clientUserId?: unknown }) : {};
      return typeof clientUserId === 'string' ? [clientUserId] : [];
    } catch {
      return []; // the service reports what is wrong with it
    }
  });
  return [...new Set(ids)];
}
