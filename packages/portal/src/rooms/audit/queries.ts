import type { OutputOf } from '@innkeeper/client/manage';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { toCsv } from '../../shell/csv.ts';
import { type Range, rangeQuery } from '../../shell/range.ts';

export type AuditEntry = OutputOf<'/manage/v1/applications/{clientId}/audit', 'get'>['items'][number];
export type AuditAction = AuditEntry['action'];
export type AuditFilter = { action: AuditAction | null; actor: string; search: string; range: Range };
export const EVERYTHING: AuditFilter = { action: null, actor: '', search: '', range: {} };

/** For an application, or the installation. */
export function auditQuery(clientId: string | null, filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: [...(clientId === null ? ['installation'] : ['application', clientId]), 'audit', filter],
    queryFn: ({ pageParam, signal }) => readAudit(clientId, filter, { after: pageParam, limit: 50 }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  });
}

type Page = { after: string | null; limit: number };

async function readAudit(clientId: string | null, filter: AuditFilter, { after, limit }: Page, signal: AbortSignal) {
  const { action, actor, search, range } = filter;
  const query = {
    limit,
    ...rangeQuery(range),
    ...(after !== null && { after }),
    ...(action !== null && { action }),
    ...(actor !== '' && { actor }),
    ...(search !== '' && { search }),
  };
  const response =
    clientId === null
      ? api.get('/manage/v1/audit', { query, signal })
      : api.get('/manage/v1/applications/{clientId}/audit', { path: { clientId }, query, signal });
  return (await response).data;
}

/** More is a case for the API. */
const MAX = 20_000;

/** All matching entries as a table; `isCut`: there are more. */
export async function exportAudit(clientId: string | null, filter: AuditFilter, signal: AbortSignal) {
  const rows: (string | null)[][] = [['at', 'actor', 'action', 'subject', 'userUid', 'before', 'after']];
  let after: string | null = null;
  do {
    const { items, next }: Awaited<ReturnType<typeof readAudit>> = await readAudit(
      clientId,
      filter,
      { after, limit: 200 },
      signal,
    );
    for (const each of items) {
      const { at, actor, action, subject, userUid, before, after: then } = each;
      rows.push([at, actor, action, subject, userUid, json(before), json(then)]);
    }
    after = next;
  } while (after !== null && rows.length <= MAX);
  return { csv: toCsv(rows), count: rows.length - 1, isCut: after !== null };
}

function json(members: unknown): string | null {
  return members === null || members === undefined ? null : JSON.stringify(members);
}
