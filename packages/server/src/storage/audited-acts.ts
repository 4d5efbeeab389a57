import {
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
import type { ApplicationRecord, DraftRecord, Stores, WebhookRecord } from './port.ts';

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
