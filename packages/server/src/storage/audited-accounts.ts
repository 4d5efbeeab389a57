import {
  detailOfJoining,
  detailOfRole,
  detailOfToken,
  findAccountEmail,
  findMember,
  LAST_USE,
  type Plans,
  SERVICE,
  SIGN_IN,
  THROTTLE,
} from './audit-details.ts';
import type { InvitationRecord, ManageTokenRecord, MemberRecord } from './port.ts';

/** Accounts, members and their credentials. */
export const AUDITED_ACCOUNTS: Plans<
  'manageTokens' | 'accounts' | 'secondFactors' | 'attempts' | 'members' | 'invitations' | 'sessions'
> = {
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
};
