import type { ValueType } from '../domain/catalog/catalog.ts';
import type { CatalogFile } from '../domain/catalog/file-schema.ts';
import type { OutdatedText, TextConflict } from '../domain/catalog/merge-texts.ts';
import type { ReadableChange } from '../domain/catalog/publish.ts';
import { ERRORS } from '../domain/errors.ts';
import { Failure, UsageError } from './failure.ts';
import type { ApplyOptions, Management, PlanView, Published, Revision } from './management.ts';
import { readTypedValue, refusedArgument, unknownKey, unknownRevision } from './refusals.ts';
import { applicationPath, PAGE, problemsOf, type RemoteCalls, type Reply } from './remote-call.ts';

/** Texts of a review per request: even the longest fit into its body. */
const REVIEWED_AT_ONCE = 200;

/** Uses /manage/v1. */
export function remoteCatalog({ call, get }: RemoteCalls): Management['catalog'] {
  const revisionOf = async (clientId: string): Promise<number> => {
    const { items } = await get<{ items: Revision[] }>(applicationPath(clientId, '/revisions?limit=1'));
    return items[0]?.revision ?? 0;
  };
  const pathOf = (clientId: string, revision: number): string => {
    if (revision < 1) throw unknownRevision(revision);
    return applicationPath(clientId, `/revisions/${revision}`);
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
    return call<PublishedBody>(method, query.size > 0 ? `${path}?${query}` : path, { body, headers }, [409, 412]);
  };

  return {
    plan: async (clientId, { data }) =>
      (await call<PlanView & { revision: number }>('POST', applicationPath(clientId, '/catalog/plan'), { body: data }))
        .body,
    async apply(clientId, file, options) {
      const reply = await publish('PUT', applicationPath(clientId, '/catalog'), file.data, options);
      // The refusal lists what breaks, but not the other changes.
      return readPublished(reply, async () => (await this.plan(clientId, file)).changes);
    },
    async restore(clientId, revision, options) {
      const path = `${pathOf(clientId, revision)}/restore`;
      const reply = await publish('POST', path, undefined, options).catch(notFound(revision));
      return readPublished(
        reply,
        async () => (await this.compare(clientId, await revisionOf(clientId), revision)).changes,
      );
    },
    async read(clientId, revision) {
      if (revision === undefined) {
        const { body, etag } = await call<CatalogFile>('GET', applicationPath(clientId, '/catalog'));
        return { revision: Number(/\d+/.exec(etag ?? '')?.[0]), file: body };
      }
      const found = await get<{ catalog: CatalogFile }>(pathOf(clientId, revision)).catch(notFound(revision));
      return { revision, file: found.catalog };
    },
    async texts(clientId, { format, language, revision: wanted }) {
      const revision = wanted ?? (await revisionOf(clientId));
      const query = new URLSearchParams({ format, revision: String(revision), ...(language && { language }) });
      const path = applicationPath(clientId, `/catalog/translations/export?${query}`);
      const reply = await call('GET', path, {}, [400]).catch(notFound(revision));
      if (reply.status === 400) throw refusedRequest(reply);
      return { revision, content: reply.text };
    },
    async types(clientId, withSchemas) {
      const revision = await revisionOf(clientId);
      return {
        revision,
        content: (await call('GET', applicationPath(clientId, `/catalog/types?schemas=${withSchemas}`))).text,
      };
    },
    async importTexts(clientId, { name, text }, { prefer, note }) {
      const body = { name, file: text, ...(prefer && { prefer }) };
      const headers = { 'if-match': '*' };
      const query = note === undefined ? '' : `?${new URLSearchParams({ note })}`;
      const path = applicationPath(clientId, `/catalog/translations/import${query}`);
      const reply = await call<ImportedBody>('POST', path, { body, headers }, [409, 422]);
      if (reply.status === 422) return { outcome: 'refused', problems: problemsOf(reply), conflicts: [] };
      const { conflicts, outdated } = reply.body;
      if (conflicts) return { outcome: 'refused', problems: [], conflicts };
      return { ...(await readPublished(reply, async () => [])), outdated };
    },
    async review(clientId, input, reviewed) {
      const { readReviewedFile } = await import('./reviewed-file.ts');
      const { items } = await get<{ items: { name: string; tag: string; default: boolean }[] }>(
        applicationPath(clientId, `/catalog/languages?limit=${PAGE}`),
      );
      const languages = items.map(({ name, tag, default: isDefault }) => ({ name, tag, isDefault }));
      const read = await readReviewedFile(input, languages);
      if ('problems' in read) return { outcome: 'refused', problems: read.problems };
      let count = 0;
      const changed: { path: string; language: string }[] = [];
      for (let from = 0; from < read.texts.length; from += REVIEWED_AT_ONCE) {
        const texts = read.texts.slice(from, from + REVIEWED_AT_ONCE);
        const path = applicationPath(clientId, '/catalog/translations/review');
        const { body: part } = await call<{ count: number; changed: typeof changed }>('POST', path, {
          body: { texts, reviewed },
        });
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
        const page = await get<{ items: Revision[]; total: number }>(applicationPath(clientId, `/revisions?${query}`));
        items.push(...page.items);
        total = page.total;
        if (page.items.length === 0) break;
      } while (items.length < Math.min(limit, total - offset));
      return { total, items };
    },
    async revision(clientId, revision) {
      const path = pathOf(clientId, revision);
      const { catalog: _, ...found } = await get<Revision & { catalog: unknown }>(path).catch(notFound(revision));
      return found;
    },
    async migrate(clientId, { key: name, from, to, dryRun }, onProgress) {
      const { groups } = await get<Tree>(applicationPath(clientId, '/catalog/tree'));
      const keys = groups.flatMap((group) => group.keys.map((key) => ({ ...key, path: `${group.name}.${key.name}` })));
      const found = keys.filter(({ keyUid, path }) => keyUid === name.toLowerCase() || path === name);
      const live = found.filter(({ archived }) => !archived);
      const [key, ...others] = live.length > 0 ? live : found;
      if (!key || others.length > 0) throw unknownKey(name, others.length > 0);
      const about = { key: key.path, from: readTypedValue(from, key.type), to: readTypedValue(to, key.type) };
      const body = { from: about.from, to: about.to, dryRun };
      const path = applicationPath(clientId, `/catalog/keys/${key.keyUid}/migrate`);
      const total = { planned: 0, migrated: 0, remaining: 0 };
      // A request migrates for a few seconds; the next one continues.
      for (let round = 0; ; round++) {
        const sent = await call<typeof total>('POST', path, { body }, [400]);
        if (sent.status === 400) throw refusedRequest(sent);
        const reply = sent.body;
        if (round === 0) total.planned = reply.planned;
        total.migrated += reply.migrated;
        total.remaining = reply.remaining;
        onProgress(total.migrated, total.migrated + total.remaining);
        if (reply.remaining === 0 || reply.migrated === 0) return { ...about, ...total };
      }
    },
    async compare(clientId, from, wanted) {
      const to = wanted ?? (await revisionOf(clientId));
      const path = applicationPath(clientId, `/revisions/compare?from=${from}&to=${to}`);
      return get<{ to: number; changes: ReadableChange[] }>(path).catch(notFound(Math.max(from, to)));
    },
  };
}

type PublishedBody = PlanView & { changed: boolean; revision: number };
type ImportedBody = PublishedBody & { conflicts?: TextConflict[]; outdated: OutdatedText[] };
type Tree = {
  groups: { name: string; keys: { keyUid: string; name: string; type: ValueType; archived: boolean }[] }[];
};

function refusedRequest({ body }: Reply): UsageError {
  const [problem] = body.errors ?? [];
  return problem ? refusedArgument(problem) : new UsageError(String(body.message));
}

/** A 409 lists breaking changes; a 412 means that someone else was faster. */
async function readPublished(
  { status, body }: Reply<PublishedBody>,
  changes: () => Promise<Revision['changes']>,
): Promise<Published> {
  if (status === 409) return { outcome: 'breaking', breaking: body.breaking, changes: await changes() };
  if (status === 412) return { outcome: 'conflict', revision: body.revision };
  const { changed, ...published } = body;
  return { outcome: changed ? 'published' : 'unchanged', ...published };
}
