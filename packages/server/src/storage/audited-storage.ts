import { orderedUuid } from '../uuid.ts';
import {
  type AuditedAct,
  detailOfChange,
  detailOfWebhook,
  detailOfWebhookChange,
  draftEdit,
  findApplication,
  findWebhook,
  ITSELF,
  LAST_USE,
  type Plans,
  SERVICE,
  STATISTICS,
  THROTTLE,
  toTime,
} from './audit-details.ts';
import { AUDITED_ACCOUNTS } from './audited-accounts.ts';
import { AUDITED_USERS } from './audited-users.ts';
import type { ActCall, ApplicationRecord, Authorship, DraftRecord, Storage, Stores, WebhookRecord } from './port.ts';

/** Catalogs and drafts. */
const AUDITED_CATALOGS: Plans<'catalogs' | 'textStates' | 'drafts'> = {
  catalogs: {
    load: 'read',
    loadAt: 'read',
    // The changes themselves are stored with the revision.
    publish: {
      entries: (_, outcome, _before, { appId, revision, difference }) =>
        outcome === 'published'
          ? [
              {
                action: 'catalog.published',
                appId,
                subject: String(revision),
                before: { revision: revision - 1 },
                after: { revision, changes: (JSON.parse(difference) as unknown[]).length },
              },
            ]
          : [],
    },
    revisions: 'read',
  },
  textStates: {
    list: 'read',
    review: {
      entries: (_, outcome, _before, { appId, texts, reviewed, languages }) =>
        outcome === 'reviewed'
          ? [
              {
                action: 'catalog.textsReviewed',
                appId,
                subject: languages.join(', '),
                after: { texts: texts.length, reviewed },
              },
            ]
          : [],
    },
  },
  drafts: {
    look: 'read',
    load: 'read',
    save: {
      entries: (_, outcome, _before, change) => (outcome === 'saved' ? [draftEdit(change)] : []),
    },
    discard: {
      before: (stores, appId) => stores.drafts.look(appId),
      entries: (_, outcome, { draft }: { draft?: DraftRecord }, appId) =>
        outcome === 'discarded' && draft
          ? [
              {
                action: 'catalog.draftDiscarded',
                appId,
                subject: String(draft.baseRevision),
                before: { baseRevision: draft.baseRevision, edits: draft.version, createdBy: draft.createdBy },
              },
            ]
          : [],
    },
    edits: 'read',
    inverse: 'read',
  },
};

/** Every act of the port. */
export const AUDITED_ACTS: Plans<keyof Stores> = {
  ...AUDITED_ACCOUNTS,
  ...AUDITED_CATALOGS,
  ...AUDITED_USERS,
  applications: {
    create: {
      entries: (_, outcome, _before, { appId, clientId, name }) =>
        outcome === 'created'
          ? [{ action: 'application.created', appId, subject: name, after: { clientId, name } }]
          : [],
    },
    list: 'read',
    findByClientId: 'read',
    update: {
      locksApplication: true,
      before: findApplication,
      entries: async (stores, outcome, before: ApplicationRecord | undefined, appId) =>
        outcome === 'updated' ? detailOfChange(before, await findApplication(stores, appId)) : [],
    },
    rotateSecret: {
      before: findApplication,
      entries: (_, outcome, before: ApplicationRecord | undefined, appId, _secret, previousExpiresAt) =>
        outcome === 'rotated'
          ? [
              {
                action: 'secret.rotated',
                appId,
                subject: before?.name ?? '',
                after: { previousExpiresAt: toTime(previousExpiresAt) },
              },
            ]
          : [],
    },
    endPreviousSecrets: {
      before: findApplication,
      entries: (_, outcome, before: ApplicationRecord | undefined, appId) =>
        outcome === 'ended' ? [{ action: 'secret.previousEnded', appId, subject: before?.name ?? '' }] : [],
    },
    delete: {
      before: findApplication,
      entries: (_, outcome, before: ApplicationRecord | undefined) =>
        outcome === 'deleted' && before
          ? [
              {
                action: 'application.deleted',
                appId: null,
                subject: before.name,
                before: { clientId: before.clientId, name: before.name },
              },
            ]
          : [],
    },
    countUsers: 'read',
    touchSecret: LAST_USE,
    secretUses: 'read',
  },
  rateLimits: { spend: THROTTLE },
  signingKeys: { list: 'read', add: SERVICE },
  changes: { since: 'read' },
  facts: { get: 'read', settle: SERVICE, replace: SERVICE },
  sealed: {
    list: 'read',
    replace: { because: 'part of a rotation, which has its own entry' },
    switchSecret: {
      entries: (_, outcome) =>
        outcome === 'switched' ? [{ action: 'secret.masterRotated', appId: null, subject: '' }] : [],
    },
  },
  events: {
    read: 'read',
    find: 'read',
    listBack: 'read',
    newest: 'read',
    isNear: 'read',
    newestOf: 'read',
    purge: SERVICE,
  },
  clock: { read: 'read', newestRecord: 'read' },
  activity: { add: STATISTICS, list: 'read', lastAt: 'read', totals: 'read' },
  requestLog: { add: STATISTICS, trim: STATISTICS, list: 'read', find: 'read', count: 'read' },
  audit: { add: ITSELF, addCounts: ITSELF, list: 'read' },
  webhooks: {
    create: {
      entries: (_, outcome, _before, webhook) =>
        outcome === 'created'
          ? detailOfWebhook('webhook.created', webhook, { url: webhook.url, types: webhook.types })
          : [],
    },
    list: 'read',
    find: 'read',
    update: {
      locksApplication: true,
      before: findWebhook,
      entries: async (stores, outcome, before: WebhookRecord | undefined, appId, webhookId) =>
        outcome === 'updated' ? detailOfWebhookChange(before, await stores.webhooks.find(appId, webhookId)) : [],
    },
    rotateSecret: {
      before: findWebhook,
      entries: (_, outcome, before: WebhookRecord | undefined, _appId, _webhookId, _secret, previousExpiresAt) =>
        outcome === 'rotated' && before
          ? detailOfWebhook('webhook.secretRotated', before, { previousExpiresAt: toTime(previousExpiresAt) })
          : [],
    },
    replay: {
      before: findWebhook,
      entries: (_, outcome, before: WebhookRecord | undefined, _appId, _webhookId, { since }) =>
        outcome === 'moved' && before ? detailOfWebhook('webhook.replayed', before, { since: toTime(since) }) : [],
    },
    delete: {
      before: findWebhook,
      entries: (_, outcome, before: WebhookRecord | undefined) =>
        outcome === 'deleted' && before
          ? [{ action: 'webhook.deleted', appId: before.appId, subject: URL.parse(before.url)?.host ?? before.url }]
          : [],
    },
    health: 'read',
    listFailing: 'read',
    countOn: 'read',
  },
  deliveries: {
    claim: SERVICE,
    renew: SERVICE,
    release: SERVICE,
    enqueue: SERVICE,
    due: 'read',
    take: SERVICE,
    settle: SERVICE,
    addTest: {
      entries: (_, outcome, _before, webhook, _delivery, { status }) =>
        outcome === 'added' ? detailOfWebhook('webhook.tested', webhook, { status }) : [],
    },
    resend: {
      entries: (_, outcome, _before, webhook, deliveryId) =>
        outcome === 'resent' ? detailOfWebhook('webhook.resent', webhook, { deliveryId }) : [],
    },
    list: 'read',
    find: 'read',
  },
};

type Act = (...args: unknown[]) => Promise<unknown>;

/**
 * Wraps a storage so that every change made through /manage/v1 or the command line is audited: no caller can forget it.
 * An application's changes to its own users have no actor and are not audited.
 */
export function auditedStorage(storage: Storage, currentActor: () => string | undefined, now: () => number): Storage {
  const stores: Record<string, Record<string, Act>> = {};
  for (const [store, plans] of Object.entries(AUDITED_ACTS) as [keyof Stores, Record<string, string | object>][]) {
    const plain = storage[store] as unknown as Record<string, Act>;
    const acts: Record<string, Act> = { ...plain };
    for (const [act, plan] of Object.entries(plans)) {
      if (typeof plan === 'string' || !('entries' in plan)) continue;
      acts[act] = (...args) => {
        const actor = currentActor();
        if (actor === undefined) return (plain[act] as Act)(...args);
        return storage.audited({ actor, at: now() }, { store, act, args });
      };
    }
    stores[store] = acts;
  }
  return { ...storage, ...(stores as unknown as Stores) };
}

type LockApplication = (appId: number) => Promise<unknown>;

/**
 * Runs a change and writes its audit entries, on stores inside one transaction: the adapter commits on success and
 * rolls back on failure. Without `lockApplication`, nothing else writes during the transaction.
 */
export async function performAudited(
  stores: Stores,
  { actor, at }: Authorship,
  { store, act, args }: ActCall,
  lockApplication?: LockApplication,
): Promise<unknown> {
  const { locksApplication, before, entries } = (
    AUDITED_ACTS[store] as unknown as Record<string, AuditedAct<unknown[], unknown>>
  )[act] as AuditedAct<unknown[], unknown>;
  if (locksApplication) await lockApplication?.(args[0] as number);
  const earlier = await before?.(stores, ...args);
  const outcome = await (stores[store] as unknown as Record<string, Act>)[act]?.(...args);
  for (const detail of await entries(stores, outcome, earlier, ...args)) {
    const { action, appId, subject, userId = null, before, after, sharedUid } = detail;
    const entry = {
      ...{ auditUid: sharedUid ?? orderedUuid(), at, actor, action, appId, subject, userId },
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
    };
    await (sharedUid === undefined ? stores.audit.add(entry) : stores.audit.addCounts(entry));
  }
  return outcome;
}
