import { randomUUID } from 'node:crypto';
import type { AuditAction, ManageTokenRecord, NewAccount, Storage } from '../../src/storage/port.ts';
import { orderedUuid } from '../../src/uuid.ts';
import { account, invitation, link, session } from './account-examples.ts';
import { accessToken, application, createUser, hash, MINUTE, NOW, user } from './examples.ts';
import { attempt, delivery, webhook } from './webhook-examples.ts';

type Act = (storage: Storage) => Promise<unknown>;

/** Sets up what the act needs, runs it, and names the entries that it must leave. */
export type AuditedExample = {
  prepare(storage: Storage, appId: number): Promise<Act>;
  actions: AuditAction[];
};

const email = (): string => `${randomUUID()}@example.com`;
const token = () => ({ tokenHash: hash(), expiresAt: NOW + MINUTE });
const secret = () => ({ secretHash: hash(), createdAt: NOW, expiresAt: null });

const manageToken = (appId: number): ManageTokenRecord => ({
  ...{ tokenId: randomUUID(), tokenHash: hash(), accountId: null, name: 'ci', appIds: [appId], access: 'write' },
  ...{ createdAt: NOW, expiresAt: NOW + MINUTE, lastUsedAt: null },
});

async function makeAccount(storage: Storage): Promise<NewAccount> {
  const made = account(email(), { passwordHash: 'hash' });
  await storage.accounts.createWithLink(made, link());
  return made;
}

async function makeMember(storage: Storage, appId: number): Promise<string> {
  const invited = invitation(appId, email());
  await storage.invitations.create(invited);
  const made = account(invited.email, { role: 'member' });
  await storage.invitations.accept(invited.linkHash, NOW, made, session());
  return made.accountId;
}

async function turnOnTotp(storage: Storage): Promise<string> {
  const { accountId } = await makeAccount(storage);
  await storage.secondFactors.begin(accountId, 'sealed');
  await storage.secondFactors.confirm(accountId, { pendingTotp: 'sealed', step: 1, recoveryHashes: [hash()] });
  return accountId;
}

async function makeWebhook(storage: Storage, appId: number) {
  const made = webhook(appId);
  await storage.webhooks.create(made, 10);
  return made;
}

function draftChange(appId: number) {
  const draft = { draftId: randomUUID(), version: 1, baseRevision: 0, languages: '[]' };
  const by = { createdBy: 'x', createdAt: NOW, updatedBy: 'x', updatedAt: NOW, authors: ['x'] };
  const edit = { kind: 'edit' as const, difference: '[{"path":"colours"}]', inverse: '{}' };
  return { appId, draft: { ...draft, ...by }, items: [], removed: [], edit };
}

/** By act. The first one needs a database without accounts. */
export const AUDITED_EXAMPLES: Record<string, AuditedExample> = {
  'sessions.openBySetUp': {
    async prepare(storage) {
      const made = link();
      await storage.accounts.addSetUpLink(made);
      const first = account(email());
      return ({ sessions }) => sessions.openBySetUp(made.linkHash, NOW, first, session());
    },
    actions: ['account.created'],
  },
  'applications.create': {
    async prepare() {
      const made = application();
      return ({ applications }) => applications.create(made);
    },
    actions: ['application.created'],
  },
  'applications.update': {
    prepare: async (_, appId) => (storage) => storage.applications.update(appId, { name: 'Other' }),
    actions: ['application.changed'],
  },
  'applications.rotateSecret': {
    prepare: async (_, appId) => (storage) => storage.applications.rotateSecret(appId, secret(), NOW),
    actions: ['secret.rotated'],
  },
  'applications.endPreviousSecrets': {
    async prepare(storage, appId) {
      await storage.applications.rotateSecret(appId, secret(), NOW);
      return ({ applications }) => applications.endPreviousSecrets(appId);
    },
    actions: ['secret.previousEnded'],
  },
  'sealed.switchSecret': {
    prepare: async (storage) => {
      const check = await storage.facts.settle('secret-check', 'before');
      return (audited) => audited.sealed.switchSecret('secret-check', check, hash());
    },
    actions: ['secret.masterRotated'],
  },
  'applications.delete': {
    prepare: async (_, appId) => (storage) => storage.applications.delete(appId),
    actions: ['application.deleted'],
  },
  'users.createWithToken': {
    async prepare(_, appId) {
      const made = user(appId);
      return ({ users }) => users.createWithToken(made);
    },
    actions: ['user.created'],
  },
  'users.update': {
    async prepare(storage, appId) {
      const { userId } = await createUser(storage, appId);
      return ({ users }) => users.update(appId, userId, { clientUserName: 'Renamed', status: 'suspended' }, NOW);
    },
    actions: ['user.changed', 'user.suspended'],
  },
  'users.delete': {
    async prepare(storage, appId) {
      const { userId } = await createUser(storage, appId);
      return ({ users }) => users.delete(appId, userId);
    },
    actions: ['user.erased'],
  },
  'tokens.replaceSpecialToken': {
    async prepare(storage, appId) {
      const { clientUserId } = await createUser(storage, appId);
      return ({ tokens }) => tokens.replaceSpecialToken(appId, clientUserId, token());
    },
    actions: ['user.specialTokenReissued'],
  },
  'tokens.revoke': {
    async prepare(storage, appId) {
      const { specialToken } = await createUser(storage, appId);
      const made = accessToken({ expiresAt: Date.now() + 60 * MINUTE });
      await storage.tokens.exchange(specialToken.tokenHash, NOW, made);
      return ({ tokens }) => tokens.revoke(appId, made.tokenId);
    },
    actions: ['user.accessTokenRevoked'],
  },
  'tokens.revokeAll': {
    async prepare(storage, appId) {
      const { userId } = await createUser(storage, appId);
      return ({ tokens }) => tokens.revokeAll(appId, userId);
    },
    actions: ['user.allTokensRevoked'],
  },
  'users.withdrawLinks': {
    async prepare(storage, appId) {
      const { userId } = await createUser(storage, appId);
      return ({ users }) => users.withdrawLinks(appId, userId);
    },
    actions: ['user.linksWithdrawn'],
  },
  'manageTokens.create': {
    async prepare(_, appId) {
      const made = manageToken(appId);
      return ({ manageTokens }) => manageTokens.create(made);
    },
    actions: ['token.created'],
  },
  'manageTokens.revoke': {
    async prepare(storage, appId) {
      const made = manageToken(appId);
      await storage.manageTokens.create(made);
      return ({ manageTokens }) => manageTokens.revoke(made.tokenId);
    },
    actions: ['token.revoked'],
  },
  'accounts.createWithLink': {
    async prepare() {
      const [made, first] = [account(email()), link()];
      return ({ accounts }) => accounts.createWithLink(made, first);
    },
    actions: ['account.created'],
  },
  'accounts.identify': {
    async prepare(storage) {
      const made = await makeAccount(storage);
      return ({ accounts }) => accounts.identify({ subject: randomUUID(), emailKey: made.emailKey }, null);
    },
    actions: ['account.identityLinked'],
  },
  'accounts.setRole': {
    async prepare(storage) {
      const made = account(email(), { role: 'member' });
      await storage.accounts.createWithLink(made, link());
      return ({ accounts }) => accounts.setRole(made.accountId, 'administrator');
    },
    actions: ['account.roleChanged'],
  },
  'members.grant': {
    async prepare(storage, appId) {
      const { accountId } = await makeAccount(storage);
      return ({ members }) => members.grant(appId, accountId, 'viewer', NOW);
    },
    actions: ['member.joined'],
  },
  'accounts.addLink': {
    async prepare(storage) {
      const { accountId } = await makeAccount(storage);
      return ({ accounts }) => accounts.addLink(accountId, link());
    },
    actions: ['account.linkMade'],
  },
  'accounts.setPassword': {
    async prepare(storage) {
      const { accountId } = await makeAccount(storage);
      const opened = session();
      await storage.sessions.openByPassword(accountId, 'hash', opened);
      return ({ accounts }) => accounts.setPassword(accountId, 'other', opened.sessionId);
    },
    actions: ['account.passwordChanged'],
  },
  'accounts.reset': {
    async prepare(storage) {
      const { emailKey } = await makeAccount(storage);
      return ({ accounts }) => accounts.reset(emailKey, { password: true, totp: true });
    },
    actions: ['account.reset'],
  },
  'accounts.delete': {
    async prepare(storage) {
      const { emailKey } = await makeAccount(storage);
      return ({ accounts }) => accounts.delete(emailKey);
    },
    actions: ['account.deleted'],
  },
  'secondFactors.confirm': {
    async prepare(storage) {
      const { accountId } = await makeAccount(storage);
      await storage.secondFactors.begin(accountId, 'sealed');
      const confirmed = { pendingTotp: 'sealed', step: 1, recoveryHashes: [hash()] };
      return ({ secondFactors }) => secondFactors.confirm(accountId, confirmed);
    },
    actions: ['account.totpTurnedOn'],
  },
  'secondFactors.end': {
    async prepare(storage) {
      const accountId = await turnOnTotp(storage);
      return ({ secondFactors }) => secondFactors.end(accountId);
    },
    actions: ['account.totpTurnedOff'],
  },
  'secondFactors.replaceRecoveryCodes': {
    async prepare(storage) {
      const accountId = await turnOnTotp(storage);
      return ({ secondFactors }) => secondFactors.replaceRecoveryCodes(accountId, [hash()]);
    },
    actions: ['account.recoveryCodesRenewed'],
  },
  'members.changeRole': {
    async prepare(storage, appId) {
      const accountId = await makeMember(storage, appId);
      return ({ members }) => members.changeRole(appId, accountId, 'editor', null);
    },
    actions: ['member.roleChanged'],
  },
  'members.remove': {
    async prepare(storage, appId) {
      const accountId = await makeMember(storage, appId);
      return ({ members }) => members.remove(appId, accountId);
    },
    actions: ['member.removed'],
  },
  'invitations.create': {
    async prepare(_, appId) {
      const made = invitation(appId, email());
      return ({ invitations }) => invitations.create(made);
    },
    actions: ['member.invited'],
  },
  'invitations.revoke': {
    async prepare(storage, appId) {
      const made = invitation(appId, email());
      await storage.invitations.create(made);
      return ({ invitations }) => invitations.revoke(appId, made.invitationId);
    },
    actions: ['member.invitationRevoked'],
  },
  'invitations.accept': {
    async prepare(storage, appId) {
      const made = invitation(appId, email());
      await storage.invitations.create(made);
      const member = account(made.email, { role: 'member' });
      return ({ invitations }) => invitations.accept(made.linkHash, NOW, member, session());
    },
    actions: ['account.created', 'member.joined'],
  },
  'invitations.join': {
    async prepare(storage, appId) {
      const { accountId, email: address } = await makeAccount(storage);
      const made = invitation(appId, address);
      await storage.invitations.create(made);
      return ({ invitations }) => invitations.join(made.linkHash, NOW, accountId);
    },
    actions: ['member.joined'],
  },
  'catalogs.publish': {
    async prepare(_, appId) {
      const revision = {
        appId,
        revision: 1,
        createdAt: NOW,
        author: 'x',
        authors: ['x'],
        difference: '[]',
        languages: '[]',
        items: [],
        changes: 1,
        breaking: false,
      };
      return ({ catalogs }) => catalogs.publish(revision);
    },
    actions: ['catalog.published'],
  },
  'textStates.review': {
    prepare: async (_, appId) => (storage) =>
      storage.textStates.review({
        ...{ appId, reviewed: true, languages: ['de'] },
        texts: [{ textKey: 'text', sourceKey: 'en source' }],
      }),
    actions: ['catalog.textsReviewed'],
  },
  'drafts.save': {
    async prepare(_, appId) {
      const change = draftChange(appId);
      return ({ drafts }) => drafts.save(change);
    },
    actions: ['catalog.draftEdited'],
  },
  'drafts.discard': {
    async prepare(storage, appId) {
      const change = draftChange(appId);
      await storage.drafts.save(change);
      return ({ drafts }) => drafts.discard(appId, change.draft);
    },
    actions: ['catalog.draftDiscarded'],
  },
  'trials.add': {
    prepare: async (_, appId) => (storage) => storage.trials.add(appId, 'somebody', NOW),
    actions: ['application.tried'],
  },
  'selections.save': {
    async prepare(storage, appId) {
      const { userId } = await createUser(storage, appId);
      const selection = { selectionId: randomUUID(), keyNo: 1, revision: 1, value: 'true', language: null };
      const change = { at: NOW, authMethod: 'manage' as const, by: { actor: 'ada@example.com', appId, keys: ['g.k'] } };
      return ({ selections }) => selections.save(appId, userId, [selection], change);
    },
    actions: ['user.optionsChanged'],
  },
  'selections.replaceValue': {
    async prepare(storage, appId) {
      const { userId } = await createUser(storage, appId);
      const selection = { selectionId: randomUUID(), keyNo: 1, revision: 1, value: '"a"', language: null };
      await storage.selections.save(appId, userId, [selection], { at: NOW, authMethod: 'user_uid' });
      const about = { migrationId: orderedUuid(), subject: 'g/k', values: { from: 'a', to: 'b' } };
      const replacement = { ...about, keyNo: 1, from: '"a"', to: '"b"', revision: 1, limit: 10 };
      return ({ selections }) => selections.replaceValue(appId, replacement, { at: NOW, actor: 'ada@example.com' });
    },
    actions: ['selections.migrated'],
  },
  'selections.unsetKeys': {
    async prepare(storage, appId) {
      const { userId } = await createUser(storage, appId);
      const selection = { selectionId: randomUUID(), keyNo: 1, revision: 1, value: 'true', language: null };
      await storage.selections.save(appId, userId, [selection], { at: NOW, authMethod: 'user_uid' });
      const change = { at: NOW, authMethod: 'manage' as const, by: { actor: 'ada@example.com', appId, keys: ['g.k'] } };
      return ({ selections }) => selections.unsetKeys(userId, [1], change);
    },
    actions: ['user.optionsChanged'],
  },
  'webhooks.create': {
    async prepare(_, appId) {
      const made = webhook(appId);
      return ({ webhooks }) => webhooks.create(made, 10);
    },
    actions: ['webhook.created'],
  },
  'webhooks.update': {
    async prepare(storage, appId) {
      const { webhookId } = await makeWebhook(storage, appId);
      return ({ webhooks }) => webhooks.update(appId, webhookId, { enabled: false });
    },
    actions: ['webhook.changed'],
  },
  'webhooks.rotateSecret': {
    async prepare(storage, appId) {
      const { webhookId } = await makeWebhook(storage, appId);
      return ({ webhooks }) => webhooks.rotateSecret(appId, webhookId, 'newer', NOW);
    },
    actions: ['webhook.secretRotated'],
  },
  'webhooks.replay': {
    async prepare(storage, appId) {
      const { webhookId } = await makeWebhook(storage, appId);
      return ({ webhooks }) => webhooks.replay(appId, webhookId, { after: 0, since: NOW });
    },
    actions: ['webhook.replayed'],
  },
  'webhooks.delete': {
    async prepare(storage, appId) {
      const { webhookId } = await makeWebhook(storage, appId);
      return ({ webhooks }) => webhooks.delete(appId, webhookId);
    },
    actions: ['webhook.deleted'],
  },
  'deliveries.addTest': {
    async prepare(storage, appId) {
      const made = await makeWebhook(storage, appId);
      const test = delivery(null, null);
      return ({ deliveries }) => deliveries.addTest(made, test, attempt(test));
    },
    actions: ['webhook.tested'],
  },
  'deliveries.resend': {
    async prepare(storage, appId) {
      const made = await makeWebhook(storage, appId);
      const sent = delivery(1);
      const lease = { owner: randomUUID(), webhookId: made.webhookId };
      await storage.deliveries.claim(lease.owner, { now: NOW, until: NOW + 1, limit: 1000 });
      await storage.deliveries.enqueue(lease, { after: 1, since: 0 }, [sent]);
      await storage.deliveries.settle(lease, [attempt(sent)], null);
      return ({ deliveries }) => deliveries.resend(made, sent.deliveryId, NOW);
    },
    actions: ['webhook.resent'],
  },
  'transfer.importUsers': {
    async prepare(_, appId) {
      const who = { clientUserId: 'mia', clientUserName: 'Mia', userId: null, newUserId: randomUUID() };
      const change = { at: NOW, ifThere: 'compare' as const, importId: orderedUuid() };
      const entries = [{ ...who, createdAt: NOW, selections: [] }];
      return ({ transfer }) => transfer.importUsers(appId, entries, change);
    },
    actions: ['users.imported'],
  },
};
