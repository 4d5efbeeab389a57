import { NEWEST_RECORD } from '../common/service-state.ts';
import { commonStores } from '../common/stores.ts';
import { QUICK_READ } from '../pages.ts';
import type { ClockStore, ImportEntry, Stores } from '../port.ts';
import type { PlainActs } from './acts.ts';
import { catalogReads } from './catalogs.ts';
import { changeReads } from './changes.ts';
import { queryOn } from './common.ts';
import type { Connection } from './connection.ts';
import { eventReads } from './events.ts';
import { selectionReads } from './selections.ts';
import { countListed, type Survey } from './surveys.ts';
import { tokenReads } from './tokens.ts';
import { transferReads } from './transfer.ts';
import { userSearchReads, walkReads } from './user-walk.ts';
import { userReads } from './users.ts';

type Of = <Reads extends object>(makeReads: (connection: Connection) => Reads) => Reads;
type Run = <Name extends keyof PlainActs>(
  name: Name,
  ...args: Parameters<PlainActs[Name]>
) => Promise<Awaited<ReturnType<PlainActs[Name]>>>;

/**
 * The port's stores, on either thread: the HTTP thread sends acts to the writer thread; the writer thread runs
 * everything in its open transaction.
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
  const { hasLongHistory, ...saved } = of(selectionReads);
  const common = commonStores({
    reads: (make) => of((connection) => make(queryOn(connection))),
    act: (call) => run('performCommonAct', call),
  });
  return {
    ...common,
    applications: {
      ...common.applications,
      countUsers: (appId) => survey('countWalk', appId, { by: 'user' }),
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
    attempts: {
      admit: (allowance, now) => run('admitAttempt', allowance, now),
      forget: (subjectHash) => run('forgetAttempts', subjectHash),
    },
    rateLimits: { spend: (spendings, now) => run('spendAllowances', spendings, now) },
    catalogs: { ...of(catalogReads), publish: (publication) => run('publishCatalog', publication) },
    selections: {
      ...saved,
      history: async (...args) =>
        (await hasLongHistory(args[0])) ? survey('listHistory', ...args) : saved.history(...args),
      save: (appId, userId, selections, change) => run('saveSelections', appId, userId, selections, change),
      countByValue: (appId, keyNo, after) => survey('countByValue', appId, keyNo, after),
      survey: (appId, keyNo, wanted) => survey('survey', appId, keyNo, wanted),
      countListed: (appId, keys, reading) => countListed(survey, appId, keys, reading),
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
      // Sent as text from another thread.
      importUsers: (appId, entries: readonly ImportEntry[] | string, change) =>
        run('importUsers', appId, typeof entries === 'string' ? entries : JSON.stringify(entries), change),
    },
    changes: of(changeReads),
    events: { ...of(eventReads), purge: (appId, before) => run('purgeEvents', appId, before) },
    clock: of(clockReads),
    activity: { ...common.activity, add: (counts) => run('addActivity', counts) },
    requestLog: {
      ...common.requestLog,
      add: (requests) => run('addLoggedRequests', requests),
    },
    audit: {
      ...common.audit,
      // No index serves the filters.
      list: (appId, filter, page) =>
        Object.keys(filter).length > 0
          ? survey('listAudit', appId, filter, page)
          : common.audit.list(appId, filter, page),
      add: (entry) => run('addAuditEntry', entry),
      addCounts: (entry) => run('addAuditCounts', entry),
    },
    webhooks: { ...common.webhooks, health: (...args) => survey('webhookHealth', ...args) },
    deliveries: {
      ...common.deliveries,
      // No index has the others in order.
      list: (webhookId, filter, page) =>
        filter.state === undefined || filter.state === 'failed'
          ? common.deliveries.list(webhookId, filter, page)
          : survey('listDeliveries', webhookId, filter, page),
      enqueue: (lease, position, deliveries) => run('enqueueDeliveries', lease, position, deliveries),
      take: (lease, now, limit) => run('takeDeliveries', lease, now, limit),
      settle: (lease, attempts, off) => run('settleDeliveries', lease, attempts, off),
    },
  };
}

function clockReads(connection: Connection): ClockStore {
  return {
    async read() {
      return undefined;
    },
    async newestRecord() {
      return connection.value<number | null>(NEWEST_RECORD) ?? undefined;
    },
  };
}
