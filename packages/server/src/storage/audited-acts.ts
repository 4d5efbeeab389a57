import {
  type AuditDetail,
  detailOfChange,
  detailOfJoining,
  detailOfOptions,
  detailOfRole,
  detailOfToken,
  detailOfUser,
  detailOfWebhook,
  detailOfWebhookChange,
  draftEdit,
  findAccountEmail,
  findApplication,
  findMember,
  findWebhook,
  importCounts,
  toTime,
} from './audit-details.ts';
import type {
  ApplicationRecord,
  DraftRecord,
  InvitationRecord,
  ManageTokenRecord,
  MemberRecord,
  Stores,
  WebhookRecord,
} from './port.ts';

export type AuditedAct<Args extends unknown[], Outcome> = {
  /** Locks the application (the first argument) first, so that nothing changes it between `before` and the act. */
  locksApplication?: true;
  /** What must be known of the state before. */
  // biome-ignore lint/suspicious/noExplicitAny: each act's own; `entries` says what it is
  before?(stores: Stores, ...args: Args): Promise<any>;
  /** The entries for the change; none if nothing changed. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  entries(stores: Stores, outcome: Outcome, before: any, ...args: Args): AuditDetail[] | Promise<AuditDetail[]>;
};

/** A change without an entry, and the reason. */
type Unaudited = { because: string };

type Plan<Act> = Act extends (...args: infer Args) => Promise<infer Outcome>
  ? 'read' | Unaudited | AuditedAct<Args, Outcome>
  : never;

const STATISTICS: Unaudited = { because: 'statistics, no decision of a person' };
const LAST_USE: Unaudited = { because: 'a time of last use, no decision of a person' };
const THROTTLE: Unaudited = { because: 'a limit that counts, no decision of a person' };
const SIGN_IN: Unaudited = { because: 'signing in and out changes no settings; the list of sessions shows it' };
const SERVICE: Unaudited = { because: 'the service does it by itself' };
const BY_HISTORY: Unaudited = { because: 'the history of selections has who changed them' };
const TRIAL: Unaudited = { because: 'the end of a trial, which has its own entry' };
const ITSELF: Unaudited = { because: 'the audit itself' };

/** Every act of the port. A new act does not compile until it is listed here. */
export const AUDITED_ACTS: { [Store in keyof Stores]: { [Act in keyof Stores[Store]]-?: Plan<Stores[Store][Act]> } } = {
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
  users: {
    createWithToken: {
      entries: (_, outcome, _before, { appId, userId }) =>
        outcome === 'created' ? [{ action: 'user.created', appId, subject: '', userId }] : [],
    },
    find: 'read',
    findByClientUserId: 'read',
    page: 'read',
    walk: 'read',
    countWalk: 'read',
    listValues: 'read',
    names: 'read',
    update: { entries: (_, outcome) => (outcome.outcome === 'updated' ? detailOfUser(outcome) : []) },
    linkGeneration: 'read',
    findDeleted: 'read',
    withdrawLinks: {
      entries: (_, outcome, _before, appId, userId) =>
        outcome === 'withdrawn' ? [{ action: 'user.linksWithdrawn', appId, subject: '', userId }] : [],
    },
    // Nothing is left of a deleted user, here included.
    delete: {
      entries: (_, outcome, _before, appId) =>
        outcome === 'deleted' ? [{ action: 'user.erased', appId, subject: '' }] : [],
    },
  },
  tokens: {
    replaceSpecialToken: {
      before: async (stores, appId, clientUserId) => (await stores.transfer.find(appId, clientUserId))?.userId,
      entries: (_, { outcome }, userId: string | undefined, appId) =>
        outcome === 'issued'
          ? [{ action: 'user.specialTokenReissued', appId, subject: '', userId: userId ?? null }]
          : [],
    },
    findSpecialToken: 'read',
    exchange: { because: 'an application exchanges it for its own user' },
    findOwner: 'read',
    list: 'read',
    revoke: {
      // At any time: the owner of an expired token is known until it is purged.
      before: (stores, _appId, tokenId) => stores.tokens.findOwner(tokenId, 0),
      entries: (_, _outcome, owner: { userId: string } | undefined, appId) =>
        owner ? [{ action: 'user.accessTokenRevoked', appId, subject: '', userId: owner.userId }] : [],
    },
    revokeAll: {
      entries: (_, _outcome, _before, appId, userId) => [
        { action: 'user.allTokensRevoked', appId, subject: '', userId },
      ],
    },
  },
  manageTokens: {
    create: {
      entries: (_, outcome, _before, token) => (outcome === 'created' ? detailOfToken('token.created', token) : []),
    },
    list: 'read',
    findByHash: 'read',
    revoke: {
      before: async (stores, tokenId) => (await stores.manageTokens.list()).find((each) => each.tokenId === tokenId),
      entries: (_, outcome, token: ManageTokenRecord | undefined) =>
        outcome === 'revoked' && token ? detailOfToken('token.revoked', token) : [],
    },
    touch: LAST_USE,
  },
  accounts: {
    createWithLink: {
      entries: (_, { outcome, account }) => [
        {
          action: outcome === 'created' ? 'account.created' : 'account.linkMade',
          appId: null,
          subject: account.email,
        },
      ],
    },
    identify: {
      entries: (_, outcome) =>
        typeof outcome === 'object' && outcome.outcome !== 'found'
          ? [
              {
                action: outcome.outcome === 'created' ? 'account.created' : 'account.identityLinked',
                appId: null,
                subject: outcome.account.email,
              },
            ]
          : [],
    },
    setRole: {
      before: findAccountEmail,
      entries: (_, outcome, subject: string, _accountId, role) =>
        outcome === 'changed' ? [{ action: 'account.roleChanged', appId: null, subject, after: { role } }] : [],
    },
    addLink: {
      before: findAccountEmail,
      entries: (_, outcome, subject: string) =>
        outcome === 'added' ? [{ action: 'account.linkMade', appId: null, subject }] : [],
    },
    addSetUpLink: SERVICE,
    list: 'read',
    findByEmail: 'read',
    findByLink: 'read',
    canSetUp: 'read',
    credentials: 'read',
    setPassword: {
      before: findAccountEmail,
      entries: (_, outcome, subject: string) =>
        outcome === 'set' ? [{ action: 'account.passwordChanged', appId: null, subject }] : [],
    },
    setPreferences: { because: 'theme and language of the portal, for the account alone' },
    reset: {
      entries: (_, outcome, _before, emailKey, what) =>
        outcome === 'reset' ? [{ action: 'account.reset', appId: null, subject: emailKey, after: what }] : [],
    },
    delete: {
      entries: (_, outcome, _before, emailKey) =>
        outcome === 'deleted' ? [{ action: 'account.deleted', appId: null, subject: emailKey }] : [],
    },
  },
  secondFactors: {
    begin: { because: 'nothing applies until it is confirmed' },
    confirm: {
      before: findAccountEmail,
      entries: (_, outcome, subject: string) =>
        outcome === 'on' ? [{ action: 'account.totpTurnedOn', appId: null, subject }] : [],
    },
    end: {
      before: findAccountEmail,
      entries: (_, outcome, subject: string) =>
        outcome === 'ended' ? [{ action: 'account.totpTurnedOff', appId: null, subject }] : [],
    },
    replaceRecoveryCodes: {
      before: findAccountEmail,
      entries: (_, outcome, subject: string) =>
        outcome === 'replaced' ? [{ action: 'account.recoveryCodesRenewed', appId: null, subject }] : [],
    },
    spend: SIGN_IN,
    countRecoveryCodes: 'read',
  },
  attempts: { admit: THROTTLE, forget: THROTTLE },
  rateLimits: { spend: THROTTLE },
  members: {
    list: 'read',
    changeRole: {
      locksApplication: true,
      before: findMember,
      entries: (_, outcome, member: MemberRecord | undefined, appId, _accountId, role, languages) =>
        outcome === 'changed' &&
        member &&
        JSON.stringify(detailOfRole(member)) !== JSON.stringify(detailOfRole({ role, languages }))
          ? [
              {
                action: 'member.roleChanged',
                appId,
                subject: member.email,
                before: detailOfRole(member),
                after: detailOfRole({ role, languages }),
              },
            ]
          : [],
    },
    grant: {
      entries: async (stores, outcome, _before, appId, accountId, role) =>
        outcome === 'granted'
          ? detailOfJoining(await findAccountEmail(stores, accountId), { appId, role, languages: null })
          : [],
    },
    remove: {
      locksApplication: true,
      before: findMember,
      entries: (_, outcome, member: MemberRecord | undefined, appId) =>
        outcome === 'removed' && member
          ? [{ action: 'member.removed', appId, subject: member.email, before: { role: member.role } }]
          : [],
    },
  },
  invitations: {
    create: {
      entries: (_, outcome, _before, { appId, email, ...invited }) =>
        outcome === 'created'
          ? [{ action: 'member.invited', appId, subject: email, after: detailOfRole(invited) }]
          : [],
    },
    list: 'read',
    revoke: {
      before: async (stores, appId, invitationId) =>
        (await stores.invitations.list(appId, 0)).find((each) => each.invitationId === invitationId),
      entries: (_, outcome, invitation: InvitationRecord | undefined, appId) =>
        outcome === 'revoked' && invitation
          ? [
              {
                action: 'member.invitationRevoked',
                appId,
                subject: invitation.email,
                before: { role: invitation.role },
              },
            ]
          : [],
    },
    isInvited: 'read',
    findByLink: 'read',
    accept: {
      before: async (stores, linkHash, now) => (await stores.invitations.findByLink(linkHash, now))?.invitation,
      entries: (_, outcome, invitation: InvitationRecord | undefined) =>
        outcome === 'opened' && invitation
          ? [
              { action: 'account.created', appId: null, subject: invitation.email },
              ...detailOfJoining(invitation.email, invitation),
            ]
          : [],
    },
    join: {
      before: async (stores, linkHash, now) => (await stores.invitations.findByLink(linkHash, now))?.invitation,
      entries: (_, outcome, invitation: InvitationRecord | undefined) =>
        typeof outcome === 'object' && invitation ? detailOfJoining(invitation.email, outcome) : [],
    },
  },
  sessions: {
    openByLink: SIGN_IN,
    openByPassword: SIGN_IN,
    openByIdentity: SIGN_IN,
    openBySetUp: {
      entries: (_, outcome, _before, _linkHash, _now, { email }) =>
        outcome === 'opened' ? [{ action: 'account.created', appId: null, subject: email }] : [],
    },
    findByHash: 'read',
    list: 'read',
    end: SIGN_IN,
    touch: LAST_USE,
  },
  signingKeys: { list: 'read', add: SERVICE },
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
  selections: {
    list: 'read',
    origins: 'read',
    walk: 'read',
    listOfToken: 'read',
    listOfUser: 'read',
    // Through /manage/v1. What users and applications save themselves is only in the history.
    save: {
      entries: (_, { outcome }, _before, _appId, userId, _selections, { by }) =>
        outcome === 'saved' && by ? detailOfOptions('saved', userId, by) : [],
    },
    unset: BY_HISTORY,
    unsetKeys: {
      entries: (_, keyNos, _before, userId, _wanted, { by }) =>
        keyNos.length > 0 && by ? detailOfOptions('unset', userId, by) : [],
    },
    replaceValue: {
      entries: (_, selections, _before, appId, { migrationId, subject, values }) =>
        selections > 0
          ? [
              {
                action: 'selections.migrated',
                appId,
                subject,
                before: values,
                after: { selections },
                sharedUid: migrationId,
              },
            ]
          : [],
    },
    purgeHistory: SERVICE,
    history: 'read',
    walkHistory: 'read',
    countByValue: 'read',
    survey: 'read',
  },
  trials: {
    add: {
      entries: (_, outcome, _before, appId) =>
        outcome === 'added' ? [{ action: 'application.tried', appId, subject: '' }] : [],
    },
    end: TRIAL,
  },
  transfer: {
    importUsers: {
      entries: (_, result, _before, appId, _entries, { importId }) =>
        'outcomes' in result ? importCounts(appId, importId, result.outcomes) : [],
    },
    exportUsers: 'read',
    find: 'read',
  },
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
