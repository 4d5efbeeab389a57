import { existsSync } from 'node:fs';
import { DISK_PROBLEM } from '../disk-problem.ts';
import type { Problem, Storage, StorageDriver } from '../port.ts';
import { accountReads } from './accounts.ts';
import { activityReads } from './activity.ts';
import { applicationReads } from './applications.ts';
import { auditReads } from './audit.ts';
import { catalogReads } from './catalogs.ts';
import { changeReads } from './changes.ts';
import { clockReads } from './clock.ts';
import { connectToRead, connectToWrite } from './connection.ts';
import { DamageWatch } from './damage-watch.ts';
import { draftReads } from './drafts.ts';
import { namingFile } from './errors.ts';
import { factReads } from './facts.ts';
import { importInTurns } from './import-turns.ts';
import { invitationReads } from './invitations.ts';
import { manageTokenReads } from './manage-tokens.ts';
import { memberReads } from './members.ts';
import { LATEST_MIGRATION, migrate, migrationState } from './migrations.ts';
import { requestLogReads } from './request-log.ts';
import { sqliteScrub } from './scrub.ts';
import { secondFactorReads } from './second-factors.ts';
import { selectionReads } from './selections.ts';
import { sessionReads } from './sessions.ts';
import { SharedReads } from './shared-reads.ts';
import { signingKeyReads } from './signing-keys.ts';
import { Surveyor } from './surveyor.ts';
import { tokenReads } from './tokens.ts';
import { transferReads } from './transfer.ts';
import { userSearchReads } from './user-search.ts';
import { userReads } from './users.ts';
import { sqliteWhole } from './whole.ts';
import { Writer } from './writer.ts';

const EFFECTS: readonly Problem['effect'][] = ['down', 'read-only', 'none'];

export function sqliteDriver(path: string): StorageDriver {
  const runMigrations = () => {
    const connection = connectToWrite(path);
    try {
      return migrate(connection.database);
    } finally {
      connection.close();
    }
  };
  return {
    async migrationState() {
      if (!existsSync(path)) return { applied: 0, latest: LATEST_MIGRATION };
      return namingFile(path, () => {
        const connection = connectToRead(path);
        try {
          return migrationState(connection.database);
        } finally {
          connection.close();
        }
      });
    },
    async migrate() {
      return namingFile(path, runMigrations);
    },
    async open() {
      namingFile(path, runMigrations);
      return openSqlite(path, await Writer.open(path));
    },
    whole: sqliteWhole(path),
    scrub: sqliteScrub(path),
  };
}

/** Reads run here, on the caller's thread, a few microseconds each (shared-reads.ts). Writes go to the writer thread. */
async function openSqlite(path: string, writer: Writer): Promise<Storage> {
  const { watch } = writer;
  const checkFile = (): void => watch.check();
  const reads = new SharedReads(path, checkFile);
  const surveyor = new Surveyor(path, () => {
    // Its thread may be about to open the file.
    watch.look();
    checkFile();
  });
  const { lastFileCheck, ...facts } = reads.of(factReads);
  const damage = new DamageWatch(path, {
    last: lastFileCheck,
    claim: (now, everyMs) => writer.run('claimFileCheck', now, everyMs),
    record: (check) => writer.run('recordFileCheck', check),
  });
  for (const part of [reads, surveyor, writer]) part.damage = damage;
  await damage.start();
  return {
    kind: 'sqlite',
    applications: {
      ...reads.of(applicationReads),
      create: (application) => writer.run('createApplication', application),
      update: (appId, change) => writer.run('updateApplication', appId, change),
      rotateSecret: (appId, secret, previousExpiresAt) => writer.run('rotateSecret', appId, secret, previousExpiresAt),
      endPreviousSecrets: (appId) => writer.run('endPreviousSecrets', appId),
      touchSecret: (secretHash, at, unlessSince) => writer.run('touchSecret', secretHash, at, unlessSince),
      delete: (appId) => writer.run('deleteApplication', appId),
    },
    users: {
      ...reads.of(userReads),
      ...reads.of(userSearchReads),
      createWithToken: (user) => writer.run('createUserWithToken', user),
      delete: (appId, userId) => writer.run('deleteUser', appId, userId),
    },
    tokens: {
      ...reads.of(tokenReads),
      replaceSpecialToken: (appId, clientUserId, token) =>
        writer.run('replaceSpecialToken', appId, clientUserId, token),
      exchange: (tokenHash, now, accessToken) => writer.run('exchangeSpecialToken', tokenHash, now, accessToken),
      revoke: (appId, tokenId) => writer.run('revokeAccessToken', appId, tokenId),
      revokeAll: (appId, userId) => writer.run('revokeAllTokens', appId, userId),
    },
    manageTokens: {
      ...reads.of(manageTokenReads),
      create: (token) => writer.run('createManageToken', token),
      revoke: (tokenId, accountId) => writer.run('revokeManageToken', tokenId, accountId),
      touch: (tokenId, at, unlessSince) => writer.run('touchManageToken', tokenId, at, unlessSince),
    },
    accounts: {
      ...reads.of(accountReads),
      createWithLink: (account, link) => writer.run('createAccountWithLink', account, link),
      addSetUpLink: (link) => writer.run('addSetUpLink', link),
      setPassword: (accountId, passwordHash, keepSessionId) =>
        writer.run('setAccountPassword', accountId, passwordHash, keepSessionId),
      setPreferences: (accountId, preferences) => writer.run('setAccountPreferences', accountId, preferences),
      reset: (emailKey, what) => writer.run('resetAccount', emailKey, what),
      delete: (emailKey) => writer.run('deleteAccount', emailKey),
    },
    secondFactors: {
      ...reads.of(secondFactorReads),
      begin: (accountId, pendingTotp) => writer.run('beginTotp', accountId, pendingTotp),
      confirm: (accountId, confirmed) => writer.run('confirmTotp', accountId, confirmed),
      end: (accountId) => writer.run('endTotp', accountId),
      spend: (accountId, factor) => writer.run('spendSecondFactor', accountId, factor),
      replaceRecoveryCodes: (accountId, hashes) => writer.run('replaceRecoveryCodes', accountId, hashes),
    },
    attempts: {
      admit: (allowance, now) => writer.run('admitAttempt', allowance, now),
      forget: (subjectHash) => writer.run('forgetAttempts', subjectHash),
    },
    rateLimits: { spend: (spendings, now) => writer.run('spendAllowances', spendings, now) },
    sessions: {
      ...reads.of(sessionReads),
      openByLink: (linkHash, now, session, factor) => writer.run('openSessionByLink', linkHash, now, session, factor),
      openByPassword: (accountId, passwordHash, session, factor) =>
        writer.run('openSessionByPassword', accountId, passwordHash, session, factor),
      openBySetUp: (linkHash, now, account, session) =>
        writer.run('openSessionBySetUp', linkHash, now, account, session),
      end: (accountId, sessionId) => writer.run('endSession', accountId, sessionId),
      touch: (sessionId, seen) => writer.run('touchSession', sessionId, seen),
    },
    members: {
      ...reads.of(memberReads),
      changeRole: (appId, accountId, role) => writer.run('changeMemberRole', appId, accountId, role),
      remove: (appId, accountId) => writer.run('removeMember', appId, accountId),
    },
    invitations: {
      ...reads.of(invitationReads),
      create: (invitation) => writer.run('createInvitation', invitation),
      revoke: (appId, invitationId) => writer.run('revokeInvitation', appId, invitationId),
      accept: (linkHash, now, account, session) => writer.run('acceptInvitation', linkHash, now, account, session),
      join: (linkHash, now, accountId) => writer.run('joinByInvitation', linkHash, now, accountId),
    },
    signingKeys: {
      ...reads.of(signingKeyReads),
      add: (key, previousPublishedUntil) => writer.run('addSigningKey', key, previousPublishedUntil),
    },
    catalogs: { ...reads.of(catalogReads), publish: (publication) => writer.run('publishCatalog', publication) },
    drafts: {
      ...reads.of(draftReads),
      save: (change) => writer.run('saveDraft', change),
      discard: (appId, draft) => writer.run('discardDraft', appId, draft),
    },
    selections: {
      ...reads.of(selectionReads),
      save: (appId, userId, selections, change) => writer.run('saveSelections', appId, userId, selections, change),
      countByValue: (appId, keyNo) => surveyor.run('countByValue', appId, keyNo),
      survey: (appId, keyNo, wanted) => surveyor.run('survey', appId, keyNo, wanted),
      unset: (userId, selectionId, change) => writer.run('unsetSelection', userId, selectionId, change),
    },
    trials: {
      add: (appId, clientUserId, endsAt) => writer.run('addTrial', appId, clientUserId, endsAt),
      end: (appId, clientUserId) => writer.run('endTrial', appId, clientUserId),
    },
    transfer: { ...reads.of(transferReads), importUsers: importInTurns(writer) },
    changes: reads.of(changeReads),
    facts: {
      ...facts,
      settle: (name, value) => writer.run('settleFact', name, value),
      replace: (name, expected, value) => writer.run('replaceFact', name, expected, value),
    },
    clock: reads.of(clockReads),
    activity: { ...reads.of(activityReads), add: (counts) => writer.run('addActivity', counts) },
    requestLog: {
      ...reads.of(requestLogReads),
      add: (requests) => writer.run('addLoggedRequests', requests),
      trim: (appId, keep) => writer.run('trimLoggedRequests', appId, keep),
    },
    audit: { ...reads.of(auditReads), add: (entry) => writer.run('addAuditEntry', entry) },
    async ping() {
      writer.check();
      reads.check();
    },
    problems() {
      const problems = [
        ...watch.problems(),
        ...damage.problems(),
        ...(writer.failedWrite.isRecent ? [DISK_PROBLEM] : []),
      ];
      return problems.sort((one, other) => EFFECTS.indexOf(one.effect) - EFFECTS.indexOf(other.effect));
    },
    purgeExpired: (now) => writer.run('purgeExpired', now),
    waitingActs: () => writer.waiting + reads.waiting,
    figures: () => ({
      committedActs: writer.committedActs,
      committedBatches: writer.committedBatches,
      connections: { open: 2, idle: 0, waiting: 0 },
      logBytes: watch.logBytes,
    }),
    async close() {
      await damage.close();
      await surveyor.close();
      watch.look();
      // The connection that closes last moves the log into its file and removes the log at the path, if it can write. That must not
      // happen when the path leads to another file.
      if (watch.isMismatched) await writer.close();
      reads.close();
      await writer.close();
    },
  };
}
