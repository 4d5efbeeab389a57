import type { FileLine } from '../domain/users/import-line.ts';
import type { ImportCounts, Rejection } from '../domain/users/import-users.ts';
import { readUuid } from '../uuid.ts';
import { UsageError } from './failure.ts';
import type { Importing, Management, ShownUser, UserLink } from './management.ts';
import { unknownUser } from './refusals.ts';
import { applicationPath, type RemoteCalls, type Reply } from './remote-call.ts';

/** A part of an import, within the service's limits (http/manage/transfer-users.ts). */
const PART = { lines: 500, characters: 1024 ** 2 };

/** Uses /manage/v1. */
export function remoteUsers({ call, get, stream }: RemoteCalls): Management['users'] {
  const findUser = async (clientId: string, id: string): Promise<ShownUser> => {
    const code = readUuid(id);
    const byCode = code && (await call<ManagedUser>('GET', applicationPath(clientId, `/users/${code}`), {}, [404]));
    if (byCode && byCode.status === 200) return showUser(byCode.body);
    // First check the application itself: the 404 above may have been about it.
    const query = new URLSearchParams({ search: id, limit: '1', partial: 'true' });
    const { items } = await get<{ items: ManagedUser[] }>(applicationPath(clientId, `/users?${query}`));
    // Among all ids with this prefix, the exact one comes first.
    const [found] = items;
    if (found?.clientUserId !== id) throw unknownUser(id);
    return showUser(found);
  };
  return {
    async import(clientId, lines, options) {
      return importInParts(lines, options, async (part) => {
        const path = applicationPath(clientId, '/users/import');
        return (await call<PartResponse>('POST', path, { body: part })).body;
      });
    },
    async *export(clientId, wanted) {
      const query = new URLSearchParams(wanted?.where.map((each) => ['where', each]));
      if (wanted?.effective) query.set('effective', 'true');
      if (wanted?.status) query.set('status', wanted.status);
      for (let after: string | null = ''; after !== null; ) {
        if (after !== '') query.set('after', after);
        const path = applicationPath(clientId, `/users/export?${query}`);
        const reply: Reply<ExportPage> = await call('GET', path, {}, [400]);
        if (reply.status === 400) throw new UsageError(String(reply.body.message));
        const page = reply.body;
        const text = page.lines.map((line) => `${JSON.stringify(line)}\n`).join('');
        if (page.lines.length > 0) yield { text, users: page.users, profilesOnly: page.profilesOnly };
        after = page.next;
      }
    },
    find: findUser,
    async setStatus(clientId, id, status) {
      const { service_user_code } = await findUser(clientId, id);
      const path = applicationPath(clientId, `/users/${service_user_code}`);
      return showUser((await call<ManagedUser>('PATCH', path, { body: { status } })).body);
    },
    async delete(clientId, { service_user_code }) {
      const path = applicationPath(clientId, `/users/${service_user_code}`);
      await call('DELETE', path);
      // A service of an earlier version has none. The user is deleted, whether or not it can be fetched.
      const receipt = await call('GET', `${path}/deletion-receipt`, {}, [404]).catch(() => undefined);
      return receipt?.status === 200 ? receipt.text : null;
    },
    async exportOne(clientId, id, format) {
      const user = await findUser(clientId, id);
      const path = applicationPath(clientId, `/users/${user.service_user_code}/export?format=${format}`);
      return { user, texts: await stream(path) };
    },
    async link(clientId, id, body) {
      const { service_user_code } = await findUser(clientId, id);
      const path = applicationPath(clientId, `/users/${service_user_code}/preference-link`);
      const reply = await call<UserLink>('POST', path, { body }, [400]);
      if (reply.status === 400) throw new UsageError(String(reply.body.message));
      return reply.body;
    },
    async withdrawLinks(clientId, id) {
      const user = await findUser(clientId, id);
      await call('DELETE', applicationPath(clientId, `/users/${user.service_user_code}/preference-link`));
      return user;
    },
  };
}

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

type ExportPage = { lines: object[]; users: number; profilesOnly: number; next: string | null };

type Part = Omit<Importing, 'signal' | 'onRejected' | 'onProgress'> & {
  lines: FileLine[];
  earlierIds: string[];
  import?: string;
};
type PartResponse = { counts: ImportCounts; rejections: Omit<Rejection, 'text'>[]; import: string };

/** Sends lines in parts that the service processes one by one: what was imported stays if a later part fails. */
async function importInParts(
  lines: AsyncIterable<readonly FileLine[]>,
  { signal, onRejected, onProgress, ...rules }: Importing,
  sendPart: (part: Part) => Promise<PartResponse>,
): Promise<{ outcome: 'done' | 'interrupted'; counts: ImportCounts }> {
  const { SeenIds } = await import('../domain/users/import-users.ts');
  const seen = new SeenIds();
  const counts = {} as ImportCounts;
  let part: FileLine[] = [];
  let size = 0;
  let importId: string | undefined;
  const flush = async (isLast = false): Promise<void> => {
    if (part.length === 0 && !(isLast && importId === undefined)) return;
    const earlierIds = idsOf(part).filter((id) => seen.add(id));
    const reply = await sendPart({ ...rules, lines: part, earlierIds, ...(importId && { import: importId }) });
    importId = reply.import;
    for (const [name, count] of Object.entries(reply.counts) as [keyof ImportCounts, number][])
      counts[name] = (counts[name] ?? 0) + count;
    const texts = new Map(part.map((line) => [line.line, 'text' in line ? line.text : null]));
    for (const rejection of reply.rejections) onRejected({ ...rejection, text: texts.get(rejection.line) ?? null });
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
