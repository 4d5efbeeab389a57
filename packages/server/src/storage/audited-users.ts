import {
  BY_HISTORY,
  detailOfOptions,
  detailOfUser,
  importCounts,
  type Plans,
  SERVICE,
  TRIAL,
} from './audit-details.ts';

/** The data of users. */
export const AUDITED_USERS: Plans<'users' | 'tokens' | 'selections' | 'trials' | 'transfer'> = {
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
  selections: {
    list: 'read',
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
    countListed: 'read',
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
};
