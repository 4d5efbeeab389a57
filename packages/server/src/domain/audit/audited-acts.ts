import type {
  ApplicationRecord,
  DraftRecord,
  InvitationRecord,
  ManageTokenRecord,
  MemberRecord,
  Membership,
  Storage,
} from '../../storage/port.ts';
import type { AuditAction } from './audit-action.ts';

/** What the audit says of a change. Secrets never. */
export type Told = {
  action: AuditAction;
  /** null: it is about the installation. */
  appId: number | null;
  subject: string;
  userId?: string | null;
  before?: unknown;
  after?: unknown;
};

type Stores = Omit<Storage, 'kind' | 'ping' | 'problems' | 'purgeExpired' | 'waitingActs' | 'figures' | 'close'>;

type AuditedAct<Args extends unknown[], Outcome> = {
  /** What is to be known of the time before. */
  // biome-ignore lint/suspicious/noExplicitAny: each act's own; `tell` beside it says what it is
  before?(storage: Storage, ...args: Args): Promise<any>;
  /** Nothing where nothing was changed. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  tell(storage: Storage, outcome: Outcome, before: any, ...args: Args): Told[] | Promise<Told[]>;
};

/**
 * `read`: it changes nothing. `silent`: it changes something that is nobody's decision (expiry, statistics, time of last
 * use), or that is told elsewhere.
 */
type Plan<Act> = Act extends (...args: infer Args) => Promise<infer Outcome>
  ? 'read' | 'silent' | AuditedAct<Args, Outcome>
  : never;

/** Every act of the port: one that is added does not compile until it is said here how it is audited. */
export const AUDITED_ACTS: { [Store in keyof Stores]: { [Act in keyof Stores[Store]]-?: Plan<Stores[Store][Act]> } } = {
  applications: {
    create: {
      tell: (_, outcome, _before, { appId, clientId, name }) =>
        outcome === 'created'
          ? [{ action: 'application.created', appId, subject: name, after: { clientId, name } }]
          : [],
    },
    list: 'read',
    findByClientId: 'read',
    update: {
      before: findApplication,
      async tell(storage, outcome, before: ApplicationRecord | undefined, appId) {
        const after = await findApplication(storage, appId);
        if (outcome !== 'updated' || !before || !after) return [];
        const changed = differences(describe(before), describe(after));
        if (Object.keys(changed.after).length === 0) return [];
        return [{ action: 'application.changed', appId, subject: after.name, ...changed }];
      },
    },
    rotateSecret: {
      before: findApplication,
      tell: (_, outcome, before: ApplicationRecord | undefined, appId, _secret, previousExpiresAt) =>
        outcome === 'rotated'
          ? [
              {
                action: 'secret.rotated',
                appId,
                subject: before?.name ?? '',
                after: { previousExpiresAt: time(previousExpiresAt) },
              },
            ]
          : [],
    },
    endPreviousSecrets: {
      before: findApplication,
      tell: (_, outcome, before: ApplicationRecord | undefined, appId) =>
        outcome === 'ended' ? [{ action: 'secret.previousEnded', appId, subject: before?.name ?? '' }] : [],
    },
    delete: {
      before: findApplication,
      tell: (_, outcome, before: ApplicationRecord | undefined) =>
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
    touchSecret: 'silent',
    secretUses: 'read',
  },
  users: {
    createWithToken: {
      tell: (_, outcome, _before, { appId, userId }) =>
        outcome === 'created' ? [{ action: 'user.created', appId, subject: '', userId }] : [],
    },
    find: 'read',
    page: 'read',
    searchByName: 'read',
    // Of an erased user nothing is left, here neither.
    delete: {
      tell: (_, outcome, _before, appId) =>
        outcome === 'deleted' ? [{ action: 'user.erased', appId, subject: '' }] : [],
    },
  },
  tokens: {
    replaceSpecialToken: {
      before: async (storage, appId, clientUserId) => (await storage.transfer.find(appId, clientUserId))?.userId,
      tell: (_, { outcome }, userId: string | undefined, appId) =>
        outcome === 'issued'
          ? [{ action: 'user.specialTokenReissued', appId, subject: '', userId: userId ?? null }]
          : [],
    },
    findSpecialToken: 'read',
    exchange: 'silent',
    findOwner: 'read',
    list: 'read',
    revoke: {
      // At any time: whose an expired token was is known until it is purged.
      before: (storage, _appId, tokenId) => storage.tokens.findOwner(tokenId, 0),
      tell: (_, _outcome, owner: { userId: string } | undefined, appId) =>
        owner ? [{ action: 'user.accessTokenRevoked', appId, subject: '', userId: owner.userId }] : [],
    },
    revokeAll: {
      tell: (_, _outcome, _before, appId, userId) => [{ action: 'user.allTokensRevoked', appId, subject: '', userId }],
    },
  },
  manageTokens: {
    create: {
      tell: (_, outcome, _before, token) => (outcome === 'created' ? toldOfToken('token.created', token) : []),
    },
    list: 'read',
    findByHash: 'read',
    revoke: {
      before: async (storage, tokenId) => (await storage.manageTokens.list()).find((each) => each.tokenId === tokenId),
      tell: (_, outcome, token: ManageTokenRecord | undefined) =>
        outcome === 'revoked' && token ? toldOfToken('token.revoked', token) : [],
    },
    touch: 'silent',
  },
  accounts: {
    createWithLink: {
      tell: (_, { outcome, account }) => [
        {
          action: outcome === 'created' ? 'account.created' : 'account.linkMade',
          appId: null,
          subject: account.email,
        },
      ],
    },
    addSetUpLink: 'silent',
    list: 'read',
    findByEmail: 'read',
    findByLink: 'read',
    canSetUp: 'read',
    credentials: 'read',
    setPassword: {
      tell: (storage, outcome, _before, accountId) =>
        outcome === 'set' ? toldOfAccount(storage, 'account.passwordChanged', accountId) : [],
    },
    setPreferences: 'silent',
    reset: {
      tell: (_, outcome, _before, emailKey, what) =>
        outcome === 'reset' ? [{ action: 'account.reset', appId: null, subject: emailKey, after: what }] : [],
    },
    delete: {
      tell: (_, outcome, _before, emailKey) =>
        outcome === 'deleted' ? [{ action: 'account.deleted', appId: null, subject: emailKey }] : [],
    },
  },
  secondFactors: {
    begin: 'silent',
    confirm: {
      tell: (storage, outcome, _before, accountId) =>
        outcome === 'on' ? toldOfAccount(storage, 'account.totpTurnedOn', accountId) : [],
    },
    end: {
      tell: (storage, outcome, _before, accountId) =>
        outcome === 'ended' ? toldOfAccount(storage, 'account.totpTurnedOff', accountId) : [],
    },
    replaceRecoveryCodes: {
      tell: (storage, outcome, _before, accountId) =>
        outcome === 'replaced' ? toldOfAccount(storage, 'account.recoveryCodesRenewed', accountId) : [],
    },
    spend: 'silent',
    countRecoveryCodes: 'read',
  },
  attempts: { admit: 'silent', forget: 'silent' },
  rateLimits: { spend: 'silent' },
  members: {
    list: 'read',
    changeRole: {
      before: findMember,
      tell: (_, outcome, member: MemberRecord | undefined, appId, _accountId, role) =>
        outcome === 'changed' && member && member.role !== role
          ? [
              {
                action: 'member.roleChanged',
                appId,
                subject: member.email,
                before: { role: member.role },
                after: { role },
              },
            ]
          : [],
    },
    remove: {
      before: findMember,
      tell: (_, outcome, member: MemberRecord | undefined, appId) =>
        outcome === 'removed' && member
          ? [{ action: 'member.removed', appId, subject: member.email, before: { role: member.role } }]
          : [],
    },
  },
  invitations: {
    create: {
      tell: (_, outcome, _before, { appId, email, role }) =>
        outcome === 'created' ? [{ action: 'member.invited', appId, subject: email, after: { role } }] : [],
    },
    list: 'read',
    revoke: {
      before: async (storage, appId, invitationId) =>
        (await storage.invitations.list(appId, 0)).find((each) => each.invitationId === invitationId),
      tell: (_, outcome, invitation: InvitationRecord | undefined, appId) =>
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
    findByLink: 'read',
    accept: {
      before: async (storage, linkHash, now) => (await storage.invitations.findByLink(linkHash, now))?.invitation,
      tell: (_, outcome, invitation: InvitationRecord | undefined) =>
        outcome === 'opened' && invitation ? toldOfJoining(invitation.email, invitation) : [],
    },
    join: {
      before: async (storage, linkHash, now) => (await storage.invitations.findByLink(linkHash, now))?.invitation,
      tell: (_, outcome, invitation: InvitationRecord | undefined) =>
        typeof outcome === 'object' && invitation ? toldOfJoining(invitation.email, outcome) : [],
    },
  },
  // The list of sessions tells of them.
  sessions: {
    openByLink: 'silent',
    openByPassword: 'silent',
    openBySetUp: 'silent',
    findByHash: 'read',
    list: 'read',
    end: 'silent',
    touch: 'silent',
  },
  signingKeys: { list: 'read', add: 'silent' },
  catalogs: {
    load: 'read',
    loadAt: 'read',
    // What it changed is kept with the revision.
    publish: {
      tell: (_, outcome, _before, { appId, revision, difference }) =>
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
  // Its edits are kept with the draft, and what comes of them with the revision; discarding leaves neither.
  drafts: {
    look: 'read',
    load: 'read',
    save: 'silent',
    discard: {
      before: (storage, appId) => storage.drafts.look(appId),
      tell: (_, outcome, { draft }: { draft?: DraftRecord }, appId) =>
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
  // The history of selections tells who changed them and how.
  selections: {
    list: 'read',
    listOfToken: 'read',
    save: 'silent',
    unset: 'silent',
    history: 'read',
    countByValue: 'read',
    survey: 'read',
  },
  trials: {
    add: {
      tell: (_, outcome, _before, appId) =>
        outcome === 'added' ? [{ action: 'application.tried', appId, subject: '' }] : [],
    },
    end: 'silent',
  },
  // In many batches: the command tells of the whole.
  transfer: { importUsers: 'silent', exportUsers: 'read', find: 'read' },
  changes: { since: 'read' },
  facts: { get: 'read', settle: 'silent', replace: 'silent' },
  clock: { read: 'read', newestRecord: 'read' },
  activity: { add: 'silent', list: 'read', lastAt: 'read', totals: 'read' },
  requestLog: { add: 'silent', trim: 'silent', list: 'read', find: 'read', count: 'read' },
  audit: { add: 'silent', list: 'read' },
};

async function findApplication(storage: Storage, appId: number): Promise<ApplicationRecord | undefined> {
  const [application] = await storage.applications.list([appId]);
  return application;
}

async function findMember(storage: Storage, appId: number, accountId: string): Promise<MemberRecord | undefined> {
  return (await storage.members.list(appId)).find((each) => each.accountId === accountId);
}

async function toldOfAccount(storage: Storage, action: AuditAction, accountId: string): Promise<Told[]> {
  const account = (await storage.accounts.list()).find((each) => each.accountId === accountId);
  return [{ action, appId: null, subject: account?.email ?? accountId }];
}

function toldOfJoining(email: string, { appId, role }: Membership): Told[] {
  return [{ action: 'member.joined', appId, subject: email, after: { role } }];
}

function describe({ name, settings }: ApplicationRecord): Record<string, unknown> {
  return { name, ...settings };
}

/** The members that are not the same, as they were and as they are; one that was not set is null. */
function differences(before: Record<string, unknown>, after: Record<string, unknown>) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pick = (all: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, all[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}

/** With each application that it is for, or with the installation. */
function toldOfToken(action: AuditAction, { tokenId, name, appIds, access, expiresAt }: ManageTokenRecord): Told[] {
  const what = { tokenId, access, expiresAt: time(expiresAt) };
  const part = action === 'token.created' ? { after: what } : { before: what };
  return (appIds ?? [null]).map((appId) => ({ action, appId, subject: name, ...part }));
}

function time(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
