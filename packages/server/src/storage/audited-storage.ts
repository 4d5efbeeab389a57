import { formatTime } from '../time.ts';
import { orderedUuid } from '../uuid.ts';
import {
  type AuditedAct,
  type Before,
  detailOfChange,
  detailOfWebhook,
  detailOfWebhookChange,
  draftEdit,
  findApplication,
  findWebhook,
  ITSELF,
  LAST_USE,
  type Plans,
  reads,
  SERVICE,
  STATISTICS,
  THROTTLE,
} from './audit-details.ts';
import { AUDITED_ACCOUNTS } from './audited-accounts.ts';
import { AUDITED_USERS } from './audited-users.ts';
import type { ActCall, ApplicationRecord, Authorship, DraftRecord, Storage, Stores, WebhookRecord } from './port.ts';

/** Catalogs and drafts. */
const AUDITED_CATALOGS: Plans<'catalogs' | 'textStates' | 'drafts'> = {
  catalogs: {
    ...reads('load', 'loadAt', 'revisions'),
    // The changes themselves are stored with the revision.
    publish: {
      on: 'published',
      entries: (_, { appId, revision, difference }) => {
        const after = { revision, changes: (JSON.parse(difference) as unknown[]).length };
        const before = { revision: revision - 1 };
        return { action: 'catalog.published', appId, subject: String(revision), before, after };
      },
    },
  },
  textStates: {
    list: 'read',
    review: {
      on: 'reviewed',
      entries: (_, { appId, texts, reviewed, languages }) => {
        const after = { texts: texts.length, reviewed };
        return { action: 'catalog.textsReviewed', appId, subject: languages.join(', '), after };
      },
    },
  },
  drafts: {
    ...reads('look', 'load', 'edits', 'inverse'),
    save: { on: 'saved', entries: (_, change) => draftEdit(change) },
    discard: {
      on: 'discarded',
      before: async (stores, appId) => (await stores.drafts.look(appId)).draft,
      entries: ({ before: { baseRevision, version: edits, createdBy } }: Before<DraftRecord>, appId) => {
        const before = { baseRevision, edits, createdBy };
        return { action: 'catalog.draftDiscarded', appId, subject: String(baseRevision), before };
      },
    },
  },
};

/** Every act of the port. */
export const AUDITED_ACTS: Plans<keyof Stores> = {
  ...AUDITED_ACCOUNTS,
  ...AUDITED_CATALOGS,
  ...AUDITED_USERS,
  applications: {
    ...reads('list', 'findByClientId', 'countUsers', 'secretUses'),
    create: {
      on: 'created',
      entries: (_, { appId, clientId, name }) => {
        return { action: 'application.created', appId, subject: name, after: { clientId, name } };
      },
    },
    update: {
      on: 'updated',
      locksApplication: true,
      before: findApplication,
      entries: async ({ stores, before }: Before<ApplicationRecord> & { stores: Stores }, appId) =>
        detailOfChange(before, await findApplication(stores, appId)),
    },
    rotateSecret: {
      on: 'rotated',
      before: findApplication,
      entries: ({ before }: Before<ApplicationRecord>, appId, _secret, previousExpiresAt) => {
        const after = { previousExpiresAt: formatTime(previousExpiresAt) };
        return { action: 'secret.rotated', appId, subject: before.name, after };
      },
    },
    endPreviousSecrets: {
      on: 'ended',
      before: findApplication,
      entries: ({ before }: Before<ApplicationRecord>, appId) => {
        return { action: 'secret.previousEnded', appId, subject: before.name };
      },
    },
    delete: {
      on: 'deleted',
      before: findApplication,
      entries: ({ before: { clientId, name } }: Before<ApplicationRecord>) => {
        return { action: 'application.deleted', appId: null, subject: name, before: { clientId, name } };
      },
    },
    touchSecret: LAST_USE,
  },
  rateLimits: { spend: THROTTLE },
  signingKeys: { list: 'read', add: SERVICE },
  changes: { since: 'read' },
  facts: { get: 'read', settle: SERVICE, replace: SERVICE },
  sealed: {
    list: 'read',
    replace: { because: 'part of a rotation, which has its own entry' },
    switchSecret: { on: 'switched', entries: () => ({ action: 'secret.masterRotated', appId: null, subject: '' }) },
  },
  events: { ...reads('read', 'find', 'listBack', 'newest', 'isNear', 'newestOf'), purge: SERVICE },
  clock: reads('read', 'newestRecord'),
  activity: { ...reads('list', 'lastAt', 'totals'), add: STATISTICS },
  requestLog: { ...reads('list', 'find', 'count'), add: STATISTICS, trim: STATISTICS },
  audit: { list: 'read', add: ITSELF, addCounts: ITSELF },
  webhooks: {
    ...reads('list', 'find', 'health', 'listFailing', 'countOn'),
    create: {
      on: 'created',
      entries: (_, webhook) => {
        return detailOfWebhook('webhook.created', webhook, { url: webhook.url, types: webhook.types });
      },
    },
    update: {
      on: 'updated',
      locksApplication: true,
      before: findWebhook,
      entries: async ({ stores, before }: Before<WebhookRecord> & { stores: Stores }, appId, webhookId) =>
        detailOfWebhookChange(before, await findWebhook(stores, appId, webhookId)),
    },
    rotateSecret: {
      on: 'rotated',
      before: findWebhook,
      entries: ({ before }: Before<WebhookRecord>, _appId, _webhookId, _secret, previousExpiresAt) =>
        detailOfWebhook('webhook.secretRotated', before, { previousExpiresAt: formatTime(previousExpiresAt) }),
    },
    replay: {
      on: 'moved',
      before: findWebhook,
      entries: ({ before }: Before<WebhookRecord>, _appId, _webhookId, { since }) =>
        detailOfWebhook('webhook.replayed', before, { since: formatTime(since) }),
    },
    delete: {
      on: 'deleted',
      before: findWebhook,
      entries: ({ before: { appId, url } }: Before<WebhookRecord>) => {
        return { action: 'webhook.deleted', appId, subject: URL.parse(url)?.host ?? url };
      },
    },
  },
  deliveries: {
    ...reads('due', 'list', 'find'),
    claim: SERVICE,
    renew: SERVICE,
    release: SERVICE,
    enqueue: SERVICE,
    take: SERVICE,
    settle: SERVICE,
    addTest: {
      on: 'added',
      entries: (_, webhook, _delivery, { status }) => detailOfWebhook('webhook.tested', webhook, { status }),
    },
    resend: {
      on: 'resent',
      entries: (_, webhook, deliveryId) => detailOfWebhook('webhook.resent', webhook, { deliveryId }),
    },
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
  const { locksApplication, before, on, entries } = (
    AUDITED_ACTS[store] as unknown as Record<string, AuditedAct<unknown[], unknown>>
  )[act] as AuditedAct<unknown[], unknown>;
  if (locksApplication) await lockApplication?.(args[0] as number);
  const earlier = await before?.(stores, ...args);
  const outcome = await (stores[store] as unknown as Record<string, Act>)[act]?.(...args);
  if ((on !== undefined && on !== nameOf(outcome)) || (before && earlier === undefined)) return outcome;
  for (const detail of [await entries({ stores, outcome, before: earlier }, ...args)].flat()) {
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

function nameOf(outcome: unknown): unknown {
  return typeof outcome === 'object' && outcome !== null && 'outcome' in outcome ? outcome.outcome : outcome;
}
