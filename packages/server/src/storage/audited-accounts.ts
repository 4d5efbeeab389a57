import {
  type Before,
  detailOfJoining,
  detailOfRole,
  detailOfToken,
  findAccountEmail,
  findMember,
  LAST_USE,
  type Plans,
  reads,
  SERVICE,
  SIGN_IN,
  THROTTLE,
} from './audit-details.ts';
import type { InvitationRecord, ManageTokenRecord, MemberRecord, Stores } from './port.ts';

const findInvitation = async ({ invitations }: Stores, linkHash: string, now: number) =>
  (await invitations.findByLink(linkHash, now))?.invitation;

/** Accounts, members and their credentials. */
export const AUDITED_ACCOUNTS: Plans<
  'manageTokens' | 'accounts' | 'secondFactors' | 'attempts' | 'members' | 'invitations' | 'sessions'
> = {
  manageTokens: {
    ...reads('list', 'findByHash'),
    create: { on: 'created', entries: (_, token) => detailOfToken('token.created', token) },
    revoke: {
      on: 'revoked',
      before: async (stores, tokenId) => (await stores.manageTokens.list()).find((each) => each.tokenId === tokenId),
      entries: ({ before }: Before<ManageTokenRecord>) => detailOfToken('token.revoked', before),
    },
    touch: LAST_USE,
  },
  accounts: {
    ...reads('list', 'findByEmail', 'findByLink', 'canSetUp', 'credentials'),
    createWithLink: {
      entries: ({ outcome: { outcome, account } }) => {
        const action = outcome === 'created' ? 'account.created' : 'account.linkMade';
        return { action, appId: null, subject: account.email };
      },
    },
    identify: {
      entries: ({ outcome }) => {
        if (typeof outcome === 'string' || outcome.outcome === 'found') return [];
        const action = outcome.outcome === 'created' ? 'account.created' : 'account.identityLinked';
        return { action, appId: null, subject: outcome.account.email };
      },
    },
    setRole: {
      on: 'changed',
      before: findAccountEmail,
      entries: ({ before: subject }: Before<string>, _accountId, role) => {
        return { action: 'account.roleChanged', appId: null, subject, after: { role } };
      },
    },
    addLink: {
      on: 'added',
      before: findAccountEmail,
      entries: ({ before: subject }: Before<string>) => ({ action: 'account.linkMade', appId: null, subject }),
    },
    addSetUpLink: SERVICE,
    setPassword: {
      on: 'set',
      before: findAccountEmail,
      entries: ({ before: subject }: Before<string>) => ({ action: 'account.passwordChanged', appId: null, subject }),
    },
    setPreferences: { because: 'theme and language of the portal, for the account alone' },
    reset: {
      on: 'reset',
      entries: (_, subject, after) => ({ action: 'account.reset', appId: null, subject, after }),
    },
    delete: { on: 'deleted', entries: (_, subject) => ({ action: 'account.deleted', appId: null, subject }) },
  },
  secondFactors: {
    countRecoveryCodes: 'read',
    begin: { because: 'nothing applies until it is confirmed' },
    confirm: {
      on: 'on',
      before: findAccountEmail,
      entries: ({ before: subject }: Before<string>) => ({ action: 'account.totpTurnedOn', appId: null, subject }),
    },
    end: {
      on: 'ended',
      before: findAccountEmail,
      entries: ({ before: subject }: Before<string>) => ({ action: 'account.totpTurnedOff', appId: null, subject }),
    },
    replaceRecoveryCodes: {
      on: 'replaced',
      before: findAccountEmail,
      entries: ({ before: subject }: Before<string>) => {
        return { action: 'account.recoveryCodesRenewed', appId: null, subject };
      },
    },
    spend: SIGN_IN,
  },
  attempts: { admit: THROTTLE, forget: THROTTLE },
  members: {
    list: 'read',
    changeRole: {
      on: 'changed',
      locksApplication: true,
      before: findMember,
      entries: ({ before: member }: Before<MemberRecord>, appId, _accountId, role, languages) => {
        const [before, after] = [detailOfRole(member), detailOfRole({ role, languages })];
        if (JSON.stringify(before) === JSON.stringify(after)) return [];
        return { action: 'member.roleChanged', appId, subject: member.email, before, after };
      },
    },
    grant: {
      on: 'granted',
      entries: async ({ stores }, appId, accountId, role) =>
        detailOfJoining(await findAccountEmail(stores, accountId), { appId, role, languages: null }),
    },
    remove: {
      on: 'removed',
      locksApplication: true,
      before: findMember,
      entries: ({ before: { email, role } }: Before<MemberRecord>, appId) => {
        return { action: 'member.removed', appId, subject: email, before: { role } };
      },
    },
  },
  invitations: {
    ...reads('list', 'isInvited', 'findByLink'),
    create: {
      on: 'created',
      entries: (_, { appId, email, ...invited }) => {
        return { action: 'member.invited', appId, subject: email, after: detailOfRole(invited) };
      },
    },
    revoke: {
      on: 'revoked',
      before: async (stores, appId, invitationId) =>
        (await stores.invitations.list(appId, 0)).find((each) => each.invitationId === invitationId),
      entries: ({ before: { email, role } }: Before<InvitationRecord>, appId) => {
        return { action: 'member.invitationRevoked', appId, subject: email, before: { role } };
      },
    },
    accept: {
      on: 'opened',
      before: findInvitation,
      entries: ({ before: invitation }: Before<InvitationRecord>) => [
        { action: 'account.created', appId: null, subject: invitation.email },
        detailOfJoining(invitation.email, invitation),
      ],
    },
    join: {
      before: findInvitation,
      entries: ({ outcome, before: { email } }: Before<InvitationRecord> & { outcome: Joined }) =>
        typeof outcome === 'object' ? detailOfJoining(email, outcome) : [],
    },
  },
  sessions: {
    ...reads('findByHash', 'list'),
    openByLink: SIGN_IN,
    openByPassword: SIGN_IN,
    openByIdentity: SIGN_IN,
    openBySetUp: {
      on: 'opened',
      entries: (_, _linkHash, _now, { email }) => ({ action: 'account.created', appId: null, subject: email }),
    },
    end: SIGN_IN,
    touch: LAST_USE,
  },
};

type Joined = Awaited<ReturnType<Stores['invitations']['join']>>;
