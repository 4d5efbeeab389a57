import {
  type Before,
  BY_HISTORY,
  detailOfOptions,
  detailOfUser,
  importCounts,
  type Plans,
  reads,
  SERVICE,
  TRIAL,
} from './audit-details.ts';

/** The data of users. */
export const AUDITED_USERS: Plans<'users' | 'tokens' | 'selections' | 'trials' | 'transfer'> = {
  users: {
    ...reads('find', 'findByClientUserId', 'findDeleted', 'linkGeneration'),
    ...reads('page', 'walk', 'countWalk', 'listValues', 'names'),
    createWithToken: {
      on: 'created',
      entries: (_, { appId, userId }) => ({ action: 'user.created', appId, subject: '', userId }),
    },
    update: { entries: ({ outcome }) => (outcome.outcome === 'updated' ? detailOfUser(outcome) : []) },
    withdrawLinks: {
      on: 'withdrawn',
      entries: (_, appId, userId) => ({ action: 'user.linksWithdrawn', appId, subject: '', userId }),
    },
    // Nothing is left of a deleted user, here included.
    delete: { on: 'deleted', entries: (_, appId) => ({ action: 'user.erased', appId, subject: '' }) },
  },
  tokens: {
    ...reads('findSpecialToken', 'findOwner', 'list'),
    replaceSpecialToken: {
      on: 'issued',
      before: async (stores, appId, clientUserId) => (await stores.transfer.find(appId, clientUserId))?.userId,
      entries: ({ before: userId }: Before<string>, appId) => {
        return { action: 'user.specialTokenReissued', appId, subject: '', userId };
      },
    },
    exchange: { because: 'an application exchanges it for its own user' },
    revoke: {
      // At any time: the owner of an expired token is known until it is purged.
      before: (stores, _appId, tokenId) => stores.tokens.findOwner(tokenId, 0),
      entries: ({ before: { userId } }: Before<{ userId: string }>, appId) => {
        return { action: 'user.accessTokenRevoked', appId, subject: '', userId };
      },
    },
    revokeAll: {
      entries: (_, appId, userId) => ({ action: 'user.allTokensRevoked', appId, subject: '', userId }),
    },
  },
  selections: {
    ...reads('list', 'walk', 'listOfToken', 'listOfUser', 'history', 'walkHistory'),
    ...reads('countByValue', 'survey', 'countListed'),
    // Through /manage/v1. What users and applications save themselves is only in the history.
    save: {
      on: 'saved',
      entries: (_, _appId, userId, _selections, { by }) => (by ? detailOfOptions('saved', userId, by) : []),
    },
    unset: BY_HISTORY,
    unsetKeys: {
      entries: ({ outcome: keyNos }, userId, _wanted, { by }) =>
        keyNos.length > 0 && by ? detailOfOptions('unset', userId, by) : [],
    },
    replaceValue: {
      entries: ({ outcome: selections }, appId, { migrationId, subject, values }) => {
        if (selections === 0) return [];
        const counted = { before: values, after: { selections }, sharedUid: migrationId };
        return { action: 'selections.migrated', appId, subject, ...counted };
      },
    },
    purgeHistory: SERVICE,
  },
  trials: {
    add: { on: 'added', entries: (_, appId) => ({ action: 'application.tried', appId, subject: '' }) },
    end: TRIAL,
  },
  transfer: {
    ...reads('exportUsers', 'find'),
    importUsers: {
      entries: ({ outcome }, appId, _entries, { importId }) =>
        'outcomes' in outcome ? importCounts(appId, importId, outcome.outcomes) : [],
    },
  },
};
