import { useQuery } from '@tanstack/react-query';
import { applicationQuery, sessionQuery } from '../../api/queries.ts';
import { draftQuery } from '../../draft/queries.ts';
import { overviewQuery } from '../../rooms/overview/queries.ts';
import { isFailing, webhooksQuery } from '../../rooms/webhooks/queries.ts';
import { readTime } from '../moment.tsx';
import type { RoomPath } from '../rooms.ts';

/** Something that needs attention. `id` changes with its subject: a notice that was seen is then new again. */
export type Notice = { id: string; to: RoomPath } & (
  | { kind: 'secret'; at: string }
  | { kind: 'webhook' | 'webhookOff'; name: string }
  | { kind: 'errors'; count: number; share: number }
  | { kind: 'draft'; who: string; count: number }
);

const WEEK_MS = 7 * 86_400_000;
const EVERY_MS = 300_000;
/** Fewer are not worth a notice. */
const MANY_ERRORS = 20;
const MANY_SHARE = 0.1;

/** Notices from several rooms: nothing is stored, and fixed problems disappear. */
export function useNotices(clientId: string): Notice[] {
  const rarely = { refetchInterval: EVERY_MS, staleTime: EVERY_MS / 2 };
  const { data: session } = useQuery(sessionQuery);
  const { data: application } = useQuery(applicationQuery(clientId));
  const { data: webhooks = [] } = useQuery({ ...webhooksQuery(clientId), ...rarely });
  const { data: overview } = useQuery({ ...overviewQuery(clientId), ...rarely });
  const { data: drafted } = useQuery({ ...draftQuery(clientId), ...rarely });
  const notices: Notice[] = [];
  for (const { fingerprint, expiresAt } of application?.secrets ?? []) {
    if (expiresAt === null || readTime(expiresAt).getTime() - Date.now() > WEEK_MS) continue;
    notices.push({
      id: `secret ${fingerprint} ${expiresAt}`,
      to: '/applications/$clientId/credentials',
      kind: 'secret',
      at: expiresAt,
    });
  }
  for (const { webhookId, url, description, offReason, failingSince } of webhooks.filter(isFailing)) {
    const isOff = offReason !== null;
    notices.push({
      id: `webhook ${webhookId} ${isOff ? offReason : failingSince}`,
      to: '/applications/$clientId/webhooks',
      kind: isOff ? 'webhookOff' : 'webhook',
      name: description || url,
    });
  }
  const { requests = 0, errors = 0 } = overview?.lastDay ?? {};
  const share = errors / Math.max(requests, 1);
  if (errors >= MANY_ERRORS && share >= MANY_SHARE) {
    notices.push({
      // Once a day: the numbers change all the time.
      id: `errors ${new Date().toISOString().slice(0, 10)}`,
      to: '/applications/$clientId/requests',
      kind: 'errors',
      count: errors,
      share,
    });
  }
  const draft = drafted?.draft;
  if (draft && draft.changeCount > 0 && draft.updatedBy !== session?.email) {
    notices.push({
      id: `draft ${draft.updatedBy} ${draft.draftId}`,
      to: '/applications/$clientId/catalog',
      kind: 'draft',
      who: draft.updatedBy,
      count: draft.changeCount,
    });
  }
  return notices;
}
