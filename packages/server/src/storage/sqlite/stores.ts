import type { ImportEntry, Stores } from '../port.ts';
import { QUICK_READ } from '../walk-limits.ts';
import { accountReads } from './accounts.ts';
import { activityReads } from './activity.ts';
import { applicationReads } from './applications.ts';
import { auditReads } from './audit.ts';
import { catalogReads } from './catalogs.ts';
import { changeReads } from './changes.ts';
import { clockReads } from './clock.ts';
import type { Connection } from './connection.ts';
import { deliveryReads } from './deliveries.ts';
import { draftReads } from './drafts.ts';
import { eventReads } from './events.ts';
import { factReads } from './facts.ts';
import { invitationReads } from './invitations.ts';
import { manageTokenReads } from './manage-tokens.ts';
import { memberReads } from './members.ts';
import type { PlainActs } from './plain-acts.ts';
import { requestLogReads } from './request-log.ts';
import { sealedReads } from './sealed.ts';
import { secondFactorReads } from './second-factors.ts';
import { selectionReads } from './selections.ts';
import { sessionReads } from './sessions.ts';
import { signingKeyReads } from './signing-keys.ts';
import type { SurveyReads } from './surveys.ts';
import { textStateReads } from './text-states.ts';
import { tokenReads } from './tokens.ts';
import { transferReads } from './transfer.ts';
import { userSearchReads } from './user-search.ts';
import { walkReads } from './user-walk.ts';
import { userReads } from './users.ts';
import { webhookReads } from './webhooks.ts';

type Of = <Reads extends object>(makeReads: (connection: Connection) => Reads) => Reads;
type Run = <Name extends keyof PlainActs>(
  name: Name,
  ...args: Parameters<PlainActs[Name]>
) => Promise<ReturnType<PlainActs[Name]>>;
type Survey = <Name extends keyof SurveyReads>(
  name: Name,
  ...args: Parameters<SurveyReads[Name]>
) => Promise<ReturnType<SurveyReads[Name]>>;

/**
 * The port's stores, wherever reads and acts are carried out: for the HTTP thread, which sends acts to the writer thread, and for the writer
 * thread itself, where all of it is in the transaction that is open.
 */
export function sqliteStores(of: Of, run: Run, survey: Survey): Stores {
  const quick = of((connection) => {
    const { walk, countWalk, listValues } = walkReads(connection);
    type Walk = Stores['users'];
    return {
      walk: async (...args: Parameters<Walk['walk']>) => walk(...args),
      countWalk: async (...args: Parameters<Walk['countWalk']>) => countWalk(...args),
      listValues: async (...args: Parameters<Walk['listValues']>) => ({ found: listValues(...args) }),
    };
  });
  return {
    applications: {
      ...of(applicationReads),
      create: (application) => run('createApplication', application),
      update: (appId, change) => run('updateApplication', appId, change),
      rotateSecret: (appId, secret, previousExpiresAt, unlessValidAt) =>
        run('rotateSecret', appId, secret, previousExpiresAt, unlessValidAt),
      endPreviousSecrets: (appId) => run('endPreviousSecrets', appId),
      touchSecret: (secretHash, at, unlessSince) => run('touchSecret', secretHash, at, unlessSince),
      delete: (appId) => run('deleteApplication', appId),
    },
    users: {
      ...of(userReads),
      ...of(userSearchReads),
      walk: (appId, walk, page) =>
        page.limit <= QUICK_READ ? quick.walk(appId, walk, page) : survey('walk', appId, walk, page),
      countWalk: (appId, walk, atMost) =>
        atMost === undefined ? survey('countWalk', appId, walk) : quick.countWalk(appId, walk, atMost),
      listValues: async (appId, keyNo, atMost) => (await quick.listValues(appId, keyNo, atMost)).found,
      names: (appId, page) => survey('names', appId, page),
      createWithToken: (user) => run('createUserWithToken', user),
      update: (appId, userId, change, at) => run('updateUser', appId, userId, change, at),
      withdrawLinks: (appId, userId) => run('withdrawLinks', appId, userId),
      delete: (appId, userId) => run('deleteUser', appId, userId),
    },
    tokens: {
      ...of(tokenReads),
      replaceSpecialToken: (appId, clientUserId, token) => run('replaceSpecialToken', appId, clientUserId, token),
      exchange: (tokenHash, now, accessToken) => run('exchangeSpecialToken', tokenHash, now, accessToken),
      revoke: (appId, tokenId) => run('revokeAccessToken', appId, tokenId),
      revokeAll: (appId, userId) => run('revokeAllTokens', appId, userId),
    },
    manageTokens: {
      ...of(manageTokenReads),
      create: (token) => run('createManageToken', token),
      revoke: (tokenId, accountId) => run('revokeManageToken', tokenId, accountId),
      touch: (tokenId, at, unlessSince) => run('touchManageToken', tokenId, at, unlessSince),
    },
    accounts: {
      ...of(accountReads),
      createWithLink: (account, link) => run('createAccountWithLink', account, link),
      identify: (identity, account) => run('identifyAccount', identity, account),
      setRole: (accountId, role) => run('setAccountRole', accountId, role),
      addLink: (accountId, link) => run('addAccountLink', accountId, link),
      addSetUpLink: (link) => run('addSetUpLink', link),
      setPassword: (accountId, passwordHash, keepSessionId) =>
        run('setAccountPassword', accountId, passwordHash, keepSessionId),
      setPreferences: (accountId, preferences) => run('setAccountPreferences', accountId, preferences),
      reset: (emailKey, what) => run('resetAccount', emailKey, what),
      delete: (emailKey) => run('deleteAccount', emailKey),
    },
    secondFactors: {
      ...of(secondFactorReads),
      begin: (accountId, pendingTotp) => run('beginTotp', accountId, pendingTotp),
      confirm: (accountId, confirmed) => run('confirmTotp', accountId, confirmed),
      end: (accountId) => run('endTotp', accountId),
      spend: (accountId, factor) => run('spendSecondFactor', accountId, factor),
      replaceRecoveryCodes: (accountId, hashes) => run('replaceRecoveryCodes', accountId, hashes),
    },
    attempts: {
      admit: (allowance, now) => run('admitAttempt', allowance, now),
      forget: (subjectHash) => run('forgetAttempts', subjectHash),
    },
    rateLimits: { spend: (spendings, now) => run('spendAllowances', spendings, now) },
    sessions: {
      ...of(sessionReads),
      openByLink: (linkHash, now, session, factor) => run('openSessionByLink', linkHash, now, session, factor),
      openByPassword: (accountId, passwordHash, session, factor) =>
        run('openSessionByPassword', accountId, passwordHash, session, factor),
      openBySetUp: (linkHash, now, account, session) => run('openSessionBySetUp', linkHash, now, account, session),
      openByIdentity: (accountId, subject, session) => run('openSessionByIdentity', accountId, subject, session),
      end: (accountId, sessionId) => run('endSession', accountId, sessionId),
      touch: (sessionId, seen) => run('touchSession', sessionId, seen),
    },
    members: {
      ...of(memberReads),
      changeRole: (appId, accountId, role, languages) => run('changeMemberRole', appId, accountId, role, languages),
      grant: (appId, accountId, role, at) => run('grantMembership', appId, accountId, role, at),
      remove: (appId, accountId) => run('removeMember', appId, accountId),
    },
    invitations: {
      ...of(invitationReads),
      create: (invitation) => run('createInvitation', invitation),
      revoke: (appId, invitationId) => run('revokeInvitation', appId, invitationId),
      accept: (linkHash, now, account, session) => run('acceptInvitation', linkHash, now, account, session),
      join: (linkHash, now, accountId) => run('joinByInvitation', linkHash, now, accountId),
    },
    signingKeys: {
      ...of(signingKeyReads),
      add: (key, previousPublishedUntil) => run('addSigningKey', key, previousPublishedUntil),
    },
    catalogs: { ...of(catalogReads), publish: (publication) => run('publishCatalog', publication) },
    textStates: { ...of(textStateReads), review: (review) => run('reviewTexts', review) },
    drafts: {
      ...of(draftReads),
      save: (change) => run('saveDraft', change),
      discard: (appId, draft) => run('discardDraft', appId, draft),
    },
    selections: {
      ...of(selectionReads),
      save: (appId, userId, selections, change) => run('saveSelections', appId, userId, selections, change),
      countByValue: (appId, keyNo) => survey('countByValue', appId, keyNo),
      survey: (appId, keyNo, wanted) => survey('survey', appId, keyNo, wanted),
      replaceValue: (appId, replacement, change) => run('replaceValue', appId, replacement, change),
      unset: (...unset) => run('unsetSelection', ...unset),
      unsetKeys: (userId, keyNos, change) => run('unsetKeys', userId, keyNos, change),
      purgeHistory: (appId, wanted) => run('purgeHistory', appId, wanted),
    },
    trials: {
      add: (appId, clientUserId, endsAt) => run('addTrial', appId, clientUserId, endsAt),
      end: (appId, clientUserId) => run('endTrial', appId, clientUserId),
    },
    transfer: {
      ...of(transferReads),
      // From another thread they come as text.
      importUsers: (appId, entries: readonly ImportEntry[] | string, change) =>
        run('importUsers', appId, typeof entries === 'string' ? entries : JSON.stringify(entries), change),
    },
    changes: of(changeReads),
    facts: {
      ...of(factReads),
      settle: (name, value) => run('settleFact', name, value),
      replace: (name, expected, value) => run('replaceFact', name, expected, value),
    },
    sealed: {
      ...of(sealedReads),
      replace: (changes) => run('replaceSealed', changes),
      switchSecret: (fact, expected, check) => run('switchSecret', fact, expected, check),
    },
    events: { ...of(eventReads), purge: (appId, before) => run('purgeEvents', appId, before) },
    clock: of(clockReads),
    activity: { ...of(activityReads), add: (counts) => run('addActivity', counts) },
    requestLog: {
      ...of(requestLogReads),
      add: (requests) => run('addLoggedRequests', requests),
      trim: (appId, keep) => run('trimLoggedRequests', appId, keep),
    },
    audit: {
      ...of(auditReads),
      add: (entry) => run('addAuditEntry', entry),
      addCounts: (entry) => run('addAuditCounts', entry),
    },
    webhooks: {
      ...of(webhookReads),
      create: (webhook, atMost) => run('createWebhook', webhook, atMost),
      update: (appId, webhookId, change) => run('updateWebhook', appId, webhookId, change),
      rotateSecret: (appId, webhookId, sealedSecret, previousExpiresAt, unlessValidAt) =>
        run('rotateWebhookSecret', appId, webhookId, sealedSecret, previousExpiresAt, unlessValidAt),
      replay: (appId, webhookId, position) => run('replayWebhook', appId, webhookId, position),
      delete: (appId, webhookId) => run('deleteWebhook', appId, webhookId),
    },
    deliveries: {
      ...of(deliveryReads),
      claim: (owner, lease) => run('claimWebhooks', owner, lease),
      renew: (owner, now, until) => run('renewLeases', owner, now, until),
      release: (owner, now) => run('releaseLeases', owner, now),
      enqueue: (lease, position, deliveries) => run('enqueueDeliveries', lease, position, deliveries),
      take: (lease, now, limit) => run('takeDeliveries', lease, now, limit),
      settle: (lease, attempts, off) => run('settleDeliveries', lease, attempts, off),
      addTest: ({ webhookId }, delivery, attempt) => run('addTestDelivery', webhookId, delivery, attempt),
      resend: ({ webhookId }, deliveryId, now) => run('resendDelivery', webhookId, deliveryId, now),
    },
  };
}
